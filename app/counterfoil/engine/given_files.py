"""Files that people give in place of ones that a failed step had read: in the run's copy only, the workspace's own are not touched.

What is given is kept as a blob before the decision that names it. When the answer is taken up it becomes a row at the identity of the step,
in one transaction with that; so a crash between any two of these loses nothing, and a stage that is lost is made again with it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from counterfoil.authoring.file_view import FileRefused, spelled
from counterfoil.authoring.overlay import LONGEST_TOLD, MOST_OPENED, NEW_FILE
from counterfoil.engine import staging
from counterfoil.engine.desk_gates import Answer
from counterfoil.engine.holding import Breach, Hold, Identity
from counterfoil.engine.shapes import line
from counterfoil.errors import WrongWorkspace
from counterfoil.facts import given_words, person
from counterfoil.store import gates, stage_rows
from counterfoil.store.stage_rows import StagedChange
from counterfoil.store.transactions import Connection, Txn

MOST_OFFERED = 20  # files of one step, the one that was read last first


def checked(opened: Any) -> list[str]:
    """What a session says that a try has read, the last one first.

    Raises:
        Breach: it is no list of paths.
    """
    if opened is None:
        return []
    if not isinstance(opened, list) or len(opened) > MOST_OPENED or not all(isinstance(one, str) for one in opened):
        raise Breach("what was opened is no list of texts")
    return [path for path in reversed(opened) if len(path) <= LONGEST_TOLD and _is_plain(path)]


def _is_plain(path: str) -> bool:
    try:
        return bool(path) and spelled(path) == path
    except FileRefused:
        return False


async def offered(hold: Hold, opened: Sequence[str]) -> list[str]:
    """Those of the files that a try has read which a person may replace: what the run has made itself is not among them."""
    if not opened or hold.stage is None:
        return []
    conn = hold.powers.database.reader
    made = {kept.change.file for kept in stage_rows.of_run(conn, hold.run_id) if not kept.given}
    foreign = [path for path in opened if path not in made]
    try:
        return (await staging.at_stage(hold, lambda stage: stage.replaceable(foreign)))[:MOST_OFFERED]
    except WrongWorkspace:  # its settings cannot be read now, so it is not known what is left out
        return []


def take(txn: Txn, hold: Hold, identity: Identity, answer: Answer) -> bool:
    """Note the file that came with an answer, in the transaction that takes it up; whether there was one."""
    file = answer["answers"].get("file")
    if not isinstance(file, dict):
        return False
    change = StagedChange(file["in_place_of"], "file", file["sha256"], file["size"], NEW_FILE)
    stage_rows.add(txn, hold.run_id, *identity, [change], gate_id=answer["gate_id"])
    return True


def origin(conn: Connection, hold: Hold, identity: Identity) -> str | None:
    """What the record of a step says of the files that were given to it; None where none was."""
    told = []
    for kept, gate_id in stage_rows.given_to(conn, hold.run_id):
        if (kept.path, kept.ordinal) != identity:
            continue
        made = gates.decisions(conn, gate_id)[-1]
        told.append(f"{given_words(json.loads(made['answers'])['file'])}, given by {person(made['principal'])}")
    return line(f"done with {'; '.join(told)}", 1000) if told else None
