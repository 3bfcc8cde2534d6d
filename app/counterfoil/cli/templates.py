"""`template list`, `template show`, `template check`: looking at templates without running any of their code, unless the form of one
is wanted, which a host tells. `add` and `lock` live next door."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.catalogue.checking import check_template
from counterfoil.catalogue.finding import TemplateFound, find_template, list_templates
from counterfoil.catalogue.manifest import Manifest, chips, manifest_json, read_manifest
from counterfoil.catalogue.packing import digest_of, read_code
from counterfoil.catalogue.shelf import Shelf
from counterfoil.cli import adding
from counterfoil.cli.call import Call
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.consenting import Unprotected, with_consent
from counterfoil.cli.opening import opened, workspace_of
from counterfoil.cli.options import Context, Workspace, call_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell, counted
from counterfoil.inbox.accounts import account
from counterfoil.policy.protection import Consent
from counterfoil.runner.consent import refuse_unconfined
from counterfoil.runner.starting import keep_version
from counterfoil.sandbox.probing import measured

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="List, show, check, lock and add templates.",
    epilog=EVERYWHERE,
)
Template = Annotated[
    str, typer.Argument(metavar="TEMPLATE", help="Its name, or a path with a slash in it.", show_default=False)
]
_LONGEST_README = 64 * 1024  # bytes


@app.command("list", epilog=EVERYWHERE)
def list_(context: Context, workspace: Workspace = None) -> None:
    """The templates that a name reaches: the workspace's, this home's, the bundled ones."""
    call = call_of(context)
    found = list_templates(workspace_of(workspace), call.home)
    call.document([_listed(template) for template in found])
    call.lines(table(["name", "what it gives", "from", ""], [_cells(template) for template in found], call.width))


def _listed(template: TemplateFound) -> dict[str, Any]:
    manifest = template.manifest
    return {
        "name": template.name,
        "title": manifest.title if manifest else None,
        "description": manifest.description if manifest else None,
        "chips": chips(manifest) if manifest else [],
        "origin": template.origin,
        "folder": str(template.folder),
        "error": {"message": template.error.message, "next": template.error.next_step} if template.error else None,
    }


def _cells(template: TemplateFound) -> list[Cell]:
    manifest = template.manifest
    told = manifest.description if manifest else f"cannot be used: {template.error}"
    facts = ", ".join(chips(manifest)) if manifest else ""
    return [Cell(template.name), Cell(told), Cell(template.origin), Cell(facts)]


@app.command("show", epilog=EVERYWHERE)
def show(
    context: Context,
    template: Template,
    workspace: Workspace = None,
    form: Annotated[
        bool, typer.Option("--form", help="Load it in a process of its own, and show what it asks for.")
    ] = False,
    unprotected: Unprotected = "",
) -> None:
    """What a template says of itself: what it does, what it needs, what it may do."""
    call = call_of(context)
    place = workspace_of(workspace)
    folder = find_template(template, place, call.home)
    manifest = read_manifest(folder)
    readme = _readme(folder)
    agreed = Consent(folder=unprotected)
    asks = with_consent(call, place, agreed, lambda given: _form(call, folder, place, given)) if form else {}
    call.document({**manifest_json(manifest), "folder": str(folder), "readme": readme, **asks})
    call.lines(_sheet(manifest, folder))
    if form:
        call.lines(["", "  Asks for:", *(_field_line(field) for field in asks["fields"])])
        call.lines(["", f"  Protection: {measured(call.home).sentence}"])
    if readme:
        call.line()
        call.lines(readme.splitlines())


def _form(call: Call, folder: Path, place: Path, agreed: Consent) -> dict[str, Any]:
    """What running it would ask for, and under which protection; the version is kept, so that it is loaded once."""
    name, digest = read_manifest(folder).name, digest_of(read_code(folder))
    refuse_unconfined(call.home, measured(call.home), name, digest, place, agreed)
    with opened(call) as home:
        version = keep_version(home.database, call.home, folder, account())
    return {
        "version": version["digest"],
        "fields": json.loads(version["parameters"]),
        "isolation": measured(call.home).code,
    }


def _field_line(field: dict[str, Any]) -> str:
    needed = "" if field["required"] else ", optional"
    return f"    {field['name']} ({field['type']}{needed})  {field['label']}"


def _sheet(manifest: Manifest, folder: Path) -> list[str]:
    lines = [f"{manifest.name}  {manifest.title}", f"  {manifest.description}", f"  {' · '.join(chips(manifest))}", ""]
    lines += [f"  Needs: {need}" for need in manifest.needs]
    asked = ", ".join(manifest.permissions) or "nothing outside the run"
    lines += [f"  Packages: {', '.join(manifest.packages)}"] if manifest.packages else []
    lines += [f"  May ask to: {asked}", f"  Folder: {folder}"]
    return [*lines, f"  Start it: counterfoil run {manifest.name}"]


def _readme(folder: Path) -> str | None:
    try:
        with (folder / "README.md").open("rb") as file:
            return file.read(_LONGEST_README).decode("utf-8", "replace")
    except OSError:
        return None


@app.command("check", epilog=EVERYWHERE)
def check(context: Context, template: Template, workspace: Workspace = None) -> int:
    """Find what could not be replayed: file, line, why, and what to write instead."""
    call = call_of(context)
    folder = find_template(template, workspace_of(workspace), call.home)
    findings = check_template(folder, Shelf(call.home))
    call.document([asdict(finding) for finding in findings])
    _tell(call, folder, findings)
    return 1 if findings else 0


def _tell(call: Call, folder: Path, findings: list[Any]) -> None:
    for finding in findings:
        line = f":{finding.line}" if finding.line else ""
        mark = " (can be lived with)" if finding.level == "warning" else ""
        call.line(f"{folder.name}/{finding.file}{line}: {finding.what}{mark}")
        call.line(f"  why: {finding.why}")
        call.line(f"  write: {finding.instead}")
    if findings:
        call.say(f"{counted(len(findings), 'thing', 'things')} to mend in {folder.name}.")
    else:
        call.say(f"{folder.name} is in order.")


app.command("add", epilog=EVERYWHERE)(adding.add)
app.command("lock", epilog=EVERYWHERE)(adding.lock)
