"""Connectors' servers: real programs in their sandboxes, honest and hostile ones (T74, and T20, T26 as they concern servers)."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from counterfoil.policy.protection import NONE, WEAK
from counterfoil.sandbox import bwrap, servers
from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Unfit
from counterfoil.sandbox.levels import Measured
from counterfoil.sandbox.servers import Server, ServerFacts, ServerStopped
from sandbox.rooms import Room, beneath, lives
from sandbox.trying import PYTHON, run, stage_in

ECHO = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    kind, value = message["ask"], message.get("value")
    try:
        if kind == "echo": answer = value
        elif kind == "read": answer = open(value).read()
        elif kind == "write": answer = open(value, "w").write("x")
        elif kind == "list": answer = sorted(os.listdir(value))
        elif kind == "environment": answer = dict(os.environ)
        elif kind == "pid": answer = os.getpid()
    except OSError as problem:
        answer = problem.errno
    print(json.dumps({"answer": answer}), flush=True)
"""


def facts(folder: Path, code: str = ECHO, **more: Any) -> ServerFacts:
    """A server of our own, its code in a folder."""
    place = folder.resolve() / "code"
    place.mkdir(exist_ok=True)
    (place / "server.py").write_text(code)
    words = (PYTHON, "-I", str(place / "server.py"))
    return ServerFacts("files", words, (place,), by_hand=True, **more)


@asynccontextmanager
async def started(room: Room, given: ServerFacts) -> AsyncIterator[Server]:
    server = await Server.start(room.home, room.measured, given)
    try:
        yield server
    finally:
        await server.stop()


async def ask(server: Server, kind: str, value: Any = None) -> Any:
    """One question and its answer."""
    await server.send({"ask": kind, "value": value})
    return (await server.receive(30))["answer"]


def test_a_server_is_spoken_to(room: Room, tmp_path: Path) -> None:
    async def talk() -> None:
        async with started(room, facts(tmp_path, settings={"REGION": "eu"})) as server:
            for value in ("hello", "ü\u2028\n", "x" * 3_000_000, [1, {"a": None}]):
                assert await ask(server, "echo", value) == value
            told = await ask(server, "environment")
            assert set(told) - {"LC_CTYPE"} == {*bwrap.ENVIRONMENT, "REGION"}
            assert told["REGION"] == "eu"
            assert server.noise == 0
            pids = [pid for pid in beneath(os.getpid()) if lives(pid)]
            assert pids
        assert not any(lives(pid) for pid in pids)
        with pytest.raises(ServerStopped, match="files was stopped: it was stopped"):
            await server.send({"ask": "echo"})

    run(talk())
    assert list((room.home.run / "slots").iterdir()) == []


def test_a_server_sees_its_own_code_and_nothing_of_others(room: Room, tmp_path: Path) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    for folder in (first, second):
        folder.mkdir()
    stage = stage_in(tmp_path)

    async def look() -> list[Any]:
        host = await Host.start(room.home, room.measured, room.workspace)
        pids = [host.pid, *beneath(host.pid)]
        try:
            async with started(room, facts(first)) as a, started(room, facts(second)) as b:
                scratch = (await ask(b, "environment"))["TMPDIR"]
                assert await ask(b, "write", f"{scratch}/secret") == 1
                assert await ask(b, "read", f"{scratch}/secret") == "x"
                wanted = [
                    f"{scratch}/secret",
                    str(second / "code/server.py"),
                    str(stage / "note.txt"),
                    str(room.home.database),
                ]
                wanted += [f"/proc/{pid}/{what}" for pid in pids if pid > 40 for what in ("mem", "environ", "fd/3")]
                assert await ask(a, "read", str(first / "code/server.py")) == ECHO
                return [await ask(a, "read", path) for path in wanted] + [
                    await ask(a, "write", str(first / "code/server.py")),
                    await ask(a, "write", str(stage / "x")),
                ]
        finally:
            host.kill()
            await host.ended()

    assert set(run(look())) <= {2, 13, 30}
    assert sorted(path.name for path in stage.iterdir()) == ["note.txt"]


