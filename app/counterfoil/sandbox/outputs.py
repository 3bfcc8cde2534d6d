"""What a program of others writes: the end of it is kept, most of it is thrown away, and too much of it ends the program."""

from __future__ import annotations

import re

from counterfoil.policy.boundaries import visible

KEPT = 1024 * 1024  # bytes of a stream that are kept, its newest
END = 64 * 1024 * 1024  # bytes of a stream after which the program is ended
# Escape sequences as terminals read them; each alternative is read in one go, so that no text takes long.
_SEQUENCES = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # colours, positions
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?"  # titles, links, the clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)?"  # strings for devices
    r"|\x1b[ -/]*[0-~]?"
)


class Ring:
    """One stream: its newest bytes, and how many there were in all."""

    def __init__(self, kept: int = KEPT) -> None:
        self.total = 0
        self._kept = kept
        self._held = bytearray()

    def feed(self, data: bytes) -> bool:
        """Take more; whether it is too much by now."""
        self.total += len(data)
        self._held += data[-self._kept :]
        if (
            len(self._held) > 2 * self._kept
        ):  # cut seldom: moving bytes at every piece would take longer than reading them
            del self._held[: -self._kept]
        return self.total > END

    @property
    def held(self) -> bytes:
        """The bytes that are kept."""
        return bytes(self._held[-self._kept :])

    def text(self) -> str:
        """What is kept, for people: without control sequences, invisible signs spelled out, and what is missing said."""
        told = readable(self.held.decode("utf-8", "replace"))
        left_out = self.total - min(self.total, self._kept)
        return f"[{left_out:,} bytes before this are not kept]\n{told}" if left_out else told


def readable(text: str) -> str:
    """Text without what moves, hides, colours or rings: lines end with a line feed, everything else that is no plain sign is spelled
    out."""
    plain = _SEQUENCES.sub("", text.replace("\r\n", "\n")).replace("\r", "\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in plain.split("\n"))
