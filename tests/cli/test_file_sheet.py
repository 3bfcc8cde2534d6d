"""Files of a plan before and after, in a terminal and as evidence of the kind diff."""

import base64
import hashlib
from pathlib import Path

from cli.speaking import Caller
from counterfoil.facts import RunState
from counterfoil.policy.boundaries import visible
from previews.books import xlsx
from views.rows import Office, item, spec

DIFF = "n op path target before after moves names kind words note tables lines pages".split()
LEDGER = b"id;name;amount\n1;Halden;100.00\n2;Okafor;250.00\n"
BOOK = xlsx({"Q4": [["supplier", "amount"], ["Halden", 100], ["Total", ("SUM(B2)", 100)]]})
BOOK_AFTER = xlsx({"Q4": [["supplier", "amount"], ["Halden", 900], ["Total", ("SUM(B2)", 900)]]})


def sha(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def waiting(office: Office) -> None:
    """A run at a gate that writes a text, a table and a spreadsheet, adds rows, and moves two files."""
    folder = Path(office.workspace)
    for path, data in {"prices.csv": LEDGER, "ledger.csv": LEDGER, "q4.xlsx": BOOK}.items():
        (folder / path).write_bytes(data)

    def write(n: int, path: str, data: bytes, base: bytes | None = None) -> dict[str, object]:
        args = {"path": path, "data": {"$bytes": base64.b64encode(data).decode()}}
        facts = {"base": {path: None if base is None else sha(base)}, "after_digest": sha(data)}
        return item(n, "write_file@1", args, summary=f"Write {visible(path)}", target=visible(path), **facts)

    rows = LEDGER + b"3;Quinta;75.50\n"
    appended = {"path": "ledger.csv", "columns": ["id", "name", "amount"], "rows": [["3", "Quinta", "75.50"]]}
    plan = [
        write(1, "note\u202etxt.md", "one\ntwo\u200b\n".encode()),
        write(2, "prices.csv", LEDGER.replace(b"250.00", b"999.00") + b"4;New;1.00\n", LEDGER),
        write(3, "q4.xlsx", BOOK_AFTER, BOOK),
        item(4, "append_rows@1", appended, base={"ledger.csv": sha(LEDGER)}, after_digest=sha(rows), bytes=len(rows)),
        item(5, "move_files@1", {"moves": [["in/a.xml", "archive/a.xml"], ["in/b.xml", "archive/b.xml"]]}),
    ]
    run = office.run()
    office.gate(run["run_id"], 0, spec(plan=plan))
    office.claim(run["run_id"])
    office.move(run["run_id"], RunState.WAITING)


def test_differences_are_evidence(call: Caller, office: Office) -> None:
    waiting(office)
    evidence = call("show", "g-1", "--json").document["evidence"]
    diffs = [entry for entry in evidence if entry["kind"] == "diff"]
    assert [entry["title"] for entry in diffs] == [
        "note\\u202etxt.md", "prices.csv", "q4.xlsx", "ledger.csv", "Move 2 files to archive/"
    ]  # fmt: skip
    assert all(list(entry["data"]) == DIFF and entry["source"] is None for entry in diffs)
    text, table, book, ledger, moves = (entry["data"] for entry in diffs)
    assert text["lines"] == [["+", None, 1, "one", []], ["+", None, 2, "two\\u200b", []]]
    assert (text["before"], text["after"]["bytes"]) == (None, 11)
    assert table["tables"][0]["changed"] == [{"at": "row 3", "column": "amount", "before": "250.00", "after": "999.00"}]
    assert table["tables"][0]["added"] == [[4, ["4", "New", "1.00"]]]
    assert [(cell["at"], cell["after"]) for cell in book["tables"][0]["changed"]] == [
        ("B2", "900"),
        ("B3", "900 (=SUM(B2))"),
    ]
    assert (ledger["op"], ledger["tables"][0]["added"]) == ("append", [[4, ["3", "Quinta", "75.50"]]])
    assert moves["moves"] == [["in/a.xml", "archive/a.xml"], ["in/b.xml", "archive/b.xml"]]
    assert "\u202e" not in call("show", "g-1", "--json").out


def test_a_person_reads_them_in_a_terminal(call: Caller, office: Office) -> None:
    waiting(office)
    page = call("show", "g-1").out
    lines = [line.strip() for line in page.splitlines()]
    assert "~ row 3, amount: 250.00 → 999.00" in lines
    assert "+ 4  4 | New | 1.00" in lines
    assert "~ B2: 100 → 900" in lines
    assert "+ 2  two\\u200b" in lines
    assert "in/b.xml → archive/b.xml" in lines
    assert "q4.xlsx" in page
    assert "2 cells changed." in page
    assert "\u202e" not in page


def test_many_lines_are_folded_and_the_command_for_all_of_them_is_named(call: Caller, office: Office) -> None:
    data = "".join(f"line {n}\n" for n in range(50)).encode()
    args = {"path": "long.txt", "data": {"$bytes": base64.b64encode(data).decode()}}
    run = office.run()
    office.gate(run["run_id"], 0, spec(plan=[item(1, "write_file@1", args, base={"long.txt": None})]))
    page = call("show", "g-1").out
    assert "… 38 more lines" in page
    assert "All of it: counterfoil show g-1 --all" in page
    assert "line 49" in call("show", "g-1", "--all").out


def test_a_file_that_changed_since_is_told(call: Caller, office: Office) -> None:
    waiting(office)
    (Path(office.workspace) / "prices.csv").write_text("somebody's")
    assert "! This file is not what it was when this was asked." in call("show", "g-1").out
