"""What is kept of one step, beside the list: what it was given, what it gave back, by pages where that is long, and each try."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.evidence import long_text
from counterfoil.desktop.parts.boxes import Banner, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.run_facts import StepKept
from counterfoil.desktop.runs.steps import StepLine
from counterfoil.desktop.words.people import capital
from counterfoil.desktop.words.plain import plain
from counterfoil.facts import as_sentence

_WIDTH = 620


class StepSheet(Sheet):
    """Looks when it opens; turning a page looks again."""

    def __init__(self, over: QWidget, bridge: Bridge, run_id: str, line: StepLine) -> None:
        super().__init__(line.title, over, width=_WIDTH)
        self._bridge, self._run_id, self._step = bridge, run_id, line.document
        self._latest = Latest()
        self._page = 1
        if line.exact:
            self.body.addWidget(Prose(line.exact, "mono"))
        self._kept = column(gap=12)
        self.body.addLayout(self._kept)
        put(self._kept, Skeleton(24, rows=6, inset=0, label="Looking at what is kept of it"))
        self.before = Button("", "icon", icon="chevron-left", name="The page before")
        self.before.clicked.connect(self._earlier)
        self.after = Button("", "icon", icon="chevron-right", name="The next page")
        self.after.clicked.connect(self._later)
        self.said = Label("", "caption")
        close = Button("Close", "quiet")
        close.clicked.connect(self.dismiss)
        for widget in (self.before, self.said, self.after):
            widget.hide()
        put(self.foot, self.before, self.said, self.after, None, close)
        self._look()

    def _look(self) -> None:
        run_id, path, ordinal, page = self._run_id, str(self._step["path"]), int(self._step["ordinal"]), self._page
        self._latest.take(
            self._bridge.ask(
                self, lambda office: office.step_kept(run_id, path, ordinal, page), self._show, self._failed, slow=True
            )
        )

    def _show(self, kept: StepKept) -> None:
        empty(self._kept)
        for title, text in (("Given", kept.given), ("Kept", kept.value)):
            if text:
                put(
                    self._kept,
                    Label(title, "h2"),
                    long_text(plain(text, lines=True), f"{title}: {self.title.text()}", ""),
                )
        if kept.origin:
            put(self._kept, Prose(as_sentence(capital(kept.origin)), "small"))
        if kept.tries:
            put(self._kept, Label("Tries that failed", "h2"), *[Prose(said, "small") for said in kept.tries])
        if not kept.value:
            put(self._kept, Prose("Nothing is kept of this step yet.", "body2"))
        self._page = kept.page
        self.said.setText(f"Page {kept.page:,} of {kept.pages:,}")
        for widget in (self.before, self.said, self.after):
            widget.setVisible(kept.pages > 1)
        self.before.setVisible(kept.page > 1)
        self.after.setVisible(kept.page < kept.pages)

    def _failed(self, trouble: Trouble) -> None:
        empty(self._kept)
        line = row()
        put(line, Banner("bad", trouble.message, detail=trouble.next_step))
        put(self._kept, line)

    @Slot()
    def _earlier(self) -> None:
        self._page -= 1
        self._look()

    @Slot()
    def _later(self) -> None:
        self._page += 1
        self._look()
