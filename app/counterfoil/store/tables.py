"""The tables of the checkpoint database that runs and decisions need, each declared once; indexes document the queries they serve.

Instants are BIGINT microseconds UTC; JSON is canonical text; ids are hex. A text over 64 KiB is a blob and its column holds
the blob's SHA-256, with the `_blob` column saying so. Partial indexes say so in SQLite's words; the migration says the same in
PostgreSQL's, whose dialect would be imported here for it by every process.
"""

from __future__ import annotations

import sqlalchemy as sa

from counterfoil.store import columns, file_tables, routine_tables  # noqa: F401 - so that all tables are known here
from counterfoil.store.columns import identity as _identity
from counterfoil.store.columns import instant as _at
from counterfoil.store.columns import key as _id
from counterfoil.store.columns import row as _row
from counterfoil.store.columns import text as _text

metadata = columns.metadata

template_version = sa.Table(
    "template_version",
    metadata,
    _id("digest", primary_key=True),
    _text("name"),
    _text("title"),
    _text("manifest"),
    _text("parameters"),
    _id("source", nullable=False),
    _text("origin"),
    _text("program"),
    _at("stored_at"),
    sa.Index("template_version_by_name", "name", "stored_at"),
)

run = sa.Table(
    "run",
    metadata,
    sa.Column("run_id", sa.String(32), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    _text("template"),
    sa.Column("version", sa.String(64), sa.ForeignKey("template_version.digest"), nullable=False),
    _text("workspace"),
    _text("title"),
    sa.Column("state", sa.String(16), nullable=False),
    sa.CheckConstraint("state IN ('ready','running','waiting','done','failed','cancelled')", name="run_state"),
    sa.Column("fence", sa.Integer, nullable=False),
    _text("seed"),
    _text("parameters"),
    _at("created_at"),
    _at("started_at", nullable=True),
    _at("ended_at", nullable=True),
    _text("started_by"),
    _text("result", nullable=True),
    _text("error", nullable=True),
    sa.Column("isolation", sa.String(8), nullable=False),
    _text("program"),
    # recoveries without a new record since the record count noted beside it
    sa.Column("recoveries", sa.Integer, nullable=False),
    sa.Column("recovered_at_count", sa.Integer, nullable=False),
    sa.Column("lost", sa.Boolean, nullable=False),  # its holder ended, and it was not claimed since
    _at("ready_at", nullable=True),
    _text("cancel_by", nullable=True),
    _text("activity", nullable=True),
    # the routine that started it, and the instant it was planned for, which is the run's own however late it starts
    sa.Column("schedule_id", sa.String(32), nullable=True),
    _at("planned_at", nullable=True),
    # the run it does again: from which step of its root branch on (none: from the beginning), when that began for its code, and why
    sa.Column("again_of", sa.String(32), nullable=True),
    sa.Column("again_from", sa.Integer, nullable=True),
    _at("begun_at", nullable=True),
    _text("reason", nullable=True),
    _text("restart", nullable=True),  # a person's wish that what is in the middle begins anew (JSON: who, and what)
    _text("note", nullable=True),  # what a person found out of what was not undone (JSON: by, at, text)
    sa.Index("run_to_claim", "ready_at", sqlite_where=sa.text("state = 'ready'")),
    sa.Index("run_by_state", "state", "number"),
    sa.Index("run_by_workspace", "workspace", "number"),
    sa.Index("run_by_template", "template", "number"),
    sa.Index("run_noted", "number", sqlite_where=sa.text("note IS NOT NULL")),
    sa.Index("run_again", "again_of", sqlite_where=sa.text("again_of IS NOT NULL")),
    sa.Index("run_of_schedule", "schedule_id", "number", sqlite_where=sa.text("schedule_id IS NOT NULL")),
)

record = sa.Table(
    "record",
    metadata,
    _row(),
    *_identity(),
    sa.Column("kind", sa.String(8), nullable=False),
    _text("name"),
    _id("args_digest", nullable=False),
    sa.Column("outcome", sa.String(10), nullable=False),
    sa.CheckConstraint("outcome IN ('ok','failed','cancelled')", name="record_outcome"),
    _text("payload"),
    sa.Column("payload_blob", sa.Boolean, nullable=False),
    _text("summary", nullable=True),
    _at("started_at"),
    _at("committed_at"),
    sa.Column("attempts", sa.Integer, nullable=False),
    _id("key", nullable=True),
    _text("origin", nullable=True),
    _id("hash", nullable=False),
    sa.UniqueConstraint("run_id", "path", "ordinal", name="one_record_per_identity"),
)

attempt = sa.Table(
    "attempt",
    metadata,
    _row(),
    *_identity(),
    sa.Column("n", sa.Integer, nullable=False),
    sa.Column("kind", sa.String(8), nullable=False),
    _text("name"),
    sa.Column("state", sa.String(8), nullable=False),
    sa.CheckConstraint("state IN ('unknown','ok','failed')", name="attempt_state"),
    _at("started_at"),
    _at("ended_at", nullable=True),
    _text("failure_class", nullable=True),
    _text("message", nullable=True),
    _text("detail", nullable=True),
    _at("next_at", nullable=True),
    sa.UniqueConstraint("run_id", "path", "ordinal", "n", name="one_attempt_per_try"),
)

intent = sa.Table(
    "intent",
    metadata,
    *_identity(),
    _text("kind"),
    _text("body"),
    sa.Column("body_blob", sa.Boolean, nullable=False),
    _id("digest", nullable=False),
    _id("key", nullable=False),
    sa.Column("policy", sa.String(10), nullable=False),
    sa.Column("gate_id", sa.String(32), nullable=True),
    sa.Column("item", sa.Integer, nullable=True),
    _at("committed_at"),
    sa.PrimaryKeyConstraint("run_id", "path", "ordinal"),
)

# what a list reads stands first: SQLite walks the whole spec to reach a column behind it
gate = sa.Table(
    "gate",
    metadata,
    sa.Column("gate_id", sa.String(32), primary_key=True),
    sa.Column("number", sa.Integer, nullable=False, unique=True),
    *_identity(),
    sa.Column("slot", sa.String(8), nullable=False),
    sa.Column("kind", sa.String(10), nullable=False),
    sa.Column("state", sa.String(10), nullable=False),
    sa.CheckConstraint("state IN ('open','decided','withdrawn','expired','superseded')", name="gate_state"),
    _text("title"),
    _id("asked_digest", nullable=False),
    _id("digest", nullable=False),
    sa.Column("round", sa.Integer, nullable=False),
    _at("asked_at"),
    _at("due_at", nullable=True),
    _text("on_due", nullable=True),
    _at("closed_at", nullable=True),
    _text("closed_why", nullable=True),
    _at("taken_at", nullable=True),
    _text("why"),
    _text("figure", nullable=True),
    _text("bulk"),
    _text("search"),
    _text("spec"),
    sa.Column("spec_blob", sa.Boolean, nullable=False),
    _at("files_as_of", nullable=True),  # when the files were taken that the run has looked at
    # at most one question stands at one identity
    sa.Index(
        "one_open_gate_per_slot",
        "run_id",
        "path",
        "ordinal",
        "slot",
        unique=True,
        sqlite_where=sa.text("state = 'open'"),
    ),
    sa.Index("gate_inbox", "state", "asked_at", "number"),
    sa.Index("gate_closed", "closed_at"),
    sa.Index("gate_of_run", "run_id", "path", "ordinal"),
)

# what a person has filled in so far and not decided; `body` is JSON
draft = sa.Table(
    "draft",
    metadata,
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    _text("principal"),
    _text("body"),
    _at("saved_at"),
    sa.PrimaryKeyConstraint("gate_id", "principal"),
)

# what of a gate was on a person's screen: the digest that was seen, and which parts (JSON list)
reading = sa.Table(
    "reading",
    metadata,
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    _text("principal"),
    _id("digest", nullable=False),
    _text("opened"),
    _at("read_at"),
    sa.PrimaryKeyConstraint("gate_id", "principal"),
    sa.Index("reading_read", "read_at"),
)

# until when a person does not want to see a gate; nobody else's business, so the trail does not tell it
snooze = sa.Table(
    "snooze",
    metadata,
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    _text("principal"),
    _at("until"),
    _at("set_at"),
    sa.PrimaryKeyConstraint("gate_id", "principal"),
)

# whom a gate waits for since somebody gave it to them, or took it
giving = sa.Table(
    "giving",
    metadata,
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), primary_key=True),
    _text("asked"),
    _text("given_by"),
    _text("why"),
    _at("given_at"),
)

