"""macOS and Windows, as far as they can be told here: what would be asked of them, held to golden files. Nothing was run there."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from counterfoil.places import Home
from counterfoil.policy.protection import NONE
from counterfoil.sandbox import app_container, probing, seatbelt
from counterfoil.sandbox.bwrap import Mounts

GOLDEN = Path(__file__).parent / "golden"
MOUNTS = Mounts(
    (Path("/opt/runtime"), Path("/opt/app")), stage=Path("/stages/x"), stage_writable=True, slot=Path("/slots/x/code")
)
WORDS = ["/opt/runtime/bin/python3", "-I", "-c", 'print("a b")', "--bind", "ü"]


def _held(name: str, text: str) -> None:
    """A text is the golden file's; a difference is read, and then the file is changed by hand."""
    assert text == (GOLDEN / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("programs", [False, True])
def test_the_rules_for_macos(programs: bool) -> None:
    _held(
        f"seatbelt-{'programs' if programs else 'host'}.sb",
        seatbelt.profile(MOUNTS, Path("/slots/x/tmp"), programs=programs),
    )


def test_no_path_stands_in_the_rules() -> None:
    """Paths are parameters, so a folder called `") (allow default` is no rule."""
    odd = Path('/x") (allow default) ("')
    mounts = Mounts((odd,), stage=odd, stage_writable=True)
    words = seatbelt.command(mounts, Path("/tmp-x"), ["/x/true"], programs=True)
    assert "allow default" not in words[2]
    assert f"OWN_0={odd}" in words
    with pytest.raises(ValueError, match="resolved"):
        seatbelt.command(Mounts((Path("/proc/self/cwd"),)), Path("/x"), ["true"])


def test_what_the_rules_leave_out() -> None:
    rules = seatbelt.profile(MOUNTS, Path("/slots/x/tmp"))
    assert rules.index("(deny default)") < rules.index("(allow")
    for never in ("/Users", "allow network", "allow mach", "(allow default)", "/private/etc)", "appleevent)"):
        assert never not in rules
    assert rules.count("(") == rules.count(")")


def test_the_request_to_windows() -> None:
    environment = {"PATH": r"C:\Windows\System32", "TMP": r"C:\slots\x\tmp", "lang": "C"}
    found = app_container.request("x", MOUNTS, WORDS, environment, [4, 8, 12])
    _held("app-container.json", json.dumps(asdict(found), indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("words, more", [(["a\0b"], {}), (["a"], {"A=B": "x"}), (["a"], {"A": "x\0y"})])
def test_what_would_be_read_as_something_else(words: list[str], more: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="read as another"):
        app_container.request("x", MOUNTS, words, more, [])


@pytest.mark.parametrize("system", ["darwin", "win32"])
def test_no_level_is_claimed_there(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", system)
    monkeypatch.setattr(probing, "_known", {})
    found = probing.measured(Home(tmp_path).create(), afresh=True)
    assert found.level is NONE
    assert "was never run" in found.why
