"""Limits of spending on llms: what counts against each, and whether one more request fits.

What is reserved counts until it is settled, and what may have been billed stays reserved: so a limit holds whatever crashes. Requests
to llms without a known price count by their tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal

import sqlalchemy as sa

from counterfoil.clock import from_us, to_us
from counterfoil.store.llm_calls import NewAttempt
from counterfoil.store.llm_money import UNIT, units
from counterfoil.store.llm_tables import llm_attempt, llm_budget
from counterfoil.store.routine_tables import schedule
from counterfoil.store.tables import run as run_table
from counterfoil.store.transactions import Connection, Row, Txn

RUN, AGENT, SCHEDULE, WORKSPACE, DAY = "run", "agent", "schedule", "workspace", "day"
EVERY = ""  # the subject of a limit that holds for each run, or for the whole home; that of each run of a schedule has its id
MOST_RUN, MOST_DAY = 2 * UNIT, 20 * UNIT  # where nobody set a limit
MOST_RUN_TOKENS, MOST_DAY_TOKENS = 1_000_000, 10_000_000
_BUDGET = llm_budget
_ATTEMPT = llm_attempt
_RUN = run_table


@dataclass(frozen=True, slots=True)
class Spent:
    """What was spent or is reserved: money, and the tokens that nobody knows the price of."""

    money: int
    tokens: int


@dataclass(frozen=True, slots=True)
class Limit:
    """A limit and what counts against it; None: there is none in that unit."""

    scope: str
    subject: str
    most: int | None
    most_tokens: int | None
    spent: Spent


class Reached(Exception):
    """A request would go over a limit. `need` is what it reserves, in the unit that is over: money, or tokens."""

    def __init__(self, limit: Limit, need: int, *, in_tokens: bool, llm: str) -> None:
        super().__init__(limit.scope)
        self.limit = limit
        self.need = need
        self.in_tokens = in_tokens
        self.llm = llm


def refuse_over(txn: Txn, run: Row, path: str, new: NewAttempt) -> None:
    """Raise Reached where a request of a run does not fit into one of the limits that it counts against."""
    for limit in limits_of(txn.conn, run, path, txn.now_us):
        if new.charge is None:
            if limit.most_tokens is not None and limit.spent.tokens + new.tokens > limit.most_tokens:
                raise Reached(limit, new.tokens, in_tokens=True, llm=new.llm)
        elif new.charge and limit.most is not None and limit.spent.money + new.charge > limit.most:
            raise Reached(limit, new.charge, in_tokens=False, llm=new.llm)


def limits_of(conn: Connection, run: Row, path: str, now_us: int) -> list[Limit]:
    """The limits that a call in a branch of a run counts against, the narrowest first."""
    run_id = run["run_id"]
    above = [path[:end] for end in (*(i for i, sign in enumerate(path) if sign == "/"), len(path))]
    agents = {subject_of(run_id, one): one for one in {"", *above}}
    rows = conn.execute(sa.select(_BUDGET).where(_BUDGET.c.scope == AGENT, _BUDGET.c.subject.in_(agents))).mappings()
    found = [_limit(conn, row, _beneath(run_id, agents[row["subject"]])) for row in rows]
    found.append(Limit(RUN, run_id, *most_of_run(conn, run), _sum(conn, [_ATTEMPT.c.run_id == run_id])))
    month, day = _since(now_us)
    for scope, subject in ((SCHEDULE, run["schedule_id"]), (WORKSPACE, run["workspace"])):
        row = get(conn, scope, subject) if subject is not None else None
        if row is not None:
            found.append(_limit(conn, row, _of_month(scope, subject, month)))
    found.append(_day_limit(conn, day))
    return found


def subject_of(run_id: str, path: str) -> str:
    """What a limit of a branch and all beneath it is kept under."""
    return f"{run_id}:{path}"


def most_of_run(conn: Connection, run: Row) -> tuple[int | None, int | None]:
    """What one run may spend: as it was raised for it, else as its schedule says of each run, else as for every run."""
    own = get(conn, RUN, run["run_id"]) if run["run_id"] else None
    if own is not None:
        return own["most"], own["most_tokens"]
    most, most_tokens = _of_every_run(conn)
    each = get(conn, RUN, run["schedule_id"]) if run["schedule_id"] else None
    if each is None:
        return most, most_tokens
    return (
        most if each["most"] is None else each["most"],
        most_tokens if each["most_tokens"] is None else each["most_tokens"],
    )


def most_of_every_run(conn: Connection) -> int | None:
    """The money that each run may spend where nothing narrower was set; None: no limit."""
    return _of_every_run(conn)[0]


def _of_every_run(conn: Connection) -> tuple[int | None, int | None]:
    every = get(conn, RUN, EVERY)
    return (every["most"], every["most_tokens"]) if every is not None else (MOST_RUN, MOST_RUN_TOKENS)


def _day_limit(conn: Connection, day: int) -> Limit:
    row, spent = get(conn, DAY, EVERY), _sum(conn, [_ATTEMPT.c.started_at >= day])
    if row is None:
        return Limit(DAY, EVERY, MOST_DAY, MOST_DAY_TOKENS, spent)
    return Limit(DAY, EVERY, row["most"], row["most_tokens"], spent)


def _limit(conn: Connection, row: Row, counted: Sequence[sa.ColumnElement[bool]]) -> Limit:
    return Limit(row["scope"], row["subject"], row["most"], row["most_tokens"], _sum(conn, counted))


def _beneath(run_id: str, path: str) -> list[sa.ColumnElement[bool]]:
    of_run = _ATTEMPT.c.run_id == run_id
    return [of_run, sa.or_(_ATTEMPT.c.path == path, _ATTEMPT.c.path.startswith(f"{path}/"))] if path else [of_run]


def _of_month(scope: str, subject: str, month: int) -> list[sa.ColumnElement[bool]]:
    column = _RUN.c.schedule_id if scope == SCHEDULE else _RUN.c.workspace
    runs = sa.select(_RUN.c.run_id).where(column == subject)
    return [_ATTEMPT.c.started_at >= month, _ATTEMPT.c.run_id.in_(runs)]


def _sum(conn: Connection, counted: Sequence[sa.ColumnElement[bool]]) -> Spent:
    unpriced = sa.case((_ATTEMPT.c.charge.is_(None), _ATTEMPT.c.tokens), else_=0)
    query = sa.select(
        sa.func.coalesce(sa.func.sum(_ATTEMPT.c.charge), 0), sa.func.coalesce(sa.func.sum(unpriced), 0)
    ).where(*counted)
    row = conn.execute(query).one()
    return Spent(int(row[0]), int(row[1]))


def _since(now_us: int) -> tuple[int, int]:
    """When the month and the day began, on this computer's clock."""
    day = from_us(now_us).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    return to_us(day.replace(day=1)), to_us(day)


