"""Data version 9: connectors, and the tools that each was seen to have."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    op.create_table(
        "connector",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("facts", sa.Text(), nullable=False),
        sa.Column("is_on", sa.Boolean(), nullable=False),
        sa.Column("health", sa.Text(), nullable=True),
        sa.Column("added_at", sa.BigInteger(), nullable=False),
        sa.Column("added_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "connector_tool",
        sa.Column("connector", sa.String(length=64), sa.ForeignKey("connector.name"), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("pin", sa.String(length=64), nullable=False),
        sa.Column("definition", sa.Text(), nullable=False),
        sa.Column("agreed_pin", sa.String(length=64), nullable=True),
        sa.Column("agreed", sa.Text(), nullable=True),
        sa.Column("does", sa.String(length=8), nullable=False),
        sa.Column("repeatable", sa.Boolean(), nullable=False),
        sa.Column("said_by", sa.Text(), nullable=True),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("gone_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("connector", "tool"),
    )
