"""What is said about runs and their steps: state in words, one line per step, how long, what a restart kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from counterfoil.desktop.office import Progress
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import NO_BREAK, count, is_money, money, moneys, number, size
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import one_line
from counterfoil.facts import as_sentence

_ASKED = re.compile(r"(waits|decided|expired) in g-\d+: ")
_ASKED_WORDS = {"waits": "Asked: ", "decided": "Answered, taken up next: ", "expired": "Nobody answered in time: "}
_IN_QUOTES = re.compile(r"“([^”]*)”")
_IN_CODE = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+(?:@\d+)?")  # a step named as in the code
_ANSWERED = re.compile(r"(approved|rejected|returned|answered) by (.+)")
_ANSWERS = {"rejected": "rejected it", "returned": "sent it back"}
_TAKEN_OVER = re.compile(r"happened in run (\d+), record \d+\Z")  # what the origins of effects say
_TOLD = re.compile(r"(?P<how>said|given) by (?P<who>.+)\Z")
_GLYPHS = {
    "done": ("circle-check", "ok", "done"),
    "running": ("circle-dot", "info", "running"),
    "failed": ("circle-x", "bad", "stopped"),
    "retrying": ("repeat", "warn", "trying again"),
    "waiting": ("hourglass", "warn", "waiting"),
    "unknown": ("circle-question-mark", "warn", "perhaps"),
    "skipped": ("minus", "text3", "left out"),
}
_EFFECT_NAMES = {
    "write_file": "Write file",
    "append_rows": "Add rows",
    "move_files": "Move files",
    "delete_files": "Delete files",
    "make_folders": "Make folders",
    "mail": "Send mail",
    "http": "Send request",
    "call": "Call a connector",
    "command": "Run a command",
    "remember": "Remember a fact",
    "tools": "Look at connectors",
    "approve": "Ask for approval",
    "ask": "Ask a question",
    "claims": "Look for other runs",
    "claimed_elsewhere": "Look for other runs",
    "sleep": "Wait",
    "sleep_until": "Wait",
    "parallel": "At once",
    "cancelled": "Stopped here",
}
_REASONS = {  # as the trail has them, in words without the machine
    "runner or host had ended": "the runner or the run's own process had ended",
    "an answer came at once": "the answer came",
    "an answer came": "the answer came",
    "a wait was over at once": "the wait was over",
    "a wait was over": "the wait was over",
}
CHIPS = (
    ("all", "All"),
    ("running", "Running"),
    ("waiting", "Waiting"),
    ("care", "Needs care"),
    ("done", "Done"),
    ("cancelled", "Cancelled"),
)


def glyph(state: str) -> tuple[str, str, str]:
    """Icon, tone and word of a step's state."""
    return _GLYPHS.get(state, ("circle-dashed", "text3", state))


def step_name(name: str) -> str:
    """A step in people's words: `read_invoices` is Read invoices, `write_file@1` is Write file."""
    bare = name.partition("@")[0]
    if bare in _EFFECT_NAMES:
        return _EFFECT_NAMES[bare]
    words = one_line(bare).replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else "Step"


def step_line(step: Mapping[str, Any]) -> str:
    """The one-line result of a step; a timer says its instant as people do, a gate what it asks."""
    said = one_line(step.get("summary") or "")
    due = times.iso_instant(said.removeprefix("until ")) if step["kind"] == "timer" else None
    if due is not None:
        return f"Until {times.dated(due)}"
    answered = _ANSWERED.fullmatch(said) if step["kind"] == "gate" else None
    if answered is not None:
        return f"{capital(answered[2])} {_ANSWERS.get(answered[1], answered[1])}"
    return _ASKED.sub(lambda found: _ASKED_WORDS[found[1]], said, count=1)


def once(step: Mapping[str, Any], origin: str | None) -> str:
    """How often an effect happened, in words."""
    if step["kind"] != "effect":
        return ""
    if step["state"] == "unknown":
        return "perhaps"
    if step["state"] != "done":
        return ""
    before = _TAKEN_OVER.search(origin or "")
    if before is not None:
        return f"once, in run {before[1]}"
    told = _TOLD.match(origin or "")
    if told is not None:
        return f"once, {told['who']} said so" if told["how"] == "said" else f"not done, {told['who']} gave its value"
    return "once, found by looking it up" if origin else "once"


