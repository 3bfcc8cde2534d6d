"""What follows when a person has a silent step begin anew, told before it is done."""

from __future__ import annotations

from typing import Any

from counterfoil.facts import CUT_OFF, StepKind
from counterfoil.store import intents, records
from counterfoil.store.transactions import Connection
from counterfoil.views.checkpoint import would_follow

_IN_HOST = (StepKind.STEP, StepKind.TOOL)


def restart_follows(conn: Connection, run_id: str, steps: list[dict[str, Any]]) -> list[str]:
    """A sentence for what becomes of each silent step, and of the steps before; `steps` as the notice has them."""
    begun = {(row["path"], row["ordinal"]): row for row in intents.open_ones(conn, run_id)}
    said = ["The run's own process is ended now, without a chance to save."]
    for step in steps:
        name, intent = step["title"] or "What it is in", begun.get((step["path"], step["ordinal"]))
        if step["kind"] in _IN_HOST:
            said.append(f"“{name}” starts again.")
        elif step["kind"] == StepKind.LLM:
            said.append(f"“{name}” is asked again. The request before may have been billed.")
        elif intent is not None and intent["kind"] in CUT_OFF:
            said.append(f"“{name}” is cut off. {would_follow(intent, name)}")
        else:
            said.append(f"“{name}” cannot be cut off: its own time limit ends it first.")
    kept = records.count(conn, run_id)
    if any(step["path"] for step in steps):
        said.append("What is in the middle beside it starts again, too.")
    said.append(
        "Nothing was recorded before." if not kept else f"{_steps(kept)} as {'it is' if kept == 1 else 'they are'}."
    )
    return said


def _steps(kept: int) -> str:
    return "1 step before stays" if kept == 1 else f"{kept:,} steps before stay"
