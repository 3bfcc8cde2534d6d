"""Names that are persisted or spoken between processes are compatibility data.

Add a name, never rename one. A name that goes away stays readable for as long as a run may hold it.
"""

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from pathlib import Path, PurePosixPath

import pytest

import counterfoil
from counterfoil import Money, Secret, errors
from counterfoil.authoring import decoding, tags
from counterfoil.authoring.codec import encode
from counterfoil.authoring.parameters import FIELD_CHECKS, FIELD_TYPES
from counterfoil.engine import desk_failures, gate_shapes, killpoints, ports
from counterfoil.engine.desk import IN_FLIGHT
from counterfoil.engine.frames import DEPTH_LIMIT, HEAD, HEADER_LIMIT, TAIL_LIMIT
from counterfoil.engine.holding import RUN_ITSELF
from counterfoil.facts import (
    INLINE_LIMIT,
    AttemptState,
    DoubtPolicy,
    FailureClass,
    FiringOrigin,
    FiringState,
    GateKind,
    GateState,
    LlmEnd,
    NoticeKind,
    Outcome,
    Risk,
    RunState,
    Slot,
    StepKind,
    Verdict,
)
from counterfoil.store import leases, llm_tables, tables, trail_rows
from counterfoil.store.records import record_hash
from counterfoil.store.schema import APPLICATION, SCHEMA

ENGINE = Path(counterfoil.__file__).parent / "engine"
ENUMS: dict[type[StrEnum], dict[str, str]] = {
    RunState: {
        "READY": "ready", "RUNNING": "running", "WAITING": "waiting", "DONE": "done", "FAILED": "failed",
        "CANCELLED": "cancelled",
    },
    GateKind: {
        "APPROVAL": "approval", "QUESTION": "question", "DOUBT": "doubt", "FAILURE": "failure", "CONFLICT": "conflict",
        "BUDGET": "budget",
    },
    GateState: {
        "OPEN": "open", "DECIDED": "decided", "WITHDRAWN": "withdrawn", "EXPIRED": "expired", "SUPERSEDED": "superseded",
    },
    Slot: {
        "OUTCOME": "outcome", "GATE": "gate", "DOUBT": "doubt", "FAILURE": "failure", "CONFLICT": "conflict",
        "BUDGET": "budget",
        "INPUT": "input",
    },
    Verdict: {"APPROVED": "approved", "REJECTED": "rejected", "RETURNED": "returned", "ANSWERED": "answered"},
    StepKind: {
        "STEP": "step", "EFFECT": "effect", "GATE": "gate", "TIMER": "timer", "RACE": "race", "LOOKUP": "lookup",
        "LLM": "llm", "TOOL": "tool",
    },
    Outcome: {"OK": "ok", "FAILED": "failed", "CANCELLED": "cancelled"},
    AttemptState: {"UNKNOWN": "unknown", "OK": "ok", "FAILED": "failed"},
    LlmEnd: {
        "OK": "ok", "REJECTED": "rejected", "NOT_SENT": "not_sent", "UNKNOWN": "unknown", "CUT": "cut",
        "CANCELLED": "cancelled",
    },
    FailureClass: {
        "TRANSIENT": "transient", "STRUCTURAL": "structural", "UNKNOWN": "unknown", "RESTARTED": "restarted",
    },
    DoubtPolicy: {"RETRY": "retry", "RECONCILE": "reconcile", "ASK": "ask"},
    Risk: {
        "NORMAL": "normal", "RUNS_LATER": "runs_later", "SENDS": "sends", "SPENDS": "spends", "DESTROYS": "destroys",
    },
    FiringState: {
        "QUEUED": "queued", "STARTED": "started", "SKIPPED": "skipped", "MISSED": "missed", "BLOCKED": "blocked",
    },
    FiringOrigin: {"GRID": "grid", "NOW": "now", "AGAIN": "again", "FOLDER": "folder", "RUN": "run"},
    NoticeKind: {"NOT_READY": "not_ready", "AWAY": "away", "HELD_UP": "held_up", "NOTHING": "nothing", "ZONE": "zone",
                 "CLOCK": "clock", "MAIL": "mail", "HOLIDAYS": "holidays", "SILENT": "silent"},
    ports.Permission: {"ALLOW": "allow", "ASK": "ask", "DENY": "deny"},
    ports.Finding: {"HAPPENED": "happened", "NOT_HAPPENED": "not_happened", "UNKNOWN": "unknown"},
}  # fmt: skip


