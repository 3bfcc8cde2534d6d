"""Runs, templates and trail entries of the fake office."""

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.clock import iso
from counterfoil.desktop import office as facts
from counterfoil.desktop.template_facts import TemplateCard, TemplateSeen
from counterfoil.previews.grids import Line, TableChange
from counterfoil.previews.preview import FileSeen, Preview
from counterfoil.previews.texts import compare
from desktop import figures
from desktop.figures import HOUR, ME, MINUTE, NOW, WORKSPACE

SECOND = 1_000_000


def _row(number: int, title: str, template: str, state: str, words: str, tone: str, **more: Any) -> facts.RunRow:
    return facts.RunRow(
        run_id=f"{number:032x}",
        number=number,
        title=title,
        template=template,
        workspace=WORKSPACE,
        state=state,
        words=words,
        tone=tone,
        started_by=more.get("by", ME),
        created_at=more.get("at", NOW - HOUR),
        started_at=more.get("at", NOW - HOUR),
        ended_at=more.get("ended"),
        care=more.get("care", ""),
    )


def rows() -> tuple[facts.RunRow, ...]:
    """One of each state."""
    return (
        _row(
            12,
            "Supplier payments, week 48",
            "Supplier payments",
            "waiting",
            "Waiting for you",
            "warn",
            at=NOW - 14 * MINUTE,
        ),
        _row(
            11, "Credit note Arden & Hale", "Credit notes", "waiting", "Waiting for you", "warn", at=NOW - 54 * MINUTE
        ),
        _row(
            10,
            "Update Q4 price list",
            "Price maintenance",
            "running",
            "Running: compare prices",
            "info",
            at=NOW - 2 * MINUTE,
        ),
        _row(
            9,
            "Statements, November",
            "Statements of account",
            "waiting",
            "Waiting for you",
            "warn",
            at=NOW - 27 * HOUR,
            by="schedule:Monthly statements",
        ),
        _row(
            8,
            "Month-end close, Northwind Ltd",
            "Month-end close",
            "waiting",
            "Waiting for you",
            "warn",
            at=NOW - 3 * HOUR,
        ),
        _row(
            5,
            "Supplier payments, week 47",
            "Supplier payments",
            "done",
            "Done",
            "ok",
            at=NOW - 170 * HOUR,
            ended=NOW - 167 * HOUR,
        ),
        _row(
            4,
            "Supplier payments, week 47 again",
            "Supplier payments",
            "done",
            "Done, nothing new (14 of 14 exported in run 5)",
            "quiet",
            at=NOW - 166 * HOUR,
            ended=NOW - 166 * HOUR + 2 * SECOND,
        ),
        _row(
            3,
            "Rename scans",
            "Rename files",
            "cancelled",
            "Cancelled, 1 thing not undone",
            "warn",
            at=NOW - 200 * HOUR,
            ended=NOW - 199 * HOUR,
            care="1 mail was sent and could not be taken back",
        ),
        _row(
            2,
            "Reminder letters",
            "Reminders",
            "failed",
            "Stopped: the template could not be read",
            "bad",
            at=NOW - 300 * HOUR,
            ended=NOW - 300 * HOUR + MINUTE,
        ),
    )


def _step(ordinal: int, name: str, kind: str, state: str, seconds: float, **more: Any) -> dict[str, Any]:
    begun = NOW - 14 * MINUTE + ordinal * 3 * SECOND
    return {
        "path": more.get("path", ""),
        "name": name,
        "ordinal": ordinal,
        "kind": kind,
        "state": state,
        "attempts": more.get("attempts", 0),
        "started_at": iso(begun),
        "ended_at": iso(begun + int(seconds * SECOND)) if state in ("done", "failed") else None,
        "key": more.get("key"),
        "summary": more.get("summary"),
        "cost": None,
    }


def steps() -> list[dict[str, Any]]:
    """A run with parallel work, a restart, a wait and effects."""
    return [
        _step(0, "list_files", "step", "done", 0.1, summary="17 files in invoices/"),
        _step(1, "parallel", "step", "done", 1.6, summary="3 at once"),
        *[
            _step(0, "read_invoices", "step", "done", 1.2, path=f"1/{branch}", summary=f"{6 - branch % 2} files read")
            for branch in range(3)
        ],
        _step(2, "run_checks", "step", "done", 0.8, summary="112 checks made, 2 did not pass"),
        _step(3, "claimed_elsewhere", "step", "done", 0.1, summary="None of these is in another run"),
        _step(4, "ask", "gate", "done", 131, summary="You held 2 invoices"),
        _step(5, "payment_xml", "step", "done", 0.3, summary="12 payments, €41,208.90"),
        _step(6, "approve", "gate", "waiting", 0, summary="Write payment file for 12 invoices"),
    ]


