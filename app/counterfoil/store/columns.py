"""Columns that many tables have, and what all tables are registered in."""

from __future__ import annotations

import sqlalchemy as sa

metadata = sa.MetaData()


def key(name: str, *, primary_key: bool = False, nullable: bool = False) -> sa.Column[str]:
    """A digest or an id, in hex."""
    return sa.Column(name, sa.String(64), primary_key=primary_key, nullable=nullable)


def instant(name: str, *, nullable: bool = False) -> sa.Column[int]:
    """An instant."""
    return sa.Column(name, sa.BigInteger, nullable=nullable)


def text(name: str, *, nullable: bool = False) -> sa.Column[str]:
    """A text, or JSON."""
    return sa.Column(name, sa.Text, nullable=nullable)


def row() -> sa.Column[int]:
    """The number of a row, in the order of writing."""
    # INTEGER on SQLite makes it the rowid, BIGINT elsewhere
    return sa.Column("row", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=True)


def identity() -> tuple[sa.Column[str], sa.Column[str], sa.Column[int]]:
    """What a record, an intent or a gate belongs to: run, branch path, ordinal."""
    return (
        sa.Column("run_id", sa.String(32), sa.ForeignKey("run.run_id"), nullable=False),
        sa.Column("path", sa.Text, nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
    )
