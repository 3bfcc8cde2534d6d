"""What the kernel limits and what the runner watches: T40 to T44."""

import os

import pytest

from counterfoil.facts import RunState
from counterfoil.sandbox import limits
from sandbox.rooms import Room

BOMB = """
import time
made = []
try:
    while len(made) < 600:
        pid = os.fork()
        if pid == 0:
            time.sleep(60)
            os._exit(0)
        made.append(pid)
    stopped = ""
except OSError as problem:
    stopped = errno.errorcode[problem.errno]
time.sleep(30 if len(made) >= 600 else 0)
for pid in made:
    os.kill(pid, 9)
found = [stopped, len(made)]
"""
HOARD = """
import time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(os.urandom(1)) * (450 * 1024 * 1024)
        time.sleep(60)
time.sleep(60)
found = 1
"""


def test_a_fork_bomb_is_stopped(isolated: Room) -> None:
    run_id = isolated.start(BOMB)
    row = isolated.advance(run_id)
    if os.geteuid() == 0 or row["state"] == RunState.WAITING:  # what watches may come before the system's own limit
        assert row["state"] == RunState.WAITING
        assert "more than 256 processes" in isolated.asked(run_id)
    else:
        assert row["state"] == RunState.DONE, isolated.asked(run_id)
        assert "EAGAIN" in row["result"]


def test_a_fork_bomb_is_watched_where_restricted(restricted: Room) -> None:
    run_id = restricted.start(BOMB)
    assert restricted.advance(run_id)["state"] == RunState.WAITING
    assert "more than 256 processes" in restricted.asked(run_id)


def test_memory_of_many_processes_is_watched(room: Room) -> None:
    if os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") < 2 * limits.MEMORY:
        pytest.skip(f"level {room.level}: this computer has too little memory to try it")
    run_id = room.start(HOARD)
    assert room.advance(run_id)["state"] == RunState.WAITING
    assert "GB of memory" in room.asked(run_id)


def test_files_end_somewhere(room: Room) -> None:
    found = room.inside(
        """
path = os.environ["TMPDIR"] + "/big"
handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
found = [refusal(os.truncate, handle, 1 << 40), refusal(os.pwrite, handle, b"x", 1 << 40)]
"""
    )
    assert found == ["EFBIG", "EFBIG"]


def test_scratch_is_small(isolated: Room) -> None:
    found = isolated.inside(
        """
def fill(folder):
    size = 0
    try:
        with open(folder + "/full", "wb", buffering=0) as out:
            while size < 400 * 1024 * 1024:
                size += out.write(bytes(1024 * 1024))
    except OSError as problem:
        return [errno.errorcode[problem.errno], size]
    finally:
        os.unlink(folder + "/full") if os.path.exists(folder + "/full") else None
    return ["", size]
found = [fill("/tmp"), fill("/dev/shm"), refusal(make, "/dev/x")]
"""
    )
    assert found[0][0] == "ENOSPC"
    assert found[0][1] <= 256 * 1024 * 1024
    assert found[1][0] == "ENOSPC"
    assert found[1][1] <= 64 * 1024 * 1024
    assert found[2] == "EROFS"


def test_limits_cannot_be_raised(isolated: Room) -> None:
    found = isolated.inside(
        """
import resource
def raised(which):
    try:
        resource.setrlimit(which, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    except (OSError, ValueError):
        return resource.getrlimit(which)[1]
    return "raised"
found = [raised(resource.RLIMIT_NPROC), raised(resource.RLIMIT_NOFILE), raised(resource.RLIMIT_FSIZE), raised(resource.RLIMIT_CORE)]
"""
    )
    assert found == [limits.PROCESSES, limits.OPEN_FILES, limits.LONGEST_FILE, 0]


def test_output_is_kept_up_to_a_cap(room: Room) -> None:
    run_id = room.start("for _ in range(400):\n    os.write(1, b'x' * 65536)\nfound = 1")
    row = room.advance(run_id)
    assert row["state"] == RunState.DONE
    assert (room.home.logs / f"r-{row['number']}.log").stat().st_size <= 1024 * 1024 + 65_536
