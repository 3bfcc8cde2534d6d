"""What a server says of its tools: read leniently, one by one, and pinned.

A server's list is the word of a stranger. One tool that cannot be used is left out with a sentence and takes no other with it. A pin is
the digest of everything that a tool is told to be, so that a changed tool is another tool.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from counterfoil.authoring.codec import canonical, digest
from counterfoil.policy.boundaries import visible

LONGEST_NAME = 64  # characters; the most that every llm takes
MOST_TOOLS = 512  # of one server
LARGEST = 64 * 1024  # bytes of one definition
DEEPEST = 24  # levels of a schema
MOST_PARTS = 20_000  # of a schema that is written out
_ODD = re.compile(r"[^A-Za-z0-9_-]+")
_KEPT = ("name", "title", "description", "inputSchema", "outputSchema", "annotations")
Definition = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool. `tool` is its server's word for it, `name` one that is unique among all connectors and fits every llm; `parameters` is
    its JSON schema with everything it refers to written out; `definition` is what its server said."""

    connector: str
    tool: str
    name: str
    pin: str
    parameters: dict[str, Any] = field(repr=False)
    definition: Definition = field(repr=False)

    @property
    def title(self) -> str:
        """What people call it."""
        annotated = self.definition.get("annotations")
        named = annotated.get("title") if isinstance(annotated, dict) else None
        return visible(str(self.definition.get("title") or named or self.tool))[:120]

    @property
    def description(self) -> str:
        """What its server says of it."""
        return str(self.definition.get("description") or "")


class Unusable(Exception):
    """A tool is left out; the message is the end of a sentence that says why."""


def read_tools(connector: str, identity: str, raw: Iterable[Any]) -> tuple[list[Tool], list[str]]:
    """The tools of a listing that can be used, and a sentence for each that cannot."""
    found: list[Tool] = []
    left_out: list[str] = []
    for number, one in enumerate(raw, start=1):
        if number > MOST_TOOLS:
            left_out.append(f"It has more than {MOST_TOOLS} tools; the others are left out.")
            break
        try:
            found.append(_tool(connector, identity, one))
        except Unusable as problem:
            left_out.append(f"{_called(one, number)} is left out: {problem}.")
    often = Counter(one.tool for one in found)
    twice = sorted(name for name, times in often.items() if times > 1)
    left_out += [f"‘{visible(name[:60])}’ is left out: it is there {often[name]} times." for name in twice]
    return [one for one in found if often[one.tool] == 1], left_out


def _called(one: Any, number: int) -> str:
    named = one.get("name") if isinstance(one, dict) else None
    return f"‘{visible(named[:60])}’" if isinstance(named, str) and named else f"Its tool {number}"


def _tool(connector: str, identity: str, one: Any) -> Tool:
    if not isinstance(one, dict):
        raise Unusable("it is no description of a tool")
    definition = {key: one[key] for key in _KEPT if one.get(key) is not None}
    tool, schema = definition.get("name"), definition.get("inputSchema")
    if not isinstance(tool, str) or not tool.strip() or len(tool) > 1000 or visible(tool) != tool:
        raise Unusable("it has no name that could be shown")
    if not isinstance(schema, dict) or schema.get("type") != "object":
        raise Unusable("it does not say what it takes")
    for key in ("title", "description"):
        if not isinstance(definition.get(key, ""), str):
            raise Unusable(f"its {key} is no text")
    for key in ("outputSchema", "annotations"):
        if not isinstance(definition.get(key, {}), dict):
            raise Unusable(f"its {key} is none")
    if _size(definition) > LARGEST:
        raise Unusable(f"what it says of itself is longer than {LARGEST // 1024} kB")
    pin = digest(canonical([identity, definition]))
    return Tool(connector, tool, unique_name(connector, tool), pin, written_out(schema), definition)


def _size(definition: Definition) -> int:
    try:
        return len(json.dumps(definition, ensure_ascii=False).encode("utf-8"))
    except (ValueError, RecursionError):
        raise Unusable("what it says of itself cannot be written down") from None


def unique_name(connector: str, tool: str) -> str:
    """`files__read_file`: letters, digits, `_` and `-`, 64 at most. A tool whose own name is not so has a digest of it at the end."""
    plain = _ODD.sub("_", tool)
    name = f"{connector}__{plain}"
    if plain == tool and len(name) <= LONGEST_NAME:
        return name
    mark = sha256(tool.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{name[: LONGEST_NAME - 9]}-{mark}"


def written_out(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema in which nothing refers to another place: what its own `$defs` hold is written where it is meant.

    Raises:
        Unusable: it refers to something outside, to nothing, or is nested too deeply. What refers to itself ends as “anything”.
    """
    made = _Writer(schema).written(schema, (), 0)
    return {key: value for key, value in made.items() if key not in ("$schema", "$id")}


class _Writer:
    """Writes one schema out. Few references to references can stand for millions of parts, so they are counted."""

    def __init__(self, whole: Mapping[str, Any]) -> None:
        self._whole = whole
        self._left = MOST_PARTS

    def written(self, part: Any, within: tuple[str, ...], depth: int) -> Any:
        """A part without references; `within` are those that it stands in."""
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            raise Unusable("what it takes is nested too deeply")
        if isinstance(part, list):
            return [self.written(item, within, depth + 1) for item in part]
        if not isinstance(part, Mapping):
            return part
        kept = {key: value for key, value in part.items() if depth or key not in ("$defs", "definitions")}
        reference = kept.pop("$ref", None)
        beside = {key: self.written(value, within, depth + 1) for key, value in kept.items()}
        if not isinstance(reference, str):
            return beside
        if reference in within:
            return beside
        meant = self.written(self._meant(reference), (*within, reference), depth + 1)
        return {**meant, **beside} if isinstance(meant, dict) else meant

    def _meant(self, reference: str) -> Any:
        if not reference.startswith("#"):
            raise Unusable("what it takes is described elsewhere, and that is not fetched")
        found: Any = self._whole
        for step in filter(None, reference.removeprefix("#").split("/")):
            plain = step.replace("~1", "/").replace("~0", "~")
            if not isinstance(found, Mapping) or plain not in found:
                raise Unusable("what it takes refers to something that is not there")
            found = found[plain]
        return found
