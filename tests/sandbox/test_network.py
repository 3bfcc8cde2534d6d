"""No network and no sockets of others: T33 to T36."""

import socket
import threading
from collections.abc import Generator

import pytest

from sandbox.rooms import Room


@pytest.fixture
def heard() -> Generator[tuple[int, str, list[str]]]:
    """A listener on loopback and one on an abstract name, and what they have heard."""
    said: list[str] = []
    web = socket.create_server(("127.0.0.1", 0))
    abstract = socket.socket(socket.AF_UNIX)
    name = f"counterfoil-canary-{web.getsockname()[1]}"
    abstract.bind(f"\0{name}")
    abstract.listen()

    def listen(server: socket.socket, what: str) -> None:
        while True:
            try:
                server.accept()[0].close()
            except OSError:
                return
            said.append(what)

    threads = [threading.Thread(target=listen, args=pair) for pair in ((web, "tcp"), (abstract, "abstract"))]
    for thread in threads:
        thread.start()
    yield web.getsockname()[1], name, said
    for server in (web, abstract):
        server.shutdown(socket.SHUT_RDWR)
        server.close()
    for thread in threads:
        thread.join()


def test_no_socket_of_any_kind(room: Room, heard: tuple[int, str, list[str]]) -> None:
    families = {"unix": 1, "inet": 2, "inet6": 10, "netlink": 16, "packet": 17, "alg": 38, "vsock": 40}
    found = room.inside(
        f"""
found = {{name: refusal(socket.socket, family, kind) for name, family in {families!r}.items() for kind in (1, 2, 3)}}
"""
    )
    assert set(found.values()) <= {"EPERM"}


def test_nothing_is_reached(room: Room, heard: tuple[int, str, list[str]]) -> None:
    port, name, said = heard
    found = room.inside(
        f"""
def connect(family, address):
    with socket.socket(family) as one:
        one.connect(address)
found = [refusal(connect, 2, ("127.0.0.1", {port})), refusal(connect, 2, ("169.254.169.254", 80)),
    refusal(connect, 10, ("::1", {port})), refusal(connect, 10, ("::ffff:127.0.0.1", {port})),
    refusal(connect, 1, "\\0{name}"), refusal(connect, 1, "/run/dbus/system_bus_socket"),
    refusal(connect, 1, "/var/run/docker.sock"), refusal(connect, 1, "/tmp/.X11-unix/X0")]
"""
    )
    assert set(found) == {"EPERM"}
    assert said == []


def test_no_name_is_resolved(room: Room) -> None:
    found = room.inside(
        "try:\n    found = [str(one) for one in socket.getaddrinfo('secret.canary.test', 80)]\nexcept OSError as problem:\n    found = []"
    )
    assert found == []


def test_only_connected_pairs(room: Room) -> None:
    found = room.inside(
        "found = [isinstance(refusal(socket.socketpair), str), refusal(socket.socketpair, 1, 2), refusal(socket.socketpair, 16, 1)]"
    )
    assert found == [False, "EPERM", "EPERM"]
