"""The last door before anything from the wire becomes a record or a message: secrets that went out do not come back in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

_TELLING = 8  # characters; shorter words of a secret are words of other texts as well
SHORTEST = 4  # characters of a value that is looked for everywhere; shorter ones are parts of other words


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


class Known:
    """Every secret that this process has had in its hands: none of them is written where this process writes by itself."""

    def __init__(self) -> None:
        self._values: dict[str, str] = {}
        self._redact = Redactor({})

    def add(self, name: str, value: str) -> None:
        """Remember a value that was handed out."""
        if len(value) >= SHORTEST and self._values.get(name) != value:
            self._values = {**self._values, name: value}
            self._redact = Redactor(self._values)

    def of(self, names: Iterable[str]) -> Redactor:
        """Who knows some of them alone, whatever else this process has had in its hands."""
        return Redactor({name: self._values[name] for name in names if name in self._values})

    def __call__(self, text: str) -> str:
        """The text without the values."""
        return self._redact(text)


KNOWN = Known()
