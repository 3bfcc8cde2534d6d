"""Commands on a stage: what they may, what they may not, and that each of them ends (T4, T14, T23, T26, T30 to T35, T40 to T49, T63)."""

import asyncio
import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from counterfoil.policy.protection import NONE, WEAK
from counterfoil.sandbox import bwrap, seccomp, watching
from counterfoil.sandbox.commands import BadCommand, Command, run_command
from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.outputs import Ring, readable
from sandbox.rooms import APP, Room, beneath, lives, until
from sandbox.test_processes import number
from sandbox.trying import ALL_OF_PROC, PYTHON, command, needs_hidden_mounts, python, run, shell, stage_in


@pytest.fixture
def stage(tmp_path: Path) -> Path:
    return stage_in(tmp_path)


def slots(room: Room) -> list[Path]:
    """Folders of sandboxes that are there."""
    return list((room.home.run / "slots").iterdir())


# ---------------------------------------------------------------------------------------------------------- what is given


def test_a_command_reads_and_writes_its_stage(room: Room, stage: Path) -> None:
    outcome = shell(room, stage, "cat note.txt -; echo more >> note.txt; echo trouble >&2; exit 3", given=b" given")
    assert (outcome.status, outcome.why, outcome.out, outcome.err) == (3, "", "here given", "trouble\n")
    assert outcome.isolation == room.measured.mark
    assert (stage / "note.txt").read_text() == "heremore\n"
    assert slots(room) == []


def test_a_folder_beneath_the_stage(room: Room, stage: Path) -> None:
    (stage / "a/b").mkdir(parents=True)
    assert shell(room, stage, "pwd", folder="a/b").out.endswith("/a/b\n")
    (stage / "out").symlink_to("/usr")
    for folder in ("..", "/usr", "a/../..", "none", "out", "a\0b", "note.txt"):
        with pytest.raises(BadCommand):
            command(room, stage, "true", folder=folder)


def test_nothing_in_proc_tells_where_a_stage_lies(isolated: Room, stage: Path) -> None:
    """T21: to a command and to what it starts, which have other places in /proc."""
    needs_hidden_mounts()
    found = python(isolated, stage, ALL_OF_PROC + "found = [everything(), refusal(text, '/proc/self/mountinfo')]")
    assert not any(str(place) in found[0] for place in (stage, isolated.home.root))
    assert found[1] == "EACCES"
    outcome = shell(
        isolated, stage, "(cat /proc/self/mountinfo); cat /proc/$$/mountinfo; cat < /dev/stdin", given=b"given"
    )
    assert outcome.out == "given"


def test_words_are_words(room: Room, stage: Path) -> None:
    words = ["--bind", "/", "/x", "--args", "3", "new\nline", "ü\u202ex", "$(id)", ""]
    code = "import sys; sys.stdout.write('|'.join(sys.argv[1:]))"
    outcome = command(room, stage, PYTHON, "-I", "-c", code, *words)
    assert outcome.out == readable("|".join(words))
    for bad in ((), ("",), ("a\0b",), ("x" * 200_000,)):
        with pytest.raises(BadCommand):
            command(room, stage, *bad)
    with pytest.raises(BadCommand, match="no-such-program"):
        command(room, stage, "no-such-program")


