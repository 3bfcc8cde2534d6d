"""What an office does with the rooms behind it; loaded when it is first needed, since it brings SQLAlchemy along, and each part when it
is asked for the first time, so that each waits for nothing but itself."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from counterfoil.clock import Clock
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.inbox import pausing
from counterfoil.inbox.hinting import hint
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database

if TYPE_CHECKING:
    from counterfoil.desktop.real_office.again_pages import AgainPages
    from counterfoil.desktop.real_office.decisions import Decisions
    from counterfoil.desktop.real_office.evidence_pages import EvidencePages
    from counterfoil.desktop.real_office.files import GateFiles
    from counterfoil.desktop.real_office.news import NewsDesk
    from counterfoil.desktop.real_office.pages import Pages
    from counterfoil.desktop.real_office.plug import PlugPuller
    from counterfoil.desktop.real_office.run_pages import RunPages
    from counterfoil.desktop.real_office.schedule_pages import SchedulePages
    from counterfoil.desktop.real_office.setting_aside import SettingAside
    from counterfoil.desktop.real_office.settings_pages import SettingsPages
    from counterfoil.desktop.real_office.templates import Templates
    from counterfoil.desktop.real_office.trail_pages import TrailPages
    from counterfoil.desktop.real_office.trust import TrustDesk
    from counterfoil.desktop.real_office.undo_pages import UndoPages


class Rooms:
    """One part per kind of question; the database is made or migrated when this opens."""

    def __init__(self, home: Home, clock: Clock, me: str) -> None:
        self._access = Access(home, open_database(home, clock), Blobs(home), clock, me)

    @functools.cached_property
    def files(self) -> GateFiles:
        """Files of plans and runs."""
        made: GateFiles = _load("files", "GateFiles")(self._access)
        return made

    @functools.cached_property
    def decisions(self) -> Decisions:
        """Deciding, drafts, and what was read."""
        made: Decisions = _load("decisions", "Decisions")(self._access)
        return made

    @functools.cached_property
    def setting_aside(self) -> SettingAside:
        """Putting gates off and handing them over."""
        made: SettingAside = _load("setting_aside", "SettingAside")(self._access, self.decisions)
        return made

    @functools.cached_property
    def pages(self) -> Pages:
        """Pages of documents."""
        made: Pages = _load("pages", "Pages")(self._access)
        return made

    @functools.cached_property
    def runs(self) -> RunPages:
        """Single runs."""
        made: RunPages = _load("run_pages", "RunPages")(self._access, self.files, self.undoing)
        return made

    @functools.cached_property
    def undoing(self) -> UndoPages:
        """Putting back files of runs."""
        made: UndoPages = _load("undo_pages", "UndoPages")(self._access)
        return made

    @functools.cached_property
    def again(self) -> AgainPages:
        """Doing runs again."""
        made: AgainPages = _load("again_pages", "AgainPages")(self._access, self.templates)
        return made

    @functools.cached_property
    def evidence(self) -> EvidencePages:
        """Packs of evidence."""
        made: EvidencePages = _load("evidence_pages", "EvidencePages")(self._access)
        return made

    @functools.cached_property
    def plug(self) -> PlugPuller:
        """Pulling the plug."""
        made: PlugPuller = _load("plug", "PlugPuller")(self._access)
        return made

    @functools.cached_property
    def templates(self) -> Templates:
        """The gallery and its forms."""
        made: Templates = _load("templates", "Templates")(self._access)
        return made

    @functools.cached_property
    def news(self) -> NewsDesk:
        """Notices of the desktop."""
        made: NewsDesk = _load("news", "NewsDesk")(self._access)
        return made

    @functools.cached_property
    def schedules(self) -> SchedulePages:
        """Routines and their firings."""
        made: SchedulePages = _load("schedule_pages", "SchedulePages")(self._access, self.templates)
        return made

    @functools.cached_property
    def trust(self) -> TrustDesk:
        """Connectors, routes, permissions, memory."""
        made: TrustDesk = _load("trust", "TrustDesk")(self._access, lambda: self.templates.cards(None, {}))
        return made

    @functools.cached_property
    def trail(self) -> TrailPages:
        """Entries of the trail."""
        made: TrailPages = _load("trail_pages", "TrailPages")(self._access)
        return made

    @functools.cached_property
    def settings(self) -> SettingsPages:
        """What is set for the whole home."""
        made: SettingsPages = _load("settings_pages", "SettingsPages")(self._access)
        return made

    def measure(self, path: str) -> FolderFacts:
        """Look at a folder."""
        found: FolderFacts = _load("folders", "measure")(path, self._access.home)
        return found

    def leave_out(self, path: str, parts: Sequence[str]) -> FolderFacts:
        """Copy less of a folder from now on, and look at it again."""
        found: FolderFacts = _load("folders", "measure_without")(path, parts, self._access.home)
        return found

    def pause_everything(self, *, on: bool) -> None:
        """Pause everything, or let it go on."""
        access = self._access
        act = pausing.pause_everything if on else pausing.resume_everything
        access.write(lambda txn: act(txn, access.me))
        hint(access.home)

    def close(self) -> None:
        """Let go of the database."""
        self._access.database.close()


def _load(module: str, name: str) -> Any:
    return getattr(importlib.import_module(f"counterfoil.desktop.real_office.{module}"), name)
