"""How the runner does, from its lease and its process: running, starting, silent or off. A lease may outlive its holder by 15 seconds,
so the process is looked at, too."""

from __future__ import annotations

import errno
import json
from typing import Any

from counterfoil.clock import Clock
from counterfoil.desktop.office import RunnerSeen, RunnerState
from counterfoil.desktop.real_office import calls, processes
from counterfoil.errors import RunnerTrouble
from counterfoil.places import Home
from counterfoil.policy import protection
from counterfoil.store.glance import LEASE_US, Glance
from counterfoil.store.troubles import disk_full

_STARTING_US = 30_000_000  # a start that has not become a runner by then has failed
_LOOK_US = 1_000_000  # a process can end without a commit, so it is looked at once a second


class RunnerLine:
    """The runner of one home, as a window sees it."""

    def __init__(self, home: Home, glance: Glance, clock: Clock) -> None:
        self._home = home
        self._glance = glance
        self._clock = clock
        self._mark = home.run / "window-start.json"
        self._looked = 0
        self._told: RunnerState | None = None

    def seen(self) -> RunnerSeen:
        """Everything the runner line says."""
        calls.reap()
        lease = self._glance.lease()
        state = self._told = self._state(lease)
        self._looked = self._clock.now_us()
        paused = self._glance.paused()
        ahead = self._glance.next_firing() if paused is None else None
        here = lease if lease is not None and state in (RunnerState.RUNNING, RunnerState.SILENT) else None
        return RunnerSeen(
            state=state,
            since=here["started_at"] if here else None,
            last_saved=self._glance.last_saved(),
            last_sign=lease["renewed_at"] if lease else None,
            doing=tuple(self._glance.titles_running()) if state is RunnerState.RUNNING else (),
            pid=here["pid"] if here else None,
            log=str(self._home.logs / "runner.log"),
            trouble=self._trouble() if state is RunnerState.OFF else "",
            paused_by=paused[0] if paused else "",
            paused_at=paused[1] if paused else None,
            paused_why=str((json.loads(paused[2]) or {}).get("why", "")) if paused else "",
            next_name=ahead[0] if ahead else "",
            next_at=ahead[1] if ahead else None,
            isolation=seen.mark if (seen := protection.told(self._home)) else self._glance.isolation(),
        )

    def turned(self) -> bool:
        """Whether it does otherwise than it was last told, though nothing was committed; looks once a second."""
        now = self._clock.now_us()
        if self._told is None or now - self._looked < _LOOK_US:
            return False
        self._looked = now
        return self._state(self._glance.lease()) is not self._told

    def start(self) -> None:
        """Start it in the background, unless it lives or is starting; one that gives no sign of life is ended first.

        Raises:
            RunnerTrouble: it could not be started.
            DiskFull: for want of room.
        """
        lease = self._glance.lease()
        state = self._state(lease)
        if state in (RunnerState.RUNNING, RunnerState.STARTING):
            return
        if lease is not None and state is RunnerState.SILENT and processes.is_ours(lease["pid"], lease["started_at"]):
            processes.end(lease["pid"])  # it may wake in the middle of an effect that the new one takes up
        try:
            pid = calls.start_detached(self._home, "runner")
            self._mark.write_text(json.dumps({"pid": pid, "at": self._clock.now_us()}), encoding="ascii")
        except OSError as problem:
            if problem.errno == errno.ENOSPC:
                raise disk_full(self._home.root) from problem
            raise RunnerTrouble(
                f"The runner could not be started: {problem.strerror}.", "Start it in a terminal: counterfoil runner"
            ) from problem

    def _state(self, lease: dict[str, Any] | None) -> RunnerState:
        if lease is not None and processes.is_ours(lease["pid"], lease["started_at"]):
            if lease["expires_at"] > self._clock.now_us():
                return RunnerState.RUNNING
            if lease["expires_at"] - lease["renewed_at"] >= LEASE_US:  # released it would have ended earlier
                return RunnerState.SILENT
        if self._is_starting():
            return RunnerState.STARTING
        died = lease is not None and lease["expires_at"] > self._clock.now_us()
        return RunnerState.SILENT if died else RunnerState.OFF

    def _started(self) -> dict[str, int]:
        try:
            mark = json.loads(self._mark.read_text(encoding="ascii"))
            return {"pid": int(mark["pid"]), "at": int(mark["at"])}
        except (OSError, ValueError, KeyError, TypeError):
            return {}

    def _is_starting(self) -> bool:
        mark = self._started()
        fresh = bool(mark) and 0 <= self._clock.now_us() - mark["at"] < _STARTING_US
        return fresh and processes.alive(mark["pid"])

    def _trouble(self) -> str:
        """What the last start said before it ended, if it never became the runner."""
        mark, lease = self._started(), self._glance.lease()
        if not mark or (lease is not None and lease["started_at"] >= mark["at"]):
            return ""
        if self._clock.now_us() - mark["at"] > 20 * _STARTING_US:
            return ""
        said = _last_line(self._home)
        return f"It ended right after its start: {said}" if said else "It ended right after its start."


def _last_line(home: Home) -> str:
    try:
        with (home.logs / "runner.log").open("rb") as log:
            log.seek(max(log.seek(0, 2) - 4096, 0))
            lines = log.read().decode("utf-8", "replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1].removeprefix("counterfoil: ") if lines else ""