decision = sa.Table(
    "decision",
    metadata,
    _row(),
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    _text("principal"),
    sa.Column("verdict", sa.String(10), nullable=False),
    _text("answers"),
    _text("comment"),
    _text("on_behalf_of", nullable=True),
    _at("at"),
    _at("effective_at"),
    _id("digest", nullable=False),
    _text("signature"),
    _text("entered_by", nullable=True),
    _at("voided_at", nullable=True),
    # one living decision per person
    sa.Index(
        "one_decision_per_principal",
        "gate_id",
        "principal",
        unique=True,
        sqlite_where=sa.text("voided_at IS NULL"),
    ),
)

seal = sa.Table(
    "seal",
    metadata,
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    sa.Column("n", sa.Integer, nullable=False),
    _text("body"),
    _text("base"),
    _id("digest", nullable=False),
    _text("spent_at_path", nullable=True),
    sa.Column("spent_at_ordinal", sa.Integer, nullable=True),
    # what is performed in its place since somebody has answered that files changed (JSON)
    _text("instead", nullable=True),
    sa.PrimaryKeyConstraint("gate_id", "n"),
)

# what a gate would take for its run alone; `held` marks the claims of an approved gate, of which there is one per key
claim = sa.Table(
    "claim",
    metadata,
    sa.Column("gate_id", sa.String(32), sa.ForeignKey("gate.gate_id"), nullable=False),
    _text("key"),
    _text("workspace"),
    sa.Column("run_id", sa.String(32), nullable=False),
    sa.Column("held", sa.Boolean, nullable=False),
    sa.PrimaryKeyConstraint("gate_id", "key"),
    sa.Index("claim_by_key", "workspace", "key"),
)

