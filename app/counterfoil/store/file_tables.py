"""Tables of files: a run's copy of its workspace, what is written to the workspace, and what is put back."""

from __future__ import annotations

import sqlalchemy as sa

from counterfoil.store.columns import identity as _identity
from counterfoil.store.columns import instant as _at
from counterfoil.store.columns import key as _id
from counterfoil.store.columns import metadata
from counterfoil.store.columns import row as _row
from counterfoil.store.columns import text as _text

# a run's copy of its workspace: when its files were taken, how much it is, and (JSON) what is not in it
stage = sa.Table(
    "stage",
    metadata,
    sa.Column("run_id", sa.String(32), sa.ForeignKey("run.run_id"), primary_key=True),
    _at("taken_at"),
    sa.Column("files", sa.Integer, nullable=False),
    sa.Column("octets", sa.BigInteger, nullable=False),
    _text("left_out"),
)

# what a recorded step has done to one path of its run's copy, or a file that a person gave at `gate_id` in place of one that a step had
# read; `settled` once the workspace has it, or something approved in its place
staged_change = sa.Table(
    "staged_change",
    metadata,
    _row(),
    *_identity(),
    _text("file"),
    sa.Column("kind", sa.String(8), nullable=False),
    sa.CheckConstraint("kind IN ('file','folder','gone')", name="staged_change_kind"),
    _id("sha", nullable=True),
    sa.Column("size", sa.BigInteger, nullable=False),
    sa.Column("mode", sa.Integer, nullable=False),
    sa.Column("settled", sa.Boolean, nullable=False),
    sa.Column("gate_id", sa.String(32), nullable=True),
    sa.Index("staged_change_of_run", "run_id", "row"),
)

file_op = sa.Table(
    "file_op",
    metadata,
    _row(),
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    sa.Column("n", sa.Integer, nullable=False),
    _text("workspace"),
    sa.Column("op", sa.String(8), nullable=False),
    _text("path"),
    _text("target", nullable=True),
    _id("before", nullable=True),
    _id("after", nullable=True),
    sa.Column("state", sa.String(10), nullable=False),
    sa.Column("executable", sa.Boolean, nullable=True),
    sa.Column("size", sa.BigInteger, nullable=True),
    _at("applied_at", nullable=True),
    sa.Index("file_op_of_gate", "gate_id", "row"),
    sa.Index("file_op_applied", "applied_at", sqlite_where=sa.text("applied_at IS NOT NULL")),
)

# a person's wish to put back what a run did to files; `paths` and `plan` are JSON, the plan stands once it has begun
undoing = sa.Table(
    "undoing",
    metadata,
    sa.Column("undo_id", sa.String(32), primary_key=True),
    sa.Column("run_id", sa.String(32), sa.ForeignKey("run.run_id"), nullable=False),
    _text("by"),
    _text("comment"),
    _text("paths"),
    _text("plan", nullable=True),
    sa.Column("state", sa.String(8), nullable=False),
    sa.CheckConstraint("state IN ('asked','done','refused')", name="undoing_state"),
    _text("message", nullable=True),
    _at("asked_at"),
    _at("ended_at", nullable=True),
    # at most one wish for a run at a time
    sa.Index("one_open_undoing", "run_id", unique=True, sqlite_where=sa.text("state = 'asked'")),
    sa.Index("undoing_of_run", "run_id", "asked_at"),
)
