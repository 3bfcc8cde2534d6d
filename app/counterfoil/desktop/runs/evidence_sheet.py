"""Evidence of a run: what a pack would hold, with sizes, before it is exported; then where it is, its seal, and how it is checked."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFileDialog, QWidget

from counterfoil.desktop.bridge import Bridge, Trouble
from counterfoil.desktop.parts.boxes import Banner, Box, Rule, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import RIGHT, TOP, column, empty, put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.parts.show_folder import show_folder
from counterfoil.desktop.run_facts import EvidenceLook, EvidenceMade
from counterfoil.desktop.theme import font
from counterfoil.desktop.words.numbers import seal, size
from counterfoil.desktop.words.plain import one_line

_WIDTH = 560
_ROW = 44
_TOLD = (
    "One file for somebody who checks this run without Counterfoil: Python alone finds out whether a byte of it was changed. "
    "Its first page says what it cannot prove."
)
_HOLDS = "It holds what was shown, decided and written, with names and contents. Secrets are not in it."


class EvidenceSheet(Sheet):
    """Looks, lists, asks for a place, and says what came of it."""

    def __init__(self, over: QWidget, bridge: Bridge, run_id: str) -> None:
        super().__init__("Export evidence", over, width=_WIDTH)
        self._bridge, self._run_id = bridge, run_id
        self._name = "evidence.zip"
        self._made: EvidenceMade | None = None
        self._top = column(gap=8)
        self.body.addLayout(self._top)
        self._list = column(gap=8)
        self.body.addLayout(self._list)
        put(self._list, Skeleton(_ROW, rows=6, inset=0, label="Gathering what is kept of this run"))
        self.act = Button("Gathering it…", "primary")
        self.act.setEnabled(False)
        self.act.clicked.connect(self._choose)
        self.leave = Button("Leave it", "quiet")
        self.leave.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, self.leave)
        self.dialog: QFileDialog | None = None
        bridge.ask(self, lambda office: office.look_at_evidence(run_id), self._show, self._failed, slow=True)

    def _show(self, look: EvidenceLook) -> None:
        self._name = look.name
        empty(self._list)
        put(self._top, Prose(_TOLD, "body"), Prose(_HOLDS, "body2"))
        held = Box("card", gap=8)
        for at, part in enumerate(look.parts):
            if at:
                held.put(Rule())
            line = row(gap=12)
            texts = column(gap=2)
            name = Prose(one_line(part.name), "medium")
            put(texts, name, Prose(one_line(part.means), "small"))
            line.addLayout(texts, 1)
            figure = Label(size(part.size), "small")
            figure.setFont(font(12, 400, figures=True))
            figure.setFixedHeight(name.sizeHint().height())  # on the line of the name
            line.addWidget(figure, 0, TOP | RIGHT)
            held.put(line)
        put(self._list, held)
        if look.gone:
            put(self._list, Banner("warn", look.gone))
        self._ready(f"Export {size(look.size)}…")
        self.act.setFocus()

    def _ready(self, words: str) -> None:
        self.act.setEnabled(True)
        self.act.say(words)
        self._words = words

    @Slot()
    def _choose(self) -> None:
        dialog = QFileDialog(self, "Export evidence", self._name, "Evidence (*.zip)")
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)  # it asks before it takes the place of a file
        dialog.setDefaultSuffix("zip")
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.export)
        self.dialog = dialog
        dialog.open()

    @Slot(str)
    def export(self, path: str) -> None:
        """Write it there."""
        run_id = self._run_id
        self.act.setEnabled(False)
        self.act.say("Exporting…")
        self._bridge.ask(
            self, lambda office: office.export_evidence(run_id, path), self._exported, self._failed, slow=True
        )

    def _exported(self, made: EvidenceMade) -> None:
        self._made = made
        empty(self._top)
        folder = Button("Show folder", icon="folder-open")
        folder.clicked.connect(self._show_folder)
        copy = Button("Copy the seal", icon="copy")
        copy.clicked.connect(self._copy)
        said = f"{one_line(made.path)} is written, {size(made.size)}."
        more = [f"Seal {seal(made.seal)}. Keep it somewhere else: it shows that the pack is this one."]
        banner = Banner("ok", said, [folder, copy], more=more, detail="Unpacked, it is checked by: python -I verify.py")
        put(self._top, banner)
        self._ready("Export it again…")
        self.act.set_kind("outline")
        self.leave.say("Close")
        folder.setFocus()

    def _failed(self, trouble: Trouble) -> None:
        empty(self._top)
        put(self._top, Banner("bad", trouble.message, detail=trouble.next_step))
        if self._name == "evidence.zip":  # it could not even be gathered
            empty(self._list)
            self.act.hide()
            return
        self._ready(self._words)

    @Slot()
    def _show_folder(self) -> None:
        if self._made is not None:
            show_folder(self._made.path, inside=True)

    @Slot()
    def _copy(self) -> None:
        if self._made is not None:
            QGuiApplication.clipboard().setText(self._made.seal)
