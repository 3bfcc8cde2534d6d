"""Fills a home with years of use in seconds, by executemany: runs, records, gates, decisions and the trail, chained as the engine does.

The rows are what the window, the views and the trail check read; template code and blobs are not there, so nothing of it can be advanced.
"""

import argparse
import json
import random
import sqlite3
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.authoring.codec import canonical, digest, to_plain
from counterfoil.engine.gate_lines import line_of
from counterfoil.facts import Money
from counterfoil.places import Home
from counterfoil.store import records, trail_rows
from counterfoil.store.database import open_database

VERSION = "ab" * 32
START = 1_700_000_000_000_000  # microseconds
MINUTE = 60_000_000
PEOPLE = ("user:anna", "user:ben", "schedule:Weekly payments")
SUPPLIERS = (
    "Brightwater Logistics Ltd",
    "Halden Paper AS",
    "Donau Druck GmbH",
    "Maison Cuvier SARL",
    "Tallow & Sons Ltd",
)
STEPS = ("read_invoices", "read_tables", "claims", "judge", "list_checks", "make_batch", "read_payment_file")
_BATCH = 5000


@dataclass
class _Tables:
    """Rows on their way into the database."""

    conn: sqlite3.Connection
    now: int  # deadlines lie after it, or a runner would have them pass
    waiting: dict[str, list[Sequence[Any]]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def add(self, table: str, **row: Any) -> None:
        """Put a row; columns are those of the first row of a table."""
        rows = self.waiting.setdefault(table, [])
        if table not in self.texts:
            names = ", ".join(f'"{name}"' for name in row)
            self.texts[table] = f"INSERT INTO {table} ({names}) VALUES ({', '.join('?' * len(row))})"
        rows.append(tuple(row.values()))
        if len(rows) >= _BATCH:
            self.flush(table)

    def flush(self, table: str | None = None) -> None:
        """Write what waits."""
        for name in [table] if table else list(self.waiting):
            rows = self.waiting.pop(name, [])
            if rows:
                self.conn.executemany(self.texts[name], rows)


def fill(home: Home, *, runs: int = 100_000, per_run: int = 10, open_gates: int = 10_000, workspaces: int = 6) -> None:
    """Write so many runs with so many records each; the newest `open_gates` of them wait for a person."""
    open_database(home).close()
    conn = sqlite3.connect(home.database, isolation_level=None)
    conn.execute("PRAGMA synchronous=OFF")
    conn.execute("PRAGMA foreign_keys=OFF")
    conn.execute("PRAGMA cache_size=-200000")
    conn.execute("BEGIN")
    tables = _Tables(conn, time.time_ns() // 1000)
    _version(tables)
    chance = random.Random(7)
    trail = _Trail(tables)
    for number in range(1, runs + 1):
        _run(tables, trail, chance, number, per_run, number > runs - open_gates, workspaces)
    tables.flush()
    conn.execute("COMMIT")
    conn.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    conn.close()


def _version(tables: _Tables) -> None:
    manifest = {"name": "pay-invoices", "title": "Supplier payments", "run_title": "Supplier payments, {folder}"}
    tables.add(
        "template_version",
        digest=VERSION,
        name="pay-invoices",
        title="Supplier payments",
        manifest=canonical(manifest),
        parameters="[]",
        source="cd" * 32,
        origin="bundled",
        program="0.1.0",
        stored_at=START,
    )


@dataclass
class _Trail:
    """The home's chain."""

    tables: _Tables
    seq: int = 0
    hash: str = trail_rows.START

    def add(self, at: int, by: str, kind: str, subject: str, summary: str, after: Any = None) -> None:
        """One entry."""
        self.seq += 1
        entry: dict[str, Any] = {
            "seq": self.seq,
            "at": at,
            "by": by,
            "kind": kind,
            "subject": subject,
            "summary": summary,
            "before": None,
            "after": None if after is None else json.dumps(after, sort_keys=True, ensure_ascii=False),
            "prev_hash": self.hash,
        }
        entry["hash"] = self.hash = trail_rows.entry_hash(entry)
        self.tables.add("trail", **entry)


def _run(
    tables: _Tables, trail: _Trail, chance: random.Random, number: int, per_run: int, waits: bool, workspaces: int
) -> None:
    run_id = f"{chance.getrandbits(128):032x}"
    at = START + number * 5 * MINUTE
    by = PEOPLE[number % len(PEOPLE)]
    title = f"Supplier payments, week {number % 52 + 1}"
    state = "waiting" if waits else "cancelled" if number % 97 == 0 else "failed" if number % 193 == 0 else "done"
    error: dict[str, Any] = {
        "kind": state,
        "message": "The column ‘Amount’ is missing",
        "step": None,
        "next": None,
        "in_doubt": [],
    }
    tables.add(
        "run",
        run_id=run_id,
        number=number,
        template="pay-invoices",
        version=VERSION,
        workspace=f"/srv/team/{('Payables', 'Sales', 'Travel', 'Contracts', 'Stock', 'Board')[number % workspaces]}",
        title=title,
        state=state,
        fence=1,
        seed=run_id,
        parameters='{"folder":"invoices"}',
        created_at=at,
        started_at=at + 1000,
        ended_at=None if waits else at + MINUTE,
        started_by=by,
        result='{"payments":2,"summary":"payments.xml is written."}' if state == "done" else None,
        error=canonical(error) if state in ("failed", "cancelled") else None,
        isolation="L0",
        program="0.1.0",
        recoveries=0,
        recovered_at_count=0,
        lost=False,
        ready_at=None,
        cancel_by=None,
        activity=None,
    )
    trail.add(at, by, "run_started", run_id, f"Started “{title}” as run {number}")
    head = run_id
    for row in _records(run_id, at, per_run):
        row["hash"] = head = records.record_hash(head, row)
        tables.add("record", **row)
    _gate(tables, trail, chance, number, run_id, at, waits, per_run, head)
    if state == "done":
        _effect(tables, run_id, at, per_run)
        trail.add(at + MINUTE, "runner", "run_done", run_id, f"Run {number} “{title}” is done", {"head": head})


def _records(run_id: str, at: int, count: int) -> Iterator[dict[str, Any]]:
    for ordinal in range(count):
        yield {
            "run_id": run_id,
            "path": "",
            "ordinal": ordinal,
            "kind": "step",
            "name": STEPS[ordinal % len(STEPS)],
            "args_digest": "0" * 64,
            "outcome": "ok",
            "payload": '{"count":2}',
            "payload_blob": False,
            "summary": "2 invoices, 0 other files",
            "started_at": at + ordinal * 1000,
            "committed_at": at + ordinal * 1000 + 500,
            "attempts": 1,
            "key": None,
            "origin": None,
        }


def _effect(tables: _Tables, run_id: str, at: int, ordinal: int) -> None:
    tables.add(
        "intent",
        run_id=run_id,
        path="",
        ordinal=ordinal + 1,
        kind="write_file@1",
        body="{}",
        body_blob=False,
        digest="0" * 64,
        key=f"k-{run_id[:8]}",
        policy="reconcile",
        gate_id=None,
        item=None,
        committed_at=at,
    )


def spec_of(chance: random.Random, number: int) -> dict[str, Any]:
    """What a gate shows: two payments, a written file, a ledger row."""
    rows = [
        [SUPPLIERS[(number + at) % len(SUPPLIERS)], f"RE-{number}-{at}", "GB29 NWBK 6016 1331 9268 19", _euro(chance)]
        for at in range(2)
    ]
    base: dict[str, Any] = {
        "before_digest": None,
        "after_digest": "0" * 64,
        "bytes": 2000,
        "risk": "normal",
        "base": {},
    }
    body = {"kind": "write_file@1", "args": {"path": f"payments/r-{number}.xml", "data": {"$bytes": "aGVsbG8="}}}
    item: dict[str, Any] = {
        "n": 1,
        "body": body,
        "needs": [],
        "editable": [],
        "effect": "write_file",
        "summary": "Write",
        **base,
    }
    columns = ["Supplier", "Invoice", "Account", "Amount"]
    table = {"columns": columns, "rows": rows, "total": None, "flagged": []}
    return {
        "kind": "approval",
        "title": f"Write payment file for 2 invoices of week {number % 52 + 1}",
        "plan": [{**item, "target": f"payments/r-{number}.xml"}],
        "evidence": [{"kind": "table@1", "title": "Payments", "data": table, "source": None}],
        "flags": ["First payment to Halden Paper AS."] if number % 4 == 0 else [],
        "fields": [],
        "figures": [["Total", _euro(chance)]],
        "claims": [],
        "partial": False,
        "round": 1,
        "expires_for": None,
        "about": {},
    }


def _euro(chance: random.Random) -> Any:
    amount = f"{chance.randrange(100, 2_000_000) / 100:.2f}"
    return {"$type": Money.__name__, "amount": {"$dec": amount}, "currency": to_plain("EUR", {})}


def _gate(
    tables: _Tables,
    trail: _Trail,
    chance: random.Random,
    number: int,
    run_id: str,
    at: int,
    waits: bool,
    ordinal: int,
    head: str,
) -> None:
    gate_id = f"{chance.getrandbits(128):032x}"
    spec = spec_of(chance, number)
    text, line = canonical(spec), line_of(spec)
    seal = digest(text)
    asked = at + MINUTE // 2
    tables.add(
        "gate",
        gate_id=gate_id,
        number=number,
        run_id=run_id,
        path="",
        ordinal=ordinal,
        slot="outcome",
        kind="approval",
        state="open" if waits else "decided",
        title=spec["title"],
        asked_digest=seal,
        digest=seal,
        round=1,
        asked_at=asked,
        due_at=tables.now + (60 + number % 20_000) * MINUTE if waits and number % 10 == 0 else None,
        on_due=None,
        closed_at=None if waits else at + MINUTE,
        closed_why=None,
        taken_at=None if waits else at + MINUTE,
        why=line.why,
        figure=line.figure,
        bulk=line.bulk,
        search=line.search,
        spec=text,
        spec_blob=False,
    )
    trail.add(asked, "runner", "gate", run_id, f"Asked “{spec['title']}” (g-{number})", {"gate": gate_id, "head": head})
    if waits:
        return
    by = PEOPLE[number % 2]
    tables.add(
        "decision",
        gate_id=gate_id,
        principal=by,
        verdict="approved",
        answers="{}",
        comment="",
        on_behalf_of=None,
        at=at + MINUTE,
        effective_at=at + MINUTE,
        digest=seal,
        signature="account",
        voided_at=None,
    )
    trail.add(
        at + MINUTE,
        by,
        "decision",
        run_id,
        f"{by} approved “{spec['title']}”, seal {seal[:4]} {seal[4:8]}",
        {"gate": gate_id, "verdict": "approved", "digest": seal, "comment": "", "answers": {}},
    )


def main(arguments: Sequence[str]) -> int:
    """`python tests/benchmarks/fill.py DIR [--runs N] [--per-run N] [--open N]`: fill a data folder to look at by hand."""
    parser = argparse.ArgumentParser()
    parser.add_argument("home", type=Path)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--per-run", type=int, default=10)
    parser.add_argument("--open", type=int, default=10_000)
    given = parser.parse_args(arguments)
    began = time.perf_counter()
    home = Home(given.home.resolve())
    fill(home, runs=given.runs, per_run=given.per_run, open_gates=given.open)
    size = home.database.stat().st_size / 1e6
    print(f"{given.runs:,} runs in {time.perf_counter() - began:.1f} s, {size:,.0f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
