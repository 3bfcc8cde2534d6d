"""Calling the program in this process, as a shell would: words in, exit code and two streams out."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.cli import main

ERROR = ["code", "message", "next"]


@dataclass(frozen=True, slots=True)
class Said:
    """What one call answered."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; anything more fails."""
        return json.loads(self.out)

    @property
    def error(self) -> dict[str, Any]:
        """The error of the error document, with exactly its keys."""
        document = self.document
        assert list(document) == ["error"]
        assert list(document["error"]) == ERROR
        error: dict[str, Any] = document["error"]
        return error


Caller = Callable[..., Said]


def caller(capsys: Any, home: Path) -> Caller:
    """A function that calls the program on a home."""

    def call(*words: str) -> Said:
        capsys.readouterr()
        code = main(["--home", str(home), *words])
        out, err = capsys.readouterr()
        return Said(code, out, err)

    return call
