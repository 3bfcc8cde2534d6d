"""The steps of a run as lines: steps, waits as gaps, restarts as dashed lines, parallel work folded under one row. No Qt."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from counterfoil.authoring.machine import root_of
from counterfoil.desktop.words import runs as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import one_line

STEP, GAP, RESTART = "step", "gap", "restart"
_HEAVIEST = ("unknown", "failed", "waiting", "retrying", "running")


@dataclass(frozen=True, slots=True)
class StepLine:
    """One line. `group` is the branch it opens when it can be folded; `exact` is what the exact view adds."""

    kind: str
    title: str
    depth: int = 0
    state: str = ""
    summary: str = ""
    once: str = ""
    at: str = ""
    took: str = ""
    cost: str = ""
    exact: str = ""
    group: str = ""
    folded: bool = False
    document: Mapping[str, Any] = field(default_factory=dict)

    @property
    def spoken(self) -> str:
        """The line as one sentence."""
        word = words.glyph(self.state)[2] if self.kind == STEP else ""
        parts = [self.title, word, self.summary, self.once, self.at, self.took, self.cost]
        return ". ".join(part for part in parts if part)


def lines(document: Mapping[str, Any], open_groups: Collection[str]) -> list[StepLine]:
    """Every line of a run's document, in order."""
    steps = [_as_ended(step, document) for step in document.get("steps") or ()]
    origins = {(effect["path"], effect["ordinal"]): effect.get("origin") for effect in document.get("effects") or ()}
    groups = _groups(steps)
    resumptions = (document.get("checkpoint") or {}).get("resumptions") or ()
    restarts = [entry for entry in resumptions if words.is_restart(entry)]
    made: list[StepLine] = []
    for step in steps:
        while restarts and step["path"] == "" and _before(restarts[0], step):
            made.append(_restarted(restarts.pop(0), steps))
        opened = _opens(step, groups, steps, made)
        if opened is not None and not _hidden(opened["path"], open_groups):
            made.append(_line(opened, groups, open_groups, ""))
        if _hidden(step["path"], open_groups):
            continue
        gap = words.wait_gap(step)
        if gap:
            made.append(StepLine(GAP, gap, depth=_depth(step)))
        once = words.once(step, origins.get((step["path"], step["ordinal"]))) or _where(step, document.get("again_of"))
        made.append(_line(step, groups, open_groups, once))
    made.extend(_restarted(entry, steps) for entry in restarts)
    return made


def _where(step: Mapping[str, Any], before: Mapping[str, Any] | None) -> str:
    """In which run a step was done that this one has taken over; "" for its own."""
    if before is None or before["ordinal"] is None:
        return ""
    taken_over = root_of(str(step["path"]), int(step["ordinal"])) < before["ordinal"]
    return f"in run {before['number']}" if taken_over else ""


def root_lines(document: Mapping[str, Any]) -> list[tuple[int, str, str]]:
    """The steps that a run can be gone on from: ordinal, what it is called, what came of it. What went on side by side is one of them."""
    steps = {int(one.document["ordinal"]): one for one in lines(document, ()) if one.kind == STEP and one.depth == 0}
    return [
        (ordinal, one.title, one.summary or capital(words.glyph(one.state)[2]))
        for ordinal, one in sorted(steps.items())
    ]


