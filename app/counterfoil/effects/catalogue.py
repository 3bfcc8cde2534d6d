"""The catalogue of effects: the kinds there are, and for each of them one object that knows its shape and has its hands.

What is not in this table does not exist, whatever a host asks for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.clock import Clock, SystemClock
from counterfoil.effects.commands import Commands
from counterfoil.effects.facts_kept import Facts
from counterfoil.effects.files import FileEffects
from counterfoil.effects.handlers import FileKind, WireKind
from counterfoil.effects.mail import Mail
from counterfoil.effects.requests import Http
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import (
    NO_MOMENT,
    BadEffect,
    Comparison,
    EffectTrouble,
    FileOp,
    Finding,
    Moment,
    PlanEntry,
    Reconciled,
)
from counterfoil.facts import DoubtPolicy, FailureClass
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.store.blobs import Blobs

Body = dict[str, Any]


class EffectCatalogue:
    """Implements `engine.ports.Effects`."""

    def __init__(
        self,
        home: Home,
        blobs: Blobs,
        keyring: Keyring | None = None,
        clock: Clock | None = None,
        *,
        calls: WireKind | None = None,
    ) -> None:
        secrets = Keyring(home) if keyring is None else keyring
        present = SystemClock() if clock is None else clock
        self._files = FileEffects(blobs)
        self._wires: Mapping[str, WireKind] = {
            "mail@1": Mail(blobs, secrets, present),
            "http@1": Http(blobs, secrets, present),
            "command@1": Commands(),
            "remember@1": Facts(),
        }
        if calls is not None:  # performed by a room beside this one
            self._wires = {**self._wires, "call@1": calls}
        self._kinds: Mapping[str, FileKind | WireKind] = {**self._files.kinds, **self._wires}

    def check(self, body: object) -> None:
        """Raise BadEffect unless the body is an effect of the catalogue with arguments of its shape."""
        if not isinstance(body, dict) or set(body) != {"kind", "args"}:
            raise BadEffect("An effect has exactly a kind and arguments.")
        kind = body["kind"]
        if not isinstance(kind, str) or kind not in self._kinds:
            raise BadEffect(f"There is no effect “{visible(str(kind)[:60])}”.")
        self._kinds[kind].check(body["args"])

    def policy(self, body: Body) -> DoubtPolicy:
        """What to do with an intent of this effect that has no outcome; a file set is safe to apply again by its journal."""
        if self.is_file(body):
            return DoubtPolicy.RETRY
        return self._wires[body["kind"]].policy(body["args"])

    def is_file(self, body: Body) -> bool:
        """Whether it belongs to the apply set of its gate."""
        return body["kind"] in self._files.kinds

    def prepare(self, body: Body, workspace: str) -> PlanEntry:
        """Look at the world as it is and say what the effect would do; blocking.

        Raises:
            EffectTrouble: it cannot be done on the world as it is.
        """
        return self.prepare_plan([body], workspace)[0]

    def prepare_plan(self, bodies: Sequence[Body], workspace: str) -> list[PlanEntry]:
        """As `prepare`, for a whole plan: each item on top of those before it, so digests are those that will be written.

        Raises:
            EffectTrouble: an item cannot be done, or not together with an earlier one.
        """
        numbered = list(enumerate(bodies, start=1))
        of_files = self._files.prepare([(n, body) for n, body in numbered if self.is_file(body)], workspace)
        return [
            of_files[n] if n in of_files else self._wires[body["kind"]].entry(body["args"], workspace)
            for n, body in numbered
        ]

    async def perform(self, body: Body, key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Do it; the outcome as plain JSON.

        Raises:
            EffectTrouble: it is known not to have happened.
            InputNeeded: a person is asked something first.
            OutcomeUnknown: it began and no answer came.
        """
        if self.is_file(body):
            raise EffectTrouble("Files change only as the apply set of an approved gate.", FailureClass.STRUCTURAL)
        return await self._wires[body["kind"]].perform(body["args"], key, workspace, moment)

    async def reconcile(self, body: Body, key: str, workspace: str) -> Reconciled:
        """Ask the outside whether it happened; files are judged by their journal instead."""
        if self.is_file(body):
            return Reconciled(Finding.UNKNOWN)
        return await self._wires[body["kind"]].reconcile(body["args"], key)

    def file_ops(self, items: Sequence[tuple[int, Body, dict[str, str | None]]], workspace: str) -> list[FileOp]:
        """The journal of an apply set: items are (number, body, sealed base).

        Raises:
            Conflict: a base does not hold, or the items do not go together.
        """
        return self._files.file_ops(items, workspace)

    def compare(
        self, items: Sequence[tuple[int, Body, dict[str, str | None]]], workspace: str, mark: str
    ) -> Comparison:
        """What of an apply set is not as its approval was sealed to, and what each answer would do about it. Blocking.

        Raises:
            EffectTrouble: the folder itself cannot be read.
        """
        return self._files.compare(items, workspace, mark)

    def apply_files(self, ops: Sequence[FileOp], workspace: str, undo: str, root: str | None = None) -> dict[int, Any]:
        """Apply a whole set, or what is left of it after a crash; outcomes by item number. Blocking.

        Raises:
            Conflict: a file is neither before nor after, or the folder is not `root`; everything of the set was put back.
            EffectTrouble: the folder cannot be written; everything of the set was put back.
            OutcomeUnknown: it failed, and not everything could be put back.
        """
        return self._files.apply(ops, workspace, undo, root)

    def outcomes(self, ops: Sequence[FileOp]) -> dict[int, Any]:
        """The outcomes by item number of a set that was applied before; reads nothing."""
        return self._files.outcomes(ops)
