"""Data version 17: what a person found out of a run of which not everything was undone."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.add_column("run", sa.Column("note", sa.Text(), nullable=True))
    op.create_index("run_noted", "run", ["number"], unique=False, sqlite_where=sa.text("note IS NOT NULL"))
