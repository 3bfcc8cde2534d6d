"""Where a schedule is written: one sentence, the choices with their defaults, what the template wants to know; beside it the next five
firings, from the engine's own function, at every stroke."""

from __future__ import annotations

import dataclasses

from PySide6.QtCore import Qt, QTimer, Signal, Slot

from counterfoil.desktop.bridge import Bridge, Latest, Trouble
from counterfoil.desktop.office import Office, Workspace
from counterfoil.desktop.parts.boxes import Banner, Box, Pane
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import LineEdit
from counterfoil.desktop.parts.labels import Label, Prose
from counterfoil.desktop.parts.layouts import column, empty, put, row
from counterfoil.desktop.parts.one_sheet import OneSheet
from counterfoil.desktop.parts.scroller import Scroller
from counterfoil.desktop.schedule_facts import DraftSeen, ScheduleDraft, ScheduleKept
from counterfoil.desktop.schedules.ahead import AheadBox, ReadyBox
from counterfoil.desktop.schedules.choices import KEYS, Choices
from counterfoil.desktop.schedules.lacking import Lack, Place, lacking
from counterfoil.desktop.schedules.readiness import Readiness
from counterfoil.desktop.schedules.sentence import SentenceBox
from counterfoil.desktop.schedules.template_fields import TemplateFields
from counterfoil.desktop.template_facts import TemplateCard, TemplateSeen
from counterfoil.desktop.templates.folder_sheet import FolderSheet
from counterfoil.desktop.words.people import OPENING
from counterfoil.desktop.words.plain import one_line, plain, quoted

_TYPED = 180  # milliseconds after the last stroke until it is judged
_SIDE = 328


