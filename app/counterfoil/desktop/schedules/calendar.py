"""The calendar of firings: a month or a week, of the chosen schedule or of all, with the day one stands on in words below."""

from __future__ import annotations

from datetime import date, timedelta

from PySide6.QtCore import Qt, Signal, Slot

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest
from counterfoil.desktop.parts.boxes import Pane, Rule
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.parts.segmented import Segmented
from counterfoil.desktop.schedule_facts import CalendarSeen
from counterfoil.desktop.schedules.calendar_grid import WEEK, DaysAdapter, DaysView
from counterfoil.desktop.schedules.day import DayPane
from counterfoil.desktop.words import times

_GRID, _DAY = 9, 4  # shares of the height
_LEAST_GRID, _LEAST_DAY = 190, 84


class CalendarPane(Pane):
    """Toolbar, grid and day.

    Signals:
        run_missed(FiringSeen), run_wanted(str), gate_wanted(str): as of the day.
    """

    run_missed = Signal(object)
    run_wanted = Signal(object)
    gate_wanted = Signal(object)

    def __init__(self, bridge: Bridge, clock: Clock) -> None:
        super().__init__("panel")
        self._bridge, self._clock = bridge, clock
        self._latest = Latest()
        self._workspace: str | None = None
        self._schedule = ""
        self._begun = False
        self._day = times.local(clock.now_us()).date()
        self.adapter = DaysAdapter(self)
        self.view = DaysView(self.adapter)
        self.view.setMinimumHeight(_LEAST_GRID)
        self.day = DayPane()
        self.day.setMinimumHeight(_LEAST_DAY)
        self.title = Label("", "h2")
        self.before = Button("", "icon", icon="chevron-left", name="Earlier (Page Up)")
        self.after = Button("", "icon", icon="chevron-right", name="Later (Page Down)")
        self.today = Button("Today")
        self.span = Segmented((("month", "Month", ""), ("week", "Week", "")), name="How much is shown")
        self.scope = Segmented((("all", "All", ""), ("one", "This one", "")), name="Which schedules are shown")
        self.span.choose("month")
        self.scope.choose("all")
        bar = row(gap=8, margins=(22, 4, 24, 8))
        put(bar, self.before, self.after, self.title, None, self.today, self.scope, self.span)
        self.put(bar, Rule())
        self.lines.addWidget(self.view, _GRID)
        self.put(Rule())
        self.lines.addWidget(self.day, _DAY)
        self._connect()

    def _connect(self) -> None:
        self.before.clicked.connect(self._earlier)
        self.after.clicked.connect(self._later)
        self.today.clicked.connect(self._to_today)
        self.span.picked.connect(self.load)
        self.scope.picked.connect(self.load)
        self.view.day_shown.connect(self._shown)
        self.view.day_wanted.connect(self.go_to)
        self.view.turned.connect(self._turn)
        self.view.entered.connect(self.day.focus)
        self.day.run_missed.connect(self.run_missed)
        self.day.run_wanted.connect(self.run_wanted)
        self.day.gate_wanted.connect(self.gate_wanted)

    def choose_workspace(self, path: str | None) -> None:
        """Show one workspace, or all; the first time on the day that is today by then, since the page was made earlier."""
        if not self._begun:
            self._begun, self._day = True, times.local(self._clock.now_us()).date()
        self._workspace = path
        self.load()

    def choose_schedule(self, schedule_id: str) -> None:
        """Another schedule is the chosen one."""
        if schedule_id != self._schedule:
            self._schedule = schedule_id
            self.adapter.mark(schedule_id)
            if self.scope.chosen == "one":
                self.load()

    @Slot(object)
    def go_to(self, day: object) -> None:
        """Show a day."""
        if isinstance(day, date):
            self._day = day
            if not self.view.go_to(day):
                self.load()

    @Slot()
    def load(self) -> None:
        """Look at the days around the chosen one."""
        first, days = self._span()
        workspace, one = self._workspace, self._schedule if self.scope.chosen == "one" else ""
        self._latest.take(
            self._bridge.ask(self, lambda office: office.schedules.calendar(first, days, workspace, one), self._arrived)
        )

    def _span(self) -> tuple[date, int]:
        if self.span.chosen == "week":
            return self._day - timedelta(days=self._day.weekday()), WEEK
        start = self._day.replace(day=1)
        monday = start - timedelta(days=start.weekday())
        last = (start + timedelta(days=31)).replace(day=1) - timedelta(days=1)
        return monday, ((last - monday).days // WEEK + 1) * WEEK

    def _arrived(self, seen: CalendarSeen) -> None:
        week = len(seen.days) == WEEK
        today = times.local(self._clock.now_us()).date()
        self.title.setText(_week_words(seen.first, today) if week else f"{self._day:%B %Y}")
        self.adapter.show_days(seen.days, month=0 if week else self._day.month, now_us=self._clock.now_us())
        self.view.go_to(self._day)
        self._show_day()

    def _show_day(self) -> None:
        self.day.show_day(self.view.current_day(), self._clock.now_us())

    @Slot(object)
    def _shown(self, day: object) -> None:
        if isinstance(day, date):
            self._day = day
            self._show_day()

    @Slot(int)
    def _turn(self, way: int) -> None:
        if self.span.chosen == "week":
            self._day += timedelta(days=way * WEEK)
        else:
            months = self._day.year * 12 + self._day.month - 1 + way
            self._day = date(months // 12, months % 12 + 1, min(self._day.day, 28))
        self.load()

    @Slot()
    def _earlier(self) -> None:
        self._turn(-1)

    @Slot()
    def _later(self) -> None:
        self._turn(1)

    @Slot()
    def _to_today(self) -> None:
        self._day = times.local(self._clock.now_us()).date()
        self.load()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)


def _week_words(first: date, today: date) -> str:
    """`23–29 Nov`, `30 Nov – 6 Dec`, with the year unless it is this one."""
    last = first + timedelta(days=WEEK - 1)
    end = times.date_words(last, today)
    return f"{first.day}–{end}" if first.month == last.month else f"{first.day} {first:%b} – {end}"
