"""A connector as people declare it: a program that is started here, or an address; what it is told, and what it is given.

Secrets stand in it by their names alone (`{"$secret": name}`); their values are put in when it is started.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any
from urllib.parse import urlsplit

from counterfoil.authoring.codec import canonical, digest
from counterfoil.connectors.way_out import host_of
from counterfoil.errors import WrongUse
from counterfoil.policy.boundaries import visible
from counterfoil.store.connector_rows import facts_of
from counterfoil.store.transactions import Row

NAME = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
SECONDS = 60.0  # that a call may take, unless it is given more or less
LONGEST = 3600.0
STAGES = ("", "read")  # what a server wrote there would be no record of the run
ERAS = ("auto", "legacy")
Given = str | Mapping[str, str]  # a value, or `{"$secret": name}`


@dataclass(frozen=True, slots=True, kw_only=True)
class Declared:
    """One connector. A program has `argv`, a connector at an address its `url`.

    `code` are folders of its own that a program may read, `hosts` those that it may reach, `stage` what it may do with the run's files.
    `settings` are a program's environment, `headers` go with every request to an address. `era`: "legacy" where it does not take being
    asked for the newer protocol. `llms`: it may ask llms in a run's name, within its limits. `by_hand`: a person wants it started where
    isolation is weaker than servers of others are given.
    """

    name: str
    title: str = ""
    argv: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    settings: Mapping[str, Given] = field(default_factory=dict)
    hosts: tuple[str, ...] = ()
    stage: str = ""
    by_hand: bool = False
    url: str = ""
    headers: Mapping[str, Given] = field(default_factory=dict)
    era: str = "auto"
    seconds: float = SECONDS
    llms: bool = False

    @property
    def shown(self) -> str:
        """What people call it."""
        return visible(self.title or self.name)

    @property
    def identity(self) -> str:
        """What it is, so that a definition of another server is never taken for one of this: its words, or its address."""
        return digest(canonical(list(self.argv) if self.argv else self.url))

    @property
    def where(self) -> str:
        """Where it runs, as a sentence's end: `Isolated here`, `At mail.example`."""
        return "Isolated here" if self.argv else f"At {visible(urlsplit(self.url).netloc)}"

    @property
    def facts(self) -> dict[str, Any]:
        """It as plain JSON, without its name and title."""
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in asdict(self).items()}
        return {key: value for key, value in plain.items() if key not in ("name", "title")}

    def secrets(self) -> Iterator[str]:
        """The names of the secrets that it is given."""
        for value in (*self.settings.values(), *self.headers.values()):
            if isinstance(value, Mapping):
                yield value["$secret"]


def declared_of(row: Row) -> Declared:
    """The connector of a row."""
    facts = facts_of(row).items()
    plain: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in facts}
    return Declared(name=row["name"], title=row["title"], **plain)


def checked(declared: Declared) -> Declared:
    """A connector that can be kept.

    Raises:
        WrongUse: it is none; the message says what is wrong and what to write instead.
    """
    wrong = next(filter(None, (rule(declared) for rule in _RULES)), None)
    if wrong is not None:
        raise WrongUse(f"The connector “{visible(declared.name[:60])}” cannot be kept: {wrong[0]}.", wrong[1])
    return declared


def _name(declared: Declared) -> tuple[str, str] | None:
    if NAME.fullmatch(declared.name):
        return None
    return "its name is none", "Use small letters, digits and dashes, 40 at most, for example files."


def _one_way(declared: Declared) -> tuple[str, str] | None:
    if bool(declared.argv) != bool(declared.url):
        return None
    return "it is neither a program nor an address, or both", "Give a program after --, or --url."


def _address(declared: Declared) -> tuple[str, str] | None:
    if not declared.url:
        return None
    try:
        parts = urlsplit(declared.url)
        parts.port  # noqa: B018 - reading it is what checks it
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.fragment:
        return f"“{visible(declared.url[:80])}” is no address", "Write it like https://mail.example/mcp."
    if parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        return "what goes there could be read on the way", "Use https; http is for this computer alone."
    return None


def _what_a_program_has(declared: Declared) -> tuple[str, str] | None:
    if declared.url and (declared.code or declared.settings or declared.hosts or declared.stage):
        return "folders, settings, hosts and files are given to programs alone", "Leave them out beside --url."
    if declared.argv and declared.headers:
        return "headers go to an address alone", "Leave them out beside a program."
    return None


def _hosts(declared: Declared) -> tuple[str, str] | None:
    for host in declared.hosts:
        try:
            host_of(host)
        except ValueError:
            return f"“{visible(host[:80])}” is no host", "Write it like api.example or api.example:8443."
    return None


def _words(declared: Declared) -> tuple[str, str] | None:
    if declared.stage not in STAGES:
        return f"“{visible(declared.stage)}” is nothing to do with files", "Use read."
    if declared.era not in ERAS:
        return f"“{visible(declared.era)}” is no protocol", "Use auto or legacy."
    if not 1 <= declared.seconds <= LONGEST:
        return "a call may take 1 to 3600 seconds", "Give such a number of seconds."
    return None


_RULES = (_name, _one_way, _address, _what_a_program_has, _hosts, _words)
