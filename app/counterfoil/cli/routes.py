"""`route`: llms that runs may ask, in which order, with which key and price, and how much may be spent on them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.catalogue.finding import list_templates
from counterfoil.catalogue.manifest import LlmUse
from counterfoil.cli.call import Call
from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.opening import opened, workspace_of
from counterfoil.cli.options import Context, Workspace, call_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell, cell, counted
from counterfoil.effects.secrets import Keyring
from counterfoil.errors import WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.routing import estimating, keeping, local, trying
from counterfoil.routing.entries import LOCAL, Entry, entry_from
from counterfoil.store import llm_budgets, llm_routes, schedules
from counterfoil.store.llm_money import amount_of, units, words
from counterfoil.store.llm_routes import DEFAULT, NewEntry
from counterfoil.views.llms import limit_documents, money, route_documents, spending_document

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Llms that runs may ask: in which order, with which key, and how much may be spent.",
    epilog=EVERYWHERE,
)
Route = Annotated[str, typer.Argument(metavar="ROUTE", help="The name of the route.")]
Place = Annotated[int, typer.Argument(metavar="N", help="Its place in the route, from 1.", show_default=False)]
_PRICES = {
    "local": "nothing, it is here",
    "flat": "a flat rate",
    "table": "by the price table",
    "unknown": "no price known: tokens are limited",
}


@app.command("list", epilog=EVERYWHERE)
def list_(context: Context) -> None:
    """Every route: its llms in the order they are asked, their keys by name, their prices."""
    call = call_of(context)
    with opened(call) as home:
        found = route_documents(home.database.reader)
    call.document(found)
    if not found:
        call.line("No llm is set up. Add one: counterfoil route add LLM --provider openai --key secret:NAME")
        call.line("Servers on this computer: counterfoil route find")
        return
    for route in found:
        call.line(f"{route['name']}{' · stays on this computer' if route['stays'] else ''}")
        rows = [
            [
                Cell(str(one["place"]), figure=True),
                Cell(f"{one['provider']} {one['llm']}"),
                Cell(one["address"]),
                Cell(one["key"] or "no key"),
                Cell(_price(one)),
            ]
            for one in route["llms"]
        ]
        call.lines(table(["", "llm", "address", "key", "price"], rows, call.width, indent=2))


def _price(one: Mapping[str, Any]) -> str:
    if one["priced"] == "set":
        return f"${one['price_in']} in, ${one['price_out']} out per million tokens"
    return _PRICES[one["priced"]]


@app.command("add", epilog=EVERYWHERE)
def add(
    context: Context,
    llm: Annotated[str, typer.Argument(metavar="LLM", help="As its provider calls it.", show_default=False)],
    provider: Annotated[
        str,
        typer.Option("--provider", metavar="NAME", help="openai, anthropic, openrouter, ollama, llamacpp, compatible."),
    ] = "compatible",
    address: Annotated[str, typer.Option("--address", metavar="URL", help="Where it is, up to /v1.")] = "",
    key: Annotated[str, typer.Option("--key", metavar="secret:NAME|env:NAME", help="Where its key is.")] = "",
    route: Annotated[str, typer.Option("--route", metavar="ROUTE", help="The route it is added to.")] = DEFAULT,
    window: Annotated[int | None, typer.Option("--window", metavar="TOKENS", help="The most it takes at once.")] = None,
    price_in: Annotated[str, typer.Option("--price-in", metavar="USD", help="Per million tokens that are sent.")] = "",
    price_out: Annotated[str, typer.Option("--price-out", metavar="USD", help="Per million tokens of answers.")] = "",
    flat: Annotated[bool, typer.Option("--flat", help="Paid by a flat rate: a call costs nothing more.")] = False,
) -> None:
    """Add an llm at the end of a route."""
    call = call_of(context)
    new = keeping.checked(
        NewEntry(
            provider,
            address or None,
            llm,
            key or None,
            window,
            "flat" if flat else "",
            price_in or None,
            price_out or None,
        )
    )
    kind, _, name = (new.key or "").partition(":")
    if kind == "secret" and name not in Keyring(call.home).names():
        call.say(f"the secret “{name}” is not kept yet: counterfoil secret set {name}")
    with opened(call) as home:
        place = home.database.transact(lambda txn: keeping.add(txn, route, new, account()))
        call.document(_route(route_documents(home.database.reader), route))
    call.line(
        f"{new.provider} {new.llm} is number {place} of the route ‘{route}’: {_PRICES.get(new.priced, 'by its price')}."
    )
    call.line(f"Try it out: counterfoil route test {route}")


def _route(found: list[dict[str, Any]], name: str) -> dict[str, Any]:
    return next((one for one in found if one["name"] == name), {"name": name, "stays": False, "llms": []})


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, route: Route, place: Place) -> None:
    """Take an llm out of a route; a route without any goes."""
    call = call_of(context)
    with opened(call) as home:
        home.database.transact(lambda txn: keeping.remove(txn, route, place, account()))
        call.document(_route(route_documents(home.database.reader), route))
    call.line(f"Number {place} of the route ‘{route}’ is taken out. Its key stays in the keyring.")


@app.command("order", epilog=EVERYWHERE)
def order(
    context: Context,
    route: Route,
    places: Annotated[list[int], typer.Argument(metavar="N N…", help="The places as they are, in the new order.")],
) -> None:
    """Put the llms of a route into another order."""
    call = call_of(context)
    with opened(call) as home:
        home.database.transact(lambda txn: keeping.order(txn, route, places, account()))
        found = _route(route_documents(home.database.reader), route)
    call.document(found)
    call.lines([f"{one['place']}. {one['provider']} {one['llm']}" for one in found["llms"]])


@app.command("pin", epilog=EVERYWHERE)
def pin(
    context: Context,
    route: Route,
    stays: Annotated[bool, typer.Option("--stays/--may-leave", help="Whether what it is asked stays here.")] = True,
) -> None:
    """Say that what a route is asked stays on this computer: then only llms on it are asked, or nobody."""
    call = call_of(context)
    with opened(call) as home:
        home.database.transact(lambda txn: keeping.pin(txn, route, stays=stays, by=account()))
        call.document(_route(route_documents(home.database.reader), route))
    call.line(f"What the route ‘{route}’ is asked {'stays on this computer' if stays else 'may leave this computer'}.")


@app.command("test", epilog=EVERYWHERE)
def try_out(context: Context, route: Route = DEFAULT) -> int:
    """Ask each llm of a route one short question, which may cost a little."""
    call = call_of(context)
    with opened(call) as home:
        entries = [entry_from(row) for row in llm_routes.entries(home.database.reader, route)]
    if not entries:
        raise WrongUse(f"There is no route ‘{route}’.", "Make it with: counterfoil route add LLM")
    keyring, tried = Keyring(call.home), []
    for entry in entries:
        one = trying.try_out(entry, keyring.get)
        tried.append(one)
        cost = f", {words(one.cost)}" if one.well else ""
        call.line(f"{entry.place}. {entry.name}: {one.words}{f' ({one.seconds:.1f} s{cost})' if one.seconds else ''}")
    call.document(
        [
            {
                "place": one.entry.place,
                "llm": one.entry.name,
                "well": one.well,
                "words": one.words,
                "seconds": round(one.seconds, 3),
                "cost": None if one.cost is None else money(units(one.cost)),
            }
            for one in tried
        ]
    )
    bad = sum(not one.well for one in tried)
    if bad:
        call.say(f"{counted(bad, 'llm does', 'llms do')} not answer as the route ‘{route}’ is set up.")
    return 1 if bad else 0


@app.command("find", epilog=EVERYWHERE)
def find(context: Context) -> None:
    """Look for servers of llms on this computer (Ollama, llama.cpp), and say how to add one. Nothing is set up by looking."""
    call = call_of(context)
    found = local.look()
    call.document([{"provider": one.provider, "address": one.address, "llms": list(one.llms)} for one in found])
    for one in found:
        call.line(f"{one.provider} answers at {one.address}: {', '.join(one.llms)}")
        call.line(f"  counterfoil route add {one.llms[0]} --provider {one.provider}")
    if not found:
        call.line(f"None answers at {', '.join(LOCAL.values())}. Elsewhere: counterfoil route add LLM --address URL")


@app.command("estimate", epilog=EVERYWHERE)
def estimate(
    context: Context,
    template: Annotated[str, typer.Argument(metavar="[TEMPLATE]", help="Which; else each that says enough.")] = "",
    workspace: Workspace = None,
    route: Annotated[str, typer.Option("--route", metavar="ROUTE", help="The route that is asked.")] = DEFAULT,
) -> None:
    """What a document of a template may cost before anything is asked, as earlier runs did, else by each llm's price."""
    call = call_of(context)
    place = workspace_of(workspace)
    found: list[dict[str, Any]] = []
    with opened(call) as home:
        conn = home.database.reader
        entries = [entry_from(row) for row in llm_routes.entries(conn, route)]
        for one in list_templates(place, call.home):
            use = one.manifest.llm_use if one.manifest else None
            if use is None or template not in ("", one.name):
                continue
            each = estimating.each_of(conn, one.name, use, str(place), route)
            found.append(
                {
                    "template": one.name,
                    "per": use.per,
                    "words": None if each is None else f"{each.words}, {each.source}",
                    "low": None if each is None else money(units(each.low)),
                    "high": None if each is None else money(units(each.high)),
                    "runs": 0 if each is None else each.runs,
                    "llms": [_reckoned(use, entry) for entry in entries],
                }
            )
    call.document(found)
    for told in found:
        call.line(f"{told['template']}: {told['words'] or 'nothing is known of what it costs, or it costs nothing'}")
    if not found:
        call.line("No template says what it asks of an llm." if not template else f"‘{template}’ does not say it.")