def _as_ended(step: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A step that was in the middle when its run ended does not go on."""
    over = document.get("state") in ("failed", "cancelled") and step["state"] in ("running", "retrying", "waiting")
    return {**step, "state": "failed" if document["state"] == "failed" else "skipped"} if over else step


def _restarted(entry: Mapping[str, Any], steps: Sequence[Mapping[str, Any]]) -> StepLine:
    """The line of a restart; what had ended by then is kept, in every branch."""
    at = times.iso_instant(entry.get("at") or "")
    ends = [times.iso_instant(step.get("ended_at") or "") for step in steps]
    kept = sum(end is not None and (at is None or end <= at) for end in ends)
    return StepLine(RESTART, words.restart_line(entry, kept, in_the_middle=any(map(is_nameless, steps))))


def is_nameless(step: Mapping[str, Any]) -> bool:
    """Whether it is the step in the middle of which only the progress is known."""
    return step["state"] == "running" and not step["name"]


def _named(step: Mapping[str, Any]) -> str:
    """What the author calls a step, else its name in words; one of which only its progress is known goes by that."""
    said = one_line(step.get("summary") or "") if not step["name"] and step["kind"] == "step" else ""
    return one_line(step.get("title") or "") or said or words.step_name(str(step["name"]))


def recorded_time(steps: Sequence[Mapping[str, Any]]) -> int:
    """How long the recorded plain steps took together, in microseconds: what a restart does not repeat."""
    total = 0
    for step in steps:
        begun, ended = times.iso_instant(step.get("started_at") or ""), times.iso_instant(step.get("ended_at") or "")
        if step["kind"] == "step" and begun is not None and ended is not None:
            total += max(0, ended - begun)
    return total


def _line(step: Mapping[str, Any], groups: Mapping[str, int], open_groups: Collection[str], once: str) -> StepLine:
    branch = f"{step['path']}/{step['ordinal']}".lstrip("/")
    many = groups.get(branch, 0)
    title = f"{many} at once" if many > 1 else _named(step)  # one branch alone is an agent's turns
    begun = times.iso_instant(step.get("started_at") or "")
    identity = f"{step['path'] or 'root'}:{step['ordinal']}"
    exact = [identity, str(step["name"]), f"attempt {step['attempts']}" if step.get("attempts") else ""]
    exact += [f"key {step['key']}" if step.get("key") else "", times.clock_exact(begun) if begun is not None else ""]
    return StepLine(
        STEP,
        title,
        depth=_depth(step),
        state=str(step["state"]),
        summary="" if step.get("summary") == title else words.step_line(step),
        once=once,
        at=times.clock_seconds(begun) if begun is not None else "",
        took=words.took(step.get("started_at"), step.get("ended_at")),
        cost=words.cost_of([step]),
        exact=" · ".join(one_line(part) for part in exact if part),
        group=branch if many else "",
        folded=bool(many) and branch not in open_groups,
        document=step,
    )


def _groups(steps: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    """How many branches each parallel step has, by its own branch name (`1` holds `1/0`, `1/1`)."""
    branches: dict[str, set[str]] = {}
    for step in steps:
        parts = str(step["path"]).split("/")
        for at in range(1, len(parts), 2):
            branches.setdefault("/".join(parts[:at]), set()).add(parts[at])
    return {name: len(found) for name, found in branches.items()}


def _opens(
    step: Mapping[str, Any], groups: Mapping[str, int], steps: Sequence[Mapping[str, Any]], made: Sequence[StepLine]
) -> Mapping[str, Any] | None:
    """The row of parallel work that has no record of its own, made where its first branch begins."""
    branch = str(step["path"]).rpartition("/")[0]
    if not branch or branch not in groups or any(line.group == branch for line in made):
        return None
    path, _, ordinal = branch.rpartition("/")
    if any(one["path"] == path and one["ordinal"] == int(ordinal) for one in steps):
        return None
    inside = [one for one in steps if str(one["path"]).startswith(f"{branch}/")]
    states = [str(one["state"]) for one in inside]
    state = next((state for state in _HEAVIEST if state in states), "done")
    ends = [str(one["ended_at"]) for one in inside if one.get("ended_at")]
    return {
        "path": path,
        "ordinal": int(ordinal),
        "name": "parallel",
        "kind": "step",
        "state": state,
        "attempts": 0,
        "started_at": min((str(one["started_at"]) for one in inside if one.get("started_at")), default=None),
        "ended_at": max(ends) if state == "done" and ends else None,
        "key": None,
        "title": "Agent" if any(one["kind"] == "llm" for one in inside) and groups[branch] == 1 else "",
        "summary": ", ".join(dict.fromkeys(map(_named, inside))),
    }


def _hidden(path: str, open_groups: Collection[str]) -> bool:
    parts = path.split("/") if path else []
    return any("/".join(parts[:at]) not in open_groups for at in range(1, len(parts), 2))


def _depth(step: Mapping[str, Any]) -> int:
    return len(str(step["path"]).split("/")) // 2 if step["path"] else 0


def _before(restart: Mapping[str, Any], step: Mapping[str, Any]) -> bool:
    at, begun = times.iso_instant(restart.get("at") or ""), times.iso_instant(step.get("started_at") or "")
    return at is not None and (at <= begun if begun is not None else is_nameless(step))
