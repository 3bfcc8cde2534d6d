"""One gate as its page shows it: the contract's document, and beside it the story so far, earlier answers, and what became of its
effects."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from counterfoil.clock import Clock, iso
from counterfoil.desktop.gate_facts import Aftermath, Draft, GateSeen
from counterfoil.desktop.real_office.long_texts import MOST, load
from counterfoil.desktop.real_office.story import story_of, titles_of
from counterfoil.desktop.words import times
from counterfoil.desktop.words.people import capital, person
from counterfoil.desktop.words.plain import one_line
from counterfoil.errors import UnknownGate
from counterfoil.facts import GateKind, GateState, Verdict
from counterfoil.inbox.accounts import account, accounts, owner
from counterfoil.places import Home
from counterfoil.policy.approvers import ANYBODY, Approvers, approvers_of, why_not, with_owner
from counterfoil.store import aside_glance
from counterfoil.store.blobs import Blobs
from counterfoil.store.gate_glance import GateGlance, Row
from counterfoil.store.glance import Glance
from counterfoil.views.asked import document_of, figures_of
from counterfoil.views.numbering import step_number
from counterfoil.views.plain import contract
from counterfoil.views.prior import prior
from counterfoil.views.sent_back import what_follows

Spec = Mapping[str, Any]
_SAID = {"approved": "approved", "rejected": "rejected", "returned": "sent back", "answered": "answered"}


class Gates:
    """Gates of one data folder, as one person sees them; read by the driver alone, so that the first one is there soon."""

    def __init__(self, home: Home, glance: Glance, clock: Clock, me: str) -> None:
        self._home, self._blobs, self._look, self._glance = home, Blobs(home), GateGlance(glance), glance
        self._clock, self._me = clock, me

    def gate(self, gate_id: str) -> GateSeen:
        """Everything the page of a gate shows.

        Raises:
            UnknownGate: there is none.
        """
        with self._look.reading():
            row = self._look.gate(gate_id)
            run = self._look.run(row["run_id"]) if row is not None else None
            if row is None or run is None:
                raise UnknownGate("This question is not in this data folder any more.", "Choose another one.")
            return self._seen(row, run)

    def _seen(self, row: Row, run: Row) -> GateSeen:
        look, gate_id = self._look, row["gate_id"]
        spec = load(self._blobs.text(row["spec"], row["spec_blob"]))
        done, given = look.record_lines(run["run_id"]), look.decisions(gate_id)
        version = look.version(run["version"])
        titles = titles_of(version)
        handed = aside_glance.giving(self._glance, gate_id)
        asleep = aside_glance.snoozed_until(self._glance, gate_id, self._me)
        rules = self._rules(spec)
        not_mine = why_not(rules, self._me, handed["asked"] if handed is not None else None)
        return GateSeen(
            document={
                **document_of(row, given, spec, handed),
                "fields": _fields(spec),
                "closed_at": iso(row["closed_at"]),
                "closed_why": row["closed_why"],
            },
            template=version["title"] if version else run["template"],
            run_number=run["number"],
            run_title=run["title"],
            run_state=run["state"],
            started_by=run["started_by"],
            workspace=run["workspace"],
            isolation=run["isolation"],
            figures=tuple((label, value) for label, value in figures_of(dict(spec))),
            bodies=tuple(contract(item["body"]) for item in spec.get("plan") or ()),
            editable=_editable(spec),
            partial=bool(spec.get("partial")),
            about=_about(spec, sum(record["committed_at"] <= row["asked_at"] for record in done), titles),
            step=step_number(row, done),
            files_at=row["files_as_of"] or (done[0]["started_at"] if done else run["started_at"]),
            story=story_of(look, run, row, done, titles, self._me),
            prior=self._prior(run, row),
            after=_after(look, row, spec, done, given),
            successor=_successor(look, row, given),
            sent_back=what_follows(json.loads(version["manifest"]) if version is not None else {}, row),
            earlier=look.before(row) if row["state"] == GateState.OPEN else "",
            foreign=look.sources(run["run_id"]),
            me=self._me,
            may_decide=not not_mine,
            why_not=not_mine.rstrip("."),
            why_owner=rules.why_owner,
            asleep_until=asleep if asleep is not None and asleep > self._clock.now_us() else None,
            draft=_given(given)
            if row["state"] == GateState.DECIDED
            else _draft(look.draft(gate_id, self._me), json.loads(look.opened(gate_id, self._me) or "[]")),
        )

    def _rules(self, spec: Spec) -> Approvers:
        """Who may answer it on this computer."""
        rules = approvers_of(spec)
        if rules == ANYBODY:
            return rules
        known = {f"user:{name}" for name in accounts()} | aside_glance.principals(self._glance) | {account()}
        return with_owner(rules, known, owner(self._home))

    def _prior(self, run: Row, row: Row) -> tuple[str, ...]:
        """Answers to the same question before, as sentences."""
        now = self._clock.now_us()
        return tuple(
            self._said(made, answered, now)
            + (f" That was run {made['run_number']}." if made["run_number"] != run["number"] else "")
            for made, answered in prior(self._look, run, row)
        )

    def _said(self, made: Row, answered: str, now_us: int) -> str:
        who = capital(person(made["principal"], self._me))
        at = times.on_day(made["at"], now_us)
        words = [f"‘{one_line(text)}’" for text in (answered, made["comment"]) if text]
        comment = f": {', '.join(words)}" if words else ""
        said = _SAID.get(made["verdict"], "decided")
        return f"{who} {said} this {at}{comment}." if said != "sent back" else f"{who} sent this back {at}{comment}."


def _draft(body: str | None, opened: Sequence[str]) -> Draft:
    """A draft out of its row."""
    kept: dict[str, Any] = json.loads(body) if body else {}
    return Draft(
        values=kept.get("values") or {},
        held=tuple(kept.get("held") or ()),
        left_out=tuple(kept.get("left_out") or ()),
        edits=kept.get("edits") or {},
        comment=kept.get("comment") or "",
        words=kept.get("words") or {},
        opened=tuple(opened),
        seen=kept.get("seen") or "",
    )


def _given(made: Sequence[Row]) -> Draft:
    """What was filled in with the decision, in the place of a draft: a closed gate shows it."""
    values = contract(json.loads(made[-1]["answers"])) if made else {}
    held = values.get("hold")
    return Draft(values=values, held=tuple(held) if isinstance(held, list) else ())


def _after(look: GateGlance, row: Row, spec: Spec, done: Sequence[Row], made: Sequence[Row]) -> tuple[Aftermath, ...]:
    """What then happened to each effect of an approval."""
    if row["state"] != GateState.DECIDED or not made or made[-1]["verdict"] != Verdict.APPROVED:
        return ()
    sealed = look.sealed(row["gate_id"])
    begun = {intent["item"]: intent for intent in look.intents(row)}
    ended = {(record["path"], record["ordinal"]): record for record in done}
    asked = {(gate["path"], gate["ordinal"]) for gate in look.open_conflicts(row["run_id"])}
    return tuple(
        _aftermath(item, item["n"] in sealed, begun.get(item["n"]), ended, asked) for item in spec.get("plan") or ()
    )


def _aftermath(
    item: Mapping[str, Any],
    sealed: bool,
    intent: Row | None,
    ended: Mapping[tuple[str, int], Row],
    asked: Collection[tuple[str, int]],
) -> Aftermath:
    n, said = int(item["n"]), one_line(item.get("summary") or item.get("effect") or "An effect")
    if not sealed:
        return Aftermath(n, "skipped", f"{said}: left out of the approval.")
    if intent is None:
        return Aftermath(n, "waiting", f"{said}: not begun yet.")
    record = ended.get((intent["path"], intent["ordinal"]))
    if record is None and (intent["path"], intent["ordinal"]) in asked:
        return Aftermath(
            n, "waiting", f"{said}: not done. Files changed in your folder, which another gate asks about."
        )
    if record is None:
        return Aftermath(
            n, "unknown", f"{said}: begun at {times.clock_seconds(intent['committed_at'])}, no end is known yet."
        )
    if record["outcome"] != "ok":
        failure = json.loads(record["failure"]) if record["failure"] else {}
        reason = one_line(failure.get("message") or "") if isinstance(failure, dict) else ""
        return Aftermath(n, "failed", f"{said}: not done{f' ({reason})' if reason else ''}.")
    found = f" ({one_line(record['origin'])})" if record["origin"] else ""
    return Aftermath(n, "done", f"{said}: done once, {times.clock_seconds(record['committed_at'])}{found}.")


def _editable(spec: Spec) -> dict[int, tuple[str, ...]]:
    """What may be changed, by plan number. A text of which only the beginning was read cannot be: its end would be lost."""
    found = {}
    for item in spec.get("plan") or ():
        args = item["body"]["args"]
        names = tuple(name for name in item.get("editable") or () if len(str(args.get(name))) <= MOST)
        if names:
            found[item["n"]] = names
    return found


def _fields(spec: Spec) -> list[dict[str, Any]]:
    """The contract's fields with what a form needs beside them: help, what is remembered, what makes the plan anew."""
    return [{**field, "default": contract(field.get("default"))} for field in spec.get("fields") or ()]