def run_seen(run_id: str) -> facts.RunSeen:
    """Any run in full."""
    number = int(run_id, 16)
    row = next((one for one in rows() if one.number == number), rows()[0])
    done = row.state == "done"
    listed = steps()
    if done:
        listed[-1] = _step(6, "approve", "gate", "done", 7_800, summary="You approved 3 files, 12 moves")
        listed += [
            _step(
                7,
                "write_file@1",
                "effect",
                "done",
                0.1,
                key="k-3f9a",
                summary="Write payments/payments.xml",
                attempts=1,
            ),
            _step(
                8, "append_rows@1", "effect", "done", 0.1, key="k-41b0", summary="Add 12 rows to ledger.csv", attempts=1
            ),
            _step(
                9,
                "move_files@1",
                "effect",
                "done",
                0.2,
                key="k-77c2",
                summary="Move 12 files to archive/2026-11/",
                attempts=2,
            ),
        ]
    document = {
        "run_id": run_id,
        "number": number,
        "template": "pay-invoices",
        "version": "5b" * 32,
        "workspace": WORKSPACE,
        "title": row.title,
        "state": row.state,
        "wait": {"kind": "gate", "on": f"{82:032x}", "until": None} if row.state == "waiting" else None,
        "created_at": iso(row.created_at),
        "started_at": iso(row.started_at),
        "ended_at": iso(row.ended_at),
        "started_by": row.started_by,
        "parameters": {
            "folder": "invoices",
            "debtor_iban": "DE75512108001245126199",
            "debtor_name": "Larkfield Trading GmbH",
        },
        "gates": [figures.batch()] if row.state == "waiting" else [],
        "result": {"payments": 12, "total": figures.TOTAL, "file": "payments/payments.xml", "held": 2}
        if done
        else None,
        "error": {
            "kind": "stopped",
            "message": "the template could not be read",
            "step": None,
            "next": "Start it anew.",
        }
        if row.state == "failed"
        else None,
        "cost": None,
        "isolation": "L0",
        "steps": listed,
        "effects": [],
        "checkpoint": checkpoint(),
        "files": [],
    }
    files = tuple(facts.FileRef(f"{81:032x}", n, file_seen(n).path, "applied") for n in (1, 2, 3, 4)) if done else ()
    trail = trail_page("", None).entries[:6]
    return facts.RunSeen(document, row.template, row.words, row.tone, files, trail, isolation="L3", may_undo=done)


def checkpoint() -> dict[str, Any]:
    """The four answers."""
    return {
        "where": {
            "file": "/data/anna/.local/share/counterfoil/counterfoil.db",
            "row": 48_211,
            "committed_at": iso(NOW),
            "durability": "fsync",
            "bytes": 1_300_000,
        },
        "middle": {
            "step": "write payments.xml",
            "policy": "reconcile",
            "would": "“write payments.xml” would be looked up first: the file is compared by its seal.",
        },
        "paid": {"calls": 0, "answered_from_records": 0, "saved": None, "perhaps_billed": 0},
        "resumptions": [
            {
                "at": iso(NOW - 13 * MINUTE),
                "reason": "the runner ended",
                "from_step": "run_checks",
                "reran": ["run_checks"],
                "compensated": [],
                "doubts": [],
            }
        ],
    }


_LEDGER = "supplier,invoice,amount,state\nHalden Paper AS,INV-20377,5480.00,exported\n"


def file_seen(n: int) -> FileSeen:
    """The files of the batch gate, before and after."""
    if n == 1:
        text = '<?xml version="1.0" encoding="UTF-8"?>\n<Document>\n  <CstmrCdtTrfInitn>\n    <CtrlSum>41208.90</CtrlSum>\n'
        return FileSeen(
            "payments/payments.xml",
            "write",
            n=1,
            preview=Preview("text", "A new text of 4 lines.", lines=tuple(compare(None, text))),
            after=text,
            bytes_after=18_240,
            sha_after="d" * 64,
            note="A new file, pain.001.001.09, valid against its schema. It is not sent to a bank.",
        )
    if n == 2:
        rows = [(s, i, f"€{float(m):,.2f}", "exported") for s, i, _, _, m, _ in figures.PAYMENTS]
        after = _LEDGER + "Meridian Energy GmbH,ME-55210-C,7616.00,exported\n"
        return _table_seen(
            2, "ledger.csv", ("supplier", "invoice", "amount", "state"), rows, _LEDGER, after, 8_100, 9_310
        )
    if n == 3:
        columns = ("supplier", "account")
        vendors = [("Studio Wójcik sp. z o.o.", "PL61 1090 1014 0000 0712 1981 2874")]
        before = "supplier,iban\n"
        after = f"{before}Studio Wójcik sp. z o.o.,PL61109010140000071219812874\n"
        return _table_seen(3, "vendors.csv", columns, vendors, before, after, 1_360, 1_420)
    return FileSeen(
        "invoices/",
        "move",
        n=n,
        target="archive/2026-11/",
        moves=tuple((source, target) for source, target in figures.MOVES),
    )


