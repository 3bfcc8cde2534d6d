"""Notifications: what is said on screens that others see, quiet hours, and mail for people who are away."""

from __future__ import annotations

from PySide6.QtCore import Slot

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.parts.layouts import TOP, put, row
from counterfoil.desktop.settings.setting_tab import SettingTab, card, field
from counterfoil.desktop.settings_facts import NoticesSeen

_TOLD = (
    "While the window is open or in the tray you are told what needs you, what is due within the hour, what nobody decided in time, "
    "and what could not run. What is done is told only of schedules that say so."
)
_QUIET = "On this computer's clock. What is due within the hour is told all the same. Leave both empty for none."
_AWAY = "The runner sends it while it lives. A mail decides nothing."


class NoticesTab(SettingTab):
    """Three cards; each field is kept when it is left, the mail when its button is pressed."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__(bridge, "Loading what is set")
        self.hide_names = FieldEditor(
            field(
                "hide", "boolean", "Hide titles and names", "A notice then says what kind of thing it is, and no more."
            )
        )
        self.digest = FieldEditor(
            field("digest", "integer", "Minutes between two messages", "What comes in between is gathered.")
        )
        self.begin = FieldEditor(field("begin", "time", "Quiet from", ""))
        self.end = FieldEditor(field("end", "time", "Quiet until", ""))
        self.to = FieldEditor(field("to", "text", "Mail to", "Addresses, with commas between them."))
        self.account = FieldEditor(
            field("account", "folder", "By the mail account of", "A folder whose workspace may send mail.")
        )
        self.after = FieldEditor(field("after", "integer", "Minutes of waiting", ""))
        self.mail = Button("Mail these people")
        self.nobody = Button("Mail nobody", "quiet")
        self.hide_names.edited.connect(self._hide)
        self.digest.finished.connect(self._digest)
        for editor in (self.begin, self.end):
            editor.finished.connect(self._quiet)
        self.mail.clicked.connect(self._mail)
        self.nobody.clicked.connect(self._nobody)

    def load(self) -> None:
        """Look again."""
        self.ask(lambda office: office.settings.notices(), self._arrived)

    def _arrived(self, seen: NoticesSeen) -> None:
        if not self.made():
            self._make()
        self.stack.setCurrentIndex(1)
        self.show_kept(self.hide_names, seen.hide)
        self.show_kept(self.digest, seen.digest)
        self.show_kept(self.begin, seen.quiet[0])
        self.show_kept(self.end, seen.quiet[1])
        self.show_kept(self.to, ", ".join(seen.mail_to))
        self.show_kept(self.account, seen.mail_account)
        self.show_kept(self.after, seen.mail_after)
        self.nobody.setVisible(bool(seen.mail_to))

    def _make(self) -> None:
        hours = row(gap=20)
        for editor in (self.begin, self.end):
            editor.setMaximumWidth(300)
            hours.addWidget(editor, 1, TOP)
        hours.addStretch(1)
        keys = row(gap=8)
        put(keys, self.mail, self.nobody, None)
        cards = (
            card("On this computer", _TOLD, self.hide_names, self.digest),
            card("Quiet hours", _QUIET, hours),
            card("Mail for people who are away", _AWAY, self.to, self.account, self.after, keys),
        )
        self.fill(cards, found=True)

    @Slot(str)
    def _hide(self, _name: str) -> None:
        on = self.hide_names.text() == "true"
        self.keep(self.hide_names, lambda office: office.settings.set_hide(on=on))

    @Slot(str)
    def _digest(self, _name: str) -> None:
        typed = str(self.digest.text())
        if self.has_changed(self.digest):
            self.keep(self.digest, lambda office: office.settings.set_digest(typed))

    @Slot(str)
    def _quiet(self, name: str) -> None:
        """Both hours are one thing: while one of them is still to be typed, nothing is kept and nothing is wrong."""
        begin, end = str(self.begin.text()), str(self.end.text())
        here, other = (self.begin, self.end) if name == "begin" else (self.end, self.begin)
        if not (self.has_changed(here) or self.has_changed(other)):
            return
        if bool(begin) != bool(end):
            here.say_kept("Kept when there are both times, or neither.", "text3")
            return
        self.keep(here, lambda office: office.settings.set_quiet(begin, end), other)

    @Slot()
    def _mail(self) -> None:
        to, account, after = (str(one.text()) for one in (self.to, self.account, self.after))
        if not to.strip():
            self.to.say_problem("There is no address yet.")
            self.to.focus()
            return
        self.keep(self.to, lambda office: office.settings.set_mail(to, account, after), self.account, self.after)

    @Slot()
    def _nobody(self) -> None:
        self.to.fill("")
        self.keep(self.to, lambda office: office.settings.set_mail("", "", ""), self.account, self.after)
        self.nobody.hide()
        self.to.focus()
