"""The tray icon: how many gates wait, a menu, and notices of the desktop that open the gate and never decide it.

Where there is no tray, or it comes only later, nothing is lost: the window's title and the inbox say the same.
"""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QAction, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from counterfoil.desktop import icons
from counterfoil.desktop.news_facts import News
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line

_AGAIN, _TRIES = (
    5_000,
    12,
)  # milliseconds between two looks for a tray, and how many: some come a minute after the login
_SHOWN = 8_000  # milliseconds of a notice
_EDGE = 64


class Tray(QObject):
    """The icon, while there is a tray.

    Signals:
        opened(): bring the window to the front.
        wanted(News): a notice was clicked.
        pause_wanted(), resume_wanted(), quit_wanted(): chosen in the menu.
    """

    opened = Signal()
    wanted = Signal(object)
    pause_wanted = Signal()
    resume_wanted = Signal()
    quit_wanted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.icon = QSystemTrayIcon(self)
        self.menu = QMenu(window)
        self.menu.setFont(font())
        self._waiting = QAction("Nothing waits for you", self)
        self._waiting.triggered.connect(self.opened)
        self._open = QAction("Open Counterfoil", self)
        self._open.triggered.connect(self.opened)
        self._pause = QAction("Pause everything…", self)
        self._pause.triggered.connect(self.pause_wanted)
        self._resume = QAction("Resume everything", self)
        self._resume.triggered.connect(self.resume_wanted)
        self._quit = QAction("Close the window", self)
        self._quit.triggered.connect(self.quit_wanted)
        for action in (self._waiting, self._open, self._pause, self._resume, self._quit):
            self.menu.addAction(action)
        self.icon.setContextMenu(self.menu)
        self.icon.activated.connect(self._activated)
        self.icon.messageClicked.connect(self._clicked)
        self._last: News | None = None
        self._left = _TRIES
        self._again = QTimer(self, interval=_AGAIN)
        self._again.timeout.connect(self.look)
        self.show_state(0, paused=False)

    def begin(self) -> None:
        """Look for a tray now, and for a minute if there is none."""
        self._again.start()
        self.look()

    @property
    def there(self) -> bool:
        """Whether the desktop has taken the icon."""
        return self.icon.isVisible()

    def show_state(self, waiting: int, *, paused: bool) -> None:
        """How many gates wait, and whether everything is paused."""
        words = f"{count(waiting, 'gate')} for you" if waiting else "Nothing waits for you"
        self._waiting.setText(words)
        self._pause.setVisible(not paused)
        self._resume.setVisible(paused)
        self.icon.setToolTip(f"Counterfoil: {words.lower()}{', paused' if paused else ''}")
        self.icon.setIcon(face(waiting))

    def tell(self, news: News) -> None:
        """Show a notice of the desktop; without a tray it is a matter of title and inbox."""
        if self.there and self.icon.supportsMessages():
            self._last = news
            said = one_line(news.words).replace("<", "‹")  # desktops read markup in a notice
            self.icon.showMessage("Counterfoil", said, face(0), _SHOWN)

    @Slot()
    def look(self) -> None:
        """Is there a tray by now?"""
        self._left -= 1
        if self.icon.isSystemTrayAvailable():
            self.icon.show()
        if self.there or self._left <= 0:
            self._again.stop()

    @Slot(QSystemTrayIcon.ActivationReason)
    def _activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in (QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick):
            self.opened.emit()

    @Slot()
    def _clicked(self) -> None:
        if self._last is not None:
            self.wanted.emit(self._last)


def face(waiting: int) -> QIcon:
    """The program's icon, with a number where something waits."""
    if not waiting:
        return icons.app_icon()
    drawn = QPixmap(_EDGE, _EDGE)
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawPixmap(0, 0, icons.pixmap("counterfoil", "", _EDGE, 1.0))
    tokens, text = current(), str(waiting) if waiting < 100 else "99"
    wide = 30 if len(text) == 1 else 40
    box = QRect(_EDGE - wide, _EDGE - 32, wide, 32)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(colour(tokens.bad))
    painter.drawRoundedRect(box, 15, 15)
    painter.setPen(colour(tokens.panel))
    painter.setFont(font(24, 600, figures=True))
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
    painter.end()
    return QIcon(drawn)
