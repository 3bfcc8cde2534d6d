"""A template's Python as text that can be asked questions: what does this name mean, which functions does that one reach.

Only syntax is looked at, nothing is imported. A name's meaning is its dotted path: `datetime.datetime.now`, `counterfoil.approve`,
`rows.total`, `builtins.open`; or nothing, where it is a local variable or comes out of an expression.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
_DOOR = "counterfoil"
_BUILTINS = frozenset(dir(builtins))


@dataclass(slots=True)
class Source:
    """One module: its file beneath the template, its dotted name, and what its top level binds."""

    file: str
    dotted: str
    tree: ast.Module
    imports: dict[str, str] = field(default_factory=dict)
    typing_only: set[str] = field(default_factory=set)  # imported for the type checker, absent when the program runs
    functions: dict[str, Function] = field(default_factory=dict)  # methods as Class.method
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    variables: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        for node in top_level(self.tree):
            self._bind(node)

    def _bind(self, node: ast.AST) -> None:
        match node:
            case ast.Import() | ast.ImportFrom():
                self.imports |= imported(node, self)
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                self.functions[node.name] = node
            case ast.ClassDef():
                self.classes[node.name] = node
                methods = (part for part in node.body if isinstance(part, Function))
                self.functions |= {f"{node.name}.{method.name}": method for method in methods}
            case ast.Name(id=name, ctx=ast.Store()):
                self.variables.add(name)
            case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
                inside = (part for part in node.body if isinstance(part, ast.Import | ast.ImportFrom))
                self.typing_only.update(name for part in inside for name in imported(part, self))


@dataclass(frozen=True, slots=True)
class Place:
    """A function where it stands."""

    source: Source
    name: str
    node: Function


class Code:
    """All modules of a template."""

    def __init__(self, sources: list[Source]) -> None:
        self.sources = {source.dotted: source for source in sources}

    def meaning(self, dotted: str) -> str:
        """A dotted path with re-exports followed; everything of Counterfoil's is named as its door names it."""
        for _ in range(10):  # a chain of re-exports, or a circle
            module, _, rest = self._split(dotted)
            first, _, more = rest.partition(".")
            if module is None or first not in module.imports:
                break
            dotted = f"{module.imports[first]}.{more}".rstrip(".")
        if dotted.startswith(f"{_DOOR}."):
            return f"{_DOOR}.{dotted.rpartition('.')[2]}"
        return dotted

    def function(self, dotted: str) -> Place | None:
        """The template's function of that path; a class leads to what making one runs, `.plain` to the step's function."""
        source, _, name = self._split(dotted.removesuffix(".plain"))
        if source is None:
            return None
        names = (name, f"{name}.__post_init__", f"{name}.__init__")
        return next(
            (Place(source, known, source.functions[known]) for known in names if known in source.functions), None
        )

    def is_variable(self, dotted: str) -> bool:
        """Whether a path names a variable at the top level of one of the template's modules."""
        source, _, name = self._split(dotted)
        return source is not None and name in source.variables

    def marked(self, place: Place, mark: str) -> ast.expr | None:
        """The decorator `counterfoil.<mark>` of a function, if it has it."""
        scope = Scope(self, place.source)
        for decorator in place.node.decorator_list:
            target = decorator.func if isinstance(decorator, ast.Call) else decorator
            if scope.meaning(target) == f"{_DOOR}.{mark}":
                return decorator
        return None

    def places(self, mark: str) -> list[Place]:
        """Every function with that decorator, by file and line."""
        everything = (
            Place(source, name, node)
            for source in sorted(self.sources.values(), key=lambda source: source.file)
            for name, node in source.functions.items()
        )
        return [place for place in everything if self.marked(place, mark) is not None]

    def reached_from(self, root: Place) -> list[Place]:
        """A function and those of the template that it uses, wherever they stand; steps are not entered, except by `.plain`."""
        found = {(root.source.file, root.name): root}
        waiting = [root]
        while waiting:
            place = waiting.pop()
            scope = Scope(self, place.source, place.node)
            for dotted in scope.used():
                other = self.function(dotted)
                if other is None or (other.source.file, other.name) in found:
                    continue
                if dotted.endswith(".plain") or not (self.marked(other, "step") or self.marked(other, "workflow")):
                    found[other.source.file, other.name] = other
                    waiting.append(other)
        return list(found.values())

    def _split(self, dotted: str) -> tuple[Source | None, str, str]:
        parts = dotted.split(".")
        for count in range(len(parts), 0, -1):
            module = ".".join(parts[:count])
            if module in self.sources:
                return self.sources[module], module, ".".join(parts[count:])
        return None, "", dotted


