"""Routes: the llms that are asked, in their order, with where each key is and what it costs; what this month has cost so far."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Banner, Box, Nothing
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.parts.loaded_tab import LoadedTab
from counterfoil.desktop.parts.tick import Tick
from counterfoil.desktop.trust.chain import Chain
from counterfoil.desktop.trust.link_sheet import LinkSheet
from counterfoil.desktop.trust.spend_chart import SpendChart
from counterfoil.desktop.trust_facts import LinkDraft, RouteSeen, RoutesSeen, Spend
from counterfoil.desktop.words.plain import one_line, quoted, tip

_NOTHING = "No llm set up."
_LOCAL = "ollama"


class RoutesTab(LoadedTab):
    """A card for each route, the spending above them."""

    def __init__(self, bridge: Bridge) -> None:
        self._add = Button("Add a key…", "primary")
        self._use_local = Button("Use a local llm")
        super().__init__(bridge, Nothing("link", _NOTHING, buttons=[self._add, self._use_local]), "Loading routes")
        self._seen = RoutesSeen()
        self._use_local.hide()
        self._add.clicked.connect(self._new_link)
        self._use_local.clicked.connect(self._new_local)

    def load(self) -> None:
        """Look again."""
        self.ask(lambda office: office.trust.routes(), self._arrived)

    def stops(self) -> list[QWidget]:
        """Where F6 goes in it."""
        return super().stops() or [self._add]

    def _arrived(self, seen: RoutesSeen) -> None:
        self._seen = seen
        self.nothing.say(_NOTHING, seen.without)
        self._use_local.setVisible(bool(seen.local))
        self._use_local.setToolTip(tip(one_line(seen.local)))
        cards: list[QWidget] = []
        if seen.spend is not None:
            cards.append(_spend_card(seen.spend))
        cards += [self._card(route) for route in seen.routes]
        if seen.local and seen.routes:
            use = Button("Use it…", name="Use the local llm…", key=_LOCAL)
            use.clicked.connect(self._new_local)
            cards.append(Banner("info", one_line(seen.local), [use]))
        self.fill(cards, found=bool(seen.routes))

    def _card(self, route: RouteSeen) -> QWidget:
        card = Box("card", gap=10)
        name = one_line(route.name)
        head = row(gap=10)
        test = Button("Test", name=f"Test {name}", key=route.name)
        test.chosen.connect(self._test)
        more = Button("Add an llm…", name=f"Add an llm to {name}…", key=route.name)
        more.chosen.connect(self._more)
        put(head, Label(name, "h2"), None, test, more)
        pin = Tick("Stays on this computer")
        pin.setAccessibleDescription(f"Nothing of what goes by the route {name} is sent to an llm elsewhere.")
        pin.setChecked(route.stays)
        pin.clicked.connect(_Pinned(self, route).turn)
        chain = Chain(route)
        chain.ordered.connect(self._ordered)
        chain.remove_wanted.connect(self._remove)
        words = (
            "They are asked in this order: the next one where one cannot answer. Drag them, or use Alt+Up and Alt+Down."
        )
        if len(route.links) < 2:
            words = "A second llm would take over where this one cannot answer."
        card.put(head, Prose(words, "small"), chain, pin)
        return card

    # ------------------------------------------------------------------------------------------------------------- acts

    @Slot()
    def _new_link(self) -> None:
        self._open_for(self._seen.routes[0].name if self._seen.routes else "default")

    @Slot()
    def _new_local(self) -> None:
        self._open_for(self._seen.routes[0].name if self._seen.routes else "default", provider=_LOCAL)

    @Slot(object)
    def _more(self, name: object) -> None:
        self._open_for(str(name))

    def _open_for(self, name: str, *, provider: str = "") -> None:
        def show(providers: tuple[tuple[str, str], ...]) -> None:
            sheet = LinkSheet(name, providers, self, provider=provider)
            sheet.given.connect(self._keep)
            self.open(sheet)

        self.bridge.ask(self, lambda office: office.trust.providers(), show, self.failed)

    @Slot(object)
    def _keep(self, draft: object) -> None:
        if isinstance(draft, LinkDraft):

            def add(office: Office) -> str:
                return office.trust.add_link(draft)

            self.act(add, "Putting the key into the keyring…" if draft.secret else "")

    @Slot(str, object)
    def _ordered(self, name: str, links: object) -> None:
        if isinstance(links, tuple):
            self.act(lambda office: office.trust.order_route(name, links))

    @Slot(object)
    def _test(self, name: object) -> None:
        wanted = str(name)
        self.act(
            lambda office: office.trust.test_route(wanted), f"Asking each llm of {quoted(wanted)} one short question…"
        )

    @Slot(str, str)
    def _remove(self, name: str, link_id: str) -> None:
        self.act(lambda office: office.trust.remove_link(name, link_id))

    def pin(self, route: RouteSeen) -> None:
        """Turn the pin of a route."""
        self.act(lambda office: office.trust.pin_route(route.name, stays=not route.stays))


class _Pinned:
    """The pin of one route."""

    def __init__(self, tab: RoutesTab, route: RouteSeen) -> None:
        self._tab, self._route = tab, route

    def turn(self) -> None:
        self._tab.pin(self._route)


def _spend_card(spend: Spend) -> QWidget:
    card = Box("card", gap=8)
    card.put(Label("This month", "small_strong"), Label(one_line(spend.words), "figure"), SpendChart(spend))
    if spend.perhaps:
        card.put(Prose(one_line(spend.perhaps), "small"))
    return card
