"""Names that no effect may touch, in every spelling that some file system takes for them."""

import pytest

from counterfoil.policy.boundaries import folded, trouble_with, visible


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
    "one, other",
    [
        (".git", ".GIT"),
        (".git", ".ｇit"),
        (".git", ".g\u200cit"),
        (".git", ".g\u034fit"),
        (".git", ".git\ufe0f"),
        (".git", ".\u3164git"),
        (".git", ".git "),
        (".git", ".git. ."),
        (".git", ".git::$INDEX_ALLOCATION"),
        ("Straße", "STRASSE"),
        ("e\u0301.csv", "\u00e9.csv"),
        ("\u212bngström", "ångström"),
    ],
)
def test_names_that_some_file_system_takes_for_one_are_folded_alike(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@pytest.mark.parametrize("one, other", [("a", "b"), ("a b", "ab"), ("a.b", "ab"), ("ı", "j"), ("文", "字")])
def test_names_that_differ_stay_apart(one: str, other: str) -> None:
    assert folded(one) != folded(other)


def test_signs_that_hide_or_reorder_are_spelled_out() -> None:
    assert visible("Rechnung ü 文 €") == "Rechnung ü 文 €"
    assert visible("a\u202egpj.exe\x1b[31m\n\udce4") == "a\\u202egpj.exe\\u001b[31m\\u000a\\udce4"
    assert visible("a\u3164b\u034fc\u2066d\u200be") == "a\\u3164b\\u034fc\\u2066d\\u200be"
