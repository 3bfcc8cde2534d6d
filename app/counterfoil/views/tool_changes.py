"""What has changed of a tool since somebody looked at it, in sentences."""

from __future__ import annotations

from typing import Any

from counterfoil.policy.boundaries import visible

Definition = dict[str, Any]


def changes_between(before: Definition, now: Definition) -> list[str]:
    """What has changed of a tool, each as a sentence without its subject: `now also takes ‘bcc’`."""
    said = [*_of_parameters(_properties(before), _properties(now)), *_of_needs(before, now)]
    if not said and before.get("inputSchema") != now.get("inputSchema"):
        said.append("takes something else now")
    for key, words in _WORDS.items():
        if before.get(key) != now.get(key):
            said.append(words)
    return said


_WORDS = {
    "description": "is described differently",
    "outputSchema": "gives back something else now",
    "annotations": "says something else of what it does",
    "title": "is called differently",
}


def _properties(definition: Definition) -> dict[str, Any]:
    found = definition["inputSchema"].get("properties")
    return found if isinstance(found, dict) else {}


def _of_parameters(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    said = [f"now also takes ‘{visible(name[:60])}’" for name in now if name not in before]
    said += [f"no longer takes ‘{visible(name[:60])}’" for name in before if name not in now]
    return said + [
        f"takes something else as ‘{visible(name[:60])}’"
        for name in now
        if name in before and now[name] != before[name]
    ]


def _of_needs(before: Definition, now: Definition) -> list[str]:
    needed, needs = (
        {str(name) for name in found} if isinstance(found := one["inputSchema"].get("required"), list) else set()
        for one in (before, now)
    )
    return [f"now needs ‘{visible(name[:60])}’" for name in sorted(needs - needed)] + [
        f"no longer needs ‘{visible(name[:60])}’" for name in sorted(needed - needs)
    ]
