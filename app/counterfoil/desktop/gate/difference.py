"""What differs between a gate as somebody had it before them and as it is now, or between two rounds of one question. No Qt.

Only what a person reads is compared: what is asked, figures, flags, rows that need an answer, evidence, and the plan.
"""

from __future__ import annotations

import difflib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from counterfoil.desktop.gate.arguments import facts_of
from counterfoil.desktop.gate.facts import AnswerRow, Fact
from counterfoil.desktop.gate.reading import Reading, Section
from counterfoil.desktop.tables.table import Line, Table
from counterfoil.desktop.words.numbers import count, seal
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.values import shown

_DOT = " · "
_FEW = 5  # rows up to which a column that is new is told row by row
_LISTED = {"append_rows": "rows", "move_files": "moves", "delete_files": "paths", "make_folders": "paths"}
Row = dict[str, str]  # a row's texts by the titles of their columns


@dataclass(frozen=True, slots=True)
class Change:
    """One difference: what it is about, what stood there and what stands there now; "" where nothing did or does."""

    what: str
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """The differences in one part of a gate, in the order of the page."""

    title: str
    changes: tuple[Change, ...]


def between(old: Reading, new: Reading, today: date) -> tuple[Part, ...]:
    """Everything that differs, by part; parts without a difference are left out."""
    asked = [Change("What is asked", old.title, new.title)] if old.title != new.title else []
    found = [
        Part("What is asked", tuple(asked)),
        Part("Key figures", tuple(_pairs(old.figures, new.figures))),
        Part("Flags", tuple(_listed(old.flags, new.flags, "Flag"))),
        Part("Needs your answer", tuple(_answers(old.answers, new.answers))),
        Part("Fields", tuple(_pairs(_fields(old, today), _fields(new, today)))),
        *_sections(old, new, today),
        Part("Plan", tuple(_plan(old, new, today))),
    ]
    return tuple(part for part in found if part.changes)


def rows_between(old: Table, new: Table) -> list[Change]:
    """Rows that came, went, or say something else in a column. A row that only moved is the same row."""
    before, after = [_row(old, line) for line in old.lines], [_row(new, line) for line in new.lines]
    gone, come = _without_common(before, after)
    key = _key_of(before, after)
    partners = {row[key]: row for row in gone} if key else {}
    changes: list[Change] = []
    for row in come:
        partner = partners.pop(row.get(key, ""), None) if key else None
        changes += _cells(partner, row) if partner is not None else [Change(_called(row), "", _whole(row))]
    # a key is another in each row, so those that found no partner are left under it
    changes += [Change(_called(row), _whole(row), "") for row in (partners.values() if key else gone)]
    if old.total is not None and new.total is not None:
        totals = _cells(_row(old, old.total), _row(new, new.total))
        changes += [
            Change(f"Total: {change.what.rpartition(': ')[2]}", change.before, change.after) for change in totals
        ]
    return _columns_once(changes)


# ---------------------------------------------------------------------------------------------------------------- tables


def _row(table: Table, line: Line) -> Row:
    row = {column.title: text for column, text in zip(table.columns, line.texts, strict=True) if text}
    row.pop("No.", None)  # where a row stands is no part of what it says
    return row | ({"Note": line.note} if line.note else {})


def _without_common(before: Sequence[Row], after: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """The rows of each side that the other has not, in their order."""
    return _left(before, Counter(map(_frozen, after))), _left(after, Counter(map(_frozen, before)))


def _left(rows: Sequence[Row], others: Counter[tuple[tuple[str, str], ...]]) -> list[Row]:
    left = []
    for row in rows:
        if others[_frozen(row)] > 0:
            others[_frozen(row)] -= 1
        else:
            left.append(row)
    return left


def _frozen(row: Row) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(row.items()))


def _key_of(before: Sequence[Row], after: Sequence[Row]) -> str:
    """The column that tells which row is which: of those whose values are all different on both sides, the one with most in common."""
    titles = dict.fromkeys(title for row in (*before, *after) for title in row)
    best, most = "", 0
    for title in titles:
        olds, news = [row.get(title) for row in before], [row.get(title) for row in after]
        alone = all(None not in side and len(set(side)) == len(side) for side in (olds, news))
        common = len(set(olds) & set(news))
        if alone and common > most:
            best, most = title, common
    return best


