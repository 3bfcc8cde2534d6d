"""`trail`: the account of everything that was done, and the check that nobody changed it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.cli.call import Call
from counterfoil.cli.opening import opened
from counterfoil.cli.options import Context, Limit, call_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell, clock, person, size
from counterfoil.clock import iso
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.inbox.exporting import export_evidence, look_at_evidence
from counterfoil.inbox.finding import find_run
from counterfoil.store.transactions import Connection
from counterfoil.trail import LIMIT, Verdict, verify
from counterfoil.views.evidence import plain_members
from counterfoil.views.trail_entries import trail_documents

_SHOWN = 50


def trail(
    context: Context,
    check: Annotated[
        bool, typer.Option("--verify", help="Compute every hash anew and say what does not match.")
    ] = False,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN", help="Only entries about this run.", show_default=False)
    ] = None,
    limit: Limit = None,
    evidence: Annotated[
        str | None,
        typer.Option(
            "--evidence", metavar="RUN", help="What a pack of evidence of this run holds.", show_default=False
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="FILE.zip", help="Write that pack; it is checked by Python alone.", show_default=False
        ),
    ] = None,
) -> int:
    """What was done, by whom and when; the newest entry last."""
    call = call_of(context)
    if out is not None and evidence is None:
        raise WrongUse("--out writes evidence of one run.", "Name it: counterfoil trail --evidence r-12 --out FILE.zip")
    if evidence is not None:
        return _evidence(call, evidence, out)
    with opened(call) as home, home.database.snapshot() as conn:
        return _verify(call, conn) if check else _list(call, conn, run, limit)


def _evidence(call: Call, reference: str, out: Path | None) -> int:
    """What a pack holds, and with `out` the pack itself."""
    target = out.expanduser().absolute() if out is not None else None
    with opened(call) as home:
        with home.database.snapshot() as conn:
            run_id = find_run(conn, reference)["run_id"]
        if target is None:
            found = look_at_evidence(home.database, home.blobs, call.home, run_id)
        else:
            found = export_evidence(home.database, home.blobs, call.home, run_id, target, account())
    members = plain_members(found)
    call.document(
        {
            "run_id": run_id,
            "file": None if target is None else str(target),
            "seal": found.seal,
            "bytes": found.size,
            "members": members,
            "gone": list(found.gone),
            "damaged": list(found.damaged),
        }
    )
    rows = [[Cell(one["name"]), Cell(size(one["bytes"]), figure=True), Cell(one["means"])] for one in members]
    call.lines(table(["member", "size", "what"], rows, call.width))
    for name in found.damaged:
        call.say(f"{name} cannot be read, so it is not in the pack; the pack says so.")
    if target is None:
        call.say("nothing was written; to export it: add --out FILE.zip")
    else:
        call.line(f"{target} is written. Seal: {found.seal}")
        call.say("keep the seal elsewhere; unpacked, it is checked by: python -I verify.py")
    return 0


def _list(call: Call, conn: Connection, run: str | None, limit: int | None) -> int:
    subject = None if run is None else find_run(conn, run)["run_id"]
    most = limit if call.json or limit else _SHOWN
    entries = trail_documents(conn, subject=subject, limit=most)
    call.document(entries)
    if entries:
        call.lines(table(["entry", "at", "who", "what"], [_cells(entry) for entry in entries], call.width))
    else:
        call.say("the trail is empty: nothing was done yet.")
    if not call.json and len(entries) == most:
        call.say(f"the newest {most} entries are shown; --limit N shows more, --verify checks them all.")
    return 0


def _cells(entry: dict[str, Any]) -> list[Cell]:
    return [
        Cell(str(entry["seq"]), figure=True),
        Cell(clock(entry["at"])),
        Cell(person(entry["by"])),
        Cell(entry["summary"]),
    ]


def _verify(call: Call, conn: Connection) -> int:
    verdict = verify(conn)
    call.document(_document(verdict))
    for sentence in verdict.broken or [verdict.sentence()]:
        call.line(sentence)
    call.line(LIMIT)
    call.line(f"Seal of the newest entry: {verdict.seal}")
    return 0 if verdict.ok else 1


def _document(verdict: Verdict) -> dict[str, Any]:
    return {
        "ok": verdict.ok,
        "entries": verdict.entries,
        "runs": verdict.runs,
        "records": verdict.records,
        "first_at": iso(verdict.first_us),
        "last_at": iso(verdict.last_us),
        "seal": verdict.seal,
        "broken": verdict.broken,
        "sentence": verdict.sentence(),
        "limit": LIMIT,
    }
