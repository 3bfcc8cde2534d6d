"""Data version 8: llm calls, the requests made for them, routes and limits of spending."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "llm_call",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("after_path", sa.Text(), nullable=True),
        sa.Column("after_ordinal", sa.Integer(), nullable=True),
        sa.Column("opening", sa.Text(), nullable=True),
        sa.Column("opening_blob", sa.Boolean(), nullable=False),
        sa.Column("delta", sa.Text(), nullable=False),
        sa.Column("delta_blob", sa.Boolean(), nullable=False),
        sa.Column("compacted", sa.Text(), nullable=True),
        sa.Column("rounds", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("run_id", "path", "ordinal"),
    )
    op.create_table(
        "llm_attempt",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("route", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("llm", sa.Text(), nullable=False),
        sa.Column("asked", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("end", sa.String(length=10), nullable=True),
        sa.Column("charge", sa.BigInteger(), nullable=True),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("told", sa.Text(), nullable=True),
        sa.Column("response", sa.Text(), nullable=True),
        sa.Column("response_blob", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "\"end\" IN ('ok','rejected','not_sent','unknown','cut','cancelled')", name="llm_attempt_end"
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.run_id"]),
        sa.PrimaryKeyConstraint("row"),
        sa.UniqueConstraint("run_id", "path", "ordinal", "n", name="one_llm_attempt_per_try"),
    )
    op.create_index(
        "one_ok_per_llm_call",
        "llm_attempt",
        ["run_id", "path", "ordinal"],
        unique=True,
        sqlite_where=sa.text("\"end\" = 'ok'"),
        postgresql_where=sa.text("\"end\" = 'ok'"),
    )
    op.create_index("llm_attempt_started", "llm_attempt", ["started_at"], unique=False)
    op.create_table(
        "llm_route",
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("stays", sa.Boolean(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "llm_entry",
        sa.Column("entry_id", sa.String(length=32), nullable=False),
        sa.Column("route", sa.String(length=64), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=False),
        sa.Column("provider", sa.String(length=16), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("llm", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("window", sa.Integer(), nullable=True),
        sa.Column("priced", sa.String(length=8), nullable=False),
        sa.Column("price_in", sa.Text(), nullable=True),
        sa.Column("price_out", sa.Text(), nullable=True),
        sa.CheckConstraint("priced IN ('table','set','flat','local','unknown')", name="llm_entry_priced"),
        sa.ForeignKeyConstraint(["route"], ["llm_route.name"]),
        sa.PrimaryKeyConstraint("entry_id"),
        sa.UniqueConstraint("route", "rank", name="one_llm_per_place"),
    )
    op.create_table(
        "llm_budget",
        sa.Column("scope", sa.String(length=12), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("most", sa.BigInteger(), nullable=True),
        sa.Column("most_tokens", sa.BigInteger(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.CheckConstraint("scope IN ('run','agent','schedule','workspace','day')", name="llm_budget_scope"),
        sa.PrimaryKeyConstraint("scope", "subject"),
    )