class Scope:
    """What names mean at one place: inside a function, or at the top level of a module."""

    def __init__(self, code: Code, source: Source, function: Function | None = None) -> None:
        self.code = code
        self.source = source
        self.function = function
        self.imports: dict[str, str] = {}
        self.locals: set[str] = set()
        declared: set[str] = set()
        for node in ast.walk(function) if function else ():
            match node:
                case ast.Import() | ast.ImportFrom():
                    self.imports |= imported(node, source)
                case ast.Global(names=names):
                    declared.update(names)
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                    self.locals.add(name)
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) if node is not function:
                    self.locals.add(name)
        self.locals -= declared

    def meaning(self, expression: ast.expr) -> str:
        """The dotted path that a name or a chain of attributes stands for, or nothing."""
        match expression:
            case ast.Attribute(value=value, attr=attr):
                base = self.meaning(value)
                return self.code.meaning(f"{base}.{attr}") if base else ""
            case ast.Name(id=name):
                return self._name(name)
        return ""

    def used(self) -> Iterator[str]:
        """Every path that the function's body reads."""
        for node in walk_code(self.function.body) if self.function else ():
            if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load):
                dotted = self.meaning(node)
                if dotted:
                    yield dotted

    def _name(self, name: str) -> str:
        if name in self.imports:
            return self.code.meaning(self.imports[name])
        if name in self.locals:
            return ""
        source = self.source
        if name in source.imports:
            return self.code.meaning(source.imports[name])
        if name in source.functions or name in source.classes or name in source.variables:
            return f"{source.dotted}.{name}"
        return f"builtins.{name}" if name in _BUILTINS else ""


def parse(file: str, data: bytes) -> Source:
    """One module of a template.

    Raises:
        SyntaxError: it is no Python; also for what the parser cannot take (a zero byte, thousands of brackets).
    """
    dotted = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    try:
        return Source(file, dotted, ast.parse(data, file))
    except (ValueError, RecursionError, MemoryError) as problem:
        raise SyntaxError(str(problem) or "it is nested too deeply") from problem


def top_level(tree: ast.Module, *, into_classes: bool = False) -> Iterator[ast.AST]:
    """What runs when a module is imported; functions appear, their bodies do not, and those of classes only if asked for."""
    waiting: list[ast.AST] = list(reversed(tree.body))
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Function):
            waiting += [*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        elif not isinstance(node, ast.Lambda) and (into_classes or not isinstance(node, ast.ClassDef)):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def walk_code(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Every node of a body except annotations, which never run."""
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        for name, value in reversed(list(ast.iter_fields(node))):
            if name not in ("annotation", "returns"):
                parts = value if isinstance(value, list) else [value]
                waiting += reversed([part for part in parts if isinstance(part, ast.AST)])


def imported(node: ast.Import | ast.ImportFrom, source: Source) -> dict[str, str]:
    """The names that an import binds -> the paths they stand for."""
    if isinstance(node, ast.Import):
        return {
            alias.asname or alias.name.partition(".")[0]: alias.name if alias.asname else alias.name.partition(".")[0]
            for alias in node.names
        }
    module = node.module or ""
    if node.level:
        parts = source.dotted.split(".")
        here = parts if source.file.endswith("__init__.py") else parts[:-1]
        module = ".".join([*here[: len(here) - node.level + 1], *filter(None, [module])])
    return {alias.asname or alias.name: f"{module}.{alias.name}".lstrip(".") for alias in node.names}
