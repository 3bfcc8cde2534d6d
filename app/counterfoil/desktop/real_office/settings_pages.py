"""What is set for a data folder, what it holds, and how it does. Numbers and times are judged here, where what they mean is known."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Mapping
from datetime import time
from pathlib import Path
from typing import Any

from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.calls import call
from counterfoil.desktop.settings_facts import (
    BackgroundSeen,
    CheckSeen,
    GeneralSeen,
    HealthSeen,
    NoticesSeen,
    PartSeen,
    StorageSeen,
)
from counterfoil.desktop.words.numbers import count
from counterfoil.errors import WrongUse
from counterfoil.inbox.home_settings import change_setting, home_settings
from counterfoil.policy import protection
from counterfoil.settings.window import LONGEST_UNDO
from counterfoil.settings.workspace import FILE, sends_mail
from counterfoil.store.originals import size_of, undo_places
from counterfoil.views.support import support_text

_DAY, _WEEK = 24 * 60, 7 * 24 * 60  # minutes
_DATABASE = re.compile(r"counterfoil\.db")
_PARTS = (
    ("Database", "Runs, steps, decisions and the trail."),
    ("Kept values", "What steps and effects have kept that is larger than 64 KiB."),
    ("Your copies", "Copies of folders that runs work on."),
    ("Undo", "Files as they were before runs changed them, each kept for 30 days."),
    ("Packages", "What templates need beside Counterfoil."),
    ("Logs", "Warnings and faults; the oldest go by themselves."),
    ("Everything else", "Settings, templates, samples, and what running processes need."),
)


class SettingsPages:
    """The settings of one home."""

    def __init__(self, access: Access) -> None:
        self._access = access

    # --------------------------------------------------------------------------------------------------------- what is

    def general(self) -> GeneralSeen:
        """What stands under General."""
        undo = home_settings(self._access.home).undo_seconds
        told = protection.told(self._access.home)
        if told is None:
            return GeneralSeen(undo)
        return GeneralSeen(undo, protection.badge(told.mark), protection.beside_badge(told.mark), told.next_step)

    def notices(self) -> NoticesSeen:
        """How people hear of things."""
        plain = home_settings(self._access.home).plain()
        begin, _, end = (plain["quiet"] or "").partition("-")
        mail = plain["mail"] or {"to": (), "account": "", "after": 30}
        return NoticesSeen(
            (begin, end), plain["digest"], plain["hide"], tuple(mail["to"]), mail["account"], mail["after"]
        )

    def background(self) -> BackgroundSeen:
        """What goes on without a window."""
        return self._background(call(self._access.home, "service", "status"))

    def _background(self, found: Mapping[str, Any]) -> BackgroundSeen:
        log = self._access.home.logs / "runner.log"
        stale = found["current"] is False
        return BackgroundSeen(
            starts=bool(found["installed"]),
            words=_login_words(found),
            file=str(found["file"]),
            log=str(log),
            log_size=log.stat().st_size if log.exists() else 0,
            stale=stale,
        )

    def storage(self) -> StorageSeen:
        """What the data folder holds."""
        home = self._access.home
        with self._access.reading() as conn:
            undo = undo_places(conn, home)
        named = {home.blobs.name: 1, home.stages.name: 2, home.packages.name: 4, home.logs.name: 5}
        sizes = [0] * len(_PARTS)
        for child in home.root.iterdir():
            if child != home.undo:
                at = 0 if _DATABASE.match(child.name) else named.get(child.name, len(_PARTS) - 1)
                with contextlib.suppress(FileNotFoundError):  # such as what the database has folded in meanwhile
                    sizes[at] += size_of([child]) if child.is_dir() else child.lstat().st_size
        sizes[3] = size_of(undo)
        room = shutil.disk_usage(home.root)
        parts = tuple(PartSeen(name, means, octets) for (name, means), octets in zip(_PARTS, sizes, strict=True))
        return StorageSeen(str(home.root), parts, room.free, room.total)

    def health(self) -> HealthSeen:
        """What `counterfoil doctor` finds."""
        found = call(self._access.home, "doctor")
        checks = tuple(CheckSeen(one["what"], one["state"], one["means"], one["next"] or "") for one in found)
        return HealthSeen(checks, support_text(found, self._access.home, self._access.clock.now_us()))

    # --------------------------------------------------------------------------------------------------- what is to be

    def set_undo(self, typed: str) -> str:
        """Seconds in which a decision can be taken back."""
        seconds = _number(typed, "seconds", 0, LONGEST_UNDO)
        self._set("undo_seconds", seconds)
        return f"From now on a decision can be taken back for {count(seconds, 'second')}."

    def set_quiet(self, begin: str, end: str) -> str:
        """Quiet hours."""
        if not begin and not end:
            self._set("quiet", None)
            return "There are no quiet hours."
        first, last = _hour(begin, "begin"), _hour(end, "end")
        if first == last:
            raise WrongUse("Quiet hours that begin when they end would be none, or all day.", "Give two times.")
        self._set("quiet", f"{first:%H:%M}-{last:%H:%M}")
        return f"From {first:%H:%M} to {last:%H:%M} only deadlines within the hour are told."

    def set_digest(self, typed: str) -> str:
        """Minutes between two messages."""
        minutes = _number(typed, "minutes", 0, _DAY)
        self._set("digest", minutes)
        return f"What comes within {count(minutes, 'minute')} of a message is told in the next one."

    def set_hide(self, *, on: bool) -> str:
        """Whether notices keep titles and names to themselves."""
        self._set("hide", on)
        return "Notices say what kind of thing it is, and no more." if on else "Notices name what they are about."

    def set_mail(self, to: str, account: str, after: str) -> str:
        """Who is mailed, by which account, and about what."""
        people = [one for one in re.split(r"[,;\s]+", to) if one]
        if not people:
            self._set("mail", None)
            return "Nobody is mailed."
        wrong = next((one for one in people if not re.fullmatch(r"[^@\s]+@[^@\s]+", one)), None)
        if wrong is not None:
            raise WrongUse(f"‘{wrong}’ is no address.", "Such as anna@example.org; several with commas between them.")
        minutes = _number(after, "minutes", 0, _WEEK)
        folder = Path(account.strip()).expanduser().absolute()
        if not account.strip() or not folder.is_dir():
            raise WrongUse("The account is a folder whose workspace may send mail.", "Choose one that is there.")
        if not sends_mail(folder):
            raise WrongUse(f"{folder} has no mail account.", f"Write [mail] into its {FILE}, or choose another.")
        self._set("mail", {"to": people, "account": str(folder), "after": minutes})
        return f"{' and '.join(people)} hear by mail of what has waited for {count(minutes, 'minute')}."

    def start_at_login(self, *, on: bool) -> str:
        """Have the runner start at login, or no more, by the command line, which writes what this system wants for that."""
        found = call(self._access.home, "service", "install" if on else "remove")
        return self._background(found).words

    def _set(self, name: str, value: Any) -> None:
        access = self._access
        with access.telling():
            change_setting(access.database, access.home, access.me, name, value)


def _login_words(found: Mapping[str, Any]) -> str:
    if not found["installed"]:
        return "Nothing starts at login. The runner lives while it is started by hand or by this window."
    if found["current"] is False:
        return "The runner starts at login, but as another program than this one."
    if found["active"] is None:
        return "The runner is set to start at each login. Whether the system does so cannot be asked here."
    running = "The system runs it now." if found["active"] else "The system does not run it now."
    return f"The runner starts at each login of this account. {running}"


def _number(typed: str, what: str, least: int, most: int) -> int:
    text = typed.strip()
    if not text.isdecimal() or not text.isascii() or len(text) > 9 or not least <= int(text) <= most:
        raise WrongUse(f"‘{text}’ is no number of {what} from {least} to {most:,}.", "")
    return int(text)


def _hour(typed: str, which: str) -> time:
    text = typed.strip().replace(".", ":")
    try:
        found = time.fromisoformat(f"0{text}" if re.fullmatch(r"\d:\d\d", text) else text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is not None or found.second:
        missing = f"Quiet hours need a time at which they {which}." if not text else f"‘{text}’ is no time of day."
        raise WrongUse(missing, "Such as 18:00; leave both empty for none.")
    return found
