"""Names in any script, with characters that hide, move or turn the line: shown by name wherever the window shows them.

Every text that somebody else wrote carries all of them. Whatever the window says, to the eye, to a screen reader, in a tooltip, in a
title, on paper, is looked through.
"""

import unicodedata
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QAbstractItemModel, QAbstractTableModel, QModelIndex, Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QWidget,
)

from counterfoil.clock import SystemClock
from counterfoil.desktop.frame.paper import as_html
from counterfoil.desktop.office import Tab
from counterfoil.desktop.theme import Theme
from counterfoil.facts import GateState, RunState, Verdict
from counterfoil.inbox.accounts import account
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home
from counterfoil.store import gates, versions
from counterfoil.store.transactions import Txn
from desktop.real_home import RowsHome
from desktop.real_window import CTRL, Seat
from views.rows import item, spec

pytestmark = pytest.mark.qt_log_ignore("OpenType support missing", extend=True)  # not every computer has every script

# turns the line, isolates, hides, moves the cursor, ends a line for some, joins nothing, an unassigned tag
BAD = "\u202e\u2066\u200b\u200f\u2028\ufeff\x07\x1b[31m\x08\x85\U000e0041"
SCRIPTS = "Ζωή ООО «Север» 山田商店 شركة النور חברת אור ไทย नमस्ते 🏭 é"
MARKUP = "<img src=x>"  # and what a tooltip would fetch, or a label show in another voice
ALLOWED = {"\n", "\t", "\u00a0", "\u200c", "\u200d"}


def foreign(words: str) -> str:
    """A text of somebody else's."""
    return f"{words} {MARKUP} {SCRIPTS} {BAD}end"


def hidden(text: str) -> list[str]:
    """The characters of a text that nobody can see, or that turn the line around."""
    return [
        f"U+{ord(sign):04X}"
        for sign in text
        if sign not in ALLOWED and unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cn", "Cs", "Zl", "Zp")
    ]


def everything_said(window: QWidget) -> Iterator[tuple[str, str]]:
    """Every text of a window with where it stands."""
    yield "window title", window.windowTitle()
    for widget in window.findChildren(QWidget):
        where = f"{type(widget).__name__} ‘{widget.accessibleName()[:40]}’"
        yield f"{where} name", widget.accessibleName()
        yield f"{where} description", widget.accessibleDescription()
        yield f"{where} tooltip", widget.toolTip()
        if isinstance(widget, QLabel | QAbstractButton):
            yield f"{where} text", widget.text()
        if isinstance(widget, QLineEdit):
            yield f"{where} hint", widget.placeholderText()
        if isinstance(widget, QPlainTextEdit) and widget.isReadOnly():
            yield f"{where} text", widget.toPlainText()
        if isinstance(widget, QComboBox):
            yield from ((f"{where} choice", widget.itemText(at)) for at in range(widget.count()))
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            yield from cells(where, widget.model())
        if isinstance(widget, QMenu):
            yield from ((f"{where} action", action.text()) for action in widget.actions())


def cells(where: str, model: QAbstractItemModel) -> Iterator[tuple[str, str]]:
    """What a list or table shows, and what is spoken of it."""
    for row in range(min(model.rowCount(QModelIndex()), 60)):
        for column in range(model.columnCount(QModelIndex()) if isinstance(model, QAbstractTableModel) else 1):
            for role in (
                Qt.ItemDataRole.DisplayRole,
                Qt.ItemDataRole.AccessibleTextRole,
                Qt.ItemDataRole.ToolTipRole,
                int(Qt.ItemDataRole.UserRole) + 1,
                int(Qt.ItemDataRole.UserRole) + 2,
                int(Qt.ItemDataRole.UserRole) + 3,
            ):
                value = model.index(row, column, QModelIndex()).data(role)
                for text in shown_of(value):
                    yield f"{where} row {row} role {int(role)}", text


