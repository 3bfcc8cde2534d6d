"""What a person is shown before anything happens, and how the effects of one plan go together."""

import asyncio
import hashlib
import os
from pathlib import Path

import pytest

from counterfoil.authoring.effect_values import (
    Effect,
    append_rows,
    delete_files,
    http,
    mail,
    make_folders,
    move_files,
    secret,
    write_file,
)
from counterfoil.effects.beneath import Beneath
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import ROOT, Conflict, EffectTrouble, PlanEntry
from counterfoil.facts import DoubtPolicy, FailureClass, Risk


def root_of(folder: Path) -> str | None:
    """What a seal names the folder."""
    with Beneath(str(folder)) as ground:
        return ground.identity


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.fixture
def filled(workspace: Path) -> Path:
    """A workspace with a ledger and three invoices."""
    (workspace / "ledger.csv").write_bytes(b"run;name\r\n1;a\r\n")
    (workspace / "in").mkdir()
    for name in "abc":
        (workspace / f"in/{name}.xml").write_bytes(name.encode() * 2000)
    return workspace


LEDGER = append_rows("ledger.csv", [{"run": "2", "name": "b"}], columns=["run", "name"])
TO_ARCHIVE = move_files([(f"in/{name}.xml", f"archive/{name}.xml") for name in "abc"])