def test_the_environment_is_the_runners_own_and_poison_does_nothing(
    room: Room, stage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PATH", "LD_PRELOAD", "PYTHONPATH", "GIT_DIR", "BASH_ENV", "ENV", "IFS", "COUNTERFOIL_SECRET"):
        monkeypatch.setenv(name, "hunter2")
    for name in ("ls", "python3", "sitecustomize.py", ".bashrc", ".profile"):
        (stage / name).write_text("#!/bin/sh\necho poison\n")
        (stage / name).chmod(0o755)
    said = command(room, stage, "env").out
    told = dict(line.split("=", 1) for line in said.splitlines())
    assert set(told) == set(bwrap.ENVIRONMENT)
    assert told["PATH"] == "/usr/bin"
    assert "hunter2" not in said
    assert "poison" not in shell(room, stage, "ls; python3 -c 1").out
    seen = python(room, stage, "found = [refusal(text, f'/proc/{pid}/environ') for pid in ('self', 1)]")
    assert "hunter2" not in str(seen)


@pytest.mark.parametrize("level", [WEAK, NONE])
def test_no_command_where_nothing_confines_it(isolated: Room, stage: Path, level: object) -> None:
    measured = Measured(level)  # type: ignore[arg-type]
    with pytest.raises(Unfit, match="commands are not run"):
        run(run_command(isolated.home, measured, stage, Command(("touch", "x"))))
    assert not (stage / "x").exists()


# -------------------------------------------------------------------------------------------------------- what is not given


def test_nothing_outside_is_seen_or_written(room: Room, stage: Path, tmp_path: Path) -> None:
    (tmp_path / "canary").write_text("a canary")
    wanted = [str(tmp_path / "canary"), "/etc/shadow", str(room.home.database), "../canary", "/proc/1/root/etc/shadow"]
    written = ["/usr/x", "/x", "/etc/x", "../x", "/dev/x", f"{sys.base_prefix}/x"]
    found = python(
        room, stage, f"found = [[refusal(text, p) for p in {wanted!r}], [refusal(make, p) for p in {written!r}]]"
    )
    assert set(found[0]) <= {"ENOENT", "EACCES"}
    assert set(found[1]) <= {"EROFS", "EACCES", "ENOENT", "EPERM"} or found[1][3] == "made"
    assert not (tmp_path / "x").exists()
    assert not any(Path(path).exists() for path in written if path.startswith("/"))


def test_links_of_the_stage_lead_nowhere(room: Room, stage: Path, tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (stage / "out").symlink_to(tmp_path / "target")
    (stage / "oldroot").symlink_to("/oldroot")
    found = python(
        room, stage, "found = [refusal(text, 'out'), refusal(open, 'out', 'w'), refusal(os.listdir, 'oldroot')]"
    )
    assert set(found) <= {"ENOENT", "EACCES"}
    assert (tmp_path / "target").read_text() == "mine"


def _beside_a_host(room: Room, stage: Path, code: str) -> str:
    """What a command says while a workflow's host lives; `pids` are the host's processes."""

    async def beside() -> str:
        host = await Host.start(room.home, room.measured, room.workspace)
        try:
            words = (PYTHON, "-I", "-c", f"import os\npids = {[host.pid, *beneath(host.pid)]!r}\n{code}")
            return (await run_command(room.home, room.measured, stage, Command(words))).out
        finally:
            host.kill()
            await host.ended()

    return run(beside())


def test_a_workflows_process_is_not_there(isolated: Room, stage: Path) -> None:
    code = "there = [int(p) for p in os.listdir('/proc') if p.isdigit()]\nprint(len(there), max(there))"
    count, highest = _beside_a_host(isolated, stage, code).split()
    assert int(count) <= 4
    assert int(highest) < 20


def test_a_workflows_socket_is_closed_to_commands(restricted: Room, stage: Path) -> None:
    code = """
for path in [f'/proc/{pid}/{what}' for pid in pids for what in ('fd/3', 'mem')]:
    try:
        print(os.open(path, os.O_RDWR), 'is open')
    except OSError as problem:
        print(problem.errno)
"""
    assert set(_beside_a_host(restricted, stage, code).split()) <= {"2", "6", "13"}


def test_calls_that_are_refused(room: Room, stage: Path) -> None:
    names = [name for name in (*seccomp._REFUSED, *seccomp._UNKNOWN) if number(name) < 100_000]
    there = {name: number(name) for name in names}
    found = python(room, stage, f"found = {{name: call(n, 0, 0, 0, 0, 0) for name, n in {there!r}.items()}}")
    assert {name: answer for name, answer in found.items() if answer not in ("EPERM", "ENOSYS")} == {}
    outcome = command(room, stage, "unshare", "-Ur", "true")
    assert outcome.status != 0


def test_no_typing_into_terminals(room: Room, stage: Path) -> None:
    """The runner has a terminal; the command can neither reach nor feed it."""
    leader, follower = os.openpty()
    try:
        found = python(
            room,
            stage,
            f"""
found = [refusal(os.open, path, os.O_RDWR) for path in ("/dev/tty", {os.ttyname(follower)!r}, "/dev/console")]
for request in (0x5412, 0x541C, 0x541D):
    for high in (0, 1 << 32):
        found += [call({number("ioctl")}, handle, request | high, 0) for handle in (0, 1, 2)]
""",
        )
        assert set(found) <= {"EPERM", "ENXIO", "ENOENT", "EACCES"}
        os.set_blocking(leader, False)
        with pytest.raises(BlockingIOError):
            os.read(leader, 1)
    finally:
        os.close(leader)
        os.close(follower)


def test_nothing_is_reached(room: Room, stage: Path) -> None:
    web = socket.create_server(("127.0.0.1", 0))
    web.settimeout(0.2)
    name = f"counterfoil-{os.getpid()}-{web.getsockname()[1]}"
    abstract = socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0{name}")
    abstract.listen()
    abstract.settimeout(0.2)
    port = web.getsockname()[1]
    found = python(
        room,
        stage,
        f"""
def reach(family, kind, address, number=0):
    with socket.socket(family, kind, number) as one:
        one.settimeout(2)
        one.connect(address)
        one.send(b"x")
        return "reached"
tcp, udp = socket.SOCK_STREAM, socket.SOCK_DGRAM
found = [refusal(reach, 2, tcp, ("127.0.0.1", {port})), refusal(reach, 2, tcp, ("169.254.169.254", 80)),
    refusal(reach, 2, udp, ("192.0.2.1", 53)), refusal(reach, 10, tcp, ("::ffff:127.0.0.1", {port})),
    refusal(reach, 1, tcp, "\\0{name}"), refusal(reach, 1, tcp, "/run/dbus/system_bus_socket"),
    refusal(reach, 1, tcp, "/var/run/docker.sock"), refusal(reach, 1, tcp, "/tmp/.X11-unix/X0"),
    refusal(socket.socket, 40, tcp), refusal(socket.socket, 17, socket.SOCK_RAW), refusal(socket.socket, 38, 5),
    refusal(socket.socket, 2, socket.SOCK_RAW, 1), refusal(socket.socket, 16, socket.SOCK_RAW, 9)]
try:
    found.append([str(one) for one in socket.getaddrinfo("secret.canary.test", 80)])
except OSError:
    found.append("EPERM")
""",
    )
    refusals = {
        "EPERM",
        "ECONNREFUSED",
        "ENETUNREACH",
        "ENOENT",
        "EAFNOSUPPORT",
        "EACCES",
        "EADDRNOTAVAIL",
        "EPROTONOSUPPORT",
    }
    assert set(found) <= refusals
    for listener in (web, abstract):
        with pytest.raises(TimeoutError):
            listener.accept()
        listener.close()


def test_no_special_files(room: Room, stage: Path) -> None:
    (stage / "plain").write_text("x")
    found = python(
        room,
        stage,
        """
def mode(path):
    return os.stat(path).st_mode & 0o6000 if os.path.exists(path) else 0
refusal(os.chmod, "plain", 0o4755)
refusal(os.chmod, "plain", 0o2755)
import tarfile, io
made = tarfile.TarInfo("unpacked")
made.mode, made.size = 0o4755, 1
with tarfile.open("t.tar", "w") as out:
    out.addfile(made, io.BytesIO(b"x"))
os.system("tar xpf t.tar 2>/dev/null")
found = [mode("plain"), mode("unpacked"), refusal(os.open, "a", os.O_WRONLY | os.O_CREAT, 0o4755), refusal(os.mkfifo, "f"),
    refusal(os.mknod, "d", stat.S_IFCHR | 0o600, 0), refusal(os.mknod, "s", stat.S_IFSOCK | 0o600)]
""",
    )
    assert found == [0, 0, "EPERM", "EPERM", "EPERM", "EPERM"]
    assert not any(path.stat().st_mode & 0o6000 for path in stage.iterdir())


def test_the_interpreter_cannot_be_changed(room: Room, stage: Path) -> None:
    before = Path(PYTHON).read_bytes()
    code = f"found = [refusal(os.open, p, os.O_WRONLY) for p in ('/proc/self/exe', {PYTHON!r})]"
    assert set(python(room, stage, code)) <= {"EROFS", "EACCES", "ENOENT", "EPERM", "ETXTBSY"}
    assert Path(PYTHON).read_bytes() == before


# ------------------------------------------------------------------------------------------------------------------ limits


@pytest.mark.parametrize(
    "line", ["while :; do :; done", "sleep 1000", "trap '' TERM INT HUP; sleep 1000 & wait; sleep 1000"]
)
def test_everything_ends_at_its_wall(room: Room, stage: Path, line: str) -> None:
    outcome = shell(room, stage, line, seconds=0.5)
    assert outcome.why == "it took longer than 0.5 seconds"
    assert outcome.isolation == room.measured.mark
    assert outcome.seconds < 60


def test_a_daemon_ends_with_its_command(room: Room, stage: Path) -> None:
    code = """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for n in range(100_000):
            open("alive", "w").write(str(n))
            time.sleep(0.005)
    os._exit(0)
while not os.path.exists("alive"):
    time.sleep(0.01)
found = 1
"""
    assert python(room, stage, code) == 1
    seen = (stage / "alive").read_text()
    time.sleep(0.1)
    assert (stage / "alive").read_text() == seen
    assert slots(room) == []


def test_a_killed_runner_leaves_no_command(room: Room, stage: Path) -> None:
    program = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom counterfoil.places import Home\n"
        "from counterfoil.policy.protection import BY_CODE\nfrom counterfoil.sandbox.levels import Measured\n"
        "from counterfoil.sandbox.commands import Command, run_command\n"
        "home, stage, code = sys.argv[1:]\n"
        "line = '(setsid sleep 600 &); touch started; sleep 600'\n"
        "work = run_command(Home(Path(home)), Measured(BY_CODE[code]), Path(stage), Command(('/bin/sh', '-c', line)))\n"
        "asyncio.run(work)\n"
    )
    runner = subprocess.Popen(
        [sys.executable, "-c", program, str(room.home.root), str(stage), room.measured.code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(APP), *sys.path])},
    )
    try:
        until((stage / "started").exists, "the command has begun")
        there = beneath(runner.pid)
        assert len(there) >= 3
    finally:
        runner.kill()
        runner.wait()
    until(lambda: not any(lives(pid) for pid in there), "everything beneath a killed runner is gone")
    for slot in slots(room):
        shutil.rmtree(slot)


