"""Checks a pack of evidence that Counterfoil exported: every digest and every chain is computed anew, and what does not match is named.

This file is part of each pack as verify.py. It needs Python 3.9 or later and nothing beside it:

    python -I verify.py             checks the folder that it lies in
    python -I verify.py PACK.zip    checks a pack that was not unpacked

It ends with 0 where everything holds, 1 where something does not, 2 where there is no pack.
"""

from __future__ import annotations

import hashlib
import io
import json
import sys
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

RECORD = (
    "run_id", "path", "ordinal", "kind", "name", "args_digest", "outcome", "payload", "payload_blob", "summary",
    "started_at", "committed_at", "attempts", "key", "origin",
)  # fmt: skip
PARTS = (
    "README.txt", "run.json", "records.jsonl", "gates.jsonl", "decisions.jsonl", "readings.jsonl", "seals.jsonl",
    "effects.jsonl", "files.jsonl", "rules.jsonl", "trail.jsonl", "template.json", "verify.py",
)  # fmt: skip
ENTRY = ("seq", "at", "by", "kind", "subject", "summary", "before", "after", "prev_hash")
UNREADABLE = (OSError, ValueError, zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError)


def sha(data: bytes | str) -> str:
    """SHA-256 as 64 hex digits; of a text over its UTF-8 bytes."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    return hashlib.sha256(raw).hexdigest()


def chained(values: list[Any]) -> str:
    """The digest of a list of values, as records and entries are chained."""
    return sha(json.dumps(values, ensure_ascii=False, separators=(",", ":")))


class Pack:
    """The files of a pack, in a folder or still packed; `broken` collects a sentence for everything that does not hold."""

    def __init__(self, place: Path) -> None:
        self.broken: list[str] = []
        self.read: dict[str, bytes] = {}
        self.names: list[str] = []
        if place.is_dir():
            found = {file.relative_to(place).as_posix(): file for file in place.rglob("*") if file.is_file()}
            for name in sorted(found):
                if not name.rpartition("/")[2].startswith("."):  # what a program for files has left there
                    self._keep(name, found[name].read_bytes)
            return
        with zipfile.ZipFile(place) as archive:
            for info in archive.infolist():
                if not info.is_dir():
                    self._keep(info.filename, lambda info=info: archive.read(info))

    def _keep(self, name: str, read: Any) -> None:
        if name in self.names:
            self.broken.append(f"{name} is there twice.")
        self.names.append(name)
        try:
            self.read[name] = read()
        except UNREADABLE as problem:
            self.broken.append(f"{name} cannot be read: {problem}.")

    def lines(self, name: str) -> list[dict[str, Any]]:
        """The objects of a file with one on each line; a line that is none is named."""
        found = []
        for number, line in enumerate(self.read.get(name, b"").splitlines(), 1):
            try:
                found.append(dict(json.loads(line.decode("utf-8", "surrogatepass"))))
            except (ValueError, TypeError, RecursionError):
                self.broken.append(f"{name}, line {number}, cannot be read.")
        return found

    def document(self, name: str) -> dict[str, Any]:
        """The one object of a file, empty where there is none."""
        try:
            return dict(json.loads(self.read[name].decode("utf-8", "surrogatepass")))
        except (KeyError, ValueError, TypeError, RecursionError):
            self.broken.append(f"{name} cannot be read.")
            return {}


def check_members(pack: Pack) -> None:
    """Every file is there, whole, and nothing else is."""
    if sha(pack.read.get("contents.json", b"")) != pack.read.get("seal.txt", b"").decode("ascii", "replace").strip():
        pack.broken.append("contents.json does not match seal.txt: one of them was changed.")
    listed = pack.document("contents.json").get("members", [])
    pack.broken.extend(
        f"{name} is not in this pack: it could not be read where it was exported." for name in lacking(pack)
    )
    pack.broken.extend(f"{name} is missing." for name in PARTS if name not in pack.names)
    for member in listed:
        name = str(member["name"])
        if name not in pack.names:
            pack.broken.append(f"{name} is missing.")
        elif name in pack.read and sha(pack.read[name]) != member["sha256"]:
            pack.broken.append(f"{name} is not what contents.json says.")
    known = {str(member["name"]) for member in listed} | {"contents.json", "seal.txt"}
    pack.broken.extend(f"{name} does not belong to this pack." for name in pack.names if name not in known)


def lacking(pack: Pack) -> list[str]:
    """Members that the pack has not, as whoever exported it says, since what was kept of them was damaged."""
    return [str(name) for name in pack.document("contents.json").get("damaged", [])]


def not_kept(pack: Pack) -> str:
    """What was not there any more when the pack was made."""
    gone = [str(name) for name in pack.document("contents.json").get("gone", [])]
    more = f" and {len(gone) - 3} more" if len(gone) > 3 else ""
    return f" Not kept any more when it was exported: {', '.join(gone[:3])}{more}." if gone else ""


def check_records(pack: Pack, run_id: str) -> tuple[list[dict[str, Any]], set[str]]:
    """The chain of the run's steps, from the first on; its rows, and the hashes that it has come by."""
    rows, before, heads = pack.lines("records.jsonl"), run_id, {run_id}
    for number, row in enumerate(rows, 1):
        if chained([before, *(row.get(name) for name in RECORD)]) != row.get("hash"):
            pack.broken.append(
                f"records.jsonl: record {number} ({row.get('name') or row.get('kind')}) does not match its seal. "
                "Every record before it is sound."
            )
            return rows, {*heads, *(str(row.get("hash")) for row in rows)}
        before = str(row["hash"])
        heads.add(before)
    return rows, heads


