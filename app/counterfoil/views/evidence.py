"""Evidence of one run: what a pack holds, member by member, each as it is kept, and the digests that it can be checked by without us.

A value over 64 KiB is a member of its own under its digest. Nothing here is written; `inbox.exporting` does that.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from counterfoil.authoring.codec import blob_shas
from counterfoil.catalogue.packing import files_of
from counterfoil.errors import Damaged, RunDamaged
from counterfoil.places import Home
from counterfoil.store import (
    evidence_rows,
    file_ops,
    gates,
    intents,
    permission_rows,
    records,
    seals,
    trail_rows,
    versions,
)
from counterfoil.store.blobs import Blobs
from counterfoil.store.transactions import Connection, Row
from counterfoil.views import evidence_check
from counterfoil.views.evidence_words import Lacking, first_page
from counterfoil.views.runs import run_detail, run_outline

MEANS = {
    "README.txt": "What is in this pack, and what it cannot prove",
    "run.json": "The run: title, state, parameters, steps, result, how it was carried on",
    "records.jsonl": "Every step as it was recorded, chained",
    "gates.jsonl": "Every gate: when it was asked, its digest, how it was closed",
    "decisions.jsonl": "Who decided what, when, for whom, on which digest; those taken back too",
    "readings.jsonl": "Who had which gate on the screen",
    "seals.jsonl": "What decisions sealed, byte for byte",
    "effects.jsonl": "What was begun in the world, with its digest",
    "files.jsonl": "Files that were written, moved or removed, with their digests before and after",
    "rules.jsonl": "Rules of people that the run was judged by, and what was done under them",
    "trail.jsonl": "Entries of the trail about this run, with their chain",
    "template.json": "The version of the template that ran",
    "verify.py": "Checks all of this with Python alone",
    "contents.json": "Every member with its digest",
    "seal.txt": "The digest of contents.json: the seal of this pack",
}
_SHOWN, _KEPT, _CODE = "What was shown at a gate", "A longer value that is kept", "The template's code"


@dataclass(frozen=True, slots=True)
class Member:
    """A file of the pack: `data` its bytes, or where they lie under the digest `sha256`; `size` in bytes."""

    name: str
    means: str
    size: int
    sha256: str
    data: bytes | Path


@dataclass(frozen=True, slots=True)
class Evidence:
    """A whole pack, its first page first; `seal` is its digest, `gone` digests of longer values that are not kept any more, `damaged` names
    of members that it has not, since what is kept is not what its digest says."""

    members: tuple[Member, ...]
    seal: str
    gone: tuple[str, ...] = ()
    damaged: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all members, before they are packed."""
        return sum(member.size for member in self.members)


def evidence_of(conn: Connection, blobs: Blobs, home: Home, run: Row, now_us: int) -> Evidence:
    """Everything about a run that can be read, of the moment that `conn` sees.

    Raises:
        Damaged: its template version is not kept.
    """
    collected = _Collected(blobs)
    run_id = run["run_id"]
    asked = gates.of_run(conn, run_id)
    document = _run(conn, blobs, home, run)
    decisions = evidence_rows.decisions_of(conn, run_id)
    trail = _trail(conn, run)
    collected.document("run.json", document)
    for given in document["given"]:
        collected.keep(given["sha256"])
    collected.lines("records.jsonl", (_record(row, collected) for row in records.of_run(conn, run_id)))
    collected.lines("gates.jsonl", (_gate(row, collected) for row in asked))
    collected.lines("decisions.jsonl", map(dict, decisions))
    collected.lines("readings.jsonl", map(dict, evidence_rows.readings_of(conn, run_id)))
    sealed = [row for gate in asked for row in seals.of_gate(conn, gate["gate_id"])]
    collected.lines("seals.jsonl", (collected.naming(dict(row), row["body"]) for row in sealed))
    collected.lines("effects.jsonl", (_effect(row, collected) for row in intents.of_run(conn, run_id)))
    collected.lines("files.jsonl", map(dict, file_ops.of_run(conn, run_id)))
    collected.lines("rules.jsonl", _rules(conn, run_id))
    collected.lines("trail.jsonl", map(dict, trail))
    _template(conn, blobs, run, collected)
    collected.add("verify.py", Path(evidence_check.__file__).read_bytes())
    seal_now = next((row["hash"] for row in trail_rows.entries(conn, limit=1)), trail_rows.START)
    lacking = Lacking(tuple(collected.gone), tuple(collected.damaged))
    page = first_page(document, run, asked, decisions, trail, seal_now, MEANS, lacking, now_us)
    return collected.sealed(page)


