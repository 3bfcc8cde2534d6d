"""What the office reads beside the database: files of a plan, pages of documents, folders, templates, the runner's process, refusals of
the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from cli.note_template import write_template
from counterfoil.authoring.codec import Secret
from counterfoil.catalogue.manifest import EFFECTS
from counterfoil.clock import SystemClock
from counterfoil.desktop.office import FileRef, RunnerState
from counterfoil.desktop.real_office import calls, processes
from counterfoil.desktop.real_office.folders import measure
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.real_office.pages import NoPage, make_page
from counterfoil.desktop.real_office.templates import _BESIDES, _CHANGES, _SENDS
from counterfoil.errors import CounterfoilError, DiskFull, UnknownRun, WrongParameter, WrongUse
from counterfoil.facts import DoubtPolicy, Verdict
from counterfoil.inbox.accounts import owner
from counterfoil.inbox.deciding import Wish, decide
from counterfoil.places import Home, bundled
from counterfoil.policy import protection
from counterfoil.previews.csv_rows import appended
from counterfoil.previews.showing import LARGEST
from counterfoil.settings.window import undo_seconds
from counterfoil.store import aside_glance, asides, file_ops, gates, leases
from counterfoil.store.originals import plain_of, set_of, slot_of
from desktop.real_home import RowsHome
from views.rows import item, payment_spec, spec

SAMPLE = bundled("workflows") / "pay-invoices" / "sample"


@pytest.fixture
def home(tmp_path: Path) -> Generator[RowsHome]:
    """A home of the test's own."""
    made = RowsHome(tmp_path)
    yield made
    made.close()


# --------------------------------------------------------------------------------------------------------------- files


def plan_file(home: RowsHome, *items: dict[str, Any]) -> tuple[str, str]:
    """A gate with this plan; its id and its run's."""
    run = home.rows.run()
    return home.ask(run["run_id"], 0, spec(plan=list(items)))["gate_id"], run["run_id"]


def write_item(path: str, data: bytes, base: str | None = None) -> dict[str, Any]:
    """A plan item that writes a file."""
    import base64

    args = {"path": path, "data": {"$bytes": base64.b64encode(data).decode()}}
    return item(1, "write_file@1", args, base={path: base})


def sha(data: bytes) -> str:
    """SHA-256 in hex."""
    import hashlib

    return hashlib.sha256(data).hexdigest()


def test_a_new_file_is_shown_whole(home: RowsHome) -> None:
    gate_id, _ = plan_file(home, write_item("payments/r-1.xml", b"<Document/>\n"))
    seen = home.office.file_of_gate(gate_id, 1)
    assert (seen.path, seen.op, seen.before, seen.after, seen.bytes_after, seen.note) == (
        "payments/r-1.xml", "write", None, "<Document/>\n", 12, ""
    )  # fmt: skip
    assert seen.preview is not None
    assert (seen.preview.kind, seen.preview.words) == ("text", "A new text of 1 line.")


def test_a_table_that_is_replaced_is_told_cell_by_cell(home: RowsHome) -> None:
    before, after = b"name,price\nA,1.00\nB,2.00\n", b"name,price\nA,1.50\nB,2.00\nC,3.00\n"
    (Path(home.rows.workspace) / "prices.csv").write_bytes(before)
    gate_id, _ = plan_file(home, write_item("prices.csv", after, sha(before)))
    seen = home.office.file_of_gate(gate_id, 1)
    assert (seen.before, seen.after) == (before.decode(), after.decode())
    assert seen.preview is not None
    (table,) = seen.preview.tables
    assert [(cell.at, cell.column, cell.before, cell.after) for cell in table.changed] == [
        ("row 2", "price", "1.00", "1.50")
    ]
    assert [(line.number, line.cells) for line in table.added] == [(4, ("C", "3.00"))]
    assert (table.columns, seen.note) == (("name", "price"), "")


