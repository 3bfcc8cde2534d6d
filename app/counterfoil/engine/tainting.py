"""What a run has read from outside the team, noted with the record that brought it in: from then on what sends or spends asks.

Words of others can tell a run what to do. They come in by the answer of a host or a connector, and by files that hold them: mails, and
what a workspace or a template marks as foreign. A source is `file PATH`, `host NAME`, `connector NAME`, or what an author calls it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from counterfoil.engine.holding import Breach, Hold
from counterfoil.engine.shapes import line
from counterfoil.errors import WrongWorkspace
from counterfoil.facts import storable
from counterfoil.settings.workspace import Trust, trust
from counterfoil.store import permission_rows
from counterfoil.store.transactions import Txn

MAILS = ("*.eml", "*.msg", "*.mbox")  # files that are words of others wherever they lie
MOST_SOURCES = 100  # that one step names


def trust_of(hold: Hold) -> Trust:
    """Whom the workspace trusts; nobody where its settings cannot be read. Looked at once for a hold."""
    if hold.trust is None:
        try:
            hold.trust = trust(Path(hold.workspace))
        except WrongWorkspace:
            hold.trust = Trust()
    return hold.trust


def foreign_files(hold: Hold) -> tuple[str, ...]:
    """Patterns of the files whose words are not the team's."""
    marked = hold.manifest.get("foreign")
    return (*MAILS, *trust_of(hold).foreign, *(marked if isinstance(marked, list) else ()))


def source_of(hold: Hold, body: dict[str, Any]) -> str | None:
    """Where the answer of an effect comes from, where that is outside the team."""
    args = body["args"]
    match str(body["kind"]).partition("@")[0]:
        case "http":
            parts = urlsplit(str(args["url"]))
            host = (parts.hostname or "").lower()
            trusted = not {host, parts.netloc.lower()}.isdisjoint(trust_of(hold).hosts)
            named = host if parts.port is None else f"{host}:{parts.port}"
            return None if trusted else f"host {named}"
        case "call":
            name = str(args["connector"])
            return None if name in trust_of(hold).connectors else f"connector {name}"
        case _:
            return None


def note_answer(txn: Txn, hold: Hold, body: dict[str, Any]) -> None:
    """An effect has brought an answer in."""
    source = source_of(hold, body)
    if source is not None:
        permission_rows.note_sources(txn, hold.run_id, [source])


def checked(read: Any) -> list[str]:
    """What a session says that a step has read.

    Raises:
        Breach: it is of no list's shape.
    """
    if read is None:
        return []
    if not isinstance(read, list) or len(read) > MOST_SOURCES or not all(isinstance(one, str) for one in read):
        raise Breach("what was read is no list of texts")
    return [storable(line(one, 1000)) for one in read if one.strip()]


def note_read(txn: Txn, hold: Hold, sources: Sequence[str]) -> None:
    """A step has read files that hold words of others."""
    permission_rows.note_sources(txn, hold.run_id, sources)
