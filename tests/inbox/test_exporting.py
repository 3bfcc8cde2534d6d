"""Evidence of a run: a pack that Python alone checks, and that names what was changed in it, even by whoever makes its seals anew."""

import contextlib
import errno
import hashlib
import itertools
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import zipfile
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

import counterfoil
from cli.note_template import write_template
from counterfoil import approve, step, workflow, write_file
from counterfoil.catalogue.packing import pack
from counterfoil.errors import CounterfoilError, DiskFull, NotExported
from counterfoil.facts import RunState, Verdict
from counterfoil.inbox import exports_under_way
from counterfoil.inbox.deciding import void
from counterfoil.inbox.exporting import export_evidence
from counterfoil.places import Home
from counterfoil.store import readings, standing, tables, trail_rows
from counterfoil.store.database import Database
from counterfoil.views import evidence_check
from engine.doing import Nothing
from engine.power_cut import PowerCut

LONG = 70_000  # letters: more than a row keeps


@step
def read_much() -> str:
    return "much " * (LONG // 5)


@workflow("pay")
async def pay(p: Nothing) -> str:
    await read_much()
    decision = await approve("Write two files", plan=[write_file("a.txt", b"a"), write_file("b.txt", b"b" * LONG)])
    await decision.perform()
    return "done"


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory, blank: Home) -> Generator[PowerCut]:
    """A run that was decided, taken back, decided again for somebody, and performed; beside it another one."""
    folder = tmp_path_factory.mktemp("lived")
    shutil.copy(blank.database, Home(folder / "home").create().database)
    (folder / "workspace").mkdir()
    harness = PowerCut(folder / "workspace", home=folder / "home")
    harness.start(pay)
    assert harness.advance() is RunState.WAITING
    gate = harness.gate()
    me = "user:test"
    harness.database.transact(lambda txn: readings.mark(txn, gate["gate_id"], me, gate["digest"]))
    harness.decide(Verdict.APPROVED, principal=me, delay_us=60_000_000, comment="not sure")
    void(harness.database, gate["gate_id"], me)
    harness.decide(Verdict.APPROVED, principal=me, on_behalf_of="user:anna", comment="agreed \ud800\u202e")
    assert harness.advance() is RunState.DONE
    _template(harness, folder)
    yield harness
    harness.close()


def _template(harness: PowerCut, folder: Path) -> None:
    """Let the run's version be a template's, as one that is kept."""
    made = folder / "files"
    write_template(made)
    digest, archive = pack(made / ".counterfoil/templates/note")
    source = harness.blobs.put(archive)
    with harness.database.connect() as conn:
        conn.exec_driver_sql("PRAGMA foreign_keys = OFF")
        conn.execute(sa.update(tables.template_version).values(digest=digest, source=source))
        conn.execute(sa.update(tables.run).values(version=digest))
        conn.commit()


def export(harness: PowerCut, target: Path, **more: Any) -> Any:
    return export_evidence(harness.database, harness.blobs, harness.home, harness.run_id, target, "user:anna", **more)


