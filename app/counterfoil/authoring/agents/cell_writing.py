"""Writing cells of a workbook: values of the kind that was asked for in their places, everything else as it was.

What is written as text stays text, whatever it begins with.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from counterfoil.authoring.agents.formula_words import (
    LAST_COLUMN,
    LAST_ROW,
    Area,
    column_of,
    letters_of,
    refusal,
    understood,
)
from counterfoil.authoring.agents.paging import Refused, cut
from counterfoil.authoring.agents.workbook_cells import CELL, Spot, numbered_cells, numbered_rows
from counterfoil.authoring.agents.workbook_parts import BOOK, Parts, name_of, space_of
from counterfoil.authoring.agents.worked_out import forget_values

LONGEST_TEXT = 32_767  # characters of a cell
_LIKE_A_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_DAYS_SHOWN = frozenset(
    (14, 15, 16, 17, 22, *range(27, 37), *range(45, 48), *range(50, 59))
)  # built-in formats of days

Value = str | Decimal | date


@dataclass(frozen=True, slots=True)
class New:
    """What a cell is to hold: `value` is a text (empty: nothing), a number or a day; `is_formula` where the text is one."""

    at: str
    value: Value
    is_formula: bool = False

    @property
    def spot(self) -> Spot:
        """Row and column, from 1.

        Raises:
            Refused: it is no place of a cell.
        """
        match = CELL.fullmatch(self.at)
        spot = (int(match[2]), column_of(match[1])) if match else (0, 0)
        if match is None or spot[0] > LAST_ROW or spot[1] > LAST_COLUMN:
            raise Refused(f"“{self.at}” is no cell; write it as B7.")
        return spot


class Writing:
    """Changes of one sheet."""

    def __init__(self, parts: Parts, sheet: str, path: str) -> None:
        self._parts = parts
        self._sheet = sheet
        self._path = path
        self._root = parts.to_change(parts.sheets[sheet])
        self._space = space_of(self._root)
        data = self._root.find(self._tag("sheetData"))
        if data is None:
            raise Refused(f"“{path}” is damaged: the sheet “{sheet}” has no cells.")
        self._data = data
        self._rows = dict(numbered_rows(data))
        self._last_row = max(self._rows, default=0)
        self._cells: dict[int, dict[int, Any]] = {}
        self._merged = self._areas_of(self._root.iter(self._tag("mergeCell")))
        together = (one for one in data.iter(self._tag("f")) if one.get("t") in ("array", "dataTable"))
        self._together = self._areas_of(together)
        tables = (parts.root(part) for part in parts.related(parts.sheets[sheet], "table"))
        self._tables = self._areas_of(table for table in tables if table.get("headerRowCount") != "0")

    def write(self, news: Sequence[New], *, formulas: bool) -> None:
        """Write them all; `formulas` says that values may stand in place of formulas.

        Raises:
            Refused: one of them cannot stand where it is to; nothing is to be kept then.
        """
        spots = {new.spot: new for new in news}
        if len(spots) < len(news):
            raise Refused("One cell is named twice.")
        self._refuse_protected()
        for spot, new in spots.items():
            self._refuse(spot, new, spots, formulas=formulas)
        for spot, new in sorted(spots.items()):
            self._put(self._cell(spot), new)
        self._widen(list(spots))
        self._parts.forget(BOOK, "calcChain")
        forget_values(self._parts, {(self._sheet, *spot) for spot in spots}, (self._sheet, self._root))

    # -------------------------------------------------------------------------------------------------------- refusing

    def _refuse_protected(self) -> None:
        found = self._root.find(self._tag("sheetProtection"))
        if found is not None and found.get("sheet") in ("1", "true"):
            raise Refused(f"The sheet “{self._sheet}” is protected; a person has to take the protection off.")

    def _refuse(self, spot: Spot, new: New, news: dict[Spot, New], *, formulas: bool) -> None:
        for area, words in self._merged:
            first = f"{letters_of(area.columns[0])}{area.rows[0]}"
            if area.holds(*spot) and new.at != first:
                raise Refused(f"{new.at} is a part of the merged cells {words}; write to {first}.")
        if any(area.holds(*spot) and spot[0] == area.rows[0] for area, _ in self._tables):
            raise Refused(f"{new.at} is the heading of a table; formulas name its columns by it.")
        together = next((words for area, words in self._together if area.holds(*spot) and words != new.at), None)
        if together is not None:
            raise Refused(f"{new.at} is worked out together with {together} and cannot be changed alone.")
        old = self._found(spot)
        formula = None if old is None else old.find(self._tag("f"))
        if formula is not None:
            self._refuse_formula(new, formula, news, formulas=formulas)
        if new.is_formula:
            why = refusal(str(new.value), self._parts.sheets)
            if why is not None:
                raise Refused(f"The formula for {new.at} is not written: {why}.")

    def _refuse_formula(self, new: New, formula: Any, news: dict[Spot, New], *, formulas: bool) -> None:
        """Whether the formula that stands there may go."""
        if not formulas and not new.is_formula:
            said = cut(formula.text or "shared with its neighbours", 200)
            raise Refused(f"{new.at} holds a formula (={said}); give replace_formulas=true if its value is to go.")
        if formula.get("t") == "shared" and formula.text:
            sharing = [spot for spot, other in self._sharing(formula.get("si")) if other is not formula]
            if not all(spot in news for spot in sharing):
                raise Refused(f"{new.at} holds the formula that {formula.get('ref')} share; write to all of them.")

    def _sharing(self, group: str) -> Iterator[tuple[Spot, Any]]:
        for row in self._rows:
            for column, cell in self._of_row(row).items():
                formula = cell.find(self._tag("f"))
                if formula is not None and formula.get("t") == "shared" and formula.get("si") == group:
                    yield (row, column), formula

    @staticmethod
    def _areas_of(elements: Iterable[Any]) -> list[tuple[Area, str]]:
        """What elements with a `ref` cover, and how it is written."""
        named = (element.get("ref", "") for element in elements)
        return [(area, words) for words in named for area in understood(words).areas]

    # --------------------------------------------------------------------------------------------------------- writing

    def _put(self, cell: Any, new: New) -> None:
        for child in list(cell):
            if name_of(child) in ("f", "v", "is"):
                cell.remove(child)
        for name in ("t", "cm", "vm", "ph"):
            cell.attrib.pop(name, None)
        value = new.value
        if new.is_formula:
            self._added(cell, "f", str(value))
        elif isinstance(value, str) and value:
            self._put_text(cell, value)
        elif isinstance(value, Decimal):
            self._added(cell, "v", format(value, "f"))
        elif isinstance(value, date):
            days = (value - self._first_day()).days
            if days < 0:
                raise Refused(f"The day for {new.at} is before 1904, where this workbook begins; give it as text.")
            self._added(cell, "v", str(days))
            if not self._shows_days(cell):
                self._restyle(cell, numFmtId="14", applyNumberFormat="1")

    def _put_text(self, cell: Any, text: str) -> None:
        cell.set("t", "inlineStr")
        held = self._added(self._added(cell, "is"), "t")
        held.set("{http://www.w3.org/XML/1998/namespace}space", "preserve")
        try:
            held.text = _ESCAPED.sub("_x005F_", text)
        except ValueError as problem:
            raise Refused("A text holds a character that no spreadsheet takes (a control character).") from problem
        if text.startswith(_LIKE_A_FORMULA):
            self._restyle(cell, quotePrefix="1")  # so it stays text when a person edits it, too

    def _added(self, to: Any, name: str, text: str | None = None) -> Any:
        made = to.makeelement(self._tag(name))
        made.text = text
        to.append(made)
        return made

    def _first_day(self) -> date:
        about = self._parts.root(BOOK).find(self._tag("workbookPr"))
        counts_from_1904 = about is not None and about.get("date1904") in ("1", "true")
        return date(1904, 1, 1) if counts_from_1904 else date(1899, 12, 30)

    def _formats(self) -> Any:
        """The element that holds how cells look; None in a workbook that has none."""
        styles = self._parts.related(BOOK, "styles")
        return self._parts.to_change(styles[0]).find(self._tag("cellXfs")) if styles else None

    def _shows_days(self, cell: Any) -> bool:
        formats = self._formats()
        if formats is None or int(cell.get("s", 0)) >= len(formats):
            return False
        number = int(formats[int(cell.get("s", 0))].get("numFmtId", 0))
        if number in _DAYS_SHOWN:
            return True
        made = formats.getparent().find(f"{self._tag('numFmts')}/{self._tag('numFmt')}[@numFmtId='{number}']")
        code = re.sub(r'"[^"]*"|\[[^\]]*\]|\\.', "", made.get("formatCode", "")) if made is not None else ""
        return bool(re.search(r"[ymd]", code, re.IGNORECASE)) and "general" not in code.lower()

    def _restyle(self, cell: Any, **how: str) -> None:
        """Let a cell look as it did but for this."""
        formats = self._formats()
        if formats is None or not len(formats):
            return
        at = int(cell.get("s", 0))
        made = copy.deepcopy(formats[at if at < len(formats) else 0])
        for name, value in how.items():
            made.set(name, value)
        for number, known in enumerate(formats):
            if _is_same(known, made):
                cell.set("s", str(number))
                return
        formats.append(made)
        formats.set("count", str(len(formats)))
        cell.set("s", str(len(formats) - 1))

    # ----------------------------------------------------------------------------------------------------------- cells

    def _tag(self, name: str) -> str:
        return f"{self._space}{name}"

    def _of_row(self, number: int) -> dict[int, Any]:
        if number not in self._cells:
            row = self._rows.get(number)
            self._cells[number] = {} if row is None else dict(numbered_cells(row, number))
        return self._cells[number]

    def _found(self, spot: Spot) -> Any:
        return self._of_row(spot[0]).get(spot[1])

    def _cell(self, spot: Spot) -> Any:
        """The cell of a place, made where there is none."""
        number, column = spot
        cells = self._of_row(number)
        if column not in cells:
            row = self._row(number)
            row.attrib.pop("spans", None)
            made = row.makeelement(self._tag("c"), {"r": f"{letters_of(column)}{number}"})
            if row.get("s") and row.get("customFormat") in ("1", "true"):
                made.set("s", row.get("s"))
            row.insert(sum(1 for other in cells if other < column), made)
            cells[column] = made
        return cells[column]

    def _row(self, number: int) -> Any:
        if number not in self._rows:
            made = self._data.makeelement(self._tag("row"), {"r": str(number)})
            if number > self._last_row:
                self._data.append(made)
            else:
                self._data.insert(sum(1 for other in self._rows if other < number), made)
            self._rows[number] = made
            self._last_row = max(number, self._last_row)
        return self._rows[number]

    def _widen(self, spots: list[Spot]) -> None:
        """Let the sheet say again how far it goes."""
        found = self._root.find(self._tag("dimension"))
        areas = understood(found.get("ref", "")).areas if found is not None else []
        if found is None or not areas:
            return
        rows = [row for row, _ in spots] + list(areas[0].rows)
        columns = [column for _, column in spots] + list(areas[0].columns)
        found.set("ref", f"{letters_of(min(columns))}{min(rows)}:{letters_of(max(columns))}{max(rows)}")


def _is_same(one: Any, other: Any) -> bool:
    return (
        one.tag == other.tag
        and dict(one.attrib) == dict(other.attrib)
        and len(one) == len(other)
        and all(_is_same(a, b) for a, b in zip(one, other, strict=True))
    )