@pytest.mark.parametrize(
    "effect, summary, risk",
    [
        (write_file("payments/r-12.xml", "x" * 3400), "Write payments/r-12.xml (3.4 kB, new)", Risk.NORMAL),
        (write_file("ledger.csv", "x"), "Write ledger.csv (1 byte, replaces 15 bytes)", Risk.NORMAL),
        (
            write_file("ledger.csv", "run;name\r\n1;a\r\n"),
            "Write ledger.csv (15 bytes, already as it shall be)",
            Risk.NORMAL,
        ),
        (write_file("run.sh", "x"), "Write run.sh (1 byte, new)", Risk.RUNS_LATER),
        (LEDGER, "Append 1 row to ledger.csv", Risk.NORMAL),
        (append_rows("new.csv", [], columns=["a"]), "Append 0 rows to new.csv (new file)", Risk.NORMAL),
        (TO_ARCHIVE, "Move 3 files to archive/", Risk.NORMAL),
        (move_files([("in/a.xml", "a.xml")]), "Move in/a.xml to a.xml", Risk.NORMAL),
        (move_files([("in/a.xml", "x/a"), ("in/b.xml", "y/b")]), "Move 2 files to 2 folders", Risk.NORMAL),
        (move_files([("in/a.xml", "x/a"), ("in/b.xml", "x/b.sh")]), "Move 2 files to x/", Risk.RUNS_LATER),
        (mail("a@b.example", "Reminder", "x"), "Send a mail to a@b.example: Reminder", Risk.SENDS),
        (
            mail(["a@b.example", "c@d.example"], "R\u202e", "x", cc=["e@f.example"]),
            "Send a mail to a@b.example and 2 others: R\\u202e",
            Risk.SENDS,
        ),
        (
            http("POST", "https://api.example/v1?t=1", json={"a": 1}),
            "Send 7 bytes to api.example/v1 (POST)",
            Risk.SENDS,
        ),
        (http("DELETE", "https://api.example/v1/3"), "Delete api.example/v1/3 (DELETE)", Risk.SENDS),
        (
            http("GET", "https://api.example/v1", headers={"X-Key": secret("bank")}),
            "Read api.example/v1 (GET), with the secret bank",
            Risk.NORMAL,
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_summary_is_plain_words(
    catalogue: EffectCatalogue, filled: Path, effect: Effect, summary: str, risk: Risk
) -> None:
    catalogue.check(effect.body)
    entry = catalogue.prepare(effect.body, str(filled))
    assert (entry.summary, entry.risk, entry.effect) == (summary, risk, effect.kind)


def test_entry_is_bound_to_the_files_as_they_are(catalogue: EffectCatalogue, filled: Path) -> None:
    before = sha(b"run;name\r\n1;a\r\n")
    after = sha(b"run;name\r\n1;a\r\n2;b\r\n")
    root = root_of(filled)
    assert catalogue.prepare(LEDGER.body, str(filled)) == PlanEntry(
        effect="append_rows@1",
        summary="Append 1 row to ledger.csv",
        target="ledger.csv",
        risk=Risk.NORMAL,
        before_digest=before,
        after_digest=after,
        bytes=20,
        base={"ledger.csv": before, ROOT: root},
    )
    moves = catalogue.prepare(TO_ARCHIVE.body, str(filled))
    assert moves.base == {
        "in/a.xml": sha(b"a" * 2000),
        "in/b.xml": sha(b"b" * 2000),
        "in/c.xml": sha(b"c" * 2000),
        "archive/a.xml": None,
        "archive/b.xml": None,
        "archive/c.xml": None,
        ROOT: root,
    }
    assert (moves.bytes, moves.target, moves.after_digest) == (6000, "archive/", None)
    new = catalogue.prepare(write_file("new/x.txt", "x").body, str(filled))
    assert (new.before_digest, new.after_digest, new.base) == (None, sha(b"x"), {"new/x.txt": None, ROOT: root})


def test_names_that_deceive_are_spelled_out(catalogue: EffectCatalogue, filled: Path) -> None:
    (filled / "in/a\u202efdp.xml").write_bytes(b"x")
    (filled / "in/b\n.xml").write_bytes(b"x")
    (filled / "in/c\udcff.xml").write_bytes(b"x")
    moves = move_files([(f"in/{name}.xml", f"archive/{name}.xml") for name in ("a\u202efdp", "b\n", "c\udcff")])
    catalogue.check(moves.body)
    shown = catalogue.prepare(move_files([("in/b\n.xml", "archive/b\n.xml")]).body, str(filled))
    assert shown.summary == "Move in/b\\u000a.xml to archive/b\\u000a.xml"
    assert catalogue.prepare(moves.body, str(filled)).summary == "Move 3 files to archive/"


def test_files_that_run_later_say_why(catalogue: EffectCatalogue, filled: Path) -> None:
    prepared = catalogue.prepare_plan(
        [
            write_file("a/Makefile", "x").body,
            write_file("notes.txt", "#!/bin/sh\n").body,
            write_file("ledger.csv", b"\x00\x01").body,
            move_files([("in/a.xml", "hooks/a.xml"), ("in/b.xml", ".env")]).body,
            write_file("plain.txt", "x").body,
        ],
        str(filled),
    )
    assert [entry.risk_reason for entry in prepared] == [
        "“a/Makefile” runs later: builds and tests run it.",
        "“notes.txt” runs later: it begins with “#!”, so it runs when it is started.",
        "“ledger.csv” runs later: it was text and becomes something else.",
        (
            "“hooks/a.xml” runs later: it is run by hooks, on the next commit for instance. "
            "“.env” runs later: programs take settings and secrets from it when they start."
        ),
        None,
    ]
    assert [entry.risk is Risk.RUNS_LATER for entry in prepared] == [True] * 4 + [False]


def test_a_file_that_stays_as_it_is_needs_no_word(catalogue: EffectCatalogue, filled: Path) -> None:
    (filled / "Makefile").write_bytes(b"all:\n")
    assert catalogue.prepare(write_file("Makefile", "all:\n").body, str(filled)).risk is Risk.NORMAL


@pytest.mark.parametrize(
    "effect",
    [
        write_file("a/.GIT/hooks/pre-commit", "x"),
        write_file(".counterfoil/workspace.toml", "x"),
        append_rows("b/.bashrc", [], columns=["a"]),
        move_files([(".git/config", "b")]),
        move_files([("in/a.xml", ".ssh/authorized_keys")]),
    ],
    ids=lambda effect: str(effect.args),
)
def test_files_that_are_never_changed_are_refused_with_a_sentence(
    catalogue: EffectCatalogue, filled: Path, effect: Effect
) -> None:
    catalogue.check(effect.body)  # it is an effect, so the author reads a sentence instead of losing the run
    with pytest.raises(EffectTrouble, match="is never changed: ") as refused:
        catalogue.prepare(effect.body, str(filled))
    assert refused.value.failure_class is FailureClass.STRUCTURAL


@pytest.mark.parametrize(
    "effect, words",
    [
        (append_rows("ledger.csv", [], columns=["run", "amount"]), "“ledger.csv” begins with “run;name”, not with"),
        (move_files([("in/z.xml", "archive/z.xml")]), "There is no file “in/z.xml” to move."),
        (move_files([("in/a.xml", "in/b.xml")]), "“in/b.xml” exists already, and moving never overwrites."),
        (write_file("in", "x"), "“in” is a folder, no file."),
        (write_file("ledger.csv/x", "x"), "“ledger.csv” is a link or no folder"),
        (write_file("link.txt", "x"), "“link.txt” is a link, no file."),
        (write_file("out/x.txt", "x"), "“out” is a link or no folder; links are not followed."),
        (move_files([("link.txt", "x")]), "“link.txt” is a link, no file."),
        (write_file("twin.txt", "x"), "“twin.txt” has more than one name"),
        (write_file("pipe", "x"), "“pipe” is a device or a pipe, no file."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_done_is_said_before_anybody_is_asked(
    catalogue: EffectCatalogue, filled: Path, tmp_path: Path, effect: Effect, words: str
) -> None:
    (tmp_path / "outside").mkdir()
    (filled / "link.txt").symlink_to(filled / "ledger.csv")
    (filled / "out").symlink_to(tmp_path / "outside")
    (filled / "one.txt").write_bytes(b"x")
    os.link(filled / "one.txt", filled / "twin.txt")
    os.mkfifo(filled / "pipe")
    catalogue.check(effect.body)
    with pytest.raises(EffectTrouble) as told:
        catalogue.prepare(effect.body, str(filled))
    assert words in str(told.value)
    assert told.value.failure_class is FailureClass.STRUCTURAL


@pytest.mark.parametrize(
    "effect, words",
    [
        (write_file("CON", "x"), "“CON” has the name of a device of Windows; give it another name."),
        (write_file("new/aux.txt", "x"), "“new/aux.txt” has the name of a device"),
        (write_file("nul./x.txt", "x"), "“nul.” has the name of a device"),
        (write_file("a\nb", "x"), "“a\\u000ab” has control characters in its name"),
        (write_file("a.", "x"), "“a.” ends with a dot or a blank"),
        (move_files([("in/a.xml", "in/a .")]), "“in/a .” ends with a dot or a blank"),
        (write_file("LEDGER.csv", "x"), "“LEDGER.csv” has a name that some systems take for “ledger.csv”"),
        (write_file("ledger\u200b.csv", "x"), "has a name that some systems take for “ledger.csv”"),
        (move_files([("in/a.xml", "Ledger.csv")]), "has a name that some systems take for “ledger.csv”"),
        (make_folders(["IN"]), "“IN” has a name that some systems take for “in”"),
        (write_file("IN/c.xml", "x"), "“IN” has a name that some systems take for “in”"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_new_names_that_some_system_takes_for_others_are_refused(
    catalogue: EffectCatalogue, filled: Path, effect: Effect, words: str
) -> None:
    catalogue.check(effect.body)
    with pytest.raises(EffectTrouble) as told:
        catalogue.prepare(effect.body, str(filled))
    assert words in str(told.value)
    assert told.value.failure_class is FailureClass.STRUCTURAL


@pytest.mark.parametrize(
    "plan",
    [
        [move_files([("ledger.csv", "Ledger.csv")])],
        [delete_files(["ledger.csv"]), write_file("LEDGER.CSV", "x")],
        [write_file("odd.", "x")],
        [move_files([("odd.", "even")])],
        [move_files([("odd.", "archive/odd.")])],
        [write_file("é.txt", "x"), write_file("e.txt", "x")],
    ],
)
def test_names_that_leave_and_names_that_are_there_stand_in_nobodys_way(
    catalogue: EffectCatalogue, filled: Path, plan: list[Effect]
) -> None:
    (filled / "odd.").write_bytes(b"an old name of the team's")
    assert len(catalogue.prepare_plan([effect.body for effect in plan], str(filled))) == len(plan)


def test_two_new_names_that_are_one_to_some_system(catalogue: EffectCatalogue, filled: Path) -> None:
    plan = [write_file("new/É.txt", "x"), write_file("new/E\u0301.txt", "x")]
    with pytest.raises(EffectTrouble, match="has a name that some systems take for"):
        catalogue.prepare_plan([effect.body for effect in plan], str(filled))


def test_vanished_workspace_is_named(catalogue: EffectCatalogue, workspace: Path) -> None:
    with pytest.raises(EffectTrouble, match="cannot be opened as a folder: no such file"):
        catalogue.prepare(LEDGER.body, str(workspace / "gone"))


def test_plan_is_shown_as_it_will_be_done(catalogue: EffectCatalogue, filled: Path) -> None:
    """Two appends to one ledger: the second's digests are those after the first, the bases those of the folder."""
    second = append_rows("ledger.csv", [{"run": "3", "name": "c"}], columns=["run", "name"])
    note = mail("a@b.example", "Done", "x")
    shown = catalogue.prepare_plan([LEDGER.body, note.body, second.body, TO_ARCHIVE.body], str(filled))
    one, two = shown[0], shown[2]
    assert [entry.effect for entry in shown] == ["append_rows@1", "mail@1", "append_rows@1", "move_files@1"]
    assert two.before_digest == one.after_digest
    assert two.after_digest == sha(b"run;name\r\n1;a\r\n2;b\r\n3;c\r\n")
    assert one.base == two.base == {"ledger.csv": one.before_digest, ROOT: root_of(filled)}


def test_rows_may_follow_what_an_earlier_item_writes(catalogue: EffectCatalogue, filled: Path) -> None:
    write = write_file("new.csv", "run,name\n")
    rows = append_rows("new.csv", [{"run": "1", "name": "a"}], columns=["run", "name"])
    shown = catalogue.prepare_plan([write.body, rows.body], str(filled))
    assert shown[1].after_digest == sha(b"run,name\n1,a\n")
    assert shown[1].base == {"new.csv": None, ROOT: root_of(filled)}


@pytest.mark.parametrize(
    "plan, words",
    [
        ([write_file("a.txt", "1"), write_file("a.txt", "2")], "Item 2 would overwrite what item 1 writes to “a.txt”"),
        ([LEDGER, write_file("ledger.csv", "x")], "Item 2 would overwrite what item 1 writes to “ledger.csv”"),
        (
            [write_file("in/a.xml", "1"), move_files([("in/a.xml", "b.xml")])],
            "Item 1 writes “in/a.xml”, which item 2 moves; write it where it shall end.",
        ),
        (
            [move_files([("in/a.xml", "b.xml")]), write_file("in/a.xml", "1")],
            "Item 2 writes “in/a.xml”, which item 1 moves; write it where it shall end.",
        ),
        (
            [move_files([("in/a.xml", "b.xml")]), move_files([("b.xml", "c.xml")])],
            "Item 2 moves “b.xml”, which item 1 moves; do that under another gate.",
        ),
        ([move_files([("ledger.csv", "old.csv")]), LEDGER], "Item 2 writes “ledger.csv”, which item 1 moves"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_items_that_do_not_go_together_are_refused(
    catalogue: EffectCatalogue, filled: Path, plan: list[Effect], words: str
) -> None:
    with pytest.raises(EffectTrouble, match=r"Item [12]") as told:
        catalogue.prepare_plan([effect.body for effect in plan], str(filled))
    assert words in str(told.value)
    bases = [dict.fromkeys(("a.txt", "in/a.xml", "b.xml", "c.xml", "old.csv")) for _ in plan]
    for base in bases:
        base[ROOT] = root_of(filled)
        base["ledger.csv"] = sha(b"run;name\r\n1;a\r\n")
        base["in/a.xml"] = sha(b"a" * 2000)
    with pytest.raises(Conflict) as refused:
        catalogue.file_ops([(n + 1, effect.body, bases[n]) for n, effect in enumerate(plan)], str(filled))
    assert words.rstrip(".") in str(refused.value)
    assert str(refused.value).endswith("; nothing was written.")


def test_journal_is_refused_where_a_base_does_not_hold(catalogue: EffectCatalogue, filled: Path) -> None:
    plan = [LEDGER, TO_ARCHIVE, write_file("new.txt", "x")]
    sealed = [
        (n, effect.body, catalogue.prepare(effect.body, str(filled)).base) for n, effect in enumerate(plan, start=1)
    ]
    assert [(op.n, op.op, op.path) for op in catalogue.file_ops(sealed, str(filled))] == [
        (1, "append", "ledger.csv"),
        (2, "move", "in/a.xml"),
        (2, "move", "in/b.xml"),
        (2, "move", "in/c.xml"),
        (3, "write", "new.txt"),
    ]
    (filled / "in/b.xml").write_bytes(b"edited")
    (filled / "new.txt").write_bytes(b"somebody's")
    with pytest.raises(Conflict) as refused:
        catalogue.file_ops(sealed, str(filled))
    assert refused.value.paths == ["in/b.xml", "new.txt"]
    assert str(refused.value) == "in/b.xml and 1 other file changed since they were approved; nothing was written."


def test_base_that_names_too_little_is_refused(catalogue: EffectCatalogue, filled: Path) -> None:
    with pytest.raises(Conflict):
        catalogue.file_ops([(1, LEDGER.body, {})], str(filled))


def test_doubt_policy_of_files_is_to_apply_again(catalogue: EffectCatalogue) -> None:
    assert catalogue.policy(LEDGER.body) is DoubtPolicy.RETRY


def test_files_never_change_outside_of_their_set(catalogue: EffectCatalogue, filled: Path) -> None:
    with pytest.raises(EffectTrouble, match="only as the apply set"):
        asyncio.run(catalogue.perform(LEDGER.body, "key", str(filled)))
    assert (filled / "ledger.csv").read_bytes() == b"run;name\r\n1;a\r\n"
