"""Data version 15: a person's wish that the step a run is in begins anew."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column("run", sa.Column("restart", sa.Text(), nullable=True))