def test_a_file_that_changed_meanwhile_says_so(home: RowsHome) -> None:
    (Path(home.rows.workspace) / "a.txt").write_bytes(b"theirs")
    gate_id, _ = plan_file(home, write_item("a.txt", b"ours", sha(b"before")))
    seen = home.office.file_of_gate(gate_id, 1)
    assert "not what it was when this was asked" in seen.note
    assert (seen.before, seen.after) == ("theirs", "ours")


def test_rows_at_the_end_are_rows_and_the_whole_file_is_proved_by_its_seal(home: RowsHome) -> None:
    before = b"\xef\xbb\xbfsupplier;note\r\nHalden;\r\n"
    rows = [["Tallow; Sons", 'says "yes"'], ["Donau", ""]]
    whole = appended(before, ["supplier", "note"], rows)
    (Path(home.rows.workspace) / "ledger.csv").write_bytes(before)
    args = {"path": "ledger.csv", "columns": ["supplier", "note"], "rows": rows}
    facts = {"base": {"ledger.csv": sha(before)}, "after_digest": sha(whole), "bytes": len(whole)}
    gate_id, _ = plan_file(home, item(1, "append_rows@1", args, **facts))
    seen = home.office.file_of_gate(gate_id, 1)
    assert seen.preview is not None
    assert [line.cells for line in seen.preview.tables[0].added] == [("Tallow; Sons", 'says "yes"'), ("Donau", "")]
    assert seen.after == whole.decode("utf-8-sig")
    assert (seen.bytes_before, seen.bytes_after) == (len(before), len(whole))


def test_moves_are_pairs_and_large_or_binary_files_are_sizes(home: RowsHome) -> None:
    moves = item(1, "move_files@1", {"moves": [["in/a.xml", "archive/2026/a.xml"], ["in/b.xml", "archive/2026/b.xml"]]})
    gate_id, _ = plan_file(home, moves)
    seen = home.office.file_of_gate(gate_id, 1)
    assert (seen.path, seen.op, seen.target, len(seen.moves)) == ("in/", "move", "archive/2026/", 2)
    args = {"path": "big.txt", "data": {"$blob": "0" * 64, "size": LARGEST + 1}}
    seen = home.office.file_of_gate(plan_file(home, item(1, "write_file@1", args, base={"big.txt": None}))[0], 1)
    assert (seen.after, seen.bytes_after, seen.preview) == (None, LARGEST + 1, None)
    assert "too much to show" in seen.note
    seen = home.office.file_of_gate(plan_file(home, write_item("a.zip", b"PK\x00\x01" * 10))[0], 1)
    assert (seen.after, seen.bytes_after, seen.note) == (None, 40, "")
    assert seen.preview is not None
    assert seen.preview.words == "A new file of 40 bytes."


