"""A run that has read words from outside the team may have been told what to do by them: what sends or spends asks from then on.

A source is `file Post/a.eml`, `host api.example` or `connector web`, as the engine notes it, or what an author calls it. What goes back to
the one place that all the words came from is still reading, so that a second page can be fetched; every other way out is asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.facts import as_sentence
from counterfoil.policy.boundaries import visible
from counterfoil.policy.reaching import Reach

_NAMED = 5  # sources that are named in one sentence


def sends(reach: Reach, does: str, sources: Sequence[str]) -> bool:
    """Whether an effect takes something out of the team, or spends, in a run that has read these sources."""
    match reach.effect:
        case "mail":
            return True
        case "http":
            back = [f"host {host}" for host in reach.hosts]
            return reach.method != "GET" or set(sources) != set(back)
        case "call":
            return does != "reads" or set(sources) != {f"connector {reach.connector}"}
        case _:
            return False


def warning(sources: Sequence[str]) -> str:
    """What whoever is asked has to know."""
    return as_sentence(f"This run has read from outside the team: {named(sources)}")


def named(sources: Sequence[str]) -> str:
    """`Post/a.eml, the host api.example`."""
    shown = [_named(source) for source in sources[:_NAMED]]
    if len(sources) > _NAMED:
        shown.append(f"{len(sources) - _NAMED} more")
    return ", ".join(shown)


def _named(source: str) -> str:
    kind, _, name = source.partition(" ")
    if kind in ("host", "connector"):
        return f"the {kind} {visible(name)}"
    return visible(name if kind == "file" else source)
