"""Files that are never changed, and files that run later: known by name at every depth, and by what they hold."""

import pytest

from counterfoil.policy.file_classes import RULES, Fate, never_changed, rule_of, runs_later

DEPTHS = ("{}", "a/{}", "a/b/c/d/e/f/{}")

NEVER = """
    .git/hooks/pre-commit .git/config .git .gitmodules .GIT/hooks/x .ｇit/config .git./config GIT~1/config .hg/hgrc .ssh/config .SSH/id
    .gnupg/x id_rsa ID_ED25519 authorized_keys .netrc .git-credentials .aws/credentials .kube/config .docker/config.json
    .config/gcloud/x .bashrc .Profile .zshenv .config/fish/config.fish .config/autostart/a.desktop .config/systemd/user/a.service
    menu.desktop backup.timer crontab Library/LaunchAgents/a.plist .counterfoil/workspace.toml .counterfoil-0a.part
""".split()
LATER = """
    .env .env.local .envrc .vscode/tasks.json .idea/workspace.xml .devcontainer/devcontainer.json .husky/pre-commit hooks/post-merge
    .mcp.json .claude/settings.json .codex/config.toml CLAUDE.md AGENTS.md .cursorrules Makefile package.json setup.py pyproject.toml
    conftest.py sitecustomize.py a.pth .github/workflows/ci.yml .gitlab-ci.yml .gitattributes .pre-commit-config.yaml run.SH a.ps1
    report.xlsm letter.docm start.lnk .config/app/settings.ini Dockerfile .npmrc
""".split()
PLAIN = """
    ledger.csv payments/r-12.xml notes/environment.md make.pdf git/x .gitignore Makefile.pdf env hooks.csv report.xlsx letter.docx
    invoices/2026/claude-monet.pdf photo.jpg page.html archive.zip a.json b.toml c.yaml .hidden
""".split()


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("path", NEVER)
def test_files_that_no_effect_may_touch(path: str, depth: str) -> None:
    rule = rule_of(depth.format(path))
    assert rule is not None
    assert rule.fate is Fate.NEVER
    sentence = never_changed(depth.format(path)) or ""
    assert sentence.endswith(".")
    assert "is never changed: " in sentence


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("path", LATER)
def test_files_that_run_later(path: str, depth: str) -> None:
    assert never_changed(depth.format(path)) is None
    assert runs_later(depth.format(path))


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize("path", PLAIN)
def test_files_that_are_just_files(path: str, depth: str) -> None:
    assert rule_of(depth.format(path)) is None
    assert runs_later(depth.format(path), b"a;b\n", b"a;c\n") is None


@pytest.mark.parametrize(
    "before, after, flagged",
    [
        (None, b"#!/bin/sh\n", True),
        (b"#!/bin/sh\n", b"#!/bin/sh\nrm x\n", True),
        (None, b"\x7fELF\x02", True),
        (b"PK\x03\x04\x00", b"MZ\x90\x00", True),
        (b"plain text\n", b"\x00\x01\x02\x03", True),
        (b"plain text\n", b"PK\x03\x04\x00\x00", True),
        (b"plain text\n", b"%PDF-1.7", True),
        (b"PK\x03\x04\x00", b"PK\x03\x04\x00\x01", False),
        (b"\x89PNG\r\n", b"plain text", False),
        (b"plain", b"", False),
        (b"", b"\x00\x01", False),
        ("Müller".encode("cp1252"), "Müller".encode(), False),
        (b"plain", "Müller".encode("utf-16"), False),
        (None, b"\x00\x01", False),
    ],
)
def test_what_a_file_holds_can_make_it_run_later(before: bytes | None, after: bytes, flagged: bool) -> None:
    assert bool(runs_later("notes.txt", before, after)) is flagged


def test_the_table_is_written_as_it_is_compared() -> None:
    """A row that is not folded, or that stands twice, would never match."""
    for part in ("names", "folders", "endings", "beginnings"):
        words = [word for rule in RULES for word in getattr(rule, part)]
        assert [word for word in words if word != word.casefold() or " " in word] == []
        assert len(words) == len(set(words)), part
