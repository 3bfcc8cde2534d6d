"""Choosing a folder of one's own: measured facts before anything is done, in sentences."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.parts.boxes import Banner, Box
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit, Ticks
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.desktop.words.numbers import count, joined, number, size
from counterfoil.desktop.words.plain import plain
from counterfoil.facts import as_sentence

_LISTED = 20  # unreadable files that are named


class FolderSheet(Sheet):
    """Choose, see what was measured, go on.

    Signals:
        folder_chosen(str): this folder it is.
    """

    folder_chosen = Signal(str)

    def __init__(self, over: QWidget, bridge: Bridge, start: str = "") -> None:
        super().__init__("Use your own folder", over)
        self._bridge = bridge
        self._facts: FolderFacts | None = None
        self._asked = ""
        self._latest = Latest()
        self.body.addWidget(
            Prose(
                "Choose a folder. Counterfoil works on a copy; your folder changes only when someone approves.",
                "body2",
            )
        )
        self.body.addWidget(Label("Folder", "small_strong"))
        line = row(gap=8)
        self.path = LineEdit("Folder")
        self.path.setText(start)
        self.path.textEdited.connect(self._typed)
        self.path.editingFinished.connect(self._measure)
        browse = Button("Choose…", icon="folder-open", name="Choose a folder…")
        browse.clicked.connect(self._browse)
        line.addWidget(self.path, 1)
        put(line, browse)
        self.body.addLayout(line)
        self._found = column(gap=10)
        self.body.addLayout(self._found)
        self.act = Button("Choose a folder first", "primary")
        self.act.setEnabled(False)
        self.act.clicked.connect(self._act)
        cancel = Button("Leave it", "quiet")
        cancel.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, cancel)
        self._measure()

    @Slot()
    def _browse(self) -> None:
        dialog = QFileDialog(self, "Choose a folder", self.path.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, on=True)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.fileSelected.connect(self.take)
        dialog.open()

    @Slot(str)
    def take(self, path: str) -> None:
        """A folder was chosen."""
        self.path.setText(path)
        self._measure()

    @Slot()
    def _typed(self) -> None:
        """What was measured is another folder than the one that stands there now."""
        self._facts = None
        self._asked = ""
        self._latest.take(None)
        empty(self._found)
        self._offer("Look at it first" if self.path.text().strip() else "Choose a folder first", able=False)

    @Slot()
    def _measure(self) -> None:
        path = self.path.text().strip()
        if not path or path == self._asked:
            return
        self._facts = None
        self._asked = path
        empty(self._found)
        put(self._found, Prose("Looking at it…", "body2"))
        self._offer("Looking at it…", able=False)
        self._latest.take(
            self._bridge.ask(self, lambda office: office.measure_folder(path), self._measured, self._failed, slow=True)
        )

    def _offer(self, words: str, *, able: bool) -> None:
        self.act.setEnabled(able)
        self.act.say(words)

    def _measured(self, facts: FolderFacts) -> None:
        self._facts = facts
        empty(self._found)
        if facts.refused:
            put(self._found, Banner("bad", plain(facts.refused)))
            if facts.parts:
                self._offer_leaving_out(facts)
                return
        else:
            box = Box("quiet", gap=6).put(Prose(plain(facts.path), "medium"))  # a field shows an end of a long one
            for sentence in sentences(facts):
                box.put(Prose(sentence, "body"))
            put(self._found, box)
            for note in facts.notes:
                put(self._found, Banner("warn", plain(note)))
            if facts.unreadable:
                listed = [plain(name) for name in facts.unreadable[:_LISTED]]
                if (more := len(facts.unreadable) - _LISTED) > 0:
                    listed.append(f"and {number(more)} more")
                put(
                    self._found,
                    Banner(
                        "warn",
                        f"Counterfoil may not read {number(len(facts.unreadable))} of {count(facts.files, 'file')}.",
                        detail="\n".join(listed),
                    ),
                )
        self._offer("This folder cannot be used" if facts.refused else "Use this folder", able=not facts.refused)

    def _offer_leaving_out(self, facts: FolderFacts) -> None:
        """It holds too much for a copy: what of it could stay out, the largest first."""
        parts = Ticks([(name, plain(name)) for name in facts.parts], "Leave out of the copy")
        again = Button()

        def offer() -> None:
            able = bool(parts.ticked())
            again.setEnabled(able)
            again.say("Leave these out" if able else "Choose what to leave out first")

        offer()
        parts.changed.connect(offer)
        again.clicked.connect(lambda: self._leave_out(facts.path, parts.ticked()))
        keys = row(gap=8)
        put(keys, again, None)
        kept = Prose("It is remembered for this folder. Nothing of it is removed or changed.", "small")
        put(self._found, Box("quiet", gap=8).put(Label("Leave out of the copy", "small_strong"), parts, kept, keys))
        self._offer("This folder cannot be used as a whole", able=False)

    def _leave_out(self, path: str, parts: list[str]) -> None:
        empty(self._found)
        put(self._found, Prose("Looking at it…", "body2"))
        self._latest.take(
            self._bridge.ask(
                self, lambda office: office.leave_out(path, parts), self._measured, self._failed, slow=True
            )
        )

    def _failed(self, trouble: Trouble) -> None:
        empty(self._found)
        put(self._found, Banner("bad", trouble.message, detail=trouble.next_step))
        self._offer("Choose another folder", able=False)

    @Slot()
    def _act(self) -> None:
        if self._facts is not None:
            path = self._facts.path
            self.dismiss()
            self.folder_chosen.emit(path)


def _about(seconds: int) -> str:
    """A guess says no tenths: `about 2 s`, `about 3 min`."""
    if seconds < 1:
        return "under 1 s"
    return f"about {seconds} s" if seconds < 60 else f"about {round(seconds / 60)} min"


def sentences(facts: FolderFacts) -> list[str]:
    """What was measured, one sentence each."""
    said = [f"{count(facts.files, 'file')}, {size(facts.octets)}. Copy takes {_about(round(facts.copy_seconds))}."]
    if facts.invoices is not None:
        like = "file looks like an invoice" if facts.invoices == 1 else "files look like invoices"
        said.append(f"{number(facts.invoices)} {like} (XML or PDF).")
    if facts.allowed:
        said.append(f"Files here can be {joined(facts.allowed)}.")
    if facts.left_out:
        said.append(as_sentence(f"Left out: {', '.join(plain(name) for name in facts.left_out)}"))
    return said
