"""The sentence of a schedule: Run [template] [every Monday at 07:00], [Berlin] time. What is understood is said back below it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCompleter, QWidget

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.combo import Combo
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Icon, Label, Prose, repolish
from counterfoil.desktop.parts.layouts import TOP, Flow, column, put, row
from counterfoil.desktop.schedule_facts import DraftSeen
from counterfoil.desktop.template_facts import TemplateCard
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import one_line
from counterfoil.facts import as_sentence

EXAMPLES = (
    "every Monday at 07:00",
    "every weekday at 09:00",
    "every 2 weeks on Monday at 09:00",
    "last business day of the month at 17:30",
    "every 15 minutes",
    "when new files have come into Inbox",
)
_RULE, _TEMPLATE, _ZONE = 280, 210, 176  # pixels


class SentenceBox(Box):
    """Template, rule and zone in one sentence.

    Signals:
        edited(): something was typed or chosen.
        template_chosen(str): another template's folder.
    """

    edited = Signal()
    template_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__("card", gap=10)
        self.template = Combo("Template to run")
        self.template.setFixedWidth(_TEMPLATE)
        self.template.activated.connect(self._chosen)
        self.rule = LineEdit("When it runs, in words", EXAMPLES[0])
        self.rule.setFixedWidth(_RULE)
        self.zone = Combo("Time zone")
        self.zone.setEditable(True)
        self.zone.setInsertPolicy(Combo.InsertPolicy.NoInsert)
        self.zone.setFixedWidth(_ZONE)
        typed = self.zone.lineEdit()
        if typed is not None:
            typed.setAccessibleName("Time zone")
        completer = self.zone.completer() or QCompleter(self.zone)
        completer.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        self.rule.textChanged.connect(self.edited)
        self.zone.editTextChanged.connect(self.edited)
        held = QWidget()
        flow = Flow(held, gap=8, line_gap=8)
        for widget in (
            _together(Label("Run", "medium"), self.template),
            self.rule,
            _together(Label("in", "medium"), self.zone, Label("time.", "medium")),
        ):
            flow.addWidget(widget)
        self._mark = Icon("circle-dashed", "text3", 16)
        self.said = Prose("", "medium")
        self.instead = Button("", "link")
        self.instead.chosen.connect(self._take)
        line = row(gap=8)
        mark = column(margins=(0, 2, 0, 0))
        put(mark, self._mark)
        line.addLayout(mark)
        line.setAlignment(mark, TOP)
        texts = column(gap=2)
        put(texts, self.said, self.instead)
        line.addLayout(texts, 1)
        self._notes = Prose("", "small", tone="info")
        examples = QWidget()
        shown = Flow(examples, gap=12, line_gap=2)
        shown.addWidget(Label("Such as", "caption"))
        for example in EXAMPLES:
            button = Button(example, "link", key=example, name=f"Take: {example}")
            button.chosen.connect(self._example)
            shown.addWidget(button)
        self.put(held, line, self._notes, examples)
        self._where = ""
        self.say(DraftSeen())

    def show_templates(self, cards: Sequence[TemplateCard], path: str) -> None:
        """Those that can run, and which is chosen."""
        self.template.blockSignals(True)
        self.template.clear()
        self.template.addItem("Choose a template…", "")
        for card in cards:
            if not card.trouble:
                self.template.addItem(one_line(card.title), card.path)
        self.template.setCurrentIndex(max(0, self.template.findData(path)))
        self.template.blockSignals(False)

    def fix_template(self, *, fixed: bool) -> None:
        """A kept schedule keeps its template."""
        self.template.setEnabled(not fixed)
        self.template.setToolTip("A schedule keeps its template: write a new one for another" if fixed else "")

    def show_zones(self, zones: Sequence[str]) -> None:
        """Those that can be chosen; what is typed stays."""
        typed = self.zone.currentText()
        self.zone.blockSignals(True)
        self.zone.clear()
        self.zone.addItems(list(zones))
        self.zone.setEditText(typed)
        self.zone.blockSignals(False)

    def fill(self, rule: str, zone: str) -> None:
        """Show these without saying that a person typed them."""
        for widget in (self.rule, self.zone):
            widget.blockSignals(True)
        self.rule.setText(rule)
        self.zone.setEditText(zone)
        for widget in (self.rule, self.zone):
            widget.blockSignals(False)

    def say(self, seen: DraftSeen) -> None:
        """What was understood, or what is wrong and what could stand there instead."""
        wrong = bool(seen.problem)
        if wrong:
            self._mark.show_icon("triangle-alert", "bad")
            self.said.say(seen.problem)
            self.said.set_tone("bad")
        elif seen.said:
            self._mark.show_icon("circle-check", "ok")
            self.said.say(as_sentence(capital(seen.said)))
            self.said.set_tone("text")
        else:
            self._mark.show_icon("circle-dashed", "text3")
            self.said.say("Say when it runs, in plain words or as a crontab line.")
            self.said.set_tone("text2")
        self._where = seen.where
        self.instead.setVisible(bool(seen.instead))
        self.instead.say(f"Use ‘{seen.instead}’")
        self.instead.key = seen.instead
        self._notes.setVisible(bool(seen.notes))
        self._notes.say("\n".join(seen.notes))
        _tone(self.rule, "bad" if wrong and seen.where == "rule" else "")
        _tone(self.zone, "bad" if wrong and seen.where == "zone" else "")
        self.rule.setAccessibleDescription(self.said.text())

    @Slot(int)
    def _chosen(self, at: int) -> None:
        self.template_chosen.emit(str(self.template.itemData(at) or ""))

    @Slot(object)
    def _example(self, text: object) -> None:
        self.rule.setText(str(text))
        self.rule.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot(object)
    def _take(self, text: object) -> None:
        if self._where == "zone":
            self.zone.setEditText(str(text))
        else:
            self.rule.setText(str(text))


def _together(*widgets: QWidget) -> QWidget:
    """Words stay with the field they speak of where a line ends."""
    held = QWidget()
    put(row(held, gap=8), *widgets)
    return held


def _tone(widget: QWidget, tone: str) -> None:
    if (widget.property("tone") or "") != tone:
        widget.setProperty("tone", tone)
        repolish(widget)