@pytest.mark.parametrize("writable", [True, False])
def test_the_stage_is_given_where_it_is_declared(room: Room, tmp_path: Path, writable: bool) -> None:
    stage = stage_in(tmp_path)
    inside = bwrap.JOB if room.measured.is_isolated else stage

    async def use() -> tuple[Any, Any]:
        async with started(room, facts(tmp_path, stage=stage, stage_writable=writable)) as server:
            return await ask(server, "read", f"{inside}/note.txt"), await ask(server, "write", f"{inside}/new")

    text, written = run(use())
    assert text == "here"
    assert written == 1 if writable else written in (13, 30)
    assert (stage / "new").exists() == writable


@pytest.mark.parametrize(
    "code, why",
    [
        ("while True: print('Listening on port 3000…')", "it writes other things than messages"),
        ("import sys\nwhile True: sys.stdout.write('x' * 65536)", "it wrote a line longer than 16 MB"),
        ("print('{\"a\": ' + '[' * 100_000 + ']' * 100_000 + '}'); raise SystemExit(3)", "it ended by itself"),
        ("while True: print('{\"a\": 1}')", "it said more than anybody asked for"),
        ("import sys\nwhile True: sys.stderr.write('x' * 65536)", "it wrote more than 64 MB of errors"),
        ("raise SystemExit(1)", "it ended by itself"),
        ("import time\ntime.sleep(100)", "it did not answer within 1 seconds"),
        ("print('{\"a\": NaN}'); import time; time.sleep(100)", "it did not answer within 1 seconds"),
    ],
)
def test_a_hostile_server_is_stopped_with_the_reason(room: Room, tmp_path: Path, code: str, why: str) -> None:
    async def wait() -> str:
        async with started(room, facts(tmp_path, code)) as server:
            await asyncio.sleep(0.3 if "anybody" in why else 0)
            patience = 1 if "within" in why else 60
            with pytest.raises(ServerStopped) as caught:  # noqa: PT012 - what it has said before is taken first
                while True:
                    await server.receive(patience)
            return str(caught.value)

    assert run(wait()) == f"files was stopped: {why}."
    assert list((room.home.run / "slots").iterdir()) == []


def test_a_server_that_does_not_listen(room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(servers, "PATIENCE", 1.0)

    async def shout() -> str:
        async with started(room, facts(tmp_path, "import time\ntime.sleep(100)")) as server:
            with pytest.raises(ServerStopped) as caught:  # noqa: PT012 - the first ones fit into the pipe
                for _ in range(100):
                    await server.send({"x": "y" * 1_000_000})
            return str(caught.value)

    assert run(shout()) == "files was stopped: it does not listen."


def test_some_noise_is_counted_and_forgiven(room: Room, tmp_path: Path) -> None:
    async def talk() -> tuple[Any, int, str]:
        code = "print('starting')\nprint('[1, 2]')\nimport sys\nprint('oh \\x1b[31mno', file=sys.stderr)\n" + ECHO
        async with started(room, facts(tmp_path, code)) as server:
            return await ask(server, "echo", 1), server.noise, server.errors

    assert run(talk()) == (1, 2, "oh no\n")


@pytest.mark.parametrize(
    "name", ["PATH", "LD_PRELOAD", "PYTHONPATH", "NODE_OPTIONS", "GIT_DIR", "HTTPS_PROXY", "a", "A=B", "BASH_ENV"]
)
def test_settings_that_a_server_cannot_have(room: Room, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="cannot be given"):
        run(Server.start(room.home, room.measured, facts(tmp_path, settings={name: "x"})))


def test_a_program_that_is_not_there(room: Room) -> None:
    with pytest.raises(ServerStopped, match="there is no such program here: npx-of-nowhere"):
        run(Server.start(room.home, room.measured, ServerFacts("files", ("npx-of-nowhere",), by_hand=True)))


def test_servers_of_others_are_off_below_isolated(restricted: Room, tmp_path: Path) -> None:
    given = facts(tmp_path)
    off = ServerFacts(given.name, given.argv, given.code)
    with pytest.raises(Unfit, match="connectors of others are off"):
        run(Server.start(restricted.home, restricted.measured, off))
    for level in (WEAK, NONE):
        with pytest.raises(Unfit, match="connectors of others are off"):
            run(Server.start(restricted.home, Measured(level), given))
    with pytest.raises(Unfit, match="no way out"):
        run(Server.start(restricted.home, restricted.measured, facts(tmp_path, network=tmp_path / "x")))
