"""Asking beforehand which effects would ask a person: recorded, judged by the same function, no permission by itself."""

from counterfoil import EffectFailed, workflow, would_ask
from counterfoil.facts import RunState, StepKind
from engine.doing import Nothing, keyed
from engine.power_cut import PowerCut


def test_what_would_ask_is_said_in_order_and_recorded(harness: PowerCut) -> None:
    asked = [keyed("a", may="allow"), keyed("b", may="ask"), keyed("c", may="deny")]

    @workflow("foreseeing")
    async def foreseeing(p: Nothing) -> list[bool]:
        return await would_ask(asked)

    harness.start(foreseeing)
    assert harness.advance() == RunState.DONE
    assert harness.result() == [False, True, False]
    (record,) = harness.records()
    assert (record["kind"], record["name"], record["summary"]) == (StepKind.LOOKUP, "judge", "1 of 3 would ask")
    assert harness.ledger.tries == []


def test_what_was_said_is_answered_from_the_record_and_grants_nothing(harness: PowerCut) -> None:
    @workflow("foreseeing")
    async def foreseeing(p: Nothing) -> str:
        effect = keyed("a", may="deny")
        (asks,) = await would_ask([effect])
        try:
            await effect
        except EffectFailed as problem:
            return f"{asks} {problem}"
        return "done"

    harness.start(foreseeing)
    assert harness.advance() == RunState.DONE
    assert harness.result() == "False keyed@1: so the test says"
    assert harness.ledger.tries == []
