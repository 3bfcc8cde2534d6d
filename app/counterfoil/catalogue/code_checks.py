"""What a check asks of a template's code: bodies of workflows with all they reach, steps with all they reach, what runs when a
module is imported, and the effects and connectors that the manifest must name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from counterfoil.catalogue import replay_rules as rules
from counterfoil.catalogue.body_visitor import BodyVisitor
from counterfoil.catalogue.broken_file import Finding
from counterfoil.catalogue.replay_rules import Rule
from counterfoil.catalogue.source_code import Code, Function, Place, Scope, Source, top_level, walk_code


def check_body(code: Code, workflow: Place) -> Iterator[Finding]:
    """A workflow's body and the functions it uses, steps excepted."""
    for place in code.reached_from(workflow):
        where = "in the workflow body" if place == workflow else f"in {place.name}(), which the workflow body uses"
        yield from BodyVisitor(code, place, where).look()
    yield from _unplanned(Scope(code, workflow.source, workflow.node), workflow)


def check_step(code: Code, step: Place) -> Iterator[Finding]:
    """A step and the functions it uses."""
    scope = Scope(code, step.source, step.node)
    if step.node.returns is None:
        yield _finding(step, step.node, f"the step {step.name} does not say what it returns.", _returns(step.node))
    else:
        yield from _unresolvable(step)
    for place in code.reached_from(step):
        where = f"in the step {step.name}"
        if place != step:
            scope = Scope(code, place.source, place.node)
            where = f"in {place.name}(), which the step {step.name} uses"
        yield from _verbs_in_step(scope, place, where)


def check_import(code: Code, source: Source) -> Iterator[Finding]:
    """Clocks and chance at the top level of a module, which is imported anew whenever a run carries on."""
    scope = Scope(code, source)
    nodes = list(top_level(source.tree, into_classes=True))
    told = {id(node.func): len(node.args) for node in nodes if isinstance(node, ast.Call)}
    for node in nodes:
        if isinstance(node, ast.Name | ast.Attribute):
            meaning = scope.meaning(node)
            rule = rules.rule_for(meaning)
            is_fine = told.get(id(node), 0) >= rules.FINE_WITH.get(meaning, 99)
            if rule is not None and rule.at_import and id(node) in told and not is_fine:
                what = f"{meaning} when the module is imported."
                yield Finding(source.file, node.lineno, what, rule.why, rule.instead, rule.level)


def check_effects(code: Code, permissions: tuple[str, ...]) -> Iterator[Finding]:
    """Effects that the code makes and the manifest does not ask for."""
    for source in code.sources.values():
        scopes = [(Scope(code, source, function), function.body) for function in source.functions.values()]
        for scope, body in scopes:
            for node in walk_code(body):
                meaning = scope.meaning(node.func) if isinstance(node, ast.Call) else ""
                name = meaning.removeprefix("counterfoil.")
                if meaning == rules.OWN_CHANGES and not set(rules.OWN_EFFECTS) & set(permissions):
                    yield _without_permission(source, node, "changes", rules.OWN_EFFECTS, permissions)
                if meaning == rules.AGENT and isinstance(node, ast.Call):
                    for effect in _tools_named(node):
                        if effect not in permissions:
                            yield _without_permission(source, node, "agent", (effect,), permissions)
                if meaning in rules.EFFECT_VERBS and name not in permissions:
                    yield _without_permission(source, node, name, (name,), permissions)


def check_connectors(code: Code, connectors: tuple[str, ...]) -> Iterator[Finding]:
    """Connectors that the code names in calls and among the tools of agents, and the manifest does not."""
    why = "Whether it answers is not looked at before a start, and its tools ask even where they only read."
    for source in code.sources.values():
        for function in source.functions.values():
            scope = Scope(code, source, function)
            for node in walk_code(function.body):
                if not isinstance(node, ast.Call):
                    continue
                for name in _connectors_named(scope, node):
                    if name not in connectors:
                        names = ", ".join(f'"{one}"' for one in [*connectors, name])
                        what = f"the connector {name} is not among the connectors in template.toml."
                        instead = f"connectors = [{names}]  # in template.toml"
                        yield Finding(source.file, node.lineno, what, why, instead, "warning")


