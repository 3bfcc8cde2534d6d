"""A home with rows as the engine writes them, built through the store's own functions: what views and commands read."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.authoring.codec import canonical, digest, to_plain
from counterfoil.clock import FakeClock
from counterfoil.facts import (
    AttemptState,
    DoubtPolicy,
    FailureClass,
    GateKind,
    Money,
    Outcome,
    RunState,
    Slot,
    StepKind,
)
from counterfoil.places import Home
from counterfoil.store import gates, intents, records, runs, trail_rows, versions
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database, open_database
from counterfoil.store.transactions import Row, Txn

IBAN = "GB29 NWBK 6016 1331 9268 19"


@dataclass
class Office:
    """One home with its database and a clock that moves only when told."""

    home: Home
    database: Database
    blobs: Blobs
    clock: FakeClock
    workspace: str
    known: list[str] = field(default_factory=list)

    def run(self, title: str = "Supplier payments", parameters: dict[str, Any] | None = None) -> Row:
        """A run that is ready."""

        def operation(txn: Txn) -> Row:
            versions.add(
                txn,
                "user:anna",
                digest="a" * 64,
                name="pay-invoices",
                title="Supplier payments",
                manifest="{}",
                parameters="[]",
                source="b" * 64,
                origin="bundled",
                program="0.1.0",
            )
            return runs.create(
                txn,
                runs.NewRun(
                    template="pay-invoices",
                    version="a" * 64,
                    workspace=self.workspace,
                    title=title,
                    parameters=canonical(to_plain(parameters or {"folder": "."}, {})),
                    started_by="user:anna",
                    program="0.1.0",
                ),
            )

        return self.database.transact(operation)

    def move(self, run_id: str, state: RunState, **changes: object) -> None:
        """Take an arrow of the run."""
        assert self.database.transact(lambda txn: runs.move(txn, run_id, state, **changes))

    def claim(self, run_id: str) -> None:
        """The runner has the run."""
        self.database.transact(lambda txn: runs.claim(txn, run_id))

    def record(self, run_id: str, ordinal: int, name: str, value: Any = None, **more: Any) -> None:
        """A recorded step."""
        self.database.transact(lambda txn: self._record(txn, run_id, ordinal, name, value, more))

    @staticmethod
    def _record(txn: Txn, run_id: str, ordinal: int, name: str, value: Any, more: dict[str, Any]) -> str:
        new = records.NewRecord(
            run_id=run_id,
            path=more.pop("path", ""),
            ordinal=ordinal,
            kind=more.pop("kind", StepKind.STEP),
            name=name,
            args_digest="c" * 64,
            outcome=more.pop("outcome", Outcome.OK),
            payload=canonical(to_plain(value, {})),
            **more,
        )
        return records.append(txn, new)

    def attempt(self, run_id: str, ordinal: int, name: str, state: AttemptState, **more: Any) -> None:
        """A try with a row of its own."""
        self.database.transact(
            lambda txn: records.note_attempt(
                txn, run_id, "", ordinal, kind=more.pop("kind", StepKind.STEP), name=name, state=state, **more
            )
        )

    def failed_attempt(self, run_id: str, ordinal: int, name: str, message: str) -> None:
        """A try that failed."""
        self.attempt(run_id, ordinal, name, AttemptState.FAILED, failure_class=FailureClass.UNKNOWN, message=message)

    def intent(
        self,
        run_id: str,
        ordinal: int,
        kind: str,
        policy: DoubtPolicy,
        gate_id: str | None = None,
        item: int | None = None,
    ) -> None:
        """An effect that was begun."""
        body = canonical({"kind": kind, "args": {}})
        new = intents.NewIntent(
            run_id, "", ordinal, kind, body, False, digest(body), f"key-{ordinal}", policy, gate_id, item
        )
        self.database.transact(lambda txn: intents.add(txn, new))

    def gate(
        self,
        run_id: str,
        ordinal: int,
        spec: dict[str, Any],
        slot: Slot = Slot.OUTCOME,
        *,
        due_at: int | None = None,
    ) -> Row:
        """An open gate that shows `spec`."""
        text = canonical(spec)
        kept, in_blob = self.blobs.keep_text(text)
        new = gates.NewGate(
            run_id=run_id,
            path="",
            ordinal=ordinal,
            slot=slot,
            kind=GateKind(spec["kind"]),
            title=spec["title"],
            spec=kept,
            spec_blob=in_blob,
            asked_digest=digest(text),
            digest=digest(text),
            claims=tuple(spec["claims"]),
            workspace=self.workspace,
            due_at=due_at,
        )
        return self.database.transact(lambda txn: gates.open_gate(txn, new))

    def note(self, kind: str, subject: str, after: dict[str, Any] | None = None) -> None:
        """An entry of the trail."""
        self.database.transact(
            lambda txn: trail_rows.append(txn, by="runner", kind=kind, subject=subject, summary=kind, after=after)
        )


def make_office(folder: Path) -> Office:
    """A new home and an empty workspace below a folder."""
    home = Home(folder / "home")
    clock = FakeClock()
    workspace = folder / "team files"
    workspace.mkdir(parents=True)
    return Office(home, open_database(home, clock), Blobs(home), clock, str(workspace))


def spec(kind: GateKind = GateKind.APPROVAL, **parts: Any) -> dict[str, Any]:
    """What a gate shows; without parts an approval of nothing."""
    return {
        "kind": str(kind),
        "title": "Write payment file for 2 invoices",
        "plan": [],
        "evidence": [],
        "flags": [],
        "fields": [],
        "figures": [],
        "claims": [],
        "partial": False,
        "round": 1,
        "expires_for": None,
        "about": {},
        **parts,
    }


def item(n: int, kind: str, args: dict[str, Any], **facts: Any) -> dict[str, Any]:
    """A plan item as the desk completes it."""
    return {
        "n": n,
        "body": {"kind": kind, "args": args},
        "needs": [],
        "editable": [],
        "effect": kind,
        "summary": facts.pop("summary", kind),
        "target": facts.pop("target", args.get("path", "")),
        "before_digest": None,
        "after_digest": None,
        "bytes": None,
        "risk": "normal",
        "base": {},
        **facts,
    }


def payment_spec() -> dict[str, Any]:
    """The batch of the main job in small: two payments, a file, a ledger row, two moves, a field, a flag."""
    rows = [
        ["Brightwater Ltd", IBAN, {"$type": "Money", "amount": {"$dec": "1320.00"}, "currency": "EUR"}, {"$date": "2026-12-01"}],
        ["Arden & Hale", "DE89 3704 0044 0532 0130 00", to_plain(Money(_dec("14201.22"), "EUR"), {}), {"$date": "2026-12-03"}],
    ]  # fmt: skip
    return spec(
        plan=[
            item(1, "write_file@1", {"path": "payments/r-1.xml", "data": {"$bytes": "aGVsbG8="}}, bytes=5, after_digest="d" * 64),
            item(2, "append_rows@1", {"path": "ledger.csv", "columns": ["a"], "rows": [["1"]]}),
            item(3, "move_files@1", {"moves": [["in/a.xml", "archive/a.xml"], ["in/b.xml", "archive/b.xml"]]}, target="archive/"),
        ],
        evidence=[
            {
                "kind": "table@1",
                "title": "Payments",
                "data": {"columns": ["supplier", "account", "amount", "due"], "rows": rows, "total": None, "flagged": [1]},
                "source": None,
            },
            {"kind": "text@1", "title": "Note", "data": "line one\nline two", "source": "Mail from Brightwater.eml"},
        ],
        flags=["Account changed since 12 Nov."],
        fields=[
            {
                "name": "hold",
                "type": "list[integer]",
                "label": "Rows to hold back",
                "help": "Row numbers.",
                "choices": None,
                "default": None,
                "required": False,
                "remember": False,
                "remakes": True,
            }
        ],
        figures=[["Total", to_plain(Money(_dec("15521.22"), "EUR"), {})]],
        claims=["invoice:1"],
    )  # fmt: skip


def _dec(text: str) -> Any:
    from decimal import Decimal

    return Decimal(text)


def loads(text: str) -> Any:
    """JSON of a captured stream; exactly one document."""
    return json.loads(text)
