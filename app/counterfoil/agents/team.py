"""What a workspace has for agents beside its files: `.counterfoil/agents/*.md` and `.counterfoil/skills`, of which no run gets a copy. Read
as text here, judged in a host."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from counterfoil.authoring.agents.paging import Refused
from counterfoil.authoring.agents.skill_files import FOLDER as SKILLS
from counterfoil.authoring.agents.skill_files import digest_of, files_of
from counterfoil.authoring.file_view import FileRefused, open_beneath
from counterfoil.errors import WrongWorkspace
from counterfoil.store import fact_rows
from counterfoil.store.database import Database

FOLDER = ".counterfoil/agents"
MOST_SKILLS = 30
MOST_AGENTS = 50
MOST_TOGETHER = 40 * 1024 * 1024  # characters of all skills of a workspace: each agent gets them
MOST_FACTS = 200
LONGEST = 64 * 1024  # bytes of one


class WorkspaceTeam:
    """Implements `engine.agent_ports.Team`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def known(self, workspace: str) -> dict[str, Any]:
        """Agents by name, and the facts that count, the newest where there are too many."""
        with self._database.connect() as conn:
            rows = fact_rows.of_workspace(conn, workspace)
        facts = [f"{row['fact']} (f-{row['number']}, from {row['source']})" for row in rows[-MOST_FACTS:]]
        return {"agents": agents_of(Path(workspace)), "facts": facts, "skills": skills_of(Path(workspace))}


def agents_of(workspace: Path) -> list[list[str]]:
    """[name, text] of each agent, by name.

    Raises:
        WrongWorkspace: one of them cannot be read, is too long, or there are too many.
    """
    names = [name for name in _listed(workspace, FOLDER) if name.endswith(".md")]
    if len(names) > MOST_AGENTS:
        raise WrongWorkspace(f"“{FOLDER}” holds {len(names)} agents.", f"Keep at most {MOST_AGENTS}.")
    return [[name.removesuffix(".md"), _text(workspace, f"{FOLDER}/{name}")] for name in names]


def skills_of(workspace: Path) -> list[dict[str, Any]]:
    """Each folder in `.counterfoil/skills` that has a SKILL.md, by name: `name`, `files`, `texts` by path, `sha256` of all of it.

    Raises:
        WrongWorkspace: one of them cannot be read, is too large, or there are too many.
    """
    there = [name for name in _listed(workspace, SKILLS) if (workspace / SKILLS / name / "SKILL.md").is_file()]
    if len(there) > MOST_SKILLS:
        raise WrongWorkspace(f"“{SKILLS}” holds {len(there)} skills.", f"Keep at most {MOST_SKILLS}.")
    found: list[dict[str, Any]] = []
    left = MOST_TOGETHER
    for name in there:
        found.append(_skill(workspace, name))
        left -= sum(map(len, found[-1]["texts"].values()))
        if left < 0:
            raise WrongWorkspace(
                f"The skills in “{SKILLS}” hold more than {MOST_TOGETHER // 1024**2} MB of text together.",
                "Keep fewer, or smaller ones: all of them go to each agent.",
            )
    return found


def _listed(workspace: Path, place: str) -> list[str]:
    """What lies in a folder of the workspace, by name; nothing where there is none."""
    try:
        return sorted(os.listdir(workspace / place))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as problem:
        raise WrongWorkspace(
            f"“{place}” cannot be listed: {problem.strerror}.", "Look at its permissions."
        ) from problem


def _skill(workspace: Path, name: str) -> dict[str, Any]:
    place = f"{SKILLS}/{name}"
    try:
        files = files_of(workspace, place)
    except Refused as problem:
        raise WrongWorkspace(f"“{place}” cannot be used: {problem}", "Make it smaller.") from problem
    except FileRefused as refused:
        raise WrongWorkspace(f"“{place}”: {refused.reason}", "Put plain files there.") from refused
    except OSError as problem:
        raise WrongWorkspace(f"“{place}” cannot be read: {problem.strerror}.", "Put plain files there.") from problem
    texts = {one.path: one.text for one in files if one.text is not None}
    return {"name": name, "files": [one.path for one in files], "texts": texts, "sha256": digest_of(files)}


def _text(workspace: Path, path: str) -> str:
    try:
        with os.fdopen(open_beneath(workspace, path.split("/"), os.O_RDONLY), "rb") as source:
            data = source.read(LONGEST + 1)
        if len(data) > LONGEST:
            raise WrongWorkspace(f"“{path}” is longer than {LONGEST // 1024} KB.", "Make it shorter.")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise WrongWorkspace(f"“{path}” is no UTF-8 text.", "Save it as UTF-8.") from problem
    except FileRefused as refused:
        raise WrongWorkspace(f"“{path}”: {refused.reason}", "Put a plain file there.") from refused
    except OSError as problem:
        raise WrongWorkspace(f"“{path}” cannot be read: {problem.strerror}.", "Put a plain file there.") from problem
