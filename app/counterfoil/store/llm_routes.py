"""Routes to llms as people have set them up: ordered chains. A key is named, never held."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from counterfoil.store.llm_tables import llm_entry, llm_route
from counterfoil.store.transactions import Row, Txn

DEFAULT = "default"
_ROUTE = llm_route
_ENTRY = llm_entry


@dataclass(frozen=True, slots=True)
class NewEntry:
    """One llm of a route. `key` is `secret:NAME` or `env:NAME`; prices are US dollars per million tokens, as text."""

    provider: str
    address: str | None
    llm: str
    key: str | None
    window: int | None
    priced: str
    price_in: str | None = None
    price_out: str | None = None


def route(conn: sa.Connection, name: str) -> Row | None:
    """A route by its name."""
    return conn.execute(sa.select(_ROUTE).where(_ROUTE.c.name == name)).mappings().first()


def routes(conn: sa.Connection) -> Sequence[Row]:
    """Every route; the default one first."""
    first = sa.case((_ROUTE.c.name == DEFAULT, 0), else_=1)
    return conn.execute(sa.select(_ROUTE).order_by(first, _ROUTE.c.name)).mappings().all()


def entries(conn: sa.Connection, name: str) -> Sequence[Row]:
    """The llms of a route in their order."""
    query = sa.select(_ENTRY).where(_ENTRY.c.route == name).order_by(_ENTRY.c.rank)
    return conn.execute(query).mappings().all()


def put_route(txn: Txn, name: str, *, stays: bool, by: str) -> None:
    """Make a route, or say anew whether what it is asked stays on this computer."""
    fresh = {"stays": stays, "at": txn.now_us, "by": by}
    if not txn.do(sa.update(_ROUTE).where(_ROUTE.c.name == name).values(**fresh)):
        txn.do(sa.insert(_ROUTE).values(name=name, **fresh))


def add_entry(txn: Txn, name: str, new: NewEntry) -> int:
    """Add an llm at the end of a route; its place, from 1."""
    last = txn.value(sa.select(sa.func.coalesce(sa.func.max(_ENTRY.c.rank), 0)).where(_ENTRY.c.route == name))
    txn.do(
        sa.insert(_ENTRY).values(
            entry_id=uuid.uuid4().hex,
            route=name,
            rank=int(last) + 1,
            provider=new.provider,
            address=new.address,
            llm=new.llm,
            key=new.key,
            window=new.window,
            priced=new.priced,
            price_in=new.price_in,
            price_out=new.price_out,
        )
    )
    return int(last) + 1


def has_price(conn: sa.Connection) -> bool:
    """Whether any llm that can be asked costs money; where none does, nobody is talked to of money."""
    return bool(conn.execute(sa.select(sa.exists().where(_ENTRY.c.priced.in_(("set", "table"))))).scalar())


def remove_entry(txn: Txn, name: str, rank: int) -> bool:
    """Take the llm at a place out of a route; False where there is none. Those behind it move up."""
    if not txn.do(sa.delete(_ENTRY).where(_ENTRY.c.route == name, _ENTRY.c.rank == rank)):
        return False
    order(txn, name, [row["entry_id"] for row in entries(txn.conn, name)])
    return True


def order(txn: Txn, name: str, entry_ids: Sequence[str]) -> None:
    """Put the llms of a route into this order; all of them are named."""
    for rank, entry_id in enumerate(entry_ids, start=1):  # aside first, because no two may stand at one place
        txn.do(sa.update(_ENTRY).where(_ENTRY.c.entry_id == entry_id).values(rank=-rank))
    txn.do(sa.update(_ENTRY).where(_ENTRY.c.route == name).values(rank=-_ENTRY.c.rank))


def remove_route(txn: Txn, name: str) -> bool:
    """Remove a route with its llms; False where there is none."""
    txn.do(sa.delete(_ENTRY).where(_ENTRY.c.route == name))
    return bool(txn.do(sa.delete(_ROUTE).where(_ROUTE.c.name == name)))
