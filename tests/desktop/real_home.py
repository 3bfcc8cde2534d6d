"""Real data folders for the office: rows as the engine writes them, and one where the runner of this program really runs."""

import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from counterfoil.authoring.codec import canonical, digest
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.office import Progress
from counterfoil.desktop.real_office import calls
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.engine.gate_lines import line_of
from counterfoil.facts import GateKind, Slot
from counterfoil.places import Home
from counterfoil.store import gates
from counterfoil.store.transactions import Row
from views.rows import Office, make_office

T = TypeVar("T")
PATIENCE = 120.0  # seconds until a runner that does not come is a failure
GLANCE = 0.02


def until(look: Callable[[], T | None], what: str) -> T:
    """What `look` finds, as soon as it finds anything."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = look()
        if found:
            return found
        time.sleep(GLANCE)
    raise AssertionError(f"not within {PATIENCE:.0f} s: {what}")


def set_undo(home: Home, seconds: int) -> None:
    """How long a decision can be taken back."""
    (home.root / "settings.toml").write_text(f"[window]\nundo_seconds = {seconds}\n", encoding="utf-8")


def end_runners() -> None:
    """End the runners that this process has started, by their own process and no other, and wait until they are gone."""
    for process in list(calls._STARTED):
        process.send_signal(signal.SIGCONT)
        process.terminate()
        process.wait(PATIENCE)
    calls.reap()


class RowsHome:
    """A home made of rows, and the office on it."""

    def __init__(self, folder: Path, undo_seconds: int | None = None) -> None:
        self.rows: Office = make_office(folder)
        if undo_seconds is not None:
            set_undo(self.rows.home, undo_seconds)
        self.office = RealOffice(self.rows.home, self.rows.clock)

    def ask(
        self,
        run_id: str,
        ordinal: int,
        spec: dict[str, Any],
        slot: Slot = Slot.OUTCOME,
        nth: int = 1,
        due_at: int | None = None,
    ) -> Row:
        """An open gate with the line that lists show of it."""
        text = canonical(spec)
        kept, in_blob = self.rows.blobs.keep_text(text)
        new = gates.NewGate(
            run_id=run_id,
            path="",
            ordinal=ordinal,
            slot=slot,
            kind=GateKind(spec["kind"]),
            title=spec["title"],
            spec=kept,
            spec_blob=in_blob,
            asked_digest=digest(text),
            digest=digest(text),
            round=nth,
            due_at=due_at,
            claims=tuple(spec["claims"]),
            workspace=self.rows.workspace,
            line=line_of(spec),
        )
        return self.rows.database.transact(lambda txn: gates.open_gate(txn, new))

    def close(self) -> None:
        """Let go of everything."""
        self.office.close()
        self.rows.database.close()


class LivingHome:
    """A home with a runner of its own, which is ended at the end."""

    def __init__(self, folder: Path, undo_seconds: int) -> None:
        self.home = Home(folder / "home").create()
        set_undo(self.home, undo_seconds)
        self.office = RealOffice(self.home)

    def follow(self, run_id: str, enough: Callable[[Progress], bool], what: str) -> Progress:
        """The run's progress once it is as far as is wanted."""

        def look() -> Progress | None:
            progress = self.office.progress(run_id)
            return progress if enough(progress) else None

        return until(look, what)

    def gate_of(self, run_id: str, but: str = "") -> GateSeen:
        """The gate that a run waits at."""
        progress = self.follow(run_id, lambda progress: progress.gate_id not in (None, but), "a gate opens")
        assert progress.gate_id is not None
        return self.office.gate(progress.gate_id)

    def close(self) -> None:
        """Let go of everything."""
        self.office.close()
        end_runners()
