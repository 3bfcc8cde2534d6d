"""What is said about gates: their kind, what a button will do, what silence means, how they ended.

Everything here is the product's own voice: it is made from kinds, counts and names of files, never from words of a document.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.desktop.words import numbers, times
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line
from counterfoil.facts import as_sentence, unproven

KIND_WORDS = {
    "approval": "",
    "question": "Question",
    "doubt": "Did this happen?",
    "failure": "Needs repair",
    "conflict": "Files changed",
    "budget": "Spending limit",
}
KIND_ICONS = {
    "approval": "stamp",
    "question": "circle-question-mark",
    "doubt": "scale",
    "failure": "wrench",
    "conflict": "file-diff",
    "budget": "coins",
}
KIND_TONES = {"question": "info", "doubt": "info", "failure": "bad", "conflict": "warn", "budget": "warn"}
ENDINGS = {  # what was answered where an answer is a choice of the product's own
    "doubt": {
        "happened": "said that it happened",
        "not_happened": "said that it did not happen",
        "stop": "stopped the run here",
    },
    "failure": {
        "retry": "had it tried again",
        "skip": "gave a value to go on with",
        "stop": "stopped the run here",
    },
    "budget": {
        "raise_once": "allowed one more call",
        "raise": "raised the limit",
        "go_on": "let it go on",
        "finish": "let it finish with what there was",
        "stop": "stopped the run here",
    },
}
ENDED = {"expired": "Expired", "withdrawn": "Withdrawn"}  # a gate that closed and that nobody decided
ENDS_A_RUN = ("stop", "finish")
VERDICTS = {"approved": "approved", "rejected": "rejected", "returned": "sent back", "answered": "answered"}


_LISTS = {
    "move_files": ("move", "moves"),
    "delete_files": ("deletion", "paths"),
    "make_folders": ("folder", "paths"),
}


def plan_counts(bodies: Sequence[Mapping[str, Any]]) -> str:
    """`3 files, 12 moves`, `1 mail`: what an approval covers, by kind of effect."""
    files: set[str] = set()
    counts: Counter[str] = Counter()
    for body in bodies:
        kind, args = str(body["kind"]).partition("@")[0], body["args"]
        if kind in ("write_file", "append_rows"):
            files.add(str(args["path"]))
        elif kind in _LISTS:
            noun, listed = _LISTS[kind]
            counts[noun] += len(args[listed])
        else:
            counts[
                {"mail": "mail", "http": "request", "call": "call", "command": "command", "remember": "fact"}.get(
                    kind, "effect"
                )
            ] += 1
    first = {"mail": counts.pop("mail", 0), "request": counts.pop("request", 0), "file": len(files)}
    return ", ".join(numbers.count(n, noun) for noun, n in (*first.items(), *counts.items()) if n)


def files_touched(bodies: Sequence[Mapping[str, Any]]) -> int:
    """How many files and folders effects write, move, delete or make, each counted once for what is done to it."""
    written, listed = set(), 0
    for body in bodies:
        kind, args = str(body["kind"]).partition("@")[0], body["args"]
        if kind in _LISTS:
            listed += len(args[_LISTS[kind][1]])
        else:
            written.add(str(args["path"]))
    return len(written) + listed


def has_read(names: str, many: int) -> str:
    """What of others a run has read: so many sources, by name."""
    return f"This run has read {one_line(names)}, which {'comes' if many == 1 else 'come'} from outside."


def silence(due_at: int | None, on_due: str | None, now_us: int, who: str = "", *, sends: bool = False) -> str:
    """What happens when nobody decides; `who` is the name of whom alone it waits for, `sends`: something would leave the house."""
    if due_at is None:
        return f"No deadline. It waits until {f'{who} decides' if who else 'you decide'}."
    by = times.in_sentence(times.when(due_at, now_us))
    if on_due and on_due != "expires":
        return f"If nobody decides by {by}: {on_due}."
    return f"If nobody decides by {by}: nothing is written{' or sent' if sends else ''}, the run ends as Expired."


def asked(asked_at: int, started_by: str, me: str, now_us: int, files_at: int | None = None) -> str:
    """Who asked and when, and how old the files are that were read."""
    words = (
        f"Asked {times.in_sentence(times.since(asked_at, now_us))}. {capital(person(started_by, me))} started this run."
    )
    return f"{words} Files as of {times.clock_time(files_at)}." if files_at is not None else words


def closed(document: Mapping[str, Any], me: str, now_us: int, chosen: str = "") -> str:
    """How a gate ended, with when and why as far as its document tells; "" while it is open. `chosen` says which answer was given."""
    state, decisions = str(document["state"]), document.get("decisions") or ()
    if state == "decided" and decisions:
        last = decisions[-1]
        at = times.iso_instant(str(last["at"])) or now_us
        who = capital(person(str(last["by"]), me))
        sure = unproven(str(last.get("signature")))
        said = chosen or f"{VERDICTS.get(last['verdict'], 'decided')} this"
        if last["verdict"] == "returned":
            said = "sent this back"
        return f"{who} {said} {_at(at, now_us)}{sure}."
    if state == "withdrawn":
        return _withdrawn(
            one_line(document.get("closed_why") or ""), times.iso_instant(str(document.get("closed_at"))), me, now_us
        )
    if state == "superseded":
        return "A newer round is open."
    if state == "expired":
        due = times.iso_instant(str(document.get("due_at")))
        by = f"by {times.in_sentence(times.when(due, now_us))}" if due is not None else "in time"
        return f"Nobody decided {by}. Nothing was written."
    return ""


def took_the_place(before: Mapping[str, Any], me: str, now_us: int) -> str:
    """What the gate before this one came to, as a sentence: a round that was sent back, a question that changed, or this one as it was."""
    if str(before["state"]) == "decided":
        comment = one_line((before.get("decisions") or [{}])[-1].get("comment") or "")
        said = closed(before, me, now_us)
        return f"{said.rstrip('.')}: ‘{comment}’." if comment else said
    at = times.iso_instant(str(before.get("closed_at")))
    return f"This changed {_at(at, now_us)}." if at is not None else "This changed while it was open."


def _withdrawn(why: str, at: int | None, me: str, now_us: int) -> str:
    """The run was cancelled by Anna at 08:50, so this question was withdrawn."""
    if not why:
        return "This question was withdrawn: its run has ended."
    if me and why.rstrip(".").endswith(f" by {person(me)}"):
        why = f"{why.rstrip('.').removesuffix(person(me))}you"
    when = f" {_at(at, now_us)}" if at is not None else ""
    return f"{why.rstrip('.')}{when}, so this question was withdrawn."


def after_the_act(verdict: str, seconds: int, held: str = "") -> str:
    """What the bar says while a decision can be taken back; `held` is what it waits for then, where nothing carries it on."""
    word = {"approved": "Approved", "rejected": "Rejected", "returned": "Sent back", "answered": "Answered"}[verdict]
    if held:
        return f"{word}. {held}. {seconds} s to undo." if seconds > 0 else f"{word}. {held}."
    goes = "Carries on" if verdict != "rejected" else "Takes effect"
    return f"{word}. {goes} in {seconds} s." if seconds > 0 else f"{word}."


def people_line(who: Mapping[str, Any], me: str) -> str:
    """`Needs 2 of 3. Anna approved. You and Ben still can. Not Carla.`; for the plain case one sentence."""
    needs = int(who.get("needs") or 1)
    allowed = [str(name) for name in who.get("from") or ()]
    given = [str(name) for name in who.get("given") or ()]
    barred = [str(name) for name in who.get("not") or ()]
    if needs == 1 and not allowed and not barred:
        return "One decision is enough, and anyone who uses this computer's account may give it."
    parts = [f"Needs {needs} of {len(allowed)}." if allowed else f"Needs {numbers.count(needs, 'decision')}."]
    parts += [f"{capital(person(name, me))} decided." for name in given]
    left = [person(name, me) for name in allowed if name not in given]
    if left:
        parts.append(f"{capital(numbers.joined(left))} still can.")
    parts += [f"Not {person(name, me)}." for name in barred]
    return " ".join(parts)


def seal_line(digest: str, opened: int, parts: int) -> str:
    """What the decision is bound to, and how much of it was opened."""
    words = f"Sealed to what you see · {numbers.seal(digest)}"
    return f"{words} · opened {opened} of {numbers.count(parts, 'part')}" if parts else words


def summary_of_row(title: str, figure: str, why: str, template: str, state: str) -> str:
    """An inbox row as one sentence for the ear."""
    return " ".join(as_sentence(part) for part in (title, figure, why, template, state) if part)


def _at(us: int, now_us: int) -> str:
    words = times.on_day(us, now_us)
    return f"at {times.clock_time(us)}" if words.startswith("today") else words