def test_links_are_not_followed_and_a_lost_original_is_told(home: RowsHome, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    (Path(home.rows.workspace) / "a.txt").symlink_to(tmp_path / "secret.txt")
    gate_id, _ = plan_file(home, write_item("a.txt", b"ours", sha(b"before")))
    seen = home.office.file_of_gate(gate_id, 1)
    assert seen.before is None
    assert "cannot be shown" in seen.note


def test_an_applied_file_shows_its_original_from_the_undo_folder(home: RowsHome) -> None:
    before, after = b"old\n", b"new\n"
    (Path(home.rows.workspace) / "a.txt").write_bytes(after)
    gate_id, run_id = plan_file(home, write_item("a.txt", after, sha(before)))
    gate = gates.get(home.rows.database.reader, gate_id)
    decide(home.rows.database, home.rows.blobs, gate_id, Wish(Verdict.APPROVED, "user:ben", digest=gate["digest"]))
    op = {"gate_id": gate_id, "n": 1, "workspace": home.rows.workspace, "op": "write", "path": "a.txt", "target": None}
    row = {**op, "before": sha(before), "after": sha(after)}

    def operation(txn: Any) -> None:
        file_ops.add(txn, [row])
        file_ops.set_state(txn, [made["row"] for made in file_ops.of_gate(txn.conn, gate_id)], "applied")

    home.rows.database.transact(operation)
    assert "not kept any more" in home.office.file_of_gate(gate_id, 1).note
    kept = home.rows.home.undo / gate_id
    kept.mkdir()
    plain = [plain_of(made) for made in file_ops.of_gate(home.rows.database.reader, gate_id)]
    (kept / slot_of(set_of(plain), "a.txt")).write_bytes(before)
    seen = home.office.file_of_gate(gate_id, 1)
    assert (seen.before, seen.after) == ("old\n", "new\n")
    assert home.office.run(run_id).files == (FileRef(gate_id, 1, "a.txt", "applied"),)
    assert Path(home.office.progress(run_id).folder) == Path(home.rows.workspace)


def test_an_item_that_is_no_file_is_refused(home: RowsHome) -> None:
    gate_id, _ = plan_file(home, item(1, "mail@1", {"to": ["a@b.example"]}))
    with pytest.raises(WrongUse):
        home.office.file_of_gate(gate_id, 1)
    with pytest.raises(WrongUse, match="no item 7"):
        home.office.file_of_gate(gate_id, 7)


# --------------------------------------------------------------------------------------------------------------- pages


def test_a_page_is_a_picture_with_its_size(home: RowsHome) -> None:
    document = (SAMPLE / "invoices/BW-7741.pdf").read_bytes()
    (Path(home.rows.workspace) / "BW-7741.pdf").write_bytes(document)
    seen = home.office.page(home.rows.workspace, "BW-7741.pdf", 1)
    assert seen.png.startswith(b"\x89PNG\r\n\x1a\n")
    assert (round(seen.width), round(seen.height), seen.page, seen.pages) == (595, 842, 1, 1)
    assert home.office.page(home.rows.workspace, "BW-7741.pdf", 1) is seen


@pytest.mark.parametrize(
    "data, page, said",
    [
        (b"<Invoice/>", 1, "is no PDF"),
        (b"%PDF-1.7\nnothing of the kind", 1, "It is no PDF, or a broken one"),
        (None, 2, "It has 1 page, so there is no page 2"),
    ],
)
def test_what_gives_no_page_says_why(data: bytes | None, page: int, said: str) -> None:
    document = (SAMPLE / "invoices/BW-7741.pdf").read_bytes() if data is None else data
    with pytest.raises(NoPage, match=said):
        make_page(document, page, "invoices/x.pdf")


def test_a_page_of_a_file_that_is_gone_says_so(home: RowsHome) -> None:
    with pytest.raises(NoPage, match="It is not there any more"):
        home.office.page(home.rows.workspace, "invoices/x.pdf", 1)
    with pytest.raises(NoPage, match="does not lie beneath the workspace"):
        home.office.page(home.rows.workspace, "../x.pdf", 1)


def test_the_maker_of_pictures_is_bounded(tmp_path: Path) -> None:
    for act in (f"open({str(tmp_path / 'x')!r}, 'wb', buffering=0).write(b'y')", "bytearray(2 * m.MEMORY)"):
        code = f"from counterfoil.previews import bounds as m; m.bound(); {act}"
        told = subprocess.run(
            [sys.executable, "-P", "-c", code], capture_output=True, env=calls.environment(), check=False
        )
        assert b"File too large" in told.stderr or b"MemoryError" in told.stderr


# ------------------------------------------------------------------------------------------------------------- folders


def test_a_folder_is_measured_and_not_changed(tmp_path: Path) -> None:
    place = tmp_path / "OneDrive - Larkfield" / "Payables"
    for name, text in {
        "a.xml": '<rsm:CrossIndustryInvoice xmlns:rsm="urn"/>',
        "b.xml": "<note/>",
        "c.pdf": "%PDF-1.7 /F (factur-x.xml)",
        "deep/d.txt": "x" * 1000,
        ".git/config": "x",
        ".env": "SECRET=1",
        "id_rsa": "x",
        "server.key": "x",
    }.items():
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    (place / "out").symlink_to("/etc")
    facts = measure(str(place), Home(tmp_path / "home"))
    assert (facts.files, facts.invoices, facts.synced_by, facts.refused) == (4, 2, "OneDrive", "")
    assert facts.octets == sum((place / name).stat().st_size for name in ("a.xml", "b.xml", "c.pdf", "deep/d.txt"))
    assert sorted(facts.left_out) == [".env", ".git", "1 link", "2 key files"]
    assert facts.allowed == ("created", "renamed", "removed")
    assert facts.unreadable == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read_is_listed(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x/locked.txt").write_text("x")
    (tmp_path / "x/locked.txt").chmod(0)
    facts = measure(str(tmp_path / "x"), Home(tmp_path / "home"))
    assert facts.unreadable == ("locked.txt",)


def test_folders_that_are_no_place_for_work_are_refused(tmp_path: Path) -> None:
    home = Home(tmp_path / "data" / "home").create()
    (tmp_path / "file").write_text("x")
    (home.root / "demo/2026-11-30-1").mkdir(parents=True)
    for place, said in (
        (home.root, "own data folder"),
        (home.blobs, "own data folder"),
        (tmp_path / "data", "holds Counterfoil's own data"),
        (tmp_path / "file", "is a file"),
        (tmp_path / "nowhere", "There is no folder"),
        (Path("/"), "own data" if tmp_path.is_relative_to("/") else "whole disk"),
    ):
        assert said in measure(str(place), home).refused, place
    assert measure(str(home.root / "demo/2026-11-30-1"), home).refused == ""


# ----------------------------------------------------------------------------------------------------------- templates


def test_the_gallery_tells_yours_from_bundled_and_what_is_broken(home: RowsHome) -> None:
    workspace = Path(home.rows.workspace)
    write_template(workspace)
    broken = write_template(home.rows.home.root).rename(home.rows.home.root / ".counterfoil/templates/odd")
    home.rows.home.templates.mkdir()
    (home.rows.home.templates / "odd").symlink_to(broken)
    (broken / "template.toml").write_text("tittle = 1")
    home.rows.run()
    cards = {card.name: card for card in home.office.templates(str(workspace))}
    sections = {name: card.section for name, card in cards.items()}
    own = {"pay-invoices": "used", "note": "yours", "odd": "yours"}
    assert sections == {**dict.fromkeys(sections, "bundled"), **own}
    assert cards["pay-invoices"].last_used is not None
    assert cards["note"].outcome == "A note in a file"
    assert cards["note"].chips == ("No llm needed", "Writes files", "Asks you once")
    assert "tittle" in cards["odd"].trouble


def test_every_effect_of_a_manifest_has_words() -> None:
    assert {name for name, _ in (*_CHANGES, *_SENDS, *_BESIDES)} == set(EFFECTS)


def test_a_form_comes_from_a_host_once_and_is_checked_while_typing(home: RowsHome) -> None:
    workspace = Path(home.rows.workspace)
    folder = str(write_template(workspace))
    settings = workspace / ".counterfoil/workspace.toml"
    settings.write_text('[remember.note]\ntext = "hello"\ncopies = 3\n')
    seen = home.office.template(folder, str(workspace))
    assert [field["name"] for field in seen.fields] == ["text", "copies", "limit", "end"]
    told = protection.told(home.rows.home)
    assert told is not None
    assert (seen.remembered, seen.isolation) == ({"text": "hello"}, told.mark)
    assert seen.raising.startswith(told.why)
    assert seen.card.section == "yours"
    assert dict(seen.will)["May send"] == "Nothing"
    assert home.office.check_parameters(folder, str(workspace), {"text": "x", "copies": "2"}) == {}
    problems = home.office.check_parameters(folder, str(workspace), {"copies": "two", "limit": "1.000,00 EUR"})
    assert set(problems) == {"text", "copies", "limit"}
    assert problems["text"] == "This is needed."


def test_the_command_lines_refusals_are_ours_again(home: RowsHome, tmp_path: Path) -> None:
    with pytest.raises(WrongUse, match="no template"):
        calls.call(home.rows.home, "run", "nothing-like-it", "--workspace", home.rows.workspace)
    folder = write_template(Path(home.rows.workspace))
    with pytest.raises(WrongParameter, match="Text"):
        home.office.start_run(str(folder), home.rows.workspace, {})
    assert type(calls.refused({"code": "disk_full", "message": "Full.", "next": None})) is DiskFull
    assert type(calls.refused({"code": "of tomorrow", "message": "X.", "next": "Y."})) is CounterfoilError
    with pytest.raises(calls.CallFailed, match="did not answer"):
        calls.call(home.rows.home, "template", "list", patience=0.01)


# ---------------------------------------------------------------------------------------------------------- the runner


def begun() -> subprocess.Popen[bytes]:
    """A process of this program's name that has begun: for a moment of its start the system does not know its command."""
    code = "import sys; print(flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", code, "counterfoil"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"\n"
    return process


def test_a_process_that_began_after_its_lease_is_a_stranger() -> None:
    with begun() as process:
        now = SystemClock().now_us()  # a lease is taken by a process that has begun, however long that took
        assert processes.is_ours(process.pid, now)
        assert not processes.is_ours(process.pid, now - 3_600_000_000)
    assert not processes.is_ours(process.pid, now)
    assert not processes.is_ours(0, now)


def test_states_of_the_runner_line(tmp_path: Path) -> None:
    made = RowsHome(tmp_path)
    rows = made.rows
    office = RealOffice(rows.home)  # this one goes by the real clock
    with begun() as process:
        database = office._rooms._access.database
        database.transact(lambda txn: leases.take(txn, "a", process.pid, previous_is_dead=True))
        assert office.runner().state is RunnerState.RUNNING
        assert office.runner().pid == process.pid
        assert processes.children(os.getpid()).count(process.pid) == 1
        process.kill()
        process.wait()
        assert office.runner().state is RunnerState.SILENT
        database.transact(lambda txn: leases.release(txn, "a"))
        assert office.runner().state is RunnerState.OFF
    mark = rows.home.run / "window-start.json"
    mark.write_text(json.dumps({"pid": os.getpid(), "at": office._clock.now_us()}))
    assert office.runner().state is RunnerState.STARTING
    mark.write_text(json.dumps({"pid": 2**22 + 1, "at": office._clock.now_us()}))
    rows.home.logs.joinpath("runner.log").write_text("counterfoil: there is no ink.\n")
    assert office.runner().trouble == "It ended right after its start: there is no ink."
    office.close()
    made.close()


def test_how_long_a_decision_can_be_taken_back(tmp_path: Path) -> None:
    assert undo_seconds(tmp_path) == 5
    (tmp_path / "settings.toml").write_text("[window]\nundo_seconds = 12\n")
    assert undo_seconds(tmp_path) == 12
    for wrong in ("[window]\nundo_seconds = -1", "[window]\nundo_seconds = true", "window = 3", "[window"):
        (tmp_path / "settings.toml").write_text(wrong)
        with pytest.raises(WrongUse):
            undo_seconds(tmp_path)


# ---------------------------------------------------------------------------------------------------------------- gates


def test_earlier_answers_to_the_same_question_are_told(home: RowsHome) -> None:
    rows = home.rows
    first, second = rows.run(), rows.run()
    refused = home.ask(first["run_id"], 0, payment_spec())
    decide(rows.database, rows.blobs, refused["gate_id"], Wish(Verdict.REJECTED, "user:ben", "wrong period"))
    gate = home.ask(second["run_id"], 0, payment_spec())
    (told,) = home.office.gate(gate["gate_id"]).prior
    assert told.startswith("Ben rejected this")
    assert told.endswith(": ‘wrong period’. That was run 1.")


def test_a_question_whose_rules_want_somebody_unknown_is_the_owners(home: RowsHome) -> None:
    run = home.rows.run()
    wants = {"needs": 1, "from": ["user:zoe"], "not": []}
    seen = home.office.gate(home.ask(run["run_id"], 0, {**payment_spec(), "who": wants})["gate_id"])
    assert seen.me == owner(home.rows.home)
    assert (seen.may_decide, seen.why_not) == (True, "")
    assert "its rules want Zoe, and nobody called so has ever signed in or decided anything here." in seen.why_owner
    assert aside_glance.principals(home.office._glance) == asides.principals(home.rows.database.reader)


def test_a_newer_round_leads_on(home: RowsHome) -> None:
    rows = home.rows
    run = rows.run()
    first = home.ask(run["run_id"], 0, payment_spec())
    decide(rows.database, rows.blobs, first["gate_id"], Wish(Verdict.RETURNED, "user:ben", "hold row 1"))
    assert home.office.gate(first["gate_id"]).successor is None
    second = home.ask(run["run_id"], 3, payment_spec(), nth=2)
    assert home.office.gate(first["gate_id"]).successor == second["gate_id"]
    seen = home.office.gate(second["gate_id"])
    assert len(seen.prior) == 1
    assert seen.prior[0].startswith("Ben sent this back")


def test_a_story_has_at_most_seven_lines_and_names_restarts(home: RowsHome) -> None:
    rows = home.rows
    run = rows.run()
    for ordinal in range(12):
        rows.record(run["run_id"], ordinal, "read_invoices", summary=f"part {ordinal}")
    rows.note("claim", run["run_id"], {"reason": "runner or host had ended", "from_step": 13})
    gate = home.ask(run["run_id"], 12, payment_spec())
    seen = home.office.gate(gate["gate_id"])
    assert len(seen.story) == 7
    assert seen.story[0].endswith("Started by Anna")
    assert seen.story[1] == "… 9 more …"
    assert seen.story[-2].endswith("Restarted; 12 steps were kept")
    assert seen.story[-1] == "Including 1 restart; nothing was done twice."
    assert seen.step == 13


# ------------------------------------------------------------------------------------------------------ one step's value


def test_what_is_kept_of_a_step_is_read_by_pages_and_names_secrets(home: RowsHome) -> None:
    run_id = home.rows.run()["run_id"]
    home.rows.failed_attempt(run_id, 0, "read", "the disk\nis full")
    home.rows.record(run_id, 0, "read", {"key": Secret("smtp"), "rows": list(range(4_500)), "long": "x" * 900_000})
    home.rows.intent(run_id, 1, "mail@1", DoubtPolicy.ASK)
    office = RealOffice(home.rows.home, clock=home.rows.clock)
    first = office.step_kept(run_id, "", 0, 1)
    assert (first.page, first.pages, first.given) == (1, 3, "")
    assert '"key": "●● smtp"' in first.value
    assert first.value.count("\n") == 1_999
    (said,) = first.tries
    assert said.startswith("Try 1, ")
    assert said.endswith(": the disk is full")
    last = office.step_kept(run_id, "", 0, 99)
    assert last.page == 3
    assert "4499" in last.value
    shown = "\n".join(office.step_kept(run_id, "", 0, page).value for page in (1, 2, 3))
    told = json.loads(shown)
    assert told["rows"] == list(range(4_500))
    assert "The first 200,000 of about 900,000 signs." in told["long"]
    begun = office.step_kept(run_id, "", 1, 1)
    assert (json.loads(begun.given)["kind"], begun.value) == ("mail@1", "")
    nothing = office.step_kept(run_id, "", 7, 1)
    assert (nothing.given, nothing.value, nothing.tries, nothing.pages) == ("", "", (), 1)
    with pytest.raises(UnknownRun):
        office.step_kept("f" * 32, "", 0, 1)
    office.close()
