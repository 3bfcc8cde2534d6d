"""One function that runs as part of a workflow body, looked through node by node for what cannot be replayed."""

from __future__ import annotations

import ast

from counterfoil.catalogue import replay_rules as rules
from counterfoil.catalogue.broken_file import Finding
from counterfoil.catalogue.replay_rules import Rule
from counterfoil.catalogue.source_code import Code, Function, Place, Scope
from counterfoil.catalogue.value_kinds import Kinds


class BodyVisitor(ast.NodeVisitor):
    """Collects findings; `where` ends their sentences. Names of methods are those of the syntax tree."""

    def __init__(self, code: Code, place: Place, where: str) -> None:
        self.code = code
        self.place = place
        self.where = where
        self.scope = Scope(code, place.source, place.node)
        self.kinds = Kinds(self.scope)
        self.found: list[Finding] = []
        self._order_is_free: set[ast.AST] = set()

    def look(self) -> list[Finding]:
        """The findings of the whole function."""
        for statement in self.place.node.body:
            self.visit(statement)
        return self.found

    def _say(self, node: ast.AST, what: str, rule: Rule) -> None:
        line = getattr(node, "lineno", 0)
        sentence = f"{what} {self.where}."
        self.found.append(Finding(self.place.source.file, line, sentence, rule.why, rule.instead, rule.level))

    def visit_Name(self, node: ast.Name) -> None:
        self._named(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self.scope.meaning(node):
            self._named(node)
            return
        rule = rules.METHODS.get(node.attr)
        if rule is None and self.kinds.is_path(node.value):
            rule = rules.PATH_METHODS.get(node.attr)
        if rule is not None:
            self._say(node, f".{node.attr}()", rule)
        self.visit(node.value)

    def _named(self, node: ast.expr) -> None:
        meaning = self.scope.meaning(node)
        rule = rules.rule_for(meaning)
        if rule is not None:
            self._say(node, meaning.removeprefix("builtins."), rule)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._written(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._inner(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._inner(node)

    def _inner(self, node: Function) -> None:
        for part in [*node.args.defaults, *filter(None, node.args.kw_defaults), *node.body]:
            self.visit(part)

    def visit_Global(self, node: ast.Global) -> None:
        self._say(node, f"global {', '.join(node.names)}", rules.MUTATION)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self._written(target)
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._written(node.target)
        self.visit(node.value)

    def visit_Delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            self._written(target)

    def _written(self, target: ast.expr) -> None:
        for part in ast.walk(target):
            if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(part.ctx, ast.Load):
                self._changed(part, part.value)
            if isinstance(part, ast.Subscript):
                self.visit(part.slice)

    def _changed(self, node: ast.AST, expression: ast.expr) -> None:
        """Complain where an expression looks into a variable of a module."""
        while isinstance(expression, ast.Subscript | ast.Attribute):
            if self.code.is_variable(self.scope.meaning(expression)):
                break
            expression = expression.value
        meaning = self.scope.meaning(expression)
        if self.code.is_variable(meaning):
            self._say(node, f"a change of {meaning.rpartition('.')[2]}", rules.MUTATION)

    def visit_Call(self, node: ast.Call) -> None:
        meaning = self.scope.meaning(node.func)
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if meaning in rules.ORDER_FREE:
            self._order_is_free.update(node.args)
        elif meaning in rules.ORDER_BOUND or method == "join":
            self._ordered(*node.args)
        if method in rules.MUTATORS and isinstance(node.func, ast.Attribute):
            self._changed(node, node.func.value)
        if len(node.args) < rules.FINE_WITH.get(meaning, 99):
            self.visit(node.func)
        for part in [*node.args, *(keyword.value for keyword in node.keywords)]:
            self.visit(part)

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            meaning = self.scope.meaning(node.value.func)
            place = None if meaning.endswith(".plain") else self.code.function(meaning)
            if meaning in rules.BODY_VERBS or (place is not None and self.code.marked(place, "step")):
                self._say(node, f"{meaning.rpartition('.')[2]}(…) without await", rules.NOT_AWAITED)
        self.visit(node.value)

    def visit_For(self, node: ast.For) -> None:
        self._ordered(node.iter)
        self._written(node.target)
        for part in [node.iter, *node.body, *node.orelse]:
            self.visit(part)

    def visit_Starred(self, node: ast.Starred) -> None:
        self._ordered(node.value)
        self.visit(node.value)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self._comprehension(node, node.generators)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self._comprehension(node, node.generators)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self._comprehension(node, node.generators)

    def _comprehension(self, node: ast.expr, generators: list[ast.comprehension]) -> None:
        if node not in self._order_is_free:
            self._ordered(*(generator.iter for generator in generators))
        self.generic_visit(node)

    def _ordered(self, *expressions: ast.expr) -> None:
        for expression in expressions:
            if self.kinds.is_set(expression):
                self._say(expression, f"the order of the set {ast.unparse(expression)[:60]}", rules.SET_ORDER)
