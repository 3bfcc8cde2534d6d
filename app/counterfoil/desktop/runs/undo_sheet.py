"""What putting back the files of a run would come to, file by file, before anybody does it: looked at when the sheet opens."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.clock import Clock
from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.gate.files import FileAsked, FileCard
from counterfoil.desktop.parts.boxes import Banner, Box, Skeleton
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import Flow, column, empty, put
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.run_facts import UndoFile, Undoing, UndoLook
from counterfoil.desktop.tables.adapter import TableAdapter
from counterfoil.desktop.tables.table import Column, Line, Table
from counterfoil.desktop.tables.view import TableView
from counterfoil.desktop.tokens import TABLE_ROW
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count, size
from counterfoil.desktop.words.people import capital
from counterfoil.facts import FILE_EFFECTS
from counterfoil.previews.preview import FileSeen

_WIDTH = 620
_WINDOW = 12  # rows of a long list that are in view
_MEASURED = 120  # rows that widths are taken from
_OFFERED = 3  # files that a button compares
_SENT = "What this run sent stays sent."


class UndoSheet(Sheet):
    """Looks, shows, and asks for a reason.

    Signals:
        given(str, bool): the reason, and whether only those go back that can.
    """

    given = Signal(str, bool)

    def __init__(self, over: QWidget, bridge: Bridge, run_id: str, clock: Clock, *, sent: bool) -> None:
        super().__init__("Undo what this run did to files", over, width=_WIDTH)
        self._bridge, self._run_id, self._clock = bridge, run_id, clock
        self._sent = sent
        self._look = UndoLook()
        self.compared = column()
        self._latest = Latest()
        self._rest = False
        self._label = ""
        self.body.addWidget(Skeleton(TABLE_ROW, rows=6, inset=0, label="Looking at the files as they are now"))
        self.body.addWidget(Label("Looking at the files as they are now…", "caption"))
        self.act = Button("Looking at the files…", "primary")
        self.act.setEnabled(False)
        self.act.clicked.connect(self._act)
        self.close_button = Button("Leave them", "quiet")
        self.close_button.clicked.connect(self.dismiss)
        put(self.foot, self.act, None, self.close_button)
        self.reason = LineEdit("Why?")
        self.reason.textEdited.connect(self._edited)
        self._latest.take(
            bridge.ask(self, lambda office: office.look_at_undo(run_id), self._show, self._not_seen, slow=True)
        )

    def _show(self, look: UndoLook) -> None:
        empty(self.body)
        self._look = look
        if look.refusal:
            self.body.addWidget(Banner("info", look.refusal))
            self.act.hide()
            self.body.addStretch(1)
            return
        stuck = len(look.files) - look.can
        self._rest = stuck > 0
        if stuck:
            self.body.addWidget(Banner("warn", look.words[0], detail="" if look.can else "Nothing is changed."))
            self._offer_comparing()
        else:
            notes = [*look.words, *([_SENT] if self._sent else [])]
            self.body.addWidget(Box("quiet", gap=4).put(*[Prose(note, "body2") for note in notes]))
        if look.can:
            self.body.addWidget(Label("Why?", "small_strong"))
            self.body.addWidget(self.reason)
            self._label = f"Put back the other {look.can:,}" if stuck else f"Put back {count(look.can, 'file')}"
            self._edited()
            self.reason.setFocus()
        else:
            self.act.hide()
            self.close_button.setFocus()
        table = _table(look)
        table.opened.connect(self._opened)
        self.body.addWidget(Box("card", margins=(1, 1, 1, 1)).put(table))
        self.body.addStretch(1)

    def _offer_comparing(self) -> None:
        """A button for each of the first files that changed since; the others are opened in the list."""
        met = [file for file in self._look.files if file.met]
        if not met:
            return
        held = QWidget()
        line = Flow(held, gap=8, line_gap=8)
        for file in met[:_OFFERED]:
            button = Button(
                f"Compare {file.path}", icon="file-diff", key=file, help="How it differs from what is there now"
            )
            button.chosen.connect(self._compare)
            line.addWidget(button)
        self.body.addWidget(held)
        if len(met) > _OFFERED:
            said = f"{count(len(met), 'file')} changed since. A double click on one in the list, or Enter, compares it."
            self.body.addWidget(Prose(said, "small"))
        self.body.addLayout(self.compared)

    @Slot(int)
    def _opened(self, number: int) -> None:
        file = self._look.files[number - 1]
        if file.met:
            self._compare(file)

    @Slot(object)
    def _compare(self, file: UndoFile) -> None:
        """Show a file as the run left it, and as it is now, in the place of the one before."""
        empty(self.compared)
        today = times.local(self._clock.now_us()).date()
        card = FileCard(_asked(self._run_id, file.met), file.path, self._bridge, today)
        put(self.compared, card)

    def _not_seen(self, trouble: Trouble) -> None:
        empty(self.body)
        self.body.addWidget(Banner("bad", trouble.message, detail=trouble.next_step))
        self.body.addStretch(1)
        self.act.hide()

    @Slot()
    def _edited(self) -> None:
        able = bool(self.reason.text().strip())
        self.act.setEnabled(able)
        self.act.say(self._label if able else "Give a reason first")

    @Slot()
    def _act(self) -> None:
        reason = self.reason.text().strip()
        self.dismiss()
        self.given.emit(reason, self._rest)


def has_sent(document: Mapping[str, Any]) -> bool:
    """Whether a run did, or perhaps did, something that no undo of files takes back."""
    kinds = [str(effect["effect"]).partition("@")[0] for effect in document.get("effects") or ()]
    return any(kind not in FILE_EFFECTS for kind in kinds)


def undone_banner(undoing: Undoing, now_us: int) -> Banner:
    """What has become of the newest wish to put files back."""
    reason = f"‘{undoing.reason}’" if undoing.reason else ""
    if undoing.state == "asked":
        return Banner("info", undoing.words)
    if undoing.state == "refused":
        return Banner("warn", undoing.words, detail=reason)
    when = f" {times.in_sentence(times.since(undoing.ended_at, now_us))}" if undoing.ended_at is not None else ""
    return Banner("quiet", f"{undoing.words} Undone by {undoing.by}{when}.", detail=reason)


def _asked(run_id: str, path: str) -> FileAsked:
    """How a card asks for both sides of a file that changed since."""
    return FileAsked(
        lambda office: office.compare_undo(run_id, path),
        lambda office, after, page: office.picture_of_undo(run_id, path, after=after, page=page),
        sides=("Before", "Now"),
        words=_sizes,
    )


def _sizes(seen: FileSeen) -> str:
    """How long both are."""
    before, now = (None if length is None else size(length) for length in (seen.bytes_before, seen.bytes_after))
    return " · ".join(filter(None, (before and f"{before} before", now and f"{now} now")))


def _note(file: UndoFile) -> str:
    """Why a file stays as it is, below its name: the name is not said twice."""
    said = file.why.removeprefix(f"{file.path} ")
    return file.why if said == file.why else capital(said)


def _table(look: UndoLook) -> TableView:
    """Each file with what becomes of it; those that stay as they are come first, with the reason."""
    lines = []
    for number, file in enumerate(look.files, start=1):
        texts = (file.path, "Stays as it is" if file.why else file.will)
        lines.append(Line(texts, texts, number, flagged=bool(file.why), note=_note(file)))
    made = Table(
        (Column("File"), Column("What becomes of it")),
        tuple(lines),
        flagged=len(look.files) - look.can,
        sample=tuple(lines[:_MEASURED]),
    )
    return TableView(TableAdapter(made), "Files of this run", window=_WINDOW)
