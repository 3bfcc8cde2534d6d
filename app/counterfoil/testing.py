"""Run a workflow in a test: the real engine on a scratch database, in this process, with a clock that moves when told.

    harness = Harness(workspace)
    run = harness.start(pay_invoices, folder="invoices")
    assert harness.advance() == "waiting"
    harness.approve()
    assert harness.advance() == "done"

`crash_at("after_record", 3)` ends the engine at the third visit of a named point; `advance` then raises Crashed, and the next one
carries on from what was recorded, as after a power cut. `Harness(workspace, llms=["Paris"])` answers every llm call from a script
(`routing/scripted.py`): a list of answers in order, or a function of the request.
"""

from __future__ import annotations

import asyncio
import json
import tempfile
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from counterfoil import __version__
from counterfoil.agents.commands import SandboxCommands
from counterfoil.agents.team import WorkspaceTeam
from counterfoil.authoring.codec import digest
from counterfoil.authoring.parameters import encode_params
from counterfoil.authoring.workflows import Workflow
from counterfoil.catalogue.manifest import MANIFEST
from counterfoil.clock import FakeClock
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine import answers, direct, killpoints
from counterfoil.engine.holding import Powers
from counterfoil.engine.llm_ports import LlmRequest, Llms
from counterfoil.engine.loops import WorkflowLoop
from counterfoil.engine.ports import Connectors, Effects, Policy
from counterfoil.facts import GateState, RunState, Verdict
from counterfoil.inbox.deciding import DecisionMade, Wish, decide
from counterfoil.places import Home
from counterfoil.policy.judging import Rules
from counterfoil.routing.scripted import Script, ScriptedLlms, speaking
from counterfoil.sandbox.probing import measured
from counterfoil.stage.copies import RunCopies
from counterfoil.stage.stages import StageFolder
from counterfoil.store import gates, records, runs, versions
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database
from counterfoil.store.transactions import Row, Txn
from counterfoil.store.writer import Writer


class Crashed(BaseException):
    """The engine ended at a named point, as if the power had gone."""


