"""A gate's document taken apart for the page, without Qt: rows that need an answer, other fields, sections, figures.

Fields named `choice.K` with their `reason.K` make the rows of “Needs your answer”; evidence whose title is a row's label is shown in
that row. A field that is a list of row numbers and remakes the plan becomes the Hold column of the table it is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from counterfoil.desktop.gate.changed_files import changed_rows
from counterfoil.desktop.gate.facts import AnswerRow, Fact
from counterfoil.desktop.gate.items import item_by_item, to_confirm
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.office import Document
from counterfoil.desktop.tables.table import NUMBER, Table, from_evidence
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words.choices import spending_choices
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.values import shown
from counterfoil.facts import FILE_EFFECTS

_COMPARED = frozenset({"What", "Before", "Expected", "From", "Now", "Found", "Found in"})
_NUMBERED = re.compile(r"^\d+\.\s+")
_OWN_FORMS = ("doubt", "failure", "conflict")  # what is asked there is asked by rows or buttons of their own
_ANSWERS = {"doubt": ("happened", "not_happened", "stop"), "failure": ("retry", "skip", "stop")}


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page below the answers. `count` stands behind its name in the index."""

    key: str
    title: str
    kind: str
    count: int | None = None
    entry: Document = field(default_factory=dict)
    table: Table | None = None  # made with the reading, away from the window's thread


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything the page shows, in order."""

    seen: GateSeen
    kind: str
    title: str
    figures: tuple[tuple[str, str], ...]
    effects_first: tuple[str, ...]  # consequences that leave the house
    consequences: tuple[str, ...]
    flags: tuple[str, ...]
    answers: tuple[AnswerRow, ...]
    form: tuple[Document, ...]
    hold: str  # name of the field that holds rows, "" where there is none
    held_table: str  # key of the section whose rows can be held
    sections: tuple[Section, ...]
    rows_called: Mapping[str, str]  # row number -> what its row is called, for fields that choose rows
    choices_called: Mapping[str, str]  # value of a choice -> what it is called here, where that is not its own word
    files: tuple[int, ...]  # plan numbers of effects on files
    asked: Section | None = None  # the words that a connector's server asks with: they stand above the form

    @property
    def open(self) -> bool:
        """Whether it can still be decided."""
        return str(self.seen.document["state"]) == "open"

    @property
    def digest(self) -> str:
        """What a decision is bound to."""
        return str(self.seen.document["digest"])


def read(seen: GateSeen, today: date) -> Reading:
    """Take a gate apart."""
    document = seen.document
    fields = list(seen.fields or document.get("fields") or ())
    evidence = [dict(entry) for entry in document.get("evidence") or ()]
    kind = str(document["kind"])
    flags, of_rows = _flags_apart([str(flag) for flag in document.get("flags") or ()], fields)
    if kind == "conflict":
        answers, evidence = changed_rows(seen, fields, today), evidence[len(seen.about.get("files") or ()) :]
    else:
        answers, evidence = _answer_rows(fields, evidence, of_rows, today)
    hold = next((str(entry["name"]) for entry in fields if _holds_rows(entry)), "")
    sections = _sections(document, _not_twice(_own_apart(kind, evidence), seen), seen)
    held_table = next((section.key for section in sections if section.kind == "table"), "") if hold else ""
    holdable = held_table if str(document["state"]) == "open" else ""
    sections = [_with_table(section, today, holdable=section.key == holdable) for section in sections]
    asked = next((section for section in sections if section.kind == "text"), None) if _by_a_server(seen) else None
    taken = {name for row in answers for name in (row.field, row.reason)}
    called = spending_choices(seen.about) if kind == "budget" else {}
    lines = [_with_choice_named(plain(sentence), called) for sentence in document.get("consequences") or ()]
    return Reading(
        seen=seen,
        kind=kind,
        title=plain(document["title"]),
        figures=tuple((plain(label), shown(value, today)) for label, value in seen.figures[:4]),
        effects_first=tuple(line for line in lines if "cannot be taken back" in line),
        # what follows from each answer of a doubt or a failure stands beside its button
        consequences=tuple(line for line in lines if "cannot be taken back" not in line)
        if kind not in _ANSWERS
        else (),
        flags=tuple(plain(flag) for flag in flags),
        answers=(*answers, *to_confirm(document), *item_by_item(document, seen)),
        form=tuple(entry for entry in fields if entry["name"] not in taken | {hold}) if kind not in _OWN_FORMS else (),
        hold=hold,
        held_table=held_table,
        sections=tuple(section for section in sections if section is not asked),
        asked=asked,
        rows_called=_rows_called(sections, today),
        choices_called=called,
        files=tuple(_file_numbers(seen)),
    )


def _by_a_server(seen: GateSeen) -> bool:
    """Whether the server of a connector asks, in the middle of a call."""
    about = seen.about
    return (
        seen.document["kind"] == "question" and "effect" in about and about.get("why") not in ("changed", "signed_out")
    )


def _with_choice_named(sentence: str, called: Mapping[str, str]) -> str:
    """What follows from a choice, under the name that its button has."""
    start, colon, rest = sentence.partition(":")
    choice = start.removeprefix("If you answer ")
    return f"If you choose ‘{called[choice]}’:{rest}" if colon and choice in called else sentence


def _flags_apart(flags: list[str], fields: list[Document]) -> tuple[list[str], list[str]]:
    """Sentences about the whole gate, and one for each row that wants an answer: where there are as many, or its last ones are numbered
    as the rows are."""
    rows = sum(_is_choice(entry) for entry in fields)
    own = flags[len(flags) - rows :] if 0 < rows <= len(flags) else []
    if len(own) < len(flags) and not all(flag.startswith(f"{at}. ") for at, flag in enumerate(own, 1)):
        own = []
    return flags[: len(flags) - len(own)], own


def _is_choice(entry: Document) -> bool:
    return str(entry["name"]).startswith("choice.") and bool(entry.get("choices"))


def _answer_rows(
    fields: list[Document], evidence: list[dict[str, Any]], flags: list[str], today: date
) -> tuple[tuple[AnswerRow, ...], list[dict[str, Any]]]:
    """The rows, and the evidence that is left for the sections."""
    chosen = [entry for entry in fields if _is_choice(entry)]
    if not chosen:
        return (), evidence
    by_name = {str(entry["name"]): entry for entry in fields}
    keys = [str(entry["name"])[len("choice.") :] for entry in chosen]
    overview = next((piece for piece in evidence if _is_overview(piece, keys)), None)
    told = _overview_rows(overview, today) if overview is not None else {}
    left = [piece for piece in evidence if piece is not overview]
    rows: list[AnswerRow] = []
    for at, (key, entry) in enumerate(zip(keys, chosen, strict=True)):
        label = str(entry.get("label") or key)
        piece = next((one for one in left if one["kind"] in ("fields", "table") and one["title"] == label), None)
        left = [one for one in left if one is not piece]
        flag = flags[at] if len(flags) == len(chosen) else ""
        rows.append(_answer_row(key, entry, by_name.get(f"reason.{key}"), piece, told.get(key, {}), flag, today))
    return tuple(rows), left


def _answer_row(
    key: str,
    entry: Document,
    reason: Document | None,
    piece: Document | None,
    told: Mapping[str, str],
    flag: str,
    today: date,
) -> AnswerRow:
    choices = tuple(str(choice) for choice in entry["choices"])
    title = " · ".join(part for part in (_unnumbered(str(entry.get("label") or key)), told.get("Amount", "")) if part)
    flag = plain(_unnumbered(flag)) or told.get("Why", "")
    advice = told.get("What to do") or plain(entry.get("help") or "", lines=True).removeprefix(flag).strip()
    facts = _facts(piece, today) if piece is not None else ()
    if told.get("Files") and not any(told["Files"] in fact.source for fact in facts):
        facts = (*facts, Fact("File", told["Files"]))
    due = (reason or {}).get("required_when") or {}
    needed = due.get(f"choice.{key}", set(choices) - {"hold"}) if reason is not None else ()
    return AnswerRow(
        key=key,
        title=plain(title),
        choices=choices,
        flag=flag,
        help=advice,
        facts=facts,
        default=str(entry.get("default") or ""),
        reason=f"reason.{key}" if reason is not None else "",
        reasoned=frozenset(needed),
    )


def _facts(piece: Document, today: date) -> tuple[Fact, ...]:
    """A row's evidence. What was known and what is there now become a − and a + below each other, with what is known of the same place
    behind them; what is expected and what was found stand below each other without signs."""
    data = piece["data"]
    if piece["kind"] == "fields":
        return tuple(Fact(plain(name), shown(value, today), mark=mark_of(plain(name))) for name, value in data)
    columns = [str(name) for name in data.get("columns") or ()]
    made: list[Fact] = []
    for values in data.get("rows") or ():
        cells = {
            name: shown(value, today) for name, value in zip(columns, values, strict=False) if value not in (None, "")
        }
        made = _with_change(made, cells) if "Before" in cells or "Now" in cells else [*made, *_comparison(cells)]
        made.extend(Fact(plain(name), cells[name]) for name in columns if name in cells and name not in _COMPARED)
    return tuple(made)


def _with_change(made: list[Fact], cells: Mapping[str, str]) -> list[Fact]:
    """The facts with one more change: its two values, one where they are the same, or behind those of the place it belongs to."""
    what, old, new = cells.get("What", "").rstrip("."), cells.get("Before", ""), cells.get("Now", "")
    before, now = cells.get("From", ""), cells.get("Found in", "")
    if (
        old
        and new
        and len(made) > 1
        and made[-2].mark == "−"
        and made[-2].source == before
        and now in ("", made[-1].source)
    ):
        pair = zip(made[-2:], (old, new), strict=True)
        behind = [
            replace(fact, source=" · ".join(filter(None, (fact.source, f"{what}: {said}")))) for fact, said in pair
        ]
        return [*made[:-2], *behind]
    if old and old == new:
        return [*made, Fact(what or "Value", old, "\n".join(filter(None, (before, now))))]
    if not old or not new:
        one = Fact(what or "Before", old, before, "−") if old else Fact(what or "Now", new, now, "+")
        return [*made, one]
    return [*made, Fact(f"{what} before".strip(), old, before, "−"), Fact(f"{what} now".strip(), new, now, "+")]


def _comparison(cells: Mapping[str, str]) -> list[Fact]:
    what = cells.get("What", "").rstrip(".")
    sides = (("Expected", cells.get("From", "")), ("Found", cells.get("Found in", "")))
    return [
        Fact(name, cells[name], ", ".join(filter(None, (what if name == "Expected" else "", source))))
        for name, source in sides
        if name in cells
    ]


def mark_of(name: str) -> str:
    """− for what was, + for what is, "" for anything else."""
    folded = name.casefold().strip()
    if folded in ("before", "old", "last paid account", "known account"):
        return "−"
    return "+" if folded in ("now", "new", "after") else ""


def _is_overview(piece: Document, keys: list[str]) -> bool:
    """The table that lists every row once more: its parts are shown in the rows, so it is not shown again."""
    data = piece["data"]
    if piece["kind"] != "table" or not isinstance(data, Mapping) or (data.get("columns") or [""])[0] != NUMBER:
        return False
    return [str(row[0]) for row in data.get("rows") or ()] == keys


def _overview_rows(piece: Document, today: date) -> dict[str, dict[str, str]]:
    columns = [str(name) for name in piece["data"]["columns"]]
    return {
        str(row[0]): {
            name: shown(value, today) for name, value in zip(columns, row, strict=False) if value not in (None, "")
        }
        for row in piece["data"]["rows"]
    }


def _own_apart(kind: str, evidence: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Evidence without what the product itself knows of a doubt or a failure: that has a section in words of its own."""
    own = {"doubt": ("What is known",), "failure": ("What stopped", "Traceback")}.get(kind, ())
    return [piece for piece in evidence if piece["title"] not in own]


