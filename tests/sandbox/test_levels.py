"""Levels are measured, not claimed: each layer is broken in turn, and what is said is what is left (T70, T71)."""

import copy
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from counterfoil.places import Home
from counterfoil.policy import protection
from counterfoil.policy.protection import CAPPED, ISOLATED, NONE, RESTRICTED, WEAK, is_lower
from counterfoil.sandbox import advising, bwrap, landlock, launching, probing, scopes, seccomp, selftest
from counterfoil.sandbox.launching import Cell, Given, Slot, Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.store import runs
from sandbox.rooms import Room


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home").create()


def test_beside_its_badge_a_level_does_not_say_its_word_again() -> None:
    for level in (ISOLATED, CAPPED, WEAK):
        said = protection.beside_badge(protection.mark(level, landlock=4))
        assert said
        assert not said.startswith(level.badge.partition(",")[0])
    assert protection.beside_badge("L3").startswith("Memory and disk limits are watched")


def test_without_bubblewrap(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bwrap, "PROGRAM", Path("/nonexistent/bwrap"))
    found = probing.measured(home, afresh=True)
    assert found.level in (RESTRICTED, WEAK, NONE)
    assert "not installed" in found.why
    assert "Install bubblewrap" in found.next_step


def test_a_bubblewrap_that_does_nothing(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that only runs what follows `--`: no walls, and nobody says that there are any."""
    fake = tmp_path / "bwrap"
    fake.write_text('#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done\nshift\nexec "$@"\n')
    fake.chmod(0o755)
    monkeypatch.setattr(bwrap, "PROGRAM", fake)
    monkeypatch.setattr(bwrap, "trusted", lambda: None)
    found = probing.measured(home, afresh=True)
    assert found.level is not ISOLATED
    assert "not isolated because" in found.why


@pytest.mark.parametrize("by_apparmor", [True, False])
def test_a_bubblewrap_that_fails(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by_apparmor: bool
) -> None:
    """Where AppArmor is what keeps user namespaces away, the text of a profile is offered; no setting for all is."""
    setting = tmp_path / "restricted"
    setting.write_text("1\n" if by_apparmor else "0\n")
    monkeypatch.setattr(advising, "_RESTRICTION", setting)
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(bwrap, "PROGRAM", fake)
    monkeypatch.setattr(bwrap, "trusted", lambda: None)
    found = probing.measured(home, afresh=True)
    assert found.level is not ISOLATED
    assert "setting up uid map: Permission denied" in found.why
    assert "sysctl" not in found.next_step + found.profile
    if by_apparmor:
        assert "bwrap-userns-restrict" in found.next_step
        assert "profile counterfoil-bwrap /usr/bin/bwrap" in found.profile
        assert "userns," in found.profile
    else:
        assert "user.max_user_namespaces" in found.next_step
        assert found.profile == ""


@pytest.mark.parametrize("version, level", [(0, NONE), (1, WEAK), (4, WEAK), (5, WEAK)])
def test_landlock_of_other_kernels(
    home: Home, monkeypatch: pytest.MonkeyPatch, version: int, level: protection.Level
) -> None:
    monkeypatch.setattr(bwrap, "trusted", lambda: "there is none")
    if level is not NONE and landlock.abi() < 1:
        pytest.skip("level L0: this kernel has no Landlock")
    monkeypatch.setattr(landlock, "abi", lambda: version)
    assert probing.measured(home, afresh=True).level is level


def test_an_unknown_processor(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str | None = None) -> seccomp.Architecture:
        raise seccomp.UnknownArchitecture("s390x")

    monkeypatch.setattr(seccomp, "architecture", unknown)
    found = probing.measured(home, afresh=True)
    assert found.level is NONE
    assert "s390x" in found.why


@pytest.mark.parametrize("missing", ["--unshare-net", "--unshare-pid", "--clearenv", "/proc", "/"])
def test_each_missing_wall_is_noticed(isolated: Room, monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    """Without one of the options the probe says that the host is unfit. What the filter covers as well is not told apart."""
    real = bwrap.arguments

    def without(mounts: bwrap.Mounts, **more: Any) -> list[str]:
        words = real(mounts, **more)
        if missing in ("/", "/proc"):
            at = next(n for n, word in enumerate(words) if word == "--remount-ro" and words[n + 1] == missing)
            return words[:at] + words[at + 2 :]
        return [word for word in words if word != missing]

    monkeypatch.setattr(bwrap, "arguments", without)
    problem = probing._problem(Measured(ISOLATED))
    covered = missing == "--clearenv" or (
        missing == "/proc" and os.geteuid() != 0
    )  # an empty environment; the owner's rights
    assert (problem == "") == covered, problem


def test_each_worse_report_is_noticed(isolated: Room) -> None:
    found = facts_of(isolated)
    for change, word in CHANGES.items():
        worse = copy.deepcopy(found)
        exec(change, {"f": worse})
        wrong = told_of(worse, set(found["root"]))
        assert any(word in one for one in wrong), (change, wrong)
    assert told_of(found, set(found["root"])) == []


def told_of(found: dict[str, Any], root: set[str]) -> list[str]:
    """What is wrong with a report."""
    return selftest.isolated(
        found, root=root, unwritable=["/", "/usr", "/dev", "/w", "/template"], known={"/w": [1, 2]}
    )


CHANGES = {
    "f['handles'].append(4)": "files open",
    "f['root'].append('home')": "other things",
    "f['status']['NoNewPrivs'] = '0'": "not filtered",
    "f['status']['Seccomp'] = '0'": "not filtered",
    "f['capabilities'][3] = '00000000a80425fb'": "capabilities",
    "f['environment_of_first'] = 'SECRET=1'": "environment",
    "f['interfaces'] = ['eth0', 'lo']": "network",
    "f['routes'] = ['eth0']": "network",
    "f['settings'] = None": "settings of the kernel",
    "f['execute'] = 2": "start programs",
    "f['sockets'][0] = None": "sockets",
    "f['writing']['/usr'] = None": "write to /usr",
    "f['writing']['/w'] = None": "write to /w",
    "f['folders']['/w'] = [1, 3]": "not the folder",
    "f['mounts'] = None": "mounts tell",
    "f['processes'] = [str(n) for n in range(99)]": "processes",
}


def facts_of(room: Room) -> dict[str, Any]:
    """What an isolated host reports, with a workspace called /w."""
    return {
        "handles": [0, 1, 2, 3],
        "root": sorted(bwrap.top_level(bwrap.Mounts(launching.runtime(), room.home.run))),
        "status": {"NoNewPrivs": "1", "Seccomp": "2", "Seccomp_filters": "2", "Threads": "1"},
        "capabilities": ["0000000000000000"] * 5,
        "environment_of_first": None,
        "mounts": 13,
        "processes": ["1", "2"],
        "interfaces": ["lo"],
        "routes": [],
        "settings": 30,
        "execute": 1,
        "sockets": [1] * 5,
        "writing": {"/": 30, "/usr": 30, "/dev": 30, "/w": 30, "/template": 30},
        "folders": {"/w": [1, 2]},
    }


def test_a_run_is_never_lowered(isolated: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = isolated.start("found = 1")
    monkeypatch.setattr("counterfoil.runner.running.measured", lambda _: Measured(NONE, "Something broke."))
    row = isolated.advance(run_id)
    assert row["state"] == "waiting"
    assert "Something broke." in isolated.asked(run_id)
    assert row["isolation"] == isolated.measured.mark


def test_an_unfit_host_gets_nothing(isolated: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = isolated.start("found = 1")

    def unfit(cell: Cell, given: Given, found: dict[str, Any], pid: int) -> None:
        raise Unfit("it has a network")

    monkeypatch.setattr("counterfoil.sandbox.hosts.judge", unfit)
    row = isolated.advance(run_id)
    assert row["state"] == "waiting"
    assert "It has a network." in isolated.asked(run_id)


def test_the_sentences_are_the_designs() -> None:
    assert protection.sentence("L4") == (
        "Isolated. Cannot see your files, network or other programs. Memory and process limits enforced by the system."
    )
    assert protection.sentence("L3") == (
        "Isolated. Memory and disk limits are watched by Counterfoil, not enforced by the system; "
        "a run may exceed them for a moment."
    )
    assert protection.sentence("L2") == (
        "Restricted, not isolated. Cannot read or change contents outside its folder or use the network. "
        "It can see names, sizes and dates of your files and that programs exist."
    )
    assert protection.sentence("L0") == "No isolation on this system. Workflow code would run as you."
    assert [protection.badge(code) for code in ("L0", "L1", "L2", "L3", "L4", "L9")] == [
        "None", "Weak", "Restricted", "Isolated", "Isolated, capped", "L9",
    ]  # fmt: skip
    assert protection.sentence("L9") == ""


@pytest.mark.parametrize(
    "version, listed",
    [
        (1, "Additionally it may signal your programs, reach abstract sockets and truncate files by path."),
        (2, "Additionally it may signal your programs, reach abstract sockets and truncate files by path."),
        (3, "Additionally it may signal your programs and reach abstract sockets."),
        (5, "Additionally it may signal your programs and reach abstract sockets."),
    ],
)
def test_what_a_weak_level_lacks_is_built_from_the_kernels_version(version: int, listed: str) -> None:
    found = Measured(WEAK, landlock=version)
    assert found.mark == f"L1/{version}"
    assert found.sentence == f"Weak. {protection.sentence('L2')} {listed}"


def test_root_is_told_what_is_not_enforced() -> None:
    assert Measured(ISOLATED, as_root=True).sentence.endswith("process limits not enforced for root.")
    assert "root" not in Measured(CAPPED, as_root=True).sentence
    assert "root" not in Measured(ISOLATED).sentence
    assert all(len(Measured(level, as_root=True, landlock=5).mark) <= 8 for level in protection.LEVELS)


@pytest.mark.parametrize("level", [ISOLATED, CAPPED])
def test_a_kernel_that_cannot_hide_mounts_is_told_of(
    isolated: Room, home: Home, monkeypatch: pytest.MonkeyPatch, level: protection.Level
) -> None:
    """Before Linux 5.19 what is inside can read where its folders lie; the level says so wherever it is shown, and is kept with it."""
    monkeypatch.setattr(landlock, "can_hide", lambda: False)
    monkeypatch.setattr(probing, "_known", {})
    monkeypatch.setattr(scopes, "trouble", lambda: None if level is CAPPED else "no caps here")
    monkeypatch.setattr(probing, "_problem", lambda _: "")
    found = probing.measured(home, afresh=True)
    as_root = os.geteuid() == 0 and level is ISOLATED
    assert (found.level, found.mark) == (level, f"{level.code}/{'both' if as_root else 'told'}")
    assert found.sentence.startswith(level.sentence)
    assert found.sentence.endswith(protection.TELLS)
    assert (protection.AS_ROOT in found.sentence) == as_root
    assert len(found.mark) <= 8
    told = protection.told(home)
    assert told is not None
    assert protection.sentence(told.mark) == found.sentence
    probing._known.clear()
    assert probing.measured(home) == found
    assert not is_lower(found.mark, "L3")
    seen = facts_of(isolated) | {"mounts": None}
    assert selftest.isolated(seen, root=set(seen["root"]), unwritable=[], known={}, tells=True) == []


def test_who_may_run_what() -> None:
    """An agent's commands need level L2, connectors of others L3 (unless a person switches them on)."""
    assert [level.code for level in protection.LEVELS if level.commands] == ["L2", "L3", "L4"]
    assert [level.code for level in protection.LEVELS if level.servers] == ["L3", "L4"]


def test_the_order_of_levels() -> None:
    assert is_lower("L0", "L3")
    assert not is_lower("L3", "L3")
    assert not is_lower("L3", "L2")
    assert is_lower("L3", "L9")


def test_only_the_best_answer_is_kept(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lower level is measured again by the next process, but kept to be shown."""
    monkeypatch.setattr(probing, "_known", {})
    answers = [
        Measured(NONE, "It broke.", "Mend it.", profile="text"),
        Measured(ISOLATED, as_root=True),
        Measured(WEAK),
    ]
    monkeypatch.setattr(probing, "_measure", lambda: answers.pop(0))
    assert protection.told(home) is None
    assert probing.measured(home, afresh=True).level is NONE
    assert protection.told(home) == protection.Told("L0", "It broke.", "Mend it.", "text")
    probing._known.clear()
    assert probing.measured(home).level is ISOLATED
    assert protection.told(home) == protection.Told("L3/root")
    probing._known.clear()
    assert probing.measured(home) == Measured(ISOLATED, as_root=True)
    assert len(answers) == 1
    protection.place_of(home).write_text("{}")
    probing._known.clear()
    assert probing.measured(home).level is WEAK


def test_every_argument_in_order() -> None:
    """The list that is handed to bubblewrap, word for word where it does not depend on the computer."""
    mounts = bwrap.Mounts((), Path("/usr"))
    words = bwrap.arguments(mounts, seccomp=9, people=7, groups=8)
    text = " ".join(words)
    assert text.startswith(
        "--unshare-user --unshare-pid --unshare-net --unshare-ipc --unshare-uts --unshare-cgroup-try --disable-userns "
        "--die-with-parent --new-session --uid 1000 --gid 1000 --hostname counterfoil --clearenv --setenv PATH /usr/bin"
    )
    assert text.endswith(
        "--proc /proc --dev /dev --size 67108864 --tmpfs /dev/shm --remount-ro /dev --size 268435456 --tmpfs /tmp --dir /tmp/home "
        "--ro-bind /usr /template --remount-ro /proc --remount-ro / --chdir /template --cap-drop ALL --seccomp 9"
    )
    assert not {"--share-net", "--dev-bind", "--bind", "--as-pid-1"} & set(words)


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_programs_of_both_processors(machine: str) -> None:
    inner = [
        seccomp.inner(machine, programs=programs, walls=walls) for programs in (True, False) for walls in (True, False)
    ]
    for program in (seccomp.outer(machine), *inner):
        assert len(program) % 8 == 0
        assert len(program) // 8 < 4096


def test_the_table_is_that_of_the_headers(tmp_path: Path) -> None:
    """Numbers are compared with what the C library's headers of this computer say, where there are any."""
    import re

    places = {0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), 1: Path("/usr/include/asm-generic/unistd.h")}
    compared = 0
    for column, place in places.items():
        if place.exists():
            found = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", place.read_text(encoding="utf-8")))
            for name, numbers in seccomp._CALLS.items():
                if name in found and numbers[column] is not None:
                    compared += 1
                    assert numbers[column] == int(found[name]), name
    if not compared:
        pytest.skip("level L3: there are no headers here to compare with")


def test_the_runner_survives_a_home_without_slots(home: Home) -> None:
    slot = Slot(home)
    assert slot.code.is_dir()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    stale = slot.root.parent / f"{gone.pid}-stale"
    stale.mkdir()
    launching.clear_slots(home)
    assert not stale.exists()
    assert slot.root.exists()
    slot.remove()
    assert not slot.root.exists()


def test_show_says_the_level(isolated: Room) -> None:
    run_id = isolated.start("found = 1")
    assert runs.get(isolated.database.reader, run_id)["isolation"] == isolated.measured.mark
