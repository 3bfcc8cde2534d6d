"""What is proposed for which files, and that nothing of it can go wrong when only a part of it is approved."""

from __future__ import annotations

import itertools
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templates.pay_invoices.cii_papers import cii_xml
from templates.pay_invoices.compose_sample import MERIDIAN
from templates.tidy_folder import made_files as made
from tidy_folder.looking import Looked, look_at
from tidy_folder.names import key_of
from tidy_folder.proposals import MOST_CHANGES, PUT_ASIDE, Group, Names, Proposal, Wishes, propose
from tidy_folder.walking import LINK, OBEYED, Alone

BOTH = Wishes("", "quarantine", Names.BOTH, put_duplicates_aside=True)
DAY = date(2024, 3, 15)


def look(path: str, data: bytes, changed: date = DAY, *, root: str = "") -> Looked:
    """One file, looked at."""
    when = datetime(changed.year, changed.month, changed.day, 9, tzinfo=UTC)
    return look_at(path, data, len(data), when, root=root, shared=True)


def proposed(*seen: Looked, wishes: Wishes = BOTH, alone: list[Alone] | None = None, **more: list[str]) -> Proposal:
    """What is proposed for these files."""
    return propose(
        seen, alone or [], more.get("folders", [""]), more.get("put_aside", []), wishes, more.get("held", [])
    )


def moves(found: Proposal) -> dict[str, str]:
    return {change.path: change.target for change in found.changes}


def groups(found: Proposal) -> dict[str, Group]:
    return {change.path: change.group for change in found.changes}


def test_days_and_suppliers_with_their_sources() -> None:
    found = proposed(
        look("rechnung.xml", cii_xml(MERIDIAN)),
        look("brief.eml", made.mail("Stadtwerke Köln <a@b.example>", date(2024, 2, 1), "x")),
        look("IMG_1.jpg", made.jpeg("x", date(2023, 7, 8))),
        look("scan 20230102.png", made.png("x")),
        look("Telekom/2024/bill.docx", made.office("word", "x", date(2022, 5, 6))),
        look("photo.png", made.png("y")),
        look("notes.txt", b"some notes\nand more\n"),
        look("2021-01-01 done.pdf", made.pdf("done")),
    )
    assert {change.path: (change.target, change.why) for change in found.changes} == {
        "rechnung.xml": (
            "2026-11-16 Meridian Energy GmbH rechnung.xml",
            "day from its invoice data (CII); supplier from its invoice data (CII)",
        ),
        "brief.eml": (
            "2024-02-01 Stadtwerke Köln brief.eml",
            "day from the mail's Date; supplier from the mail's From",
        ),
        "IMG_1.jpg": ("2023-07-08 IMG_1.jpg", "day from the picture's own data"),
        "scan 20230102.png": ("2023-01-02 scan.png", "day from the file's name"),
        "Telekom/2024/bill.docx": (
            "Telekom/2024/2022-05-06 Telekom bill.docx",
            "day from its properties; supplier from the folder's name",
        ),
        "photo.png": ("2024-03-15 photo.png", "day from the file's time, since nothing else tells one"),
    }
    assert (found.files, found.fine) == (8, 2)


def test_names_without_suppliers_and_no_new_names_at_all() -> None:
    seen = [look("brief.eml", made.mail("ACME <a@b.example>", DAY, "x")), look("x.jpg", made.png("x"))]
    day = proposed(*seen, wishes=Wishes("", "q", Names.DAY, put_duplicates_aside=True))
    assert moves(day) == {"brief.eml": "2024-03-15 brief.eml", "x.jpg": "2024-03-15 x.png"}
    keep = proposed(*seen, wishes=Wishes("", "q", Names.KEEP, put_duplicates_aside=True))
    assert moves(keep) == {"x.jpg": "x.png"}


