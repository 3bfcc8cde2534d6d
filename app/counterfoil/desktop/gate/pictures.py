"""A page or a picture before and after, side by side; the pages are turned together."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.sources import PagePicture
from counterfoil.desktop.gate_facts import PageSeen
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.words.plain import plain

SIDES = ("Before", "After")
Ask = Callable[[Office, bool, int], PageSeen]  # the office, whether after, the page


class _Half(QWidget):
    """One of the two: what it is called, and its picture, or why there is none."""

    def __init__(self, words: str, bridge: Bridge, *, sized: bool) -> None:
        super().__init__()
        self._bridge = bridge
        self._words = words
        self._sized = sized
        lines = column(self, gap=6)
        self._head = Label(words, "caption")
        put(lines, self._head)
        self._body = column()
        lines.addLayout(self._body)
        lines.addStretch(1)

    def load(self, ask: Callable[[Office], PageSeen] | None, page: int, missing: str) -> None:
        """Ask for a page; `missing` is said where there is none to ask for."""
        empty(self._body)
        if ask is None:
            put(self._body, Prose(missing, "small"))
            return
        put(self._body, Skeleton(120, rows=2, inset=0, label=f"Loading page {page} {self._words.lower()}"))
        self._bridge.ask(self, ask, self._loaded, self._failed, slow=True)

    def _loaded(self, seen: PageSeen) -> None:
        empty(self._body)
        picture = PagePicture(seen, ())
        if self._sized:
            self._head.setText(f"{self._words}, {seen.width:,.0f} × {seen.height:,.0f}")
        picture.setAccessibleName(f"{self._words}: page {seen.page} of {seen.pages}")
        put(self._body, picture)

    def _failed(self, trouble: Trouble) -> None:
        empty(self._body)
        put(self._body, Prose(plain(f"{trouble.message} {trouble.next_step}".strip()), "small"))


class BeforeAfter(QWidget):
    """Both sides of a file that is looked at and not read. `pages` are how many there are on each side, None for no file; `sized` ones say
    how many points wide and high they are, since each is shown as wide as the room. `sides` are what the two are called."""

    def __init__(
        self,
        ask: Ask,
        pages: tuple[int | None, int | None],
        bridge: Bridge,
        *,
        sized: bool = False,
        sides: tuple[str, str] = SIDES,
    ) -> None:
        super().__init__()
        self._ask = ask
        self._pages = pages
        self._page = 1
        lines = column(self, gap=8, margins=(14, 10, 14, 12))
        self._turn = QWidget()
        line = row(self._turn, gap=8)
        self._back = Button("Page before", "link")
        self._back.clicked.connect(self._go_back)
        self._on = Button("Next page", "link")
        self._on.clicked.connect(self._go_on)
        self._words = Label("", "small")
        put(line, self._back, self._words, self._on, None)
        put(lines, self._turn)
        both = row(gap=14)
        self._halves = tuple(_Half(side, bridge, sized=sized) for side in sides)
        for half in self._halves:
            both.addWidget(half, 1, Qt.AlignmentFlag.AlignTop)
        lines.addLayout(both)
        self._most = max(pages[0] or 0, pages[1] or 0, 1)
        self._turn.setVisible(self._most > 1)
        self._show()

    def _show(self) -> None:
        self._words.setText(f"Page {self._page} of {self._most}")
        self._back.setVisible(self._page > 1)
        self._on.setVisible(self._page < self._most)
        for after, (half, pages) in enumerate(zip(self._halves, self._pages, strict=True)):
            missing = "There was no such file." if pages is None else f"There is no page {self._page} here."
            asked = _Asked(self._ask, bool(after), self._page) if pages is not None and self._page <= pages else None
            half.load(asked, self._page, missing)

    @Slot()
    def _go_back(self) -> None:
        self._page -= 1
        self._show()

    @Slot()
    def _go_on(self) -> None:
        self._page += 1
        self._show()


class _Asked:
    """One page that is asked for."""

    def __init__(self, ask: Ask, after: bool, page: int) -> None:
        self._ask, self._after, self._page = ask, after, page

    def __call__(self, office: Office) -> PageSeen:
        return self._ask(office, self._after, self._page)
