"""`schedule`: routines and what became of each of their instants."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from tzlocal import get_localzone_name

from counterfoil.catalogue.finding import find_template
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.cli import rule_options as given
from counterfoil.cli.call import Call
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.opening import Opened, opened, tell_runner, workspace_of
from counterfoil.cli.options import Context, Set, Workspace, call_of, pairs_of
from counterfoil.cli.starting import Input, checked_parameters, input_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell
from counterfoil.clock import from_us, to_us
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.runner.firing import RunStarter
from counterfoil.runner.starting import keep_version
from counterfoil.schedules import keeping
from counterfoil.schedules.documents import log_documents, notice_sentences, preview_documents, schedule_document
from counterfoil.schedules.planned import dates_in, resolved
from counterfoil.schedules.rules import form_of, zone_of
from counterfoil.schedules.wording import say
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
Name = Annotated[str, typer.Argument(metavar="NAME", help="The schedule's name.", show_default=False)]
Count = Annotated[int, typer.Option("--count", metavar="N", min=1, max=1000, help="So many.")]


@app.command("add", epilog=EVERYWHERE)
def add(
    context: Context,
    name: Name,
    template: Annotated[
        str, typer.Argument(metavar="TEMPLATE", help="Its name, or a path with a slash in it.", show_default=False)
    ],
    *,
    zone: given.Zone = None,
    rule: given.RuleText = None,
    cron: given.Cron = None,
    every: given.Every = None,
    rule_json: given.RuleJson = None,
    gap: given.Gap = None,
    fold: given.Fold = None,
    missed: given.Missed = None,
    grace: given.Grace = None,
    overlap: given.Overlap = None,
    jitter: given.Jitter = None,
    until: given.Until = None,
    workspace: Workspace = None,
    settings: Set = None,
    source: Input = None,
) -> None:
    """Run a template by a rule; says back what it understood and when the next five firings are."""
    call = call_of(context)
    place, there = workspace_of(workspace), zone or _zone_here()
    options = given.RuleOptions(rule, cron, every, rule_json, gap, fold, until)
    zone_of(there)
    folder = find_template(template, place, call.home)
    with opened(call) as home:
        today = from_us(home.database.clock.now_us()).astimezone(zone_of(there)).date()
        wanted = keeping.Wanted(
            name=name,
            template=template,
            workspace=str(place),
            rule=options.rule_of(today),
            zone=there,
            policy=given.policy_from(missed, overlap, jitter, grace),
            parameters=_parameters(call, home, folder, place, source, pairs_of(settings), today),
        )
        row = home.database.transact(lambda txn: keeping.add(txn, wanted, account()))
        _tell(call, home, row)
        tell_runner(call, home, "the schedule is kept and fires when it runs")


def _parameters(
    call: Call, home: Opened, folder: Path, place: Path, source: Path | None, texts: list[tuple[str, str]], first: date
) -> dict[str, Any]:
    """What was given of the parameters, checked as a run of the first day would have them; dates in words are kept as words."""
    version = keep_version(home.database, call.home, folder, account())
    schema = json.loads(version["parameters"])
    words = {name for name in dates_in(schema, dict(texts)) if [one for one, _ in texts].count(name) == 1}
    values = {**input_of(source), **{name: text for name, text in texts if name in words}}
    plain = [(name, text) for name, text in texts if name not in words]
    name, kept = read_manifest(folder).name, dict[str, Any]()
    checked = checked_parameters(name, place, resolved(schema, values, first), plain, kept)(schema)
    words = dates_in(schema, values)
    return {one: values[one] if one in words else checked[one] for one in {**values, **dict(plain)}}


def _zone_here() -> str:
    """The zone of this computer.

    Raises:
        WrongUse: it has none with a name.
    """
    found = get_localzone_name()
    if not found:
        raise WrongUse("This computer's zone has no name.", "Name one: --zone Europe/Berlin")
    return str(found)


def _tell(call: Call, home: Opened, row: Row) -> None:
    """What was understood, and the next five firings."""
    document = schedule_document(home.database.reader, row)
    call.document(document)
    call.line(f"{row['name']}: runs {row['template']} {document['words']}, {row['zone']} time")
    for firing in _ahead(home, row, 5):
        call.line(f"  {_local(firing)}")


def _ahead(home: Opened, row: Row, count: int) -> list[dict[str, Any]]:
    after = from_us(home.database.clock.now_us())
    return preview_documents(json.loads(row["rule"]), row["zone"], after, count)


def _local(firing: dict[str, Any]) -> str:
    local = datetime.fromisoformat(firing["local"])
    note = f"  {firing['note']}" if firing.get("note") else ""
    return f"{local:%a %d %b %Y %H:%M} ({local:%z}){note}"


@app.command("preview", epilog=EVERYWHERE)
def preview(
    context: Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A schedule's name.", show_default=False)] = None,
    *,
    zone: given.Zone = None,
    rule: given.RuleText = None,
    cron: given.Cron = None,
    every: given.Every = None,
    rule_json: given.RuleJson = None,
    gap: given.Gap = None,
    fold: given.Fold = None,
    until: given.Until = None,
    after: Annotated[
        str | None, typer.Option("--from", metavar="T", help="After this instant; else now.", show_default=False)
    ] = None,
    count: Count = 5,
) -> None:
    """When a schedule, or a rule, would fire; computed as the runner does."""
    call = call_of(context)
    options = given.RuleOptions(rule, cron, every, rule_json, gap, fold, until)
    if name is None:
        there = zone or _zone_here()
        start = _instant(after, there)
        chosen = options.rule_of(start.astimezone(zone_of(there)).date())
        form = form_of(chosen)
        call.line(f"{say(chosen)}, {there} time")
    else:
        with opened(call) as home:
            row = keeping.find(home.database.reader, name)
        there, form, start = zone or row["zone"], json.loads(row["rule"]), _instant(after, zone or row["zone"])
    found = preview_documents(form, there, start, count)
    call.document(found)
    call.lines([f"  {_local(firing)}" for firing in found])
    if not found:
        call.say("this rule has no firing in the next 12 years.")


def _instant(text: str | None, zone: str) -> datetime:
    """An instant given as text; without an offset it is read on the clocks of the zone.

    Raises:
        WrongUse: it is no instant.
    """
    if text is None:
        return datetime.now(UTC)
    try:
        found = datetime.fromisoformat(text)
    except ValueError as problem:
        raise WrongUse(
            f"--from {text} is no instant.", "Write it like 2026-12-07T09:00 or 2026-12-07T08:00:00Z."
        ) from problem
    return found if found.tzinfo else found.replace(tzinfo=zone_of(zone))


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
    if not documents:
        call.line("No schedules yet. Add one: counterfoil schedule add NAME TEMPLATE --rule 'every Monday at 09:00'")
        return
    lines = [[Cell(one["name"]), Cell(one["words"]), Cell(_next(one)), Cell(_last(one))] for one in documents]
    call.lines(table(["name", "runs", "next", "last"], lines, call.width))


def _next(one: dict[str, Any]) -> str:
    if one["paused"]:
        return "paused"
    if one["next_at"] is None:
        return "ended"
    return f"{datetime.fromisoformat(one['next_at']).astimezone(zone_of(one['zone'])):%a %d %b %H:%M} {one['zone']}"


def _last(one: dict[str, Any]) -> str:
    last = one["last"]
    if last is None:
        return ""
    reason = f": {last['reason']}" if last["reason"] else ""
    return f"{last['state']} {datetime.fromisoformat(last['local']):%a %d %b %H:%M}{reason}"


@app.command("got-it", epilog=EVERYWHERE)
def got_it(context: Context) -> None:
    """Take down what `list` says of the time when nobody was there."""
    call = call_of(context)
    with opened(call) as home:
        closed = home.database.transact(lambda txn: keeping.got_it(txn, account()))
    call.document({"closed": closed})
    call.say("It is taken down." if closed else "There was nothing to take down.")


@app.command("log", epilog=EVERYWHERE)
def log(context: Context, name: Name, count: Count = 20) -> None:
    """What became of each instant: the newest first, the next one before them."""
    call = call_of(context)
    with opened(call) as home:
        row = keeping.find(home.database.reader, name)
        documents = log_documents(home.database.reader, row, count)
    call.document(documents)
    lines = [
        [Cell(_local(one)), Cell(one["state"]), Cell(one["reason"] or ""), Cell(one["run_id"] or "")]
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
def pause(context: Context, name: Name) -> None:
    """Switch a schedule off until it is resumed."""
    _changed(context, name, keeping.pause, "is paused; its instants pass without a run until it is resumed.")


@app.command("resume", epilog=EVERYWHERE)
def resume(context: Context, name: Name) -> None:
    """Switch a schedule on again; what passed meanwhile is not made up for."""
    _changed(context, name, keeping.resume, "is on again.")


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, name: Name) -> None:
    """Take a schedule away; its runs and its log stay."""

    def operation(txn: Txn, row: Row, by: str) -> Row:
        rows.remove(txn, row, by)
        return rows.get(txn.conn, row["schedule_id"])

    _changed(context, name, operation, "is removed.")


@app.command("skip-next", epilog=EVERYWHERE)
def skip_next(context: Context, name: Name) -> None:
    """Let the next instant pass without a run."""
    call = call_of(context)
    with opened(call) as home:
        due = home.database.transact(lambda txn: keeping.skip_next(txn, keeping.find(txn.conn, name), account()))
        row = keeping.find(home.database.reader, name)
        call.document(schedule_document(home.database.reader, row))
        call.say(f"‘{name}’ skips {due.astimezone(zone_of(row['zone'])):%a %d %b %H:%M}.")


@app.command("run", epilog=EVERYWHERE)
def run(
    context: Context,
    name: Name,
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
        due = None if missed is None else to_us(_instant(missed, row["zone"]))

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