def _run(conn: Connection, blobs: Blobs, home: Home, run: Row) -> dict[str, Any]:
    """The run's document, or where it cannot be read what its row tells."""
    try:
        return run_detail(conn, blobs, home, run)
    except RunDamaged as problem:
        return {**run_outline(conn, blobs, run), "unreadable": problem.message}


class _Collected:
    """Members so far, and the longer values that they name."""

    def __init__(self, blobs: Blobs) -> None:
        self._blobs = blobs
        self._members: dict[str, Member] = {}
        self.gone: list[str] = []
        self.damaged: list[str] = []

    def add(self, name: str, data: bytes, means: str = "") -> None:
        """A member with these bytes."""
        sha = hashlib.sha256(data).hexdigest()
        self._members[name] = Member(name, means or MEANS[name], len(data), sha, data)

    def document(self, name: str, value: object) -> None:
        """A member that is one JSON object, to be read by people as well."""
        text = json.dumps(value, ensure_ascii=False, indent=2)
        self.add(name, f"{text}\n".encode("utf-8", "surrogatepass"))

    def lines(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """A member with an object on each line."""
        texts = [json.dumps(dict(row), ensure_ascii=False, separators=(",", ":")) for row in rows]
        self.add(name, "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogatepass"))

    def keep(self, sha: str) -> None:
        """A longer value by its digest; one that is not kept any more is noted."""
        name, path = f"kept/{sha}", self._blobs.path(sha)
        if name in self._members or sha in self.gone or name in self.damaged:
            return
        try:
            with path.open("rb") as source:
                sound = hashlib.file_digest(source, "sha256").hexdigest() == sha
            size = path.stat().st_size
        except OSError:
            self.gone.append(sha)
            return
        if not sound:
            self.lack(name)
            return
        self._members[name] = Member(name, _KEPT, size, sha, path)

    def lack(self, name: str) -> None:
        """A member that the pack has not, since what is kept of it cannot be read."""
        if name not in self.damaged:
            self.damaged.append(name)

    def text(self, kept: str, in_blob: bool) -> str:
        """The text that a row keeps.

        Raises:
            Damaged: it is gone, or is not what its digest says.
        """
        return self._blobs.text(kept, in_blob)

    def naming(self, row: dict[str, Any], text: str) -> dict[str, Any]:
        """A row whose text may name longer values; one that was damaged names none, and is told by whoever checks the pack."""
        with contextlib.suppress(ValueError):
            for sha in blob_shas(json.loads(text)):
                self.keep(sha)
        return row

    def sealed(self, page: str) -> Evidence:
        """The pack: its first page, everything, what it holds, and the digest of that."""
        self.add("README.txt", page.encode())
        order: Callable[[Member], tuple[int, str]] = lambda member: (_place(member.name), member.name)  # noqa: E731
        members = sorted(self._members.values(), key=order)
        listed = [{"name": one.name, "bytes": one.size, "sha256": one.sha256} for one in members]
        told = {"members": listed, "gone": self.gone, "damaged": self.damaged}
        contents = json.dumps(told, ensure_ascii=False, indent=1)
        self.add("contents.json", f"{contents}\n".encode())
        seal = self._members["contents.json"].sha256
        self.add("seal.txt", f"{seal}\n".encode())
        last = (self._members["contents.json"], self._members["seal.txt"])
        return Evidence((*members, *last), seal, tuple(self.gone), tuple(self.damaged))


