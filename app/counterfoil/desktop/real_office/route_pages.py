"""Routes to llms as the Connectors page shows them, and what they have cost; the command line changes them and keeps their keys."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.real_office.calls import call
from counterfoil.desktop.template_facts import TemplateCard
from counterfoil.desktop.trust_facts import LinkDraft, LinkSeen, RouteSeen, RoutesSeen, Spend
from counterfoil.desktop.words.numbers import count, joined
from counterfoil.store.llm_money import words
from counterfoil.store.transactions import Connection
from counterfoil.views.conversations import conversations_of
from counterfoil.views.llms import perhaps_billed_document, route_documents, spending_document

Document = Mapping[str, Any]
PROVIDERS = (
    ("anthropic", "Anthropic"),
    ("openai", "OpenAI"),
    ("openrouter", "OpenRouter"),
    ("ollama", "Ollama on this computer"),
    ("llamacpp", "llama.cpp on this computer"),
    ("compatible", "Another address (OpenAI-compatible)"),
)
_CALLED = dict(PROVIDERS) | {"compatible": "An address of its own"}
_HERE = ("ollama", "llamacpp")
_DAY = 86_400_000_000  # microseconds
_PRICES = {
    "local": "Costs nothing: it is here.",
    "flat": "Paid by a flat rate.",
    "table": "By the provider's price list.",
    "unknown": "No price known: its tokens are limited instead.",
}


class RouteDesk:
    """Routes of one data folder."""

    def __init__(self, access: Access, cards: Callable[[], Sequence[TemplateCard]]) -> None:
        self._access, self._cards = access, cards
        self._priced: dict[str, Mapping[int, str]] = {}  # by the route as it is set up

    def routes(self) -> RoutesSeen:
        """Routes, what they cost, and what stands in their place where there is none."""
        with self._access.reading() as conn:
            found = route_documents(conn)
            spend = self._spend(conn) if found else None
        routes = tuple(
            RouteSeen(one["name"], _links(one["llms"], self._each(one)), stays=one["stays"]) for one in found
        )
        return RoutesSeen(routes, spend, "" if routes else self._without(), self._local(found))

    def _each(self, route: Document) -> Mapping[int, str]:
        """The price of each llm of a route by its place, for a million tokens and for a contract, a mail; asked only where one has one."""
        known = json.dumps(route)
        if known in self._priced:
            return self._priced[known]
        told: dict[int, list[str]] = {}
        million: dict[int, str] = {}
        if any(one["priced"] in ("table", "set") for one in route["llms"]):
            for template in call(self._access.home, "route", "estimate", "--route", route["name"]):
                for one in template["llms"]:
                    if one["words"]:
                        million[one["place"]] = _million(one["price_in"], one["price_out"])
                        told.setdefault(one["place"], []).append(one["words"])
        self._priced[known] = {place: f"{million[place]}; {joined(words)}" for place, words in told.items()}
        return self._priced[known]

    def _spend(self, conn: Connection) -> Spend | None:
        """What this month came to; None where nothing that has a price was used, so that no money is talked of."""
        now = self._access.clock.now_us()
        days = [
            (date.fromisoformat(one["day"]), Decimal(one["cost"]["amount"])) for one in spending_document(conn, now)
        ]
        total = sum((amount for _, amount in days), Decimal(0))
        if not total:
            return None
        perhaps = perhaps_billed_document(conn, now - len(days) * _DAY)
        told = ""
        if perhaps["calls"]:
            most = words(Decimal(perhaps["most"]["amount"]))
            told = f"{count(perhaps['calls'], 'call')} may have been billed without an answer (at most {most})."
        return Spend(f"${total:.2f} in the last {len(days)} days", "USD", tuple(days), told)

    def _without(self) -> str:
        """How many templates work without one."""
        cards = self._cards()
        free = sum("No llm needed" in card.chips for card in cards)
        return f"{free} of {count(len(cards), 'template')} do not need one." if cards else ""

    def _local(self, found: Sequence[Document]) -> str:
        """An llm that answers on this computer and is in no route."""
        used = {(one["provider"], one["llm"]) for route in found for one in route["llms"]}
        for server in call(self._access.home, "route", "find"):
            new = [llm for llm in server["llms"] if (server["provider"], llm) not in used]
            if new:
                return f"{_CALLED[server['provider']]} answers: {', '.join(new[:3])}."
        return ""

    def providers(self) -> tuple[tuple[str, str], ...]:
        """What an llm can be reached by."""
        return PROVIDERS

    def add_link(self, draft: LinkDraft) -> str:
        """Put an llm at the end of a route, its key into the keyring first."""
        key: list[str] = []
        if draft.secret:
            name = f"llm-{draft.provider}"
            call(self._access.home, "secret", "set", name, given=f"{draft.secret}\n")
            key = ["--key", f"secret:{name}"]
        address = ["--address", draft.address] if draft.address else []
        call(
            self._access.home,
            "route",
            "add",
            draft.llm,
            "--provider",
            draft.provider,
            "--route",
            draft.route,
            *address,
            *key,
        )
        return f"{draft.llm} is asked last in the route {draft.route}. Test it before it is needed."

    def order_route(self, name: str, links: tuple[str, ...]) -> str:
        """Another order of the chain."""
        call(self._access.home, "route", "order", name, *links)
        return "They are asked in this order from now on."

    def pin_route(self, name: str, *, stays: bool) -> str:
        """Let nothing of it leave this computer, or take that back."""
        call(self._access.home, "route", "pin", name, "--stays" if stays else "--may-leave")
        return f"What the route {name} is asked {'stays on' if stays else 'may leave'} this computer."

    def remove_link(self, route: str, link_id: str) -> str:
        """Take an llm out of a route."""
        call(self._access.home, "route", "remove", route, link_id)
        return "It is not asked any more. Its key stays in the keyring."

    def talk(self, run_id: str) -> tuple[Document, ...]:
        """What was said between a run and its llms."""
        with self._access.reading() as conn:
            return tuple(conversations_of(conn, self._access.blobs, run_row(conn, run_id)))

    def test_route(self, name: str) -> str:
        """Ask each llm of a route one short question."""
        tried = call(self._access.home, "route", "test", name)
        well = sum(one["well"] for one in tried)
        told = [f"{one['llm']}: {one['words']}" for one in tried]
        return " ".join([f"{well} of {count(len(tried), 'llm')} answer{'s' if well == 1 else ''}.", *told])


def _links(llms: Sequence[Document], each: Mapping[int, str]) -> tuple[LinkSeen, ...]:
    return tuple(_link(one, each.get(one["place"], "")) for one in llms)


def _link(one: Document, each: str) -> LinkSeen:
    provider = _CALLED.get(one["provider"], str(one["provider"]))
    here = one["provider"] in _HERE
    key, tone = _key(one, needs=not here and one["provider"] != "compatible")
    return LinkSeen(
        link_id=str(one["place"]),
        llm=one["llm"],
        provider=f"{provider}, {one['address']}" if one["address"] and not here else provider,
        price=each or _price(one),
        key=key,
        state="",
        tone=tone,
        stays=here,
    )


def _key(one: Document, *, needs: bool) -> tuple[str, str]:
    """Where its key is, in words, and the tone of that."""
    kind, _, name = str(one["key"] or "").partition(":")
    if kind == "secret":
        return f"Key ‘{name}’ in the keyring of this account.", "quiet"
    if kind == "env":
        return f"Key in the environment variable {name}.", "quiet"
    return ("No key: it cannot be asked.", "bad") if needs else ("Needs no key.", "quiet")


def _million(sent: str, answered: str) -> str:
    return f"${sent} in, ${answered} out per million tokens"


def _price(one: Document) -> str:
    if one["priced"] == "set":
        return _million(one["price_in"], one["price_out"])
    return _PRICES.get(one["priced"], "")