@pytest.fixture(scope="module")
def members(lived: PowerCut, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """A pack, by the names of its members."""
    target = tmp_path_factory.mktemp("pack") / "run.zip"
    export(lived, target)
    with zipfile.ZipFile(target) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def packed(members: dict[str, bytes], target: Path, *, sealed: bool = False) -> Path:
    """A pack with these members; `sealed`: what it holds and its seal are made anew, as somebody would who knows how."""
    if sealed:
        rest = {name: data for name, data in members.items() if name not in ("contents.json", "seal.txt")}
        listed = [{"name": n, "bytes": len(d), "sha256": hashlib.sha256(d).hexdigest()} for n, d in rest.items()]
        contents = json.dumps({"members": listed, "gone": []}).encode()
        seal = hashlib.sha256(contents).hexdigest().encode()
        members = {**rest, "contents.json": contents, "seal.txt": seal}
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return target


def test_a_pack_holds_everything_and_python_alone_finds_it_sound(
    lived: PowerCut, members: dict[str, bytes], tmp_path: Path
) -> None:
    folder = tmp_path / "unpacked"
    for name, data in members.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    (folder / ".DS_Store").write_bytes(b"left by a program for files")
    command = [sys.executable, "-I", str(folder / "verify.py")]
    for words in ([], [str(packed(members, tmp_path / "run.zip"))]):
        done = subprocess.run([*command, *words], capture_output=True, text=True, check=False, cwd=tmp_path)
        assert (done.returncode, done.stderr) == (0, "")
        seal = members["seal.txt"].decode().strip()
        assert done.stdout.endswith(f"none changed, missing or out of order. Seal of this pack: {seal}\n")
    renamed = members["records.jsonl"].replace(b"read_much", "\ud800 \N{SNOWMAN}".encode("utf-8", "surrogatepass"))
    (folder / "records.jsonl").write_bytes(renamed)
    plain = {**os.environ, "PYTHONIOENCODING": "ascii"}
    command.remove("-I")  # which would not heed it
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=plain)
    assert (done.returncode, done.stderr) == (1, "")
    assert "records.jsonl: record 1 (\\ud800 \\u2603) does not match its seal." in done.stdout
    assert subprocess.run([*command, "nowhere"], capture_output=True, check=False, cwd=tmp_path).returncode == 2


def test_what_is_in_it(lived: PowerCut, members: dict[str, bytes]) -> None:
    def lines(name: str) -> list[Any]:
        return [json.loads(line.decode("utf-8", "surrogatepass")) for line in members[name].splitlines()]

    assert [row["on_behalf_of"] for row in lines("decisions.jsonl")] == [None, "user:anna"]
    assert [row["voided_at"] is None for row in lines("decisions.jsonl")] == [False, True]
    assert [row["principal"] for row in lines("readings.jsonl")] == ["user:test"]
    assert [(row["path"], row["before"] is None, len(row["after"])) for row in lines("files.jsonl")] == [
        ("a.txt", True, 64), ("b.txt", True, 64),
    ]  # fmt: skip
    kept = {name.removeprefix("kept/"): len(data) for name, data in members.items() if name.startswith("kept/")}
    assert hashlib.sha256(b"b" * LONG).hexdigest() in kept, "what was approved is there byte for byte"
    assert len(kept) >= 2, "and so is the long value of a step"
    assert {"template/workflow.py", "template/template.toml", "gates/g-1.json", "verify.py"} <= set(members)
    page = members["README.txt"].decode()
    for said in (
        "Test approved “Write two files” (g-1), for Anna, seal",
        "Taken back",
        "a.txt: not there before",
        "What this pack cannot prove",
        "what the clock of that computer said",
        "shows only against a seal kept elsewhere",
        "no decision is signed with a key",
        "are held by the seal of this pack alone",
        "python -I verify.py",
    ):
        assert said in " ".join(page.split())
    assert "\u202e" not in page
    exports = [row for row in trail_rows.entries(lived.database.reader) if row["kind"] == "evidence"]
    seal = members["seal.txt"].decode().strip()
    [entry] = [row for row in exports if json.loads(row["after"])["seal"] == seal]
    assert entry["summary"] == f"Anna exported evidence of run 1, seal {seal[:4]} {seal[4:8]}"


def test_one_byte_in_any_member_is_told_where(members: dict[str, bytes], tmp_path: Path) -> None:
    for name, data in members.items():
        if data:
            at = len(data) // 2
            changed = {**members, name: data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]}
            found = evidence_check.check(packed(changed, tmp_path / "run.zip"))
            assert any(name in sentence for sentence in found[:-1]), name
        found = evidence_check.check(packed({n: d for n, d in members.items() if n != name}, tmp_path / "run.zip"))
        assert any(name in sentence for sentence in found[:-1]), f"{name} was taken out"
    found = evidence_check.check(packed({**members, "more.txt": b"", "\x1b[2J\u202e": b""}, tmp_path / "run.zip"))
    assert {"more.txt does not belong to this pack.", "\\x1b[2J\\u202e does not belong to this pack."} <= set(found)


