"""The levels of isolation in words, said once for every room: stored with every run, shown before one, never claimed without having
been measured (`sandbox.probing` does that).

What a run keeps is a mark: the level's code, and behind a slash what changes its sentence here (“L1/4”: Landlock of version 4,
“L3/root”: the runner is root, “L3/told”: mounts tell where folders lie, “L3/both”).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from counterfoil.places import Home


@dataclass(frozen=True, slots=True)
class Level:
    """A level of isolation: its code, the badge's word, the sentence behind it, and what may run beside a workflow's own steps."""

    code: str
    badge: str
    sentence: str
    commands: bool = True  # an agent's commands
    servers: bool = True  # connectors of others, without being switched on by hand


_SEES = "It can see names, sizes and dates of your files and that programs exist."
NONE = Level(
    "L0",
    "None",
    "No isolation on this system. Workflow code would run as you.",
    commands=False,
    servers=False,
)
WEAK = Level("L1", "Weak", "Weak.", commands=False, servers=False)
RESTRICTED = Level(
    "L2",
    "Restricted",
    f"Restricted, not isolated. Cannot read or change contents outside its folder or use the network. {_SEES}",
    servers=False,
)
ISOLATED = Level(
    "L3",
    "Isolated",
    "Isolated. Memory and disk limits are watched by Counterfoil, not enforced by the system; a run may exceed them for a moment.",
)
CAPPED = Level(
    "L4",
    "Isolated, capped",
    "Isolated. Cannot see your files, network or other programs. Memory and process limits enforced by the system.",
)
LEVELS = (NONE, WEAK, RESTRICTED, ISOLATED, CAPPED)  # in rising order
_WALLED = (ISOLATED, CAPPED)
BY_CODE = {level.code: level for level in LEVELS}
AS_ROOT = "Counterfoil runs as root: process limits not enforced for root."
# What Landlock lacks before the version in which it came.
_LACKING = ((6, "signal your programs"), (6, "reach abstract sockets"), (3, "truncate files by path"))
TELLS = "It can read where the folders that it sees lie on this computer, the name of your account among it: Linux hides that from 5.19 on."
_MORE = {"root": (AS_ROOT,), "told": (TELLS,), "both": (AS_ROOT, TELLS)}  # sentences by what stands behind the slash


def mark(level: Level, *, landlock: int = 0, as_root: bool = False, tells: bool = False) -> str:
    """What is stored with a run, at most 8 characters."""
    if level is WEAK:
        return f"{level.code}/{landlock}"
    said = ((AS_ROOT,) if as_root and level is ISOLATED else ()) + ((TELLS,) if tells and level in _WALLED else ())
    return "/".join([level.code, *(key for key, sentences in _MORE.items() if sentences == said)])


def code_of(marked: str) -> str:
    """The level's code in a mark."""
    return marked.partition("/")[0]


def badge(marked: str) -> str:
    """The badge's word; a code nobody knows is shown as it is."""
    level = BY_CODE.get(code_of(marked))
    return level.badge if level else marked


def sentence(marked: str) -> str:
    """What a level means, in the one sentence that every room shows; empty for a code nobody knows."""
    code, _, more = marked.partition("/")
    level = BY_CODE.get(code)
    if level is None:
        return ""
    if level is WEAK:
        return _weak(int(more) if more.isdigit() else 1)
    return " ".join([level.sentence, *_MORE.get(more, ())])


def beside_badge(marked: str) -> str:
    """The sentence where the badge stands beside it: its word is not said again."""
    return sentence(marked).removeprefix(f"{badge(marked).partition(',')[0]}. ")


def _weak(version: int) -> str:
    lacking = [what for since, what in _LACKING if version < since]
    listed = ", ".join(lacking[:-1]) + f" and {lacking[-1]}" if len(lacking) > 1 else "".join(lacking)
    added = f" Additionally it may {listed}." if listed else ""
    return f"{WEAK.sentence} {RESTRICTED.sentence}{added}"


def is_lower(marked: str, than: str) -> bool:
    """Whether one level is lower than another; a code nobody knows is higher than all, so that it is refused."""
    order = [level.code for level in LEVELS]
    code, other = code_of(marked), code_of(than)
    rank = order.index(code) if code in order else -1
    return rank < (order.index(other) if other in order else len(order))


@dataclass(frozen=True, slots=True)
class Told:
    """What was measured last on this computer, for a window to show: the mark, why it is no higher, the next step, and the text of a
    profile to load where there is one."""

    mark: str
    why: str = ""
    next_step: str = ""
    profile: str = ""


@dataclass(frozen=True, slots=True)
class Consent:
    """What a person has agreed to where there is less than before: a level's code, the name of the folder as it was typed."""

    level: str = ""
    folder: str = ""


NOTHING = Consent()


def place_of(home: Home) -> Path:
    """Where the measurement is kept."""
    return home.run / "protection.json"


def told(home: Home) -> Told | None:
    """What was measured last; None before anything was."""
    try:
        kept = json.loads(place_of(home).read_bytes())
        return Told(*(str(kept[name]) for name in ("mark", "why", "next", "profile")))
    except (OSError, ValueError, KeyError, TypeError):
        return None
