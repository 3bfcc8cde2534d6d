"""Going through a folder: which files there are to look at, and what is left alone, with the reason.

A folder that is somebody's project, a program's or a saved web page's is left alone as a whole: its files refer to each other by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from counterfoil import FileFacts, FileRefused, Files, LeftOut
from counterfoil.policy.boundaries import trouble_with
from counterfoil.policy.file_classes import rule_of
from tidy_folder.names import is_text

MOST_FILES = 50_000
DEEPEST = 60  # folders in one another

# Directly in a folder, one of these says that the folder is worked in by programs.
_PROJECT_NAMES = frozenset(
    """.git .hg .svn .bzr .jj .idea .vscode .project node_modules package.json pyproject.toml setup.py cargo.toml go.mod pom.xml
    build.gradle build.gradle.kts makefile cmakelists.txt gemfile composer.json dockerfile .gitignore .gitattributes""".split()
)
_PROJECT_ENDINGS = (".sln", ".xcodeproj", ".csproj", ".vcxproj", ".code-workspace")
_BUNDLES = (".app", ".photoslibrary", ".photolibrary", ".musiclibrary", ".lrdata", ".bundle", ".framework", ".rtfd")
_PAGE_FOLDERS = ("_files", "-dateien", "_fichiers", "_archivos", "_bestanden", "_file")  # beside a saved web page

HIDDEN, LINK, SPECIAL = "Hidden file", "Link", "Pipe or device"
PROJECT, BUNDLE, PAGE = "Part of a project", "Folder of a program", "Part of a saved web page"
UNREADABLE, TOO_DEEP = "Cannot be read", "Lies too deep"
NOT_COPIED = "A key or a secret, or left out by choice"
NAME, OBEYED = "Its name cannot be used", "Other programs run or obey it"
_NOT_GIVEN = {"not copied": NOT_COPIED, "unreadable": UNREADABLE}


@dataclass(frozen=True, slots=True)
class Alone:
    """Something that is left alone: path relative to the workspace, one of a few reasons, and more where there is more to say."""

    path: str
    why: str
    more: str = ""


@dataclass(slots=True)
class Ground:
    """What is in a folder: files to look at, everything left alone, every folder that was gone through."""

    files: list[FileFacts] = field(default_factory=list)
    alone: list[Alone] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)
    cut: bool = False  # there are more files than are looked at in one run


def walk(door: Files, folder: str, without: str) -> Ground:
    """Everything in a folder and beneath it, except the folder `without`.

    Raises:
        FileRefused: the folder itself is missing, a link, or may not be read.
    """
    found = Ground()
    todo = [folder.strip("/") if folder not in (".", "") else ""]
    while todo and len(found.files) < MOST_FILES:
        here = todo.pop()
        try:
            files, others = door.list(here), door.left_out(here)
        except FileRefused as problem:
            if not (found.folders or found.alone):
                raise
            found.alone.append(Alone(here, UNREADABLE, problem.reason))
            continue
        why = _whole_folder(here, [*(one.path for one in files), *(one.path for one in others)])
        if why:
            found.alone.append(Alone(here or ".", *why))
            continue
        found.folders.append(here)
        found.files += _files(files, found.alone)
        below = sorted(_folders(others, [one.path for one in files], without, found.alone), reverse=True)
        todo += below
    found.cut = bool(todo)
    return found


def _whole_folder(here: str, paths: Sequence[str]) -> tuple[str, str] | None:
    """Why a folder is left alone as a whole: the reason, and by what it is known."""
    name = here.rpartition("/")[2].lower()
    if name.endswith(_BUNDLES):
        return BUNDLE, ""
    for path in paths:
        entry = path.rpartition("/")[2]
        if entry.lower() in _PROJECT_NAMES or entry.lower().endswith(_PROJECT_ENDINGS):
            return PROJECT, f"it holds {entry}"
    return None


def _files(files: Sequence[FileFacts], alone: list[Alone]) -> Iterator[FileFacts]:
    """The files that can be looked at; the others are left alone."""
    for one in files:
        if one.is_link:
            alone.append(Alone(one.path, LINK))
        elif (trouble := trouble_with(one.path)) is not None:
            alone.append(Alone(one.path, NAME, trouble.rpartition("” ")[2] if "” " in trouble else trouble))
        elif not is_text(one.path):
            alone.append(Alone(one.path, NAME, "its bytes are not UTF-8"))
        elif (rule := rule_of(one.path)) is not None:
            alone.append(Alone(one.path, OBEYED, rule.why))
        else:
            yield one


def _folders(others: Sequence[LeftOut], files: Sequence[str], without: str, alone: list[Alone]) -> Iterator[str]:
    """The folders to go on with; what else is left out is left alone."""
    pages = {path.rpartition(".")[0].lower() for path in files if path.lower().endswith((".html", ".htm", ".xhtml"))}
    for one in others:
        path, kind = one.path, one.kind
        name = path.rpartition("/")[2]
        if path == without or name.startswith(".counterfoil"):
            continue
        if kind in _NOT_GIVEN and not name.startswith("."):
            alone.append(Alone(path, _NOT_GIVEN[kind]))
        elif kind != "folder":
            alone.append(Alone(path, HIDDEN if name.startswith(".") else SPECIAL))
        elif name.startswith("."):
            alone.append(Alone(path, HIDDEN, "a folder"))
        elif any(
            path.lower().endswith(ending) and path.lower().removesuffix(ending) in pages for ending in _PAGE_FOLDERS
        ):
            alone.append(Alone(path, PAGE))
        elif path.count("/") >= DEEPEST:
            alone.append(Alone(path, TOO_DEEP))
        else:
            yield path
