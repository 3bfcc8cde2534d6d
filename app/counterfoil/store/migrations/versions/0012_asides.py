"""Data version 12: what stands beside an open gate: until when a person does not want to see it, and whom it was given to."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    op.create_table(
        "snooze",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.Column("set_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["gate_id"], ["gate.gate_id"]),
        sa.PrimaryKeyConstraint("gate_id", "principal"),
    )
    op.create_table(
        "giving",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("given_by", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("given_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["gate_id"], ["gate.gate_id"]),
        sa.PrimaryKeyConstraint("gate_id"),
    )
