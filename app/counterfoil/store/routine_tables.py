"""Tables of routines: rules, what became of each due instant, what people are told of them, and what was taken up once."""

from __future__ import annotations

import sqlalchemy as sa

from counterfoil.store.columns import instant as _at
from counterfoil.store.columns import metadata
from counterfoil.store.columns import row as _row
from counterfoil.store.columns import text as _text

# a routine: `rule`, `parameters` and `policy` are JSON; `next_at` is the next nominal instant, `wake_at` that plus its jitter
schedule = sa.Table(
    "schedule",
    metadata,
    sa.Column("schedule_id", sa.String(32), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    _text("name"),
    sa.Column("rev", sa.Integer, nullable=False),
    _text("template"),
    _text("workspace"),
    _text("rule"),
    _text("zone"),
    _text("policy"),
    _text("parameters"),
    sa.Column("paused", sa.Boolean, nullable=False),
    _text("paused_by", nullable=True),
    _at("effective_from"),
    _at("next_at", nullable=True),
    _at("wake_at", nullable=True),
    _at("created_at"),
    _text("created_by"),
    _at("removed_at", nullable=True),
    sa.Index("schedule_name", "name", unique=True, sqlite_where=sa.text("removed_at IS NULL")),
    sa.Index("schedule_to_wake", "wake_at", sqlite_where=sa.text("wake_at IS NOT NULL")),
)

# what became of each due instant; `origin` tells the grid from what a person started beside it
firing = sa.Table(
    "firing",
    metadata,
    sa.Column("schedule_id", sa.String(32), sa.ForeignKey("schedule.schedule_id"), nullable=False),
    sa.Column("origin", sa.String(8), nullable=False),
    _at("due_at"),
    sa.Column("rev", sa.Integer, nullable=False),
    sa.Column("state", sa.String(8), nullable=False),
    sa.CheckConstraint("state IN ('queued','started','skipped','missed','blocked')", name="firing_state"),
    _text("reason"),
    sa.Column("run_id", sa.String(32), nullable=True, unique=True),
    _at("settled_at"),
    sa.PrimaryKeyConstraint("schedule_id", "origin", "due_at"),
    sa.Index("firing_queued", "schedule_id", sqlite_where=sa.text("state = 'queued'")),
)

# what people should know of a routine, without a run that could ask; one open notice per kind and subject
notice = sa.Table(
    "notice",
    metadata,
    _row(),
    sa.Column("kind", sa.String(16), nullable=False),
    _text("subject"),
    _text("body"),
    _at("at"),
    _at("closed_at", nullable=True),
    _text("closed_by", nullable=True),
    sa.Index("one_open_notice", "kind", "subject", unique=True, sqlite_where=sa.text("closed_at IS NULL")),
)

# what was taken up once and never is again: a file of a watched folder, the end of a run, something that was told
handled = sa.Table(
    "handled",
    metadata,
    sa.Column("owner", sa.String(32), primary_key=True),
    sa.Column("key", sa.Text, primary_key=True),
    _at("at"),
)
