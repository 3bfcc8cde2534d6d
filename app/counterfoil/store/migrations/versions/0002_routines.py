"""Data version 2: routines, what became of each of their instants, and notices without a run."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("run", sa.Column("schedule_id", sa.String(length=32), nullable=True))
    op.add_column("run", sa.Column("planned_at", sa.BigInteger(), nullable=True))
    op.create_index(
        "run_of_schedule",
        "run",
        ["schedule_id", "number"],
        unique=False,
        sqlite_where=sa.text("schedule_id IS NOT NULL"),
    )
    op.create_table(
        "schedule",
        sa.Column("schedule_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("paused", sa.Boolean(), nullable=False),
        sa.Column("paused_by", sa.Text(), nullable=True),
        sa.Column("effective_from", sa.BigInteger(), nullable=False),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.Column("wake_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("removed_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("schedule_id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index("schedule_name", "schedule", ["name"], unique=True, sqlite_where=sa.text("removed_at IS NULL"))
    op.create_index(
        "schedule_to_wake", "schedule", ["wake_at"], unique=False, sqlite_where=sa.text("wake_at IS NOT NULL")
    )
    op.create_table(
        "firing",
        sa.Column("schedule_id", sa.String(length=32), nullable=False),
        sa.Column("origin", sa.String(length=8), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("rev", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=True),
        sa.Column("settled_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("state IN ('queued','started','skipped','missed','blocked')", name="firing_state"),
        sa.ForeignKeyConstraint(["schedule_id"], ["schedule.schedule_id"]),
        sa.PrimaryKeyConstraint("schedule_id", "origin", "due_at"),
        sa.UniqueConstraint("run_id"),
    )
    op.create_index("firing_queued", "firing", ["schedule_id"], unique=False, sqlite_where=sa.text("state = 'queued'"))
    op.create_table(
        "notice",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_by", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("row"),
    )
    op.create_index(
        "one_open_notice", "notice", ["kind", "subject"], unique=True, sqlite_where=sa.text("closed_at IS NULL")
    )
