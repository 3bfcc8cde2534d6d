"""`schedule ready`: everything the next firing needs, looked at now, as the runner looks at it before the firing comes."""

from __future__ import annotations

from typing import Annotated

import typer

from counterfoil.catalogue.finding import find_template
from counterfoil.cli import rule_options as given
from counterfoil.cli.opening import opened, workspace_of
from counterfoil.cli.options import Context, Workspace, call_of
from counterfoil.cli.schedule_rules import today_in, with_taker, zone_here
from counterfoil.cli.starting import Input, input_of
from counterfoil.errors import WrongUse
from counterfoil.runner import preflight
from counterfoil.runner.firing import RunStarter
from counterfoil.schedules import keeping
from counterfoil.schedules.rules import form_of


def ready(
    context: Context,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A schedule's name.", show_default=False)] = None,
    *,
    template: Annotated[
        str | None,
        typer.Option("--template", metavar="TEMPLATE", help="One that nobody scheduled yet.", show_default=False),
    ] = None,
    workspace: Workspace = None,
    zone: given.Zone = None,
    rule_json: given.RuleJson = None,
    source: Input = None,
) -> int:
    """What the next firing needs, and what of it is missing."""
    call = call_of(context)
    if (name is None) == (template is None):
        raise WrongUse("Nothing says what is to be looked at.", "Name a schedule, or a template with --template.")
    with opened(call) as home:
        if name is not None:
            row = keeping.find(home.database.reader, name)
        else:
            place, there = workspace_of(workspace), zone or zone_here()
            folder = find_template(template or "", place, call.home)
            chosen = given.RuleOptions(rule_json=rule_json or _DAILY).rule_of(today_in(home, there))
            chosen, _ = with_taker(call, home, folder, chosen)
            row = preflight.draft_row(str(folder), place, form_of(chosen), there, input_of(source))
        starter = RunStarter(home.database, call.home)
        starter.prepare([row])
        found = preflight.look(home.database, call.home, starter, row)
    call.document([one.document() for one in found])
    call.lines([f"{'ok     ' if one.holds else 'missing'}  {one}" for one in found])
    return 0 if all(one.holds for one in found) else 1


_DAILY = (
    '{"kind": "weekly", "days": ["MO"], "time": "09:00"}'  # any rule will do: what is looked at does not depend on it
)
