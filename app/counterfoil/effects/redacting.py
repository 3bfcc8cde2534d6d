"""The last door before anything from the wire becomes a record or a message: secrets that went out do not come back in."""

from __future__ import annotations

from collections.abc import Mapping

_TELLING = 8  # characters; shorter words of a secret are words of other texts as well


class Redactor:
    """Knows the secrets of one exchange, by name, and replaces their values wherever they turn up."""

    def __init__(self, secrets: Mapping[str, str]) -> None:
        found = {value: name for name, value in secrets.items() if value}
        # Of `Bearer abc` servers like to quote the second word alone.
        found |= {word: name for value, name in found.items() for word in value.split() if len(word) >= _TELLING}
        # longest first, so that a secret that holds another is replaced whole
        self._secrets = sorted(found.items(), key=lambda one: -len(one[0]))

    def __call__(self, text: str) -> str:
        """The text without the values."""
        for value, name in self._secrets:
            text = text.replace(value, f"[secret {name}]")
        return text