def month_of(conn: Connection, now_us: int) -> list[tuple[str, Spent]]:
    """What each day of the last 31 has come to: pairs of its date (ISO 8601) and what was spent, the oldest first."""
    today = from_us(now_us).astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    days = [today - timedelta(days=back) for back in range(30, -1, -1)]
    ends = [*days[1:], today + timedelta(days=1)]
    return [
        (f"{begin:%Y-%m-%d}", _sum(conn, [_ATTEMPT.c.started_at >= to_us(begin), _ATTEMPT.c.started_at < to_us(end)]))
        for begin, end in zip(days, ends, strict=True)
    ]


# -------------------------------------------------------------------------------------------------------------- setting


def get(conn: Connection, scope: str, subject: str) -> Row | None:
    """A limit that somebody has set."""
    query = sa.select(_BUDGET).where(_BUDGET.c.scope == scope, _BUDGET.c.subject == subject)
    return conn.execute(query).mappings().first()


def all_set(conn: Connection) -> Sequence[Row]:
    """Every limit that somebody has set, those of single runs and agents left out."""
    of_schedules = sa.and_(_BUDGET.c.scope == RUN, _BUDGET.c.subject.in_(sa.select(schedule.c.schedule_id)))
    query = sa.select(_BUDGET).where(
        sa.or_(_BUDGET.c.scope.in_((SCHEDULE, WORKSPACE, DAY)), _BUDGET.c.subject == EVERY, of_schedules)
    )
    return conn.execute(query.order_by(_BUDGET.c.scope, _BUDGET.c.subject)).mappings().all()


def put(txn: Txn, scope: str, subject: str, most: int | None, most_tokens: int | None, by: str) -> None:
    """Set a limit."""
    fresh = {"most": most, "most_tokens": most_tokens, "at": txn.now_us, "by": by}
    here = (_BUDGET.c.scope == scope, _BUDGET.c.subject == subject)
    if not txn.do(sa.update(_BUDGET).where(*here).values(**fresh)):
        txn.do(sa.insert(_BUDGET).values(scope=scope, subject=subject, **fresh))


def drop(txn: Txn, scope: str, subject: str) -> bool:
    """Take a limit back; False where none was set."""
    return txn.do(sa.delete(_BUDGET).where(_BUDGET.c.scope == scope, _BUDGET.c.subject == subject)) == 1


def set_for_branch(txn: Txn, run_id: str, path: str, budget: Decimal) -> None:
    """A conversation opens with a budget of its own. The first counts: nobody raises it by opening another."""
    subject = subject_of(run_id, path)
    if get(txn.conn, AGENT, subject) is None:
        put(txn, AGENT, subject, units(budget), None, "workflow")


def carry(txn: Txn, run_id: str, fresh_id: str) -> None:
    """Give a new run the budgets that conversations of another one have opened with."""
    query = sa.select(_BUDGET).where(_BUDGET.c.scope == AGENT, _BUDGET.c.subject.startswith(subject_of(run_id, "")))
    for row in txn.conn.execute(query).mappings().all():
        path = row["subject"].removeprefix(subject_of(run_id, ""))
        put(txn, AGENT, subject_of(fresh_id, path), row["most"], row["most_tokens"], row["by"])
