"""An outside world for tests of the engine: a ledger that lies outside the database, effects that write to it, and a policy.

Every effect takes `{"text": ...}` and optionally `"may"`. `keyed@1` is safe to try again: the ledger honours its key. `asking@1` is
not, and nobody can tell. `looked_up@1` can be looked up. What goes wrong is scripted per text, in order; an empty script means all
goes well.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from counterfoil.engine.ports import (
    NO_MOMENT,
    Around,
    BadEffect,
    Comparison,
    EffectTrouble,
    FileOp,
    Finding,
    Judgement,
    Moment,
    OutcomeUnknown,
    Permission,
    PlanEntry,
    Reconciled,
)
from counterfoil.facts import DoubtPolicy, FailureClass, Risk

POLICIES = {"keyed@1": DoubtPolicy.RETRY, "asking@1": DoubtPolicy.ASK, "looked_up@1": DoubtPolicy.RECONCILE}
Body = dict[str, Any]


class Ledger:
    """Implements `engine.ports.Effects` on one text file: a line `key kind text` for everything that has happened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.scripts: dict[str, list[str]] = defaultdict(list)
        self.tries: list[str] = []
        self.blind = False  # whether looking things up fails
        self.plannable = True
        self.answers: Callable[[], bool] = lambda: True  # from when on something can be looked up

    def lines(self) -> list[tuple[str, str, str]]:
        """What has happened outside: (key, kind, text), in order."""
        if not self.path.exists():
            return []
        return [(key, kind, text) for key, kind, text in (line.split(" ", 2) for line in self._texts())]

    def _texts(self) -> list[str]:
        return self.path.read_text(encoding="utf-8").splitlines()

    def happened(self, text: str) -> int:
        """How often an effect with this text has happened."""
        return sum(1 for _, _, line in self.lines() if line == text)

    def has(self, key: str) -> bool:
        """Whether something with this key has happened."""
        return any(line[0] == key for line in self.lines())

    def _write(self, body: Body, key: str) -> None:
        if body["kind"] == "keyed@1" and self.has(key):
            return  # the other side honours the key
        with self.path.open("a", encoding="utf-8") as out:
            out.write(f"{key} {body['kind']} {body['args']['text']}\n")

    # ------------------------------------------------------------------------------------------------- the port's verbs

    def check(self, body: Body) -> None:
        if set(body) != {"kind", "args"} or body["kind"] not in POLICIES:
            raise BadEffect("There is no such effect.")
        args = body["args"]
        if (
            not isinstance(args, dict)
            or not isinstance(args.get("text"), str)
            or not set(args) <= {"text", "may", "data"}
        ):
            raise BadEffect("It wants a text.")

    def policy(self, body: Body) -> DoubtPolicy:
        return POLICIES[body["kind"]]

    def is_file(self, body: Body) -> bool:
        return False

    def prepare(self, body: Body, workspace: str) -> PlanEntry:
        return self.prepare_plan([body], workspace)[0]

    def prepare_plan(self, bodies: Sequence[Body], workspace: str) -> list[PlanEntry]:
        if not self.plannable:
            raise EffectTrouble("The ledger is locked away.", FailureClass.STRUCTURAL)
        return [PlanEntry(body["kind"], body["args"]["text"], "ledger", Risk.SENDS) for body in bodies]

    async def perform(self, body: Body, key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        text = body["args"]["text"]
        self.tries.append(text)
        script = self.scripts[text]
        word = script.pop(0) if script else "well"
        match word:
            case "transient":
                raise EffectTrouble("The line is busy.", FailureClass.TRANSIENT)
            case "structural":
                raise EffectTrouble("The ledger says no.", FailureClass.STRUCTURAL)
            case "unknown, not done":
                raise OutcomeUnknown("No answer came.")
            case "unknown, done":
                self._write(body, key)
                raise OutcomeUnknown("No answer came.")
            case "fault":
                raise ZeroDivisionError("a fault of the hands")
        self._write(body, key)
        return {"kept": text}

    async def reconcile(self, body: Body, key: str, workspace: str) -> Reconciled:
        for _ in range(4_000):  # 20 s at least
            if self.answers():
                break
            await asyncio.sleep(0.005)
        if self.blind:
            raise ConnectionError("nobody answers")
        return (
            Reconciled(Finding.HAPPENED, {"kept": body["args"]["text"]})
            if self.has(key)
            else Reconciled(Finding.NOT_HAPPENED)
        )

    def file_ops(self, items: Sequence[tuple[int, Body, dict[str, str | None]]], workspace: str) -> list[FileOp]:
        raise AssertionError("there are no files here")

    def compare(
        self, items: Sequence[tuple[int, Body, dict[str, str | None]]], workspace: str, mark: str
    ) -> Comparison:
        raise AssertionError("there are no files here")

    def apply_files(self, ops: Sequence[FileOp], workspace: str, undo: str, root: str | None = None) -> dict[int, Any]:
        raise AssertionError("there are no files here")

    def outcomes(self, ops: Sequence[FileOp]) -> dict[int, Any]:
        raise AssertionError("there are no files here")


class ByWord:
    """Implements `engine.ports.Policy`: an effect's own argument `may` says what may happen with it."""

    def judge(self, body: Body, workspace: str, manifest: dict[str, Any], around: Around) -> Judgement:
        return Judgement(Permission(body["args"].get("may", "allow")), "so the test says")
