"""Data version 16: the runs that do a run again are found by it."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"


def upgrade() -> None:
    op.create_index("run_again", "run", ["again_of"], unique=False, sqlite_where=sa.text("again_of IS NOT NULL"))