@pytest.mark.parametrize("enum", ENUMS, ids=lambda enum: enum.__name__)
def test_states_and_kinds(enum: type[StrEnum]) -> None:
    assert {member.name: member.value for member in enum} == ENUMS[enum]


def test_kill_points() -> None:
    assert {
        "after_claim", "after_blob", "after_intent", "after_perform", "after_outcome", "after_record", "after_gate",
        "after_decision", "after_journal", "after_each_file",
    } == killpoints.NAMES  # fmt: skip


def test_frames() -> None:
    """What a session may say and what it is answered, as written in the engine."""
    source = "".join(file.read_text() for file in ENGINE.glob("*.py"))
    spoken = set(re.findall(r'"t": "([a-z]+)"', source))
    calls = {
        "step", "attempt", "resume", "effect", "perform", "gate", "timer", "lookup", "race", "put", "fetch", "done", "fail",
        "llm",
    }  # fmt: skip
    tells = {"idle", "say", "begin"}
    assert spoken == calls | tells
    replies = set(re.findall(r'"k": "([a-z]+)"', source))
    assert replies == {"ok", "close", "again", "failed", "value", "refused"}
    assert (IN_FLIGHT, HEADER_LIMIT, TAIL_LIMIT, DEPTH_LIMIT) == (64, 256 * 1024, 1024 * 1024, 64)
    assert (HEAD.format, INLINE_LIMIT, RUN_ITSELF) == ("<II", 65_536, ("", -1))


def test_words_of_the_codec() -> None:
    written = {
        '{"$dec":"1.50"}': Decimal("1.50"),
        '{"$date":"2026-11-30"}': date(2026, 11, 30),
        '{"$at":"2026-11-30T08:55:00+00:00"}': datetime(2026, 11, 30, 8, 55, tzinfo=UTC),
        '{"$span":90000000}': timedelta(seconds=90),
        '{"$path":"a/b"}': PurePosixPath("a/b"),
        '{"$bytes":"YWJj"}': b"abc",
        '{"$secret":"token"}': Secret("token"),
        '{"$map":[[1,2]]}': {1: 2},
        '{"$type":"Money","amount":{"$dec":"5"},"currency":"EUR"}': Money(Decimal(5), "EUR"),
    }
    assert {encode(value): value for value in written.values()} == written
    sha = "bca09f4a757d5571c7d9f3341d4301f3c391c090826acc1a3013c6bcb7c01722"
    assert encode(b"x" * 70_000) == f'{{"$blob":"{sha}","size":70000}}'
    assert set(tags._SHAPES) == {
        "$dec", "$date", "$at", "$span", "$path", "$bytes", "$blob", "$secret", "$map", "$type",
    }  # fmt: skip
    assert set(decoding._TAGS) == set(tags._SHAPES) - {"$blob", "$type"}


def test_words_of_gates() -> None:
    plain = {"text", "integer", "boolean", "decimal", "date", "period", "instant", "money", "folder", "file"}
    assert plain | {"choice"} | {f"list[{name}]" for name in plain} == FIELD_TYPES
    assert "iban" in FIELD_CHECKS
    assert {
        "kind", "title", "plan", "evidence", "flags", "fields", "figures", "claims", "partial", "round", "expires_for",
    } == gate_shapes._KEYS  # fmt: skip
    assert {"table@1", "fields@1", "text@1", "file@1"} <= set(gate_shapes._EVIDENCE)
    assert gate_shapes.KINDS == {"approve": "approval", "ask": "question"}
    assert desk_failures.RETRY == "retry"
    assert [field["choices"] for field in desk_failures.failure_fields()] == [["retry", "skip", "stop"], None]