class ScheduleEditor(Pane, OneSheet[FolderSheet]):
    """One schedule, new or changed.

    Signals:
        left(): back to the list.
        kept(ScheduleKept): it was saved.
    """

    left = Signal()
    kept = Signal(object)

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("panel")
        self._bridge = bridge
        self._latest, self._asked = Latest(), Latest()
        self._draft = ScheduleDraft()
        self._seen = DraftSeen()
        self._judged = ScheduleDraft()
        self._wanted: ScheduleDraft | None = None  # to be saved as soon as it was judged
        self._tried = self._saving = self._named = False
        self._zones_known = False
        self.title = Label("", "title", wrap=True)
        self.name = LineEdit("Name", "Weekly report")
        self.name.setMaximumWidth(420)
        self._name_note = Prose("", "small", tone="bad")
        self.sentence = SentenceBox()
        self.choices = Choices()
        self._folder = Prose("", "medium")
        self.fields = TemplateFields()
        self.ahead, self.ready = AheadBox(), ReadyBox()
        self.readiness = Readiness(bridge, self.ready)
        self.save = Button("Save", "primary", icon="check")
        self._note = Label("", "small", wrap=True)
        self._banners = column(gap=8)
        self._lay_out()
        self._typed = QTimer(self, singleShot=True, interval=_TYPED)
        self._typed.timeout.connect(self._judge)
        self.name.textEdited.connect(self._rename)
        self.sentence.edited.connect(self._edited)
        self.sentence.template_chosen.connect(self._choose_template)
        self.choices.edited.connect(self._edited)
        self.fields.edited.connect(self._edited)
        self.save.clicked.connect(self._save)
        self.ready.again.connect(self._look_again)
        self.ready.mend.connect(self._mend)
        self.ready.sign_in.connect(self._sign_in)

    @property
    def rule(self) -> LineEdit:
        """Where the words are typed."""
        return self.sentence.rule

    # ---------------------------------------------------------------------------------------------------------- opening

    def open(self, draft: ScheduleDraft, zone: str) -> None:
        """Write this one; `zone` is this computer's."""
        self._draft = self._judged = draft
        self._seen = DraftSeen()
        self._tried = self._saving = False
        self._named = bool(draft.name)
        empty(self._banners)
        self.fields.forget()
        self.title.setText(f"Change {quoted(draft.name)}" if draft.schedule_id else "New schedule")
        self.name.setText(draft.name)
        self.sentence.fill(draft.rule, draft.zone or zone)
        for key in KEYS:
            self.choices.choose(key, str(getattr(draft, key)))
        self.choices.fill_holidays(draft.holidays)
        self.choices.spend.setText(draft.spend)
        self.choices.say_spend("", "")
        self._other.setVisible(not draft.schedule_id)
        self.sentence.fix_template(fixed=bool(draft.schedule_id))
        self._show_folder(draft.workspace)
        self.sentence.say(DraftSeen())
        self.ahead.show_next(())
        self.readiness.forget()
        self._show_button()
        if not draft.workspace:
            self._bridge.ask(self, lambda office: office.workspaces(), self._workspaces)
        workspace = draft.workspace or None
        self._bridge.ask(self, lambda office: office.templates(workspace), self._templates)
        if not self._zones_known:
            self._bridge.ask(self, lambda office: office.schedules.zones(), self._zones)
        if draft.template:
            self._ask_template()
        self._judge()

    def know_zone(self, zone: str) -> None:
        """This computer's zone, once it is known."""
        if zone and not self.sentence.zone.currentText():
            self.sentence.fill(self.rule.text(), zone)

    def focus(self) -> None:
        """Begin at what is missing: the name is given by the template, so the rule comes first."""
        start = self.rule if self._draft.template else self.sentence.template
        start.setFocus(Qt.FocusReason.OtherFocusReason)

    def draft(self) -> ScheduleDraft:
        """What is filled in."""
        return ScheduleDraft(
            name=self.name.text().strip(),
            template=self._draft.template,
            workspace=self._draft.workspace,
            rule=self.rule.text().strip(),
            zone=self.sentence.zone.currentText().strip(),
            gap=self.choices.chosen("gap"),
            holidays=self.choices.holidays.text().strip(),
            on_holiday=self.choices.chosen("on_holiday"),
            missed=self.choices.chosen("missed"),
            overlap=self.choices.chosen("overlap"),
            tell=self.choices.chosen("tell"),
            spend=self.choices.spend.text().strip(),
            values=self.fields.values(),
            schedule_id=self._draft.schedule_id,
            kept_rule=self._draft.kept_rule,
        )

    def _lay_out(self) -> None:
        head = row(gap=8, margins=(17, 16, 24, 4))
        back = Button("Schedules", "quiet", icon="arrow-left", name="Back to all schedules")
        back.clicked.connect(self.left)
        put(head, back, None)
        self.put(head)
        area = Scroller()
        page = Pane("panel", gap=14, margins=(28, 4, 24, 24))
        page.setMaximumWidth(912)
        named = column(gap=4)
        label = Label("Name", "small_strong")
        label.setBuddy(self.name)
        put(named, label, self.name, self._name_note)
        folder = Box("quiet", gap=4, margins=(14, 10, 12, 10))
        texts = column(gap=0)
        put(texts, Label("Works on a folder of yours", "small"), self._folder)
        self._other = Button("Another folder…", icon="folder")
        self._other.clicked.connect(self._choose_folder)
        line = row(gap=10)
        line.addLayout(texts, 1)
        put(line, self._other)
        folder.put(line)
        page.put(self.title, self._banners, self.sentence, named, self.choices, folder, self.fields, None)
        area.setWidget(page)
        side = Pane("panel", gap=12, margins=(12, 4, 24, 24))
        side.setFixedWidth(_SIDE)
        side.put(self.ahead, self.ready, None)
        both = row()
        both.addWidget(area, 1)
        both.addWidget(side)
        self.lines.addLayout(both, 1)
        bar = Box("bar", margins=(28, 12, 24, 12))
        foot = row(gap=12)
        put(foot, self.save)
        foot.addWidget(self._note, 1)
        bar.put(foot)
        self.put(bar)

    # ------------------------------------------------------------------------------------------------ template and folder

    def _workspaces(self, workspaces: tuple[Workspace, ...]) -> None:
        if workspaces and not self._draft.workspace:
            self._take_folder(workspaces[0].path)

    def _templates(self, cards: tuple[TemplateCard, ...]) -> None:
        self.sentence.show_templates(cards, self._draft.template)

    def _zones(self, zones: tuple[str, ...]) -> None:
        self._zones_known = True
        self.sentence.show_zones(zones)

    @Slot(str)
    def _choose_template(self, path: str) -> None:
        self._draft = dataclasses.replace(self._draft, template=path, values={})
        self.fields.clear()
        if path:
            self._ask_template()
        self._judge()

    def _ask_template(self) -> None:
        path, workspace = self._draft.template, self._draft.workspace
        self._asked.take(
            self._bridge.ask(self, lambda office: office.template(path, workspace), self._template, self._failed)
        )

    def _template(self, seen: TemplateSeen) -> None:
        self.fields.show_template(seen, {**seen.remembered, **self._draft.values}, self._draft.workspace)
        if not self._named:
            self.name.setText(one_line(seen.card.title))
        self._judge()

    @Slot()
    def _choose_folder(self) -> None:
        if self.sheet is None:
            sheet = FolderSheet(self, self._bridge, self._draft.workspace)
            sheet.folder_chosen.connect(self._take_folder)
            self.open_sheet(sheet, sheet.path)

    @Slot(str)
    def _take_folder(self, path: str) -> None:
        self._draft = dataclasses.replace(self._draft, workspace=path, values=self.draft().values or self._draft.values)
        self._show_folder(path)
        if self._draft.template:
            self._ask_template()
        self._judge()

    def _show_folder(self, path: str) -> None:
        self._folder.say(plain(path or "No folder chosen yet"))

    # ---------------------------------------------------------------------------------------------------------- judging

    @Slot()
    def _rename(self) -> None:
        self._named = True
        self._edited()

    @Slot()
    def _edited(self) -> None:
        self._wanted = None
        self._typed.start()
        self._show_button()

    @Slot()
    def _judge(self) -> None:
        self._typed.stop()  # judged a second time, what is said of this one would go again
        draft = self.draft()
        ticket = self._bridge.ask(
            self, lambda office: (draft, office.schedules.judge(draft)), self._judgement, self._failed
        )
        self._latest.take(ticket)

    def _judgement(self, found: tuple[ScheduleDraft, DraftSeen]) -> None:
        before, (self._judged, self._seen) = self._seen, found
        seen = self._seen
        self.sentence.say(seen)
        self.choices.say_spend(seen.most, seen.spend)
        self.ahead.show_next(seen.ahead, planned=not seen.said)  # none while rule or zone is wrong
        self.readiness.look(self._judged, seen)
        name = seen.name if self._tried or self._named else ""
        self._name_note.say(name)
        self._name_note.setVisible(bool(name))
        self.fields.say_problems(seen.fields, every=self._tried)
        self._show_button()
        wanted, self._wanted = self._wanted, None
        if wanted == self._judged:
            self._save_judged(before)

    def _save_judged(self, before: DraftSeen) -> None:
        """Save was pressed before this was judged: it is kept, unless what it comes to was never there to be read."""
        if (before.said, before.notes) == (self._seen.said, self._seen.notes):
            self._save()
        elif self._lack() is None:
            self._note.setText("This is what it comes to now. Save keeps it.")

    # ---------------------------------------------------------------------------------------------------------- ready?

    @Slot()
    def _look_again(self) -> None:
        self.readiness.again(self._judged, self._seen)

    @Slot(object)
    def _mend(self, check: object) -> None:
        if check == "folder":
            self._choose_folder()
        else:
            self.fields.focus_wrong(self._seen.fields)

    @Slot(object)
    def _sign_in(self, name: object) -> None:
        wanted = str(name)
        self._tell(OPENING)
        self._bridge.ask(self, lambda office: office.trust.sign_in(wanted), self._told, self._failed, slow=True)

    def _told(self, sentence: str) -> None:
        self._tell(sentence)
        self._look_again()

    def _tell(self, words: str) -> None:
        empty(self._banners)
        put(self._banners, Banner("info", words))

    def _show_button(self) -> None:
        lack = self._lack()
        words = lack.words if lack else ""
        self.save.setEnabled(not self._saving)
        self.save.say("Saving…" if self._saving else words or "Save")
        self.save.set_kind("outline" if words else "primary", "check")
        self._note.setText("" if words else "Its runs ask no less than those that you start.")

    def _lack(self) -> Lack | None:
        return lacking(self.draft(), self._seen)

    # ----------------------------------------------------------------------------------------------------------- saving

    @Slot()
    def _save(self) -> None:
        """Save it; with something missing, go there instead."""
        self._tried = True
        draft = self.draft()
        lack = self._lack()
        if lack is not None:
            self._judgement((self._judged, self._seen))
            self._go_to(lack.where)
            return
        if draft != self._judged:  # typed on since it was judged
            self._wanted = draft
            self._judge()
            return
        self._saving = True
        self._show_button()

        def kept(office: Office) -> ScheduleKept:
            found = office.schedules.keep(draft)
            office.start_runner()
            return found

        self._bridge.ask(self, kept, self._is_kept, self._failed, slow=True)

    def _go_to(self, where: Place) -> None:
        if where == "folder":
            self._choose_folder()
        elif where == "fields":
            self.fields.focus_wrong(self._seen.fields)
        else:
            places = {"template": self.sentence.template, "rule": self.rule, "zone": self.sentence.zone}
            at = {**places, "name": self.name, "spend": self.choices.spend}[where]
            at.setFocus(Qt.FocusReason.OtherFocusReason)

    def _is_kept(self, kept: ScheduleKept) -> None:
        self._saving = False
        self._show_button()
        self.kept.emit(kept)

    def _failed(self, trouble: Trouble) -> None:
        self._saving = False
        self._show_button()
        empty(self._banners)
        put(self._banners, Banner("bad", trouble.message, detail=trouble.next_step))
