"""A walk through every page and state of the real window on a home in which people have worked; each scene has a name.

`walk` yields a name when the scene stands still. What is pictured, measured or read out there is the caller's affair.
"""

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from counterfoil.clock import SystemClock
from counterfoil.desktop.app import office_opener
from counterfoil.desktop.bridge import ThreadBridge
from counterfoil.desktop.frame.window import Window
from counterfoil.desktop.gate.files import FileCard
from counterfoil.desktop.office import RunnerSeen, RunnerState
from counterfoil.desktop.settings_facts import TABS
from counterfoil.desktop.theme import Theme
from counterfoil.places import Home
from desktop.lived_home import ARABIC, GERMAN, LivedHome

PATIENCE = 60.0  # seconds; the office is real
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier
MINUTE = 60_000_000


class Visitor:
    """A window on a home, and eyes that wait."""

    def __init__(self, home: Home, theme: Theme, size: tuple[int, int]) -> None:
        self.home = home
        settings = QSettings(str(home.root / "window.ini"), QSettings.Format.IniFormat)
        self.window = Window(SystemClock(), theme, settings)
        self.window.resize(*size)
        self.window.show()
        self.window.activateWindow()

    def begin(self) -> None:
        """Open the office."""
        self.window.begin(ThreadBridge(office_opener(self.home)))

    def close(self) -> None:
        """Close the window."""
        self.window.close()

    def settle(self, seconds: float = 0.35) -> None:
        """Let what is under way arrive, animations included."""
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            QCoreApplication.processEvents()
            QCoreApplication.sendPostedEvents(None, int(QEvent.Type.DeferredDelete))
            QTest.qWait(10)

    def until(self, seen: Callable[[], Any], what: str) -> Any:
        """Wait until something is seen; what it was."""
        ends = time.monotonic() + PATIENCE
        while time.monotonic() < ends:
            self.settle(0.02)
            with contextlib.suppress(AttributeError, IndexError, KeyError):
                found = seen()
                if found:
                    return found
        raise AssertionError(f"not seen in time: {what}")

    def press(self, key: Qt.Key, modifier: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A key, where the focus is."""
        QTest.keyClick(QApplication.focusWidget() or self.window, key, modifier)
        self.settle(0.05)

    def type(self, text: str) -> None:
        """Text, where the focus is."""
        QTest.keyClicks(QApplication.focusWidget() or self.window, text)
        self.settle(0.4)

    def click(self, widget: QWidget) -> None:
        """The left button."""
        QTest.mouseClick(widget, Qt.MouseButton.LeftButton)
        self.settle(0.1)

    def page(self, name: str) -> Any:
        """Go to a page."""
        self.window.show_page(name)
        self.settle()
        return self.window.pages[name]

    def gate_of(self, run_id: str) -> Any:
        """Show the newest gate of a run; its page."""
        inbox = self.page("inbox")
        row = self.until(lambda: inbox.pane.list.of_run(run_id, but=""), "the gate's row")
        return self.gate(row.gate_id)

    def gate(self, gate_id: str) -> Any:
        """Show a gate, whole; its page."""
        inbox = self.page("inbox")
        inbox.go_to_gate(gate_id)

        def whole() -> Any:
            session = inbox.detail.session
            there = session is not None and session.reading.seen.gate_id == gate_id and not session.loading
            return inbox.detail.page if there and not inbox.detail.page._to_build else None

        page = self.until(whole, "the gate")
        self.settle(0.5)
        return page

    def run(self, run_id: str, tab: str = "") -> Any:
        """Show a run."""
        runs = self.page("runs")
        runs.show_run(run_id, tab=tab)
        self.until(lambda: runs.detail._seen is not None and runs.detail._seen.document["run_id"] == run_id, "the run")
        self.settle()
        return runs.detail

    def scroll(self, amount: float) -> None:
        """Scroll the gate to a share of its length."""
        bar = self.window.pages["inbox"].detail.area.verticalScrollBar()
        bar.setValue(round(bar.maximum() * amount))
        self.settle(0.15)


def walk(visitor: Visitor, lived: LivedHome, only: str = "") -> Iterator[str]:
    """Every scene of a lived home, or of one of its parts, in an order that changes nothing for good."""
    everywhere = (
        _inbox,
        _gates,
        _sheets,
        _states,
        _several,
        _decided,
        _runs,
        _again,
        _templates,
        _schedules,
        _connectors,
        _trail,
        _settings,
        _frame,
    )
    for part in everywhere:
        if not only or part.__name__.strip("_") in only.split(","):
            yield from part(visitor, lived)


def _inbox(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    inbox = visitor.page("inbox")
    visitor.until(lambda: inbox.pane.adapter.entries, "the list")
    visitor.settle()
    yield "inbox"
    inbox.pane.search.setText("1320")
    visitor.settle()
    yield "inbox-search"
    inbox.pane.search.setText("brigt")
    visitor.settle()
    yield "inbox-no-hit"
    inbox.pane.search.clear()
    visitor.settle()


def _gates(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    for name in (
        "question",
        "batch",
        "mail",
        "prices",
        "contract",
        "doubt",
        "repair",
        "changed",
        f"letter {ARABIC}",
        f"letter {GERMAN}",
    ):
        visitor.gate_of(lived.runs[name])
        short = name.split()[0] if name.isascii() else ("arabic" if ARABIC in name else "german")
        yield f"gate-{short}-top"
        bar = visitor.window.pages["inbox"].detail.area.verticalScrollBar()
        step, at = bar.pageStep() - 60, 0
        while bar.value() < bar.maximum() and at < 9:
            at += 1
            bar.setValue(at * step)
            visitor.settle(0.15)
            yield f"gate-{short}-{at}"
    page = visitor.gate_of(lived.runs["question"])
    row = page.answers.rows[0]
    visitor.click(row.choice.segments["reject"] if "reject" in row.choice.segments else row.choice.first())
    page.focus_on(row.answer.key)
    visitor.settle()
    yield "gate-question-chosen"
    row.choice.first().setFocus(Qt.FocusReason.TabFocusReason)
    visitor.press(Qt.Key.Key_Tab)
    yield "gate-question-ring"


def _sheets(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    visitor.gate_of(lived.runs["mail"])
    detail = visitor.window.pages["inbox"].detail
    for name, act in (
        ("send-back", detail.deciding.send_back),
        ("reject", detail.deciding.reject),
        ("change", detail.deciding.change),
    ):
        act()
        visitor.settle()
        yield f"sheet-{name}"
        detail.deciding.asking.dismiss()
        visitor.settle()
    page = visitor.gate_of(lived.runs["doubt"])
    for choice in ("happened", "not_happened", "stop"):
        page.picked.emit(choice)
        visitor.settle()
        yield f"sheet-doubt-{choice}"
        detail.deciding.asking.dismiss()
        visitor.settle()
    visitor.gate_of(lived.runs["repair"]).picked.emit("skip")
    visitor.settle()
    yield "sheet-repair-skip"
    detail.deciding.asking.dismiss()


def _states(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    visitor.gate_of(lived.runs[f"letter {GERMAN}"])
    detail = visitor.window.pages["inbox"].detail
    visitor.settle(0.5)
    detail.deciding.act()
    visitor.until(lambda: detail.bar.counting, "the time to take it back")
    visitor.settle(0.6)
    yield "gate-undo"
    detail.deciding.undo()
    visitor.until(lambda: not detail.bar.counting, "it was taken back")
    visitor.settle()
    yield "gate-undone"
    detail._freeze(detail.session)
    visitor.settle()
    yield "gate-changed"
    detail._look_again()
    visitor.settle(0.6)


def _several(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    inbox = visitor.page("inbox")
    view = inbox.pane.view
    rows = [row for row in range(len(view.adapter.entries)) if view.adapter.gate_at(row) is not None]
    letters = [row for row in rows if "letter" in view.adapter.gate_at(row).title]
    view.clearSelection()
    for row in letters:
        view.selectionModel().select(view.adapter.index(row), view.selectionModel().SelectionFlag.Select)
    visitor.settle()
    yield "several-letters"
    view.selectAll()
    visitor.settle()
    yield "several-all"
    view.setCurrentIndex(view.adapter.index(letters[0]))
    view.selectRow(letters[0])
    visitor.settle()


def _decided(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    inbox = visitor.page("inbox")
    visitor.click(inbox.pane.tabs.segments["decided"])
    visitor.until(lambda: inbox.pane.list.tab == "decided" and inbox.pane.adapter.entries, "decided ones")
    visitor.settle()
    yield "decided"
    for name in ("paid", "rejected", "failed"):
        row = inbox.pane.list.of_run(lived.runs[name], but="")
        visitor.gate(row.gate_id)
        yield f"decided-{name}"
    from_run = visitor.until(lambda: _gates_of(lived, "cancelled"), "the withdrawn gate")
    visitor.gate(from_run[0])
    yield "withdrawn"
    visitor.gate(_gates_of(lived, "rejected")[1])
    yield "superseded"
    visitor.click(inbox.pane.tabs.segments["for_me"])
    visitor.settle()


def _gates_of(lived: LivedHome, name: str) -> list[str]:
    import sqlite3

    with contextlib.closing(sqlite3.connect(lived.home.root / "counterfoil.db")) as raw:
        found = raw.execute("SELECT gate_id FROM gate WHERE run_id = ? ORDER BY number", (lived.runs[name],)).fetchall()
    return [str(row[0]) for row in found]


def _runs(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    visitor.page("runs")
    for name in (
        "paid",
        "nothing-new",
        "rejected",
        "cancelled",
        "failed",
        "carried on",
        "timer",
        "running",
        "batch",
        "doubt",
        "repair",
    ):
        visitor.run(lived.runs[name], tab="steps")
        yield f"run-{name.replace(' ', '-')}-steps"
    for name in ("paid", "nothing-new", "rejected", "cancelled", "failed", "carried on", "running"):
        for tab in ("result", "files", "checkpoint", "trail"):
            detail = visitor.run(lived.runs[name], tab=tab)
            yield f"run-{name.replace(' ', '-')}-{tab}"
    detail = visitor.run(lived.runs["carried on"], tab="steps")
    visitor.click(detail.exact.segments["exact"])
    for group in [line.group for line in detail.steps_adapter.lines if line.group]:
        detail.steps.folded.emit(group)
    visitor.settle()
    yield "run-exact"
    visitor.click(detail.exact.segments["plain"])
    detail = visitor.run(lived.runs["running"], tab="steps")
    detail._stop()
    visitor.settle()
    yield "run-stop-sheet"
    detail.sheet.dismiss()
    visitor.settle()
    yield from _undoing(visitor, lived)
    detail = visitor.run(lived.runs["carried on"], tab="checkpoint")
    ask = getattr(detail.checkpoint, "pull", None)
    if ask is not None:
        visitor.settle()
    detail = visitor.run(lived.runs["paid"], tab="checkpoint")
    detail.checkpoint._export()
    visitor.until(detail.checkpoint.sheet.act.isEnabled, "what a pack holds")
    visitor.settle()
    yield "run-evidence"
    detail.checkpoint.sheet.export(str(lived.folder / "evidence.zip"))
    visitor.until(lambda: "again" in detail.checkpoint.sheet.act.text(), "the pack")
    visitor.settle()
    yield "run-evidence-exported"
    detail.checkpoint.sheet.dismiss()
    runs = visitor.page("runs")
    runs.search.setText("Nobody of that name")
    visitor.settle()
    yield "runs-no-hit"
    runs.search.clear()
    visitor.settle()


def _again(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    """How a run is run again; at the end it is, from a step."""
    detail = visitor.run(lived.runs["paid"], tab="steps")
    visitor.click(detail.again)
    visitor.settle()
    yield "run-again-same"
    sheet = detail.sheet
    visitor.click(sheet.how.segments["step"])
    visitor.until(lambda: sheet._look, "what the last step comes to")
    visitor.settle()
    yield "run-again-last-step"
    for ordinal in range(len(sheet._lines) - 1, -1, -1):
        sheet.steps.selectRow(ordinal)
        visitor.until(lambda: sheet._look, "what a step comes to")
        if sheet._look.refusal:
            visitor.settle()
            yield "run-again-not-there"
            break
    sheet.steps.selectRow(2)
    visitor.until(lambda: sheet._look, "what an early step comes to")
    sheet.reason.setFocus()
    visitor.type("The date was wrong")
    yield "run-again-early-step"
    before = detail.run_id
    visitor.click(sheet.act)
    visitor.until(lambda: detail.run_id != before and detail._seen is not None, "the new run")
    visitor.until(lambda: detail._seen.document["gates"], "its question")
    visitor.settle(1)
    yield "run-again-goes-on"
    runs = visitor.page("runs")
    visitor.until(lambda: runs.view.current_run() == detail.run_id, "it stands in the list")
    detail = visitor.run(lived.runs["paid"], tab="steps")
    visitor.click(detail.again)
    visitor.click(detail.sheet.how.segments["changed"])
    detail.sheet.reason.setFocus()
    visitor.type("Another account")
    visitor.click(detail.sheet.act)
    templates = visitor.window.pages["templates"]
    visitor.until(lambda: templates.form.isVisible() and templates.form.fields, "the form")
    visitor.settle()
    yield "run-again-form"


def _undoing(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    """The sheet over a run whose files are as it left them, and over one of which a file was changed since."""
    detail = visitor.run(lived.runs["paid"], tab="result")
    changed = Path(detail._seen.document["workspace"], "ledger.csv")
    kept, status = changed.read_bytes(), changed.stat()
    for name in ("undo-sheet", "undo-sheet-changed"):
        detail._undo()
        visitor.until(lambda: "Looking" not in detail.sheet.act.text(), "what undoing comes to")
        visitor.settle()
        yield f"run-{name}"
        if name == "undo-sheet-changed":
            _compare(visitor, detail.sheet)
            yield "run-undo-sheet-compared"
        detail.sheet.dismiss()
        visitor.settle()
        changed.write_bytes(kept + b"by somebody else\n")
    changed.write_bytes(kept)
    os.utime(changed, ns=(status.st_atime_ns, status.st_mtime_ns))


def _compare(visitor: Visitor, sheet: QWidget) -> None:
    """Have the first file that changed compared."""
    visitor.click(next(one for one in sheet.findChildren(QPushButton) if one.accessibleName().startswith("Compare")))
    visitor.until(lambda: " now" in sheet.findChildren(FileCard)[0].accessibleName(), "both sides")
    visitor.settle()


def _templates(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    templates = visitor.page("templates")
    visitor.until(lambda: templates.gallery.cards, "the gallery")
    visitor.settle()
    yield "templates"
    templates.search.setText("letters")
    visitor.settle()
    yield "templates-search"
    templates.search.setText("xyz")
    visitor.settle()
    yield "templates-no-hit"
    templates.search.clear()
    for name in ("pay-invoices", "credit", "archive"):
        path = next(card.path for card in templates._cards if card.name == name)
        templates.open_template(path)
        visitor.until(functools.partial(_shows, templates.form, path), "the form")
        visitor.settle()
        yield f"form-{name}"
        if name == "pay-invoices":
            editor = next(one for one in templates.form.fields if one.name == "debtor_iban")
            editor.fill("DE75512108001245126198")
            editor.focus()
            visitor.type("9")
            visitor.settle(1.2)
            yield "form-problem"
            templates.choose_folder()
            visitor.settle(0.5)
            yield "folder-sheet"
            templates.sheet.take(str(lived.payables))
            visitor.settle(1.5)
            yield "folder-sheet-measured"
            templates.sheet.take(str(lived.folder / "nowhere"))
            visitor.settle(1.5)
            yield "folder-sheet-refused"
            templates.sheet.dismiss()
            visitor.settle()
    templates.show_gallery()
    visitor.settle()


def _shows(form: Any, path: str) -> bool:
    return form._seen is not None and form._seen.card.path == path


def _schedules(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    window = visitor.window
    schedules = visitor.page("schedules")
    visitor.until(lambda: schedules.stack.currentIndex() != 0, "the schedules")
    if not schedules.adapter.rows:
        yield "schedules-none"
        keep_schedules(lived)
        visitor.until(lambda: len(schedules.adapter.rows) == 3, "three schedules")
    schedules.show_schedule(schedules.adapter.rows[0].schedule_id)
    visitor.settle()
    yield "schedules"
    visitor.click(schedules.head.run)
    visitor.until(lambda: schedules.head.shown.last is not None and schedules.head.shown.last.run_id, "it was run")
    visitor.settle(1.0)
    yield "schedules-run"
    visitor.click(schedules.calendar.span.segments["week"])
    visitor.settle()
    yield "schedules-week"
    visitor.click(schedules.calendar.span.segments["month"])
    schedules.calendar.view.setFocus(Qt.FocusReason.TabFocusReason)
    visitor.press(Qt.Key.Key_Right)
    yield "schedules-keys"
    schedules.head.remove.click()
    visitor.settle()
    yield "schedules-remove"
    schedules.sheet.dismiss()
    schedules.head.change.click()
    visitor.until(lambda: schedules.editor.isVisible() and schedules.editor.ahead.texts, "the editor")
    visitor.until(lambda: schedules.editor.ready.texts, "what it needs")
    yield "schedule-change"
    for name, text in (("gap", "every day at 02:30"), ("wrong", "every year on 31 April at 09:00")):
        schedules.editor.rule.setText(text)
        schedules.editor.sentence.zone.setEditText("Europe/Berlin")
        visitor.settle(1.5)
        yield f"schedule-{name}"
    schedules._leave_editor()
    window.show_page("inbox")
    visitor.settle()


def keep_schedules(lived: LivedHome) -> None:
    """Three schedules of a lived home, as somebody kept them on the command line."""
    from counterfoil.desktop.real_office import calls

    for name, rule, folder in (
        ("Archive boxes", "every weekday at 18:00", lived.archive),
        ("Month-end close", "last business day of the month at 17:30", lived.archive),
        ("Weekly letters", "every 2 weeks on Monday and Thursday at 09:00", lived.sales),
    ):
        template = {"Archive boxes": "archive", "Month-end close": "monthend", "Weekly letters": "prices"}[name]
        values = {"archive": {}, "monthend": {"statement": "statement-nov.csv"}, "prices": {"hours": "60"}}[template]
        given = [part for key, value in values.items() for part in ("--set", f"{key}={value}")]
        words = ["--rule", rule, "--zone", "Europe/Berlin", "--workspace", f"{folder}", *given]
        calls.call(lived.home, "schedule", "add", *words, "--", name, template)


def _connectors(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    connectors = visitor.page("connectors")
    for tab in ("connectors", "routes", "permissions", "memory"):
        connectors.show_tab(tab)
        visitor.until(lambda: connectors.tab.stack.currentIndex() != 0, "what stands there")
        visitor.settle()
        yield f"connectors-{tab}"


def _trail(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    trail = visitor.page("trail")
    visitor.settle(1.0)
    yield "trail"
    visitor.click(trail.check)
    visitor.settle(2.0)
    yield "trail-checked"
    trail.search.setText("nobody did that")
    visitor.settle(1.0)
    yield "trail-no-hit"
    trail.search.clear()
    visitor.settle()


def _settings(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    settings = visitor.page("settings")
    for tab, _ in TABS:
        settings.show_tab(tab)
        visitor.until(lambda: settings.tab.stack.currentIndex() != 0, "what is set")
        visitor.settle()
        yield f"settings-{tab}"
    settings.tab._give()
    visitor.settle()
    yield "settings-support"
    settings.tab.sheet.dismiss()
    settings.show_tab("general")
    settings.tab.undo.fill("soon")
    settings.tab._undo("undo")
    visitor.settle()
    yield "settings-problem"
    settings.tab.undo.fill("5")


def _frame(visitor: Visitor, lived: LivedHome) -> Iterator[str]:
    window = visitor.window
    visitor.page("inbox")
    window.open_palette()
    visitor.settle()
    yield "palette"
    visitor.type("pay")
    yield "palette-typed"
    visitor.press(Qt.Key.Key_Escape)
    for path in (lived.archive, lived.sales):
        window.choose_workspace(str(path))
        visitor.settle(1.0)
        yield f"workspace-{path.name.split()[0]}"
    window.choose_workspace(None)
    visitor.settle(1.0)
    window.sidebar.switcher.open_menu()
    visitor.settle()
    yield "MENU"
    for menu in window.findChildren(QMenu):
        menu.close()
    real = window.runner
    now = SystemClock().now_us()
    for name, seen in (
        ("starting", RunnerSeen(RunnerState.STARTING)),
        ("off", RunnerSeen(RunnerState.OFF)),
        ("silent", RunnerSeen(RunnerState.SILENT, since=now - 60 * MINUTE, last_sign=now - 9 * MINUTE, pid=4711)),
        ("running", real),
    ):
        window._show_runner(seen)
        window.sidebar.runner._toggle()
        visitor.settle(0.2)
        yield f"runner-{name}"
        window.sidebar.runner._toggle()
    window._show_runner(real)
    inbox = visitor.page("inbox")
    inbox.pane.view.setFocus(Qt.FocusReason.TabFocusReason)
    for at in range(14):
        visitor.press(Qt.Key.Key_Tab)
        yield f"ring-{at:02d}"


def walk_bare(visitor: Visitor) -> Iterator[str]:
    """A bare home: the skeleton, empty pages, the first run from the card to the result."""
    visitor.settle(0.05)
    yield "skeleton"
    visitor.begin()
    window = visitor.window
    visitor.until(lambda: window._first_run.card, "the first card")  # type: ignore[union-attr]
    visitor.settle()
    yield "first-card"
    for name in ("runs", "templates", "trail"):
        visitor.page(name)
        visitor.settle(0.6)
        yield f"empty-{name}"
    inbox = visitor.page("inbox")
    card: Any = window._first_run.card  # type: ignore[union-attr]
    visitor.click(card.start)
    at = 0
    while window._first_run.card is not None:  # type: ignore[union-attr]
        visitor.settle(0.25)
        at += 1
        if at < 24:
            yield f"progress-{at:02d}"
    visitor.until(lambda: inbox.detail.page and not inbox.detail.page._to_build, "the gate")
    visitor.settle(0.5)
    yield "first-gate"
    for row in inbox.detail.page.answers.rows:
        if not row.answer.default:
            visitor.click(row.choice.segments["hold"])
    visitor.settle(0.3)
    yield "first-gate-answered"
    visitor.click(inbox.detail.bar.primary)
    visitor.until(lambda: inbox.detail.bar.counting, "the time to take it back")
    yield "first-undo"
    visitor.until(
        lambda: inbox.detail.session.reading.kind == "approval" and not inbox.detail.session.loading, "the batch"
    )
    visitor.settle(0.8)
    yield "first-batch"
    visitor.click(inbox.detail.bar.primary)
    visitor.until(lambda: inbox.detail.bar.counting, "the time to take it back")
    visitor.settle(0.3)
    yield "first-batch-undo"
    visitor.until(lambda: window._first_run.card, "the result")  # type: ignore[union-attr]
    visitor.settle(0.5)
    yield "result"
    result: Any = window._first_run.card  # type: ignore[union-attr]
    visitor.click(next(b for b in result.findChildren(type(card.own)) if "Undo" in b.text()))
    visitor.until(lambda: result.sheet.act.text() == "Give a reason first", "what undoing comes to")
    visitor.settle()
    yield "result-undo-sheet"
    visitor.type("Only a try")
    visitor.settle()
    yield "result-undo-reason"
    visitor.click(result.sheet.act)
    visitor.until(lambda: "are put back." in result.card.accessibleName(), "the files are back")
    visitor.settle()
    yield "result-undone"
    visitor.click(
        next(b for b in window.findChildren(type(card.own)) if b.isVisible() and "Use your own folder" in b.text())
    )
    visitor.settle(1.0)
    yield "own-folder"


def picture(visitor: Visitor, name: str, folder: Path) -> None:
    """Keep the window as a picture; a menu is a window of its own."""
    widget: QWidget = visitor.window
    if name == "MENU":
        widget = next(menu for menu in visitor.window.findChildren(QMenu) if menu.isVisible())
        name = "switcher-menu"
    widget.grab().save(str(folder / f"{name}.png"))