def _not_twice(evidence: list[dict[str, Any]], seen: GateSeen) -> list[dict[str, Any]]:
    """Evidence without tables that only repeat the rows or moves of a file effect: those are shown whole among the files."""
    args = [
        body["args"] for body in seen.bodies if str(body["kind"]).partition("@")[0] in ("append_rows", "move_files")
    ]
    effects = [[[str(cell) for cell in row] for row in one.get("rows") or one.get("moves") or ()] for one in args]
    return [piece for piece in evidence if not any(_repeats(piece, rows) for rows in effects)]


def _repeats(piece: Document, rows: list[list[str]]) -> bool:
    data = piece["data"]
    told = data.get("rows") if piece["kind"] == "table" and isinstance(data, Mapping) else None
    if not told or len(told) != len(rows):
        return False
    texts = ([str(cell) for cell in line if cell not in (None, "")] for line in told)
    return all(set(line) <= set(row) for line, row in zip(texts, rows, strict=True))


def _unnumbered(text: str) -> str:
    """`1. Brightwater` without its number, which the place on the page already tells."""
    return _NUMBERED.sub("", text)


def _holds_rows(entry: Mapping[str, Any]) -> bool:
    return str(entry["type"]) == "list[integer]" and str(entry["name"]) == "hold"


def _sections(document: Document, evidence: list[dict[str, Any]], seen: GateSeen) -> list[Section]:
    made = [
        Section(f"evidence-{at}", plain(entry["title"]), str(entry["kind"]), _count(entry), entry)
        for at, entry in enumerate(evidence, 1)
        if entry["kind"] not in ("file", "source")
    ]
    made = [*_known(document, seen), *made]
    files = _file_numbers(seen)
    other = len(document.get("plan") or ()) - len(files)
    if other:  # what leaves the house is read first
        made.insert(0, Section("effects", _called_effects(document, seen), "effects", other))
    if files:
        touched = words.files_touched([seen.bodies[n - 1] for n in files])
        made.append(Section("files", "Files", "files", touched))
    sources = [entry for entry in evidence if entry["kind"] in ("file", "source")]
    if sources:
        made.append(Section("sources", "Sources", "sources", len(sources), {"data": sources}))
    if seen.story:
        made.append(Section("story", "Story", "story"))
    return made