def took(started_at: str | None, ended_at: str | None) -> str:
    """How long a step took; "" while it goes on or where it is not known."""
    begun, ended = times.iso_instant(started_at or ""), times.iso_instant(ended_at or "")
    return times.span(ended - begun) if begun is not None and ended is not None else ""


def cost_of(steps: Iterable[Mapping[str, Any]]) -> str:
    """What llms have cost so far, `€0.84`, `at least $0.12`; "" where nothing was asked of one that has a price."""
    costs = [step.get("cost") for step in steps if step["kind"] == "llm"]
    paid = [cost for cost in costs if cost is not None and Decimal(cost["amount"])]
    if not paid:
        return ""
    return f"{'at least ' if None in costs else ''}{moneys(paid)}"


def wait_gap(step: Mapping[str, Any]) -> str:
    """What a wait for a person came to; "" for anything under a minute."""
    begun, ended = times.iso_instant(step.get("started_at") or ""), times.iso_instant(step.get("ended_at") or "")
    if step["kind"] not in ("gate", "timer") or begun is None or ended is None or ended - begun < times.MINUTE:
        return ""
    answered = _ANSWERED.fullmatch(str(step.get("summary") or ""))
    whom = f" for {one_line(answered[2])}" if answered else " for a decision" if step["kind"] == "gate" else ""
    return f"Waited {times.span((ended - begun) // times.MINUTE * times.MINUTE)}{whom}. Cost nothing."


def is_restart(entry: Mapping[str, Any]) -> bool:
    """Whether a carry-on was one after an end nobody wanted; going on after an answer is no restart."""
    return "answer" not in str(entry.get("reason") or "")


def restart_line(entry: Mapping[str, Any], kept: int, *, in_the_middle: bool = False) -> str:
    """The dashed line of a restart: how many steps stayed, and what started again (`in_the_middle`: a step whose name is not known yet)."""
    at = times.iso_instant(entry.get("at") or "")
    when = f"Restarted {times.clock_seconds(at)}" if at is not None else "Restarted"
    stayed = "1 step was kept" if kept == 1 else f"{kept:,} steps were kept"
    again = [step_name(name) for name in entry.get("reran") or ()]
    if again:
        return f"{when}. {stayed}; {', '.join(f'‘{name}’' for name in again)} started again."
    goes_on = str(entry.get("from_step") or "")
    if goes_on and not goes_on.isdigit():
        return f"{when}. {stayed}; it went on with ‘{step_name(goes_on)}’."
    return f"{when}. {stayed}; {'the step it was in' if in_the_middle else 'nothing'} started again."


def kept_where(where: Mapping[str, Any]) -> str:
    """Answer 1 of the checkpoint."""
    name = one_line(where.get("file") or "").replace("\\", "/").rpartition("/")[2]
    row = f"row {number(where['row'])}" if where.get("row") else "no row yet"
    at = times.iso_instant(where.get("committed_at") or "")
    saved = f" Saved {times.clock_exact(at)}, flushed to disk." if at is not None else ""
    return f"On this computer: {name}, {row}.{saved} {size(int(where.get('bytes') or 0)).replace(' ', NO_BREAK)}."


def in_the_middle(middle: Mapping[str, Any] | None, kept: int, *, ended: bool = False) -> str:
    """Answer 2: what stopping right now would leave. Nothing goes on in a run that has ended."""
    if middle is None or ended:
        return f"Nothing is in the middle. {count(kept, 'step')} stay{'s' if kept == 1 else ''} as {'it is' if kept == 1 else 'they are'}."
    would = one_line(middle.get("would") or "")
    stay = (
        f" {count(kept, 'step')} before it stay{'s' if kept == 1 else ''}." if kept and "before it" not in would else ""
    )
    named = _IN_QUOTES.sub(
        lambda found: f"‘{step_name(found[1]) if _IN_CODE.fullmatch(found[1]) else found[1]}’", would
    )
    return f"{named}{stay}"


