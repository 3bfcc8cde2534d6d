"""`schedule add`, `change` and `preview`: what a routine says, and when that would fire."""

from __future__ import annotations

import dataclasses
import json
import shlex
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer
from tzlocal import get_localzone_name

from counterfoil.catalogue.finding import find_template, kept_as
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.cli import rule_options as given
from counterfoil.cli.background import ask_once
from counterfoil.cli.call import Call
from counterfoil.cli.opening import Opened, opened, tell_runner, workspace_of
from counterfoil.cli.options import Context, Set, Workspace, call_of, pairs_of
from counterfoil.cli.starting import Input, checked_parameters, input_of
from counterfoil.clock import from_us
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.routing.keeping import limit_each
from counterfoil.runner import preflight
from counterfoil.runner.findings import Finding
from counterfoil.runner.firing import RunStarter
from counterfoil.runner.starting import keep_version
from counterfoil.runner.tending import tell_missing
from counterfoil.schedules import keeping
from counterfoil.schedules.documents import preview_documents, schedule_document
from counterfoil.schedules.planned import dates_in, resolved
from counterfoil.schedules.rules import After, Rule, Watch, form_of, rule_of, zone_of
from counterfoil.schedules.typed import unusual
from counterfoil.schedules.wording import say
from counterfoil.store import llm_budgets, llm_money
from counterfoil.store.transactions import Row, Txn

Texts = list[tuple[str, str]]


def add(
    context: Context,
    name: given.Name,
    template: Annotated[
        str, typer.Argument(metavar="TEMPLATE", help="Its name, or a path with a slash in it.", show_default=False)
    ],
    *,
    options: given.RuleOptions,
    policy: given.PolicyOptions,
    zone: given.Zone = None,
    spend: given.Spend = None,
    workspace: Workspace = None,
    settings: Set = None,
    source: Input = None,
) -> None:
    """Run a template by a rule; says back what it understood and when the next five firings are."""
    call = call_of(context)
    place, there = workspace_of(workspace), zone or zone_here()
    zone_of(there)
    most = _most(spend)
    values, texts = input_of(source), pairs_of(settings)
    folder = find_template(template, place, call.home)
    with opened(call) as home:
        today = today_in(home, there)
        chosen, taker = with_taker(call, home, folder, _followed(call, place, options.rule_of(today)))
        parameters = _parameters(call, home, folder, place, values, texts, today, taker)
        known = kept_as(folder, place, call.home)
        wanted = keeping.Wanted(name, known, str(place), chosen, there, policy.policy_of(), parameters)
        _keep(call, home, wanted, most)


def _most(spend: str | None) -> Decimal | None:
    """What was given of `--spend`; None for none and for nothing given.

    Raises:
        WrongUse: it is no amount.
    """
    return None if spend in (None, "none") else llm_money.amount_of(spend)


def _keep(call: Call, home: Opened, wanted: keeping.Wanted, most: Decimal | None) -> None:
    """Keep a routine, paused where its first firing would lack something, and say so."""

    def operation(txn: Txn) -> Row:
        kept = keeping.add(txn, wanted, account())
        limit_each(txn, kept["schedule_id"], most, account())
        return kept

    row = home.database.transact(operation)
    lacking = _lacking(call, home, row)
    if lacking:
        row = home.database.transact(lambda txn: keeping.pause(txn, keeping.find(txn.conn, wanted.name), account()))
    _tell(call, home, row)
    if lacking:
        call.say(f"saved and paused: {lacking} Then: counterfoil schedule resume {shlex.quote(wanted.name)}")
    ask_once(call, home)
    tell_runner(call, home, "the schedule is kept and fires when it runs")


def _lacking(call: Call, home: Opened, row: Row) -> Finding | None:
    """What the first firing of a routine would lack, which is put up as a notice."""
    starter = RunStarter(home.database, call.home)
    starter.prepare([row])
    lacking = preflight.missing(preflight.look(home.database, call.home, starter, row))
    tell_missing(home.database, row, lacking)
    return lacking


