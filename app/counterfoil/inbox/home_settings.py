"""Settings of the whole home, changed by a person: checked first; then the file and its entry in the trail are kept, both or neither."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.errors import WrongUse
from counterfoil.facts import person
from counterfoil.places import Home
from counterfoil.settings import notifications, window
from counterfoil.settings.home_file import FILE, edited, replace_file, table_in, text_of
from counterfoil.store import trail_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Txn

KIND = "setting"  # of entries in the trail
_MINUTE = 60  # seconds
_TITLES = {
    "undo_seconds": "the seconds in which a decision can be taken back",
    "quiet": "quiet hours",
    "digest": "the minutes between two messages",
    "hide": "whether notices hide titles and names",
    "mail": "mail for people who are away",
}


@dataclass(frozen=True, slots=True)
class HomeSettings:
    """What is set: seconds to take a decision back, and how people hear of things."""

    undo_seconds: int
    notices: notifications.Notifications

    def plain(self) -> dict[str, Any]:
        """By name, as the file writes it; None for what is not set."""
        notices, mail = self.notices, self.notices.mail
        return {
            "undo_seconds": self.undo_seconds,
            "quiet": "-".join(f"{at:%H:%M}" for at in notices.quiet) if notices.quiet else None,
            "digest": notices.digest // _MINUTE,
            "hide": notices.hide,
            "mail": {"to": list(mail.to), "account": mail.account, "after": mail.after // _MINUTE} if mail else None,
        }


def home_settings(home: Home) -> HomeSettings:
    """What is set now.

    Raises:
        WrongUse: the file cannot be read, or holds something else there.
    """
    return _meant(text_of(home.root), home.root / FILE)


def change_setting(database: Database, home: Home, by: str, name: str, value: Any) -> bool:
    """Set one thing by its name in `HomeSettings.plain`, None to unset it; False where it was so already.

    Raises:
        WrongUse: it cannot be meant, or the file cannot be read or written. Nothing was changed.
    """
    path, before = home.root / FILE, ""
    replaced = False

    def operation(txn: Txn) -> bool:
        nonlocal before, replaced
        before = text_of(home.root)
        after = edited(before, window.TABLE if name == "undo_seconds" else notifications.TABLE, {name: value})
        old, new = _meant(before, path).plain(), _meant(after, path).plain()
        if old == new:
            return False
        said = f"{person(by)} changed {_TITLES[name]}: {_words(old[name])} before, {_words(new[name])} now"
        told: dict[str, Mapping[str, Any]] = {"before": {name: old[name]}, "after": {name: new[name]}}
        trail_rows.append(txn, by=by, kind=KIND, subject=f"setting:{name}", summary=said, **told)
        _write(path, after)
        replaced = True
        return True

    try:
        return database.transact(operation)
    except BaseException:
        if replaced:  # the entry is not kept, so neither is what it tells of
            with contextlib.suppress(WrongUse):
                _write(path, before)
        raise


def _meant(text: str, path: Path) -> HomeSettings:
    undo = window.undo_in(table_in(text, window.TABLE, path), path)
    return HomeSettings(undo, notifications.notifications_in(table_in(text, notifications.TABLE, path), path))


def _write(path: Path, text: str) -> None:
    try:
        replace_file(path, text, ".settings-")
    except OSError as problem:
        raise WrongUse(
            f"{path} cannot be written: {problem.strerror}. Nothing was changed.", "Allow this account to write there."
        ) from problem


def _words(value: Any) -> str:
    """A value in a sentence."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case {"to": list(to), "after": after}:
            return f"{', '.join(to)} after {after} min"
    return str(value)