def test_error_codes() -> None:
    """Scripts look at them (contract.md 4)."""
    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.CounterfoilError)
    ]
    codes = {kind.__name__: (kind.code, kind.exit_code) for kind in kinds}
    expected = {
        "CounterfoilError": ("error", 1),
        "WrongUse": ("wrong_use", 2),
        "WrongParameter": ("wrong_parameter", 2),
        "UnknownTemplate": ("unknown_template", 2),
        "BrokenTemplate": ("broken_template", 2),
        "PackagesMissing": ("packages_missing", 2),
        "FetchFailed": ("fetch_failed", 1),
        "NotExported": ("not_exported", 1),
        "UnknownGate": ("unknown_gate", 2),
        "UnknownRun": ("unknown_run", 2),
        "WrongWorkspace": ("wrong_workspace", 2),
        "WrongAnswer": ("wrong_answer", 2),
        "Declined": ("refused", 1),
        "GateClosed": ("gate_closed", 1),
        "AlreadyDecided": ("already_decided", 1),
        "StaleDigest": ("stale_digest", 1),
        "ClaimedElsewhere": ("claimed_elsewhere", 1),
        "NeedsConfirmation": ("needs_confirmation", 1),
        "NothingToUndo": ("nothing_to_undo", 1),
        "UndoRefused": ("undo_refused", 1),
        "NotAllowed": ("not_allowed", 1),
        "RunEnded": ("run_ended", 1),
        "RunnerTrouble": ("runner", 1),
        "StoreTrouble": ("store", 1),
        "NewerDatabase": ("newer_database", 1),
        "RunDamaged": ("run_damaged", 1),
        "DiskFull": ("disk_full", 1),
        "Damaged": ("damaged", 1),
        "SecretMissing": ("secret_missing", 1),
    }
    assert {name: codes.get(name) for name in expected} == expected


def test_tables_and_their_columns() -> None:
    """A column more is a migration; a column that goes away, or changes its name, is a break."""
    kept = {
        "record": "row run_id path ordinal kind name args_digest outcome payload payload_blob summary started_at committed_at "
        "attempts key origin hash",
        "intent": "run_id path ordinal kind body body_blob digest key policy gate_id item committed_at",
        "attempt": "row run_id path ordinal n kind name state started_at ended_at failure_class message detail next_at",
        "decision": "row gate_id principal verdict answers comment on_behalf_of at effective_at digest signature voided_at",
        "seal": "gate_id n body base digest spent_at_path spent_at_ordinal",
        "claim": "gate_id key workspace run_id held",
        "timer": "run_id path ordinal kind args_digest set_at due_at state",
        "trail": "seq at by kind subject summary before after prev_hash hash",
        "blob": "sha size stored_at",
        "schedule": "schedule_id number name rev template workspace rule zone policy parameters paused paused_by effective_from "
        "next_at wake_at created_at created_by removed_at",
        "firing": "schedule_id origin due_at rev state reason run_id settled_at",
        "notice": "row kind subject body at closed_at closed_by",
        "stage": "run_id taken_at files octets left_out",
        "staged_change": "row run_id path ordinal file kind sha size mode settled gate_id",
        "standing": "name value at by",
        "handled": "owner key at",
        "llm_call": "run_id path ordinal name digest after_path after_ordinal opening opening_blob delta delta_blob compacted rounds "
        "asked_at",
        "llm_attempt": "row run_id path ordinal n route provider host llm asked started_at ended_at end charge tokens told response "
        "response_blob",
        "llm_route": "name stays at by",
        "llm_entry": "entry_id route rank provider address llm key window priced price_in price_out",
        "llm_budget": "scope subject most most_tokens at by",
    }
    assert llm_tables.llm_call.name in tables.metadata.tables
    found = {name: [column.name for column in tables.metadata.tables[name].columns] for name in kept}
    assert {name: [word for word in words.split() if word not in found[name]] for name, words in kept.items()} == {
        name: [] for name in kept
    }
    assert (SCHEMA, APPLICATION, trail_rows.START, leases.TTL_US) == (17, 0x43666C31, "0" * 64, 15_000_000)


def test_hashes_of_a_record_and_of_an_entry() -> None:
    """A chain that was begun must be checkable for ever, so the way it is computed is pinned by two examples."""
    record = {
        "run_id": "r" * 32, "path": "0/1", "ordinal": 2, "kind": "step", "name": "read", "args_digest": "a" * 64, "outcome": "ok",
        "payload": '{"x":"\N{EURO SIGN}"}', "payload_blob": False, "summary": None, "started_at": 1, "committed_at": 2,
        "attempts": 1, "key": None, "origin": None,
    }  # fmt: skip
    entry = {
        "seq": 1, "at": 5, "by": "user:anna", "kind": "decision", "subject": "r" * 32, "summary": "yes", "before": None,
        "after": "{}", "prev_hash": trail_rows.START,
    }  # fmt: skip
    assert record_hash("r" * 32, record) == "187c123a5505b690e192f756389af2dfadc47cf7007b384d0c46fe8596dd5a55"
    assert trail_rows.entry_hash(entry) == "124977fad2bf5b127ae024dedd86a6e778dbdac84ab48792bc892b1809694a33"
