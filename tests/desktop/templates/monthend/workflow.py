"""A bank statement that is not as it should be: the step that reads it stops, and a person repairs the file or stops the run."""

from __future__ import annotations

import csv
import io
from decimal import Decimal

from counterfoil import File, Params, approve, files, param, report, step, workflow, write_file


class MonthEnd(Params):
    statement: File = param(label="Statement", help="A CSV file from the bank.", default=File("statement-nov.csv"))


@step(title="Look for the statement")
def look(path: str) -> int:
    """How large it is."""
    data = files().read(path)
    report(f"{path}, {len(data):,} bytes")
    return len(data)


@step(title="Read the statement")
def read_statement(path: str) -> Decimal:
    """The sum of its lines."""
    lines = list(csv.DictReader(io.StringIO(files().read(path).decode("utf-8"))))
    if "Amount" not in lines[0]:
        raise ValueError(f"the column ‘Amount’ is missing in {path}; it has {', '.join(lines[0])}")
    report(f"{len(lines)} lines")
    return sum((Decimal(line["Amount"]) for line in lines), Decimal(0))


@workflow("monthend")
async def month_end(p: MonthEnd) -> dict[str, str]:
    await look(p.statement)
    total = await read_statement(p.statement)
    decision = await approve("Close the month", plan=[write_file("closed.txt", f"{total}\n")])
    await decision.perform()
    return {"summary": "closed.txt is written."}
