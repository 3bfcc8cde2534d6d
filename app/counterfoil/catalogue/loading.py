"""From a template's folder to its workflow. This runs the author's code, so it belongs into a host process (or the Harness),
never into the runner, the command line or the window.

The folder goes to the front of the import path and workflow.py gets a private module name. One process may load several
templates, or versions of one: a module from elsewhere that would answer to a name of this folder is forgotten first, and
annotations are resolved now, while the modules they name can still be found. A version loaded earlier goes on working, except
that an import inside one of its functions may then find the newer module.
"""

from __future__ import annotations

import dataclasses
import hashlib
import importlib
import importlib.util
import inspect
import os
import sys
import traceback
import typing
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from counterfoil.authoring.codec import Unrecordable, decoder_for, hints_of
from counterfoil.authoring.parameters import schema_of
from counterfoil.authoring.steps import Step
from counterfoil.authoring.workflows import Workflow, find_workflow
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.manifest import MANIFEST, WORKFLOW, line_of, named_parameters, read_manifest
from counterfoil.catalogue.packing import LEFT_OUT
from counterfoil.errors import RefusedUse, did_you_mean

_PREFIX = "counterfoil_workflow_"
_MEND = "Mend it and check the template again."
_OURS = frozenset({"counterfoil"}) | sys.stdlib_module_names


def load_workflow(folder: Path, name: str, brought: str | None = None) -> Workflow[Any, Any]:
    """The workflow of a template folder; `name` is the template's, `brought` the folder of the packages it requires.

    Nothing is written into the folder: compiled modules are used where they lie there, and not made.

    Raises:
        BrokenFile: workflow.py does not load, holds no such workflow, or an annotation cannot be resolved.
    """
    folder = folder.resolve()
    _make_room(folder, brought)
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        module = _execute(folder)
    finally:
        sys.dont_write_bytecode = before
    try:
        workflow = find_workflow(vars(module), name)
        schema_of(workflow.params)
        _resolve(workflow.params, set())
    except (RefusedUse, Unrecordable, NameError, AttributeError) as problem:
        raise BrokenFile(folder, WORKFLOW, None, f"{problem}.", _MEND) from problem
    for step in steps_of(folder):
        _resolve_step(folder, step)
    return workflow


def describe(folder: Path, name: str, brought: str | None = None) -> dict[str, Any]:
    """What a version's row keeps: `{"parameters": [field objects], "steps": [{"name", "title"}]}`.

    Raises:
        BrokenFile: as `load_workflow`, or the manifest names a parameter that is not there.
    """
    workflow = load_workflow(folder, name, brought)
    steps = [{"name": step.name, "title": step.title} for step in steps_of(folder.resolve())]
    return {"parameters": _with_words(folder, schema_of(workflow.params)), "steps": steps}


def steps_of(folder: Path) -> list[Step[Any, Any]]:
    """The steps of a loaded template: those of workflow.py first, then those of its other modules, each in the order written."""
    ours = _private_name(folder)
    others = [module for key, module in list(sys.modules.items()) if key != ours and _lies_in(folder, module)]
    modules = [sys.modules[ours], *others]
    found = {id(value): value for module in modules for value in vars(module).values() if isinstance(value, Step)}
    return list(found.values())


def _with_words(folder: Path, parameters: list[dict[str, Any]]) -> list[dict[str, Any]]:
    manifest = read_manifest(folder)
    known = [parameter["name"] for parameter in parameters]
    for key, name in named_parameters(manifest):
        if name not in known:
            advice = did_you_mean(name, known) or f"It has: {', '.join(known)}."
            raise BrokenFile(folder, MANIFEST, line_of(folder, key), f"the workflow has no parameter ‘{name}’.", advice)
    for parameter in parameters:
        words = manifest.parameters.get(parameter["name"])
        if words is not None:
            parameter |= {key: text for key, text in dataclasses.asdict(words).items() if text}
    return parameters


def _private_name(folder: Path) -> str:
    return _PREFIX + hashlib.sha256(str(folder).encode("utf-8", "surrogateescape")).hexdigest()[:16]


