"""The shapes of what a session may send, judged part by part: anything else is a breach.

Text for people is cleaned here, once: no control characters that could drive a terminal, nothing that UTF-8 cannot hold.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from counterfoil.engine.describing import MESSAGE_LIMIT, TRACEBACK_LIMIT
from counterfoil.engine.holding import Breach, Identity
from counterfoil.facts import storable

_PATH = re.compile(r"([0-9]{1,6}/[0-9]{1,6}(/[0-9]{1,6}/[0-9]{1,6}){0,30})?\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_BLANKS = re.compile(r"[ \t\r\n]+")
LATEST_US = 253_402_300_800_000_000  # the year 10000: beyond what any calendar of ours can say
LONGEST_SECONDS = 7 * 86_400
RUN_ORDINAL = -1


def identity_in(frame: Mapping[str, Any], *, whole_run: bool = False) -> Identity:
    """The identity that a frame names: a branch path and an ordinal; with `whole_run` also that of the run itself."""
    path, ordinal = frame["p"], frame["o"]
    if whole_run and path == "" and type(ordinal) is int and ordinal == RUN_ORDINAL:
        return "", RUN_ORDINAL
    if not isinstance(path, str) or not _PATH.match(path) or type(ordinal) is not int or not 0 <= ordinal < 10**6:
        raise Breach("an identity off the grammar")
    return path, ordinal


def name_in(frame: Mapping[str, Any]) -> tuple[str, str]:
    """The name and the argument digest that a frame gives its call."""
    name = frame["n"]
    if not isinstance(name, str) or not name.isidentifier() or len(name) > 200:
        raise Breach("a name that is no identifier")
    return name, digest_in(frame)


def digest_in(frame: Mapping[str, Any]) -> str:
    """The argument digest of a frame."""
    found = frame["d"]
    if not isinstance(found, str) or not _DIGEST.match(found):
        raise Breach("a digest that is none")
    return found


def whole(value: Any, what: str, *, low: int = 0, high: int = 2**62) -> int:
    """A whole number in a range; no boolean, which Python takes for one."""
    if type(value) is not int or not low <= value <= high:
        raise Breach(f"{what} of no sense")
    return value


def truth(value: Any, what: str) -> bool:
    """True or false and nothing else."""
    if not isinstance(value, bool):
        raise Breach(f"{what} that is neither true nor false")
    return value


def seconds(value: Any) -> float:
    """A timeout in seconds."""
    if type(value) not in (int, float) or not math.isfinite(value) or not 0 < value <= LONGEST_SECONDS:
        raise Breach("a timeout of no sense")
    return float(value)


def error_in(frame: Mapping[str, Any]) -> dict[str, Any]:
    """An exception as a host describes it: type, mro, message, errno, traceback; texts cleaned and cut."""
    error = frame["error"]
    if not isinstance(error, dict):
        raise Breach("an error of no error's shape")
    mro, number = error.get("mro", []), error.get("errno")
    words = [error.get(key, "") for key in ("type", "message", "traceback")]
    if not isinstance(mro, list) or not all(isinstance(name, str) for name in [*mro, *words]):
        raise Breach("an error whose parts are of another type")
    if number is not None and type(number) is not int:
        raise Breach("an error number that is none")
    return {
        "type": line(words[0], 200),
        "mro": [line(name, 200) for name in mro[:50]],
        "message": clean(words[1], MESSAGE_LIMIT),
        "errno": number,
        "traceback": clean(words[2], TRACEBACK_LIMIT),
    }


def clean(text: str, limit: int) -> str:
    """Text for people, of at most `limit` characters; line ends and tabs stay."""
    return storable(_CONTROL.sub("\N{REPLACEMENT CHARACTER}", text[:limit].replace("\r\n", "\n")))


def line(text: str, limit: int) -> str:
    """Text for people in one line; a space that must not break stays one."""
    return clean(_BLANKS.sub(" ", text), limit).strip()
