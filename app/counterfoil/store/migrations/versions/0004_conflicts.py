"""Data version 4: a sealed item knows what is performed in its place since somebody answered that files changed."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.add_column("seal", sa.Column("instead", sa.Text(), nullable=True))