def _make_room(folder: Path, brought: str | None) -> None:
    """Put the folder first on the import path and forget modules from elsewhere that have the names of its own. What it brings goes
    last, behind Python's and Counterfoil's own, so that nothing in a package can pass for one of theirs."""
    names = _importable(folder)
    for name in sorted(names & _OURS):
        what = "a module of that name hides Python's or Counterfoil's own."
        raise BrokenFile(folder, name, None, what, "Give it another name.")
    for key, module in list(sys.modules.items()):
        if key.partition(".")[0] in names and not _lies_in(folder, module):
            del sys.modules[key]
    others = [entry for entry in sys.path if entry not in (str(folder), brought)]
    sys.path[:] = [str(folder), *others, *([brought] if brought else [])]
    importlib.invalidate_caches()


def _importable(folder: Path) -> set[str]:
    try:
        entries = list(folder.iterdir())
    except OSError as problem:
        raise BrokenFile(
            folder, "", None, f"it cannot be read: {problem.strerror}.", "Look at the folder."
        ) from problem
    files = {entry.stem for entry in entries if entry.suffix == ".py" and entry.stem != "__main__"}
    folders = {entry.name for entry in entries if entry.is_dir() and any(entry.glob("*.py"))}
    return files | (folders - LEFT_OUT)


def _lies_in(folder: Path, module: ModuleType | None) -> bool:
    """Whether a module's source, or a namespace package's folder, lies beneath a folder."""
    facts = vars(module) if module else {}  # not getattr: some modules import on demand
    beneath = f"{folder}{os.sep}"
    return any(str(place).startswith(beneath) for place in (facts.get("__file__"), *facts.get("__path__", ())))


def _execute(folder: Path) -> ModuleType:
    name = _private_name(folder)
    spec = importlib.util.spec_from_file_location(name, folder / WORKFLOW)
    if spec is None or spec.loader is None or not (folder / WORKFLOW).is_file():
        raise BrokenFile(folder, WORKFLOW, None, "there is no such file.", "Write the workflow into it.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as problem:
        del sys.modules[name]
        raise _why_not(folder, problem) from problem
    return module


def _why_not(folder: Path, problem: BaseException) -> BrokenFile:
    """Where in the template importing failed, why, and what to do."""
    if isinstance(problem, SyntaxError) and problem.filename:
        return BrokenFile(folder, _within(folder, problem.filename), problem.lineno, f"{problem.msg}.", _MEND)
    own = [frame for frame in traceback.extract_tb(problem.__traceback__) if _within(folder, frame.filename)]
    file, line = (_within(folder, own[-1].filename), own[-1].lineno) if own else (WORKFLOW, None)
    if isinstance(problem, ModuleNotFoundError) and problem.name:
        advice = f"Put it into the template, or require its package under [packages] in {MANIFEST}."
        return BrokenFile(folder, file, line, f"there is no module ‘{problem.name}’.", advice)
    if isinstance(problem, SystemExit):
        advice = "Keep what a script does out of the template."
        return BrokenFile(folder, file, line, "it ends the program when it is imported.", advice)
    return BrokenFile(folder, file, line, f"{type(problem).__name__}: {problem}.", _MEND)


def _within(folder: Path, file: str) -> str:
    """A file's path beneath the template, or nothing where it lies elsewhere."""
    path = Path(file)
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else ""


def _resolve_step(folder: Path, step: Step[Any, Any]) -> None:
    try:
        step.decoder  # noqa: B018 - a cached property: asking for it makes it
        _resolve(step.returns, set())
    except (Unrecordable, NameError, AttributeError, TypeError) as problem:
        code = inspect.unwrap(step.plain).__code__
        what = f"the result of the step ‘{step.name}’ cannot be recorded: {problem}."
        advice = "Annotate what it returns with a type that the module itself can name and a record can hold."
        file, line = _within(folder, code.co_filename), code.co_firstlineno
        raise BrokenFile(folder, file, line, what, advice) from problem


def _resolve(annotation: Any, seen: set[Any]) -> None:
    """Resolve an annotation to its leaves, so that none is looked up later, when another version may answer."""
    for part in _parts(annotation):
        if part not in seen:
            seen.add(part)
            _resolve(part, seen)


def _parts(annotation: Any) -> Iterator[Any]:
    if isinstance(annotation, type) and dataclasses.is_dataclass(annotation):
        hints = hints_of(annotation)
        for field in dataclasses.fields(annotation):
            decoder_for(hints[field.name])
            yield hints[field.name]
    elif typing.get_origin(annotation) is typing.Annotated:
        yield typing.get_args(annotation)[0]
    elif typing.get_origin(annotation) is not typing.Literal:
        yield from (part for part in typing.get_args(annotation) if part is not Ellipsis)
