"""Data version 3: a journal's row knows whether a file becomes a program, and how long it is."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("file_op", sa.Column("executable", sa.Boolean(), nullable=True))
    op.add_column("file_op", sa.Column("size", sa.BigInteger(), nullable=True))
