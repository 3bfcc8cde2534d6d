"""Background: whether the runner starts at login, what closing the window means, and the runner's log."""

from __future__ import annotations

from PySide6.QtCore import Slot

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.act_sheet import ActSheet
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.parts.layouts import empty, put, row
from counterfoil.desktop.parts.show_folder import show_folder
from counterfoil.desktop.settings.setting_tab import SettingTab, card
from counterfoil.desktop.settings_facts import BackgroundSeen
from counterfoil.desktop.words.numbers import size
from counterfoil.desktop.words.plain import one_line

_CLOSING = (
    "Closing the window stops nothing. The runner goes on, decisions stand, and what you have filled in is kept. "
    "While the runner is off nothing starts and nothing goes on."
)


class BackgroundTab(SettingTab):
    """One card for the start at login, one for the window, one for the log."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge, "Asking this computer what starts at login")
        self._words, self._file = Prose("", "body"), Prose("", "small", tone="text3")
        self._keys = row(gap=8)
        self._log = Prose("", "small")
        self._seen: BackgroundSeen | None = None

    def load(self) -> None:
        """Look again."""
        self.ask(lambda office: office.settings.background(), self._arrived, slow=True)

    def _arrived(self, seen: BackgroundSeen) -> None:
        if not self.made():
            show = Button("Show folder", icon="folder-open", name="Show the folder of the log")
            show.clicked.connect(self._show_log)
            line = row(gap=8)
            put(line, show, None)
            cards = (
                card("Start at login", "", self._words, self._file, self._keys),
                card("Closing the window", "", Prose(_CLOSING, "body")),
                card("Log of the runner", "", self._log, line),
            )
            self.fill(cards, found=True)
        self._seen = seen
        self.stack.setCurrentIndex(1)
        self._words.say(one_line(seen.words))
        self._file.say(one_line(seen.file) if seen.starts else "")
        self._file.setVisible(seen.starts)
        self._log.say(
            f"{one_line(seen.log)}, {size(seen.log_size)}" if seen.log_size else "Nothing was written so far."
        )
        self._offer(seen)

    def _offer(self, seen: BackgroundSeen) -> None:
        empty(self._keys)
        start = Button("Start at login", name="Start at login")
        start.clicked.connect(self._start)
        mend = Button("Start this program instead", name="Start this program at login")
        mend.clicked.connect(self._start)
        stop = Button("Start at login no more…", "outline")
        stop.clicked.connect(self._ask_stop)
        offered = [start] if not seen.starts else [*([mend] if seen.stale else []), stop]
        put(self._keys, *offered, None)

    @Slot()
    def _start(self) -> None:
        self.act(lambda office: office.settings.start_at_login(on=True), "Setting it up…")

    @Slot()
    def _ask_stop(self) -> None:
        sheet = ActSheet(
            self,
            "Start at login no more?",
            follows=[
                "A runner that was started this way ends in an orderly way. Runs, schedules and decisions are kept.",
                "After that nothing starts or goes on until the runner is started by hand or by this window.",
            ],
            button="Start it no more",
            key="login",
            kind="danger",
            other="Leave it",
        )
        sheet.given.connect(self._stop)
        self.open(sheet)

    @Slot(str)
    def _stop(self, _key: str) -> None:
        self.act(lambda office: office.settings.start_at_login(on=False), "Taking it out…")

    @Slot()
    def _show_log(self) -> None:
        if self._seen is not None:
            show_folder(self._seen.log, inside=True)
