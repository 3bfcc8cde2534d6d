"""Records travel to a host in pages, and no text of theirs can make a page larger than a frame may be."""

import json
from pathlib import Path

import pytest

from counterfoil.authoring.machine import RunFacts
from counterfoil.engine.frames import Unpacker
from counterfoil.engine.replaying import Opening, Recorded
from counterfoil.places import Home
from counterfoil.policy.protection import NONE
from counterfoil.sandbox.hosts import Host
from counterfoil.sandbox.launching import Cell, Slot
from counterfoil.sandbox.levels import Measured

LONGEST = 4096  # characters that are sent with a record; longer ones are fetched


class Wire:
    """Collects what is written."""

    def __init__(self) -> None:
        self.data = b""

    def is_closing(self) -> bool:
        return False

    def write(self, data: bytes) -> None:
        self.data += data


@pytest.mark.parametrize("character", ["a", '"', "\x01", "ü", "𝄞", "\ud800"], ids=lambda sign: f"{ord(sign):x}")
def test_pages_keep_within_a_frame(character: str, tmp_path: Path) -> None:
    rows = {
        ("1/2/3/4", n): Recorded("step", "name", "d" * 64, "ok", character * LONGEST if n % 2 else None, 2**53)
        for n in range(999_700, 1_000_000)
    }
    home = Home(tmp_path)
    host, wire = Host(Cell(Measured(NONE), Slot(home), home)), Wire()
    host._transport = wire  # type: ignore[assignment]  # two methods of a transport are used
    host._send_records(Opening(RunFacts("r", 1, "t", "v", "w", 0), "seed", "{}", rows))

    pages = list(Unpacker().feed(wire.data))
    assert [header["last"] for header, _ in pages] == [False] * (len(pages) - 1) + [True]
    found = [row for _, tail in pages for row in json.loads(tail.decode("utf-8", "surrogatepass"))]
    assert {(path, ordinal): Recorded(*rest) for path, ordinal, *rest in found} == rows
