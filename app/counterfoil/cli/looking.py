"""Looking without touching: `inbox`, `runs`, `show`."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Any

import typer

from counterfoil.cli.call import Call
from counterfoil.cli.file_sheet import diff_entry
from counterfoil.cli.gate_sheet import Folding, answer_lines, gate_sheet, prior_lines
from counterfoil.cli.opening import Opened, opened, workspace_of
from counterfoil.cli.options import Context, Limit, OnlyWorkspace, call_of
from counterfoil.cli.run_sheet import run_sheet
from counterfoil.cli.tables import table
from counterfoil.cli.talk_sheet import talk_sheet
from counterfoil.cli.words import Cell, cell, clock, counted, gate_title, handed, person, run_state, took
from counterfoil.clock import iso
from counterfoil.errors import UnknownRun, WrongUse, did_you_mean
from counterfoil.facts import RunState
from counterfoil.inbox.accounts import account
from counterfoil.inbox.finding import find_gate, find_run
from counterfoil.inbox.refusing import rules_here
from counterfoil.policy import protection
from counterfoil.previews.showing import PlanFiles
from counterfoil.schedules.telling import notice_sentences
from counterfoil.store import asides, gates
from counterfoil.store import runs as run_rows
from counterfoil.store.gate_glance import GateGlance
from counterfoil.store.glance import Glance
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.asked import spec_of
from counterfoil.views.conversations import conversations_of
from counterfoil.views.gates import answers_on, gate_document, inbox_rows
from counterfoil.views.gates import inbox as inbox_documents
from counterfoil.views.prior import prior
from counterfoil.views.runs import run_detail, run_document, run_documents

_SHOWN = 50  # rows a person is shown unless more are asked for; JSON is never shortened unasked


def inbox(context: Context, workspace: OnlyWorkspace = None, limit: Limit = None) -> None:
    """What waits for a person, the oldest question first."""
    call = call_of(context)
    only = None if workspace is None else str(workspace_of(workspace))
    with opened(call) as home, home.database.snapshot() as conn:
        if call.json:
            found = inbox_documents(conn, home.blobs, workspace=only, limit=limit)
            call.document([_with_snooze(conn, home, gate) for gate in found])
            return
        waiting = gates.count_open(conn)
        rows = inbox_rows(conn, workspace=only, limit=limit or _SHOWN)
        told = notice_sentences(conn) if only is None else []
        notes = _notes(conn, home, [row["gate_id"] for row in rows])
    for sentence in told:
        call.say(sentence)
    if not rows:
        call.say("nothing waits for you." if waiting == 0 else "nothing waits for you in this workspace.")
        return
    names = ["gate", "title", "run", "asked", "until", "note"]
    call.lines(table(names, [_gate_cells(row, notes.get(row["gate_id"], "")) for row in rows], call.width))
    if only is None and len(rows) < waiting:
        call.say(f"{len(rows)} of {waiting:,} shown; --limit {waiting} shows them all.")
    call.say(f"see one with: counterfoil show g-{rows[0]['number']}")


def _with_snooze(conn: Connection, home: Opened, gate: dict[str, Any]) -> dict[str, Any]:
    """A gate's document with until when the account that asks has snoozed it."""
    until = asides.asleep(conn, account(), home.database.clock.now_us()).get(gate["gate_id"])
    return {**gate, "snoozed_until": iso(until)}


def _notes(conn: Connection, home: Opened, gate_ids: list[str]) -> dict[str, str]:
    """What stands beside each gate: whom it was given to, or until when it is snoozed."""
    asleep = asides.asleep(conn, account(), home.database.clock.now_us())
    notes = {gate_id: f"snoozed until {clock(until)}" for gate_id, until in asleep.items()}
    given = asides.givings(conn, gate_ids)
    return notes | {gate_id: handed(row["asked"], row["given_by"]) for gate_id, row in given.items()}


def _gate_cells(row: dict[str, Any], note: str) -> list[Cell]:
    return [
        Cell(f"g-{row['number']}"),
        Cell(gate_title(row)),
        Cell(f"r-{row['run_number']} {row['run_title']}"),
        Cell(clock(row["asked_at"])),
        Cell(clock(row["due_at"]) or "no deadline"),
        Cell(note),
    ]


