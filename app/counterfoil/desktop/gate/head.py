"""The top of a gate: where it comes from, what is asked, what follows from each answer, and the key figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QBoxLayout, QLabel, QWidget

from counterfoil.desktop.gate.allowing import may_be_allowed
from counterfoil.desktop.gate.path import GatePath
from counterfoil.desktop.gate.reading import Reading
from counterfoil.desktop.parts.boxes import Banner, Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose, role_font
from counterfoil.desktop.parts.layouts import Flow, column, put, row
from counterfoil.desktop.protection.badge import ProtectionBadge
from counterfoil.desktop.tokens import ICON
from counterfoil.desktop.words import gates as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import joined
from counterfoil.desktop.words.plain import one_line

_FIGURE = 400  # pixels of a figure on one line
_STRONG_STARTS = (
    "If you approve:",
    "Also:",
    "If you reject:",
    "If you answer:",
    "If you keep the folder's:",
    "If you use the run's:",
    "If you keep both:",
)
_MAILED = re.compile(r"If you approve: [\d,]+ mails? (is|are) sent ")
_IF_CHOSEN = "If you choose ‘"  # before the name that a button has


class GateHead(QWidget):
    """Everything above the answers.

    Signals:
        run_wanted(str): show the run this gate belongs to.
        print_wanted(): put the gate on paper.
        more_wanted(QWidget): the menu of what is no decision, at this button.
        always_wanted(): propose a rule for what it asks about.
    """

    run_wanted = Signal(object)
    print_wanted = Signal()
    more_wanted = Signal(object)
    always_wanted = Signal()

    def __init__(self, reading: Reading, now_us: int) -> None:
        super().__init__()
        seen = reading.seen
        lines = column(self, gap=0)
        put(lines, self._path(reading), 6)
        asked = words.asked(
            times.iso_instant(str(seen.document["asked_at"])) or now_us, seen.started_by, seen.me, now_us, seen.files_at
        )
        told = Prose(asked, "caption")
        told.setToolTip(times.full(times.iso_instant(str(seen.document["asked_at"])) or now_us))
        asked_line = self._asked(told, reading)
        put(lines, asked_line, 8 - max(0, asked_line.sizeHint().height() - told.sizeHint().height()))
        self.title = Prose(reading.title, "title", leading=1.3)
        self.title.setProperty("ringless", True)
        self.title.setAccessibleDescription(words.KIND_WORDS.get(reading.kind, "") or "Approval")
        kind = words.KIND_WORDS.get(reading.kind, "")
        if kind:
            line = row(gap=6, margins=(0, 0, 0, 4))
            tone = words.KIND_TONES.get(reading.kind, "text2")
            put(line, Icon(words.KIND_ICONS[reading.kind], tone), Label(kind, "small_strong", tone=tone), None)
            put(lines, line)
        put(lines, self.title)
        if reading.effects_first or reading.consequences:
            put(lines, 14, consequences_box(reading))
        figures = list(reading.figures)
        due = times.iso_instant(str(seen.document.get("due_at")))
        due = due if reading.open and len(figures) < 4 else None
        if due is not None:
            figures.append(("Decide by", times.when(due, now_us)))
        if figures:
            put(lines, 16, _figures(figures, due), 4)

    @Slot()
    def _more(self) -> None:
        self.more_wanted.emit(self.more)

    def _asked(self, told: Prose, reading: Reading) -> QBoxLayout:
        """Who asked, and beside it the way to a rule: in the path it would take the room of a run's title."""
        line = row(gap=12)
        line.addWidget(told, 1, Qt.AlignmentFlag.AlignVCenter)
        if may_be_allowed(reading):
            always = Button("Always allow…", "link", help="Propose a rule for what this gate asks about")
            always.clicked.connect(self.always_wanted)
            put(line, always)
        return line

    def _path(self, reading: Reading) -> QWidget:
        seen = reading.seen
        held = QWidget()
        whole = row(held, gap=8)
        path = GatePath(seen)
        path.run.chosen.connect(self.run_wanted)
        whole.addWidget(path, 1, Qt.AlignmentFlag.AlignVCenter)
        history = Button(
            "", "icon", icon="history", name="Show every step of this run", key=str(seen.document["run_id"])
        )
        history.chosen.connect(self.run_wanted)
        printer = Button("", "icon", icon="printer", name="Save as PDF… (Ctrl+P)")
        printer.clicked.connect(self.print_wanted)
        self.more = Button("", "icon", icon="ellipsis", name="More: snooze, give to somebody")
        self.more.clicked.connect(self._more)
        put(whole, ProtectionBadge(seen.isolation), history, printer, *([self.more] if reading.open else []))
        return held


