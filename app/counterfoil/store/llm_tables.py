"""Tables of llm calls: what was asked, each request that left, and what people have set up for it.

Money is BIGINT in millionths of a millionth of a US dollar, so that it can be added up by the database and a price per token is exact.
"""

from __future__ import annotations

import sqlalchemy as sa

from counterfoil.store.columns import identity as _identity
from counterfoil.store.columns import instant as _at
from counterfoil.store.columns import key as _id
from counterfoil.store.columns import row as _row
from counterfoil.store.columns import text as _text
from counterfoil.store.tables import metadata

# one turn of a conversation: `opening` (JSON) at its first, else the turn it comes after; `delta` (JSON) is what was said anew
llm_call = sa.Table(
    "llm_call",
    metadata,
    *_identity(),
    _text("name"),
    _id("digest"),
    _text("after_path", nullable=True),
    sa.Column("after_ordinal", sa.Integer, nullable=True),
    _text("opening", nullable=True),
    sa.Column("opening_blob", sa.Boolean, nullable=False),
    _text("delta"),
    sa.Column("delta_blob", sa.Boolean, nullable=False),
    _text("compacted", nullable=True),
    sa.Column("rounds", sa.Integer, nullable=False),  # how often the whole route was tried in vain
    _at("asked_at"),
    sa.PrimaryKeyConstraint("run_id", "path", "ordinal"),
)

# one request to one llm, committed before its bytes leave. `charge` and `tokens` are what it counts for in budgets: reserved at first,
# then what it was; `asked` and `told` are JSON; `response` is the answer as its adapter reads it again
llm_attempt = sa.Table(
    "llm_attempt",
    metadata,
    _row(),
    *_identity(),
    sa.Column("n", sa.Integer, nullable=False),
    _text("route"),
    _text("provider"),
    _text("host"),
    _text("llm"),
    _text("asked"),
    _at("started_at"),
    _at("ended_at", nullable=True),
    sa.Column("end", sa.String(10), nullable=True),
    sa.CheckConstraint("\"end\" IN ('ok','rejected','not_sent','unknown','cut','cancelled')", name="llm_attempt_end"),
    sa.Column("charge", sa.BigInteger, nullable=True),  # none where nobody knows the price
    sa.Column("tokens", sa.BigInteger, nullable=False),
    _text("told", nullable=True),
    _text("response", nullable=True),
    sa.Column("response_blob", sa.Boolean, nullable=False),
    sa.UniqueConstraint("run_id", "path", "ordinal", "n", name="one_llm_attempt_per_try"),
    # exactly one answer per call
    sa.Index("one_ok_per_llm_call", "run_id", "path", "ordinal", unique=True, sqlite_where=sa.text("\"end\" = 'ok'")),
    sa.Index("llm_attempt_started", "started_at"),
)

# an ordered chain of llms; what goes to a route that `stays` goes to this computer only
llm_route = sa.Table(
    "llm_route",
    metadata,
    sa.Column("name", sa.String(64), primary_key=True),
    sa.Column("stays", sa.Boolean, nullable=False),
    _at("at"),
    _text("by"),
)

# one llm of a route. `key` names where the key is, never the key; prices are per million tokens, `priced` says where they are from
llm_entry = sa.Table(
    "llm_entry",
    metadata,
    sa.Column("entry_id", sa.String(32), primary_key=True),
    sa.Column("route", sa.String(64), sa.ForeignKey("llm_route.name"), nullable=False),
    sa.Column("rank", sa.Integer, nullable=False),
    sa.Column("provider", sa.String(16), nullable=False),
    _text("address", nullable=True),
    _text("llm"),
    _text("key", nullable=True),
    sa.Column("window", sa.Integer, nullable=True),
    sa.Column("priced", sa.String(8), nullable=False),
    sa.CheckConstraint("priced IN ('table','set','flat','local','unknown')", name="llm_entry_priced"),
    _text("price_in", nullable=True),
    _text("price_out", nullable=True),
    sa.UniqueConstraint("route", "rank", name="one_llm_per_place"),
)

# limits of spending: of a run, or of a month of a schedule, a workspace or (`day`) a day of everything
llm_budget = sa.Table(
    "llm_budget",
    metadata,
    sa.Column("scope", sa.String(12), nullable=False),
    sa.CheckConstraint("scope IN ('run','agent','schedule','workspace','day')", name="llm_budget_scope"),
    _text("subject"),
    sa.Column("most", sa.BigInteger, nullable=True),
    sa.Column("most_tokens", sa.BigInteger, nullable=True),
    _at("at"),
    _text("by"),
    sa.PrimaryKeyConstraint("scope", "subject"),
)
