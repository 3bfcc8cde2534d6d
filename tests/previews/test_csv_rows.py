"""Rows go to the end of a file in its own dialect, and every byte that was there stays."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.previews.csv_rows import Unfit, appended

COLUMNS = ["run", "name", "amount"]
ROW = ["r-1", "Müller, Söhne", '12 "net"']


@pytest.mark.parametrize(
    "existing, line",
    [
        (b"run,name,amount\na,b,c\n", 'r-1,"Müller, Söhne","12 ""net"""\n'),
        (b"run;name;amount\r\na;b;c\r\n", 'r-1;Müller, Söhne;"12 ""net"""\r\n'),
        (b"run\tname\tamount\n", 'r-1\tMüller, Söhne\t"12 ""net"""\n'),
        (b"run|name|amount\ra|b|c\r", 'r-1|Müller, Söhne|"12 ""net"""\r'),
        (b"run;name;amount\r\na;b;c", '\r\nr-1;Müller, Söhne;"12 ""net"""\r\n'),
        (b"run,name,amount", '\nr-1,"Müller, Söhne","12 ""net"""\n'),
        (b'"run","name","amount"\r\n', 'r-1,"Müller, Söhne","12 ""net"""\r\n'),
        (b"\xef\xbb\xbfrun;name;amount\r\n", 'r-1;Müller, Söhne;"12 ""net"""\r\n'),
        (b"run,name,amount\n\na,b,c\n\n", 'r-1,"Müller, Söhne","12 ""net"""\n'),
        (b'run,name,amount\na,"line\r\nline",c\n', 'r-1,"Müller, Söhne","12 ""net"""\n'),
    ],
)
def test_dialect_of_the_file_is_kept(existing: bytes, line: str) -> None:
    assert appended(existing, COLUMNS, [ROW]) == existing + line.encode()


@pytest.mark.parametrize("existing", [None, b""])
def test_new_file_begins_with_its_header(existing: bytes | None) -> None:
    assert appended(existing, COLUMNS, [["1", "", " x"]]) == b'run,name,amount\n1,," x"\n'
    assert appended(existing, COLUMNS, []) == b"run,name,amount\n"


def test_mark_of_an_empty_file_is_kept() -> None:
    assert appended(b"\xef\xbb\xbf", ["a"], [["1"]]) == b"\xef\xbb\xbfa\n1\n"


def test_no_rows_change_nothing() -> None:
    assert appended(b"run,name,amount", COLUMNS, []) == b"run,name,amount"


@pytest.mark.parametrize(
    "existing, words",
    [
        (b"run,amount,name\n", "begins with “run,amount,name”, not with the columns run, name, amount"),
        (b"run,name,amount,more\n", "begins with"),
        (b"\nrun,name,amount\n", "begins with"),
        (b'run,name,amount\na,"b,c\n', "ends within a quoted cell"),
        ("run,name,amount\n".encode("utf-16"), "UTF-8"),
        (b"run,name,amount\nM\xfcller,b,c\n", "UTF-8"),
        (b'"' + b"x" * 200_000, "begins with"),
    ],
)
def test_files_that_do_not_fit_are_refused(existing: bytes, words: str) -> None:
    with pytest.raises(Unfit, match=words):
        appended(existing, COLUMNS, [ROW])


def test_plain_rows_fit_beside_an_old_encoding() -> None:
    existing = b"run;name;amount\r\na;M\xfcller;c\r\n"
    assert appended(existing, COLUMNS, [["b", "Smith", "1"]]) == existing + b"b;Smith;1\r\n"


CELL = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)


@given(
    rows=st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=4),
    more=st.lists(st.lists(CELL, min_size=2, max_size=2), max_size=4),
    delimiter=st.sampled_from(",;\t|"),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_what_was_appended_reads_back(
    rows: list[list[str]], more: list[list[str]], delimiter: str, ending: str
) -> None:
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=delimiter, lineterminator=ending, quoting=csv.QUOTE_ALL).writerows([["a", "b"], *rows])
    existing = out.getvalue().encode()
    content = appended(existing, ["a", "b"], more)
    assert content.startswith(existing)
    again = appended(content, ["a", "b"], rows).decode()
    read = list(csv.reader(io.StringIO(again, newline=""), delimiter=delimiter))
    assert read == [["a", "b"], *rows, *more, *rows]


@given(cells=st.lists(CELL, min_size=1, max_size=3))
def test_one_column_reads_back(cells: list[str]) -> None:
    content = appended(None, ["a"], [[cell] for cell in cells]).decode()
    assert list(csv.reader(io.StringIO(content, newline=""))) == [["a"], *[[cell] for cell in cells]]