def shown_of(value: Any) -> Iterator[str]:
    """Texts of what a delegate paints from: a text, or a row with its painted fields."""
    if isinstance(value, str):
        yield value
    for name in ("title", "why", "template", "words", "closed", "note", "care", "figure_label"):
        found = getattr(value, name, None)
        if isinstance(found, str):
            yield found
    texts = getattr(value, "texts", None)
    if isinstance(texts, tuple):
        yield from texts


def markup(window: QWidget) -> Iterator[tuple[str, str]]:
    """Every text with markup of others that would be read as markup: Qt looks for some in tooltips, and in labels that are not plain."""
    for widget in window.findChildren(QWidget):
        where = f"{type(widget).__name__} ‘{widget.accessibleName()[:40]}’"
        if MARKUP in widget.toolTip():
            yield f"{where} tooltip", widget.toolTip()
        if isinstance(widget, QLabel) and widget.textFormat() != Qt.TextFormat.PlainText and MARKUP in widget.text():
            yield f"{where} rich text", widget.text()
        if isinstance(widget, QAbstractItemView) and widget.model() is not None:
            role = f"role {int(Qt.ItemDataRole.ToolTipRole)}"
            shown = cells(where, widget.model())
            yield from ((there, text) for there, text in shown if there.endswith(role) and MARKUP in text)
        if isinstance(widget, QMenu):
            told = [action for action in widget.actions() if MARKUP in action.toolTip()]
            yield from ((f"{where} action's tooltip", action.toolTip()) for action in told if widget.toolTipsVisible())


Leaks = dict[str, list[tuple[str, str]]]


def look(seat: Seat, state: str, leaks: Leaks) -> None:
    """Keep what is hidden in what this state of the window says."""
    seat.rest(0.15)
    found = [(where, text[:60]) for where, text in everything_said(seat.window) if hidden(text)]
    found += [(where, text[:60]) for where, text in markup(seat.window)]
    if found:
        leaks[state] = found