def consequences_box(reading: Reading) -> Box:
    """What follows from each answer; what leaves the house comes first and strong."""
    box = Box("quiet", gap=4, margins=(14, 10, 14, 10))
    for sentence in reading.effects_first:
        line = row(gap=8)
        line.addWidget(Icon(leaves_by(sentence), "warn"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(Prose(sentence, "strong"), 1)
        box.put(line)
    inset = ICON + 8 if reading.effects_first else 0  # the sentences stand below each other, icon or not
    for sentence in reading.consequences:
        start = next((one for one in _STRONG_STARTS if sentence.startswith(one)), "")
        if sentence.startswith(_IF_CHOSEN):
            start = sentence.partition("’:")[0] + "’:"
        line = row(margins=(inset, 0, 0, 0))
        line.addWidget(Prose(sentence, "body", strong=[(0, len(start))] if start else ()), 1)
        box.put(line)
    box.setAccessibleName("What follows from each answer")
    return box


def leaves_by(sentence: str) -> str:
    """The icon of what leaves the house: a mail, or a call to somebody else's computer."""
    return "mail" if _MAILED.match(sentence) else "link"


def state_banner(reading: Reading, now_us: int, ways: Sequence[Button] = ()) -> Banner | None:
    """How a gate that is open no more ended, with the ways on."""
    choice = str(reading.seen.draft.values.get("choice", "")) if reading.kind in words.ENDINGS else ""
    said = words.closed(
        reading.seen.document, reading.seen.me, now_us, words.ENDINGS.get(reading.kind, {}).get(choice, "")
    )
    if not said:
        return None
    decided = str(reading.seen.document["state"]) == "decided"
    last = (reading.seen.document.get("decisions") or [{}])[-1]
    comment = one_line(last.get("comment") or "")
    held = joined([reading.rows_called.get(str(n), f"row {n}") for n in reading.seen.draft.held]) if decided else ""
    details = [f"‘{comment}’" if comment else "", f"Held: {held}" if held else ""]
    good = last.get("verdict") in ("approved", "answered") and choice not in words.ENDS_A_RUN
    tone = "ok" if decided and good else "info" if decided else "quiet"
    return Banner(
        tone,
        said if comment or not decided else f"{said} Nothing left to decide.",
        ways,
        detail="\n".join(filter(None, details)),
    )


def _figures(figures: list[tuple[str, str]], due: int | None) -> QWidget:
    """Side by side; the last one is the deadline where there is one."""
    held = QWidget()
    flow = Flow(held, gap=32, line_gap=10)
    for at, (name, value) in enumerate(figures):
        one = QWidget()
        lines = column(one, gap=2)
        last = due is not None and at == len(figures) - 1
        shown = _figure(value, "figure", "warn" if last else "text")
        shown.setAccessibleDescription(name)
        if last and due is not None:
            shown.setToolTip(times.full(due))
        put(lines, _figure(name, "small"), shown)
        flow.addWidget(one)
    return held


def _figure(text: str, role: str, tone: str = "") -> QLabel:
    """One line that can be selected; what is longer than a pane may be breaks."""
    if QFontMetrics(role_font(role)).horizontalAdvance(text) > _FIGURE:
        return Prose(text, role, tone=tone)
    label = Label(text, role, tone=tone)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