def change(
    context: Context,
    name: given.Name,
    *,
    new_name: Annotated[
        str | None, typer.Option("--name", metavar="NAME", help="Call it this from now on.", show_default=False)
    ] = None,
    options: given.RuleOptions,
    policy: given.PolicyOptions,
    zone: given.Zone = None,
    spend: given.Spend = None,
    settings: Set = None,
    source: Input = None,
) -> None:
    """Let a schedule say something else from now on; what is not given stays, and the trail keeps what it said before."""
    call = call_of(context)
    values, texts = input_of(source), pairs_of(settings)
    with opened(call) as home:
        before = keeping.wanted_of(keeping.find(home.database.reader, name))
        there = zone or before.zone
        today = today_in(home, there)
        wanted = dataclasses.replace(
            before,
            name=new_name or before.name,
            rule=_changed_rule(call, home, before, options, today),
            zone=there,
            policy=policy.policy_of(before.policy),
            parameters=_changed_parameters(call, home, before, values, texts, today),
        )
        _change(call, home, before, wanted, spend)


def _change(call: Call, home: Opened, before: keeping.Wanted, wanted: keeping.Wanted, spend: str | None) -> None:
    """Let a routine say something else, and what it may spend where that was given; and say what it would lack."""

    def operation(txn: Txn) -> Row:
        row = keeping.find(txn.conn, before.name)
        limited = spend is not None and limit_each(txn, row["schedule_id"], _most(spend), account())
        return row if limited and wanted == before else keeping.change(txn, row, wanted, account())

    row = home.database.transact(operation)
    lacking = _lacking(call, home, row)
    _tell(call, home, row)
    if lacking:
        call.say(f"‘{row['name']}’ cannot run as things are: {lacking}")
    tell_runner(call, home, "the change is kept and counts when it runs")


def _changed_rule(call: Call, home: Opened, before: keeping.Wanted, options: given.RuleOptions, today: date) -> Rule:
    chosen = _followed(call, Path(before.workspace), options.rule_of(today, before.rule))
    if not isinstance(chosen, Watch):
        return chosen
    folder = find_template(before.template, workspace_of(Path(before.workspace)), call.home)
    return with_taker(call, home, folder, chosen)[0]


def today_in(home: Opened, zone: str) -> date:
    """The date there."""
    return from_us(home.database.clock.now_us()).astimezone(zone_of(zone)).date()


def _changed_parameters(
    call: Call, home: Opened, before: keeping.Wanted, values: dict[str, Any], texts: Texts, first: date
) -> dict[str, Any]:
    """The parameters with what was given of them; untouched where nothing was."""
    if not values and not texts:
        return before.parameters
    place = workspace_of(Path(before.workspace))
    again = {name for name, _ in texts}
    kept = {name: value for name, value in before.parameters.items() if name not in again}
    folder = find_template(before.template, place, call.home)
    taker = before.rule.into if isinstance(before.rule, Watch) else ""
    return _parameters(call, home, folder, place, {**kept, **values}, texts, first, taker)


def _followed(call: Call, place: Path, rule: Rule) -> Rule:
    """A rule whose template, where it follows the runs of one, is there.

    Raises:
        UnknownTemplate: it is not.
    """
    if isinstance(rule, After):
        find_template(rule.template, place, call.home)
    return rule


def with_taker(call: Call, home: Opened, folder: Path, rule: Rule) -> tuple[Rule, str]:
    """A rule with the parameter that takes the files of a watched folder, and its name; "" where the run looks at the folder itself.

    Raises:
        WrongUse: no parameter goes by the name that was given, or several could be meant.
    """
    if not isinstance(rule, Watch):
        return rule, ""
    schema = json.loads(keep_version(home.database, call.home, folder, account())["parameters"])
    takers = [field["name"] for field in schema if field["type"] == "list[file]"]
    if rule.into and rule.into not in takers:
        instead = f"It has {', '.join(takers)}." if takers else "Leave --into out: its run looks at the folder itself."
        raise WrongUse(f"The template has no list of files ‘{rule.into}’.", instead)
    if not rule.into and len(takers) > 1:
        raise WrongUse("Several parameters take files.", f"Name one: --into {' or '.join(takers)}")
    into = rule.into or (takers[0] if takers else "")
    return rule_of({**form_of(rule), "into": into}), into


