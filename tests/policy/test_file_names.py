"""Names that came out of a sandbox (T54): refused where some system takes them for another name."""

import pytest

from counterfoil.policy.names import trouble_with_name, twins


@pytest.mark.parametrize(
    "name",
    [
        "ledger.csv", "Rechnung März.pdf", "文件.txt", "a b.c.d", ".hidden", "console.log", "auxiliary", "com10.txt",
        "~backup", "a~b.txt", "x" * 240, "odd\udce4name", "comma,semi;colon", "100%.csv", "com.txt.old",
    ],
)  # fmt: skip
def test_ordinary_names(name: str) -> None:
    assert trouble_with_name(name) is None


@pytest.mark.parametrize(
    "name",
    [
        "", ".", "..", "a/b", "a\x00b", "line\nbreak", "bell\x07", "del\x7f", "c1\x9b", "a:b", "a\\b", "CON", "con.txt", "Nul", "aux .h",
        "LPT1", "com¹.log", "GIT~1", "PROGRA~1", "LONGNA~2.TXT", "name.", "name ", "name. .", "...", "\u200b", "x" * 241, "ＣＯＮ",
    ],
)  # fmt: skip
def test_names_that_are_refused_with_a_reason(name: str) -> None:
    assert trouble_with_name(name)


@pytest.mark.parametrize(
    "one, other",
    [
        ("Ledger.CSV", "ledger.csv"),
        ("e\u0301.csv", "\u00e9.csv"),
        ("ｌedger.csv", "ledger.csv"),
        ("led\u200bger.csv", "ledger.csv"),
        ("straße", "STRASSE"),
        ("ledger.csv\u3164", "ledger.csv"),
    ],
)
def test_a_new_name_that_is_another_to_some_system(one: str, other: str) -> None:
    assert twins([one], [other]) == {one: other}
    assert list(twins([one, other], [])) == [max(one, other)]
    assert twins([one], ["something else"]) == {}
