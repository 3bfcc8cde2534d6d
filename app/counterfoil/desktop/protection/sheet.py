"""What is asked before something goes on with less protection: what there was, what there is, how to raise it, and two ways on."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Trouble
from counterfoil.desktop.parts.boxes import Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Icon, Label, Prose
from counterfoil.desktop.parts.layouts import put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.words.plain import plain
from counterfoil.errors import NotIsolated
from counterfoil.policy import protection
from counterfoil.policy.protection import Consent, Told


class ProtectionSheet(Sheet):
    """One refusal for want of protection. No way on is the one that Enter takes; where nothing confines code, the folder's name has to
    be typed.

    Signals:
        agreed(Consent): go on with what there is.
    """

    agreed = Signal(object)

    def __init__(self, over: QWidget, trouble: Trouble, told: Told, folder: str) -> None:
        self._is_bare = trouble.code == NotIsolated.code
        super().__init__("Nothing confines this code here" if self._is_bare else "Less protection than before", over)
        self._level, self._folder, self._profile = protection.code_of(told.mark), folder, told.profile
        said = Box("warn")
        line = row(gap=8)
        line.addWidget(Icon("shield-off" if self._is_bare else "shield", "warn"), 0, Qt.AlignmentFlag.AlignTop)
        line.addWidget(Prose(plain(trouble.message), "body"), 1)
        said.put(line)
        self.body.addWidget(said)
        self._put_raising(told)
        self.name = LineEdit("The folder's name") if self._is_bare else None
        if self.name is not None:
            self.body.addWidget(Label("To run it in this folder all the same", "small_strong"))
            asked = f"Type the folder's name, ‘{plain(folder)}’. It holds for this folder until your session ends."
            self.body.addWidget(Prose(asked, "body2"))
            self.body.addWidget(self.name)
            self.name.textEdited.connect(self._typed)
        self.body.addWidget(Prose("You are asked once. That you agreed is kept in the trail, with your name.", "small"))
        self._put_profile()
        self.act = Button("", "danger" if self._is_bare else "outline")
        self.act.clicked.connect(self._agree)
        leave = Button("Leave it", "quiet")
        leave.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, leave)
        self._badge = protection.badge(told.mark)
        self._typed()

    def _put_raising(self, told: Told) -> None:
        """Why there is no more, and what to do about it."""
        if told.why:
            self.body.addWidget(Label("Why", "small_strong"))
            self.body.addWidget(Prose(plain(told.why), "body2"))
        if told.next_step:
            self.body.addWidget(Label("How to raise it", "small_strong"))
            self.body.addWidget(Prose(plain(told.next_step), "body2"))

    def _put_profile(self) -> None:
        """A profile to load is there to be copied. It is long, so it stands below everything that is to be answered."""
        if not self._profile:
            return
        line = row()
        copy = Button("Copy the profile", icon="copy")
        copy.clicked.connect(self._copy)
        put(line, Label("The profile", "small_strong"), None, copy)
        self.body.addLayout(line)
        shown = Box("quiet")
        shown.put(Prose(plain(self._profile.strip(), lines=True), "mono"))
        self.body.addWidget(shown)

    @Slot()
    def _typed(self) -> None:
        able = self.name is None or self.name.text().strip() == self._folder
        self.act.setEnabled(able)
        if not self._is_bare:
            self.act.say(f"Go on with ‘{self._badge}’")
        else:
            self.act.say("Run it without protection" if able else "Type the folder's name first")

    @Slot()
    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._profile)

    @Slot()
    def _agree(self) -> None:
        given = Consent(folder=self._folder) if self._is_bare else Consent(level=self._level)
        self.agreed.emit(given)
        self.dismiss()