BOMB = """
import time
made, stopped = 0, ""
try:
    while made < 600:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as problem:
    stopped = errno.errorcode[problem.errno]
time.sleep(60 if made >= 600 else 0)
print(stopped)
"""


def test_a_fork_bomb_is_stopped(room: Room, stage: Path) -> None:
    """By the kernel, or by the watchdog where it looks before the bomb has met the kernel's limit."""
    outcome = command(room, stage, PYTHON, "-I", "-c", "import os, errno\n" + BOMB)
    stopped = "it started more than 256 processes at once"
    if os.geteuid() == 0 or not room.measured.is_isolated:
        assert outcome.why == stopped
    else:
        assert (outcome.out, outcome.why) in (("EAGAIN\n", ""), ("EAGAIN\n", stopped), ("", stopped))


def test_memory_of_many_processes_is_watched(room: Room, stage: Path) -> None:
    code = """
import os, time
for _ in range(6):
    if os.fork() == 0:
        held = bytearray(b"x") * (450 << 20)
        time.sleep(60)
time.sleep(60)
"""
    outcome = command(room, stage, PYTHON, "-I", "-c", code)
    assert outcome.why == "it used more than 2 GB of memory"


def test_memory_that_no_process_maps_is_watched(isolated: Room, stage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files in memory that nobody maps are seen by the whole computer's figures only."""
    monkeypatch.setattr(watching, "MEMORY", 100 << 20)
    monkeypatch.setattr(watching, "_SCARCE", 1)
    code = "import os, time\nh = os.memfd_create('x')\nfor _ in range(400): os.write(h, bytes(1 << 20))\ntime.sleep(60)"
    outcome = command(isolated, stage, PYTHON, "-I", "-c", code)
    assert outcome.why == "the computer's memory ran out while it held much of it"


def test_programs_that_reserve_address_space_work_and_are_capped(
    room: Room, stage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if shutil.which("node", path="/usr/bin") is None:
        pytest.skip(f"level {room.level}: there is no node here to try")
    assert command(room, stage, "node", "-e", "console.log(6 * 7)").out == "42\n"
    monkeypatch.setattr(watching, "MEMORY", 1 << 29)  # so that it is soon there on a busy computer, too
    hoard = "const held = []; for (;;) held.push(Buffer.alloc(64 << 20, 1))"
    assert command(room, stage, "node", "-e", hoard).why == "it used more than 0.5 GB of memory"


def test_a_stage_that_is_filled_ends_its_command(room: Room, stage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "STAGE_FILES", 3_000)
    monkeypatch.setattr(watching, "_HINT_FILES", 500)
    monkeypatch.setattr(watching, "WALK_EVERY", 0.2)
    code = "import os\nfor n in range(10**6):\n os.close(os.open(f't{n}', os.O_CREAT | os.O_WRONLY))"
    assert command(room, stage, PYTHON, "-I", "-c", code).why == "it made more than 3,000 files"
    shutil.rmtree(stage)
    stage.mkdir()
    monkeypatch.setattr(watching, "STAGE_BYTES", 20 << 20)
    code = "for n in range(300):\n open(f'b{n}', 'wb').write(bytes(1 << 20))\nimport time; time.sleep(60)"
    assert "of files" in command(room, stage, PYTHON, "-I", "-c", code).why


def test_the_disk_keeps_a_floor(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Path("/dev/shm") / f"counterfoil-{os.getpid()}"
    folder.mkdir()
    try:
        free = os.statvfs(folder).f_bavail * os.statvfs(folder).f_frsize
        monkeypatch.setattr(watching, "_floor", lambda _: free - (40 << 20))
        code = "for n in range(1000):\n open(f'b{n}', 'wb').write(bytes(1 << 20))\nimport time; time.sleep(60)"
        outcome = command(room, stage_in(folder), PYTHON, "-I", "-c", code)
        assert outcome.why.startswith("it left less than")
    finally:
        shutil.rmtree(folder)


def test_a_floor_is_never_more_than_there_is(tmp_path: Path) -> None:
    disk = os.statvfs(tmp_path)
    free = disk.f_bavail * disk.f_frsize
    assert watching._floor(disk) <= free * 3 // 4
    assert watching.Watch(tmp_path).look(os.getpid()) is None


def test_files_end_somewhere(room: Room, stage: Path) -> None:
    code = "h = os.open('big', os.O_RDWR | os.O_CREAT)\nfound = [refusal(os.truncate, h, 1 << 40), refusal(os.pwrite, h, b'x', 1 << 40)]"
    assert python(room, stage, code) == ["EFBIG", "EFBIG"]


# ------------------------------------------------------------------------------------------------------------------ output


def test_output_without_end(room: Room, stage: Path) -> None:
    outcome = command(room, stage, "cat", "/dev/zero")
    assert outcome.why == "it wrote more than 64 MB of output"
    assert len(outcome.out) < 8 * 1024 * 1024


def test_only_the_end_of_long_output_is_kept(room: Room, stage: Path) -> None:
    outcome = command(room, stage, PYTHON, "-I", "-c", "import sys; sys.stdout.write('x' * 3_000_000 + 'end')")
    assert outcome.why == ""
    assert outcome.out.startswith("[1,951,427 bytes before this are not kept]\n")
    assert outcome.out.endswith("xend")
    assert len(outcome.out) < 1_100_000


@pytest.mark.parametrize(
    "raw, shown",
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]52;c;aGVsbG8=\x1b\\x", "x"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1bPq#0;2;0;0;0\x1b\\x\x9b31m", "x"),
        ("bell\x07 back\x08 nul\0", "bell\\u0007 back\\u0008 nul\\u0000"),
        ("pay \u202eRUE 01\u202c", "pay \\u202eRUE 01\\u202c"),
        ("tab\there", "tab\there"),
        ("\x1b[", ""),
        ("\x1b]never ends", ""),
    ],
)
def test_output_is_made_harmless(raw: str, shown: str) -> None:
    assert readable(raw) == shown


