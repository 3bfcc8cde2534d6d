"""What a check says of a template's imports: each must be Python's, Counterfoil's, the template's own or of a package it requires, or
a run stops at it on the next computer; and of its packages: required ones are locked."""

from __future__ import annotations

import ast
import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from importlib import metadata
from pathlib import Path

from counterfoil.catalogue.broken_file import BrokenFile, Finding
from counterfoil.catalogue.manifest import MANIFEST, Manifest, line_of
from counterfoil.catalogue.requirements import LOCK, OFFERED, canonical_name, lock_for, required_here
from counterfoil.catalogue.source_code import Code, Source

_NEXT_COMPUTER = "Where its package is not installed by chance, a run stops at this line."
# Packages whose modules are called otherwise, as far as authors meet them often; what is installed here is asked first.
_OFTEN = {
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python-headless",
    "Crypto": "pycryptodome",
    "dateutil": "python-dateutil",
    "docx": "python-docx",
    "dotenv": "python-dotenv",
    "jwt": "PyJWT",
    "magic": "python-magic",
    "PIL": "pillow",
    "pptx": "python-pptx",
    "sklearn": "scikit-learn",
    "yaml": "PyYAML",
}


def check_packages(folder: Path, manifest: Manifest) -> Iterator[Finding]:
    """What is required and not locked, locked otherwise, or locked and not required."""
    try:
        lock = lock_for(folder, manifest.packages, line_of(folder, "requires") or None)
    except BrokenFile as problem:
        yield problem.finding("Packages are fetched by the lock alone, so that everybody gets the same files.")
        return
    if lock is None and (folder / LOCK).is_file():
        what = "it pins packages, and template.toml requires none."
        yield Finding(
            LOCK, 0, what, "It is not looked at.", "Require them under [packages], or remove the file.", "warning"
        )


def check_imports(code: Code, manifest: Manifest | None, brought: Path | None) -> Iterator[Finding]:
    """Imports of packages that the manifest does not require; `brought` is the folder of those it does, where they are here."""
    own = {source.dotted.partition(".")[0] for source in code.sources.values()}
    requires = manifest.packages if manifest else ()
    known, unsure = _modules_of(requires, brought)
    fine = own | known | OFFERED | sys.stdlib_module_names | {"counterfoil"}
    for source in code.sources.values():
        for node, name in _imports(source):
            if name not in fine:
                yield _undeclared(source, node, name, unsure)


def _undeclared(source: Source, node: ast.stmt, name: str, unsure: list[str]) -> Finding:
    package = _package_of(name)
    with contextlib.suppress(metadata.PackageNotFoundError):
        package += f">={'.'.join(metadata.version(package).split('.')[:2])}"
    if unsure:
        what = f"it imports {name}; whether {' or '.join(unsure)} brings that is not known here."
        instead = f'counterfoil template add, then check again; or packages.requires = ["{package}"] in {MANIFEST}'
        return Finding(source.file, node.lineno, what, _NEXT_COMPUTER, instead, "warning")
    what = f"it imports {name}, and {MANIFEST} requires no package of that name."
    instead = f'packages.requires = ["{package}"] at the top of {MANIFEST}, then: counterfoil template lock'
    return Finding(source.file, node.lineno, what, _NEXT_COMPUTER, instead)


def _imports(source: Source) -> Iterator[tuple[ast.stmt, str]]:
    """Every import that is carried out for sure: not those for the type checker, not those that may fail."""
    waiting: list[ast.AST] = [source.tree]
    while waiting:
        node = waiting.pop()
        match node:
            case ast.Import(names=names):
                yield from ((node, alias.name.partition(".")[0]) for alias in names)
            case ast.ImportFrom(level=0, module=str(module)):
                yield node, module.partition(".")[0]
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING"), orelse=others):
                waiting += others
            case ast.Try(handlers=handlers, orelse=others, finalbody=final) if any(map(_takes_absence, handlers)):
                waiting += [*handlers, *others, *final]
            case _:
                waiting += ast.iter_child_nodes(node)


def _takes_absence(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    kinds = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    names = {kind.id for kind in kinds if isinstance(kind, ast.Name)}
    return caught is None or not names.isdisjoint({"ImportError", "ModuleNotFoundError", "Exception"})


def _modules_of(requires: Iterable[str], brought: Path | None) -> tuple[set[str], list[str]]:
    """The modules that required packages bring, and the packages of which that is not known."""
    there: Mapping[str, metadata.Distribution] = _distributions(brought)
    found: set[str] = set()
    unsure: list[str] = []
    for requirement in required_here(requires):
        name = canonical_name(requirement.name)
        found.add(name.replace("-", "_"))
        often = {module for module, package in _OFTEN.items() if canonical_name(package) == name}
        found |= often
        if name in there:
            found |= _top_level(there[name])
        elif not often:
            unsure.append(requirement.name)
    return found, unsure


def _distributions(brought: Path | None) -> dict[str, metadata.Distribution]:
    """What is here, by canonical name; what the template's own lock has brought goes first."""
    found = list(metadata.distributions())
    if brought is not None:
        found += metadata.distributions(path=[str(brought)])
    return {canonical_name(one.name): one for one in found if one.name}


def _top_level(one: metadata.Distribution) -> set[str]:
    files = [file.parts[0] for file in one.files or () if file.suffix in (".py", ".so", ".pyd")]
    return {part.partition(".")[0] for part in files}


def _package_of(module: str) -> str:
    known = metadata.packages_distributions().get(module)
    return known[0] if known else _OFTEN.get(module, module)