def _table_seen(
    n: int,
    path: str,
    columns: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
    before: str,
    after: str,
    was: int,
    now: int,
) -> FileSeen:
    """Rows at the end of a table."""
    added = tuple(Line(at, row) for at, row in enumerate(rows, 2))
    change = TableChange("", "", columns, added=added)
    return FileSeen(
        path,
        "append",
        n=n,
        preview=Preview("rows", f"{len(rows)} rows added.", tables=(change,)),
        before=before,
        after=after,
        bytes_before=was,
        bytes_after=now,
        sha_before="a" * 64,
        sha_after="b" * 64,
    )


CARDS = (
    TemplateCard(
        "/t/pay-invoices",
        "pay-invoices",
        "Supplier payments",
        "A checked payment file from a folder of invoices",
        "used",
        ("No llm needed", "Writes files", "Asks you twice"),
        last_used=NOW - 170 * HOUR,
    ),
    TemplateCard(
        "/t/reminders",
        "reminders",
        "Reminders",
        "Letters for what is overdue, ready to send",
        "bundled",
        ("No llm needed", "Sends mail", "Asks you once"),
    ),
    TemplateCard(
        "/t/rename",
        "rename-files",
        "Rename files",
        "Scans named by what is in them",
        "bundled",
        ("Needs an llm", "Writes files"),
    ),
    TemplateCard(
        "/y/close",
        "month-end",
        "Month-end close",
        "Bank lines matched with receipts",
        "yours",
        ("No llm needed",),
        trouble="template.toml line 4: unknown key ‘tittle’. Did you mean ‘title’?",
    ),
)


def template_seen(path: str) -> TemplateSeen:
    """The page of pay-invoices."""
    card = next((one for one in CARDS if one.path == path), CARDS[0])
    fields = (
        figures.field(
            "folder",
            type="folder",
            label="Folder with invoices",
            help="Everything in it is read by content, never by name.",
            required=True,
        ),
        figures.field("debtor_name", label="Your name on the account", required=True, remember=True),
        figures.field(
            "debtor_iban",
            label="Pay from account",
            required=True,
            remember=True,
            help="The account the bank takes the money from.",
        ),
        figures.field(
            "pay_on", type="date", label="Pay on", help="Without a date each invoice's own due date is used."
        ),
    )
    will = (
        ("Reads", "Every file in the folder you choose"),
        ("May write", "payments/, ledger.csv, vendors.csv, archive/"),
        ("May send", "Nothing"),
        ("Asks you", "About exceptions, and before anything is written"),
        ("Needs", "No llm, no account, no network"),
    )
    remembered = {"debtor_name": "Larkfield Trading GmbH", "debtor_iban": "DE75512108001245126199"}
    words = "Reads e-invoices, checks their arithmetic and accounts, and makes one payment file for your bank's portal."
    return TemplateSeen(card, words, fields, remembered, will, "L0")


def check(values: Mapping[str, Any]) -> dict[str, str]:
    """Checks while typing."""
    found = {}
    if str(values.get("debtor_iban", "")).replace(" ", "") not in ("", "DE75512108001245126199"):
        found["debtor_iban"] = "This IBAN has a wrong check digit: one character is mistyped."
    if not values.get("folder"):
        found["folder"] = "Choose the folder that holds the invoices."
    return found


def trail_page(query: str, before: int | None) -> facts.TrailPage:
    """A page of entries."""
    said = (
        (
            "decision",
            ME,
            "Held 2 invoices in ‘Decide about 2 invoices before the payment file is made’, seal 9f1c 07aa",
        ),
        ("gate", "runner", "Asked: Write payment file for 12 invoices"),
        ("claim", "runner", "Carried on run 12 from step ‘run checks’"),
        ("run_started", ME, "Started “Supplier payments, week 48” as run 12"),
        ("effect", "runner", "Wrote payments/payments.xml for run 5, seal 3f9a 2c71"),
        ("decision", "user:ben", "Approved ‘Write payment file for 14 invoices’, seal 3f9a 2c71"),
    )
    entries = [
        {
            "seq": 12_480 - at,
            "at": iso(NOW - at * 11 * MINUTE),
            "by": said[at % len(said)][1],
            "kind": said[at % len(said)][0],
            "subject": f"{12:032x}",
            "summary": said[at % len(said)][2],
            "before": None,
            "after": {"run": 12},
            "prev_hash": f"{at + 1:064x}",
            "hash": f"{at:064x}",
        }
        for at in range(40)
    ]
    kept = [entry for entry in entries if query.casefold() in str(entry["summary"]).casefold()]
    return facts.TrailPage(tuple(kept), more=before is None and not query, total=12_480)
