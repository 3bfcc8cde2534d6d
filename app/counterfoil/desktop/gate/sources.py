"""Where each figure comes from: the page as a picture with the box drawn, or the place named in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QRectF, QSize, QUrl, Slot
from PySide6.QtGui import QDesktopServices, QPainter, QPaintEvent, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.gate.evidence import SectionBox
from counterfoil.desktop.gate.reading import Section
from counterfoil.desktop.gate_facts import PageSeen
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Banner, Box, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Prose, tint
from counterfoil.desktop.parts.layouts import column, put, row
from counterfoil.desktop.theme import colour, current
from counterfoil.desktop.words.plain import plain

Boxes = Sequence[Sequence[float]]


class PagePicture(QWidget):
    """A page as wide as the room, with its boxes; the part around the first box is shown until the whole page is asked for."""

    def __init__(self, seen: PageSeen, boxes: Boxes) -> None:
        super().__init__()
        self._picture = QPixmap()
        self._picture.loadFromData(seen.png)
        self._seen = seen
        self._boxes = [tuple(map(float, box)) for box in boxes if len(box) == 4]
        self._whole = not self._boxes
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(f"Page {seen.page} of {seen.pages}")
        where = "; ".join(f"{box[0]:.0f}, {box[1]:.0f} to {box[2]:.0f}, {box[3]:.0f} points" for box in self._boxes)
        self.setAccessibleDescription(f"The figure stands at {where}" if where else "")

    def toggle(self) -> bool:
        """The whole page, or only around the box; whether it is whole now."""
        self._whole = not self._whole
        self.updateGeometry()
        self.update()
        return self._whole

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        top, bottom = self._span()
        return max(1, round((bottom - top) * width / self._seen.width))

    def sizeHint(self) -> QSize:
        return QSize(480, self.heightForWidth(480))

    def paintEvent(self, event: QPaintEvent) -> None:
        top, bottom = self._span()
        scale = self._picture.height() / self._seen.height
        part = QRectF(0, top * scale, self._picture.width(), (bottom - top) * scale)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(QRectF(self.rect()), self._picture, part)
        tokens = current()
        painter.setPen(QPen(colour(tokens.border_strong), 1))  # paper is as white as the card it lies on
        painter.drawRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5))
        zoom = self.width() / self._seen.width
        painter.setPen(QPen(colour(tokens.warn_edge), 2))
        painter.setBrush(tint(colour(tokens.warn_edge), 0.14))
        for x0, y0, x1, y1 in self._boxes:
            painter.drawRoundedRect(QRectF(x0 * zoom, (y0 - top) * zoom, (x1 - x0) * zoom, (y1 - y0) * zoom), 3, 3)
        painter.end()

    def _span(self) -> tuple[float, float]:
        if self._whole:
            return 0.0, self._seen.height
        top = max(0.0, min(box[1] for box in self._boxes) - 90)
        bottom = min(self._seen.height, max(box[3] for box in self._boxes) + 60)
        return top, bottom


class SourceCard(Box):
    """One place a figure comes from."""

    def __init__(self, entry: Mapping[str, Any], workspace: str, bridge: Bridge) -> None:
        """A guess (a name that may be none of a file) goes away where there is no such page."""
        super().__init__("card", gap=0, margins=(1, 1, 1, 1))
        self._guessed = bool(entry.get("guessed"))
        self._bridge, self._workspace = bridge, workspace
        data = entry.get("data")
        self._data: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
        self._path = str(self._data.get("path") or entry.get("source") or entry["title"])
        self._picture: PagePicture | None = None
        head = row(gap=10, margins=(14, 9, 8, 9))
        put(head, Icon("file-text", "text2"))
        texts = column(gap=0)
        put(texts, Prose(plain(entry["title"]), "medium"), Prose(self._where(), "small"))
        head.addLayout(texts, 1)
        page = self._data.get("page")
        self._show = Button("Show the page", "link", name=plain(f"Show page {page} of {self._path}"))
        self._show.clicked.connect(self._load)
        self._whole = Button("Whole page", "link")
        self._whole.clicked.connect(self._toggle)
        self._whole.hide()
        opener = Button("", "icon", icon="folder-open", name=plain(f"Open the folder of {self._path}"))
        opener.clicked.connect(self._open)
        put(head, self._show, self._whole, opener)
        self.put(head)
        self._show.setVisible(page is not None)

    def _where(self) -> str:
        parts = [plain(self._path)]
        if self._data.get("page") is not None:
            parts.append(f"page {self._data['page']}")
        if self._data.get("where"):
            parts.append(plain(self._data["where"]))
        return ", ".join(parts)

    def show_page(self) -> None:
        """Load its page at once, where it has one."""
        if self._data.get("page") is not None and self._show.isEnabled():
            self._load()

    @Slot()
    def _load(self) -> None:
        self._show.setEnabled(False)
        self._show.say("Loading the page…")
        self._bridge.ask(self, self._question, self._loaded, self._failed, slow=True)

    def _question(self, office: Office) -> PageSeen:
        return office.page(self._workspace, self._path, int(self._data.get("page") or 1))

    def _loaded(self, seen: PageSeen) -> None:
        self._show.hide()
        self._picture = PagePicture(seen, self._data.get("boxes") or seen.boxes)
        self._whole.setVisible(bool(self._data.get("boxes")))
        self.put(Rule(), self._picture)

    def _failed(self, trouble: Trouble) -> None:
        self._show.hide()
        if self._guessed:
            self.hide()
            return
        line = row(margins=(13, 4, 13, 12))
        put(line, Banner("warn", trouble.message, detail=trouble.next_step))
        self.put(line)

    @Slot()
    def _toggle(self) -> None:
        if self._picture is not None:
            self._whole.say("Around the box" if self._picture.toggle() else "Whole page")

    @Slot()
    def _open(self) -> None:
        root = Path(self._workspace).resolve()
        folder = (root / self._path).resolve().parent
        if folder.is_relative_to(root):
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(folder)))


class SourcesSection(SectionBox):
    """Every source."""

    def __init__(self, section: Section, workspace: str, bridge: Bridge) -> None:
        super().__init__(section)
        for entry in section.entry.get("data") or ():
            put(self.lines, SourceCard(entry, workspace, bridge))