class Harness:
    """A scratch home, a clock, and one workflow at a time."""

    def __init__(
        self,
        workspace: Path,
        *,
        home: Path | None = None,
        clock: FakeClock | None = None,
        effects: Effects | None = None,
        policy: Policy | None = None,
        llms: Script | Llms | None = None,
        connectors: Connectors | None = None,
    ) -> None:
        self.workspace = workspace.resolve()
        self.clock = clock or FakeClock()
        self.home = Home(home or Path(tempfile.mkdtemp(prefix="counterfoil-"))).create()
        self.database = open_database(self.home, self.clock)
        self.blobs = Blobs(self.home)
        self._effects = effects or EffectCatalogue(self.home, self.blobs)
        self._policy = policy or Rules()
        self.llms = speaking(llms)
        self._connectors = connectors
        self._team = WorkspaceTeam(self.database)
        self._commands = SandboxCommands(self.home, lambda: measured(self.home), lambda _: self._template())
        self._stages = StageFolder(self.home, self.blobs, self.clock)
        self._workflow: Workflow[Any, Any] | None = None
        self.run_id = ""

    def start(self, workflow: Workflow[Any, Any], **parameters: Any) -> str:
        """Commit a ready run of the workflow; its id. Nothing is executed yet."""
        self._workflow = workflow
        params = workflow.params(**parameters)
        version = digest(f"harness:{workflow.name}")

        def operation(txn: Txn) -> str:
            versions.add(
                txn,
                "user:test",
                digest=version,
                name=workflow.name,
                title=workflow.name,
                manifest="{}",
                parameters="[]",
                source="",
                origin="harness",
                program=__version__,
            )
            new = runs.NewRun(
                workflow.name,
                version,
                str(self.workspace),
                workflow.name,
                encode_params(params),
                "user:test",
                __version__,
            )
            return str(runs.create(txn, new)["run_id"])

        self.run_id = self.database.transact(operation)
        return self.run_id

    def _template(self) -> Path | None:
        """The folder of the template that the workflow lies in; None for one of a test."""
        code = getattr(getattr(self._workflow, "function", None), "__code__", None)
        places = Path(code.co_filename).resolve().parents if code is not None else ()
        return next((place for place in places if (place / MANIFEST).is_file()), None)

    def use(self, workflow: Workflow[Any, Any]) -> None:
        """Carry the run on with another version of the code, to see what replay says of it."""
        self._workflow = workflow

    def crash_at(self, point: str, visit: int = 1) -> None:
        """End the engine at the n-th visit, from now on, of a named point (contract.md 7)."""
        killpoints.arm(point, visit, _crash)

    def advance(self) -> RunState:
        """Advance the run until it ends or waits; its state.

        Raises:
            Crashed: the point of `crash_at` was reached; call again to carry on.
        """
        if self._workflow is None:
            raise RuntimeError("start a workflow first")
        loop = WorkflowLoop()
        writer = Writer(self.database)
        copies = RunCopies(self.home, self.blobs)
        powers = Powers(
            self.database,
            writer,
            self.blobs,
            self.clock,
            self._effects,
            self._policy,
            self._stages,
            copies,
            self.llms,
            self._connectors,
            self._team,
            self._commands,
        )
        try:
            return loop.run_until_complete(self._advance(powers, self._workflow))
        except Crashed:
            killpoints.disarm()
            self._after_crash()
            raise
        finally:
            _abandon(loop)
            writer.close()
            loop.close()

    async def _advance(self, powers: Powers, workflow: Workflow[Any, Any]) -> RunState:
        await powers.writer.submit(answers.wake_due)
        try:
            return await direct.advance(powers, self.run_id, workflow)
        finally:
            if self._connectors is not None:
                await self._connectors.close()

    def _after_crash(self) -> None:
        """What a runner does when it finds a run whose holder is dead."""

        def operation(txn: Txn) -> None:
            if runs.get(txn.conn, self.run_id)["state"] == RunState.RUNNING:
                runs.move(txn, self.run_id, RunState.READY, ready_at=txn.now_us, lost=True)

        self.database.transact(operation)

    def gate(self) -> Row:
        """The one open gate of the run.

        Raises:
            LookupError: there is none, or more than one.
        """
        found = self.gates()
        if len(found) != 1:
            raise LookupError(f"{len(found)} gates are open: {[row['title'] for row in found]}")
        return found[0]

    def gates(self, state: GateState = GateState.OPEN) -> list[Row]:
        """The run's gates in a state, oldest first."""
        return [row for row in gates.of_run(self.database.reader, self.run_id) if row["state"] == state]

    def spec(self, gate: Row | None = None) -> dict[str, Any]:
        """What a gate shows."""
        row = gate or self.gate()
        spec: dict[str, Any] = json.loads(self.blobs.text(row["spec"], row["spec_blob"]))
        return spec

    def decide(self, verdict: Verdict, gate: Row | None = None, **wish: Any) -> DecisionMade:
        """Decide the open gate, or the one given; `wish` as inbox.deciding.Wish."""
        row = gate or self.gate()
        return decide(
            self.database, self.blobs, row["gate_id"], Wish(verdict, wish.pop("principal", "user:test"), **wish)
        )

    def approve(
        self,
        gate: Row | None = None,
        only: Sequence[int] | None = None,
        confirmed: Sequence[int] = (),
        **answers_given: Any,
    ) -> DecisionMade:
        """Approve; `confirmed` are the items whose files run later."""
        return self.decide(Verdict.APPROVED, gate, only=only, confirmed=confirmed, answers=answers_given)

    def reject(self, comment: str, gate: Row | None = None) -> DecisionMade:
        """Reject."""
        return self.decide(Verdict.REJECTED, gate, comment=comment)

    def send_back(self, comment: str, gate: Row | None = None, **answers_given: Any) -> DecisionMade:
        """Send back."""
        return self.decide(Verdict.RETURNED, gate, comment=comment, answers=answers_given)

    def answer(self, gate: Row | None = None, **answers_given: Any) -> DecisionMade:
        """Answer a question, a doubt or a failure."""
        return self.decide(Verdict.ANSWERED, gate, answers=answers_given)

    def tick(self, by: timedelta) -> None:
        """Move the clock."""
        self.clock.advance(by)

    def asked_llms(self) -> list[LlmRequest]:
        """What llms were asked so far, where a script answers.

        Raises:
            TypeError: none does.
        """
        if not isinstance(self.llms, ScriptedLlms):
            raise TypeError("give the Harness a script: Harness(workspace, llms=[…])")
        return self.llms.requests

    def run(self) -> Row:
        """The run's row."""
        return runs.get(self.database.reader, self.run_id)

    def result(self) -> Any:
        """The run's result as plain JSON."""
        text = self.run()["result"]
        plain = json.loads(text) if text is not None else None
        if isinstance(plain, dict) and "$blob_text" in plain:
            return json.loads(self.blobs.text(plain["$blob_text"], in_blob=True))
        return plain

    def records(self) -> list[Row]:
        """The run's records, in commit order."""
        return records.of_run(self.database.reader, self.run_id)

    def close(self) -> None:
        """Let go of the scratch database, and of a crash that was never reached."""
        killpoints.disarm()
        self.database.close()


def _crash(name: str) -> None:
    raise Crashed(name)


def _abandon(loop: WorkflowLoop) -> None:
    """Drop what a crash has left running, without letting it do anything more."""
    left = asyncio.all_tasks(loop)
    for task in left:
        task.cancel()
    if left:
        loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    loop.run_until_complete(loop.shutdown_default_executor())