def test_hostile_output_takes_no_time_to_speak_of() -> None:
    """Quadratic matching would take hours here."""
    for piece in ("\x1b[", "\x1b]", "\x1b[0;", "\x1bP\x1b", "\x9b", "\r", "\u202e"):
        assert isinstance(readable(piece * 300_000), str)


def test_a_ring_keeps_what_came_last() -> None:
    ring = Ring(10)
    assert not any(ring.feed(bytes([n])) for n in range(100))
    assert ring.held == bytes(range(90, 100))
    assert ring.total == 100
    assert not ring.feed(b"x" * 50)
    assert ring.held == b"x" * 10


# -------------------------------------------------------------------------------------------------------- what must work


def test_honest_work(isolated: Room, stage: Path) -> None:
    found = python(
        isolated,
        stage,
        """
import asyncio, multiprocessing, sqlite3, tempfile, subprocess
base = sqlite3.connect("x.db")
base.execute("PRAGMA journal_mode=WAL")
base.execute("create table t (x)")
base.execute("insert into t values (7)")
base.commit()
rows = base.execute("select x from t").fetchall()
os.makedirs("a/b")
os.rename("a", "c")
os.symlink("c/b", "link")
os.link("note.txt", "hard")
os.chmod("note.txt", 0o755)
def work(queue):
    queue.put(6 * 7)
context = multiprocessing.get_context("fork")
queue = context.Queue()
process = context.Process(target=work, args=(queue,))
process.start()
answer = queue.get(timeout=30)
process.join()
async def ask():
    child = await asyncio.create_subprocess_exec("/usr/bin/env", "echo", "hi", stdout=-1)
    return (await child.communicate())[0].decode()
with tempfile.TemporaryDirectory() as folder:
    open(folder + "/x", "w").write("x")
found = [rows, answer, asyncio.run(ask()), os.path.samefile("note.txt", "hard"), os.path.isdir("link")]
""",
    )
    assert found == [[[7]], 42, "hi\n", True, True]