def test_of_copies_the_oldest_is_kept_then_the_shallow_then_the_short() -> None:
    data = made.png("same")
    older, later = date(2020, 1, 1), date(2021, 1, 1)
    found = proposed(
        look("a/b/copy.png", data, older),
        look("a/longer name.png", data, older),
        look("a/name.png", data, older),
        look("b.png", data, later),
        look("other.png", made.png("another")),
    )
    assert {twin.kept for twin in found.twins} == {"a/name.png"}
    aside = {path: target for path, target in moves(found).items() if target.startswith("quarantine/")}
    assert aside == {
        "a/b/copy.png": "quarantine/a/b/copy.png",
        "a/longer name.png": "quarantine/a/longer name.png",
        "b.png": "quarantine/b.png",
    }
    left = proposed(
        look("a.png", data), look("b.png", data), wishes=Wishes("", "q", Names.KEEP, put_duplicates_aside=False)
    )
    assert (left.changes, len(left.twins)) == ([], 1)


def test_wrong_endings_are_put_right_and_disguises_put_aside() -> None:
    found = proposed(
        look("a.jpg", made.png("a")),
        look("export.xls", made.XLS_EXPORT),
        look("scan", made.pdf("b")),
        look("README", b"read me\nplease\n"),
        look("page.xls", b"<html><table></table></html>"),
        look("bill.pdf", made.program("c")),
        look("form.docx", made.office("word", "d", macros=True)),
        look("setup.bin", made.program("e")),
        look("run", made.program("f")),
        wishes=Wishes("", "aside", Names.KEEP, put_duplicates_aside=True),
    )
    assert {path: (group, moves(found)[path]) for path, group in groups(found).items()} == {
        "a.jpg": (Group.ENDING, "a.png"),
        "export.xls": (Group.ENDING, "export.csv"),
        "scan": (Group.ENDING, "scan.pdf"),
        "page.xls": (Group.ENDING, "page.html"),
        "bill.pdf": (Group.DISGUISED, "aside/bill.pdf"),
        "form.docx": (Group.DISGUISED, "aside/form.docx"),
    }
    assert {other.path: other.why for other in found.alone} == {"setup.bin": "Program", "run": "Program"}
    assert [change.n for change in found.changes] == [1, 2, 3, 4, 5, 6]
    assert [change.group for change in found.changes[:2]] == [Group.DISGUISED] * 2, "what needs a look stands first"


def test_files_that_go_together_stay_together() -> None:
    found = proposed(
        look("IMG 1.jpg", made.jpeg("x", DAY)),
        look("IMG 1.xmp", b"<?xml version='1.0'?><x/>"),
        look("IMG 1.dat", b"\0\1\2"),
        look("IMG 2.jpg", made.jpeg("y", DAY)),
        alone=[Alone("IMG 2.js", OBEYED)],
    )
    assert moves(found) == {f"IMG 1.{ending}": f"2024-03-15 IMG 1.{ending}" for ending in ("dat", "jpg", "xmp")}
    assert [(other.path, other.why) for other in found.alone] == [
        ("IMG 2.js", OBEYED),
        ("IMG 2.jpg", "Goes with a file that is left alone"),
    ]


def test_names_that_are_taken_get_numbers() -> None:
    found = proposed(
        look("a 2024-03-15.png", made.png("1")),
        look("a 15.03.2024.png", made.png("2")),
        look("A.png", made.png("3")),
        alone=[Alone("2024-03-15 A (2).PNG", LINK)],
    )
    assert moves(found) == {
        "A.png": "2024-03-15 A.png",
        "a 15.03.2024.png": "2024-03-15 a (3).png",
        "a 2024-03-15.png": "2024-03-15 a (4).png",
    }
    assert groups(found)["a 15.03.2024.png"] is Group.COLLISION
    again = proposed(look("x.pdf", made.program("x")), put_aside=["quarantine/x.pdf"])
    assert moves(again) == {"x.pdf": "quarantine/x (2).pdf"}


def test_twins_in_capitals_alone() -> None:
    wishes = Wishes("", "q", Names.KEEP, put_duplicates_aside=True)
    found = proposed(
        look("Case.pdf", made.pdf("1")), look("case.pdf", made.pdf("2")), look("CASE.pdf", made.pdf("3")), wishes=wishes
    )
    assert moves(found) == {"Case.pdf": "Case (2).pdf", "case.pdf": "case (3).pdf"}


def test_what_is_too_long_or_empty_or_unknown_is_left_alone() -> None:
    found = proposed(
        look(f"{'x' * 230}.png", made.png("x")), look("empty.pdf", b""), look("odd.dat", b"\0\1\2"), look("e.png", b"")
    )
    assert found.changes == []
    assert {other.why for other in found.alone} == {"Its new name would be too long", "Empty", "Its kind is not known"}
    assert (found.files, found.fine, len(found.alone)) == (4, 0, 4)