def who_pays(paid: Mapping[str, Any], not_repeated: int) -> str:
    """Answer 3: what is paid twice. `not_repeated` is the time of recorded steps in microseconds."""
    calls, billed = int(paid.get("calls") or 0), int(paid.get("perhaps_billed") or 0)
    if not calls and not billed:
        tail = f" {times.span(not_repeated)} of work was not repeated." if not_repeated else ""
        return f"Nobody. This run makes no paid calls.{tail.replace(' under', ' Under')}"
    said = f"Nobody. {count(calls, 'llm call')} paid."
    answered, saved = int(paid.get("answered_from_records") or 0), paid.get("saved")
    if answered:
        kept = f": {money(saved['amount'], saved['currency'])} not spent again" if saved else ""
        said += f" {number(answered)} answered from what is kept{kept}."
    return f"{said} {count(billed, 'call')} may have been billed without an answer." if billed else said


def carried_on(resumptions: Sequence[Mapping[str, Any]], *, in_the_middle: bool = False) -> list[str]:
    """Answer 4: when it carried on, why, and what started again (`in_the_middle`: a step whose name is not known yet)."""
    said, none = [], "the step it was in" if in_the_middle else "nothing"
    for entry in resumptions:
        at = times.iso_instant(entry.get("at") or "")
        when = times.clock_seconds(at) if at is not None else ""
        why = one_line(entry.get("reason") or "it was ready")
        why = _REASONS.get(why, why)
        step = str(entry.get("from_step") or "")
        start = f" from step {step}" if step.isdecimal() else f" from ‘{step_name(step)}’" if step else ""
        again = [step_name(name) for name in entry.get("reran") or ()]
        doubts = [one_line(name) for name in entry.get("doubts") or ()]
        line = as_sentence(f"{when}: carried on{start}, because {why[:1].lower() + why[1:]}")
        line += " " + as_sentence(f"Started again: {', '.join(again) or none}")
        doubt = as_sentence(f"In doubt: {', '.join(doubts)}")
        said.append(f"{line} {doubt}" if doubts else line)
    return said


def plug_line(ended_at: int, back_at: int | None, step: str, steps: int | None, effects: int | None) -> str:
    """The live line beside the four cards."""
    said = f"Ended {times.clock_seconds(ended_at)}."
    if back_at is None:
        return f"{said} Waiting for it to come back…"
    said += f" Back {times.clock_seconds(back_at)}."
    if step:
        said += f" Carried on at ‘{step_name(step)}’."
    if steps is None or effects is None:
        return said
    return f"{said} {steps} steps repeated, {effects} effects repeated."


def result_sentences(progress: Progress) -> list[str]:
    """What came of a run: what was written, what was not sent, what was held. Never that money moved."""
    if progress.state == "cancelled":
        return ["This run was cancelled.", "What it had done stays; nothing more is written or sent."]
    if progress.state == "failed" or progress.problem:
        return [as_sentence(f"This run stopped: {one_line(progress.problem) or 'see its steps'}")]
    result = progress.result if isinstance(progress.result, Mapping) else {}
    if result.get("verdict") == "rejected":
        return ["You rejected it, so the run ended.", "Nothing was written."]
    summary = one_line(result.get("summary") or "")
    if summary:
        return [part.strip() for part in summary.replace(". ", ".\n").split("\n") if part.strip()]
    name = one_line(result.get("file") or "").rpartition("/")[2]
    payments, total = result.get("payments"), result.get("total")
    if not name or not isinstance(payments, int) or not payments:
        return ["The run is done.", "Nothing was sent to a bank."]
    amount = (
        f", {money(str(total['amount']), str(total['currency']))}"
        if is_money(total) and isinstance(total, Mapping)
        else ""
    )
    said = [
        f"{name} is written: {count(payments, 'payment')}{amount}. Nothing was sent to a bank.",
        "Upload it in your bank's portal.",
    ]
    held = result.get("held")
    if isinstance(held, int) and held:
        said.append(
            f"{count(held, 'invoice')} {'is' if held == 1 else 'are'} held and stay{'s' if held == 1 else ''} in the folder."
        )
    return said
