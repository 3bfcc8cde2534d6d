"""`counterfoil template check`: everything that can be said about a template without running it, each with its line, the reason
and what to write instead."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from counterfoil.catalogue.broken_file import BrokenFile, Finding
from counterfoil.catalogue.code_checks import check_body, check_connectors, check_effects, check_import, check_step
from counterfoil.catalogue.import_checks import check_imports, check_packages
from counterfoil.catalogue.manifest import MANIFEST, WORKFLOW, Manifest, line_of, named_parameters, read_manifest
from counterfoil.catalogue.packing import read_code, used_code
from counterfoil.catalogue.requirements import lock_for
from counterfoil.catalogue.shelf import Shelf
from counterfoil.catalogue.source_code import Code, Place, Scope, Source, parse
from counterfoil.errors import did_you_mean

_MODULE = "workflow"  # what workflow.py is called among the sources
_ONE_NAME = "A run is found again by its template's name."


def check_template(folder: Path, shelf: Shelf | None = None) -> list[Finding]:
    """Findings by file and line; an empty list says that nothing was found, not that nothing is wrong.

    `shelf`: where its packages may lie, so that what they are imported as is known.
    """
    folder = folder.resolve()
    found: list[Finding] = []
    manifest = None
    used: dict[str, bytes] = {}
    try:
        manifest = read_manifest(folder)
    except BrokenFile as problem:
        found.append(problem.finding())
    try:
        files = read_code(folder)
        used = used_code(folder, manifest.uses, files) if manifest else used
    except BrokenFile as problem:
        return [*found, problem.finding()]
    sources, unreadable = _parsed(files | used)
    found += unreadable
    found += _hiding(files)
    if manifest is not None:
        found += check_packages(folder, manifest)
    if not unreadable:
        code = Code(sources)
        found += _code_findings(code, folder, manifest)
        found += check_imports(code, manifest, _brought(shelf, folder, manifest))
    return sorted({finding for finding in found if finding.file not in used})


def _brought(shelf: Shelf | None, folder: Path, manifest: Manifest | None) -> Path | None:
    """The folder of a template's packages, where they are here."""
    if shelf is None or manifest is None:
        return None
    try:
        lock = lock_for(folder, manifest.packages)
    except BrokenFile:
        return None
    return shelf.place(lock) if lock else None


def _parsed(files: dict[str, bytes]) -> tuple[list[Source], list[Finding]]:
    sources: list[Source] = []
    found: list[Finding] = []
    for file, data in files.items():
        if file.endswith(".py"):
            try:
                sources.append(parse(file, data))
            except SyntaxError as problem:
                what = f"{problem.msg}."
                why = "Python cannot read the file."
                found.append(Finding(file, problem.lineno or 0, what, why, "Mend the line, then check again."))
    return sources, found


def _hiding(files: dict[str, bytes]) -> Iterator[Finding]:
    for file in files:
        name, _, inside = file.partition("/")
        module = name.removesuffix(".py")
        is_module = inside == "__init__.py" if inside else name.endswith(".py")
        if is_module and (module in sys.stdlib_module_names or module == "counterfoil"):
            what = f"a module called {module} hides one of Python's or Counterfoil's."
            yield Finding(file, 0, what, "Whatever imports that name gets this file.", "Give it another name.")


def _code_findings(code: Code, folder: Path, manifest: Manifest | None) -> Iterator[Finding]:
    workflows = code.places("workflow")
    yield from _one_workflow(code, workflows, folder, manifest)
    for workflow in workflows:
        yield from check_body(code, workflow)
    for step in code.places("step"):
        yield from check_step(code, step)
    for source in code.sources.values():
        yield from check_import(code, source)
    if manifest is not None:
        yield from check_effects(code, manifest.permissions)
        yield from check_connectors(code, manifest.connectors)


def _one_workflow(code: Code, workflows: list[Place], folder: Path, manifest: Manifest | None) -> Iterator[Finding]:
    """There is one workflow, in workflow.py, async, with one Params, called as the folder and the manifest are."""
    if manifest is not None and manifest.name != folder.name:
        what = f"the folder is called {folder.name}, the manifest says {manifest.name}."
        yield Finding(MANIFEST, line_of(folder, "name"), what, _ONE_NAME, f'name = "{folder.name}"')
    here = [place for place in workflows if place.source.dotted == _MODULE]
    if len(here) != 1:
        what = f"it holds {len(here) or 'no'} functions marked @workflow."
        instead = f'@workflow("{folder.name}") above one async function, and no other'
        yield Finding(WORKFLOW, here[1].node.lineno if here else 0, what, "A template is one workflow.", instead)
        return
    workflow = here[0]
    line = workflow.node.lineno
    name = _name_of(code, workflow)
    expected = manifest.name if manifest else folder.name
    if name != expected:
        what = f"the workflow is called {name or 'nothing'}, the template {expected}."
        yield Finding(WORKFLOW, line, what, _ONE_NAME, f'@workflow("{expected}")')
    if not isinstance(workflow.node, ast.AsyncFunctionDef):
        instead = f"async def {workflow.node.name}({ast.unparse(workflow.node.args)}):"
        yield Finding(WORKFLOW, line, "the workflow is not async.", "It waits for people and steps.", instead)
    yield from _parameters(code, workflow, folder, manifest)


def _name_of(code: Code, workflow: Place) -> str:
    match code.marked(workflow, "workflow"):
        case (
            ast.Call(args=[ast.Constant(value=str(name))])
            | ast.Call(keywords=[ast.keyword(arg="name", value=ast.Constant(value=str(name)))])
        ):
            return name
    return ""


def _parameters(code: Code, workflow: Place, folder: Path, manifest: Manifest | None) -> Iterator[Finding]:
    arguments = workflow.node.args
    taken = [*arguments.posonlyargs, *arguments.args]
    if len(taken) != 1 or arguments.kwonlyargs or arguments.vararg or arguments.kwarg or taken[0].annotation is None:
        instead = f"async def {workflow.node.name}(p: P):  # class P(Params)"
        what = "the workflow must take one argument, annotated with its Params."
        yield Finding(WORKFLOW, workflow.node.lineno, what, "The form is made from it.", instead)
        return
    known = _fields_of(code, workflow.source, taken[0].annotation)
    if manifest is None or known is None:
        return
    for key, name in named_parameters(manifest):
        if name not in known:
            advice = did_you_mean(name, known) or f"Parameters: {', '.join(known)}."
            what = f"the workflow has no parameter {name}."
            yield Finding(MANIFEST, line_of(folder, key), what, "The manifest names it.", advice)


def _fields_of(code: Code, source: Source, annotation: ast.expr) -> list[str] | None:
    """The names of a Params class, or None where it is not written out in the template."""
    dotted = Scope(code, source).meaning(annotation)
    module, _, name = dotted.rpartition(".")
    kind = code.sources[module].classes.get(name) if module in code.sources else None
    if (
        kind is None
        or len(kind.bases) != 1
        or Scope(code, code.sources[module]).meaning(kind.bases[0]) != "counterfoil.Params"
    ):
        return None
    return [
        part.target.id for part in kind.body if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
    ]
