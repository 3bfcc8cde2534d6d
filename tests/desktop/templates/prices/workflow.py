"""Prices that change in a table: before and after, row by row, with what changes a lot marked; also text, bytes, rows and moves."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from decimal import ROUND_HALF_UP, Decimal

from counterfoil import (
    Field,
    Params,
    append_rows,
    approve,
    files,
    move_files,
    param,
    report,
    step,
    table,
    workflow,
    write_file,
)

CENT = Decimal("0.01")


class PriceList(Params):
    season: str = param(label="Season", default="Q1 2027")
    percent: Decimal = param(label="Rise in per cent", default=Decimal("3.5"))
    hours: int = param(label="Hours until it is too late", default=0)


@step(title="Read the price list")
def read_prices() -> list[dict[str, str]]:
    """The rows as they are now."""
    rows = list(csv.DictReader(io.StringIO(files().read("prices.csv").decode("utf-8"))))
    report(f"{len(rows)} prices")
    return rows


@step(title="Work out the new prices")
def new_prices(rows: list[dict[str, str]], percent: Decimal) -> list[dict[str, str]]:
    """The rows as they will be; every ninth rises by four times as much, because its supplier asks for it."""
    made = []
    for at, row in enumerate(rows, 1):
        rise = percent * (4 if at % 9 == 0 else 1 if at % 2 else 0)
        price = (Decimal(row["price"]) * (1 + rise / 100)).quantize(CENT, ROUND_HALF_UP)
        made.append({**row, "price": str(price)})
    report(f"{sum(old != new for old, new in zip(rows, made, strict=True))} prices change")
    return made


@step(title="Write the files")
def as_files(rows: list[dict[str, str]]) -> tuple[str, str, bytes]:
    """The table, a letter, and bytes that nobody can read."""
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=["article", "name", "price", "currency"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    letter = "Dear customer,\n\nour prices change on 1 January. The list is attached.\n\nKind regards\nLarkfield Trading GmbH\n"
    return out.getvalue(), letter, bytes(range(256)) * 8


@workflow("prices")
async def price_list(p: PriceList) -> dict[str, str]:
    old = await read_prices()
    new = await new_prices(old, p.percent)
    sheet, letter, label = await as_files(new)
    changed = [(before, after) for before, after in zip(old, new, strict=True) if before != after]
    steep = [
        at
        for at, (before, after) in enumerate(changed)
        if Decimal(after["price"]) > Decimal(before["price"]) * Decimal("1.1")
    ]
    rows = [
        {"article": after["article"], "name": after["name"], "before": before["price"], "now": after["price"]}
        for before, after in changed
    ]
    decision = await approve(
        f"Update {len(changed)} prices for {p.season}",
        plan=[
            write_file("prices.csv", sheet),
            write_file("letters/price-change.txt", letter),
            write_file("labels/label.bin", label),
            append_rows("log.csv", [{"season": p.season, "prices": len(changed)}], columns=["season", "prices"]),
            move_files([("drafts/price-change.docx", "archive/price-change.docx")]),
        ],
        evidence=[table(rows, title="Prices", flagged=steep)],
        flags=[f"{len(steep)} prices rise by more than 10%."],
        fields=[Field(name="note", type="text", label="Note for the log", help="Kept beside the row in log.csv.")],
        figures={"Prices": len(changed), "Steepest rise": "14 %"},
        expires_after=timedelta(hours=p.hours) if p.hours else None,
    )
    await decision.perform()
    return {"summary": f"prices.csv is written: {len(changed)} prices."}
