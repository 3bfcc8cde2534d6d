"""Data version 14: files that people give in place of ones that a step has read."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.add_column("staged_change", sa.Column("gate_id", sa.String(length=32), nullable=True))
