"""The levels of isolation in words: stored with every run, shown before one, and never claimed without having been measured."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Level:
    """A level of isolation: its code, the badge's word, and the sentence behind it."""

    code: str
    badge: str
    sentence: str


NONE = Level(
    "L0",
    "None",
    "No isolation: workflow code runs as you, in a process of its own. Nothing keeps it from "
    "what you can reach: your files, the network, this program's own data.",
)
WEAK = Level(
    "L1",
    "Weak",
    "Restricted, not isolated, and weaker than that. Workflow code cannot read or change contents outside its folders or use the "
    "network. It can see names, sizes and dates of your files and that programs exist, and it may signal your programs.",
)
RESTRICTED = Level(
    "L2",
    "Restricted",
    "Restricted, not isolated. Workflow code cannot read or change contents outside its folders or use the network. "
    "It can see names, sizes and dates of your files and that programs exist.",
)
ISOLATED = Level(
    "L3",
    "Isolated",
    "Workflow code cannot see your other files, the network or other programs. Memory and the number of processes are watched by "
    "Counterfoil, not enforced by the system; a run may exceed them for a moment.",
)
AS_ROOT = "Counterfoil runs as root: process limits not enforced for root."
LEVELS = (NONE, WEAK, RESTRICTED, ISOLATED)  # in rising order
BY_CODE = {level.code: level for level in LEVELS}


@dataclass(frozen=True, slots=True)
class Measured:
    """What hosts have on this computer: the level, why it is no higher, what to do about that, and how bubblewrap has to be called."""

    level: Level
    why: str = ""
    next_step: str = ""
    no_more_users: bool = True
    as_root: bool = False

    @property
    def code(self) -> str:
        """The level's code."""
        return self.level.code

    @property
    def sentence(self) -> str:
        """The sentence for people, with what is peculiar to this computer."""
        added = [self.why] if self.why else []
        if self.as_root and self.level is ISOLATED:
            added.append(AS_ROOT)
        return " ".join([self.level.sentence, *added])


def is_lower(code: str, than: str) -> bool:
    """Whether one level is lower than another; a code nobody knows is higher than all, so that it is refused."""
    order = [level.code for level in LEVELS]
    rank = order.index(code) if code in order else -1
    return rank < (order.index(than) if than in order else len(order))
