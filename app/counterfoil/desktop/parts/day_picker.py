"""A month to choose a day from, for those who do not type dates: by mouse, or by arrows, Page Up, Page Down and Enter; Esc closes it."""

from __future__ import annotations

from PySide6.QtCore import QDate, QLocale, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QTextCharFormat
from PySide6.QtWidgets import QCalendarWidget, QMenu, QSpinBox, QTableView, QToolButton, QWidget, QWidgetAction

from counterfoil.desktop import icons
from counterfoil.desktop.theme import colour, current, font

_ISO = Qt.DateFormat.ISODate
_SIZE = QSize(288, 248)
_STEPS = (
    ("qt_calendar_prevmonth", "arrow-left", "Month before"),
    ("qt_calendar_nextmonth", "arrow-right", "Next month"),
)


class DayPicker(QMenu):
    """The month below its field.

    Signals:
        picked(str): a day, as 2026-12-31.
    """

    picked = Signal(str)

    def __init__(self, name: str, written: str, parent: QWidget) -> None:
        """`written` is what stands in the field: a day to begin with, else today."""
        super().__init__(parent)
        self.setAccessibleName(name)
        self.month = QCalendarWidget()
        self.month.setAccessibleName(name)
        self.month.setLocale(QLocale(QLocale.Language.English, QLocale.Country.UnitedKingdom))
        self.month.setFont(font(12, figures=True))
        self.month.setVerticalHeaderFormat(QCalendarWidget.VerticalHeaderFormat.NoVerticalHeader)
        self.month.setHorizontalHeaderFormat(QCalendarWidget.HorizontalHeaderFormat.ShortDayNames)
        self.month.setFixedSize(_SIZE)
        begun = QDate.fromString(written, _ISO)
        self.month.setSelectedDate(begun if begun.isValid() else QDate.currentDate())
        self._dress()
        self.month.clicked.connect(self._chosen)
        self.month.activated.connect(self._chosen)
        held = QWidgetAction(self)
        held.setDefaultWidget(self.month)
        self.addAction(held)
        self.aboutToHide.connect(self.deleteLater)

    def open_below(self, field: QWidget) -> None:
        """Show it; the keyboard is on the day."""
        self.popup(field.mapToGlobal(QPoint(0, field.height() + 4)))
        self.month.setFocus(Qt.FocusReason.PopupFocusReason)

    def _dress(self) -> None:
        """Our colours, and names for what Qt leaves without one."""
        tokens = current()
        day = QTextCharFormat()
        day.setForeground(colour(tokens.text))
        for number in range(1, 8):
            self.month.setWeekdayTextFormat(Qt.DayOfWeek(number), day)  # Qt paints week ends red, as if they were wrong
        head = QTextCharFormat()
        head.setForeground(colour(tokens.text3))
        head.setBackground(colour(tokens.panel))
        self.month.setHeaderTextFormat(head)
        for part, icon, name in _STEPS:
            step = self.month.findChild(QToolButton, part)
            if step is not None:
                step.setIcon(icons.icon(icon, tokens.text2))
                step.setAccessibleName(name)
                step.setToolTip(name)
        for part, name in (("qt_calendar_monthbutton", "Month"), ("qt_calendar_yearbutton", "Year")):
            button = self.month.findChild(QToolButton, part)
            if button is not None:
                button.setFont(font(13, 600))
                button.setAccessibleDescription(name)
        for kind, name in ((QSpinBox, "Year"), (QTableView, "Days")):
            found = self.month.findChild(kind)
            if found is not None:
                found.setAccessibleName(name)

    @Slot(QDate)
    def _chosen(self, day: QDate) -> None:
        self.close()
        self.picked.emit(day.toString(_ISO))
