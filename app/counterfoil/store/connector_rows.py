"""Connectors as people keep them, and the tools that each was seen to have.

A tool has two definitions: the one that was seen last, and the one that a person has looked at (`agreed_pin`). Where they differ, the
tool has changed, and it asks again until somebody looks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import insert

from counterfoil.authoring.codec import canonical
from counterfoil.store import tables
from counterfoil.store.columns import instant, key, text
from counterfoil.store.transactions import Connection, Row, Txn

connector = sa.Table(
    "connector",
    tables.metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    text("title"),
    text("facts"),  # how it is reached, as JSON; secrets stand in it by their names
    sa.Column("is_on", sa.Boolean, nullable=False),
    text("health", nullable=True),  # what came of the last look, as JSON
    instant("added_at"),
    text("added_by"),
)

connector_tool = sa.Table(
    "connector_tool",
    tables.metadata,
    sa.Column("connector", sa.String(64), sa.ForeignKey("connector.name"), primary_key=True),
    sa.Column("tool", sa.Text, primary_key=True),
    key("pin"),
    text("definition"),  # as it was seen last, as JSON
    key("agreed_pin", nullable=True),
    text("agreed", nullable=True),  # as a person has looked at it, as JSON
    # what a person says that it does: reads, changes, sends, spends; empty where nobody has said it
    sa.Column("does", sa.String(8), nullable=False),
    sa.Column("repeatable", sa.Boolean, nullable=False),  # doing it twice is as doing it once, a person says
    text("said_by", nullable=True),
    instant("seen_at"),
    instant("gone_at", nullable=True),
)
_CONNECTOR, _TOOL = connector, connector_tool


@dataclass(frozen=True, slots=True)
class SeenTool:
    """A tool as a server has told it: its own name, its pin, its definition as plain JSON."""

    tool: str
    pin: str
    definition: Mapping[str, Any]


def get(conn: Connection, name: str) -> Row | None:
    """One connector."""
    return conn.execute(sa.select(_CONNECTOR).where(_CONNECTOR.c.name == name)).mappings().first()


def every(conn: Connection) -> list[Row]:
    """All connectors, by name."""
    return list(conn.execute(sa.select(_CONNECTOR).order_by(_CONNECTOR.c.name)).mappings().all())


def add(txn: Txn, name: str, title: str, facts: Mapping[str, Any], by: str) -> None:
    """Keep a connector, off."""
    fresh = {"title": title, "facts": canonical(dict(facts)), "is_on": False, "health": None}
    txn.do(sa.insert(_CONNECTOR).values(name=name, added_at=txn.now_us, added_by=by, **fresh))


def turn(txn: Txn, name: str, *, on: bool) -> None:
    """Switch one on or off."""
    txn.do(sa.update(_CONNECTOR).where(_CONNECTOR.c.name == name).values(is_on=on))


def set_facts(txn: Txn, name: str, facts: Mapping[str, Any]) -> None:
    """Keep how it is reached anew."""
    txn.do(sa.update(_CONNECTOR).where(_CONNECTOR.c.name == name).values(facts=canonical(dict(facts))))


def set_health(txn: Txn, name: str, health: Mapping[str, Any]) -> None:
    """Keep what came of a look; nothing where it was removed meanwhile."""
    kept = canonical({**health, "at": txn.now_us})
    txn.do(sa.update(_CONNECTOR).where(_CONNECTOR.c.name == name).values(health=kept))


def remove(txn: Txn, name: str) -> None:
    """Forget a connector and its tools."""
    txn.do(sa.delete(_TOOL).where(_TOOL.c.connector == name))
    txn.do(sa.delete(_CONNECTOR).where(_CONNECTOR.c.name == name))


def tools(conn: Connection, name: str, *, gone: bool = False) -> list[Row]:
    """The tools of a connector, by name; `gone`: also those that it has no more."""
    query = sa.select(_TOOL).where(_TOOL.c.connector == name).order_by(_TOOL.c.tool)
    return list(conn.execute(query if gone else query.where(_TOOL.c.gone_at.is_(None))).mappings().all())


def tool(conn: Connection, name: str, tool_name: str) -> Row | None:
    """One tool."""
    query = sa.select(_TOOL).where(_TOOL.c.connector == name, _TOOL.c.tool == tool_name)
    return conn.execute(query).mappings().first()


def see(txn: Txn, name: str, seen: Sequence[SeenTool]) -> None:
    """A server has listed its tools; what was agreed to and said of them stays, and those that it has no more are marked."""
    if get(txn.conn, name) is None:
        return  # it was removed meanwhile
    txn.do(sa.update(_TOOL).where(_TOOL.c.connector == name, _TOOL.c.gone_at.is_(None)).values(gone_at=txn.now_us))
    for one in seen:
        fresh = {"pin": one.pin, "definition": canonical(dict(one.definition)), "seen_at": txn.now_us, "gone_at": None}
        said = {"agreed_pin": None, "agreed": None, "does": "", "repeatable": False, "said_by": None}
        statement = insert(_TOOL).values(connector=name, tool=one.tool, **fresh, **said)
        txn.do(statement.on_conflict_do_update(index_elements=[_TOOL.c.connector, _TOOL.c.tool], set_=fresh))


def agree(txn: Txn, name: str, tool_name: str) -> None:
    """Somebody has looked at a tool as it is now."""
    here = (_TOOL.c.connector == name, _TOOL.c.tool == tool_name)
    txn.do(sa.update(_TOOL).where(*here).values(agreed_pin=_TOOL.c.pin, agreed=_TOOL.c.definition))


def say(txn: Txn, name: str, tool_name: str, does: str, by: str, *, repeatable: bool) -> None:
    """Somebody says what a tool does."""
    here = (_TOOL.c.connector == name, _TOOL.c.tool == tool_name)
    txn.do(sa.update(_TOOL).where(*here).values(does=does, repeatable=repeatable, said_by=by))


def facts_of(row: Row) -> dict[str, Any]:
    """How a connector is reached."""
    found: dict[str, Any] = json.loads(row["facts"])
    return found
