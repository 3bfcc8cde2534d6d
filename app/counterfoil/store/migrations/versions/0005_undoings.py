"""Data version 5: when files were applied, and wishes to put back what a run did to them."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.add_column("file_op", sa.Column("applied_at", sa.BigInteger(), nullable=True))
    op.execute(
        "UPDATE file_op SET applied_at = (SELECT coalesce(run.ended_at, gate.closed_at, gate.asked_at) FROM gate"
        " JOIN run ON run.run_id = gate.run_id WHERE gate.gate_id = file_op.gate_id) WHERE state = 'applied'"
    )
    op.create_index(
        "file_op_applied", "file_op", ["applied_at"], unique=False, sqlite_where=sa.text("applied_at IS NOT NULL")
    )
    op.create_table(
        "undoing",
        sa.Column("undo_id", sa.String(length=32), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("paths", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("state IN ('asked','done','refused')", name="undoing_state"),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("undo_id"),
    )
    op.create_index("one_open_undoing", "undoing", ["run_id"], unique=True, sqlite_where=sa.text("state = 'asked'"))
    op.create_index("undoing_of_run", "undoing", ["run_id", "asked_at"], unique=False)