def test_a_byte_of_the_packed_file_itself_is_told_where(members: dict[str, bytes], tmp_path: Path) -> None:
    with zipfile.ZipFile(packed(members, tmp_path / "run.zip")) as archive:
        begins = archive.getinfo("records.jsonl").header_offset
    raw = bytearray((tmp_path / "run.zip").read_bytes())
    raw[raw.index(b"read_much", begins)] ^= 1
    (tmp_path / "run.zip").write_bytes(raw)
    assert any(
        one.startswith("records.jsonl cannot be read: Bad CRC-32") for one in evidence_check.check(tmp_path / "run.zip")
    )


def edit(name: str, at: int, *, chain: bool = False, **values: Any) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    """Change values of one line of a member; `chain`: its hash is made anew."""

    def changed(members: dict[str, bytes]) -> dict[str, bytes]:
        lines = members[name].splitlines()
        row = {**json.loads(lines[at].decode("utf-8", "surrogatepass")), **values}
        if chain:
            row["hash"] = evidence_check.chained([row[key] for key in evidence_check.ENTRY])
        lines[at] = json.dumps(row, ensure_ascii=False).encode("utf-8", "surrogatepass")
        return {**members, name: b"\n".join([*lines, b""])}

    return changed


def without(name: str, at: int) -> Callable[[dict[str, bytes]], dict[str, bytes]]:
    """Take one line of a member out."""

    def changed(members: dict[str, bytes]) -> dict[str, bytes]:
        lines = members[name].splitlines(keepends=True)
        return {**members, name: b"".join(lines[:at] + lines[at + 1 :])}

    return changed


def without_value(members: dict[str, bytes]) -> dict[str, bytes]:
    """Take out the long value of the first step."""
    payload = json.loads(members["records.jsonl"].splitlines()[0])["payload"]
    return {name: data for name, data in members.items() if name != f"kept/{payload}"}


OTHER: dict[str, Any] = {
    "body": "{}",
    "digest": hashlib.sha256(b"{}").hexdigest(),
}  # a body that is not the one, with its own digest


@pytest.mark.parametrize(
    "change, said",
    [
        (edit("records.jsonl", 1, committed_at=0), "records.jsonl: record 2 (approve) does not match its seal."),
        (without("records.jsonl", 0), "records.jsonl: record 1 (approve) does not match its seal."),
        (edit("trail.jsonl", 2, by="user:eve"), "trail.jsonl: entry 4 (Test approved"),
        (edit("trail.jsonl", 3, chain=True, prev_hash="0" * 64), "does not follow the entry before it."),
        (without("trail.jsonl", 2), "the decision on gate g-1 (approved) is not what the trail says."),
        (without("decisions.jsonl", 1), "trail.jsonl: a decision on gate "),
        (edit("decisions.jsonl", 1, principal="user:eve"), "the decision on gate g-1 (approved) is not what the trail says."),
        (edit("decisions.jsonl", 1, on_behalf_of=None), "the decision on gate g-1 (approved) is not what the trail says."),
        (edit("decisions.jsonl", 0, answers="{"), "decisions.jsonl does not have the form"),
        (edit("decisions.jsonl", 1, digest="0" * 64), "the decision on gate g-1 (approved) is not on what was shown there."),
        (edit("seals.jsonl", 1, body="{}"), "seals.jsonl: item 2 of gate g-1 does not match its digest."),
        (edit("seals.jsonl", 1, **OTHER), "seals.jsonl: item 2 of gate g-1 is not what the trail says was approved."),
        (without("seals.jsonl", 0), "effects.jsonl: write_file@1 at step 2 is in no seal of seals.jsonl."),
        (edit("effects.jsonl", 0, body="{}"), "effects.jsonl: write_file@1 at step 2 does not match its digest."),
        (edit("effects.jsonl", 0, **OTHER), "effects.jsonl: write_file@1 at step 2 is not what its record says."),
        (edit("effects.jsonl", 0, gate_id=None, **OTHER), "effects.jsonl: write_file@1 at step 2 is not what its record says."),
        (without("effects.jsonl", 0), "effects.jsonl: write_file@1 at step 2 is missing."),
        (without_value, "is missing: it is the value of the step read_much."),
        (lambda members: {name: data for name, data in members.items() if name != "readings.jsonl"}, "readings.jsonl is missing."),
        (edit("gates.jsonl", 0, digest="0" * 64), "gates/g-1.json is not what was shown"),
        (lambda members: {**members, "template/workflow.py": b"pass"}, "template/ is not version "),
        (lambda members: {**members, "contents.json": b"{}"}, "contents.json does not match seal.txt"),
    ],
)  # fmt: skip
def test_whoever_makes_its_seals_anew_is_found_out_by_its_chains(
    members: dict[str, bytes], tmp_path: Path, change: Callable[[dict[str, bytes]], dict[str, bytes]], said: str
) -> None:
    changed = change(members)
    found = evidence_check.check(packed(changed, tmp_path / "run.zip", sealed=changed["contents.json"] != b"{}"))
    assert any(said in sentence for sentence in found), found


