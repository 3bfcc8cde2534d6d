"""Names that no effect may touch, in every spelling that some file system takes for them."""

import pytest

from counterfoil.policy.boundaries import runs_later, trouble_with, visible


@pytest.mark.parametrize(
    "path",
    [
        "ledger.csv",
        "payments/r-12.xml",
        "a b/ünï/文件.pdf",
        ".hidden",
        ".gitignore",
        "git/x",
        "..a/b..",
        "archive/a:b.xml",
        "odd\udce4name.pdf",
        "line\nbreak.xml",
        "x" * 240,
    ],
)
def test_names_beneath_the_workspace_are_fine(path: str) -> None:
    assert trouble_with(path) is None


@pytest.mark.parametrize(
    "path",
    [
        *"/etc/passwd ../x a/../x a/.. .. . ./a a//b a/ C:/x c:x a\\b \\\\host\\share".split(),
        *("", "a\x00b", "\ud800", "x" * 241, "a/" * 600 + "a", None, 7, ["a"], b"a"),
    ],
)
def test_names_that_lead_elsewhere_are_refused(path: object) -> None:
    trouble = trouble_with(path)
    assert trouble
    assert trouble.endswith(".")


@pytest.mark.parametrize(
    "name",
    [
        ".git",
        ".GIT",
        ".ｇit",
        ".g\u200cit",
        ".git ",
        ".git.",
        ".git. .",
        ".git::$INDEX_ALLOCATION",
        "GIT~1",
        ".Counterfoil",
        ".ssh",
        ".gnupg",
    ],
)
def test_reserved_folders_are_refused_at_every_depth(name: str) -> None:
    for path in (name, f"{name}/hooks/pre-commit", f"a/b/{name}", f"a/b/{name}/c"):
        assert trouble_with(path), path
    assert "which no effect may touch" in (trouble_with(f"a/{name}/b") or "")


@pytest.mark.parametrize(
    "path", ["Makefile", "a/.env.local", "a/run.SH", ".vscode/tasks.json", "x.desktop", "b/.bashrc"]
)
def test_files_that_run_later_are_known(path: str) -> None:
    assert runs_later(path)


@pytest.mark.parametrize("path", ["ledger.csv", "payments.xml", "notes/environment.md", "a/make.pdf"])
def test_plain_files_do_not_run(path: str) -> None:
    assert not runs_later(path)


def test_signs_that_hide_or_reorder_are_spelled_out() -> None:
    assert visible("Rechnung ü 文 €") == "Rechnung ü 文 €"
    assert visible("a\u202egpj.exe\x1b[31m\n\udce4") == "a\\u202egpj.exe\\u001b[31m\\u000a\\udce4"