def test_held_files_are_told_and_not_changed() -> None:
    seen = [look("a.png", made.png("a")), look("b.png", made.png("b")), look("c.png", made.png("c"))]
    found = proposed(*seen, held=["b.png"])
    assert [(change.n, change.path) for change in found.changes] == [(1, "a.png"), (2, "c.png")]
    assert [(change.n, change.path) for change in found.held] == [(3, "b.png")]


def test_more_than_one_run_proposes() -> None:
    seen = [look(f"{n}.png", made.png(str(n))) for n in range(MOST_CHANGES + 7)]
    found = proposed(*seen)
    assert (len(found.changes), found.more, found.fine) == (MOST_CHANGES, 7, 0)


NAMES = st.sampled_from(
    ["a", "A", "b", "2024-03-15 a", "2024-03-15 A (2)", "a 2024-03-15", "e\u0301", "é", "x\u202ey", "q uarantine"]
)
FILES = st.tuples(
    st.sampled_from(["", "sub/", "SUB/", "quarantined/"]),
    NAMES,
    st.sampled_from(["png", "jpg", "pdf", "PDF", "xmp", "dat", "", "eml", "exe"]),
    st.sampled_from([0, 1, 2, 3, 4, 5]),
)
CONTENTS = (
    made.png("1"),
    made.png("2"),
    made.pdf("3", DAY),
    made.program("4"),
    b"\0\1\2",
    made.mail("A <a@b.example>", DAY, "x"),
)


@given(st.lists(FILES, max_size=12, unique_by=lambda file: file[:3]), st.sampled_from(list(Names)), st.booleans())
def test_any_part_of_a_proposal_can_be_done_and_a_second_look_finds_nothing(
    files: list[tuple[str, str, str, int]], names: Names, aside: bool
) -> None:
    wishes = Wishes("", "quarantine", names, put_duplicates_aside=aside)
    there = {f"{folder}{stem}{'.' if ending else ''}{ending}": CONTENTS[at] for folder, stem, ending, at in files}
    found = proposed(*(look(path, data) for path, data in there.items()), wishes=wishes)
    assert found.files == len(there) == len(found.changes) + found.fine + len(found.alone)
    targets = [change.target for change in found.changes]
    assert len(set(targets)) == len(targets)
    assert not set(targets) & set(there), "every new name is free, whatever else is done"
    changed = {change.path for change in found.changes}
    assert len(changed) == len(found.changes)
    keys = [key_of(path) for path in (*targets, *(path for path in there if path not in changed))]
    twins = [path for path in there if path not in changed]
    alone = {other.path for other in found.alone}
    crowded = {key for key in keys if keys.count(key) > 1}
    assert all(any(path in alone for path in twins if key_of(path) == key) for key in crowded)
    after = {
        dict(zip(changed_pairs(found), targets, strict=True)).get(path, path): data for path, data in there.items()
    }
    kept = {path: data for path, data in after.items() if not path.startswith("quarantine/")}
    aside_now = [path for path in after if path.startswith("quarantine/")]
    again = proposed(*(look(path, data) for path, data in kept.items()), wishes=wishes, put_aside=aside_now)
    assert moves(again) == {}


def changed_pairs(found: Proposal) -> list[str]:
    return [change.path for change in found.changes]


def test_groups_that_put_aside_are_told_apart() -> None:
    assert set(PUT_ASIDE) == {Group.DISGUISED, Group.DUPLICATE}
    assert len(set(itertools.chain(Group))) == 7


@pytest.mark.parametrize(
    "folder, supplier",
    [
        ("Telekom", "Telekom"),
        ("Telekom/2024", "Telekom"),
        ("Rechnungen/2024-11", ""),
        ("Kunden/Müller & Söhne/Rechnungen", "Müller & Söhne"),
        ("2024 November", ""),
        ("Telekom/B", "Telekom"),
    ],
)
def test_which_folder_names_a_supplier(folder: str, supplier: str) -> None:
    assert look(f"root/{folder}/a.pdf", made.pdf("a"), root="root").supplier == supplier
    assert look("Telekom/a.png", made.png("a")).supplier == "", "pictures are from nobody"
