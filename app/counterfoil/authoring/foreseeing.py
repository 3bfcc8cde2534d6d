"""What would happen with effects if they were awaited now, asked beforehand: so that one gate can hold all that need a person."""

from __future__ import annotations

from collections.abc import Sequence

from counterfoil.authoring import machine
from counterfoil.authoring.codec import canonical
from counterfoil.authoring.effect_values import Effect


@machine.durable
async def would_ask(effects: Sequence[Effect]) -> list[bool]:
    """Which of these effects would ask a person if they were awaited by themselves, in their order; asked again after a crash, the same.

    What is forbidden asks nobody: awaiting it raises. What policy says when an effect is awaited counts, whatever was said here.
    """
    return [word == "ask" for word, _ in await foreseen(effects)]


@machine.durable
async def foreseen(effects: Sequence[Effect]) -> list[tuple[str, str]]:
    """What policy says of each effect, "allow", "ask" or "deny", and why, as a sentence; as `would_ask` otherwise."""
    branch = machine.require("would_ask()")
    said = await branch.machine.lookup(branch, "judge", [canonical(effect.body) for effect in effects])
    return [(str(word), str(why)) for word, why in said]
