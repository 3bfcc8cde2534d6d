"""`schedule`: routines and what became of each of their instants."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any

import typer

from counterfoil.cli import readiness, schedule_rules
from counterfoil.cli import rule_options as given
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.gathering import gathering
from counterfoil.cli.opening import opened, tell_runner, tell_standstill
from counterfoil.cli.options import Comment, Context, call_of
from counterfoil.cli.schedule_rules import instant_of, local_line
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell
from counterfoil.clock import from_us, to_us
from counterfoil.inbox.accounts import account
from counterfoil.inbox.hinting import hint
from counterfoil.runner.firing import RunStarter
from counterfoil.schedules import keeping
from counterfoil.schedules.documents import log_documents, schedule_document
from counterfoil.schedules.outcomes import usage_document
from counterfoil.schedules.rules import zone_of
from counterfoil.schedules.telling import notice_sentences
from counterfoil.store import runs
from counterfoil.store import schedules as rows
from counterfoil.store.transactions import Row, Txn
from counterfoil.views.runs import run_document

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Routines: rules, and what became of each of their instants.",
    epilog=EVERYWHERE,
)
app.command("add", epilog=EVERYWHERE)(gathering(schedule_rules.add))
app.command("change", epilog=EVERYWHERE)(gathering(schedule_rules.change))
app.command("preview", epilog=EVERYWHERE)(gathering(schedule_rules.preview))
app.command("ready", epilog=EVERYWHERE)(readiness.ready)


@app.command("list", epilog=EVERYWHERE)
def list_(context: Context) -> None:
    """Every schedule: what it says, when it is next, what came of the last firing."""
    call = call_of(context)
    with opened(call) as home:
        conn = home.database.reader
        documents = [schedule_document(conn, row) for row in rows.living(conn)]
        told = notice_sentences(conn)
        call.document(documents)
        for sentence in told:
            call.say(sentence)
        if any(not one["paused"] for one in documents):
            tell_standstill(call, home, "No schedule fires")
    if not documents:
        call.line("No schedules yet. Add one: counterfoil schedule add NAME TEMPLATE --rule 'every Monday at 09:00'")
        return
    now = from_us(home.database.clock.now_us())
    lines = [[Cell(one["name"]), Cell(one["words"]), Cell(_next(one, now)), Cell(_last(one, now))] for one in documents]
    call.lines(table(["name", "runs", "next", "last"], lines, call.width))


def _next(one: dict[str, Any], now: datetime) -> str:
    if one["paused"]:
        return "paused"
    if one["next_at"] is None:
        return "when it happens" if one["rule"]["kind"] in ("folder", "after") else "ended"
    return f"{_short(datetime.fromisoformat(one['next_at']).astimezone(zone_of(one['zone'])), now)} {one['zone']}"


def _short(local: datetime, now: datetime) -> str:
    """`Mon 07 Dec 07:00`, with the year unless it is this one."""
    return (
        f"{local:%a %d %b %H:%M}" if local.year == now.astimezone(local.tzinfo).year else f"{local:%a %d %b %Y %H:%M}"
    )


def _last(one: dict[str, Any], now: datetime) -> str:
    last = one["last"]
    if last is None:
        return ""
    reason = f": {last['reason']}" if last["reason"] else ""
    return f"{last['state']} {_short(datetime.fromisoformat(last['local']), now)}{reason}"


@app.command("got-it", epilog=EVERYWHERE)
def got_it(context: Context) -> None:
    """Take down what `list` says of the time when nobody was there."""
    call = call_of(context)
    with opened(call) as home:
        closed = home.database.transact(lambda txn: keeping.got_it(txn, account()))
    hint(call.home)
    call.document({"closed": closed})
    call.say("It is taken down." if closed else "There was nothing to take down.")


@app.command("usage", epilog=EVERYWHERE)
def usage(context: Context, name: given.Name) -> None:
    """What a schedule has used: firings by what became of them, and time."""
    call = call_of(context)
    with opened(call) as home, home.database.snapshot() as conn:
        found = usage_document(conn, keeping.find(conn, name))
    call.document(found)
    said = [f"{found[state]} {state}" for state in ("started", "skipped", "missed", "blocked") if found[state]]
    call.line(f"{name}: {', '.join(said) or 'no firing yet'}")
    if found["started"]:
        nothing, failed = found["nothing_to_do"], found["failed"]
        call.line(f"  {nothing} found nothing to do, {failed} stopped, {found['open']} still open")
        call.line(f"  {found['seconds']:,} s from start to end, waiting for people included")


@app.command("log", epilog=EVERYWHERE)
def log(context: Context, name: given.Name, count: given.Count = 20) -> None:
    """What became of each instant: the newest first, the next one before them."""
    call = call_of(context)
    with opened(call) as home:
        row = keeping.find(home.database.reader, name)
        documents = log_documents(home.database.reader, row, count)
    call.document(documents)
    lines = [
        [Cell(local_line(one)), Cell(one["state"]), Cell(one["reason"] or ""), Cell(one["run_id"] or "")]
        for one in documents
    ]
    call.lines(table(["due", "", "why", "run"], lines, call.width))


def _changed(context: Context, name: str, operation: Callable[[Txn, Row, str], Row], said: str) -> None:
    call = call_of(context)
    with opened(call) as home:
        row = home.database.transact(lambda txn: operation(txn, keeping.find(txn.conn, name), account()))
        call.document(schedule_document(home.database.reader, row))
        call.say(f"‘{name}’ {said}")


@app.command("pause", epilog=EVERYWHERE)
def pause(context: Context, name: given.Name) -> None:
    """Switch a schedule off until it is resumed."""
    _changed(context, name, keeping.pause, "is paused; its instants pass without a run until it is resumed.")


@app.command("resume", epilog=EVERYWHERE)
def resume(context: Context, name: given.Name) -> None:
    """Switch a schedule on again; what passed meanwhile is not made up for."""
    _changed(context, name, keeping.resume, "is on again.")


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, name: given.Name) -> None:
    """Take a schedule away; its runs and its log stay."""
    _changed(context, name, keeping.remove, "is removed.")


@app.command("skip-next", epilog=EVERYWHERE)
def skip_next(context: Context, name: given.Name, comment: Comment = "") -> None:
    """Let the next instant pass without a run."""
    call = call_of(context)
    with opened(call) as home:
        due = home.database.transact(
            lambda txn: keeping.skip_next(txn, keeping.find(txn.conn, name), account(), reason=comment)
        )
        row = keeping.find(home.database.reader, name)
        call.document(schedule_document(home.database.reader, row))
        call.say(
            f"‘{name}’ skips {_short(due.astimezone(zone_of(row['zone'])), from_us(home.database.clock.now_us()))}."
        )


@app.command("run", epilog=EVERYWHERE)
def run(
    context: Context,
    name: given.Name,
    missed: Annotated[
        str | None,
        typer.Option("--missed", metavar="T", help="An instant that did not run, after all.", show_default=False),
    ] = None,
) -> None:
    """Run it beside its rule: now, or an instant that did not run, with the moment it was planned for."""
    call = call_of(context)
    with opened(call) as home:
        row = keeping.find(home.database.reader, name)
        starter = RunStarter(home.database, call.home)
        starter.prepare([row])
        due = None if missed is None else to_us(instant_of(missed, row["zone"]))

        def operation(txn: Txn) -> str:
            fresh = keeping.find(txn.conn, name)
            if due is None:
                return keeping.run_now(txn, fresh, starter, account())
            return keeping.run_missed(txn, fresh, starter, account(), due)

        run_id = home.database.transact(operation)
        with home.database.snapshot() as conn:
            document = run_document(conn, home.blobs, runs.get(conn, run_id))
        call.document(document)
        call.line(f"r-{document['number']}  {document['title']}")
        tell_runner(call, home, f"run r-{document['number']} is kept and starts with it")
