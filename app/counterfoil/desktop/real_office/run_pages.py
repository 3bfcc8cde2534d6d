"""One run for its page: the contract's document, its state in words, its files before and after; how far it is; stopping it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil import facts
from counterfoil.authoring.file_door import FileRefused, Files
from counterfoil.desktop.office import Progress, RunSeen
from counterfoil.desktop.real_office import calls, silences, trail_pages
from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.real_office.files import GateFiles
from counterfoil.desktop.real_office.run_rows import State, state_of, waiting
from counterfoil.desktop.real_office.step_pages import step_kept
from counterfoil.desktop.real_office.story import titles_of
from counterfoil.desktop.real_office.undo_pages import UndoPages
from counterfoil.desktop.run_facts import StepKept
from counterfoil.desktop.words.asides import waits_for
from counterfoil.desktop.words.people import person
from counterfoil.desktop.words.plain import one_line
from counterfoil.errors import RunEnded
from counterfoil.facts import ENDED, RunState, storable
from counterfoil.inbox.cancelling import cancel_run
from counterfoil.inbox.hinting import hint
from counterfoil.inbox.noting import note_on_run
from counterfoil.policy.protection import Consent
from counterfoil.store import gates, history, intents, notices, timers, undoings, versions
from counterfoil.store.database import translated
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.runs import run_detail, run_document
from counterfoil.views.undoing import why_not

_OF = re.compile(r"(\d+) of (\d+)\b")
_LAST = 3  # files that are named while a folder is read
_LISTED = 2_000  # files in a folder up to which it is listed for that


class RunPages:
    """Runs of one home."""

    def __init__(self, access: Access, files: GateFiles, undoing: UndoPages) -> None:
        self._access = access
        self._files = files
        self._undoing = undoing

    def run(self, run_id: str) -> RunSeen:
        """Everything the page of a run shows."""
        access = self._access
        with access.reading() as conn:
            row = run_row(conn, run_id)
            document = run_detail(conn, access.blobs, access.home, row)
            version = versions.get(conn, row["version"])
            words, tone, _ = self._state(conn, row, document["gates"])
            titled = _with_titles(document, history.record_lines(conn, run_id), titles_of(version))
            return RunSeen(
                document={**titled, "steps": [_to_me(step, access.me) for step in titled["steps"]]},
                template=version["title"] if version else row["template"],
                words=words,
                tone=tone,
                files=self._files.of_run(conn, row),
                trail=trail_pages.of_run(conn, run_id, access.me),
                isolation=row["isolation"],
                me=access.me,
                labels=_labels(version),
                may_undo=not why_not(conn, row, access.clock.now_us()),
                undoing=self._undoing.of_run(conn, run_id),
                silent=silences.seen(conn, row),
            )

    def step(self, run_id: str, path: str, ordinal: int, page: int) -> StepKept:
        """What is kept of one step."""
        return step_kept(self._access, run_id, path, ordinal, page)

    def progress(self, run_id: str) -> Progress:
        """How far a run is, cheap enough to be asked five times a second."""
        access = self._access
        with access.reading() as conn:
            row = run_row(conn, run_id)
            asked = gates.open_of_runs(conn, [run_id])
            words = self._state(conn, row, [{"kind": gate["kind"]} for gate in asked])[0]
            done, total = _counted(row["activity"])
            ended = run_document(conn, access.blobs, row) if row["state"] in ENDED else None
            error = (ended or {}).get("error") or {}
            return Progress(
                run_id=run_id,
                state=row["state"],
                words=words,
                done=done,
                total=total,
                last=self._last_files(conn, row, done, total),
                gate_id=asked[0]["gate_id"] if asked else None,
                result=ended["result"] if ended else None,
                problem=one_line(error.get("message") or "") if row["state"] == RunState.FAILED else "",
                folder=self._folder(conn, row),
                may_undo=ended is not None and not why_not(conn, row, access.clock.now_us()),
            )

    def cancel(self, run_id: str, reason: str) -> str:
        """Stop a run; what follows, in one sentence."""
        access = self._access
        with access.reading() as conn:
            number = run_row(conn, run_id)["number"]
        try:
            with translated():
                ended = cancel_run(access.database, run_id, access.me, reason.strip()) == "cancelled"
        except RunEnded as problem:
            raise RunEnded(f"Run {number} had ended before. Nothing was changed.", "") from problem
        hint(access.home)
        if ended:
            return "Stopped. What it had done stays; nothing more is written or sent."
        return "It stops as soon as the step it is in has ended. Nothing new begins."

    def note(self, run_id: str, text: str) -> str:
        """Keep what a person found out; what follows, in one sentence."""
        access = self._access
        with translated():
            note_on_run(access.database, run_id, access.me, storable(text.strip()))
        return "Your note is kept. This run needs no more care."

    def wait_longer(self, run_id: str) -> str:
        """Wait for a silent step."""
        return silences.wait(self._access, run_id)

    def restart(self, run_id: str) -> str:
        """Have a silent step begin anew."""
        return silences.restart(self._access, run_id)

    def try_again(self, run_id: str, agreed: Consent) -> None:
        """Let a run that stopped for want of protection go on with what there is.

        Raises:
            NotIsolated, LessProtection: nobody agreed to that.
        """
        with self._access.reading() as conn:
            number = run_row(conn, run_id)["number"]
        calls.call(self._access.home, "retry", f"r-{number}", *calls.consent(agreed))

    def _state(self, conn: Connection, row: Row, asked: Sequence[Mapping[str, Any]]) -> State:
        if row["state"] == RunState.WAITING:
            pending = timers.pending(conn, row["run_id"])
            timer = (str(pending[0]["kind"]), int(pending[0]["due_at"])) if pending else None
            elsewhere = [waits_for(gate, self._access.me) for gate in asked]
            others = tuple(person(principal) for principal in elsewhere if principal)
            kinds = tuple(str(gate["kind"]) for gate in asked)
            return waiting(kinds, timer, self._access.clock.now_us(), others)
        acted = bool(intents.of_run(conn, row["run_id"]))
        head = (row["number"], row["run_id"], row["title"], "", row["workspace"], row["state"], row["started_by"])
        times = (row["created_at"], row["started_at"], row["ended_at"])
        told = (row["activity"], row["error"], (row["result"] or "")[:400], acted, undoings.extent(conn, row["run_id"]))
        silent = notices.silent(conn).get(row["run_id"]) if row["state"] == RunState.RUNNING else None
        return state_of((*head, *times, *told, silent["body"] if silent is not None else None, row["note"]))

    def _last_files(self, conn: Connection, row: Row, done: int, total: int) -> tuple[tuple[str, str], ...]:
        """Files that were just read: a step that says “9 of 14” reads its one folder in the order it is listed."""
        if not 1 < done <= total <= _LISTED:
            return ()
        version = versions.get(conn, row["version"])
        fields = json.loads(version["parameters"]) if version else []
        folders = [field["name"] for field in fields if field["type"] == "folder"]
        if len(folders) != 1:
            return ()
        folder = str(json.loads(row["parameters"]).get(folders[0]) or "")
        try:
            names = [Path(found.path).name for found in Files(row["workspace"]).list("" if folder == "." else folder)]
        except FileRefused:
            return ()
        return tuple((name, "") for name in names[max(done - 1 - _LAST, 0) : done - 1]) if len(names) == total else ()

    def _folder(self, conn: Connection, row: Row) -> str:
        """Where what was written lies; the workspace while nothing is."""
        written = history.first_written(conn, row["run_id"])
        place = Path(row["workspace"])
        return str((place / written).parent if written else place)


def _counted(activity: str | None) -> tuple[int, int]:
    found = _OF.search(activity or "")
    return (int(found[1]), int(found[2])) if found else (0, 0)


def _with_titles(document: dict[str, Any], done: Sequence[Row], titles: Mapping[str, str]) -> dict[str, Any]:
    """The run's document with the author's titles beside the names of steps, and carry-ons that name the step they went on from."""
    steps = [{**step, "title": titles.get(step["name"], "")} for step in document["steps"]]
    checkpoint = document["checkpoint"]
    told = [
        {**entry, "from_step": step_named(entry["from_step"], done, titles, steps)}
        for entry in checkpoint["resumptions"]
    ]
    return {**document, "steps": steps, "checkpoint": {**checkpoint, "resumptions": told}}


def _to_me(step: dict[str, Any], me: str) -> dict[str, Any]:
    """A step whose line speaks to who reads it: approved by you."""
    summary, named = str(step["summary"] or ""), f" by {facts.person(me)}"
    return {**step, "summary": f"{summary.removesuffix(named)} by you"} if summary.endswith(named) else step


def _labels(version: Row | None) -> dict[str, str]:
    fields = json.loads(version["parameters"]) if version is not None else []
    return {str(field["name"]): one_line(field["label"]) for field in fields if field.get("label")}


def step_named(
    number: Any, done: Sequence[Row], titles: Mapping[str, str], steps: Sequence[Mapping[str, Any]] = ()
) -> str:
    """The step that was recorded as this one of a run, from 1, or that runs now where it is not recorded yet."""
    if not isinstance(number, int):
        return str(number or "")
    if 1 <= number <= len(done):
        name = str(done[number - 1]["name"])
    else:
        busy = next((step for step in steps if step["state"] in ("running", "retrying", "waiting")), None)
        name = str((busy or {}).get("name") or number)
    return titles.get(name, name)