def runs(
    context: Context,
    workspace: OnlyWorkspace = None,
    state: Annotated[
        list[str] | None,
        typer.Option(
            "--state", metavar="STATE", help=f"Only {', '.join(RunState)}; may be repeated.", show_default=False
        ),
    ] = None,
    limit: Limit = None,
) -> None:
    """Runs, newest first."""
    call = call_of(context)
    only = None if workspace is None else str(workspace_of(workspace))
    states = [_state(text) for text in state or []]
    most = limit if call.json else limit or _SHOWN
    with opened(call) as home, home.database.snapshot() as conn:
        rows = run_rows.page(conn, states=states, workspace=only, limit=None if most is None else most + 1)
        documents = run_documents(conn, home.blobs, rows[:most])
    if call.json:
        call.document(documents)
        return
    if not documents:
        call.say("no runs here. Start one: counterfoil run TEMPLATE")
        return
    priced = any(Decimal(run["cost"]["amount"]) for run in documents if run["cost"] is not None)
    names = ["run", "title", "state", "started by", "started", "took", *(["cost"] if priced else [])]
    rows_shown = [[*_run_cells(run), *([cell(run["cost"])] if priced else [])] for run in documents]
    call.lines(table(names, rows_shown, call.width))
    if len(rows) > len(documents):
        call.say(f"the newest {counted(len(documents), 'run is', 'runs are')} shown; --limit N shows more.")


def _state(text: str) -> RunState:
    try:
        return RunState(text)
    except ValueError:
        advice = did_you_mean(text, RunState) or f"Write one of: {', '.join(RunState)}."
        raise WrongUse(f"‘{text}’ is no state of a run.", advice) from None


def _run_cells(run: dict[str, Any]) -> list[Cell]:
    return [
        Cell(f"r-{run['number']}"),
        Cell(run["title"]),
        Cell(run_state(run)),
        Cell(person(run["started_by"])),
        Cell(clock(run["created_at"])),
        Cell(took(run["started_at"], run["ended_at"]), figure=True),
    ]


def show(
    context: Context,
    reference: Annotated[
        str, typer.Argument(metavar="RUN|GATE", help="r-12, g-81, or the beginning of an id.", show_default=False)
    ],
    whole: Annotated[bool, typer.Option("--all", help="Also the checks that passed.")] = False,
    talk: Annotated[bool, typer.Option("--talk", help="What was said between the run and its llms.")] = False,
) -> None:
    """Everything about one run or one gate."""
    call = call_of(context)
    with opened(call) as home, home.database.snapshot() as conn:
        gate, run = look_up(conn, reference)
        if gate is not None and talk:
            raise WrongUse("A gate has no talk of its own.", "Ask for that of its run: counterfoil show r-12 --talk")
        if gate is not None:
            show_gate(call, home, conn, gate, Folding.NOTHING if whole else Folding.PASSED)
        elif run is not None and talk:
            talks = conversations_of(conn, home.blobs, run)
            call.document(talks)
            call.lines(list(talk_sheet(talks)))
        elif run is not None:
            detail = run_detail(conn, home.blobs, call.home, run)
            call.document(detail)
            call.lines(run_sheet(detail, call.width, protection.sentence(run["isolation"])))


def show_gate(call: Call, home: Opened, conn: Connection, row: Row, folding: Folding) -> None:
    """One gate, as a document or as a sheet."""
    gate = _with_snooze(conn, home, gate_document(conn, home.blobs, row))
    run = run_rows.get(conn, row["run_id"])
    files = PlanFiles(home.home, home.blobs).of_gate(conn, row, run["workspace"])
    if call.json:
        call.document({**gate, "evidence": [*gate["evidence"], *map(diff_entry, files)]})
        return
    shown = run_document(conn, home.blobs, run)
    said = protection.sentence(run["isolation"])
    look = Glance(call.home)
    try:
        before = prior_lines(prior(GateGlance(look), dict(run), dict(row)), run["number"])
    finally:
        look.close()
    spec = spec_of(home.blobs, row)
    call.lines(gate_sheet(gate, spec, shown, call.width, folding, files, protection=said, before=before))
    why_owner = rules_here(conn, home.home, spec).why_owner
    call.lines([why_owner] if why_owner else [])
    for given in answers_on(conn, row["gate_id"]):
        call.lines([f"  {line}" for line in answer_lines(given)])


def look_up(conn: Connection, reference: str) -> tuple[Row | None, Row | None]:
    """The gate or the run that a reference means; one of both is there.

    Raises:
        UnknownGate, UnknownRun: neither is, or both begin like that.
    """
    if reference.lower().startswith("g-"):
        return find_gate(conn, reference), None
    if reference.lower().startswith("r-"):
        return None, find_run(conn, reference)
    found_gates, found_runs = gates.find(conn, reference.lower()), run_rows.find(conn, reference.lower())
    if found_gates and found_runs:
        raise UnknownRun(f"A gate and a run begin with ‘{reference}’.", "Write more of the id, or r-12 or g-81.")
    if found_gates:
        return find_gate(conn, reference), None
    try:
        return None, find_run(conn, reference)
    except UnknownRun as problem:
        raise UnknownRun(
            f"There is no run and no gate ‘{reference}’.", "See: counterfoil runs, counterfoil inbox"
        ) from problem
