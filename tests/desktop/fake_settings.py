"""What is set in the fake office; acts are logged and change what is shown."""

import dataclasses
from typing import Any

from counterfoil.desktop.settings_facts import (
    BackgroundSeen,
    CheckSeen,
    GeneralSeen,
    HealthSeen,
    NoticesSeen,
    PartSeen,
    StorageSeen,
)
from counterfoil.errors import WrongUse

CHECKS = (
    CheckSeen("Program", "ok", "Counterfoil 0.1.0 on Python 3.11.2, linux."),
    CheckSeen("Database", "ok", "/data/anna/counterfoil/counterfoil.db, data version 11, 48.2 MB, not damaged."),
    CheckSeen("Runner", "warn", "Off. Nothing starts or goes on; decisions are kept.", "Start it: counterfoil runner"),
    CheckSeen(
        "Protection",
        "warn",
        "Restricted, not isolated. Cannot read or change contents outside its folder or use the network. (L2)",
        "Install bubblewrap, then run: counterfoil doctor\nprofile x /usr/bin/bwrap {\n  userns,\n}",
    ),
    CheckSeen(
        "Disk", "bad", "80 MB of 256 GB free where the data folder lies. Soon no decision can be kept.", "Make room."
    ),
    CheckSeen("Time zones", "ok", "Time zone data is there."),
)
SUPPORT = (
    "Counterfoil, for support, 2026-11-30 08:55 UTC\n\nProgram: fine. Counterfoil 0.1.0 on Python 3.11.2, linux.\n"
)


class FakeSettings:
    """Everything a person can set."""

    def __init__(self, log: list[tuple[str, Any]]) -> None:
        self._log = log
        self.now = GeneralSeen(
            5,
            "Restricted",
            "Restricted, not isolated. Cannot read or change contents outside its folder or use the network.",
            "Install bubblewrap, then run: counterfoil doctor",
        )
        self.told = NoticesSeen()
        self.login = BackgroundSeen(
            False,
            "Nothing starts at login. The runner lives while it is started by hand or by this window.",
            "/data/anna/.config/systemd/user/counterfoil-runner.service",
            "/data/anna/counterfoil/logs/runner.log",
            12_400,
        )
        parts = (
            ("Database", "Runs, steps, decisions and the trail.", 48_200_000),
            ("Kept values", "What steps and effects have kept that is larger than 64 KiB.", 310_000_000),
            ("Your copies", "Copies of folders that runs work on.", 1_240_000_000),
            ("Undo", "Files as they were before runs changed them, each kept for 30 days.", 9_100_000),
        )
        self.held = StorageSeen(
            "/data/anna/counterfoil", tuple(PartSeen(*part) for part in parts), 80_000_000, 256_000_000_000
        )
        self.found = HealthSeen(CHECKS, SUPPORT)

    def general(self) -> GeneralSeen:
        return self.now

    def notices(self) -> NoticesSeen:
        return self.told

    def background(self) -> BackgroundSeen:
        return self.login

    def storage(self) -> StorageSeen:
        return self.held

    def health(self) -> HealthSeen:
        self._log.append(("health", None))
        return self.found

    def set_undo(self, typed: str) -> str:
        if not typed.isdecimal():
            raise WrongUse(f"‘{typed}’ is no number of seconds from 0 to 60.", "")
        self._log.append(("set_undo", typed))
        self.now = dataclasses.replace(self.now, undo_seconds=int(typed))
        return f"From now on a decision can be taken back for {typed} seconds."

    def set_quiet(self, begin: str, end: str) -> str:
        self._log.append(("set_quiet", (begin, end)))
        self.told = dataclasses.replace(self.told, quiet=(begin, end))
        return "There are no quiet hours." if not begin else f"From {begin} to {end} only deadlines are told."

    def set_digest(self, typed: str) -> str:
        self._log.append(("set_digest", typed))
        self.told = dataclasses.replace(self.told, digest=int(typed))
        return "Gathered."

    def set_hide(self, *, on: bool) -> str:
        self._log.append(("set_hide", on))
        self.told = dataclasses.replace(self.told, hide=on)
        return "Hidden." if on else "Notices name what they are about."

    def set_mail(self, to: str, account: str, after: str) -> str:
        if to and not account:
            raise WrongUse("The account is a folder whose workspace may send mail.", "Choose one that is there.")
        self._log.append(("set_mail", (to, account, after)))
        people = tuple(one.strip() for one in to.split(",") if one.strip())
        self.told = dataclasses.replace(self.told, mail_to=people, mail_account=account)
        return "Nobody is mailed." if not people else f"{to} hears by mail of what has waited."

    def start_at_login(self, *, on: bool) -> str:
        self._log.append(("start_at_login", on))
        words = (
            "The runner starts at each login of this account. The system runs it now."
            if on
            else "Nothing starts at login."
        )
        self.login = dataclasses.replace(self.login, starts=on, words=words)
        return words
