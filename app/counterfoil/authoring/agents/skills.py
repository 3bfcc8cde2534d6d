"""Skills: folders with a SKILL.md that say how something is done here. An agent sees names and descriptions, and loads one when it needs
it.

The format is that of Agent Skills. They lie among the run's files, in the template, or in the workspace's `.counterfoil/skills`. A skill
grants nothing: its scripts run only as commands in a sandbox and only as far as a person permits commands; what it asks for in
`allowed-tools` is shown and not obeyed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from counterfoil.authoring.agents.front_matter import BadHead, parted
from counterfoil.authoring.agents.paging import Refused, cut, page_of
from counterfoil.authoring.agents.skill_files import FOLDER, LONGEST_NAME, NAME, digest_of, files_of
from counterfoil.authoring.file_door import files
from counterfoil.authoring.file_view import open_beneath, spelled
from counterfoil.authoring.reporting import report

FILE = "SKILL.md"
MOST_SKILLS = 100
MOST_FILES = 200
_LONGEST = 256 * 1024  # bytes of a file of a skill
_LONGEST_DESCRIPTION = 1024


@dataclass(frozen=True, slots=True)
class Skill:
    """One skill: its name and what it is for; `folder` where it lies, beneath the workspace, or absolute where the template has brought it;
    `files` what else is in it, relative to it. One that is not among the run's files is `of` the template or the workspace, `within` it,
    and its `sha256` says which files those were."""

    name: str
    description: str
    folder: str
    files: list[str] = field(default_factory=list)
    wants: str = ""
    of: str = ""
    within: str = ""
    sha256: str = ""


@dataclass(frozen=True, slots=True)
class Found:
    """The skills of some folders, and a sentence about each that cannot be used."""

    skills: list[Skill]
    troubles: list[str]

    @property
    def names(self) -> set[str]:
        """What the skills are called."""
        return {skill.name for skill in self.skills}

    def joined(self, other: Found) -> Found:
        """With those of another place, of which none is taken whose name is there."""
        more = [skill for skill in other.skills if skill.name not in self.names]
        return Found([*self.skills, *more], [*self.troubles, *other.troubles])


def find_skills(folders: Sequence[str]) -> Found:
    """The skills in folders: each has a SKILL.md itself, or holds folders that have one. What cannot be used is told, not guessed at."""
    skills: dict[str, Skill] = {}
    troubles = list[str]()
    for folder in folders:
        places = _places(folder)
        if not places:
            troubles.append(f"“{folder}” holds no {FILE}.")
        for place in places:
            try:
                skill = _read(place)
            except (Refused, OSError) as problem:
                troubles.append(f"The skill “{place}” cannot be used: {problem}")
                continue
            if skill.name in skills:
                troubles.append(
                    f"The skill “{skill.name}” is there twice; that of “{skills[skill.name].folder}” counts."
                )
            skills.setdefault(skill.name, skill)
    kept = list(skills.values())
    if len(kept) > MOST_SKILLS:
        troubles.append(f"Of {len(kept)} skills the first {MOST_SKILLS} are offered.")
    report(" ".join([f"{len(kept)} skills.", *troubles]))
    return Found(kept[:MOST_SKILLS], troubles)


def skills_of_team(known: Sequence[dict[str, Any]]) -> tuple[Found, dict[str, dict[str, str]]]:
    """The skills that a workspace keeps beside its settings, as they were when the agent began, and the texts in them."""
    skills, troubles, texts = list[Skill](), list[str](), dict[str, dict[str, str]]()
    for one in known:
        within = f"{FOLDER}/{one['name']}"
        others = [path for path in one["files"] if path != FILE]
        try:
            found = _described(one["texts"].get(FILE) or "", within, others[:MOST_FILES])
        except Refused as problem:
            troubles.append(f"The skill “{within}” cannot be used: {problem}")
            continue
        skills.append(replace(found, of="workspace", within=within, sha256=one["sha256"]))
        texts[found.name] = one["texts"]
    return Found(skills[:MOST_SKILLS], troubles), texts


def load_skill(skill: Skill, part: str = "", first_line: int = 1, texts: Mapping[str, str] | None = None) -> str:
    """The words of a skill, or of a file in it, by pages; `texts` are those of one that is not read from a folder.

    Raises:
        Refused: there is no such file in it.
    """
    if part and part not in skill.files:
        raise Refused(f"The skill “{skill.name}” has no file “{part}”; it has: {', '.join(skill.files) or 'none'}.")
    if texts is not None and (part or FILE) not in texts:
        raise Refused(f"“{part}” is no text, or too long to be read.")
    text = texts[part or FILE] if texts is not None else _text(skill.folder, part or FILE)
    if part:
        return page_of(text.splitlines(), first_line, 10_000, what=f"“{part}” of the skill “{skill.name}”")
    shown = page_of(parted(text)[1].splitlines(), first_line, 10_000, what=f"The skill “{skill.name}”")
    more = list[str]()
    if skill.files:
        more.append(f"[files of this skill, to be loaded with `part`: {', '.join(skill.files)}]")
    if skill.sha256:
        more.append(f'[its scripts run only with run_command, where you have that tool: give skill="{skill.name}"]')
    elif not Path(skill.folder).is_absolute():
        more.append(f"[it lies in “{skill.folder}”; its scripts run only with run_command, where you have that tool]")
    if skill.wants:
        more.append(f"[it asks for these tools: {cut(skill.wants, 300)}; you have only those you were given]")
    return "\n".join([shown, *more])


def _places(folder: str) -> list[str]:
    """The folder itself if it is a skill, else those in it that are."""
    if Path(folder).is_absolute():
        root = Path(folder)
        inside = sorted(str(place) for place in root.iterdir() if place.is_dir()) if root.is_dir() else []
        return [place for place in [folder, *inside] if (Path(place) / FILE).is_file()]
    door, plain = files(), spelled(folder)
    if door.exists(f"{plain}/{FILE}"):
        return [plain]
    if not door.is_folder(plain):
        return []
    below = [one.path for one in door.left_out(plain) if one.kind == "folder"]
    return [place for place in below if door.exists(f"{place}/{FILE}")]


def _read(place: str) -> Skill:
    if not Path(place).is_absolute() and files().is_foreign(f"{place}/{FILE}"):
        raise Refused("it lies where strangers leave files, and their words are not followed.")
    found = _described(_text(place, FILE), place, _files(place))
    root = _template_around(Path(place))
    if root is None:
        return found
    within = Path(place).relative_to(root).as_posix()
    return replace(found, of="template", within=within, sha256=digest_of(files_of(root, within)))


def _template_around(place: Path) -> Path | None:
    """The template that has brought a skill; None for one among the run's files."""
    if not place.is_absolute():
        return None
    return next((above for above in place.parents if (above / "template.toml").is_file()), None)


