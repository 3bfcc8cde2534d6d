"""`demo`: the main job on a fresh copy of the sample, from the folder of invoices to the written payment file, with a person asked
in between. It needs nothing beside it and runs in the normal home, so that every other command shows what it did."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.catalogue.finding import find_template
from counterfoil.catalogue.samples import TEMPLATE, copy_sample, sample_parameters, today_here
from counterfoil.cli.call import Call
from counterfoil.cli.gate_sheet import Folding, how_to_decide
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.looking import show_gate
from counterfoil.cli.opening import Opened, opened
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.run_sheet import result_lines
from counterfoil.cli.starting import start
from counterfoil.cli.watching import exit_code, follow
from counterfoil.cli.words import clock, seal
from counterfoil.errors import WrongAnswer
from counterfoil.facts import GateKind, Verdict
from counterfoil.inbox.accounts import account
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.store import gates
from counterfoil.store.transactions import Row
from counterfoil.views.gates import gate_document
from counterfoil.views.runs import run_detail, run_document

_YES, _NO, _LEAVE = "y", "r", "q"


def demo(
    context: Context,
    yes: Annotated[
        bool, typer.Option("--yes", help="Hold every exception and approve the rest as it stands, without asking.")
    ] = False,
    into: Annotated[
        Path | None,
        typer.Option(
            "--into",
            metavar="DIR",
            help="The fresh folder to work in; else one in the data folder.",
            show_default=False,
        ),
    ] = None,
) -> int:
    """Check the sample invoices and stop for you: a first run to look at."""
    call = call_of(context)
    with opened(call) as home:
        keep_logs(call.home)
        place = copy_sample(call.home, into)
        call.line(f"A copy of the sample lies in {place}.")
        call.line("It is read and checked; then you are asked. Nothing leaves this computer.")
        row = start(call, home, find_template(TEMPLATE, place, call.home), place, sample_parameters(today_here()), [])
        row = _through_gates(call, home, row["run_id"], yes=yes)
        _finish(call, home, row)
    return exit_code(row)


def _through_gates(call: Call, home: Opened, run_id: str, *, yes: bool) -> Row:
    """Follow the run and put every gate before the person, until it has ended or one is left open; its row."""
    while True:
        row = follow(call, home, run_id)
        asked = gates.open_of_runs(home.database.reader, [run_id])
        if not asked:
            return row
        _show(call, home, asked[0])
        if not (yes and _may_say_yes(asked[0])) and not call.can_ask:
            return row
        if not _decided(call, home, asked[0], yes=yes):
            return row


def _show(call: Call, home: Opened, gate: Row) -> None:
    call.line()
    with home.database.snapshot() as conn:
        if not call.json:
            show_gate(call, home, conn, gate, Folding.LONG)
    call.line()


def _may_say_yes(gate: Row) -> bool:
    """A doubt or a failure is answered by a person who knows, never by an option."""
    return gate["kind"] in (GateKind.APPROVAL, GateKind.QUESTION)


def _decided(call: Call, home: Opened, gate: Row, *, yes: bool) -> bool:
    """Decide one gate; False where it is left open."""
    answer = _YES if yes else _asked(gate)
    if answer == _LEAVE:
        return False
    if answer == _NO:
        wish = _wish(gate, Verdict.REJECTED, typer.prompt("Why (kept with the decision)"))
    else:
        wish = _wish(gate, Verdict.APPROVED if gate["kind"] == GateKind.APPROVAL else Verdict.ANSWERED, "")
    try:
        made = decide(home.database, home.blobs, gate["gate_id"], wish)
    except WrongAnswer as problem:
        call.say(str(problem))
        return False
    call.line(f"g-{gate['number']}: {made.verdict} at {clock(made.at)}, seal {seal(made.digest)}.")
    return True


def _asked(gate: Row) -> str:
    """Ask on the terminal until one of the answers is given; end of input leaves the gate open."""
    if not _may_say_yes(gate):
        return _LEAVE
    what = "approve as it stands" if gate["kind"] == GateKind.APPROVAL else "go on as it stands, holding what is open"
    while True:
        try:
            typed = input(f"{_YES} = {what}, {_NO} = reject, {_LEAVE} = leave it open: ").strip().lower()
        except EOFError:
            return _LEAVE
        if typed in (_YES, _NO, _LEAVE):
            return typed


def _wish(gate: Row, verdict: Verdict, comment: str) -> Wish:
    return Wish(verdict=verdict, principal=account(), comment=comment, digest=gate["digest"])


def _finish(call: Call, home: Opened, row: Row) -> None:
    """The result and where it lies, or how to decide what was left open."""
    with home.database.snapshot() as conn:
        detail = run_detail(conn, home.blobs, call.home, row)
        left = [gate_document(conn, home.blobs, gate) for gate in gates.open_of_runs(conn, [row["run_id"]])]
        document = run_document(conn, home.blobs, row)
    call.document(document)
    for gate in left:
        call.say(f"g-{gate['number']} is open and waits for you; nothing has been written.")
        call.lines([*how_to_decide(gate), "Then it goes on with: counterfoil runner --until-idle"])
    if left:
        return
    _tell_result(call, detail)
    if detail["error"]:
        call.say(f"{detail['error']['message']} {detail['error']['next']}")


def _tell_result(call: Call, run: dict[str, Any]) -> None:
    """What came of it: figures, the sentence, the file's place, and that nothing was sent."""
    result = dict(run["result"]) if isinstance(run["result"], dict) else {}
    summary = result.pop("summary", None)
    call.line()
    call.lines(result_lines(result))
    call.line()
    written = [op["path"] for op in run["files"] if op["op"] == "write" and op["state"] == "applied"]
    fallback = (
        f"{', '.join(written)} is written. Nothing was sent to a bank." if written else "No payment file was written."
    )
    call.line(summary or fallback)
    for path in written:
        call.line(f"It lies here: {Path(run['workspace']) / path}")
    call.line(f"See every step: counterfoil show r-{run['number']}")
