"""What is higher than its place: it goes up and down, never sideways, and the keyboard goes to what is in it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget


class Scroller(QScrollArea):
    """A place to scroll in, of a surface's colour."""

    def __init__(self, surface: str = "panel") -> None:
        super().__init__()
        self.setProperty("surface", surface)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """What has become higher is given its height before it is drawn, so that no frame shows it squeezed: a part that comes
        is laid out at once, while the request for more room still waits."""
        page = self.widget()
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Paint) and page is not None and watched is page:
            _stretch(page)
        return super().eventFilter(watched, event)


def _stretch(page: QWidget) -> None:
    needed = page.heightForWidth(page.width())
    if needed > page.height():
        page.resize(page.width(), needed)
