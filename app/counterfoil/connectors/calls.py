"""`call@1`: one call of a connector's tool.

What a server says of its tools decides nothing here. Whether a call may be made again when nobody knows what became of it, and what it
does to the world, is what a person has said of the tool; and it is made only while the tool is what that person, or the approval, has seen.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from counterfoil.authoring.evidence import text
from counterfoil.authoring.parameters import Field
from counterfoil.connectors import answers, asking, changed_tools
from counterfoil.connectors.declared import NAME, Declared, declared_of
from counterfoil.connectors.line import LineLost, Reply, Words
from counterfoil.connectors.supervising import Connectors, Held, SignedOut
from counterfoil.connectors.turns import Turn, taking
from counterfoil.effects import shapes
from counterfoil.effects.answers import wire_json
from counterfoil.effects.imagining import refusal
from counterfoil.effects.sentences import shortened
from counterfoil.engine.ports import (
    NO_MOMENT,
    BadEffect,
    EffectTrouble,
    Finding,
    InputNeeded,
    Moment,
    OutcomeUnknown,
    PlanEntry,
    Reconciled,
)
from counterfoil.facts import DoubtPolicy, FailureClass, Risk
from counterfoil.policy.boundaries import visible
from counterfoil.store import connector_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row
from counterfoil.views.tool_claims import claim_of

LARGEST_ARGS = 4 * 1024 * 1024  # bytes of the arguments of one call
_RISKS = {"reads": Risk.NORMAL, "changes": Risk.SENDS, "sends": Risk.SENDS, "spends": Risk.SPENDS}


class Calls:
    """`{"connector", "tool", "pin", "args"}`; an empty pin stands for the tool as somebody has looked at it."""

    def __init__(self, database: Database, connectors: Connectors) -> None:
        self._database = database
        self._connectors = connectors

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        given = shapes.exactly(args, ("connector", "tool", "pin", "args"))
        if not isinstance(given["connector"], str) or not NAME.fullmatch(given["connector"]):
            raise BadEffect("A call names no connector.")
        shapes.text(given["tool"], "The tool", longest=1000, empty=False)
        shapes.text(given["pin"], "The pin", longest=64)
        if not isinstance(given["args"], dict):
            raise BadEffect("The arguments of a call are no object.")
        shapes.json_value(given["args"], "The arguments of a call")
        if len(json.dumps(given["args"])) > LARGEST_ARGS:
            raise BadEffect(f"The arguments of a call are longer than {LARGEST_ARGS // 2**20} MB.")

    def _said(self, args: Mapping[str, Any]) -> Row | None:
        return connector_rows.tool(self._database.reader, args["connector"], args["tool"])

    def policy(self, args: dict[str, Any]) -> DoubtPolicy:
        """A person is asked, unless one has said that the tool only reads, or that doing it twice is as doing it once."""
        row = self._said(args)
        if row is None or row["agreed_pin"] != row["pin"]:
            return DoubtPolicy.ASK
        return DoubtPolicy.RETRY if row["does"] == "reads" or row["repeatable"] else DoubtPolicy.ASK

    def entry(self, args: dict[str, Any], workspace: str) -> PlanEntry:
        """`Mail: send_mail, to ben@b.example, subject Hello`; of a tool that nobody has said anything of, what its server says."""
        row = self._said(args)
        connector = connector_rows.get(self._database.reader, args["connector"])
        who = declared_of(connector).shown if connector is not None else args["connector"]
        told = ", ".join(f"{name} {_shown(value)}" for name, value in args["args"].items())
        claim = claim_of(json.loads(row["definition"])) if row is not None and not row["does"] else ""
        says = f" (says that it {claim})" if claim else ""
        summary = f"{who}: {visible(args['tool'])}{says}{f', {told}' if told else ''}"
        pin = args["pin"] or (row["pin"] if row is not None else None)
        return PlanEntry(
            effect="call@1",
            summary=shortened(summary, 200),
            target=visible(f"{args['connector']}/{args['tool']}"),
            risk=_RISKS.get(row["does"], Risk.SENDS) if row is not None else Risk.SENDS,
            bytes=len(json.dumps(args["args"])),
            base={_base(args): pin} if pin else {},
            risk_reason=changed_tools.since_looked(who, row) if row is not None and pin != row["agreed_pin"] else None,
        )

    async def perform(self, args: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Call it; an outcome as `answers` tells it.

        Raises:
            EffectTrouble: it was not called.
            InputNeeded: its server asks something of a person first, or its tool is not what was seen.
            OutcomeUnknown: nobody knows.
        """
        try:
            return await self._perform(args, key, moment)
        except InputNeeded as needed:
            needed.state |= changed_tools.kept(moment)
            raise

    async def _perform(self, args: dict[str, Any], key: str, moment: Moment) -> Any:
        declared = self._connectors.declared(args["connector"])
        stage = Path(moment.stage) if moment.stage is not None else None
        try:
            held = await self._connectors.held(declared, stage)
        except SignedOut as problem:
            raise _sign_in(declared, problem) from problem
        await self._refuse_changed(declared, held, args, moment)
        words = _words(moment)
        held.users += 1
        with taking() as turn:
            try:
                reply = await held.line.call(args["tool"], wire_json(args["args"]), words, key)
            except LineLost as problem:
                raise await self._lost(declared, stage, args, turn, held, problem) from problem
            finally:
                held.users -= 1
        return self._outcome(declared, args, reply, words)

    async def _lost(
        self, declared: Declared, stage: Path | None, args: Mapping[str, Any], turn: Turn, held: Held, problem: LineLost
    ) -> Exception:
        """What it means that no answer came."""
        if turn.signed_out:
            await self._connectors.let_go(declared, stage, held)
            return _sign_in(declared, await self._connectors.signed_out(declared))
        why = str(problem)
        await self._connectors.fell(declared, stage, why, lost=held)
        if turn.unsent:
            return EffectTrouble(
                f"{declared.shown} cannot be reached; nothing was asked of it.", FailureClass.TRANSIENT
            )
        asked = f"{declared.shown} was asked for {visible(args['tool'])}, and {why}"
        return OutcomeUnknown(f"{asked}; it may or may not have happened.")

    async def _refuse_changed(self, declared: Declared, held: Held, args: Mapping[str, Any], moment: Moment) -> None:
        """A call is made only while its tool is what somebody has seen."""
        tool = held.tools.get(args["tool"])
        shown = visible(args["tool"])
        if tool is None:
            why = next((said for said in held.left_out if f"‘{shown}’" in said), "")
            raise refusal(f"{declared.shown} has no tool ‘{shown}’.{f' {why}' if why else ''}")
        row = self._said(args)
        seen = args["pin"] or moment.base.get(_base(args)) or (row["agreed_pin"] if row is not None else None)
        if seen == tool.pin:
            return
        if changed_tools.accepted(moment) != tool.pin:
            shown_args = {name: _shown(value) for name, value in args["args"].items()}
            raise changed_tools.put_before_a_person(declared, tool, row, moment, shown_args)
        await asyncio.to_thread(changed_tools.note_accepted, self._database, declared, tool, moment.by)

    def _outcome(self, declared: Declared, args: Mapping[str, Any], reply: Reply, words: Words) -> Any:
        if reply.questions:
            raise _question(declared, args, reply, words)
        if reply.result is None:
            return answers.failed(reply.error)
        return answers.outcome_of(reply.result, reply.trouble)

    async def reconcile(self, args: dict[str, Any], key: str) -> Reconciled:
        """The protocol knows no way to ask."""
        return Reconciled(Finding.UNKNOWN)


