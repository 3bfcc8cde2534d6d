"""Real exports of banks, in eight languages and four encodings: the right sums, or the question that they leave open."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil import Files, Period
from templates.weekly_report.counted import asked, totals
from weekly_report.reading import Count, count_folder

SAMPLES = Path(__file__).resolve().parents[2] / "samples/bank-csv/bank2ynab"


def counted(folder: Path, name: str, period: str, answers: dict[str, str]) -> Count:
    """What one of the files says about a period; `answers` by the kind of the question."""
    (folder / name).write_bytes((SAMPLES / name).read_bytes())
    given: dict[str, str] = {}
    while True:
        found = count_folder(Files(folder), "", Period(period), given, [], lambda _: None)
        new = {one.key: answers[one.kind] for one in found.questions if one.kind in answers and one.key not in given}
        if not new:
            return found
        given |= new


@pytest.mark.parametrize(
    "name, period, answers, expected, rows",
    [
        ("test_headers.csv", "2017-09-18/2017-09-24", {"amount": "Inflow"}, {"EUR": "-1384.54"}, 14),
        ("MS_JANE_SMITH_01-12-2019_14-12-2019.csv", "2019-12-01/2019-12-07", {"direction": "CR takes away"}, {"GBP": "-1020.31"}, 6),
        ("TransactionHistory_20180418043121.csv", "2018-04-16/2018-04-22", {}, {"SGD": "-159.96"}, 6),
        ("W80844_EBH_201945.202122.csv", "2019-04-15/2019-04-21", {"day": "Tranzakció dátuma"}, {"HUF": "940"}, 2),
        ("export_BE11123456789012_20180304_1422.csv", "2018-02-26/2018-03-04", {}, {"EUR": "-3.40"}, 1),
        ("test_BOI_TransactionExport.csv", "2017-09-04/2017-09-10", {"currency": "EUR"}, {"EUR": "-1289.38"}, 6),
        ("Movements_1234512345_201805271848.csv", "2018-05-21/2018-05-27", {}, {"CZK": "-1.00"}, 1),
        ("test_swedebank_statement.xls", "2014-09-29/2014-10-05", {"direction": "D takes away"}, {"LTL": "-220.73"}, 10),
    ],
)  # fmt: skip
def test_the_sum_of_a_week(
    tmp_path: Path, name: str, period: str, answers: dict[str, str], expected: dict[str, str], rows: int
) -> None:
    found = counted(tmp_path, name, period, answers)
    assert asked(found) == []
    assert (totals(found), found.rows) == (expected, rows)
