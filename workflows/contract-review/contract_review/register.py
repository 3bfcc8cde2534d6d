"""The register of contracts: a CSV in the workspace, a row for each review."""

from __future__ import annotations

import csv
import io

from contract_review.judging import Review
from pay_invoices.ledgers import safe_cell

REGISTER, FINDINGS = "contracts.csv", "contract-findings.csv"
COLUMNS = (
    "run", "contract", "sha256", "parties", "starts", "ends", "notice", "notice_by", "renewal", "law",
    "must_change", "look_at_it", "not_found",
)  # fmt: skip
FINDING_COLUMNS = ("run", "contract", "point", "weight", "says", "place", "quote")


def reviewed_before(data: bytes) -> list[str]:
    """SHA-256 of the contracts that have a row."""
    text = data.decode("utf-8-sig", "replace")
    return [row["sha256"] for row in csv.DictReader(io.StringIO(text, newline="")) if row.get("sha256")]


def row_of(one: Review, run: str) -> dict[str, str]:
    """The row of a contract."""
    weights = [finding.weight for finding in one.findings]
    row = {
        "run": run,
        "contract": one.contract.path,
        "sha256": one.contract.sha256,
        "parties": "; ".join(fact.value for fact in one.facts if fact.name == "party"),
        **{name: one.fact(name) for name in ("starts", "ends", "notice", "renewal", "law")},
        "notice_by": one.notice_by.isoformat() if one.notice_by else "",
        "must_change": str(weights.count("must change")),
        "look_at_it": str(weights.count("look at it")),
        "not_found": "; ".join(one.missing),
    }
    return _safe(row)


def finding_rows(one: Review, run: str) -> list[dict[str, str]]:
    """A row for each finding."""
    return [
        _safe(
            {
                "run": run,
                "contract": one.contract.path,
                "point": finding.point,
                "weight": finding.weight,
                "says": finding.says,
                "place": finding.place,
                "quote": finding.quote,
            }
        )
        for finding in one.findings
    ]


def _safe(row: dict[str, str]) -> dict[str, str]:
    """Words of a contract may be a formula; no spreadsheet takes these for one."""
    return {name: safe_cell(text) for name, text in row.items()}
