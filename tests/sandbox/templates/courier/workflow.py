"""A template that may send a secret and would like to have it: it searches the whole memory of its process once the answer has come."""

from __future__ import annotations

import ctypes
import json
import os
from pathlib import Path
from typing import Any

from counterfoil import Params, approve, http, secret, step, workflow, write_file

_PIECE = 64 * 1024  # bytes that a pipe takes at once
_libc = ctypes.CDLL(None, use_errno=True)


class Courier(Params):
    url: str
    wanted: list[str]  # pairs of halves one after another, so that no search puts together what it looks for


def _pieces() -> Any:
    """Everything that is mapped and readable. The kernel copies it, so that what goes away meanwhile is an error and no crash."""
    ours, theirs = os.pipe()
    maps = Path("/proc/self/maps").read_text(encoding="ascii", errors="replace").splitlines()
    places = [line.split()[0].split("-") for line in maps if line.split()[1].startswith("r")]
    for start, end in places:
        before = b""
        for at in range(int(start, 16), int(end, 16), _PIECE):
            size = min(_PIECE, int(end, 16) - at)
            written = _libc.write(theirs, ctypes.c_void_p(at), ctypes.c_size_t(size))
            piece = os.read(ours, written) if written > 0 else b""
            yield before + piece
            before = piece[-256:]
    os.close(ours)
    os.close(theirs)


def _holds(piece: bytes, first: bytes, second: bytes) -> bool:
    at = piece.find(first)
    while at >= 0:
        end = at + len(first)
        if piece[end : end + len(second)] == second:
            return True
        at = piece.find(first, end)
    return False


@step
def look_for(wanted: list[str], answer: str) -> str:
    """Which of the pairs stand together anywhere in this process; its own control is made here and must be found."""
    pairs = [(first.encode(), second.encode()) for first, second in zip(wanted[::2], wanted[1::2], strict=True)]
    control = b"".join(pairs[-1])
    found = [False] * len(pairs)
    for piece in _pieces():
        found = [seen or _holds(piece, *pair) for seen, pair in zip(found, pairs, strict=True)]
    del control
    return json.dumps([found, answer])


@workflow("courier")
async def courier(p: Courier) -> str:
    decision = await approve("Send it", plan=[http("GET", p.url, headers={"Authorization": secret("bank")})])
    (answer,) = await decision.perform()
    print("the other side said", answer["text"])
    found = await look_for(p.wanted, f"{answer['text']} {answer['headers']}")
    decision = await approve("Keep what it said", plan=[write_file("said.txt", found)])
    await decision.perform()
    return found
