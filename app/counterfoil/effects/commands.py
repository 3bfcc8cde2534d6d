"""Commands as effects: their shape and how a person sees them. They are run by the engine on a copy of the run's files."""

from __future__ import annotations

import re
import shlex
from typing import Any

from counterfoil.authoring.agents.skill_files import FOLDER, LONGEST_NAME, NAME
from counterfoil.effects import shapes
from counterfoil.effects.sentences import shortened
from counterfoil.engine.ports import NO_MOMENT, BadEffect, EffectTrouble, Finding, Moment, PlanEntry, Reconciled
from counterfoil.facts import DoubtPolicy, FailureClass, Risk
from counterfoil.policy.boundaries import visible

LONGEST_SECONDS = 600


class Commands:
    """`command@1`: argv as words, the folder beneath the run's files, standard input, seconds until it is ended; for a script of a skill
    which one, whose, where, and by its digest what was in it."""

    def check(self, args: object) -> None:
        """Raise BadEffect unless the arguments are of its shape."""
        has_skill = isinstance(args, dict) and "skill" in args
        given = shapes.exactly(args, ("argv", "folder", "given", "seconds", *(("skill",) if has_skill else ())))
        if has_skill:
            _check_skill(given["skill"])
        for word in shapes.items(given["argv"], "The command", least=1, most=500):
            shapes.text(word, "A word of the command", longest=32_000, lines=True)
        shapes.text(given["argv"][0], "The program", longest=1000, empty=False)
        if given["folder"] != ".":
            shapes.path(given["folder"])
        shapes.text(given["given"], "The standard input", longest=1_000_000, lines=True)
        if type(given["seconds"]) is not int or not 1 <= given["seconds"] <= LONGEST_SECONDS:
            raise BadEffect(f"A command takes a whole number of seconds from 1 to {LONGEST_SECONDS}.")

    def policy(self, args: dict[str, Any]) -> DoubtPolicy:
        """One that was cut off has changed nothing, so it may be run again."""
        return DoubtPolicy.RETRY

    def entry(self, args: dict[str, Any], workspace: str) -> PlanEntry:
        """`Run python3 check.py on the run's copy of the files`."""
        words = shortened(visible(shlex.join(args["argv"])))
        skill = args.get("skill")
        of = f" of the skill “{visible(skill['name'])}” ({skill['of']})" if skill else ""
        return PlanEntry(
            effect="command@1",
            summary=f"Run {words}{of} on the run's copy of the files, in a sandbox without a network",
            target=visible(args["argv"][0]),
            risk=Risk.NORMAL,
        )

    async def perform(self, args: dict[str, Any], key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        """Never: it needs the run's files.

        Raises:
            EffectTrouble: always.
        """
        raise EffectTrouble("Commands are run on the files of a run.", FailureClass.STRUCTURAL)

    async def reconcile(self, args: dict[str, Any], key: str) -> Reconciled:
        """It has changed nothing unless its outcome was recorded."""
        return Reconciled(Finding.NOT_HAPPENED)


def _check_skill(skill: object) -> None:
    parts = shapes.exactly(skill, ("name", "of", "folder", "sha256"))
    name = shapes.text(parts["name"], "The skill", longest=LONGEST_NAME, empty=False)
    if not NAME.match(name):  # its files are copied to a folder of this name
        raise BadEffect("The name of a skill has small letters, digits and single hyphens.")
    if parts["of"] not in ("template", "workspace"):
        raise BadEffect("A skill is of the template or of the workspace.")
    folder = shapes.path(parts["folder"])
    if folder.rpartition("/")[2] != name or (parts["of"] == "workspace" and folder != f"{FOLDER}/{name}"):
        raise BadEffect("A skill lies in a folder of its name, and those of the workspace in one place.")
    if not re.fullmatch(r"[0-9a-f]{64}", str(parts["sha256"])):
        raise BadEffect("A skill is named with its digest.")
