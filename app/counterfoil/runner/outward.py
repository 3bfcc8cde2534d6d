"""What a firing needs of the outside, looked at before it comes: an llm that can be reached and is priced, limits that are not used up,
and whether people's rules still allow what the last run did.

A rule that was taken back stops nothing: the run asks where it did not. One that forbids what the last run did would make it fail.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable
from urllib.parse import urlsplit

from counterfoil.connectors.ruling import reading_rule
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.judging import around_of
from counterfoil.engine.ports import Permission
from counterfoil.policy.judging import Rules
from counterfoil.routing.entries import Entry, entry_from
from counterfoil.routing.prices import price_of
from counterfoil.runner.findings import Finding, Planned
from counterfoil.store import history, intents, llm_budgets, llm_routes, permission_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.llm_money import dollars, words

PATIENCE = 2.0  # seconds in which a host must open a connection


def has_key(entry: Entry, secrets: list[str]) -> bool:
    """Whether the key of an llm is where its entry says; `secrets` are the names that are kept."""
    kind, _, name = (entry.key or "").partition(":")
    return not kind or (name in secrets if kind == "secret" else bool(os.environ.get(name, "").strip()))


def _reach(one: Planned) -> Finding | None:
    """The first llm of the chain that could be asked now; a connection is opened, nothing is asked."""
    if one.manifest.get("works_without_llm") is not False or not one.is_near:
        return None
    names = Keyring(one.home).names()
    chain = [entry_from(row) for row in llm_routes.entries(one.conn, llm_routes.DEFAULT)]
    chain = [entry for entry in chain if has_key(entry, names)]
    if not chain:
        return None  # said by what is missing before it
    troubles = _troubles(chain)
    usable = next((entry for entry, trouble in zip(chain, troubles, strict=True) if not trouble), None)
    if usable is None:
        told = " ".join(f"{entry.host}: {trouble}." for entry, trouble in zip(chain, troubles, strict=True))
        return Finding("reach", False, f"No llm of the route can be reached. {told}", "Try it: counterfoil route test")
    known = price_of(usable, 1000, 1000).cost is not None
    price = "" if known else " Its price is not known, so its tokens are counted."
    return Finding("reach", True, f"{usable.name} can be reached.{price}")


def _troubles(chain: list[Entry]) -> list[str]:
    """Why each llm cannot be reached, empty where it can. All are tried at once, because the runner waits for this; a name that is not
    resolved in time is left to a thread that keeps nobody."""
    found = ["it took too long"] * len(chain)

    def look(at: int) -> None:
        found[at] = _unreached(chain[at])

    threads = [threading.Thread(target=look, args=(at,), daemon=True) for at in range(len(chain))]
    for thread in threads:
        thread.start()
    until = time.monotonic() + PATIENCE
    for thread in threads:
        thread.join(max(0.0, until - time.monotonic()))
    return list(found)


def _unreached(entry: Entry) -> str:
    parts = urlsplit(entry.address)
    try:
        port = parts.port or (80 if parts.scheme == "http" else 443)
        socket.create_connection((parts.hostname or "", port), PATIENCE).close()
    except (OSError, ValueError) as problem:
        return (getattr(problem, "strerror", None) or str(problem)).lower()
    return ""


def _last_run(one: Planned) -> Finding | None:
    """What the last run did, judged by the rules as they are now."""
    conn = one.conn
    last = history.last_done(conn, one.row["template"], str(one.workspace))
    if last is None or not one.manifest:
        return None
    policy, blobs, asks = Rules([reading_rule(one.database)]), Blobs(one.home), False
    allowed = {(row["path"], row["ordinal"]) for row in permission_rows.used_by(conn, last["run_id"])}
    for intent in intents.of_run(conn, last["run_id"]):
        body = json.loads(blobs.text(intent["body"], intent["body_blob"]))
        around = around_of(conn, body, last["template"], last["run_id"])
        said = policy.judge(body, str(one.workspace), dict(one.manifest), around)
        if said.permission is Permission.DENY:
            told = f"What the last run did is forbidden now: {said.reason}"
            return Finding("last_run", False, told, "See: counterfoil permission list")
        asks |= said.permission is Permission.ASK and (intent["path"], intent["ordinal"]) in allowed
    if asks:
        return Finding(
            "last_run", True, "It would ask where the last run had a rule: that was taken back, or covers less."
        )
    return Finding("last_run", True, "Rules allow and ask as they did for the last run.")


def _budget(one: Planned) -> Finding | None:
    """Whether anything is left of what its llm calls would count against; a limit of today says nothing of tomorrow."""
    if one.manifest.get("works_without_llm") is not False or not one.is_near:
        return None
    about = {"run_id": "", "schedule_id": one.row["schedule_id"] or None, "workspace": str(one.workspace)}
    limits = llm_budgets.limits_of(one.conn, about, "", one.database.clock.now_us())
    for limit in limits:
        if limit.most is not None and limit.spent.money >= limit.most:
            told = f"{words(dollars(limit.spent.money))} of {words(dollars(limit.most))} are spent ({limit.scope})."
        elif limit.most_tokens is not None and limit.spent.tokens >= limit.most_tokens:
            told = f"{limit.spent.tokens:,} of {limit.most_tokens:,} tokens are spent ({limit.scope})."
        else:
            continue
        return Finding("budget", False, f"Nothing is left for llms: {told}", "Raise it: counterfoil route limit")
    left = min((limit.most - limit.spent.money for limit in limits if limit.most is not None), default=None)
    return Finding(
        "budget", True, f"{words(dollars(left))} may be spent on llms." if left is not None else "No limit on llms."
    )


CHECKS: tuple[Callable[[Planned], Finding | None], ...] = (_reach, _last_run, _budget)