def test_git_works_inside(isolated: Room, stage: Path) -> None:
    if shutil.which("git", path="/usr/bin") is None:
        pytest.skip("level L3: there is no git here to try")
    line = "git init -q . && git add note.txt && git -c user.name=x -c user.email=x@example.org commit -qm x && git log --oneline | wc -l"
    outcome = shell(isolated, stage, line)
    assert outcome.out.strip() == "1", outcome


def test_a_wheel_is_installed_inside(isolated: Room, stage: Path) -> None:
    if subprocess.run([PYTHON, "-I", "-m", "pip", "-V"], capture_output=True, check=False).returncode:
        pytest.skip("level L3: this Python has no pip to try")
    with zipfile.ZipFile(stage / "tiny-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("tiny.py", "answer = 42\n")
        wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tiny\nVersion: 1.0\n")
        wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr("tiny-1.0.dist-info/RECORD", "")
    words = ("-I", "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-cache-dir", "-t", "here")
    outcome = command(isolated, stage, PYTHON, *words, "tiny-1.0-py3-none-any.whl")
    assert outcome.status == 0, outcome.err
    assert (stage / "here/tiny.py").read_text() == "answer = 42\n"


def test_many_commands_at_once(isolated: Room, stage: Path) -> None:
    async def all_of_them() -> list[str]:
        works = [
            run_command(
                isolated.home, isolated.measured, stage, Command(("/bin/sh", "-c", f"echo {n} > f{n}; echo {n}"))
            )
            for n in range(12)
        ]
        return [outcome.out for outcome in await asyncio.gather(*works)]

    assert run(all_of_them()) == [f"{n}\n" for n in range(12)]
    assert {path.name for path in stage.iterdir()} == {"note.txt", *(f"f{n}" for n in range(12))}
    assert slots(isolated) == []


def test_a_command_that_is_given_up_is_ended(room: Room, stage: Path) -> None:
    async def given_up() -> None:
        work = asyncio.ensure_future(
            run_command(room.home, room.measured, stage, Command(("/bin/sh", "-c", "touch begun; sleep 600")))
        )
        await asyncio.to_thread(until, (stage / "begun").exists, "the command has begun")
        work.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await work

    run(given_up())
    assert slots(room) == []
    assert not [pid for pid in beneath(os.getpid()) if lives(pid) and _is_asleep(pid)]


def _is_asleep(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"sleep" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def test_the_signal_of_a_command_is_told(room: Room, stage: Path) -> None:
    assert shell(room, stage, "kill -SEGV $$").status in (128 + signal.SIGSEGV, -signal.SIGSEGV)
