"""Supplier payments, killed at every named point: one payment file, the same to the byte, whatever was killed."""

import pytest

from kill.jobs import Job
from kill.points import POINTS, killed_after_each_decision, killed_at_every_visit
from kill.tally import Tally


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_every_visit(main_job: Job, tally: Tally, point: str) -> None:
    killed_at_every_visit(main_job, point, tally)


def test_the_undisturbed_end(main_job: Job) -> None:
    expected = main_job.expected
    assert expected is not None
    assert [name for name in expected.files if name.startswith("payments/")] == ["payments/r-1.xml"]
    assert len([name for name in expected.files if name.startswith("archive/")]) == 11
    assert b"<NbOfTxs>11</NbOfTxs>" in expected.files["payments/r-1.xml"]


def test_whoever_decides_is_killed_after_each_decision(main_job: Job, tally: Tally) -> None:
    assert killed_after_each_decision(main_job, tally) == 3
