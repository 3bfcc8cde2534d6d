"""What has one sheet open at a time: it is opened, closed and forgotten in the same way wherever that is."""

from __future__ import annotations

from typing import Generic, TypeVar

from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.sheet import Sheet

S = TypeVar("S", bound=Sheet)


class OneSheet(Generic[S]):
    """A second base beside a QObject. `sheet` is the one that is open, None while none is."""

    sheet: S | None = None

    def open_sheet(self, sheet: S, focus: QWidget | None = None) -> None:
        """Slide it in; the focus goes to `focus`, else to the first thing in it that takes it."""
        self.sheet = sheet
        sheet.closed.connect(self._sheet_closed)
        sheet.open(focus)

    def close_sheet(self) -> None:
        """Close it without doing anything, if one is open."""
        if self.sheet is not None:
            self.sheet.dismiss()

    def _sheet_closed(self) -> None:
        self.sheet = None
