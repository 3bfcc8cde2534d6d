"""Tools over files: every answer is a page at most, edits are exact, and nothing leaves the folder."""

from pathlib import Path

import pytest

from counterfoil import FileRefused, files
from counterfoil.authoring.agents.file_tools import (
    edit_file,
    list_files,
    move_file,
    read_file,
    remove_file,
    search_files,
    write_file,
)
from counterfoil.authoring.agents.paging import PAGE, Refused


def test_a_long_file_comes_in_pages_and_says_how_to_go_on(folder: Path) -> None:
    (folder / "long.txt").write_text("".join(f"line {n}\n" for n in range(1, 1001)))
    first = read_file("long.txt", lines=10)
    assert first.splitlines()[0] == "[“long.txt”, lines 1 to 10 of 1000; go on with line 11]"
    assert first.splitlines()[-1] == "line 10"
    assert read_file("long.txt", 991).splitlines()[0] == "[“long.txt”, lines 991 to 1000 of 1000]"
    with pytest.raises(Refused, match="lines 1 to 1000"):
        read_file("long.txt", 1001)


def test_no_answer_is_longer_than_a_page(folder: Path) -> None:
    (folder / "wide.txt").write_text("x" * 3_000_000 + "\n" + "y\n" * 50_000)
    assert len(read_file("wide.txt", lines=50_000)) < PAGE + 3000
    assert len(search_files("y")) < PAGE + 3000


def test_what_is_left_out_of_a_list_is_told(folder: Path) -> None:
    (folder / "a.txt").write_text("12345")
    (folder / "sub").mkdir()
    (folder / "sub" / "b.txt").write_text("1")
    (folder / ".hidden").write_text("1")
    assert list_files().splitlines()[1:] == ["a.txt  5", ".hidden  (hidden file)", "sub/  (folder)"]
    assert "sub/b.txt  1" in list_files(deep=True)


def test_search_finds_whatever_the_case_and_names_file_and_line(folder: Path) -> None:
    (folder / "a.csv").write_text("one\nRechnung 12\n")
    (folder / "b.txt").write_text("rechnung 13\n")
    (folder / "c.bin").write_bytes(b"\x00\x01Rechnung")
    found = search_files("RECHNUNG")
    assert "a.csv:2: Rechnung 12" in found
    assert "b.txt:1: rechnung 13" in found
    assert "1 files that are no text" in found
    assert "b.txt" not in search_files("rechnung", names="*.CSV")
    assert search_files("nowhere").startswith("“nowhere” was not found")


def test_an_edit_is_exact_and_of_one_place(folder: Path) -> None:
    (folder / "a.txt").write_text("one\ntwo\none\n")
    with pytest.raises(Refused, match=r"2 times \(lines 1, 3\)"):
        edit_file("a.txt", "one", "eins")
    with pytest.raises(Refused, match="does not hold that text"):
        edit_file("a.txt", "three", "drei")
    edit_file("a.txt", "two\none", "zwei\neins")
    assert files().read("a.txt") == b"one\nzwei\neins\n"
    edit_file("a.txt", "e", "E", everywhere=True)
    assert files().read("a.txt") == b"onE\nzwEi\nEins\n"
    assert (folder / "a.txt").read_text() == "one\ntwo\none\n"  # the copy was changed, not what lay there


@pytest.mark.parametrize(
    "before, after",
    [
        (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nC\r\n"),
        (b"\xef\xbb\xbfa\nb\nc\n", b"\xef\xbb\xbfa\nB\nC\n"),
        ("ä\nb\nc\n".encode("cp1252"), "ä\nB\nC\n".encode("cp1252")),
        ("a\nb\nc\n".encode("utf-16"), "a\nB\nC\n".encode("utf-16")),
    ],
)
def test_an_edit_keeps_line_ends_and_encoding(folder: Path, before: bytes, after: bytes) -> None:
    (folder / "a.txt").write_bytes(before)
    edit_file("a.txt", "b\nc\n", "B\nC\n")
    assert files().read("a.txt") == after


def test_a_letter_that_the_encoding_lacks_is_refused(folder: Path) -> None:
    (folder / "a.txt").write_bytes("ä".encode("cp1252"))
    with pytest.raises(Refused, match="cp1252, which has no “Ω”"):
        edit_file("a.txt", "ä", "Ω")


def test_files_are_written_moved_and_removed_in_the_copy(folder: Path) -> None:
    write_file("new/a.txt", "one\ntwo\n")
    move_file("new/a.txt", "new/b.txt")
    assert files().read("new/b.txt") == b"one\ntwo\n"
    remove_file("new/b.txt")
    assert not files().exists("new/b.txt")
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("path", ["../secret", "/etc/passwd", "a/../../b"])
def test_nothing_leads_out_of_the_folder(folder: Path, path: str) -> None:
    for act in (read_file, remove_file, lambda path: write_file(path, "x"), lambda path: edit_file(path, "a", "b")):
        with pytest.raises(FileRefused, match="beneath the workspace"):
            act(path)


def test_documents_and_sheets_are_sent_to_their_tools(folder: Path) -> None:
    with pytest.raises(Refused, match="read_cells"):
        read_file("a.xlsx")
    with pytest.raises(Refused, match="read_document"):
        read_file("a.PDF")
    (folder / "b.bin").write_bytes(b"\x00\x01\x02")
    with pytest.raises(Refused, match="no text file"):
        read_file("b.bin")
