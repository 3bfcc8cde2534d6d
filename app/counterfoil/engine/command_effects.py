"""A command of a run: on a private copy of its files, and what it has changed there becomes the work of its record.

Until the record is committed nothing of it counts, so one that was cut off is simply run again.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.authoring.patterns import is_among
from counterfoil.engine import killpoints, staging, tainting
from counterfoil.engine.agent_ports import Commands
from counterfoil.engine.effect_values import Asked, Ended
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import EffectTrouble
from counterfoil.engine.stage_ports import Stage, TooMuchWritten
from counterfoil.facts import FailureClass, Outcome

KIND = "command@1"
MOST_NAMED = 100  # paths that are told
NONE_HERE = "Commands are not run here."


def refusal(hold: Hold, body: dict[str, Any]) -> str | None:
    """Why this command is not run here, whatever policy says; None for other effects, and where commands are run."""
    if body["kind"] != KIND:
        return None
    commands = hold.powers.commands
    return NONE_HERE if commands is None else commands.refusal()


async def act(hold: Hold, asked: Asked) -> Ended:
    """Run an intended command once.

    Raises:
        EffectTrouble: it was not run.
    """
    commands = hold.powers.commands
    if commands is None:
        raise EffectTrouble(NONE_HERE, FailureClass.STRUCTURAL)
    skill = asked.body["args"].get("skill")
    copy = await staging.at_stage(hold, lambda stage: commands.copy(hold.run_id, stage.root, hold.workspace, skill))
    try:
        foreign = await asyncio.to_thread(_foreign, hold, copy.made)
        outcome = await commands.run(copy, asked.body["args"])
        killpoints.reach("after_perform")
        return await _settled(hold, asked, commands, copy, outcome, foreign)
    finally:
        await asyncio.shield(asyncio.to_thread(commands.drop, copy))


async def _settled(
    hold: Hold, asked: Asked, commands: Commands, copy: Any, outcome: dict[str, Any], foreign: list[str]
) -> Ended:
    """The end of a command with what it has changed; what cannot be kept is told as its failure, and nothing of it is."""
    token: list[str] = []

    def work(stage: Stage) -> Any:
        written = commands.written(copy, stage.overlays)
        if written.token is not None:
            token.append(written.token)
        return written, stage.collect(written.token) if written.token is not None else []

    changes: list[Any] = []
    try:
        written, changes = await staging.at_stage(hold, work)
        staging.refuse_clash(hold.powers.database.reader, hold, asked.identity, changes)
        outcome |= {"changed": written.paths[:MOST_NAMED], "not_taken_over": written.left[:MOST_NAMED]}
    except (TooMuchWritten, staging.Clash) as problem:
        changes = []
        outcome |= {"failed": True, "ended": f"Nothing that it has changed is kept. {problem}"}
        for one in token:
            await staging.discard(hold, one)
    return Ended(Outcome.OK, canonical(outcome), changes=tuple(changes), read=tuple(foreign))


def _foreign(hold: Hold, paths: dict[str, Any]) -> list[str]:
    """Files that hold words of others among those that a command could read: which of them it did nobody sees."""
    patterns = tainting.foreign_files(hold)
    found = (
        path for path in sorted(paths) if is_among(path, patterns) and not Path(path).name.startswith(".counterfoil")
    )
    return [f"file {path}" for path, _ in zip(found, range(tainting.MOST_SOURCES), strict=False)]
