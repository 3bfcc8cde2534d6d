"""The gates a run opens by itself: “Did this happen?” and “Needs repair”. Buttons of equal weight, no default, no shortcut."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Qt, Signal

from counterfoil.desktop.gate.reading import Reading
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import Ticks
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line, plain
from counterfoil.desktop.words.runs import step_name
from counterfoil.facts import as_sentence, given_words

_DOUBT = (
    ("happened", "It went out…", "It counts as done and is not tried again."),
    ("not_happened", "It did not: send it once…", "It is done once, with the same key, and the run goes on."),
    ("stop", "Stop this run…", "It is not tried again and the run ends."),
)
_DOUBT_FILES = (
    ("happened", "It happened…", "It counts as done and is not tried again."),
    ("not_happened", "It did not: do it once…", "It is done once, with the same key, and the run goes on."),
    ("stop", "Stop this run…", "It is not tried again and the run ends."),
)
_FAILURE = (
    ("retry", "Try again", "The step is tried again. Steps before it are kept and do not run again."),
    ("skip", "Go on with a value…", "The run goes on without this step, with the value you give."),
    ("stop", "Stop this run…", "Nothing more is written or sent."),
)

_MET_AGAIN = ("retry", "Try again", "The workflow meets the same answer and stops here again.")


class TroublePanel(Box):
    """What is known, what to look for, and the answers.

    Signals:
        picked(str): the choice of the contract: happened, not_happened, retry, skip, stop; “file” is retry with another file.
        spared(list): what is ticked of a folder that holds too much for a copy.
    """

    picked = Signal(object)
    spared = Signal(object)

    def __init__(self, reading: Reading) -> None:
        super().__init__("answers", gap=8, margins=(14, 12, 14, 14))
        about = reading.seen.about
        doubt = reading.kind == "doubt"
        for sentence in _doubt_sentences(about) if doubt else _failure_sentences(about):
            self.put(Prose(sentence, "body"))
        for sentence in _given(reading):
            self.put(Prose(sentence, "medium"))
        self.buttons: list[Button] = []
        offered = _offered(reading)
        if reading.open and not reading.seen.may_decide:
            self.put(Prose(reading.seen.why_not or "You may not decide this.", "body"))
        able = reading.open and reading.seen.may_decide
        self.parts = _parts(reading) if able else None
        if self.parts is not None:
            self.parts.changed.connect(self._spare)
            self.put(Prose("Leave out of the copy, and remember it for this folder:", "body"), self.parts)
        for choice, words, follows in self._choices(about, doubt=doubt) if able else ():
            if choice not in offered:
                continue
            line = row(gap=12)
            button = Button(words, "outline", key=choice, help=follows)
            button.setFixedWidth(200)
            button.chosen.connect(self.picked)
            self.buttons.append(button)
            put(line, button)
            line.addWidget(Prose(follows, "small"), 1, Qt.AlignmentFlag.AlignVCenter)
            self.put(line)
        if doubt and able:
            self.put(Prose("Not sure yet? Leave it open: nothing happens until you say.", "small"))
        self.setAccessibleName("Your answer")

    def _spare(self) -> None:
        if self.parts is not None:
            self.spared.emit(self.parts.ticked())

    def focus(self) -> None:
        """Go to the first answer."""
        if self.buttons:
            self.buttons[0].setFocus()

    def _choices(self, about: Mapping[str, Any], *, doubt: bool) -> tuple[tuple[str, str, str], ...]:
        if not doubt:
            return (*_other_file(about), _MET_AGAIN if _is_sent_back(about) else _FAILURE[0], *_FAILURE[1:])
        return _DOUBT if is_mail(about) else _DOUBT_FILES


_TITLES = {
    "happened": "It happened",
    "not_happened": "It did not happen",
    "skip": "Go on with a value",
    "stop": "Stop this run",
}
_MAIL_TITLES = {"happened": "It went out", "not_happened": "It did not go out"}


def title_of(choice: str, about: Mapping[str, Any]) -> str:
    """What the sheet of an answer is called."""
    return (_MAIL_TITLES if is_mail(about) else {}).get(choice) or _TITLES[choice]


def is_mail(about: Mapping[str, Any]) -> bool:
    """Whether the doubt is about a mail."""
    return str(about.get("effect", "")).partition("@")[0] == "mail"


def _parts(reading: Reading) -> Ticks | None:
    """What of a folder could be left out, the largest first, where that is asked."""
    for entry in reading.seen.fields or reading.seen.document.get("fields") or ():
        if entry["name"] == "leave_out" and entry.get("choices"):
            return Ticks([(str(name), one_line(str(name))) for name in entry["choices"]], "Leave out of the copy")
    return None


def _offered(reading: Reading) -> set[str]:
    for entry in reading.seen.fields or reading.seen.document.get("fields") or ():
        if entry["name"] == "choice" and entry.get("choices"):
            return {"file", *map(str, entry["choices"])}
    return {"happened", "not_happened", "retry", "skip", "stop"}


def _other_file(about: Mapping[str, Any]) -> tuple[tuple[str, str, str], ...]:
    """The answer for a step that has read files; without one there is no such button."""
    files = [plain(file) for file in about.get("files") or ()]
    if not files:
        return ()
    named = files[0] if len(files) == 1 else "one that the step has read"
    follows = f"A file you choose takes the place of {named}, and the step is tried again. Your folder stays as it is."
    return (("file", "Use another file…", follows),)


def _given(reading: Reading) -> list[str]:
    """What a decision gave in place of a file."""
    made = reading.seen.document.get("decisions") or ()
    file = reading.seen.draft.values.get("file")
    if reading.open or not made or not isinstance(file, Mapping):
        return []
    return [as_sentence(f"{capital(person(str(made[-1]['by']), reading.seen.me))} gave {plain(given_words(file))}")]


def _doubt_sentences(about: Mapping[str, Any]) -> list[str]:
    began = about.get("began_at")
    at = f" at {times.clock_seconds(began)}" if began else ""
    said = [
        f"{'Sending' if is_mail(about) else 'It'} began{at}. The runner ended before an answer came. It has not been tried again."
    ]
    if about.get("how"):
        said.append(f"How to find out: {one_line(about['how'])}")
    return said


def _is_sent_back(about: Mapping[str, Any]) -> bool:
    """Whether a workflow has ended on an answer that it does not foresee."""
    return not about.get("step") and (about.get("error") or {}).get("type") == "Returned"


def _failure_sentences(about: Mapping[str, Any]) -> list[str]:
    error = about.get("error") or {}
    if about.get("why") == "protection":
        raised = "Nothing of it is run until the protection is raised again, or you agree to less."
        return [one_line(error.get("message") or ""), raised]
    if _is_sent_back(about):
        said = f"It was sent back: ‘{one_line(error.get('message') or '')}’. Its workflow does not foresee that."
        return [said, "What it did is kept. To have it done differently, run it again."]
    step = one_line(about.get("step_title") or step_name(str(about.get("step") or "")))
    who = f"Step ‘{step}’" if about.get("step") or about.get("step_title") else "The workflow"
    tries = about.get("attempts")
    aside = f"was set aside after {count(tries, 'try')}" if tries else "was set aside"
    why = {"mismatch": "found other steps than were recorded", "set_aside": aside}.get(str(about.get("why")), "")
    reason = one_line(error.get("message") or error.get("type") or "")
    stopped = as_sentence(f"{who} {why or 'stopped'}{': ' + reason if reason else ''}")
    kept = about.get("kept")
    tail = "Nothing was done before it."
    if kept:
        tail = f"{count(kept, 'step')} before it {'is' if kept == 1 else 'are'} kept and will not run again."
    if about.get("why") == "files":
        return [reason, tail]
    return [stopped, tail]
