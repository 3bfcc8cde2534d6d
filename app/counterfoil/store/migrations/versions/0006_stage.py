"""Data version 6: the run's copy of its workspace: what it holds, what steps have done to it, and as of when a gate's files are."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "stage",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("taken_at", sa.BigInteger(), nullable=False),
        sa.Column("files", sa.Integer(), nullable=False),
        sa.Column("octets", sa.BigInteger(), nullable=False),
        sa.Column("left_out", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_table(
        "staged_change",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("sha", sa.String(length=64), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("mode", sa.Integer(), nullable=False),
        sa.Column("settled", sa.Boolean(), nullable=False),
        sa.CheckConstraint("kind IN ('file','folder','gone')", name="staged_change_kind"),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("row"),
    )
    op.create_index("staged_change_of_run", "staged_change", ["run_id", "row"], unique=False)
    op.add_column("gate", sa.Column("files_as_of", sa.BigInteger(), nullable=True))
