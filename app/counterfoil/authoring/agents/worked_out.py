"""What formulas of a workbook were last worked out to: it is taken out where they draw on a changed cell, since a figure that is no longer
true is worse than none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.agents.formula_words import Area, understood
from counterfoil.authoring.agents.workbook_cells import Spot, numbered_cells, numbered_rows
from counterfoil.authoring.agents.workbook_parts import BOOK, Parts, name_of, space_of

_MOST_LOOKS = 5_000_000  # at areas of formulas; beyond it every formula counts as drawing on what was changed


@dataclass(slots=True)
class _Kept:
    """A formula that stands in a cell: where, and the areas it draws on (None: nobody knows)."""

    cell: Any
    sheet: str
    spot: Spot
    areas: list[Area] | None


def forget_values(parts: Parts, changed: set[tuple[str, int, int]], done: tuple[str, Any]) -> None:
    """Take out what formulas were last worked out to where they draw on these cells (sheet, row, column), and have all of them worked
    out when the file is opened."""
    kept: list[_Kept] = []
    for name, part in parts.sheets.items():
        if name == done[0]:
            kept += _formulas(done[1], name)
        elif parts.is_mentioning(part, b"<f") or parts.is_mentioning(part, b":f"):
            kept += _formulas(parts.root(part), name)
    if not kept:
        return
    _work_out_at_opening(parts)
    stale, fresh, left = _Stale(changed), kept, _MOST_LOOKS
    while True:
        found, others = list[_Kept](), list[_Kept]()
        for one in fresh:
            left -= 1 if one.areas is None else sum(stale.looks(area, one.sheet) for area in one.areas) + 1
            (found if left < 0 or _draws_on(one, stale) else others).append(one)
        if not found:
            return
        fresh, stale = others, _Stale((one.sheet, *one.spot) for one in found)
        for one in found:
            parts.to_change(parts.sheets[one.sheet])
            for child in list(one.cell):
                if name_of(child) == "v":
                    one.cell.remove(child)
            one.cell.attrib.pop("t", None)


class _Stale:
    """Cells whose value is another now, by sheet."""

    def __init__(self, cells: Iterable[tuple[str, int, int]]) -> None:
        self._spots: dict[str, set[Spot]] = {}
        for sheet, row, column in cells:
            self._spots.setdefault(sheet, set()).add((row, column))

    def looks(self, area: Area, sheet: str) -> int:
        """How many cells have to be looked at to tell whether one is in an area."""
        return min(area.cells, len(self._spots.get(area.sheet or sheet, ())))

    def is_in(self, area: Area, sheet: str) -> bool:
        """Whether one of them is in an area, that a formula of a sheet names."""
        spots = self._spots.get(area.sheet or sheet, set())
        if area.cells > len(spots):
            return any(area.holds(*spot) for spot in spots)
        rows, columns = (range(first, last + 1) for first, last in (area.rows, area.columns))
        return any((row, column) in spots for row in rows for column in columns)

    def holds(self, sheet: str, spot: Spot) -> bool:
        """Whether a cell is one of them."""
        return spot in self._spots.get(sheet, ())


def _draws_on(one: _Kept, stale: _Stale) -> bool:
    if one.areas is None or stale.holds(one.sheet, one.spot):
        return True
    return any(stale.is_in(area, one.sheet) for area in one.areas)


def _formulas(root: Any, sheet: str) -> Iterator[_Kept]:
    shared: dict[str, tuple[Spot, list[Area] | None]] = {}
    space = space_of(root)
    data = root.find(f"{space}sheetData")
    for number, row in numbered_rows(data) if data is not None else ():
        for column, cell in numbered_cells(row, number):
            formula = cell.find(f"{space}f")
            if formula is None:
                continue
            spot, group = (number, column), formula.get("si")
            if formula.text or group not in shared:
                found = understood(formula.text or "?")
                areas = None if found.strange or formula.get("t") == "dataTable" else found.areas
                if formula.get("t") == "shared" and group:
                    shared[group] = (spot, areas)
            else:
                first, areas = shared[group]
                moves = (number - first[0], column - first[1])
                areas = None if areas is None else [area.moved(*moves) for area in areas]
            yield _Kept(cell, sheet, spot, areas)


def _work_out_at_opening(parts: Parts) -> None:
    root = parts.to_change(BOOK)
    about = root.find(f"{space_of(root)}calcPr")
    if about is None:
        about = root.makeelement(f"{space_of(root)}calcPr")
        before = [
            n
            for n, child in enumerate(root)
            if name_of(child) in ("sheets", "functionGroups", "externalReferences", "definedNames")
        ]
        root.insert(max(before) + 1 if before else len(root), about)
    about.set("fullCalcOnLoad", "1")
