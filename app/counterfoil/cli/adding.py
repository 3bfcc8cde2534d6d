"""`template add` and `template lock`: a template with its packages comes into this home, or into a workspace; its author pins them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from counterfoil.catalogue.finding import find_template
from counterfoil.catalogue.manifest import chips, read_manifest
from counterfoil.catalogue.requirements import LOCK, python_kind
from counterfoil.cli.call import Call
from counterfoil.cli.opening import Opened, opened, workspace_of
from counterfoil.cli.options import Context, call_of
from counterfoil.cli.words import counted
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.runner.adding import Added, add_template, fetch_again, lock_template

Wheels = Annotated[
    Path | None,
    typer.Option(
        "--wheels", metavar="DIR", help="Take packages from the files in this folder only.", show_default=False
    ),
]


def add(
    context: Context,
    source: Annotated[
        str, typer.Argument(metavar="DIR|ARCHIVE", help="A template's folder, or a zip of it.", show_default=False)
    ] = "",
    workspace: Annotated[
        Path | None,
        typer.Option(
            "--workspace", metavar="DIR", help="For this folder only; else for this home.", show_default=False
        ),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of another one of its name.")] = False,
    wheels: Wheels = None,
    version: Annotated[
        str,
        typer.Option(
            "--version", metavar="V", help="Fetch the packages of a version kept for a run.", show_default=False
        ),
    ] = "",
) -> None:
    """Add a template and fetch the packages it requires; nothing is fetched when it runs."""
    call = call_of(context)
    if bool(source) == bool(version):
        raise WrongUse("template add takes a folder or an archive, or --version V.", "See: counterfoil template --help")
    folder = _wheels_of(wheels)
    place = workspace_of(workspace) / ".counterfoil" / "templates" if workspace else call.home.templates
    with opened(call) as home:
        if version:
            found = fetch_again(home.database, call.home, version, by=account(), wheels=folder)
        else:
            found = _added(call, home, source, place, replace, folder)
    call.document(
        {
            "name": found.name,
            "version": found.version,
            "folder": str(found.folder),
            "added": found.added,
            "replaced": found.before,
            "fetched": found.fetched,
            "packages": [{"name": name, "release": release} for name, release in found.packages.items()],
        }
    )
    _tell(call, found, workspace)


def _added(call: Call, home: Opened, source: str, place: Path, replace: bool, wheels: Path | None) -> Added:
    given = Path(source).expanduser()
    if "/" not in source and not given.exists():  # one that a name reaches already, for its packages
        given = find_template(source, Path(), call.home)
        place = given.parent
    if (given / LOCK).is_file():
        call.say("fetching packages can take a while; nothing of them runs meanwhile.")
    return add_template(home.database, call.home, given.absolute(), place, by=account(), replace=replace, wheels=wheels)


def _tell(call: Call, found: Added, workspace: Path | None) -> None:
    manifest = read_manifest(found.folder)
    how = "is added" if found.added else "was there already"
    if found.before:
        how = f"takes the place of version {found.before[:8]}"
    call.line(f"{found.name}  {manifest.title}: version {found.version[:8]} {how}.")
    if found.packages:
        named = ", ".join(f"{name} {release}" for name, release in found.packages.items())
        call.line(f"  Packages, {'fetched now' if found.fetched else 'here already'}: {named}")
    asked = ", ".join(manifest.permissions) or "nothing outside the run"
    call.line(f"  May ask to: {asked}")
    call.line(f"  {' · '.join(chips(manifest))}")
    there = f" --workspace {workspace}" if workspace else ""
    call.line(f"  Start it: counterfoil run {found.name}{there}")


def lock(
    context: Context,
    template: Annotated[str, typer.Argument(metavar="DIR", help="The template's folder.", show_default=False)],
    wheels: Wheels = None,
) -> None:
    """Pin the packages that a template requires, with the SHA-256 of every file, in packages.lock beside it."""
    call = call_of(context)
    folder = find_template(template if "/" in template else f"./{template}", Path(), call.home)
    made, everywhere = lock_template(folder, _wheels_of(wheels))
    call.document(
        {
            "folder": str(folder),
            "lock": str(folder / LOCK),
            "packages": [{"name": release.name, "release": release.version} for release in made.releases],
            "fits": "every computer" if everywhere else python_kind(),
        }
    )
    call.line(f"{folder.name}/{LOCK} pins {counted(len(made.releases), 'package', 'packages')}:")
    call.lines([f"  {release.pin}" for release in made.releases])
    if not everywhere:
        call.say(f"it fits computers like this one ({python_kind()}); where uv is used instead of pip it fits all.")
    call.say(f"the next step: counterfoil template add {folder}")


def _wheels_of(given: Path | None) -> Path | None:
    if given is not None and not given.is_dir():
        raise WrongUse(f"--wheels {given} is no folder.", "Name a folder with the packages' .whl files.")
    return given.resolve() if given else None
