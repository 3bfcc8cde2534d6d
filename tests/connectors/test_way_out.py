"""The way out of a connector's server: exact hosts, public addresses, and nothing else (T37, T38, T39)."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from counterfoil.connectors import way_out
from counterfoil.connectors.way_out import WayOut, host_of, is_public
from counterfoil.sandbox.servers import Server
from sandbox.conftest import *  # noqa: F403 - the same rooms
from sandbox.rooms import Room
from sandbox.test_servers import facts
from sandbox.trying import run

PUBLIC = "93.184.215.14"


class Outside:
    """A host that is reached by its name; `heard` is what it was told."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self.asked: list[str] = []
        self.port = 0

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(b"")
        while data := await reader.read(1000):
            self.heard[-1] += data
            writer.write(b"you said " + data)
            await writer.drain()
        writer.close()

    async def resolve(self, name: str, port: int) -> list[str]:
        """All names lead to this computer, as after a rebinding."""
        self.asked.append(name)
        return ["127.0.0.1"]


@asynccontextmanager
async def outside() -> AsyncIterator[Outside]:
    host = Outside()
    server = await asyncio.start_server(host.connected, "127.0.0.1", 0)
    host.port = server.sockets[0].getsockname()[1]
    try:
        yield host
    finally:
        server.close()


async def ask(way: WayOut, request: bytes, then: bytes = b"") -> bytes:
    """What comes back from the proxy's socket."""
    reader, writer = await asyncio.open_unix_connection(str(way.socket))
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    if then:
        writer.write(then)
        writer.write_eof()
        head += await asyncio.wait_for(reader.read(10_000), 60)
    writer.close()
    return head


def connect(target: str | bytes) -> bytes:
    """A request for a tunnel."""
    return b"CONNECT " + (target if isinstance(target, bytes) else target.encode()) + b" HTTP/1.1\r\nHost: x\r\n\r\n"


async def answers(
    folder: Path, hosts: Iterable[str], targets: Iterable[str | bytes]
) -> tuple[list[bytes], WayOut, Outside]:
    """The status of each request where every name leads to this computer."""
    async with outside() as host:
        way = await WayOut(folder, hosts, resolve=host.resolve).open()
        try:
            return [(await ask(way, connect(target))).split()[1] for target in targets], way, host
        finally:
            await way.close()


def test_no_declared_host_means_no_request(tmp_path: Path) -> None:
    targets = ["example.org:443", "localhost:80", "127.0.0.1:80", ":443"]
    statuses, way, host = run(answers(tmp_path, [], targets))
    assert set(statuses) == {b"403"}
    assert (host.heard, host.asked) == ([], [])
    assert len(way.refused) == 4
    assert "example.org:443 is none of its hosts" in way.refused
    assert not way.socket.exists()


HOSTILE = [
    "example.org.:443", "EXAMPLE.org:443", "user@example.org:443", "example.org@evil.test:443", "evil.test\0.example.org:443",
    "sub.example.org:443", "example.org.evil.test:443", "evilexample.org:443", "xn--exmple-cua.org:443", "exämple.org:443",
    "example.org:80", "example.org:0443", "example.org:99999999", "example.org:", "example.org:443:443", "2130706433:443",
    "0177.0.0.1:443", "0x7f.1:443", "127.0.0.1:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "example.org/../:443", "*:443", "-:443",
    "example。org:443", "example.org%00.evil.test:443", "example.org\t:443",
]  # fmt: skip


def test_other_spellings_of_a_host_are_refused(tmp_path: Path) -> None:
    statuses, _, host = run(answers(tmp_path, ["example.org"], HOSTILE))
    assert set(statuses) <= {b"403", b"405", b"400"}
    assert (host.heard, host.asked) == ([], [])


def test_a_name_that_leads_home_is_refused_after_it_was_resolved(tmp_path: Path) -> None:
    statuses, way, host = run(answers(tmp_path, ["example.org"], ["example.org", "example.org:443"]))
    assert statuses == [b"403", b"403"]
    assert host.asked == ["example.org", "example.org"]
    assert host.heard == []
    assert way.refused[0] == "example.org leads to 127.0.0.1, which is not on the public internet"


@pytest.mark.parametrize(
    "request_",
    [
        b"GET http://example.org/ HTTP/1.1\r\n\r\n",
        b"CONNECT example.org:443\r\n\r\n",
        b"CONNECT example.org:443 HTTP/1.1\r\nX: a\0b\r\n\r\n",
        b"CONNECT example.org:443 HTTP/1.1\r\nX: a\nY: b\r\n\r\n",
        b"connect example.org:443 HTTP/1.1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: 1\r\n\r\n",
        b"\x16\x03\x01\r\n\r\n",
        b"CONNECT " + b"a" * 9000 + b".org:443 HTTP/1.1\r\n\r\n",
    ],
)
def test_other_requests_are_refused(tmp_path: Path, request_: bytes) -> None:
    async def answered() -> bytes:
        way = await WayOut(tmp_path, ["example.org"]).open()
        try:
            return await ask(way, request_)
        finally:
            await way.close()

    assert run(answered()).split()[1] in (b"405", b"400")