def _connectors_named(scope: Scope, call: ast.Call) -> list[str]:
    """The connectors that a call names by words, each once."""
    meaning = scope.meaning(call.func)
    if meaning == rules.CALL:
        return [one.value for one in call.args[:1] if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    words = [word.split(":", 1) for word in _tool_words(call)] if meaning == rules.AGENT else []
    return list(dict.fromkeys(rest[0].partition("/")[0] for kind, *rest in words if kind == "connector" and rest))


def _tool_words(call: ast.Call) -> list[str]:
    """The tools of an agent that are named by words."""
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "tools"), None)
    items = given.elts if isinstance(given, ast.List | ast.Tuple) else []
    return [str(item.value) for item in items if isinstance(item, ast.Constant)]


def _tools_named(call: ast.Call) -> list[str]:
    """The effects that the tools of an agent make, where they are named by words."""
    words = [word.partition(":")[0] for word in _tool_words(call)]
    return [rules.AGENT_TOOLS[word] for word in words if word in rules.AGENT_TOOLS]


def _without_permission(
    source: Source, node: ast.AST, verb: str, wanted: tuple[str, ...], permissions: tuple[str, ...]
) -> Finding:
    """An effect that the manifest does not ask for."""
    why = "People see what a template may do before they trust it."
    names = ", ".join(f'"{known}"' for known in [*permissions, *wanted])
    instead = f"permissions = [{names}]  # in template.toml"
    what = f"{verb}(…) is not among the permissions in template.toml."
    if verb not in wanted:
        what = f"{verb}(…) makes effects, and none of them is among the permissions in template.toml."
    return Finding(source.file, getattr(node, "lineno", 0), what, why, instead)


def _finding(place: Place, node: ast.AST, what: str, rule: Rule) -> Finding:
    return Finding(place.source.file, getattr(node, "lineno", 0), what, rule.why, rule.instead, rule.level)


def _returns(node: Function) -> Rule:
    start = "async def" if isinstance(node, ast.AsyncFunctionDef) else "def"
    return Rule(
        "Without it the result comes back as plain values: a dataclass in it would be refused.",
        f"{start} {node.name}({ast.unparse(node.args)}) -> …:",
        "warning",
    )


def _unresolvable(step: Place) -> Iterator[Finding]:
    """Names in the annotation of a result that exist for the type checker only."""
    names = {part.id for part in ast.walk(step.node.returns or step.node) if isinstance(part, ast.Name)}
    for name in sorted(names & step.source.typing_only):
        rule = Rule("The result could not be read back.", f"Import {name} at the top of the module, outside the `if`.")
        yield _finding(
            step, step.node, f"{name} is imported for the type checker only, and {step.name} returns it.", rule
        )


def _verbs_in_step(scope: Scope, place: Place, where: str) -> Iterator[Finding]:
    for node in walk_code(place.node.body):
        match node:
            case ast.Await(value=ast.Call(func=ast.Attribute(attr="perform"))):
                yield _finding(place, node, f"perform() {where}.", rules.IN_STEP)
            case ast.Call(func=func):
                meaning = scope.meaning(func)
                name = meaning.rpartition(".")[2]
                if meaning in rules.BODY_VERBS:
                    yield _finding(place, node, f"{name}(…) {where}.", rules.IN_STEP)
                elif meaning in rules.BODY_VALUES:
                    yield _finding(place, node, f"{name}() {where}.", rules.VALUE_IN_STEP)


def _unplanned(scope: Scope, workflow: Place) -> Iterator[Finding]:
    """An approval without a plan, and after it an effect that is awaited by itself."""
    nodes = list(walk_code(workflow.node.body))
    effects = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Await)
        and isinstance(node.value, ast.Call)
        and scope.meaning(node.value.func) in rules.EFFECT_VERBS
    ]
    for node in nodes:
        if isinstance(node, ast.Call) and scope.meaning(node.func) == "counterfoil.approve" and not _has_plan(node):
            after = [line for line in effects if line > node.lineno]
            if after:
                rule = Rule(
                    "An approval covers its plan and nothing else, so the effect opens a gate of its own.",
                    "decision = await approve(title, plan=[…]) and then await decision.perform()",
                    "warning",
                )
                yield _finding(
                    workflow, node, f"approve(…) without a plan; the effect in line {after[0]} asks again.", rule
                )


def _has_plan(call: ast.Call) -> bool:
    plan = next((keyword.value for keyword in call.keywords if keyword.arg in ("plan", None)), None)
    return plan is not None and not (isinstance(plan, ast.List | ast.Tuple) and not plan.elts)
