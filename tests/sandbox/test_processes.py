"""Other processes, descriptors and the kernel: T20 to T32 as far as a workflow's host is concerned."""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from counterfoil.sandbox import bwrap, seccomp
from counterfoil.store import runs
from sandbox.rooms import Room, beneath, lives, runner_of, until
from sandbox.trying import ALL_OF_PROC, needs_hidden_mounts


def number(name: str) -> int:
    """A system call's number here; one the architecture has not is one that no kernel has."""
    found = seccomp._CALLS[name][seccomp.architecture().column]
    return 100_000 if found is None else found


def test_no_environment_of_others(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COUNTERFOIL_SECRET", "hunter2")
    found = room.inside(
        """
import glob
seen = {}
for path in glob.glob("/proc/[0-9]*/environ") + ["/proc/1/environ"]:
    seen[path] = refusal(text, path)
found = [seen, dict(os.environ)]
"""
    )
    assert "hunter2" not in str(found)
    assert set(found[0].values()) <= {"", "EACCES", "ENOENT", "EPERM"} or room.level == "L3"
    assert set(found[1]) - {"PWD", "LC_CTYPE", "SHLVL", "_"} == set(bwrap.ENVIRONMENT)


@pytest.mark.parametrize("forked", [False, True], ids=["host", "forked"])
def test_nothing_in_proc_tells_where_anything_lies(isolated: Room, forked: bool) -> None:
    """T21: neither a command line nor a mount names the data folder or the workspace, both of which may name a person."""
    needs_hidden_mounts()
    found = isolated.inside(
        ALL_OF_PROC
        + f"told = everything()\nfound = [[place in told for place in {[str(isolated.workspace), str(isolated.home.root)]!r}],"
        " ['processor' in told, 'pipe:' in told],"
        " [refusal(text, '/proc/' + one) for one in ['self/mountinfo', '1/mountinfo', 'thread-self/mountinfo', '1/cmdline']]]",
        forked=forked,
    )
    assert found == [[False, False], [True, True], ["EACCES"] * 4]


def test_no_descriptor_of_the_runner(room: Room) -> None:
    handle = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    os.set_inheritable(handle, True)
    try:
        found = room.inside(
            "found = [n for n in range(1024) if not isinstance(refusal(os.fstat, n), str) and stat.S_ISDIR(os.fstat(n).st_mode)]"
        )
    finally:
        os.close(handle)
    assert found == []


def test_a_forked_child_cannot_look_into_its_host(room: Room) -> None:
    found = room.inside(
        "parent = os.getppid()\n"
        "found = [refusal(os.open, f'/proc/{parent}/mem', os.O_RDWR), refusal(os.open, f'/proc/{parent}/fd/3', os.O_RDWR)]",
        forked=True,
    )
    assert set(found) <= {"EACCES", "ENXIO", "ENOENT", "EROFS"}


@pytest.mark.parametrize(
    "name",
    "ptrace process_vm_readv process_vm_writev pidfd_getfd kcmp mount umount2 pivot_root chroot unshare setns open_tree move_mount "
    "fsopen fsmount mount_setattr bpf perf_event_open keyctl add_key request_key open_by_handle_at name_to_handle_at kexec_load "
    "init_module swapon acct reboot syslog sethostname settimeofday fanotify_init mbind set_mempolicy migrate_pages".split(),
)  # fmt: skip
def test_calls_that_are_refused(isolated: Room, name: str, answers: dict[str, str]) -> None:
    assert answers[name] == "EPERM"


@pytest.mark.parametrize("name", "clone3 openat2 io_uring_setup io_uring_enter userfaultfd memfd_secret".split())
def test_calls_that_do_not_exist(isolated: Room, name: str, answers: dict[str, str]) -> None:
    assert answers[name] == "ENOSYS"


@pytest.fixture(scope="module")
def answers(isolated: Room) -> dict[str, str]:
    names = [*seccomp._REFUSED, *seccomp._UNKNOWN]
    there = {name: number(name) for name in names if seccomp._CALLS[name][seccomp.architecture().column] is not None}
    found: dict[str, str] = isolated.inside(
        f"found = {{name: call(n, 0, 0, 0, 0, 0) for name, n in {there!r}.items()}}"
    )
    return found


def test_every_call_of_the_table_is_refused(answers: dict[str, str]) -> None:
    assert {name: answer for name, answer in answers.items() if answer not in ("EPERM", "ENOSYS")} == {}


def test_the_same_where_restricted(restricted: Room) -> None:
    names = [*seccomp._REFUSED, *seccomp._UNKNOWN]
    there = {name: number(name) for name in names if seccomp._CALLS[name][seccomp.architecture().column] is not None}
    found = restricted.inside(f"found = {{name: call(n, 0, 0, 0, 0, 0) for name, n in {there!r}.items()}}")
    assert {name: answer for name, answer in found.items() if answer not in ("EPERM", "ENOSYS")} == {}


def test_no_new_namespaces(room: Room) -> None:
    flags = [0x10000000, 0x00020000, 0x40000000, 0x20000000]
    found = room.inside(
        f"found = [call({number('clone')}, flag | 17, 0, 0, 0, 0) for flag in {flags!r}]"
        f" + [call({number('unshare')}, flag) for flag in {flags!r}]"
    )
    assert set(found) == {"EPERM"}


def test_no_typing_into_terminals(room: Room) -> None:
    found = room.inside(
        f"""
import array
found = []
for request in (0x5412, 0x541C, 0x541D):
    for high in (0, 1 << 32):
        for handle in (0, 1, 2):
            found.append(call({number("ioctl")}, handle, request | high, 0))
terminal = refusal(os.open, "/dev/tty", os.O_RDWR)
"""
    )
    assert set(found) == {"EPERM"}


@pytest.mark.skipif(platform.machine() != "x86_64", reason="level L3, L2: x32 and int 0x80 are ways of x86_64")
def test_other_ways_into_the_kernel(room: Room) -> None:
    found = room.inside(
        """
import mmap
x32 = call(0x40000000 + 39)
pid = os.fork()
if pid == 0:
    code = mmap.mmap(-1, 4096, prot=7)
    code.write(bytes.fromhex("b814000000cd80c3"))
    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))()
    os._exit(0)
found = [x32, os.WTERMSIG(os.waitpid(pid, 0)[1])]
"""
    )
    assert found[0] == "ENOSYS"
    assert found[1] in (signal.SIGSYS, signal.SIGSEGV)


def test_no_program_is_started(room: Room) -> None:
    found = room.inside(
        """
import subprocess
path = os.environ["TMPDIR"] + "/x"
with open(path, "w") as out:
    out.write("#!/bin/true")
handle = os.open(path, os.O_RDONLY)
found = [refusal(subprocess.run, ["/usr/bin/env"]), refusal(os.execv, "/usr/bin/env", ["env"]), refusal(os.execve, handle, ["x"], {})]
"""
    )
    assert found == ["EPERM"] * 3


def test_no_signal_reaches_others(room: Room) -> None:
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        found = room.inside(
            f"found = [refusal(os.kill, pid, 9) for pid in ({other.pid}, 1)]"
            if room.level == "L2"
            else f"found = list({{refusal(os.kill, {other.pid}, 9)}} | {{refusal(os.kill, n, 0) for n in range(300, 65536)}})"
        )
        assert set(found) <= ({"EPERM"} if room.level == "L2" else {"ESRCH"})
        assert other.poll() is None
    finally:
        other.kill()
        other.communicate()


def test_a_daemon_ends_with_its_run(isolated: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is seen by what it writes into a pipe that lies among the packages, which are all that a host sees at its own place."""
    packages = tmp_path / "site-packages"
    packages.mkdir()
    os.mkfifo(packages / "pipe")
    pipe = os.open(packages / "pipe", os.O_RDWR | os.O_NONBLOCK)
    monkeypatch.syspath_prepend(str(packages))
    isolated.inside(
        f"""
import sys
place = {str(packages)!r} + "/pipe"
"""
        """
import time
heard, begun = os.pipe()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        pipe = os.open(place, os.O_WRONLY)
        while True:
            os.write(pipe, b"alive")
            os.write(begun, b"x")
            time.sleep(0.01)
    os._exit(0)
os.read(heard, 1)
found = 1
"""
    )
    assert os.read(pipe, 1_000_000)
    until(lambda: _is_silent(pipe), "the daemon is gone")
    os.close(pipe)


def _is_silent(pipe: int) -> bool:
    import time

    with_words = True
    try:
        os.read(pipe, 1_000_000)
    except BlockingIOError:
        with_words = False
    time.sleep(0.1)
    try:
        os.read(pipe, 1_000_000)
    except BlockingIOError:
        return not with_words
    return False


def test_a_daemon_ends_with_its_run_where_there_are_no_walls(restricted: Room) -> None:
    """It has left its parent and its session; the keeper finds it all the same."""
    pid = restricted.inside(
        """
import time
reading, writing = os.pipe()
if os.fork() == 0:
    os.setsid()
    pid = os.fork()
    if pid:
        os.write(writing, str(pid).encode())
        os._exit(0)
    time.sleep(600)
found = int(os.read(reading, 20))
"""
    )
    until(lambda: not lives(pid), "the daemon is gone")


def test_a_killed_runner_leaves_no_process(isolated: Room) -> None:
    room = isolated
    run_id = room.start("import time\nif os.fork():\n    time.sleep(600)\ntime.sleep(600)\nfound = 1")
    with runner_of(room.home) as runner:
        until(lambda: runs.get(room.database.reader, run_id)["state"] == "running", "the run is running")
        there = until(lambda: found if len(found := beneath(runner.pid)) >= 6 else None, "hosts are there")
        runner.kill()
        runner.wait()
        until(lambda: not any(lives(pid) for pid in there), "everything beneath a killed runner is gone")
    from counterfoil.store.transactions import Txn

    def end(txn: Txn) -> None:
        runs.ask_to_cancel(txn, run_id, "user:anna")

    room.database.transact(end)
