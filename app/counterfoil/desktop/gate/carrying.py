"""What was filled in at a gate, carried over to the same question as it is asked now: what still means the same is kept, the rest is
asked again. No Qt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from counterfoil.desktop.gate.facts import AnswerRow
from counterfoil.desktop.gate.session import Session
from counterfoil.desktop.tables.table import Line, Table


def carry_over(old: Session, new: Session) -> list[str]:
    """Fill in at `new` what was filled in at `old`; titles of the rows that had an answer and must be looked at again."""
    again = []
    for row in new.reading.answers:
        same = _same(old, new, row)
        for name, was in ((row.field, same and same.field), (row.reason, same and same.reason)):
            new.values.pop(name, None)
            if name and was and was in old.values:
                new.values[name] = old.values[was]
        if same is None and row.title in _answered(old):
            again.append(row.title)
    _fields(old, new)
    new.held = _held(old, new)
    new.edits = {
        n: dict(changed)
        for n, changed in old.edits.items()
        if _body(old, int(n)) is not None and _body(old, int(n)) == _body(new, int(n))
    }
    new.comment, new.words = old.comment, dict(old.words)
    new.opened = set(old.opened)
    return again


def _same(old: Session, new: Session, row: AnswerRow) -> AnswerRow | None:
    """The row that asked this before, wherever it stood; of several that say the same, the one with the same name."""
    meaning = _meaning(new, row)
    found = [one for one in old.reading.answers if _meaning(old, one) == meaning]
    if len(found) > 1 or sum(_meaning(new, one) == meaning for one in new.reading.answers) > 1:
        found = [one for one in found if one.key == row.key]
    same = found[0] if found else None
    return None if same is None or (same.flag and row.flag and same.flag != row.flag) else same


def _meaning(session: Session, row: AnswerRow) -> tuple[AnswerRow, Mapping[str, Any] | None]:
    """What is asked by a row, without the names it goes by, which change with the rows before it."""
    return replace(row, key="", flag="", reason="reason" if row.reason else "", item=0), _body(session, row.item)


def _body(session: Session, n: int) -> Mapping[str, Any] | None:
    bodies = session.reading.seen.bodies
    return bodies[n - 1] if 0 < n <= len(bodies) else None


def _answered(old: Session) -> set[str]:
    return {row.title for row in old.reading.answers if row.field in old.values}


def _fields(old: Session, new: Session) -> None:
    """Other fields are kept where they ask the same."""
    asked = {str(entry["name"]): entry for entry in old.reading.form}
    for entry in new.reading.form:
        name = str(entry["name"])
        if asked.get(name) != entry:
            new.values.pop(name, None)
        elif name in old.values:
            new.values[name] = old.values[name]


def _held(old: Session, new: Session) -> tuple[int, ...]:
    """Rows that are held stay held while they say the same, whatever number they have now."""
    before, after = _table(old), _table(new)
    if before is None or after is None or not old.held:
        return ()
    said = {_said(before, line): line.number for line in before.lines if line.number in old.held}
    return tuple(line.number for line in after.lines if _said(after, line) in said)


def _table(session: Session) -> Table | None:
    reading = session.reading
    return next((section.table for section in reading.sections if section.key == reading.held_table), None)


def _said(table: Table, line: Line) -> tuple[tuple[str, str], ...]:
    texts = zip((column.title for column in table.columns), line.texts, strict=True)
    return tuple((title, text) for title, text in texts if text and title != "No.")