def _reckoned(use: LlmUse, entry: Entry) -> dict[str, Any]:
    """What a document would cost with one llm of a route, and what a million tokens do."""
    each, million = estimating.reckoned(use, entry), estimating.per_million(entry)
    prices: dict[str, str | None] = {"price_in": None, "price_out": None}
    if million is not None:
        prices = {name: f"{price.normalize():f}" for name, price in zip(prices, million, strict=True)}
    return {"place": entry.place, "llm": entry.llm, "words": None if each is None else each.words, **prices}


@app.command("limit", epilog=EVERYWHERE)
def limit(
    context: Context,
    scope: Annotated[str, typer.Argument(metavar="[run|day|workspace|schedule]", help="What is limited.")] = "",
    most: Annotated[str, typer.Argument(metavar="[USD]", help="The most, in US dollars; none takes it back.")] = "",
    tokens: Annotated[
        int | None, typer.Option("--tokens", metavar="N", help="The most tokens of llms without a known price.")
    ] = None,
    workspace: Annotated[Path | None, typer.Option("--workspace", metavar="DIR", help="Which workspace.")] = None,
    schedule: Annotated[str, typer.Option("--schedule", metavar="NAME", help="Which schedule.")] = "",
) -> None:
    """Limits of spending: of each run (with --schedule: of one schedule), of a day, or of a month of a workspace or schedule. Without
    words, those that hold."""
    call = call_of(context)
    with opened(call) as home:
        if scope:
            subject = _subject(home.database.reader, scope, workspace, schedule)
            amount = None if most in ("", "none") else amount_of(most)
            if most == "none":
                home.database.transact(lambda txn: keeping.forget_limit(txn, scope, subject, account()))
            else:
                home.database.transact(lambda txn: keeping.limit(txn, scope, subject, amount, tokens, account()))
        found = limit_documents(home.database.reader)
        names = {row["schedule_id"]: row["name"] for row in schedules.living(home.database.reader)}
    call.document(found)
    rows = [
        [
            Cell(one["scope"]),
            Cell(names.get(one["subject"]) or one["subject"]),
            cell(one["most"]),
            Cell(_tokens(one)),
            Cell(one["set_by"] or "unset"),
        ]
        for one in found
    ]
    call.lines(table(["limit", "of", "most", "without a price", ""], rows, call.width))