def _place(name: str) -> int:
    known = list(MEANS)
    return known.index(name) if name in known else len(known)


def _record(row: Row, collected: _Collected) -> dict[str, Any]:
    kept = dict(row)
    if row["payload_blob"]:
        collected.keep(row["payload"])
        return kept
    return collected.naming(kept, row["payload"])


def _gate(row: Row, collected: _Collected) -> dict[str, Any]:
    """A gate's row; what it showed is a member of its own, with exactly the bytes that its digest is over."""
    name, text = f"gates/g-{row['number']}.json", ""
    try:
        text = collected.text(row["spec"], row["spec_blob"])
        collected.add(name, text.encode("utf-8", "surrogatepass"), _SHOWN)
    except Damaged:
        collected.lack(name)
    left_out = ("spec", "spec_blob", "search")
    return collected.naming({name: value for name, value in dict(row).items() if name not in left_out}, text)


def _effect(row: Row, collected: _Collected) -> dict[str, Any]:
    try:
        text = collected.text(row["body"], row["body_blob"])
    except Damaged:
        text = ""
        collected.lack(f"kept/{row['body']}")
    kept = {name: value for name, value in dict(row).items() if name != "body_blob"}
    return collected.naming({**kept, "body": text}, text)


def _rules(conn: Connection, run_id: str) -> list[dict[str, Any]]:
    known = {row["permission_id"]: dict(row) for row in permission_rows.every(conn)}
    used = [dict(row) for row in permission_rows.used_by(conn, run_id)]
    in_force = [
        {"in_force": json.loads(row["rules"]), "at": row["at"]} for row in permission_rows.in_force(conn, run_id)
    ]
    return [*in_force, *({"used": row, "rule": known.get(row["permission_id"])} for row in used)]


def _trail(conn: Connection, run: Row) -> list[Row]:
    """Entries about the run, when its template was kept, and what became of the rules it used; in the trail's order."""
    found = list(trail_rows.entries(conn, subject=run["run_id"]))
    kept = trail_rows.entries(conn, subject=run["template"])
    found += [row for row in kept if json.loads(row["after"] or "{}").get("digest") == run["version"]]
    for rule in {row["permission_id"] for row in permission_rows.used_by(conn, run["run_id"])}:
        found += trail_rows.entries(conn, subject=rule)
    return sorted(found, key=lambda row: int(row["seq"]))


def _template(conn: Connection, blobs: Blobs, run: Row, collected: _Collected) -> None:
    version = versions.get(conn, run["version"])
    if version is None:
        raise Damaged(f"Template version {run['version'][:8]} is not kept.", "Restore a backup of the data folder.")
    collected.document("template.json", dict(version))
    if not version["source"]:  # a workflow of a test, which has no template
        return
    if not blobs.path(version["source"]).exists():
        collected.gone.append(version["source"])
        return
    try:
        files = files_of(blobs.get(version["source"]), version["digest"])
    except Damaged:
        collected.lack("template/")
        return
    for name, data in files.items():
        collected.add(f"template/{name}", data, _CODE)


def plain_members(evidence: Evidence) -> list[dict[str, Any]]:
    """What a pack holds, for a list: longer values and the template's code as one line each."""
    named = [one for one in evidence.members if "/" not in one.name]
    rows = [{"name": one.name, "means": one.means, "bytes": one.size} for one in named]
    for folder, means in (("gates/", _SHOWN), ("template/", _CODE), ("kept/", _KEPT)):
        inside = [one for one in evidence.members if one.name.startswith(folder)]
        if inside:
            many = f"{means}, {len(inside)} files" if len(inside) > 1 else means
            rows.append({"name": folder, "means": many, "bytes": sum(one.size for one in inside)})
    return rows
