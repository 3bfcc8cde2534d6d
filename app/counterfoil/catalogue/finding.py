"""From what somebody typed to a template's folder: a path if it holds a slash, else a name that is looked up in the workspace,
then in the home, then among the bundled ones (contract.md 1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from counterfoil import places
from counterfoil.catalogue.manifest import MANIFEST, Manifest, read_manifest
from counterfoil.catalogue.packing import digest_of, read_code
from counterfoil.errors import BrokenTemplate, UnknownTemplate, did_you_mean

Origin = Literal["workspace", "home", "bundled"]


@dataclass(frozen=True, slots=True)
class TemplateFound:
    """A template that can be named; exactly one of `manifest` and `error` is there."""

    name: str
    folder: Path
    origin: Origin
    manifest: Manifest | None
    error: BrokenTemplate | None


def find_template(reference: str, workspace: Path, home: places.Home) -> Path:
    """The folder of a template, given by path (relative to the current directory) or by name.

    Raises:
        UnknownTemplate: nothing is there, or no template goes by that name.
    """
    if "/" in reference or os.sep in reference:
        return _by_path(reference)
    found = _by_name(workspace, home)
    if reference in found:
        return found[reference][0]
    advice = did_you_mean(reference, found)
    if not advice and (Path(reference) / MANIFEST).is_file():
        advice = f"Write ./{reference} for the folder that lies here."
    raise UnknownTemplate(f"no template ‘{reference}’.", advice or "`counterfoil template list` names them all.")


def kept_as(folder: Path, workspace: Path, home: places.Home) -> str:
    """What to keep of a template so that it is found again from anywhere: its name where that leads to this folder, else the folder."""
    found = _by_name(workspace, home).get(folder.name)
    return folder.name if found is not None and found[0].resolve() == folder.resolve() else str(folder.resolve())


def called(reference: str) -> str:
    """The name of the template that a reference leads to: a template's folder is called as it is."""
    return Path(reference).name if "/" in reference or os.sep in reference else reference


def list_templates(workspace: Path, home: places.Home) -> list[TemplateFound]:
    """Every template that a name reaches, by name; one that is broken is listed with what is wrong."""
    return [_looked_at(name, folder, origin) for name, (folder, origin) in sorted(_by_name(workspace, home).items())]


def is_bundled(name: str, version: str) -> bool:
    """Whether a version is, byte for byte, the one of this name that comes with the program."""
    folder = places.bundled("workflows") / name
    try:
        return "/" not in name and digest_of(read_code(folder)) == version
    except (BrokenTemplate, OSError):
        return False


def _by_path(reference: str) -> Path:
    folder = Path(reference).expanduser()
    if folder.name in (MANIFEST, "workflow.py") and folder.is_file():
        folder = folder.parent
    if not (folder / MANIFEST).is_file():
        what = f"no {MANIFEST} in" if folder.is_dir() else "no folder"
        raise UnknownTemplate(f"{what} ‘{reference}’.", f"A template is a folder with {MANIFEST} and workflow.py.")
    return folder.resolve()


def _by_name(workspace: Path, home: places.Home) -> dict[str, tuple[Path, Origin]]:
    searched: tuple[tuple[Path, Origin], ...] = (
        (workspace / ".counterfoil" / "templates", "workspace"),
        (home.templates, "home"),
        (places.bundled("workflows"), "bundled"),
    )
    found: dict[str, tuple[Path, Origin]] = {}
    for parent, origin in searched:
        for folder in _templates_in(parent):
            found.setdefault(folder.name, (folder, origin))
    return found


def _templates_in(parent: Path) -> Iterator[Path]:
    try:
        folders = sorted(parent.iterdir())
    except OSError:  # most workspaces have no templates of their own
        return
    for folder in folders:
        if not folder.name.startswith(".") and (folder / MANIFEST).is_file():
            yield folder.resolve()


def _looked_at(name: str, folder: Path, origin: Origin) -> TemplateFound:
    try:
        return TemplateFound(name, folder, origin, read_manifest(folder), None)
    except BrokenTemplate as problem:
        return TemplateFound(name, folder, origin, None, problem)
