"""The sheet “Use another file”: which file of the run's copy gives way, and which file of this computer takes its place."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QButtonGroup, QFileDialog, QWidget

from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.parts.tick import Tick
from counterfoil.desktop.words.plain import plain


class OtherFileSheet(Sheet):
    """Asks for a file, then acts.

    Signals:
        typed(str): which file was chosen, so that it can be kept.
        given(str, str): the path that gives way, and the place of the file that takes it.
    """

    typed = Signal(str)
    given = Signal(str, str)

    def __init__(self, over: QWidget, files: Sequence[str], folder: str, place: str = "") -> None:
        super().__init__("Use another file", over)
        self._files, self._folder = tuple(files), folder
        self.which: dict[str, Tick] = {}
        self._one = QButtonGroup(self)  # exclusive: one file gives way
        if len(files) > 1:
            self.body.addWidget(Label("Which file gives way?", "small_strong"))
            for file in files:
                self._offer(file)
        self.body.addWidget(Label("Which file takes its place?", "small_strong"))
        self.choose = Button("Choose a file…", "outline", icon="file")
        self.choose.clicked.connect(self._browse)
        line = row()
        put(line, self.choose, None)
        self.body.addLayout(line)
        self.chosen = Prose("", "body")
        self.body.addWidget(self.chosen)
        self.follows = Prose("", "body2")
        self.body.addWidget(Box("quiet").put(self.follows))
        self.act = Button("", "primary")
        self.act.clicked.connect(self._act)
        cancel = Button("Keep open", "quiet")
        cancel.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, cancel)
        self.place = place
        self._say()

    def _offer(self, file: str) -> None:
        box = Tick(plain(file))
        box.setAccessibleDescription("Which file gives way?")
        box.toggled.connect(self._say)
        self._one.addButton(box)
        self.which[file] = box
        self.body.addWidget(box)

    @property
    def file(self) -> str:
        """The file of the run's copy that gives way, "" while none of several was chosen."""
        chosen = [file for file, box in self.which.items() if box.isChecked()]
        return (chosen or [""])[0] if self.which else self._files[0]

    @Slot(str)
    def take(self, place: str) -> None:
        """A file was chosen."""
        self.place = place
        self.typed.emit(place)
        self._say()
        if self.act.isEnabled():
            self.act.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _say(self) -> None:
        self.chosen.say(plain(self.place))
        self.chosen.setVisible(bool(self.place))
        named = plain(self.file) or "the file that gives way"
        self.follows.say(
            f"The run keeps it and reads it in the place of {named}, and the step is tried again. What lies in your folder stays as it is."
        )
        missing = "" if self.file else "Choose which file gives way first"
        missing = missing if self.place else "Choose a file first"
        self.act.setEnabled(not missing)
        self.act.say(missing or "Use this file")

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, "Choose a file", self._folder)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        _, dot, ending = self.file.rpartition("/")[2].rpartition(".")
        if dot and ending.isalnum():
            dialog.setNameFilters([f"*.{ending}", "*"])
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take)
        dialog.open()

    @Slot()
    def _act(self) -> None:
        file, place = self.file, self.place
        self.dismiss()
        self.given.emit(file, place)