def check_trail(pack: Pack, heads: set[str]) -> list[dict[str, Any]]:
    """Each entry by itself, entries that follow each other, and that they name steps of this run."""
    rows = pack.lines("trail.jsonl")
    last: dict[str, Any] = {}
    for row in rows:
        name = f"trail.jsonl: entry {row.get('seq')} ({row.get('summary')})"
        if chained([row.get(key) for key in ENTRY]) != row.get("hash"):
            pack.broken.append(f"{name} does not match its seal.")
        elif last and not int(row["seq"]) > int(last["seq"]):
            pack.broken.append(f"{name} is out of order.")
        elif last and int(row["seq"]) == int(last["seq"]) + 1 and row["prev_hash"] != last["hash"]:
            pack.broken.append(f"{name} does not follow the entry before it.")
        head = told(row).get("head")
        if isinstance(head, str) and head not in heads:
            pack.broken.append(f"{name} has sealed a record that is not in records.jsonl.")
        last = row if isinstance(row.get("seq"), int) else last
    return rows


def told(entry: dict[str, Any]) -> dict[str, Any]:
    """What an entry of the trail tells."""
    try:
        found = json.loads(entry.get("after") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def check_gates(pack: Pack, run_id: str) -> dict[str, dict[str, Any]]:
    """What was shown at each gate has the digest that people decided on; the gates by id."""
    found = {}
    for row in pack.lines("gates.jsonl"):
        name = f"gates/g-{row.get('number')}.json"
        found[str(row.get("gate_id"))] = row
        if name not in lacking(pack) and sha(pack.read.get(name, b"")) != row.get("digest"):
            pack.broken.append(f"{name} is not what was shown: its digest is not that of gate g-{row.get('number')}.")
        if row.get("run_id") != run_id:
            pack.broken.append(f"gates.jsonl: gate g-{row.get('number')} is of another run.")
    return found


def check_decisions(pack: Pack, gates: dict[str, dict[str, Any]], trail: list[dict[str, Any]]) -> None:
    """Each decision is on what was shown, and is the one that the trail tells of."""
    sealed = [(entry.get("by"), told(entry)) for entry in trail if entry.get("kind") == "decision"]
    left = [decided(by, one, one.get("answers", {})) for by, one in sealed]
    for row in pack.lines("decisions.jsonl"):
        gate = gates.get(str(row.get("gate_id")), {})
        name = f"decisions.jsonl: the decision on gate g-{gate.get('number')} ({row.get('verdict')})"
        if row.get("digest") != gate.get("digest"):
            pack.broken.append(f"{name} is not on what was shown there.")
        if row.get("verdict") == "expired":
            continue  # nobody gave it, so the trail tells of it in another way
        one = {**row, "gate": row.get("gate_id")}
        this = decided(row.get("principal"), one, json.loads(row.get("answers") or "null"))
        if this not in left:
            pack.broken.append(f"{name} is not what the trail says.")
        else:
            left.remove(this)
    pack.broken.extend(f"trail.jsonl: a decision on gate {one[1]} is not in decisions.jsonl." for one in left)


def decided(by: Any, row: dict[str, Any], answers: Any) -> list[Any]:
    """Everything about a decision that must not change. An approval by rules says nothing, and its entry does not tell for whom."""
    behalf = None if str(by).startswith("rule:") else row.get("on_behalf_of")
    return [by, row.get("gate"), row.get("verdict"), row.get("digest"), row.get("comment", ""), behalf, answers]


def check_seals(pack: Pack, gates: dict[str, dict[str, Any]], trail: list[dict[str, Any]]) -> None:
    """What was sealed has its digest, which the decision in the trail names; what was begun under a seal has it still."""
    named = {
        (one.get("gate"), n, digest)
        for one in (told(entry) for entry in trail if entry.get("kind") == "decision")
        for n, digest in one.get("items", ())
    }
    sealed = set()
    for row in pack.lines("seals.jsonl"):
        item = (row.get("gate_id"), row.get("n"), row.get("digest"))
        sealed.add(item)
        name = f"seals.jsonl: item {row.get('n')} of gate g-{gates.get(str(row.get('gate_id')), {}).get('number')}"
        if sha(str(row.get("body"))) != row.get("digest"):
            pack.broken.append(f"{name} does not match its digest.")
        elif item not in named:
            pack.broken.append(f"{name} is not what the trail says was approved.")
    for row in pack.lines("effects.jsonl"):
        if row.get("gate_id") is not None and (row["gate_id"], row.get("item"), row.get("digest")) not in sealed:
            pack.broken.append(f"{begun(row)} is in no seal of seals.jsonl.")


def check_effects(pack: Pack, records: list[dict[str, Any]]) -> None:
    """What was begun has its digest, which is that of its record; and whatever was done was begun."""
    recorded = {(row.get("path"), row.get("ordinal")): row for row in records}
    found = set()
    for row in pack.lines("effects.jsonl"):
        identity = (row.get("path"), row.get("ordinal"))
        found.add(identity)
        record = recorded.get(identity)
        if sha(str(row.get("body"))) != row.get("digest"):
            pack.broken.append(f"{begun(row)} does not match its digest.")
        elif record is not None and record.get("args_digest") != row.get("digest"):
            pack.broken.append(f"{begun(row)} is not what its record says.")
    for identity, row in recorded.items():
        origin = str(row.get("origin") or "")
        elsewhere = origin.startswith("given by ") or "happened in run " in origin
        if row.get("kind") == "effect" and row.get("outcome") == "ok" and not elsewhere and identity not in found:
            pack.broken.append(f"{begun(row, 'name')} is missing.")


def begun(row: dict[str, Any], name: str = "kind") -> str:
    """Where an effect stands, for a sentence."""
    return f"effects.jsonl: {row.get(name)} at step {row.get('ordinal')}"


def check_kept(pack: Pack, records: list[dict[str, Any]]) -> None:
    """Longer values are named by their digests and are there, and the template's code has that of its version."""
    gone = [*pack.document("contents.json").get("gone", []), *(name.rpartition("/")[2] for name in lacking(pack))]
    for row in records:
        name = f"kept/{row.get('payload')}"
        if row.get("payload_blob") and name not in pack.names and row.get("payload") not in gone:
            pack.broken.append(f"{name} is missing: it is the value of the step {row.get('name')}.")
    for name, data in pack.read.items():
        if name.startswith("kept/") and sha(data) != name[len("kept/") :]:
            pack.broken.append(f"{name} is not what its name says.")
    code = {name[len("template/") :]: sha(data) for name, data in pack.read.items() if name.startswith("template/")}
    version = pack.document("template.json").get("digest")
    text = json.dumps(code, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    if code and sha(text) != version:
        pack.broken.append(f"template/ is not version {str(version)[:8]} of the template: its files were changed.")
    if version != pack.document("run.json").get("version"):
        pack.broken.append("template.json is not the version that the run was made with.")


def check(place: Path) -> list[str]:
    """Every sentence about what does not hold; the last is about what was checked.

    Raises:
        OSError, zipfile.BadZipFile: there is no pack.
    """
    pack = Pack(place)
    run_id = str(pack.document("run.json").get("run_id"))
    rows: list[dict[str, Any]] = []
    trail: list[dict[str, Any]] = []
    heads: set[str] = set()
    gates: dict[str, dict[str, Any]] = {}

    def chains() -> None:
        found, came_by = check_records(pack, run_id)
        rows.extend(found)
        heads.update(came_by)
        trail.extend(check_trail(pack, heads))

    parts: dict[str, Callable[[], None]] = {
        "contents.json": lambda: check_members(pack),
        "records.jsonl or trail.jsonl": chains,
        "gates.jsonl": lambda: gates.update(check_gates(pack, run_id)),
        "decisions.jsonl": lambda: check_decisions(pack, gates, trail),
        "seals.jsonl": lambda: check_seals(pack, gates, trail),
        "effects.jsonl": lambda: check_effects(pack, rows),
        "template.json": lambda: check_kept(pack, rows),
    }
    for name, part in parts.items():
        try:
            part()
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            pack.broken.append(f"{name} does not have the form that it must have.")
    if pack.broken:
        return [*map(shown, dict.fromkeys(pack.broken)), f"{len(set(pack.broken))} things do not hold."]
    files, seal = len(pack.names), pack.read["seal.txt"].decode("ascii").strip()
    return [
        (
            f"{files} files, {len(rows)} records, {len(gates)} gates, {len(trail)} entries of the trail: "
            f"none changed, missing or out of order.{shown(not_kept(pack))} Seal of this pack: {seal}"
        )
    ]


def shown(sentence: str) -> str:
    """A sentence in which no name of the pack moves, hides or ends what stands beside it on a screen."""
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in sentence)


def main(words: list[str]) -> int:
    """Check one pack and say what was found."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a screen that has not every letter
    place = Path(words[0]) if words else Path(__file__).resolve().parent
    try:
        found = check(place)
    except UNREADABLE as problem:
        print(f"{place} is no pack of evidence: {problem}.", file=sys.stderr)  # noqa: T201 - a program of its own
        return 2
    for sentence in found:
        print(sentence)  # noqa: T201
    return 0 if len(found) == 1 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
