"""Data version 10: what people allow, ask about and forbid, what was done under it, and what runs have read from outside the team."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    op.create_table(
        "permission",
        sa.Column("permission_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(length=8), nullable=False),
        sa.Column("conditions", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("granted_at", sa.BigInteger(), nullable=False),
        sa.Column("granted_by", sa.Text(), nullable=False),
        sa.Column("gate_id", sa.String(length=32), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_by", sa.Text(), nullable=True),
        sa.CheckConstraint("verdict IN ('allow','ask','deny')", name="permission_verdict"),
        sa.PrimaryKeyConstraint("permission_id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index(
        "permission_living", "permission", ["number"], unique=False, sqlite_where=sa.text("revoked_at IS NULL")
    )
    op.create_table(
        "permission_use",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("permission_id", sa.String(length=32), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.ForeignKeyConstraint(["permission_id"], ["permission.permission_id"]),
        sa.PrimaryKeyConstraint("run_id", "path", "ordinal", "permission_id"),
    )
    op.create_index("permission_used", "permission_use", ["permission_id", "at"], unique=False)
    op.create_table(
        "run_permission",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("row"),
    )
    op.create_index("permissions_of_run", "run_permission", ["run_id", "row"], unique=False)
    op.create_table(
        "run_source",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("run_id", "source"),
    )