def _described(text: str, place: str, others: list[str]) -> Skill:
    """A skill as its head describes it."""
    try:
        head, _ = parted(text)
    except BadHead as problem:
        raise Refused(f"{problem}.") from problem
    name, description = head.get("name"), head.get("description")
    if not isinstance(name, str) or len(name) > LONGEST_NAME or not NAME.match(name):
        raise Refused("its `name` must be small letters, digits and single hyphens, 64 at most.")
    if name != place.rstrip("/").rpartition("/")[2]:
        raise Refused(f"its `name` is “{name}”, and its folder must have the same name.")
    if not isinstance(description, str) or not 0 < len(description) <= _LONGEST_DESCRIPTION:
        raise Refused("its `description` must say what it is for, in 1,024 characters at most.")
    wants = head.get("allowed-tools", "")
    return Skill(name, description, place, others, wants if isinstance(wants, str) else " ".join(wants))


def _files(place: str) -> list[str]:
    if Path(place).is_absolute():
        root = Path(place)
        found = [
            path.relative_to(root).as_posix()
            for path in sorted(root.rglob("*"))
            if path.is_file() and not path.is_symlink()
        ]
    else:
        found = [facts.path.removeprefix(f"{place}/") for facts in files().walk(place) if not facts.is_link]
    return [path for path in found if path != FILE][:MOST_FILES]


def _text(place: str, part: str) -> str:
    if Path(place).is_absolute():
        with os.fdopen(open_beneath(Path(place), spelled(part).split("/"), os.O_RDONLY), "rb") as source:
            data = source.read(_LONGEST + 1)
        if len(data) > _LONGEST:
            raise Refused(f"“{part}” is longer than {_LONGEST // 1024} KB.")
    else:
        data = files().read(f"{place}/{part}", limit=_LONGEST)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise Refused(f"“{part}” is no text.") from problem