def test_nothing_is_left_of_a_pack_that_could_not_be_written(
    lived: PowerCut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "run.zip"

    def refused(kind: type[CounterfoilError], said: str, **more: Any) -> None:
        before = sorted(tmp_path.iterdir())
        with pytest.raises(kind, match=said):
            export(lived, target, **more)
        assert sorted(tmp_path.iterdir()) == before

    told = len(trail_rows.entries(lived.database.reader))
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full")))
        refused(DiskFull, r"The disk is full \(.* MB free at .*Nothing was exported\.")
    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(errno.EPERM, "not allowed")))
        refused(NotExported, "cannot be written: not allowed. Nothing was exported.")
    entries = trail_rows.entries(lived.database.reader)[told:]
    assert [json.loads(one["after"]).get("placed", True) for one in entries] == [True, False]
    assert entries[1]["summary"].endswith("did not come to its place: the export broke off")
    real = Database.transact
    for which in (0, 1):  # before its first byte, and its entry
        calls = itertools.count()

        def torn(self: Database, operation: Any, which: int = which, calls: Any = calls) -> Any:
            def then_fails(txn: Any) -> Any:
                operation(txn)
                raise DiskFull("no room", "")

            return real(self, then_fails if next(calls) == which else operation)

        with monkeypatch.context() as patch:
            patch.setattr(Database, "transact", torn)
            refused(DiskFull, "no room")
    target.write_bytes(b"somebody's")
    refused(NotExported, "is there already. Nothing was exported.")
    assert len(trail_rows.entries(lived.database.reader)) == told + 2
    assert standing.get(lived.database.reader, standing.EXPORTS) is None
    export(lived, target, replace=True)
    assert len(evidence_check.check(target)) == 1
    assert target.stat().st_mode & 0o077 == 0
    shutil.rmtree(tmp_path / "none", ignore_errors=True)
    with pytest.raises(NotExported, match="cannot be written"):
        export(lived, tmp_path / "none" / "run.zip")


def test_a_pack_that_has_its_name_is_exported_though_its_folder_could_not_be_synced(
    lived: PowerCut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target, told, real = tmp_path / "run.zip", len(trail_rows.entries(lived.database.reader)), os.replace
    with monkeypatch.context() as patch:

        def replaced_at_last(source: Path, to: Path) -> None:
            real(source, to)
            patch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(errno.EIO, "broken")))

        patch.setattr(os, "replace", replaced_at_last)
        export(lived, target)
        patch.setattr(exports_under_way, "process_lives", lambda _: False)  # the next start looks after it
        assert standing.get(lived.database.reader, standing.EXPORTS) is not None
        exports_under_way.clear_away(lived.database)
    assert standing.get(lived.database.reader, standing.EXPORTS) is None
    [entry] = trail_rows.entries(lived.database.reader)[told:]
    assert "placed" not in json.loads(entry["after"])
    assert len(evidence_check.check(target)) == 1


def test_a_longer_value_that_is_gone_is_said_and_breaks_nothing(lived: PowerCut, tmp_path: Path) -> None:
    sha = hashlib.sha256(b"b" * LONG).hexdigest()
    place = lived.blobs.path(sha)
    aside = place.rename(tmp_path / "aside")
    try:
        found = export(lived, tmp_path / "run.zip")
    finally:
        aside.rename(place)
    assert found.gone == (sha,)
    [said] = evidence_check.check(tmp_path / "run.zip")
    assert f"out of order. Not kept any more when it was exported: {sha}. Seal" in said
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        assert "1 are not kept any more" in archive.read("README.txt").decode()


