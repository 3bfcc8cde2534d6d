"""What was answered before, in few words."""

import json
from typing import Any, cast

import pytest

from counterfoil.store.gate_glance import GateGlance
from counterfoil.views.prior import prior


class Answered:
    """A look at a data folder in which one answer was given before."""

    def __init__(self, answers: dict[str, Any]) -> None:
        self._made = {"verdict": "answered", "kind": "question", "answers": json.dumps(answers)}

    def earlier_rounds(self, gate: object) -> list[dict[str, str]]:
        return [self._made]

    def elsewhere(self, run: object, gate: object) -> list[dict[str, str]]:
        return []


@pytest.mark.parametrize(
    "answers, words",
    [
        ({"choice.1": "hold", "choice.2": "hold", "choice.3": "hold"}, "hold 3 times"),
        (
            {"choice.1": "pay", "reason.1": "Seen", "choice.2": "hold", "choice.3": "hold"},
            "include, Seen, hold 2 times",
        ),
        ({"a": "1", "b": "2", "c": "3", "d": "4", "e": "4"}, "1, 2, 3 and 1 more"),
        ({"a": "", "b": False, "c": True}, "yes"),
    ],
)
def test_the_same_answer_is_counted(answers: dict[str, Any], words: str) -> None:
    ((_, said),) = prior(cast("GateGlance", Answered(answers)), {}, {})
    assert said == words