def _cells(before: Row, after: Row) -> list[Change]:
    titles = dict.fromkeys((*after, *before))
    called = _called(after)
    return [
        Change(f"{called}: {title}", before.get(title, ""), after.get(title, ""))
        for title in titles
        if before.get(title, "") != after.get(title, "")
    ]


def _columns_once(changes: list[Change]) -> list[Change]:
    """A column that every row has got or lost is told once."""
    new = Counter(_column(change) for change in changes if _column(change) and not (change.before and change.after))
    many = {title: rows for title, rows in new.items() if rows > _FEW}
    kept = [change for change in changes if _column(change) not in many or (change.before and change.after)]
    told = []
    for title, rows in many.items():
        came = any(change.after for change in changes if _column(change) == title and not change.before)
        words = f"in {count(rows, 'row')}"
        told.append(Change(f"Column {title}", "" if came else words, words if came else ""))
    return [*told, *kept]


def _column(change: Change) -> str:
    return change.what.rpartition(": ")[2] if ": " in change.what else ""


def _called(row: Row) -> str:
    return " · ".join(list(row.values())[:2]) or "A row"


def _whole(row: Row) -> str:
    return " · ".join(row.values())


# ------------------------------------------------------------------------------------------------------ figures and answers


def _pairs(old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> Iterator[Change]:
    before, after = dict(old), dict(new)
    for name in dict.fromkeys((*after, *before)):
        if before.get(name) != after.get(name):
            yield Change(name, before.get(name, ""), after.get(name, ""))


def _listed(old: Sequence[str], new: Sequence[str], what: str) -> Iterator[Change]:
    """Sentences, names or rows of which some are new and some are gone."""
    for text in (Counter(new) - Counter(old)).elements():
        yield Change(what, "", text)
    for text in (Counter(old) - Counter(new)).elements():
        yield Change(what, text, "")


def _answers(old: Sequence[AnswerRow], new: Sequence[AnswerRow]) -> Iterator[Change]:
    """Rows of “Needs your answer”; those about items of the plan are told with the plan."""
    before = {row.title: row for row in old if not row.item}
    by_name = {row.title.partition(_DOT)[0]: row for row in old if not row.item}
    for row in (row for row in new if not row.item):
        same = before.pop(row.title, None) or before.pop(by_name.get(row.title.partition(_DOT)[0], row).title, None)
        if same is None:
            yield Change(row.title, "", row.flag or "needs an answer")
            continue
        if same.title != row.title:
            yield Change(row.title.partition(_DOT)[0], same.title, row.title)
        yield from _facts(row.title, same.facts, row.facts)
    for title, row in before.items():
        yield Change(title, row.flag or "needed an answer", "")


def _facts(of: str, old: Sequence[Fact], new: Sequence[Fact]) -> Iterator[Change]:
    yield from (
        Change(f"{of}: {change.what}", change.before, change.after)
        for change in _pairs(*([(fact.name, _said(fact)) for fact in side] for side in (old, new)))
    )


def _said(fact: Fact) -> str:
    return f"{fact.value} ({fact.source})" if fact.source else fact.value


def _fields(reading: Reading, today: date) -> list[tuple[str, str]]:
    """What else is asked for, with what can be chosen or stands there already."""
    return [
        (
            plain(entry.get("label") or entry["name"]),
            ", ".join(plain(choice) for choice in entry.get("choices") or ())
            or (shown(entry["default"], today) if entry.get("default") not in (None, "", []) else "is asked for"),
        )
        for entry in reading.form
    ]


# --------------------------------------------------------------------------------------------------------------- evidence


def _sections(old: Reading, new: Reading, today: date) -> Iterator[Part]:
    before = {section.title: section for section in old.sections if section.kind not in ("files", "effects", "story")}
    for section in new.sections:
        if section.kind not in ("files", "effects", "story"):
            yield Part(section.title, tuple(_section(before.pop(section.title, None), section, today)))
    for title, section in before.items():
        yield Part(title, (Change(section.title, _amount(section), ""),))


def _section(old: Section | None, new: Section, today: date) -> Sequence[Change]:
    if old is None:
        return [Change(new.title, "", _amount(new))]
    if old.kind == new.kind == "table" and old.table is not None and new.table is not None:
        return rows_between(old.table, new.table)
    data = (old.entry.get("data"), new.entry.get("data"))
    if data[0] == data[1]:
        return []
    if old.kind == new.kind == "sources":
        names = [[plain(entry["title"]) for entry in one.entry.get("data") or ()] for one in (old, new)]
        return list(_listed(names[0], names[1], "Source"))
    sides = [_named(one.entry.get("data"), today) for one in (old, new) if one.kind == "fields"]
    if len(sides) == 2:
        return list(_pairs(sides[0], sides[1]))
    return list(_texts(*(_as_text(side) for side in data)))


def _amount(section: Section) -> str:
    return count(section.count, "row") if section.count is not None else "a part of its own"


def _named(data: Any, today: date) -> list[tuple[str, str]]:
    return [
        (plain(one[0]), shown(one[1], today)) for one in data or () if isinstance(one, list | tuple) and len(one) == 2
    ]


def _as_text(data: Any) -> str:
    return plain(
        data if isinstance(data, str) else json.dumps(data, indent=1, ensure_ascii=False, default=str), lines=True
    )


def _texts(old: str, new: str) -> Iterator[Change]:
    """Lines of a text that are others now."""
    before, after = old.splitlines(), new.splitlines()
    for tag, a, b, c, d in difflib.SequenceMatcher(None, before, after, autojunk=len(before) > 2_000).get_opcodes():
        if tag != "equal":
            line = (c if d > c else a) + 1
            yield Change(f"Line {line:,}", "\n".join(before[a:b]), "\n".join(after[c:d]))


# ------------------------------------------------------------------------------------------------------------------- plan


def _plan(old: Reading, new: Reading, today: date) -> Iterator[Change]:
    before, after = dict(_items(old)), dict(_items(new))
    for key in dict.fromkeys((*after, *before)):
        was, now = before.get(key), after.get(key)
        if was is None or now is None:
            yield Change("The plan", "" if was is None else was.summary, "" if now is None else now.summary)
        elif was.body["args"] != now.body["args"]:
            yield from _arguments(was, now, today)
        elif was.base != now.base:
            yield Change(f"{now.summary}: the file it begins with", _seal(was.base), _seal(now.base))


@dataclass(frozen=True, slots=True)
class _Item:
    summary: str
    body: Mapping[str, Any]
    base: str  # digest of the file before


def _items(reading: Reading) -> Iterator[tuple[tuple[str, str, int], _Item]]:
    """Items of a plan by what they touch, so that one more before them makes them no others."""
    seen: Counter[tuple[str, str]] = Counter()
    for entry, body in zip(reading.seen.document.get("plan") or (), reading.seen.bodies, strict=False):
        kind, args = str(body["kind"]).partition("@")[0], body["args"]
        target = str(args.get("path") or entry.get("target") or entry.get("summary") or "")
        target = "" if kind in _LISTED and "path" not in args else target
        seen[kind, target] += 1
        yield (
            (kind, target, seen[kind, target]),
            _Item(plain(entry.get("summary") or kind), body, str(entry.get("before_digest") or "")),
        )


def _arguments(was: _Item, now: _Item, today: date) -> Iterator[Change]:
    """What an effect is given now, and was: rows and names one by one, everything else by its name."""
    listed = _LISTED.get(str(now.body["kind"]).partition("@")[0], "")
    old, new = dict(was.body["args"]), dict(now.body["args"])
    if listed:
        texts = [[_listed_words(one, today) for one in args.pop(listed, None) or ()] for args in (old, new)]
        yield from _listed(texts[0], texts[1], now.summary)
    yield from _facts(now.summary, facts_of(old, today), facts_of(new, today))


def _listed_words(one: Any, today: date) -> str:
    if isinstance(one, str):
        return plain(one)
    return " · ".join(shown(cell, today) for cell in one if cell not in (None, ""))


def _seal(digest: str) -> str:
    return f"seal {seal(digest)}" if digest else "no file"
