"""The four questions of a run, each answered in at most three lines, and the plug that can be pulled for real."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import QTimer, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.office import Office
from counterfoil.desktop.parts.boxes import Banner, Box, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import MIDDLE, column, empty, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.parts.show_folder import show_folder
from counterfoil.desktop.run_facts import Plug
from counterfoil.desktop.runs.evidence_sheet import EvidenceSheet
from counterfoil.desktop.runs.steps import is_nameless, recorded_time
from counterfoil.desktop.words import runs as words

_LOOK = 250  # milliseconds between two looks after the plug was pulled
_LAID = 50  # milliseconds until what was said has its place
_NARROW = 620
_ENDED = ("done", "failed", "cancelled")


class Card(Box):
    """A question and its answer."""

    def __init__(self, icon: str, question: str) -> None:
        super().__init__("card", gap=8, margins=(16, 14, 16, 14))
        head = row(gap=8)
        put(head, Icon(icon, "accent"), Label(question, "h2"), None)
        self.answer = column(gap=4)
        self.put(head, self.answer, None)
        self._question = question

    def say(self, *sentences: str) -> None:
        """The answer."""
        empty(self.answer)
        for sentence in sentences:
            put(self.answer, Prose(sentence, "body2"))
        self.setAccessibleName(f"{self._question} {' '.join(sentences)}")


class CheckpointTab(Pane, OneSheet[Sheet]):
    """Four cards in a square, and below them the plug, whose sheet slides `over` the whole run."""

    def __init__(self, bridge: Bridge, over: QWidget) -> None:
        super().__init__("panel", gap=14, margins=(28, 16, 24, 24))
        self._bridge, self._over = bridge, over
        self._run_id = ""
        self._file = ""
        self._ended_at, self._said = 0, ""
        self.where = Card("database", "Where is it kept?")
        self.middle = Card("power", "What if it stops right now?")
        self.paid = Card("coins", "Who pays twice?")
        self.check = Card("search", "How can I check?")
        show_file = Button("Show file", "link")
        show_file.clicked.connect(self._show_file)
        self.where.put(show_file)
        self.export = Button("Export evidence…", "link")
        self.export.clicked.connect(self._export)
        self.check.put(self.export)
        self._grid = QGridLayout()
        self._grid.setSpacing(14)
        self._cards = (self.where, self.middle, self.paid, self.check)
        self._across = 0
        self.lines.addLayout(self._grid)
        self.plug = Button(
            "Pull the plug…", "danger", icon="unplug", help="End the runner and this run's processes now, the hard way"
        )
        self.plug.clicked.connect(self._ask)
        self._live_box = QWidget()
        self._live = column(self._live_box, gap=8)
        line = row(gap=12)
        line.addWidget(self.plug, 0, MIDDLE)
        line.addWidget(self._live_box, 1, MIDDLE)
        self.put(4, line, None)
        self._looks = QTimer(self)
        self._looks.setInterval(_LOOK)
        self._looks.timeout.connect(self._look)
        self._laid = QTimer(self, singleShot=True, interval=_LAID)
        self._laid.timeout.connect(self._reveal)
        self._arrange()

    def show_run(self, document: Mapping[str, Any]) -> None:
        """Answer for a run."""
        if self._run_id != document["run_id"]:
            self._looks.stop()
            self._ended_at = 0  # what was said of another run is not of this one
            self._say_live(Prose("Ends the runner and this run's processes now, the hard way. Then watch.", "small"))
        self._run_id = str(document["run_id"])
        checkpoint = document.get("checkpoint") or {}
        steps = list(document.get("steps") or ())
        kept = sum(step["state"] == "done" for step in steps)
        where = checkpoint.get("where") or {}
        self._file = str(where.get("file") or "")
        self.where.say(words.kept_where(where))
        self.middle.say(words.in_the_middle(checkpoint.get("middle"), kept, ended=document["state"] in _ENDED))
        self.paid.say(
            words.who_pays(checkpoint.get("paid") or {}, recorded_time(steps) if checkpoint.get("resumptions") else 0)
        )
        carried = words.carried_on(checkpoint.get("resumptions") or (), in_the_middle=any(map(is_nameless, steps)))
        self.check.say(
            *(carried[-3:] or ["It has not been carried on yet: it ran in one go. Each restart is listed here."])
        )
        self.plug.setVisible(document["state"] in ("ready", "running", "waiting"))
        self._live_box.setVisible(document["state"] in ("ready", "running", "waiting") or self._ended_at > 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        across = 1 if self.width() < _NARROW else 2
        if across == self._across:
            return
        self._across = across
        for card in self._cards:
            self._grid.removeWidget(card)
        for at in range(2):
            self._grid.setColumnStretch(at, 1 if at < across else 0)
            self._grid.setColumnMinimumWidth(at, 0)
        for at, card in enumerate(self._cards):
            self._grid.addWidget(card, at // across, at % across)

    @Slot()
    def _ask(self) -> None:
        sheet = Sheet("Pull the plug", self._over)
        sheet.body.addWidget(
            Prose(
                "The runner and every process of this run end now, without a chance to save. Then the runner starts again.",
                "body",
            )
        )
        sheet.body.addWidget(
            Prose("Other runs that are being worked on stop too, and carry on from their last kept step.", "body2")
        )
        pull = Button("Pull the plug", "danger", icon="unplug")
        pull.clicked.connect(self._pull)
        cancel = Button("Leave it running", "quiet")
        cancel.clicked.connect(sheet.dismiss)
        put(sheet.foot, pull, None, cancel)
        self.open_sheet(sheet, cancel)

    @Slot()
    def _export(self) -> None:
        sheet = EvidenceSheet(self._over, self._bridge, self._run_id)
        self.open_sheet(sheet, sheet.leave)

    @Slot()
    def _pull(self) -> None:
        self.close_sheet()
        run_id = self._run_id
        self._say_live(Prose("Ending it…", "strong"))
        self._bridge.ask(self, lambda office: office.pull_the_plug(run_id), self._pulled, self._failed, slow=True)

    def _pulled(self, plug: Plug) -> None:
        self._ended_at = plug.ended_at
        self._show(plug)
        self._looks.start()

    def _failed(self, trouble: Trouble) -> None:
        self._looks.stop()
        self._say_live(Banner("bad", trouble.message, detail=trouble.next_step))

    @Slot()
    def _look(self) -> None:
        run_id, ended_at = self._run_id, self._ended_at
        self._bridge.ask(self, lambda office: _after(office, run_id, ended_at), self._show, self._failed)

    def _show(self, plug: Plug) -> None:
        if plug.trouble:
            self._looks.stop()
            self._say_live(Banner("warn", plug.trouble))
            return
        said = words.plug_line(plug.ended_at, plug.back_at, plug.step, plug.steps_repeated, plug.effects_repeated)
        whole = plug.steps_repeated is not None
        if said != self._said:  # the same again would scroll away what somebody reads meanwhile
            self._say_live(Banner("ok" if whole and not plug.effects_repeated else "info", said))
            self._said = said
        if whole:
            self._looks.stop()

    def _say_live(self, widget: QWidget) -> None:
        self._said = ""
        empty(self._live)
        put(self._live, widget)
        self._laid.start()

    @Slot()
    def _reveal(self) -> None:
        """What has just been said stands below the cards: it is scrolled to."""
        area: QWidget | None = self.parentWidget()
        while area is not None and not isinstance(area, QScrollArea):
            area = area.parentWidget()
        if area is not None and self._ended_at and self._live_box.isVisible():
            area.ensureWidgetVisible(self._live_box)

    @Slot()
    def _show_file(self) -> None:
        if self._file:
            show_folder(self._file, inside=True)


def _after(office: Office, run_id: str, ended_at: int) -> Plug:
    return office.after_the_plug(run_id, ended_at)