class HostileHome(RowsHome):
    """A data folder in which everybody else's words are hostile."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.office.close()
        rows = self.rows
        place = Path(rows.workspace).parent / f"files {SCRIPTS} \u202edloc"
        place.mkdir()
        rows.workspace = str(place)
        rows.database.transact(self._version)
        self.run_id = str(rows.run(foreign("Run"))["run_id"])
        rows.claim(self.run_id)
        rows.record(self.run_id, 0, foreign("step"), summary=foreign("17 files"))
        self.gate = self.ask(self.run_id, 1, hostile_spec())
        rows.move(self.run_id, RunState.WAITING)
        self.question = self.ask(self.run_id, 2, hostile_question())
        self.failure = self.ask(self.run_id, 3, hostile_failure())
        closed = self.ask(self.run_id, 4, spec(title=foreign("Decided")))
        decide(
            rows.database,
            rows.blobs,
            closed["gate_id"],
            Wish(
                Verdict.REJECTED, f"user:{foreign('eve')}", foreign("no"), signature="unverified", entered_by=account()
            ),
        )
        gone = self.ask(self.run_id, 5, spec(title=foreign("Gone")))
        rows.database.transact(lambda txn: gates.close(txn, gone["gate_id"], GateState.WITHDRAWN, foreign("why")))
        self.closed, self.gone = str(closed["gate_id"]), str(gone["gate_id"])

    @staticmethod
    def _version(txn: Txn) -> None:
        versions.add(
            txn, "user:anna", digest="a" * 64, name="pay-invoices", title=foreign("Template"), manifest="{}",
            parameters="[]", source="b" * 64, origin="bundled", program="0.1.0",
        )  # fmt: skip


def hostile_spec() -> dict[str, Any]:
    """An approval with every part there is."""
    rows = [[1, foreign("Supplier"), "GB29 NWBK 6016 1331 9268 19", foreign("DE89")]]
    evidence = [
        {
            "kind": "table@1",
            "title": foreign("Payments"),
            "data": {"columns": ["No.", foreign("supplier"), "account", "warning"], "rows": rows, "flagged": [0]},
            "source": foreign("mail.eml"),
        },
        {"kind": "fields@1", "title": foreign("Facts"), "data": [[foreign("name"), foreign("value")]], "source": None},
        {"kind": "text@1", "title": foreign("Text"), "data": foreign("short"), "source": foreign("x.txt")},
        {"kind": "text@1", "title": foreign("Long"), "data": foreign("long") * 200, "source": foreign("y.txt")},
        {"kind": "hologram@1", "title": foreign("Odd"), "data": {foreign("key"): foreign("v")}, "source": None},
        {"kind": "diff@1", "title": foreign("Diff"), "data": f"+{foreign('new')}\n-{foreign('old')}", "source": None},
        {
            "kind": "file@1",
            "title": foreign("File"),
            "data": {"path": foreign("a.pdf"), "page": 1},
            "source": foreign("a"),
        },
    ]
    data = {"$bytes": "eA=="}
    plan = [
        item(1, "write_file@1", {"path": foreign("out.csv"), "data": data}, summary=foreign("Write")),
        item(2, "move_files@1", {"moves": [[foreign("in/a"), foreign("archive/a")]]}, summary=foreign("Move")),
        item(
            3,
            "mail@1",
            {"to": [foreign("a@b.example")], "subject": foreign("Hello"), "body": foreign("Text"), "cc": []},
        ),
    ]
    return spec(
        title=foreign("Write it"),
        evidence=evidence,
        plan=plan,
        flags=[foreign("Flag")],
        figures=[[foreign("Figure"), 12]],
        fields=[{"name": "note", "type": "text", "label": foreign("Note"), "help": foreign("Help"), **FIELD}],
    )


FIELD = {
    "required": False, "required_when": None, "choices": None, "default": None, "remakes": False, "remember": False,
    "check": None,
}  # fmt: skip


def hostile_question() -> dict[str, Any]:
    """A question with choices."""
    choices = [foreign("pay"), foreign("hold")]
    asked = [
        {
            **FIELD,
            "name": "choice.1",
            "type": "choice",
            "label": foreign("Row"),
            "help": foreign("Help"),
            "choices": choices,
        },
        {
            **FIELD,
            "name": "where",
            "type": "choice",
            "label": foreign("Where"),
            "help": "",
            "choices": [*choices, "a", "b", "c"],
        },
        {**FIELD, "name": "few", "type": "choice", "label": foreign("Few"), "help": "", "choices": choices},
    ]
    return {**spec(title=foreign("Which?"), fields=asked), "kind": "question"}


def hostile_failure() -> dict[str, Any]:
    """A step that stopped."""
    error = {"type": foreign("Error"), "message": foreign("no ink"), "traceback": foreign("File")}
    return {
        **spec(
            title=foreign("Needs repair"),
            about={"why": "failed", "step": foreign("step"), "attempts": 2, "error": error},
        ),
        "kind": "failure",
        "fields": [
            {**FIELD, "name": "choice", "type": "choice", "label": "Choice", "help": "", "choices": ["retry", "stop"]}
        ],
    }


@pytest.fixture
def hostile(tmp_path: Path) -> Generator[HostileHome]:
    made = HostileHome(tmp_path)
    yield made
    made.rows.database.close()


@pytest.fixture
def seat(qapp: QApplication, theme: Theme, hostile: HostileHome) -> Generator[Seat]:
    made = Seat(Home(hostile.rows.home.root), theme)
    yield made
    made.close()


def test_the_check_itself_sees_what_is_hidden() -> None:
    assert hidden(foreign("x")) == [
        "U+202E", "U+2066", "U+200B", "U+200F", "U+2028", "U+FEFF", "U+0007", "U+001B", "U+0008", "U+0085", "U+E0041",
    ]  # fmt: skip
    assert hidden(SCRIPTS) == []


def test_whatever_others_are_called_nothing_hidden_reaches_the_screen(hostile: HostileHome, seat: Seat) -> None:
    leaks: Leaks = {}
    seat.until(lambda: seat.detail.page, "the first gate")
    look(seat, "inbox", leaks)
    for gate_id in (hostile.gate["gate_id"], hostile.question["gate_id"], hostile.failure["gate_id"]):
        seat.inbox.go_to_gate(gate_id)
        seat.until(lambda gate_id=gate_id: seat.detail.session.reading.seen.gate_id == gate_id, "the gate")  # type: ignore[misc]
        seat.until(lambda: not seat.detail.session.loading, "its files")
        look(seat, f"gate {seat.detail.session.reading.kind}", leaks)
        assert SCRIPTS.split(maxsplit=1)[0] in seat.detail.page.head.title.text()
    for gate_id in (hostile.closed, hostile.gone):
        seat.inbox.go_to_gate(gate_id)
        seat.until(lambda gate_id=gate_id: seat.detail.session.reading.seen.gate_id == gate_id, "the gate")  # type: ignore[misc]
        look(seat, "closed gate", leaks)
    seat.inbox.pane.tabs.choose(str(Tab.DECIDED))
    seat.inbox.pane.tab_changed.emit(Tab.DECIDED)
    seat.until(lambda: seat.inbox.pane.list.tab == Tab.DECIDED, "decided ones")
    look(seat, "decided", leaks)
    seat.window.sidebar.switcher.open_menu()
    look(seat, "workspaces", leaks)
    seat.window.sidebar.switcher.findChild(QMenu).close()  # type: ignore[union-attr]
    seat.window.choose_workspace(hostile.rows.workspace)
    look(seat, "one workspace", leaks)
    seat.press(Qt.Key.Key_K, CTRL)
    look(seat, "go anywhere", leaks)
    seat.press(Qt.Key.Key_K, CTRL)
    seat.window.show_page("runs")
    seat.until(lambda: seat.window.pages["runs"].detail.run_id, "the run")
    for tab in ("steps", "files", "result", "checkpoint", "trail"):
        seat.window.pages["runs"].show_run(hostile.run_id, tab=tab)
        look(seat, f"run {tab}", leaks)
    seat.window.show_page("templates")
    look(seat, "templates", leaks)
    seat.window.show_page("trail")
    seat.until(lambda: seat.window.pages["trail"].view, "the trail")
    look(seat, "trail", leaks)
    assert not leaks, "\n".join(
        sorted({f"{state}: {where} {_!r}" for state, found in leaks.items() for where, _ in found})
    )
    assert seat.window.windowTitle() == "Counterfoil (3)"


def test_nothing_hidden_reaches_paper(hostile: HostileHome, seat: Seat) -> None:
    seat.inbox.go_to_gate(hostile.gate["gate_id"])
    seat.until(lambda: seat.detail.session.reading.seen.gate_id == hostile.gate["gate_id"], "the gate")
    written = as_html(seat.detail.session.reading.seen, SystemClock().now_us())
    assert hidden(written) == []
    assert "‹U+202E›" in written
    assert MARKUP not in written


def test_a_choice_is_answered_as_it_was_asked_whatever_is_shown_of_it(hostile: HostileHome, seat: Seat) -> None:
    seat.inbox.go_to_gate(hostile.question["gate_id"])
    seat.until(lambda: seat.detail.session.reading.seen.gate_id == hostile.question["gate_id"], "the gate")
    few = next(editor for editor in seat.until(lambda: seat.detail.page.form, "the form") if editor.name == "few")
    seat.click(next(iter(few._editor.segments.values())))
    assert few.text() == foreign("pay")
    assert seat.detail.session.values["few"] == foreign("pay")
