"""Guessing from syntax whether an expression is a set or a pathlib path: enough to name an accident, never to prove its absence."""

from __future__ import annotations

import ast
from collections.abc import Callable

from counterfoil.catalogue.source_code import Scope, walk_code

_PATHS = frozenset({"pathlib.Path", "pathlib.PosixPath", "pathlib.WindowsPath"})
_SETS = frozenset({"builtins.set", "builtins.frozenset"})
_SET_METHODS = frozenset({"union", "intersection", "difference", "symmetric_difference"})


class Kinds:
    """What the local names of one function hold."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.paths: set[str] = set()
        self.sets: set[str] = set()
        body = scope.function.body if scope.function else []
        assigned = [pair for node in walk_code(body) if (pair := _assignment(node)) is not None]
        _collect(self.paths, assigned, self.is_path)
        _collect(self.sets, assigned, self.is_set)
        # one that is sorted later on under the same name is taken for sorted
        self.sets -= {name for name, value in assigned if not self.is_set(value)}

    def is_set(self, expression: ast.expr) -> bool:
        """Whether its order differs from process to process."""
        match expression:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Name(id=name):
                return name in self.sets
            case ast.BinOp(left=left, right=right, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor()):
                return self.is_set(left) or self.is_set(right)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in _SET_METHODS:
                return self.is_set(value)
            case ast.Call(func=func):
                return self.scope.meaning(func) in _SETS
        return False

    def is_path(self, expression: ast.expr) -> bool:
        """Whether it is a path that can touch the disk."""
        match expression:
            case ast.Name(id=name):
                return name in self.paths
            case ast.BinOp(left=left, op=ast.Div()):
                return self.is_path(left)
            case ast.Attribute(value=value, attr="parent"):
                return self.is_path(value)
            case ast.Call(func=func):
                return self.scope.meaning(func) in _PATHS
        return False


def _assignment(node: ast.AST) -> tuple[str, ast.expr] | None:
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            return name, value
        case ast.NamedExpr(target=ast.Name(id=name), value=value):
            return name, value
    return None


def _collect(names: set[str], assigned: list[tuple[str, ast.expr]], is_kind: Callable[[ast.expr], bool]) -> None:
    for name, value in assigned:
        if is_kind(value):
            names.add(name)