def _parameters(
    call: Call, home: Opened, folder: Path, place: Path, values: dict[str, Any], texts: Texts, first: date, taker: str
) -> dict[str, Any]:
    """What was given of the parameters, checked as a run of the first day would have them; dates in words are kept as words. `taker`
    gets its files when they come."""
    version = keep_version(home.database, call.home, folder, account())
    schema = [field for field in json.loads(version["parameters"]) if field["name"] != taker]
    words = {name for name in dates_in(schema, dict(texts)) if [one for one, _ in texts].count(name) == 1}
    values = {**values, **{name: text for name, text in texts if name in words}}
    plain = [(name, text) for name, text in texts if name not in words]
    name, kept = read_manifest(folder).name, dict[str, Any]()
    checked = checked_parameters(name, place, resolved(schema, values, first), plain, kept, first)(schema)
    words = dates_in(schema, values)
    return {one: values[one] if one in words else checked[one] for one in {**values, **dict(plain)}}


def zone_here() -> str:
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
    said = _said(document["words"], rule_of(document["rule"]), row["zone"])
    call.line(f"{row['name']}: runs {document['template']} {said}")
    most = llm_budgets.get(home.database.reader, llm_budgets.RUN, row["schedule_id"])
    if most is not None and most["most"] is not None:
        call.line(f"  llms may cost at most {llm_money.words(llm_money.dollars(most['most']))} each time")
    after = from_us(home.database.clock.now_us())
    for firing in preview_documents(json.loads(row["rule"]), row["zone"], after, 5):
        call.line(f"  {local_line(firing)}")
    _say_unusual(call, json.loads(row["rule"]), row["zone"], after)


def _say_unusual(call: Call, form: dict[str, Any], zone: str, after: datetime) -> None:
    """What people should know of a rule, in the sentences that stand beside one that is typed in the window."""
    for sentence in unusual(form, zone_of(zone), after):
        call.say(sentence)


def _said(words: str, rule: Rule, zone: str) -> str:
    """A rule in words, with the zone where it keeps clocks."""
    return words if isinstance(rule, (Watch, After)) else f"{words}, {zone} time"


def local_line(firing: dict[str, Any]) -> str:
    """A firing on the clocks of its zone, with what is unusual about it."""
    local = datetime.fromisoformat(firing["local"])
    note = f"  {firing['note']}" if firing.get("note") else ""
    return f"{local:%a %d %b %Y %H:%M} ({local:%z}){note}"


def preview(
    context: Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A schedule's name.", show_default=False)] = None,
    *,
    options: given.RuleOptions,
    zone: given.Zone = None,
    start: Annotated[
        str | None, typer.Option("--from", metavar="T", help="After this instant; else now.", show_default=False)
    ] = None,
    count: given.Count = 5,
) -> None:
    """When a schedule, or a rule, would fire; computed as the runner does."""
    call = call_of(context)
    if name is None:
        there = zone or zone_here()
        moment = instant_of(start, there)
        chosen = options.rule_of(moment.astimezone(zone_of(there)).date())
        form = form_of(chosen)
        call.line(_said(say(chosen), chosen, there))
    else:
        with opened(call) as home:
            row = keeping.find(home.database.reader, name)
        there, form, moment = zone or row["zone"], json.loads(row["rule"]), instant_of(start, zone or row["zone"])
    found = preview_documents(form, there, moment, count)
    call.document(found)
    call.lines([f"  {local_line(firing)}" for firing in found])
    _say_unusual(call, form, there, moment)
    if not found:
        beside_time = isinstance(rule_of(form), (Watch, After))
        call.say("nobody knows beforehand." if beside_time else "this rule has no firing in the next 12 years.")


def instant_of(text: str | None, zone: str) -> datetime:
    """An instant given as text; without an offset it is read on the clocks of the zone; now without a text.

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
