"""What an agent is told beforehand: rules, skills and definitions, read as text, and refused with a sentence where they cannot be read."""

from pathlib import Path

import pytest

from counterfoil import RefusedUse
from counterfoil.authoring.agents.definitions import read_definition
from counterfoil.authoring.agents.front_matter import BadHead, parted
from counterfoil.authoring.agents.paging import Refused
from counterfoil.authoring.agents.rules import find_rules, in_words
from counterfoil.authoring.agents.skills import find_skills, load_skill

SKILL = """---
name: coding-invoices
description: >-
  Which account an invoice is booked on.
  Use it before you book.
license: Apache-2.0
metadata:
  author: "team"
allowed-tools: Bash(git:*) Read
---
# Booking

See references/accounts.md.
"""


def test_a_head_is_read_in_the_forms_that_people_write() -> None:
    head, body = parted('---\na: 1 # one\nb: "x: y"\nc: [p, q]\nd:\n  - r\n  - s\ne: |\n  two\n  lines\n---\nrest\n')
    assert head == {"a": "1", "b": "x: y", "c": ["p", "q"], "d": ["r", "s"], "e": "two\nlines"}
    assert body == "rest"
    assert parted("no head") == ({}, "no head")


@pytest.mark.parametrize(
    "text, told",
    [
        ("---\na: 1", "has no end"),
        ("---\nnothing\n---\n", "line 2 is not"),
        ("---\na: 1\na: 2\n---\n", "line 3 gives ‘a’ a second time"),
        ("---\na: &x 1\n---\n", "line 2 holds a value"),
        ('---\na: "x\n---\n', "line 2 begins a quoted value"),
    ],
)
def test_a_head_that_cannot_be_read_is_told_with_its_line(text: str, told: str) -> None:
    with pytest.raises(BadHead, match=told):
        parted(text)


def test_a_skill_is_found_and_loaded_on_demand(folder: Path) -> None:
    place = folder / "skills" / "coding-invoices"
    (place / "references").mkdir(parents=True)
    (place / "SKILL.md").write_text(SKILL)
    (place / "references" / "accounts.md").write_text("4000 material\n")
    for where in ("skills", "skills/coding-invoices", str(folder / "skills")):
        found = find_skills([where])
        assert found.troubles == []
        (skill,) = found.skills
        assert skill.description == "Which account an invoice is booked on. Use it before you book."
        assert skill.files == ["references/accounts.md"]
        words = load_skill(skill)
        assert "# Booking" in words
        assert "you have only those you were given" in words
        assert "4000 material" in load_skill(skill, "references/accounts.md")
        with pytest.raises(Refused, match="has no file "):
            load_skill(skill, "../../secret")


@pytest.mark.parametrize(
    "name, text, told",
    [
        ("other", SKILL, "must have the same name"),
        ("coding-invoices", SKILL.replace("name: coding-invoices", "name: Coding"), "small letters"),
        ("coding-invoices", "# no head", "small letters"),
        ("coding-invoices", "---\nname: coding-invoices\n---\n", "must say what it is for"),
    ],
)
def test_a_skill_that_cannot_be_used_is_told(folder: Path, name: str, text: str, told: str) -> None:
    (folder / name).mkdir()
    (folder / name / "SKILL.md").write_text(text)
    found = find_skills([name])
    assert found.skills == []
    assert told in found.troubles[0]


def test_a_link_in_a_skill_is_not_followed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    secret = tmp_path_factory.mktemp("outside") / "secret"
    secret.write_text("secret")
    place = folder / "skills" / "coding-invoices"
    place.mkdir(parents=True)
    (place / "SKILL.md").write_text(SKILL)
    (place / "link.md").symlink_to(secret)
    for where in ("skills", str(folder / "skills")):
        (skill,) = find_skills([where]).skills
        assert skill.files == []


def test_rules_come_outer_first_and_say_where_they_count(folder: Path) -> None:
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "AGENTS.md").write_text("all")
    (folder / "a" / "AGENTS.md").write_text("of a")
    (folder / "a" / "b" / "AGENTS.md").write_text("of b")
    assert [note.folder for note in find_rules()] == ["", "a", "a/b"]
    assert [note.text for note in find_rules("a/b")] == ["all", "of a", "of b"]
    assert "For files in “a/b”:\nof b" in in_words(find_rules("a"))
    assert in_words([]) == ""


def test_an_agent_of_the_team_is_read(folder: Path) -> None:
    text = "---\ndescription: Books invoices\ntools: read write\nroute: local\nturns: 12\n---\nBook with care.\n"
    made = read_definition("bookkeeper", text)
    assert (made.tools, made.route, made.turns) == (("read", "write"), "local", 12)
    assert made.instructions == "Book with care."
    for bad, told in ((text.replace("route", "model"), "‘model’"), ("---\na: 1", "no end"), ("", "no instructions")):
        with pytest.raises(RefusedUse, match=told):
            read_definition("bookkeeper", bad)