def _about(spec: Spec, kept: int, titles: Mapping[str, str]) -> dict[str, Any]:
    """What the product itself knows of a doubt, a failure or a conflict; `kept` steps do not run again."""
    about: dict[str, Any] = contract(spec.get("about") or {})
    if spec["kind"] == GateKind.DOUBT:
        about["began_at"] = about.get("began_us")
    elif spec["kind"] == GateKind.FAILURE:
        about |= {"kept": kept, "step_title": titles.get(str(about.get("step")), "")}
    elif spec["kind"] == GateKind.CONFLICT:
        about = {"files": [_changed_file(file) for file in about["files"]], "approved": about["approved"]}
    return about


def _changed_file(file: Mapping[str, Any]) -> dict[str, Any]:
    """A changed file as its row shows it, without the effects that each answer comes to."""
    made = file["made"]
    sides = {"run": (made.get("use") or {}).get("file"), "both": (made.get("both") or {}).get("file")}
    return {key: file[key] for key in ("path", "field", "why", "before", "now", "does", "choices")} | sides


def _successor(look: GateGlance, row: Row, made: Sequence[Row]) -> str | None:
    """The gate that took this one's place: a newer round, or what a run that was sent back asks next."""
    newest = look.newest_at(row)
    if newest is not None and newest["number"] > row["number"]:
        return str(newest["gate_id"])
    if made and made[-1]["verdict"] == Verdict.RETURNED:
        later = [gate for gate in look.gates_of_run(row["run_id"]) if gate["number"] > row["number"]]
        return str(later[0]["gate_id"]) if later else None
    return None
