"""What hosts were measured to have on this computer; the levels themselves and their words are in `policy.protection`."""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.policy import protection
from counterfoil.policy.protection import Level


@dataclass(frozen=True, slots=True)
class Measured:
    """The level, why it is no higher, what to do about that, and how bubblewrap has to be called.

    `landlock` is the version of the kernel's Landlock, 0 for none; `tells` whether mounts tell what is inside where folders lie;
    `profile` a file's text that an administrator can load to raise the level.
    """

    level: Level
    why: str = ""
    next_step: str = ""
    no_more_users: bool = True
    as_root: bool = False
    landlock: int = 0
    profile: str = ""
    tells: bool = False

    @property
    def code(self) -> str:
        """The level's code."""
        return self.level.code

    @property
    def mark(self) -> str:
        """What a run keeps of it."""
        return protection.mark(self.level, landlock=self.landlock, as_root=self.as_root, tells=self.tells)

    @property
    def sentence(self) -> str:
        """The level in words, and why it is no higher."""
        return " ".join(filter(None, (protection.sentence(self.mark), self.why)))

    @property
    def is_isolated(self) -> bool:
        """Whether hosts have walls around them (L3 and up)."""
        return self.level in (protection.ISOLATED, protection.CAPPED)

    @property
    def is_capped(self) -> bool:
        """Whether the system itself enforces limits on them (L4)."""
        return self.level is protection.CAPPED
