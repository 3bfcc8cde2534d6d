"""The chosen schedule: what it says, when it is next, what was last, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.parts.boxes import Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Chip, Prose
from counterfoil.desktop.parts.layouts import TOP, Flow, put, row
from counterfoil.desktop.schedule_facts import ScheduleRow
from counterfoil.desktop.words import schedules as words
from counterfoil.desktop.words import times
from counterfoil.desktop.words.plain import one_line, quoted, tip


class ScheduleHead(Pane):
    """Title, sentence and buttons.

    Signals:
        run_wanted(), switch_wanted(), skip_wanted(), change_wanted(), remove_wanted(): of the schedule that is shown.
        missed_wanted(FiringSeen): run its last firing, which did not run.
        gate_wanted(str), held_wanted(str): show what its last firing waits for, or was held up by: a question, a run.
    """

    run_wanted = Signal()
    switch_wanted = Signal()
    skip_wanted = Signal()
    change_wanted = Signal()
    remove_wanted = Signal()
    missed_wanted = Signal(object)
    gate_wanted = Signal(object)
    held_wanted = Signal(object)

    def __init__(self) -> None:
        super().__init__("panel", gap=6, margins=(28, 18, 24, 12))
        self.shown: ScheduleRow | None = None
        self.path = Prose("", "caption")
        self.title = Prose("", "title", leading=1.3)
        self.title.setProperty("ringless", True)
        self.sentence = Prose("", "body")
        self.last = Prose("", "small")
        held = QWidget()
        flow = Flow(held, gap=8, line_gap=8)
        self.chip = Chip("Paused", "warn")
        self.run = Button("Run now", icon="play", help="Start a run beside the rule; its next firing stays")
        self.missed = Button(
            "Run this missed one", icon="repeat", help="Run the firing that did not run, as planned then"
        )
        self.question = Button("Go to its question", "link")
        self.question.clicked.connect(self._to_question)
        self.holder = Button("", "link")
        self.holder.clicked.connect(self._to_holder)
        self.skip = Button("Skip next", icon="skip-forward")
        self.switch = Button("Pause", icon="pause")
        self.change = Button("Change…", icon="pencil")
        self.remove = Button("Remove…", "danger")
        self.run.clicked.connect(self.run_wanted)
        self.missed.clicked.connect(self._missed)
        self.skip.clicked.connect(self.skip_wanted)
        self.switch.clicked.connect(self.switch_wanted)
        self.change.clicked.connect(self.change_wanted)
        self.remove.clicked.connect(self.remove_wanted)
        for widget in (self.chip, self.run, self.missed, self.skip, self.question, self.holder):
            flow.addWidget(widget)
        top = row(gap=8)
        top.addWidget(self.title, 1)
        for button in (
            self.switch,
            self.change,
            self.remove,
        ):  # what is done to the schedule; below, what is done to its firings
            top.addWidget(button, 0, TOP)
        put(self.lines, self.path, top, self.sentence, self.last, held)

    def show_schedule(self, seen: ScheduleRow, now_us: int) -> None:
        """Show a schedule."""
        self.shown = seen
        name = quoted(seen.name)
        folder = seen.workspace.replace("\\", "/").rstrip("/").rpartition("/")[2]
        self.path.say(f"{one_line(seen.title)} · {one_line(folder)}")
        self.path.setToolTip(tip(one_line(seen.workspace)))
        self.title.say(one_line(seen.name))
        ahead = words.next_words(seen, now_us)
        plain = seen.paused or seen.next_at is None
        self.sentence.say(
            f"{words.sentence(seen)}. {ahead}."
            if plain
            else f"{words.sentence(seen)}. Next: {times.in_sentence(ahead)}."
        )
        self.sentence.set_tone("bad" if seen.trouble else "text")
        self.last.say(words.last_words(seen.last, now_us))
        self.last.set_tone(words.tone_of(seen.last) if seen.last is not None else "text3")
        self.chip.setVisible(seen.paused)
        self.missed.setVisible(seen.last is not None and seen.last.may_run)
        self.question.setVisible(seen.last is not None and bool(seen.last.gate_id))
        self.question.setAccessibleName(f"Go to the question of {name}")
        self.holder.setVisible(seen.last is not None and bool(seen.last.held_by))
        if seen.last is not None and seen.last.held_by:
            self.holder.say(f"Show run {seen.last.run_number}")
        self.skip.setVisible(not seen.paused and seen.next_at is not None)
        if seen.next_at is not None:
            at = times.in_sentence(words.day_and_time(seen.next_at, now_us))
            self.skip.say(f"Skip {at}…", f"Skip the firing of {name}, {at}")
        self.switch.set_kind("outline", "play" if seen.paused else "pause")
        self.switch.say("Resume" if seen.paused else "Pause", f"{'Resume' if seen.paused else 'Pause'} {name}")
        self.run.say("Run now", f"Run {name} now")
        self.change.say("Change…", f"Change {name}…")
        self.remove.say("Remove…", f"Remove {name}…")

    @Slot()
    def _to_question(self) -> None:
        if self.shown is not None and self.shown.last is not None:
            self.gate_wanted.emit(self.shown.last.gate_id)

    @Slot()
    def _to_holder(self) -> None:
        if self.shown is not None and self.shown.last is not None:
            self.held_wanted.emit(self.shown.last.held_by)

    @Slot()
    def _missed(self) -> None:
        if self.shown is not None and self.shown.last is not None:
            self.missed_wanted.emit(self.shown.last)
