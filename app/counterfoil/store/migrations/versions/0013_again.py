"""Data version 13: runs that do another one again, from its beginning or from one of its steps, and why."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.add_column("run", sa.Column("again_of", sa.String(length=32), nullable=True))
    op.add_column("run", sa.Column("again_from", sa.Integer(), nullable=True))
    op.add_column("run", sa.Column("begun_at", sa.BigInteger(), nullable=True))
    op.add_column("run", sa.Column("reason", sa.Text(), nullable=True))