def _tokens(one: Mapping[str, Any]) -> str:
    return "" if one["most_tokens"] is None else f"{one['most_tokens']:,} tokens"


def _subject(conn: Any, scope: str, workspace: Path | None, schedule: str) -> str:
    if scope == llm_budgets.DAY or (scope == llm_budgets.RUN and not schedule):
        return llm_budgets.EVERY
    if scope == llm_budgets.WORKSPACE:
        return str(workspace_of(workspace))
    if scope not in (llm_budgets.SCHEDULE, llm_budgets.RUN):
        raise WrongUse(f"There is no limit of a ‘{scope}’.", "Limited are: run, day, workspace, schedule.")
    row = schedules.named(conn, schedule)
    if row is None:
        raise WrongUse(f"There is no schedule ‘{schedule}’.", "See: counterfoil schedule list")
    return str(row["schedule_id"])


@app.command("spent", epilog=EVERYWHERE)
def spent(context: Context) -> None:
    """What llms have cost in the last 31 days, day by day; what is reserved and what may have been billed counts."""
    call = call_of(context)
    with opened(call) as home:
        found = spending_document(home.database.reader, home.database.clock.now_us())
    call.document(found)
    _show_spent(call, found)


def _show_spent(call: Call, found: list[dict[str, Any]]) -> None:
    days = [one for one in found if one["cost"]["amount"] != "0" or one["unpriced_tokens"]]
    if not days:
        call.line("Nothing was spent on llms in the last 31 days.")
        return
    rows = [[Cell(one["day"]), Cell(_dollars(one)), Cell(_unpriced(one), figure=True)] for one in days]
    total = sum((Decimal(one["cost"]["amount"]) for one in days), Decimal(0))
    call.lines(table(["day", "cost", "tokens without a price"], rows, call.width))
    call.line(f"Together {words(total)}")


def _dollars(one: Mapping[str, Any]) -> str:
    return words(Decimal(one["cost"]["amount"]))


def _unpriced(one: Mapping[str, Any]) -> str:
    return f"{one['unpriced_tokens']:,}" if one["unpriced_tokens"] else ""
