"""What a person has filled in at one gate, and what the one button therefore says and does. No Qt: every rule here is tested bare.

A choice is never made by default. The button names what is missing, counts what it will do, and takes nothing for a moment after its
gate changed under the pointer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from counterfoil.desktop.gate.facts import AnswerRow, field_of
from counterfoil.desktop.gate.reading import Reading, plan_words
from counterfoil.desktop.gate_facts import Answer, Draft, GateSeen
from counterfoil.desktop.office import Document
from counterfoil.desktop.words import choices, times
from counterfoil.desktop.words.numbers import count, joined
from counterfoil.desktop.words.people import capital
from counterfoil.facts import as_sentence

GUARD_US = 400_000  # a bar accepts nothing for so long after its gate changed
READY, WAITING, CLOSED = "ready", "waiting", "closed"


def lately(shown_at: int, now_us: int) -> bool:
    """Whether what was shown at an instant came so lately; a clock that was set back since closes nothing for an hour."""
    return 0 <= now_us - shown_at < GUARD_US


@dataclass(frozen=True, slots=True)
class Primary:
    """The button: its words, whether it acts (ready), leads to what is missing (waiting) or is off with its reason (closed)."""

    words: str
    state: str
    verdict: str = ""
    aim: str = ""  # what is missing first: a row's key, `reason.K` or a field's name


class Session:
    """Choices, reasons, held rows, edits and comment for one gate as it is shown."""

    def __init__(self, reading: Reading, now_us: int) -> None:
        self.reading = reading
        draft = reading.seen.draft
        known = {str(entry["name"]) for entry in reading.seen.fields or reading.seen.document.get("fields") or ()}
        known |= {row.field for row in reading.answers}
        self.values: dict[str, Any] = {name: value for name, value in draft.values.items() if name in known}
        self.held = tuple(draft.held)
        self.edits: dict[str, dict[str, Any]] = {n: dict(changed) for n, changed in draft.edits.items()}
        self.comment = draft.comment
        self.words: dict[str, str] = dict(draft.words)  # typed in sheets that were left
        self.opened: set[str] = set(draft.opened)
        self.loading = 0
        self.shown_at = now_us
        self.frozen = ""  # why the bar is frozen, "" while it is not

    @property
    def left_out(self) -> tuple[int, ...]:
        """Items of the plan that are not approved with the rest."""
        return tuple(row.item for row in self.reading.answers if row.item and self.choice(row) == choices.LEAVE)

    def choose(self, key: str, choice: str) -> None:
        """Answer a row."""
        self.values[field_of(key)] = choice

    def fill(self, name: str, value: Any) -> None:
        """Fill a field; nothing filled in is nothing kept."""
        if value in ("", [], None):
            self.values.pop(name, None)
        else:
            self.values[name] = value

    def type(self, asked: str, text: str) -> None:
        """Keep what was typed in a sheet that asks for this; nothing typed is nothing kept."""
        self.words.pop(asked, None)
        if text:
            self.words[asked] = text

    def choice(self, row: AnswerRow) -> str:
        """What a row was answered with, else what happens to it without an answer; "" while it needs one."""
        return str(self.values.get(row.field) or row.default)

    def missing(self, row: AnswerRow) -> str:
        """What a row still needs: "choice", "reason" or ""."""
        chosen = self.choice(row)
        if chosen not in row.choices:
            return "choice"
        if row.reason and chosen in row.reasoned and not str(self.values.get(row.reason, "")).strip():
            return "reason"
        return ""

    def open_rows(self) -> list[AnswerRow]:
        """Rows that still need something."""
        return [row for row in self.reading.answers if self.missing(row)]

    def draft(self) -> Draft:
        """What is kept at every stroke."""
        return Draft(
            values=dict(self.values),
            held=self.held,
            left_out=self.left_out,
            edits={n: dict(changed) for n, changed in self.edits.items()},
            comment=self.comment,
            words=dict(self.words),
            opened=tuple(sorted(self.opened)),
            seen=self.reading.digest,
        )

    def guarded(self, now_us: int) -> bool:
        """Whether the gate came so lately that a click may have been meant for the one before."""
        return lately(self.shown_at, now_us)

    def primary(self) -> Primary:
        """What the button says now."""
        reading = self.reading
        if self.frozen:
            return Primary("Look again first", CLOSED)
        if not reading.open:
            return Primary("Nothing left to decide", CLOSED)
        if not reading.seen.may_decide:
            return Primary(reading.seen.why_not or "You may not decide this", CLOSED)
        if reading.kind in ("doubt", "failure"):
            return Primary("Choose one of the answers above", CLOSED)  # equal weight, no default, no shortcut
        if self.loading:
            return Primary(f"Loading {count(self.loading, 'file')}…", CLOSED)
        missing = self._first_missing()
        return missing if missing is not None else self._act()

    def answer(self) -> Answer:
        """The decision of the button; what was typed in a sheet that was left says nothing of it."""
        primary = self.primary()
        if primary.verdict == "returned":
            return self.sent_back(self._why_again())
        return self._answer(primary.verdict, dict(self.values), "")

    def rejection(self, comment: str) -> Answer:
        """No, with the reason."""
        return self._answer("rejected", {}, comment)

    def sent_back(self, comment: str) -> Answer:
        """Differently, with what should be different; held rows and remaking fields go with it."""
        return self._answer("returned", self._remade(), comment)

    def with_file(self, file: str, place: str) -> Answer:
        """Try again with a file of this computer in the place of one that the step had read."""
        return self._answer("answered", {"choice": "retry", "file": f"{file}={place}"}, "")

    def chosen(self, choice: str, comment: str = "", result: str = "") -> Answer:
        """The answer to a doubt or a failure."""
        values: dict[str, Any] = {"choice": choice}
        if result:
            values["result"] = result
        if choice == "retry" and "leave_out" in self.values:
            values["leave_out"] = self.values["leave_out"]
        return self._answer("answered", values, comment)

    def _answer(self, verdict: str, values: dict[str, Any], comment: str) -> Answer:
        count_of_plan = len(self.reading.seen.bodies)
        kept = tuple(n for n in range(1, count_of_plan + 1) if n not in self.left_out)
        allowed = [row for row in self.reading.answers if row.item and self.choice(row) == choices.ALLOW]
        return Answer(
            gate_id=self.reading.seen.gate_id,
            digest=self.reading.digest,
            verdict=verdict,
            comment=comment,
            values={name: value for name, value in values.items() if name not in self._of_items()},
            confirmed=tuple(row.item for row in allowed) if verdict == "approved" else (),
            only=kept if self.left_out and verdict == "approved" else None,
            edits={n: dict(changed) for n, changed in self.edits.items()} if verdict == "approved" else {},
        )

    def _of_items(self) -> set[str]:
        """Names of the choices that are about items of the plan, not fields of the author's."""
        return {row.field for row in self.reading.answers if row.item}

    def _first_missing(self) -> Primary | None:
        rows = self.open_rows()
        if rows:
            aim = rows[0].key if self.missing(rows[0]) == "choice" else rows[0].reason
            reasons = all(self.missing(row) == "reason" for row in rows)
            said = f"Give {count(len(rows), 'reason')}" if reasons else f"Answer {count(len(rows), 'row')}"
            return Primary(f"{said} first", WAITING, aim=aim)
        empty = [entry for entry in self.reading.form if self._needs(entry) and not self._filled(str(entry["name"]))]
        if empty:
            return Primary(f"Fill in {count(len(empty), 'field')} first", WAITING, aim=str(empty[0]["name"]))
        return None

    def _remade(self) -> dict[str, Any]:
        """What is filled in that makes the plan out of date: the run makes it anew and asks again."""
        values: dict[str, Any] = {self.reading.hold: list(self.held)} if self.held and self.reading.hold else {}
        for entry in self.reading.form:
            if entry.get("remakes") and self._filled(str(entry["name"])):
                values[str(entry["name"])] = self.values[str(entry["name"])]
        return values

    def _why_again(self) -> str:
        held = f"Hold {joined([f'row {n}' for n in self.held])}." if self.held else ""
        others = [str(entry["name"]) for entry in self.reading.form if str(entry["name"]) in self._remade()]
        told = [as_sentence(f"{name.replace('_', ' ')}: {as_said(self.values[name])}") for name in others]
        return " ".join(part[:1].upper() + part[1:] for part in (held, *told) if part)

    def _needs(self, entry: Document) -> bool:
        """Whether a field must be filled in: always, or by what another one says."""
        said = {str(one["name"]): one.get("default") for one in self.reading.form} | self.values
        wanted = (entry.get("required_when") or {}).items()
        return bool(entry.get("required")) or any(said.get(other) in values for other, values in wanted)

    def _filled(self, name: str) -> bool:
        return self.values.get(name) not in (None, "", [])

    def _act(self) -> Primary:
        if self.reading.kind == "conflict":
            return Primary(choices.counted_files(map(self.choice, self.reading.answers)), READY, "answered")
        if self.reading.kind in ("question", "budget"):
            if self.reading.answers:
                return Primary(choices.counted_choices(map(self.choice, self.reading.answers)), READY, "answered")
            chosen = self.reading.choices_called.get(str(self.values.get("choice")), "")
            return Primary(chosen or "Give this answer", READY, "answered")
        if self._remade():
            only_held = set(self._remade()) == {self.reading.hold}
            words_again = f"Hold {count(len(self.held), 'row')}, ask again" if only_held else "Make it anew, ask again"
            return Primary(words_again, READY, "returned")
        refused = [row.item for row in self.reading.answers if row.item and self.choice(row) == choices.REFUSE]
        if refused:
            return Primary(
                f"{capital(joined([f'item {n}' for n in refused]))} not allowed: reject or send back", CLOSED
            )
        if self.reading.seen.bodies and len(self.left_out) == len(self.reading.seen.bodies):
            return Primary("Everything is left out: reject instead", CLOSED)
        counted = plan_words(self.reading, self.left_out)
        return Primary(f"Approve {counted}" if counted else "Approve", READY, "approved")


def may_take_back(reading: Reading, now_us: int) -> tuple[str, int] | None:
    """This person's decision on a gate and until when it can be taken back, while it can."""
    document = reading.seen.document
    made = [one for one in document.get("decisions") or () if one.get("by") == reading.seen.me]
    if str(document["state"]) != "decided" or not made:
        return None
    until = times.iso_instant(str(made[-1].get("effective_at")))
    return (str(made[-1]["verdict"]), until) if until is not None and until > now_us else None


def same_on_screen(old: GateSeen, new: GateSeen) -> bool:
    """Whether nothing changed that a page shows; drafts are this person's own."""
    return (
        old.document == new.document
        and old.after == new.after
        and old.successor == new.successor
        and old.asleep_until == new.asleep_until
        and old.story == new.story
    )


def as_said(value: Any) -> str:
    """A filled-in value in a sentence."""
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
