"""Doing a run again, as the window asks for it: what going on from one of its steps would come to, and starting the new one."""

from __future__ import annotations

from counterfoil.desktop.real_office import calls
from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.real_office.templates import Templates
from counterfoil.desktop.run_facts import ForkLook
from counterfoil.policy.protection import Consent
from counterfoil.views.fork_plan import fork_plan


class AgainPages:
    """Runs of one home, done again."""

    def __init__(self, access: Access, templates: Templates) -> None:
        self._access = access
        self._templates = templates

    def look(self, run_id: str, step: int, *, again: bool) -> ForkLook:
        """What going on from a step would come to."""
        access = self._access
        with access.reading() as conn:
            plan = fork_plan(conn, access.blobs, run_row(conn, run_id), step, again=again)
        way = "" if "counterfoil" in plan.way else plan.way.replace(", or add --again", "")
        if plan.refusal:
            return ForkLook(refusal=plan.refusal, way=way)
        return ForkLook(plan.sentences, start=plan.start + 1, kept=len(plan.kept))

    def fork(self, run_id: str, step: int, reason: str, agreed: Consent, *, again: bool) -> str:
        """Go on from a step in a new run; its id.

        Raises:
            CounterfoilError: what the command line refused.
        """
        words = ["fork", run_id, "--from", str(step + 1), f"--comment={reason}", *(["--again"] if again else [])]
        return str(calls.call(self._access.home, *words, *calls.consent(agreed))["run_id"])

    def start(self, run_id: str, reason: str, agreed: Consent) -> str:
        """Start the same template with the same parameters; the new run's id.

        Raises:
            CounterfoilError: there is no such template any more, or what the command line refused.
        """
        with self._access.reading() as conn:
            row = run_row(conn, run_id)
        folder = self._templates.folder_of(row["template"], row["workspace"])
        words = ("run", f"{folder}", "--workspace", row["workspace"], *calls.again(run_id, reason))
        return str(calls.call(self._access.home, *words, *calls.consent(agreed))["run_id"])
