"""Routes as people change them: checked, and each change in the trail. Keys are named; whoever writes one here is told where it belongs."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from urllib.parse import urlsplit

from counterfoil.errors import WrongUse, did_you_mean
from counterfoil.facts import person
from counterfoil.routing.entries import ADDRESSES, LOCAL, PROVIDERS, is_loopback
from counterfoil.store import llm_budgets, llm_routes, trail_rows
from counterfoil.store.llm_money import units
from counterfoil.store.llm_routes import NewEntry
from counterfoil.store.transactions import Row, Txn

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_KEY = re.compile(r"(secret:[A-Za-z0-9][A-Za-z0-9._-]{0,63}|env:[A-Za-z_][A-Za-z0-9_]{0,99})")
MOST = 20  # llms in one route


def checked(new: NewEntry) -> NewEntry:
    """An entry that can be used, its blanks filled in.

    Raises:
        WrongUse: it cannot; the message says what is wrong.
    """
    if new.provider not in PROVIDERS:
        raise WrongUse(
            f"There is no provider ‘{new.provider}’.",
            did_you_mean(new.provider, PROVIDERS) or f"There are: {', '.join(PROVIDERS)}.",
        )
    if not new.llm.strip():
        raise WrongUse("The llm has no name.", "Name it as its provider does, for example gpt-5-mini.")
    address = _address(new)
    here = is_loopback(urlsplit(address).hostname or "")
    if new.key is not None and not _KEY.fullmatch(new.key):  # not repeated: it may be the key itself
        raise WrongUse(
            "A key is named, never given here, where other programs can read it.",
            "Keep it with: counterfoil secret set NAME, then write --key secret:NAME, or --key env:VARIABLE",
        )
    if new.key is None and new.provider in ADDRESSES and not here:
        raise WrongUse(
            f"{new.provider} needs a key.", "Write --key secret:NAME (kept in the keyring) or --key env:VARIABLE."
        )
    if new.window is not None and new.window < 1:
        raise WrongUse("The window has no tokens.", "Write --window TOKENS, for example 128000.")
    priced, price_in, price_out = _priced(new, here=here)
    return replace(new, address=address, priced=priced, price_in=price_in, price_out=price_out)


def _address(new: NewEntry) -> str:
    address = new.address or ADDRESSES.get(new.provider) or LOCAL.get(new.provider)
    if not address:
        raise WrongUse(
            f"Where the {new.provider} server is was not said.",
            "Write --address URL, for example http://127.0.0.1:8080/v1",
        )
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018 - raises where it is no number
    except ValueError as problem:
        raise WrongUse(f"The address cannot be read: {problem}.", "Write --address https://HOST/v1") from problem
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise WrongUse(f"‘{address}’ is no web address.", "Write --address https://HOST/v1")
    if parts.username or parts.password:
        raise WrongUse("The address holds a password.", "Leave it away and name a key with --key.")
    if parts.scheme == "http" and not is_loopback(parts.hostname):
        raise WrongUse(
            f"{parts.hostname} would be asked without encryption.", "Write https://, or an address of this computer."
        )
    return address.rstrip("/")


def _priced(new: NewEntry, *, here: bool) -> tuple[str, str | None, str | None]:
    """Where the price is from: as it was said, nothing for this computer, the table of known prices for vendors, else unknown."""
    if (new.price_in is None) != (new.price_out is None):
        raise WrongUse(
            "One price is missing.", "Write both --price-in and --price-out, in US dollars per million tokens."
        )
    if new.price_in is not None and new.price_out is not None:
        return "set", _amount(new.price_in), _amount(new.price_out)
    if new.priced == "flat":
        return "flat", None, None
    return ("local" if here else "table" if new.provider in ADDRESSES else "unknown"), None, None


def _amount(text: str) -> str:
    try:
        amount = Decimal(text)
    except InvalidOperation as problem:
        raise WrongUse(f"‘{text}’ is no price.", "Write US dollars per million tokens, for example 0.15.") from problem
    if not amount.is_finite() or not 0 <= amount < 10**6:
        raise WrongUse(f"‘{text}’ is no price.", "Write US dollars per million tokens, for example 0.15.")
    return format(amount, "f")


def add(txn: Txn, route: str, new: NewEntry, by: str) -> int:
    """Add a checked llm at the end of a route, which is made if need be; its place.

    Raises:
        WrongUse: the route's name cannot be one, or it is full.
    """
    if not _NAME.fullmatch(route):
        raise WrongUse(f"‘{route[:80]}’ cannot be the name of a route.", "Use small letters, digits and dashes.")
    if llm_routes.route(txn.conn, route) is None:
        llm_routes.put_route(txn, route, stays=False, by=by)
    if len(llm_routes.entries(txn.conn, route)) >= MOST:
        raise WrongUse(
            f"The route ‘{route}’ has {MOST} llms already.", f"Take one out: counterfoil route remove {route} N"
        )
    place = llm_routes.add_entry(txn, route, new)
    _note(txn, route, by, f"added {new.provider} {new.llm} to the route ‘{route}’", {"place": place, "key": new.key})
    return place


def remove(txn: Txn, route: str, place: int, by: str) -> None:
    """Take the llm at a place out of a route; a route without any goes.

    Raises:
        WrongUse: there is none.
    """
    row = _entry(txn, route, place)
    llm_routes.remove_entry(txn, route, place)
    if not llm_routes.entries(txn.conn, route):
        llm_routes.remove_route(txn, route)
    _note(txn, route, by, f"took {row['provider']} {row['llm']} out of the route ‘{route}’", {"place": place})


def order(txn: Txn, route: str, places: list[int], by: str) -> None:
    """Put the llms of a route into the order of these places.

    Raises:
        WrongUse: not every one is named once.
    """
    rows = {row["rank"]: row for row in llm_routes.entries(txn.conn, _known(txn, route))}
    if sorted(places) != sorted(rows):
        raise WrongUse(
            f"The order must name each of the {len(rows)} llms once.",
            f"Write: counterfoil route order {route} {' '.join(map(str, sorted(rows, reverse=True)))}",
        )
    llm_routes.order(txn, route, [rows[place]["entry_id"] for place in places])
    named = ", ".join(f"{rows[place]['provider']} {rows[place]['llm']}" for place in places)
    _note(txn, route, by, f"put the route ‘{route}’ in the order {named}", {"places": places})


def pin(txn: Txn, route: str, *, stays: bool, by: str) -> None:
    """Say whether what a route is asked stays on this computer.

    Raises:
        WrongUse: there is no such route.
    """
    llm_routes.put_route(txn, _known(txn, route), stays=stays, by=by)
    words = f"pinned the route ‘{route}’ to this computer" if stays else f"let the route ‘{route}’ leave this computer"
    _note(txn, route, by, words, {"stays": stays})


def limit(txn: Txn, scope: str, subject: str, most: Decimal | None, tokens: int | None, by: str) -> None:
    """Set a limit of spending; what is not given stays as it is.

    Raises:
        WrongUse: neither money nor tokens are given.
    """
    if most is None and tokens is None:
        raise WrongUse("The limit has no amount.", "Write US dollars, --tokens N, or none to take it back.")
    before = llm_budgets.get(txn.conn, scope, subject)
    unset = {llm_budgets.RUN: (llm_budgets.MOST_RUN, llm_budgets.MOST_RUN_TOKENS)}
    unset[llm_budgets.DAY] = (llm_budgets.MOST_DAY, llm_budgets.MOST_DAY_TOKENS)
    old = (before["most"], before["most_tokens"]) if before is not None else (None, None)
    if before is None and subject == llm_budgets.EVERY:
        old = unset.get(scope, old)
    new = (old[0] if most is None else units(most), old[1] if tokens is None else tokens)
    llm_budgets.put(txn, scope, subject, *new, by)
    _note_limit(txn, scope, subject, by, f"set the limit of llms for {_whose(scope, subject)}", new)


def forget_limit(txn: Txn, scope: str, subject: str, by: str) -> None:
    """Take a limit back; for runs and days that nobody limits, one holds all the same.

    Raises:
        WrongUse: none was set.
    """
    if not llm_budgets.drop(txn, scope, subject):
        raise WrongUse(f"No limit of a {scope} was set there.", "See: counterfoil route limit")
    _note_limit(txn, scope, subject, by, f"took the limit of llms for {_whose(scope, subject)} back", (None, None))


def limit_each(txn: Txn, schedule_id: str, most: Decimal | None, by: str) -> bool:
    """Set what each run of a schedule may spend, or take that back; whether it is another than before."""
    before = llm_budgets.get(txn.conn, llm_budgets.RUN, schedule_id)
    if (before["most"] if before else None) == (None if most is None else units(most)):
        return False
    if most is None:
        forget_limit(txn, llm_budgets.RUN, schedule_id, by)
    else:
        limit(txn, llm_budgets.RUN, schedule_id, most, None, by)
    return True


def _whose(scope: str, subject: str) -> str:
    return "each run of a schedule" if scope == llm_budgets.RUN and subject != llm_budgets.EVERY else f"a {scope}"


def _note_limit(txn: Txn, scope: str, subject: str, by: str, what: str, new: tuple[int | None, int | None]) -> None:
    after = {"scope": scope, "subject": subject, "most": new[0], "most_tokens": new[1]}
    trail_rows.append(
        txn, by=by, kind="llm_limit", subject=f"limit:{scope}", summary=f"{person(by)} {what}", after=after
    )


def _known(txn: Txn, route: str) -> str:
    if llm_routes.route(txn.conn, route) is None:
        names = [row["name"] for row in llm_routes.routes(txn.conn)]
        raise WrongUse(
            f"There is no route ‘{route[:80]}’.",
            did_you_mean(route, names) or "Make it with: counterfoil route add LLM",
        )
    return route


def _entry(txn: Txn, route: str, place: int) -> Row:
    for row in llm_routes.entries(txn.conn, _known(txn, route)):
        if row["rank"] == place:
            return row
    raise WrongUse(f"The route ‘{route}’ has no llm at place {place}.", "See: counterfoil route list")


def _note(txn: Txn, route: str, by: str, words: str, after: dict[str, object]) -> None:
    summary = f"{person(by)} {words}"
    trail_rows.append(
        txn, by=by, kind="route", subject=f"route:{route}", summary=summary, after={"route": route, **after}
    )
