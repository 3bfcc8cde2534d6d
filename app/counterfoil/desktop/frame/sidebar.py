"""The sidebar: workspace, the pages that exist, the runner, settings. A page that is not built yet has no button here."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QMenu, QSizePolicy

from counterfoil.clock import Clock
from counterfoil.desktop import icons
from counterfoil.desktop.frame.runner_line import RunnerLine
from counterfoil.desktop.office import Counts, Workspace
from counterfoil.desktop.parts.boxes import Pane, Rule
from counterfoil.desktop.parts.buttons import NavButton, Pressed
from counterfoil.desktop.parts.keys import keyless
from counterfoil.desktop.parts.layouts import column
from counterfoil.desktop.tables.fitting import shortened, stacked
from counterfoil.desktop.theme import colour, current, font
from counterfoil.desktop.tokens import SIDEBAR
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.plain import one_line, plain, tip

_NAME, _FOLDER = 19, 17  # pixels of a line of the workspace's name and of its folder
_MOST = 9  # lines of either
_BESIDE = 44 + 28  # pixels left and right of them
_AROUND = _BESIDE + 16  # and of the margins of the sidebar
_IN_MENU = 420  # pixels of a name there
PAGES = (
    ("inbox", "Inbox", "inbox"),
    ("runs", "Runs", "play"),
    ("templates", "Templates", "layout-grid"),
    ("schedules", "Schedules", "calendar-clock"),
    ("connectors", "Connectors", "link"),
    ("trail", "Trail", "scroll-text"),
)


class Sidebar(Pane):
    """Left edge of the window.

    Signals:
        page_wanted(str): a page was chosen.
        workspace_chosen(str | None): another workspace, None for all.
        look_chosen(str): system, light or dark.
    """

    page_wanted = Signal(object)
    workspace_chosen = Signal(object)
    look_chosen = Signal(str)

    def __init__(self, clock: Clock) -> None:
        super().__init__("sidebar")
        self.setFixedWidth(SIDEBAR)
        self.switcher = Switcher()
        self.switcher.chosen.connect(self.workspace_chosen)
        self.switcher.look_chosen.connect(self.look_chosen)
        self.buttons: dict[str, NavButton] = {}
        pages = column(gap=2, margins=(12, 8, 12, 0))
        for number, (key, words, icon) in enumerate(PAGES, 1):
            button = NavButton(words, icon, key)
            button.setToolTip(f"{words} (Ctrl+{number})")
            button.chosen.connect(self.page_wanted)
            self.buttons[key] = button
            pages.addWidget(button)
        self.runner = RunnerLine(clock)
        top = column(margins=(8, 12, 8, 4))
        top.addWidget(self.switcher)
        foot = column(gap=8, margins=(4, 8, 4, 12))
        foot.addWidget(Rule())
        foot.addWidget(self.runner)
        last = column(margins=(8, 0, 8, 0))
        last.addWidget(self._settings())
        foot.addLayout(last)
        self.put(top, pages, None, foot)
        self.shown = "inbox"

    def _settings(self) -> NavButton:
        button = NavButton("Settings", "settings", "settings")
        button.setToolTip("Settings (Ctrl+,)")
        button.chosen.connect(self.page_wanted)
        self.buttons["settings"] = button
        return button

    def show_page(self, key: str) -> None:
        """Which page is on the screen."""
        self.shown = key
        for name, button in self.buttons.items():
            button.set_chosen(name == key)

    def show_counts(self, counts: Counts) -> None:
        """The numbers behind Inbox and Runs."""
        self.buttons["inbox"].set_count(counts.for_me, f"{count(counts.for_me, 'gate')} for you")
        self.buttons["runs"].set_count(counts.running, f"{counts.running} running")


class Switcher(Pressed):
    """The workspace that is shown, with its folder below; a menu of the others.

    Signals:
        chosen(str | None): a workspace.
        look_chosen(str): system, light or dark.
    """

    chosen = Signal(object)
    look_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("kind", "switcher")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._workspaces: tuple[Workspace, ...] = ()
        self._current: str | None = None
        self._look = "system"
        self._say()
        self.clicked.connect(self.open_menu)

    def show_workspaces(self, workspaces: tuple[Workspace, ...]) -> None:
        """Those there are."""
        self._workspaces = workspaces
        self._say()

    def show_current(self, path: str | None, look: str) -> None:
        """The one that is shown."""
        self._current, self._look = path, look
        self._say()

    def sizeHint(self) -> QSize:
        names, folders = self._lines(SIDEBAR - _AROUND)
        return QSize(190, 46 + (len(names) - 1) * _NAME + (len(folders) - 1) * _FOLDER)

    @Slot()
    def open_menu(self) -> None:
        """Ctrl+Shift+W, or a click."""
        menu = QMenu(self)
        menu.setFont(font())
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        group = QActionGroup(menu)
        for name, path in [("All workspaces", None), *((one.name, one.path) for one in self._workspaces)]:
            words = f"{_cut(name)}\t{_cut(_short(path))}" if path else one_line(name)
            action = QAction(keyless(words), menu)
            action.setCheckable(True)
            action.setChecked(path == self._current)
            action.setData(("workspace", path))
            action.setToolTip(tip(plain(path or "Every workspace that runs have used")))
            group.addAction(action)
            menu.addAction(action)
        menu.addSeparator()
        looks = QActionGroup(menu)
        for name, mode in (("Look as the system does", "system"), ("Light", "light"), ("Dark", "dark")):
            action = QAction(name, menu)
            action.setCheckable(True)
            action.setChecked(mode == self._look)
            action.setData(("look", mode))
            looks.addAction(action)
            menu.addAction(action)
        menu.triggered.connect(self._triggered)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        tokens = current()
        painter = QPainter(self)
        ratio = self.devicePixelRatioF()
        painter.drawPixmap(8, (self.height() - 26) // 2, icons.pixmap("counterfoil", "", 26, ratio))
        names, folders = self._lines(self.width() - _BESIDE)
        line = QRectF(44, 5, self.width() - _BESIDE, _NAME)
        side = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.setFont(font(13, 600))
        painter.setPen(colour(tokens.text))
        for text in names:
            painter.drawText(line, side, text)
            line.translate(0, _NAME)
        painter.setFont(font(11))
        painter.setPen(colour(tokens.text3))
        line.translate(0, -1)
        for text in folders:
            painter.drawText(line, side, text)
            line.translate(0, _FOLDER)
        painter.drawPixmap(
            self.width() - 22, (self.height() - 14) // 2, icons.pixmap("chevrons-up-down", tokens.text3, 14, ratio)
        )
        painter.end()

    @Slot(QAction)
    def _triggered(self, action: QAction) -> None:
        kind, value = action.data()
        if kind == "look":
            self.look_chosen.emit(value)
        else:
            self.chosen.emit(value)

    def _texts(self) -> tuple[str, str]:
        found = next((one for one in self._workspaces if one.path == self._current), None)
        if found is None:
            many = len(self._workspaces)
            return "All workspaces", count(many, "folder") if many else "Counterfoil"
        return one_line(found.name), one_line(_short(found.path))

    def _lines(self, room: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name and folder, each on as many lines as it needs."""
        name, folder = self._texts()
        return (
            stacked(name, room, _MOST, QFontMetrics(font(13, 600)).horizontalAdvance),
            stacked(folder, room, _MOST, QFontMetrics(font(11)).horizontalAdvance),
        )

    def _say(self) -> None:
        name, _ = self._texts()
        self.updateGeometry()
        folder = self._current or "Every workspace that runs have used"
        self.setAccessibleName(f"Workspace: {name}")
        self.setToolTip(tip(f"{plain(folder)} (Ctrl+Shift+W)"))
        self.update()


def _cut(text: str) -> str:
    """A name in the menu, which is no wider than the screen; the whole path is in the tooltip."""
    return shortened(one_line(text), _IN_MENU, QFontMetrics(font()).horizontalAdvance)


def _short(path: str) -> str:
    """The folder it lies in; the whole path is in the tooltip."""
    parts = path.replace("\\", "/").rstrip("/").split("/")
    return f"in {parts[-2]}" if len(parts) > 2 and parts[-2] else path