timer = sa.Table(
    "timer",
    metadata,
    *_identity(),
    sa.Column("kind", sa.String(8), nullable=False),
    _id("args_digest"),
    _at("set_at"),
    _at("due_at"),
    sa.Column("state", sa.String(10), nullable=False),
    sa.PrimaryKeyConstraint("run_id", "path", "ordinal", "kind"),
    sa.Index("timer_due", "due_at", sqlite_where=sa.text("state = 'pending'")),
)

blob = sa.Table(
    "blob",
    metadata,
    _id("sha", primary_key=True),
    sa.Column("size", sa.BigInteger, nullable=False),
    _at("stored_at"),
)

trail = sa.Table(
    "trail",
    metadata,
    sa.Column("seq", sa.BigInteger().with_variant(sa.Integer, "sqlite"), primary_key=True, autoincrement=False),
    _at("at"),
    _text("by"),
    sa.Column("kind", sa.String(24), nullable=False),
    _text("subject"),
    _text("summary"),
    _text("before", nullable=True),
    _text("after", nullable=True),
    _id("prev_hash", nullable=False),
    _id("hash", nullable=False),
    sa.Index("trail_by_subject", "subject"),
)

# what holds for the whole home until it is taken back, such as a pause of everything: one value (JSON) per name
standing = sa.Table(
    "standing",
    metadata,
    sa.Column("name", sa.String(32), primary_key=True),
    _text("value"),
    _at("at"),
    _text("by"),
)

runner = sa.Table(
    "runner",
    metadata,
    sa.Column("one", sa.Integer, sa.CheckConstraint("one = 1", name="one_runner"), primary_key=True),
    _text("holder"),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("fence", sa.Integer, nullable=False),
    _at("started_at"),
    _at("renewed_at"),
    _at("expires_at"),
)
