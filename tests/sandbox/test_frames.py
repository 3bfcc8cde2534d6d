"""A workflow that writes to its host's socket by itself: whatever it sends, its run is set aside and nothing else happens (T65)."""

import json

import pytest

from counterfoil.engine.frames import HEAD, pack
from counterfoil.facts import RunState
from counterfoil.store import gates, records
from sandbox.rooms import Room


def raw(header: bytes, tail: bytes = b"") -> bytes:
    """A frame whose header need be no JSON."""
    return HEAD.pack(len(header), len(tail)) + header + tail


FORGED: dict[str, bytes | tuple[bytes, int]] = {
    "a header of 100 MiB": HEAD.pack(100 << 20, 0),
    "a tail of 100 MiB": HEAD.pack(2, 100 << 20) + b"{}",
    "deep JSON": raw(b'{"t":' + b"[" * 2000 + b"]" * 2000 + b"}"),
    "no JSON": raw(b"{"),
    "no object": raw(b"[]"),
    "no UTF-8": raw(b'{"t": "\xff\xfe"}'),
    "not a number": raw(b'{"i": 9, "t": "step", "p": "", "o": NaN}'),
    "a NUL": raw(json.dumps({"i": 9, "t": "s\0tep", "p": "\0", "o": 0}).encode()),
    "an approval": pack({"i": 9, "t": "decision", "gate": "0" * 32, "verdict": "approved", "by": "user:anna"}),
    "a seal": pack({"i": 9, "t": "seal", "gate": "0" * 32, "items": [0]}),
    "an answer instead of a question": pack({"i": 9, "ok": True, "verdict": "approved"}),
    "another run": pack({"i": 9, "t": "start", "run": {"run_id": "f" * 32}}),
    "the runner's own frames": pack({"t": "confine", "readable": ["/"], "writable": ["/"], "tried": [], "known": []}),
    "ten thousand at once": (pack({"i": 9, "t": "fetch", "sha": "0" * 64}), 10_000),
    "one number twice": pack({"i": 1, "t": "no such thing"}) * 2,
    "noise": bytes(range(256)) * 64,
}


@pytest.mark.parametrize("what", FORGED)
def test_forged_frames_set_the_run_aside_and_do_nothing(isolated: Room, what: str) -> None:
    _sent(isolated, FORGED[what])


def test_the_same_where_restricted(restricted: Room) -> None:
    _sent(restricted, FORGED["an approval"])


def _sent(room: Room, given: bytes | tuple[bytes, int]) -> None:
    one, times = given if isinstance(given, tuple) else (given, 1)
    code = f"""
import time
left = memoryview(bytes.fromhex({one.hex()!r}) * {times})
while left:
    try:
        left = left[os.write(3, left):]
    except BlockingIOError:
        time.sleep(0.001)
time.sleep(600)
found = 1
"""
    run_id = room.start(code)
    row = room.advance(run_id)
    assert row["state"] == RunState.WAITING
    (gate,) = gates.open_of_runs(room.database.reader, [run_id])
    assert gate["kind"] == "failure"
    assert "broke the rules" in room.asked(run_id)
    assert records.count(room.database.reader, run_id) == 0
    assert gates.decisions(room.database.reader, gate["gate_id"]) == []