def _base(args: Mapping[str, Any]) -> str:
    return f"tool:{args['connector']}/{args['tool']}"


def _shown(value: Any) -> str:
    plain = wire_json(value)
    return shortened(plain if isinstance(plain, str) else json.dumps(plain, ensure_ascii=False), 60)


def _words(moment: Moment) -> Words:
    """What a person has said at the gate of this call, as its server wants it."""
    if not moment.state or "questions" not in moment.state:
        return Words(sample=moment.sample)
    questions = moment.state["questions"]
    asked = _of_people(questions)
    said = asking.answers_to(asked, moment.answers, declined=moment.declined)
    known = {**moment.state["said"], **{asking.key_of(asked[key]): one for key, one in said.items()}}
    if moment.state["anew"]:
        return Words(known, sample=moment.sample)
    return Words(known, questions, moment.state["state"], moment.sample)


def _sign_in(declared: Declared, problem: SignedOut) -> InputNeeded:
    """A gate that waits until somebody has signed in; the call is made again then, and asks again if that is not so."""
    done = Field(name="done", type="boolean", label="I have signed in", required=True)
    how = text(str(problem), title="How to sign in").to_json({})
    title = f"Sign in to {declared.shown} before it goes on"
    state = {"sign_in": declared.name}
    return InputNeeded(title, fields=[done.to_json()], evidence=[how], flags=[], state=state, why="signed_out")


def _of_people(questions: Mapping[str, Any]) -> dict[str, Any]:
    """The questions that people answer, by key."""
    return {key: one["params"] for key, one in questions.items() if one["method"] == "elicitation/create"}


def _question(declared: Declared, args: Mapping[str, Any], reply: Reply, words: Words) -> InputNeeded:
    """A gate for the questions of a server. In the older protocol the call was broken off for it, and is made anew."""
    asked = _of_people(reply.questions)
    said = words.answers if reply.begins_anew else {}
    return InputNeeded(
        f"{declared.shown} asks something before it goes on with {visible(args['tool'])}",
        fields=asking.fields_of(asked),
        evidence=asking.quoted(declared.shown, asked),
        flags=[_ANEW] if reply.begins_anew else [],
        state={"questions": reply.questions, "state": reply.state, "anew": reply.begins_anew, "said": said},
    )


_ANEW = (
    "The call was broken off for this question and begins anew with the answer; what it had done by then is not known."
)