def test_a_record_that_was_damaged_at_home_is_exported_as_it_is_and_told(lived: PowerCut, tmp_path: Path) -> None:
    second = tables.record.c.ordinal == 1
    with lived.database.connect() as conn:
        whole = conn.execute(sa.select(tables.record.c.payload).where(second)).scalar_one()
        conn.execute(sa.update(tables.record).where(second).values(payload="{not json"))
        conn.commit()
    try:
        export(lived, tmp_path / "run.zip")
    finally:
        with lived.database.connect() as conn:
            conn.execute(sa.update(tables.record).where(second).values(payload=whole))
            conn.commit()
    assert "records.jsonl: record 2 (approve) does not match its seal." in evidence_check.check(tmp_path / "run.zip")[0]


@pytest.fixture
def torn(lived: PowerCut) -> Generator[Callable[[Path], None]]:
    """Change a byte of a kept value; afterwards it is as it was."""
    before: dict[Path, bytes] = {}

    def tear(path: Path) -> None:
        before[path] = data = path.read_bytes()
        path.write_bytes(bytes([data[0] ^ 1]) + data[1:])

    yield tear
    for path, data in before.items():
        path.write_bytes(data)


def test_values_that_are_damaged_are_left_out_and_named_and_the_rest_is_exported(
    lived: PowerCut, tmp_path: Path, torn: Callable[[Path], None], members: dict[str, bytes]
) -> None:
    value, shown = hashlib.sha256(b"b" * LONG).hexdigest(), lived.blobs.put(members["gates/g-1.json"])
    spec = sa.select(tables.gate.c.spec, tables.gate.c.spec_blob)
    with lived.database.connect() as conn:
        whole = conn.execute(spec).mappings().one()
        conn.execute(sa.update(tables.gate).values(spec=shown, spec_blob=True))
        conn.commit()
    for sha in (value, shown):
        torn(lived.blobs.path(sha))
    try:
        found = export(lived, tmp_path / "run.zip")
    finally:
        with lived.database.connect() as conn:
            conn.execute(sa.update(tables.gate).values(**whole))
            conn.commit()
    assert sorted(found.damaged) == ["gates/g-1.json", f"kept/{value}"]
    with zipfile.ZipFile(tmp_path / "run.zip") as archive:
        page, run = " ".join(archive.read("README.txt").decode().split()), json.loads(archive.read("run.json"))
        names = set(archive.namelist())
    assert set(members) - names == {"gates/g-1.json", f"kept/{value}"}
    assert f"Run 1 cannot be read: the kept content {shown[:12]} was changed on disk." in page
    said = [f"{name} is not in this pack: it could not be read where it was exported." for name in found.damaged]
    assert all(f"{name} is not in this pack" in page for name in found.damaged)
    assert "0 steps" not in page, "what is not known is not counted"
    assert (run["number"], run["unreadable"][:21]) == (1, "Run 1 cannot be read:")
    assert evidence_check.check(tmp_path / "run.zip") == [*said, "2 things do not hold."]


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_after_a_kill_at_any_line_no_pack_is_without_its_entry(lived: PowerCut, tmp_path: Path) -> None:
    home = Home(tmp_path / "home").create()
    with lived.database.connect() as conn:
        conn.exec_driver_sql("VACUUM INTO ?", (str(home.database),))
    with contextlib.closing(sqlite3.connect(home.database, isolation_level=None)) as copied:
        copied.execute("DELETE FROM trail WHERE kind = 'evidence'")
    shutil.copytree(lived.home.blobs, home.blobs, dirs_exist_ok=True)
    words = [sys.executable, str(Path(__file__).with_name("export_killed.py")), str(home.root), str(tmp_path)]
    env = {**os.environ, "PYTHONPATH": str(Path(counterfoil.__file__).parents[1])}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=env)
    assert (done.returncode, done.stderr) == (0, "")
    assert min(map(int, done.stdout.split())) > 8, "lines of exporting, and of clearing away, at which it was killed"