def _called_effects(document: Document, seen: GateSeen) -> str:
    """What is sent is called so only where something is."""
    if any(item.get("risk") in ("sends", "spends") for item in document.get("plan") or ()):
        return "What is sent"
    kinds = {str(body["kind"]).partition("@")[0] for body in seen.bodies}
    return "What is remembered" if kinds == {"remember"} else "What is done"


def _known(document: Document, seen: GateSeen) -> list[Section]:
    """What is known of a doubt; of a failure what a programmer asks for, and both sides where a replay met other steps."""
    about = seen.about
    if document["kind"] == "doubt":
        return [Section("known", "What is known", "known", None, about)]
    made = []
    if document["kind"] == "failure" and about.get("why") == "mismatch":
        sides = [["Recorded", about.get("recorded")], ["Asked now", about.get("asked")]]
        made.append(Section("sides", "What does not match", "fields", None, {"data": sides}))
    if document["kind"] == "failure" and (about.get("error") or {}).get("traceback"):
        made.append(Section("trace", "For programmers", "trace", None, about))
    return made


def _with_table(section: Section, today: date, *, holdable: bool) -> Section:
    """A section with its table made; where rows are ticked nobody has to say their number."""
    data = section.entry.get("data")
    if section.kind != "table":
        return section
    return replace(
        section, table=from_evidence(data if isinstance(data, Mapping) else {}, today, numbers_shown=not holdable)
    )


def _rows_called(sections: list[Section], today: date) -> dict[str, str]:
    """What the rows of numbered tables are called: the number and the first two cells beside it."""
    called: dict[str, str] = {}
    for section in sections:
        data = section.entry.get("data")
        if section.kind == "table" and isinstance(data, Mapping) and list(data.get("columns") or ())[:1] == [NUMBER]:
            for row in data.get("rows") or ():
                cells = [shown(value, today) for value in row[1:3] if value not in (None, "")]
                called.setdefault(str(row[0]), f"{row[0]}. {' '.join(cells)}")
    return called


def _file_numbers(seen: GateSeen) -> list[int]:
    return [number for number, body in enumerate(seen.bodies, 1) if str(body["kind"]).partition("@")[0] in FILE_EFFECTS]


def _count(entry: Mapping[str, Any]) -> int | None:
    data = entry.get("data")
    if entry["kind"] == "table" and isinstance(data, Mapping):
        return len(data.get("rows") or ())
    return None


def plan_words(reading: Reading, left_out: tuple[int, ...] = ()) -> str:
    """What approving covers, counted."""
    return words.plan_counts([body for n, body in enumerate(reading.seen.bodies, 1) if n not in left_out])
