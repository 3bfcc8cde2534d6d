"""Data version 1: runs, records, gates, decisions, effects and the trail, chained from the first row."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "blob",
        sa.Column("sha", sa.String(length=64), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("sha"),
    )
    op.create_table(
        "runner",
        sa.Column("one", sa.Integer(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("renewed_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("one = 1", name="one_runner"),
        sa.PrimaryKeyConstraint("one"),
    )
    op.create_table(
        "template_version",
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("manifest", sa.Text(), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("source", sa.String(length=64), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("program", sa.Text(), nullable=False),
        sa.Column("stored_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_index("template_version_by_name", "template_version", ["name", "stored_at"], unique=False)
    op.create_table(
        "trail",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("kind", sa.String(length=24), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.Column("prev_hash", sa.String(length=64), nullable=False),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.PrimaryKeyConstraint("seq"),
    )
    op.create_index("trail_by_subject", "trail", ["subject"], unique=False)
    op.create_table(
        "run",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("template", sa.Text(), nullable=False),
        sa.Column("version", sa.String(length=64), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("seed", sa.Text(), nullable=False),
        sa.Column("parameters", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("started_by", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("isolation", sa.String(length=8), nullable=False),
        sa.Column("program", sa.Text(), nullable=False),
        sa.Column("recoveries", sa.Integer(), nullable=False),
        sa.Column("recovered_at_count", sa.Integer(), nullable=False),
        sa.Column("lost", sa.Boolean(), nullable=False),
        sa.Column("ready_at", sa.BigInteger(), nullable=True),
        sa.Column("cancel_by", sa.Text(), nullable=True),
        sa.Column("activity", sa.Text(), nullable=True),
        sa.CheckConstraint("state IN ('ready','running','waiting','done','failed','cancelled')", name="run_state"),
        sa.ForeignKeyConstraint(
            ["version"],
            ["template_version.digest"],
        ),
        sa.PrimaryKeyConstraint("run_id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index("run_by_state", "run", ["state", "number"], unique=False)
    op.create_index("run_by_template", "run", ["template", "number"], unique=False)
    op.create_index("run_by_workspace", "run", ["workspace", "number"], unique=False)
    op.create_index("run_to_claim", "run", ["ready_at"], unique=False, sqlite_where=sa.text("state = 'ready'"))
    op.create_table(
        "attempt",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.String(length=8), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("failure_class", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("next_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("state IN ('unknown','ok','failed')", name="attempt_state"),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.run_id"],
        ),
        sa.PrimaryKeyConstraint("row"),
        sa.UniqueConstraint("run_id", "path", "ordinal", "n", name="one_attempt_per_try"),
    )
    op.create_table(
        "gate",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("slot", sa.String(length=8), nullable=False),
        sa.Column("kind", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("asked_digest", sa.String(length=64), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("asked_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("on_due", sa.Text(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("closed_why", sa.Text(), nullable=True),
        sa.Column("taken_at", sa.BigInteger(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("figure", sa.Text(), nullable=True),
        sa.Column("bulk", sa.Text(), nullable=False),
        sa.Column("search", sa.Text(), nullable=False),
        sa.Column("spec", sa.Text(), nullable=False),
        sa.Column("spec_blob", sa.Boolean(), nullable=False),
        sa.CheckConstraint("state IN ('open','decided','withdrawn','expired','superseded')", name="gate_state"),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.run_id"],
        ),
        sa.PrimaryKeyConstraint("gate_id"),
        sa.UniqueConstraint("number"),
    )
    op.create_index("gate_closed", "gate", ["closed_at"], unique=False)
    op.create_index("gate_inbox", "gate", ["state", "asked_at", "number"], unique=False)
    op.create_index("gate_of_run", "gate", ["run_id", "path", "ordinal"], unique=False)
    op.create_index(
        "one_open_gate_per_slot",
        "gate",
        ["run_id", "path", "ordinal", "slot"],
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
    )
    op.create_table(
        "intent",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("body_blob", sa.Boolean(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=False),
        sa.Column("policy", sa.String(length=10), nullable=False),
        sa.Column("gate_id", sa.String(length=32), nullable=True),
        sa.Column("item", sa.Integer(), nullable=True),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.run_id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "path", "ordinal"),
    )
    op.create_table(
        "record",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("args_digest", sa.String(length=64), nullable=False),
        sa.Column("outcome", sa.String(length=10), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("payload_blob", sa.Boolean(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("started_at", sa.BigInteger(), nullable=False),
        sa.Column("committed_at", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(length=64), nullable=True),
        sa.Column("origin", sa.Text(), nullable=True),
        sa.Column("hash", sa.String(length=64), nullable=False),
        sa.CheckConstraint("outcome IN ('ok','failed','cancelled')", name="record_outcome"),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.run_id"],
        ),
        sa.PrimaryKeyConstraint("row"),
        sa.UniqueConstraint("run_id", "path", "ordinal", name="one_record_per_identity"),
    )
    op.create_table(
        "timer",
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("ordinal", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(length=8), nullable=False),
        sa.Column("args_digest", sa.String(length=64), nullable=False),
        sa.Column("set_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(
            ["run_id"],
            ["run.run_id"],
        ),
        sa.PrimaryKeyConstraint("run_id", "path", "ordinal", "kind"),
    )
    op.create_index("timer_due", "timer", ["due_at"], unique=False, sqlite_where=sa.text("state = 'pending'"))
    op.create_table(
        "claim",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("run_id", sa.String(length=32), nullable=False),
        sa.Column("held", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["gate_id"],
            ["gate.gate_id"],
        ),
        sa.PrimaryKeyConstraint("gate_id", "key"),
    )
    op.create_index("claim_by_key", "claim", ["workspace", "key"], unique=False)
    op.create_table(
        "decision",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("verdict", sa.String(length=10), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=False),
        sa.Column("on_behalf_of", sa.Text(), nullable=True),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("effective_at", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("signature", sa.Text(), nullable=False),
        sa.Column("entered_by", sa.Text(), nullable=True),
        sa.Column("voided_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["gate_id"],
            ["gate.gate_id"],
        ),
        sa.PrimaryKeyConstraint("row"),
    )
    op.create_index(
        "one_decision_per_principal",
        "decision",
        ["gate_id", "principal"],
        unique=True,
        sqlite_where=sa.text("voided_at IS NULL"),
    )
    op.create_table(
        "draft",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("saved_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["gate_id"],
            ["gate.gate_id"],
        ),
        sa.PrimaryKeyConstraint("gate_id", "principal"),
    )
    op.create_table(
        "file_op",
        sa.Column("row", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("workspace", sa.Text(), nullable=False),
        sa.Column("op", sa.String(length=8), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=True),
        sa.Column("before", sa.String(length=64), nullable=True),
        sa.Column("after", sa.String(length=64), nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.ForeignKeyConstraint(
            ["gate_id"],
            ["gate.gate_id"],
        ),
        sa.PrimaryKeyConstraint("row"),
    )
    op.create_index("file_op_of_gate", "file_op", ["gate_id", "row"], unique=False)
    op.create_table(
        "reading",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("principal", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("opened", sa.Text(), nullable=False),
        sa.Column("read_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["gate_id"],
            ["gate.gate_id"],
        ),
        sa.PrimaryKeyConstraint("gate_id", "principal"),
    )
    op.create_index("reading_read", "reading", ["read_at"], unique=False)
    op.create_table(
        "seal",
        sa.Column("gate_id", sa.String(length=32), nullable=False),
        sa.Column("n", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("base", sa.Text(), nullable=False),
        sa.Column("digest", sa.String(length=64), nullable=False),
        sa.Column("spent_at_path", sa.Text(), nullable=True),
        sa.Column("spent_at_ordinal", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["gate_id"],
            ["gate.gate_id"],
        ),
        sa.PrimaryKeyConstraint("gate_id", "n"),
    )
