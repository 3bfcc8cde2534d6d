"""What the tabs share: one scrolling column, a banner for what an act came to, and loading by the bridge."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Banner, Nothing, Pane, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.parts.sheet import Sheet

WIDEST = 1228  # pixels of the column: in a window of the usual size it reaches the right edge
_LOADING, _THERE, _NOTHING = 0, 1, 2


class LoadedTab(QWidget, OneSheet[Sheet]):
    """One tab: `load` asks, `_show` puts what came into `cards`."""

    def __init__(self, bridge: Bridge, nothing: Nothing, loading: str) -> None:
        super().__init__()
        self.bridge = bridge
        self.workspace: str | None = None
        self._latest = Latest()
        self.nothing = nothing
        self._banners = column(gap=8, margins=(28, 14, 24, 0))
        self.cards = column(gap=12, margins=(28, 16, 24, 24))
        ground = Pane("panel")
        middle = QWidget()
        middle.setMaximumWidth(WIDEST)
        lines = column(middle)
        put(lines, self.cards, None)
        held = row()
        held.addWidget(middle, 1)
        held.addStretch(0)
        ground.lines.addLayout(held)
        self._scroller = Scroller()
        self._scroller.setWidget(ground)
        self.stack = QStackedWidget()
        for page in (Skeleton(84, rows=5, inset=28, label=loading), self._scroller, nothing):
            self.stack.addWidget(page)
        own = column(self)
        put(own, self._banners)
        own.addWidget(self.stack, 1)

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all."""
        self.workspace = path
        self.load()

    def load(self) -> None:
        """Look again."""
        raise NotImplementedError

    def stops(self) -> list[QWidget]:
        """Where F6 goes in it."""
        return [self._scroller] if self.stack.currentIndex() == _THERE else []

    def focus_first(self) -> None:
        """The first thing in it that takes the focus."""
        self.setFocus()
        self.focusNextChild()

    def ask(self, question: Callable[[Office], object], done: Callable[..., None], *, slow: bool = False) -> None:
        """Load by this question; a newer one drops it. `slow`: it may take a while."""
        self._latest.take(self.bridge.ask(self, question, done, self.failed, slow=slow))

    def act(self, act: Callable[[Office], str], doing: str = "") -> None:
        """Do something, tell what came of it, and look again."""
        if doing:
            self.tell("info", doing, brief=True)
        self.bridge.ask(self, act, self.told, self.failed, slow=bool(doing))

    def fill(self, cards: Sequence[QWidget], *, found: bool) -> None:
        """Put these in place of what was there; the focus stays with what has the same name."""
        at = self._focused()
        empty(self.cards)
        put(self.cards, *cards)
        self.stack.setCurrentIndex(_THERE if found else _NOTHING)
        if at:
            again = next(
                (one for one in self.findChildren(QWidget) if one.accessibleName() == at and one.isVisible()), None
            )
            if again is not None:
                again.setFocus()

    def _focused(self) -> str:
        here = self.focusWidget()
        return here.accessibleName() if self.isAncestorOf(here) and here.hasFocus() else ""

    def told(self, sentence: str) -> None:
        """What came of an act."""
        self.tell("info", sentence)
        self.load()

    def failed(self, trouble: Trouble) -> None:
        """It could not be done."""
        self.tell("bad", trouble.message, detail=trouble.next_step)
        if self.stack.currentIndex() == _LOADING:
            self.stack.setCurrentIndex(_NOTHING)

    def tell(self, tone: str, words: str, *, detail: str = "", brief: bool = False) -> None:
        """One banner at a time; a `brief` one is followed by another."""
        self.close_banner()
        close = Button("Close")
        close.clicked.connect(self.close_banner)
        put(self._banners, Banner(tone, words, [] if brief else [close], detail=detail))

    @Slot()
    def close_banner(self) -> None:
        """Take the banner away."""
        empty(self._banners)

    def open(self, sheet: Sheet) -> None:
        """Slide a sheet in, in the place of one that is open."""
        self.close_sheet()
        self.open_sheet(sheet)