@pytest.mark.parametrize(
    "address",
    """127.0.0.1 10.0.0.1 172.16.0.1 192.168.1.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 255.255.255.255 192.0.2.1 ::1 :: fe80::1
    fe80::1%eth0 fc00::1 fd00:ec2::254 ::ffff:127.0.0.1 ::ffff:8.8.8.8
    64:ff9b::7f00:1 64:ff9b::a00:1 2002:7f00:1:: ff02::1 nonsense""".split(),
)  # fmt: skip
def test_addresses_that_are_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "64:ff9b::808:808"])
def test_addresses_that_are_public(address: str) -> None:
    assert is_public(address)


def test_the_one_spelling_of_a_host() -> None:
    assert host_of("api.example-1.org") == ("api.example-1.org", 443)
    assert host_of("a.bc:8443") == ("a.bc", 8443)
    for bad in ("localhost", "a..b", "a.b.", "A.b", "a.b:0", "1.2", "a_b.c", "", ".", "a" * 300 + ".org"):
        with pytest.raises(ValueError, match="spelling"):
            host_of(bad)


def test_a_changed_list_takes_away_and_never_gives(tmp_path: Path) -> None:
    async def changed() -> list[str]:
        async with outside() as host:
            way = await WayOut(tmp_path, ["a.example", "b.example"], resolve=host.resolve).open()
            seen = []
            for now in (["a.example", "c.example"], ["a.example", "b.example", "c.example"], []):
                way.narrow(now)
                seen += [(await ask(way, connect(f"{name}.example"))) for name in "abc"]
            await way.close()
            assert set(host.asked) == {"a.example"}
            return way.refused

    assert sum("none of its hosts" in why for why in run(changed())) == 7


def test_a_tunnel_carries_both_ways_up_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(way_out, "is_public", lambda _: True)

    async def talk(size: int) -> bytes:
        async with outside() as host:
            hosts = [f"a.example:{host.port}"]
            way = await WayOut(tmp_path, hosts, resolve=host.resolve, bytes_per_tunnel=size).open()
            try:
                return await ask(way, connect(hosts[0]), b"hello" * 20)
            finally:
                await way.close()

    assert run(talk(10_000)).endswith(b"\r\n\r\nyou said " + b"hello" * 20)
    assert len(run(talk(50)).partition(b"\r\n\r\n")[2]) <= 50


def test_a_socket_beneath_a_long_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("x" * 100) / ("y" * 100)
    deep.mkdir(parents=True)

    async def there() -> bool:
        way = await WayOut(deep, []).open()
        seen = way.socket.is_socket()
        await way.close()
        return seen

    assert run(there())


REACHING = """
import http.client, json, socket, sys
def tunnel(target):
    name, _, port = target.partition(":")
    try:
        one = http.client.HTTPConnection("127.0.0.1", 8118, timeout=60)
        one.set_tunnel(name, int(port))
        one.connect()
        one.sock.sendall(b"hello")
        one.sock.shutdown(socket.SHUT_WR)
        return one.sock.makefile("rb").read().decode()
    except OSError as problem:
        return str(problem)
def direct(target):
    name, _, port = target.partition(":")
    try:
        socket.create_connection((name, int(port)), 5)
        return "reached"
    except OSError:
        return "refused"
import os
for line in sys.stdin:
    message = json.loads(line)
    answers = [tunnel(message["open"]), tunnel(message["shut"]), direct(message["local"]), os.environ["HTTPS_PROXY"]]
    print(json.dumps({"answers": answers}), flush=True)
"""


def test_a_server_reaches_what_was_declared_and_nothing_else(
    isolated: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(way_out, "is_public", lambda _: True)

    place = tmp_path.resolve()

    async def talk() -> tuple[list[str], list[bytes], list[str]]:
        async with outside() as host:
            hosts = [f"a.example:{host.port}"]
            way = await WayOut(place, hosts, resolve=host.resolve).open()
            server = await Server.start(isolated.home, isolated.measured, facts(tmp_path, REACHING, network=way.socket))
            await server.send({"open": hosts[0], "shut": f"b.example:{host.port}", "local": f"127.0.0.1:{host.port}"})
            answers = (await server.receive(60))["answers"]
            await server.stop()
            await way.close()
            return answers, host.heard, way.refused

    answers, heard, refused = run(talk())
    assert answers[0] == "you said hello"
    assert "403" in answers[1]
    assert answers[2:] == ["refused", "http://127.0.0.1:8118"]
    assert heard == [b"hello"]
    assert len(refused) == 1
