"""What an office does with the rooms behind it; loaded when it is first needed, since it brings SQLAlchemy along."""

from __future__ import annotations

from counterfoil.clock import Clock
from counterfoil.desktop.office import FolderFacts
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.decisions import Decisions
from counterfoil.desktop.real_office.files import GateFiles
from counterfoil.desktop.real_office.folders import measure
from counterfoil.desktop.real_office.gates import Gates
from counterfoil.desktop.real_office.pages import Pages
from counterfoil.desktop.real_office.plug import PlugPuller
from counterfoil.desktop.real_office.run_pages import RunPages
from counterfoil.desktop.real_office.templates import Templates
from counterfoil.desktop.real_office.trail_pages import TrailPages
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import open_database


class Rooms:
    """One part per kind of question; the database is made or migrated when this opens."""

    def __init__(self, home: Home, clock: Clock, me: str) -> None:
        self._access = access = Access(home, open_database(home, clock), Blobs(home), clock, me)
        self.files = GateFiles(access)
        self.gates = Gates(access)
        self.decisions = Decisions(access)
        self.pages = Pages(access)
        self.runs = RunPages(access, self.files)
        self.plug = PlugPuller(access)
        self.templates = Templates(access)
        self.trail = TrailPages(access)

    def measure(self, path: str) -> FolderFacts:
        """Look at a folder."""
        return measure(path, self._access.home)

    def close(self) -> None:
        """Let go of the database."""
        self._access.database.close()
