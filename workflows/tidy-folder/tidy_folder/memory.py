"""What people said in this run, by file and not by row, so that it survives another look at the folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.facts import person
from tidy_folder.proposals import Change, Proposal

_NAMED = 3


class Memory:
    """Files that are held, and what is to be told at the next gate."""

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._held: dict[str, None] = {}

    @property
    def held(self) -> list[str]:
        """The files that are held, sorted."""
        return sorted(self._held)

    def returned(self, found: Proposal, answers: Mapping[str, Any], by: str, comment: str) -> None:
        """A person sent the proposal back: hold rows, take others in again, or only look again."""
        hold = _chosen(found.changes, answers.get("hold"))
        include = _chosen(found.held, answers.get("include"))
        who, said = person(by), f": “{comment}”" if comment else ""
        for change in hold:
            self._held[change.path] = None
        for change in include:
            self._held.pop(change.path, None)
        if hold:
            self.notes.append(f"{who} holds {_named(hold)}{said}.")
        if include:
            self.notes.append(f"{who} takes {_named(include)} in again{said}.")
        if not hold and not include:
            self.notes.append(f"Sent back by {who}{said}.")

    def changed(self, paths: Sequence[str]) -> None:
        """Files were not what was approved, so nothing was moved."""
        more = f" and {len(paths) - 1:,} more" if len(paths) > 1 else ""
        self.notes.append(
            f"{paths[0] if paths else 'Something'}{more} changed since it was approved; nothing was moved."
        )


def _chosen(rows: Sequence[Change], numbers: object) -> list[Change]:
    wanted = set(numbers) if isinstance(numbers, list) else set()
    return [change for change in rows if change.n in wanted]


def _named(changes: Sequence[Change]) -> str:
    names = [change.path.rpartition("/")[2] for change in changes[:_NAMED]]
    if len(changes) > _NAMED:
        return f"{', '.join(names)} and {len(changes) - _NAMED:,} more"
    return ", ".join(names[:-1]) + f" and {names[-1]}" if len(names) > 1 else "".join(names)
