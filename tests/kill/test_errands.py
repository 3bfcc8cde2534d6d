"""A run with every kind of effect, killed at every named point: each effect happened once, or a person was asked and told the truth."""

import pytest

from kill.jobs import Job
from kill.points import POINTS, killed_after_each_decision, killed_at_every_visit
from kill.tally import Tally


@pytest.mark.parametrize("point", POINTS)
def test_killed_at_every_visit(errands: Job, tally: Tally, point: str) -> None:
    killed_at_every_visit(errands, point, tally)


def test_whoever_decides_is_killed_after_each_decision(errands: Job, tally: Tally) -> None:
    assert killed_after_each_decision(errands, tally) == 6
