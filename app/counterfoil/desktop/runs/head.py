"""The head of one run: where it comes from, its title, its state and protection, what can be done with it, and what came of that."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from counterfoil.desktop.office import RunSeen
from counterfoil.desktop.parts.boxes import Banner, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import LongChip, Prose
from counterfoil.desktop.parts.layouts import Flow, column, empty, put, side_by_side
from counterfoil.desktop.protection.badge import ProtectionBadge
from counterfoil.desktop.runs.running_again import again_banner
from counterfoil.desktop.runs.undo_sheet import undone_banner
from counterfoil.desktop.words import times
from counterfoil.desktop.words.people import person
from counterfoil.desktop.words.plain import one_line
from counterfoil.desktop.words.runs import cost_of
from counterfoil.facts import as_sentence

_CHIPS = {"ok": "ok", "warn": "warn", "bad": "bad", "info": "info", "quiet": "plain"}


class RunHead(Pane):
    """What stands above the tabs of a run; what its buttons do is told by whoever shows it."""

    def __init__(self) -> None:
        super().__init__("panel", gap=6, margins=(28, 18, 24, 8))
        self.path = Prose("", "caption")
        self.title = Prose("", "title", leading=1.3)
        self.title.setProperty("ringless", True)
        held = QWidget()
        line = Flow(held, gap=12, line_gap=8)
        self.chip = LongChip()
        self.to_gate = Button("Go to its question", "primary", icon="arrow-right")
        self.again = Button(
            "Run again…", icon="repeat", help="The same, with other parameters, or from one of its steps"
        )
        self.undo = Button("Undo…", icon="undo-2", help="Put back what this run did to files; you see it first")
        self.schedule = Button(
            "Schedule…", icon="calendar-clock", help="Run the same by itself, such as every Monday at 07:00"
        )
        self.stop = Button("Stop…", "danger", icon="circle-stop", help="End this run; what was done stays")
        self.protected = ProtectionBadge()
        line.addWidget(
            side_by_side(self.chip, self.protected)
        )  # they part from the buttons where one line is too short
        line.addWidget(side_by_side(self.to_gate, self.again, self.undo, self.schedule, self.stop))
        self._banners = column(gap=8)
        self.put(self.path, self.title, held, self._banners)

    def show_run(self, seen: RunSeen, now: int) -> None:
        """Show this one; `now` in microseconds."""
        document = seen.document
        begun = times.iso_instant(str(document.get("started_at") or document["created_at"])) or now
        ended = times.iso_instant(str(document.get("ended_at")))
        took = f" Took {times.span(ended - begun)}." if ended is not None else ""
        spent = cost_of(document["steps"])
        cost = f" Cost {spent}{'' if ended is not None else ' so far'}." if spent else ""
        by = person(str(document["started_by"]), seen.me)
        planned = times.iso_instant(str(document.get("planned_at")))
        due = f"Planned {times.in_sentence(times.when(planned, now))}, started" if planned is not None else "Started"
        why = str(document.get("start_reason") or "")
        late = f": {one_line(why)}" if why else ""
        said = f"{one_line(seen.template)} · Run {document['number']} · {due} {times.in_sentence(times.since(begun, now))} by {by}{late}"
        self.path.say(f"{as_sentence(said)}{took}{cost}")
        self.protected.show_mark(seen.isolation)
        self.protected.setVisible(bool(seen.isolation))
        self.title.say(one_line(document["title"]))
        self.chip.say(seen.words)
        self.chip.set_kind(_CHIPS.get(seen.tone, "plain"))
        self.to_gate.setVisible(bool(document.get("gates")))
        self.stop.setVisible(document["state"] in ("ready", "running", "waiting"))
        self.undo.setVisible(seen.may_undo and (seen.undoing is None or seen.undoing.state != "asked"))
        empty(self._banners)
        if document.get("again_of"):
            put(self._banners, again_banner(document))
        if seen.undoing is not None:
            put(self._banners, undone_banner(seen.undoing, now))

    def tell(self, banner: Banner) -> None:
        """Say what came of an act, until the run is shown anew."""
        put(self._banners, banner)
