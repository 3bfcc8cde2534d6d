"""What becomes of a run whose question is sent back, as far as its template's code says so: it asks again, goes on otherwise, or stops.

Only syntax is looked at. Where the code does not say it plainly nothing is said, since a person is told that before the act.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from enum import StrEnum

from counterfoil.catalogue.source_code import Code, Function, Place, Scope, parse

_CATCHES = frozenset(
    {"counterfoil.Returned", "counterfoil.WorkflowError", "builtins.Exception", "builtins.BaseException"}
)
_ASKED = {"counterfoil.approve": "approval", "counterfoil.ask": "question"}
_LOOPS = (ast.While, ast.For, ast.AsyncFor)
_LEAVES = (ast.Return, ast.Raise, ast.Break)
_DEEPEST = 20  # callers of callers


class SentBack(StrEnum):
    """What follows; "" where it is not known."""

    AGAIN = "again"
    GOES_ON = "goes_on"
    STOPS = "stops"
    UNKNOWN = ""


def sent_back(files: Mapping[str, bytes]) -> dict[str, str]:
    """By kind of gate (approval, question, conflict) what sending one back comes to in a template with these files.

    A kind that its code does not open plainly is left away.
    """
    try:
        code = Code([parse(file, data) for file, data in files.items() if file.endswith(".py")])
    except SyntaxError:
        return {}
    found: dict[str, set[SentBack]] = {}
    for root in code.places("workflow")[:1]:
        look = _Look(code, root)
        for kind, fate in look.fates():
            found.setdefault(kind, set()).add(fate)
    return {kind: fates.pop() for kind, fates in found.items() if len(fates) == 1 and SentBack.UNKNOWN not in fates}


class _Look:
    """One look through what a workflow reaches."""

    def __init__(self, code: Code, root: Place) -> None:
        self._code, self._root = code, root
        self._places = [(place, Scope(code, place.source, place.node)) for place in code.reached_from(root)]
        self._above = {
            child: node
            for place, _ in self._places
            for node in ast.walk(place.node)
            for child in ast.iter_child_nodes(node)
        }

    def fates(self) -> Iterator[tuple[str, SentBack]]:
        for place, scope in self._places:
            for node in ast.walk(place.node):
                if isinstance(node, ast.Await) and isinstance(node.value, ast.Name | ast.Subscript | ast.Attribute):
                    yield "conflict", SentBack.UNKNOWN  # perhaps an effect by itself, perhaps not
                elif isinstance(node, ast.Call) and (kind := _kind(node, scope)):
                    yield kind, self._fate(place, scope, node, _DEEPEST)

    def _fate(self, place: Place, scope: Scope, node: ast.AST, left: int) -> SentBack:
        """What follows where `node`, which stands in `place`, raises Returned."""
        child, above = node, self._above.get(node)
        while above is not None and child is not place.node:
            if isinstance(above, ast.Lambda | Function) and above is not place.node:
                return SentBack.UNKNOWN  # who calls it is not known
            if isinstance(above, ast.Try | ast.TryStar) and child in above.body:
                handler = next((one for one in above.handlers if _catches(one.type, scope)), None)
                if handler is not None:
                    return self._handled(handler, above, place)
            if isinstance(above, ast.With | ast.AsyncWith):
                return (
                    SentBack.UNKNOWN
                    if any(isinstance(one.context_expr, ast.Call) for one in above.items)
                    else self._fate(place, scope, above, left)
                )
            child, above = above, self._above.get(above)
        if place.node is self._root.node:
            return SentBack.STOPS
        return self._of_callers(place, left - 1)

    def _handled(self, handler: ast.ExceptHandler, tried: ast.AST, place: Place) -> SentBack:
        """A handler that only notes what was said, in a loop, leads to the next round."""
        if any(isinstance(node, _LEAVES) for part in handler.body for node in ast.walk(part)):
            return SentBack.GOES_ON
        child, above = tried, self._above.get(tried)
        while above is not None and child is not place.node:
            if isinstance(above, _LOOPS) and child in above.body:
                return SentBack.AGAIN if isinstance(above, ast.While) else SentBack.GOES_ON
            child, above = above, self._above.get(above)
        return SentBack.GOES_ON

    def _of_callers(self, called: Place, left: int) -> SentBack:
        """What follows where a function lets it through: the same for all who call it, or not known."""
        found = set()
        for place, scope in self._places if left else ():
            for node in ast.walk(place.node):
                if isinstance(node, ast.Call) and self._is_of(node, scope, called):
                    found.add(self._fate(place, scope, node, left))
        return found.pop() if len(found) == 1 else SentBack.UNKNOWN

    def _is_of(self, call: ast.Call, scope: Scope, called: Place) -> bool:
        dotted = scope.meaning(call.func)
        place = self._code.function(dotted) if dotted else None
        return place is not None and place.node is called.node


def _kind(call: ast.Call, scope: Scope) -> str:
    """Which gate a call opens, or may open; "" where none."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "perform":
        raises = any(one.arg == "on_conflict" and not _is_plain(one.value, "ask") for one in call.keywords)
        return "" if raises else "conflict"
    return _ASKED.get(scope.meaning(call.func), "")


def _is_plain(value: ast.expr, text: str) -> bool:
    return isinstance(value, ast.Constant) and value.value == text


def _catches(caught: ast.expr | None, scope: Scope) -> bool:
    if caught is None:
        return True
    if isinstance(caught, ast.Tuple):
        return any(_catches(one, scope) for one in caught.elts)
    return scope.meaning(caught) in _CATCHES
