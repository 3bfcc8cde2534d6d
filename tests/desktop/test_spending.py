"""The gate “Spending limit” in the window: what was spent, answers called for what they do, and each of them carried out."""

from collections.abc import Generator
from datetime import timedelta
from pathlib import Path

import pytest
from PySide6.QtWidgets import QAbstractButton, QApplication

from counterfoil import Conversation, LimitReached, Params, Said, ToolCall, ToolOffer, ToolResult, llm, workflow
from counterfoil.desktop.gate.session import READY, Session
from counterfoil.desktop.parts.form import FieldEditor
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.desktop.runs.list_view import Role, RunsAdapter
from counterfoil.facts import RunState
from counterfoil.store import llm_budgets
from counterfoil.store.llm_money import UNIT
from counterfoil.testing import Harness
from desktop import composed_gates
from desktop.conftest import Desk
from desktop.test_changed_files import reading_of

SCRIPT_COSTS = UNIT // 1000  # an answer of a script


class Nothing(Params):
    pass


@workflow("asks three times")
async def asks_three_times(p: Nothing) -> str:
    said: list[str] = []
    try:
        for n in range(3):
            said += [await llm(f"{n}?", name="ask")]
    except LimitReached:
        return f"{len(said)} of 3"
    return " ".join(said)


@workflow("goes round")
async def goes_round(p: Nothing) -> str:
    talk = Conversation(system="", tools=[ToolOffer("look", "", {"type": "object", "properties": {}})])
    answer = await talk.say(Said("Look."))
    while answer.calls:
        answer = await talk.say(*(ToolResult(call.id, call.tool, "nothing") for call in answer.calls))
    return answer.text


@pytest.fixture
def spent(tmp_path: Path) -> Generator[Harness]:
    """A run whose third question is over its limit."""
    (tmp_path / "files").mkdir()
    made = Harness(tmp_path / "files", home=tmp_path / "home", llms=["a", "b", "c"])
    limit = 2 * SCRIPT_COSTS
    made.database.transact(lambda txn: llm_budgets.put(txn, llm_budgets.RUN, llm_budgets.EVERY, limit, None, "test"))
    made.start(asks_three_times)
    assert made.advance() == RunState.WAITING
    yield made
    made.close()


def test_the_list_of_runs_says_what_a_run_has_cost_and_nothing_of_one_without_llms(
    spent: Harness, qapp: QApplication
) -> None:
    dear = spent.run_id

    @workflow("asks nobody")
    async def asks_nobody(p: Nothing) -> str:
        return "done"

    spent.start(asks_nobody)
    assert spent.advance() == RunState.DONE
    office = RealOffice(spent.home, clock=spent.clock)
    rows = office.runs(None).rows
    office.close()
    assert {row.run_id: row.cost for row in rows} == {spent.run_id: "", dear: "$0.002"}
    adapter = RunsAdapter()
    adapter.show_rows(rows, spent.clock.now_us())
    feet = [str(adapter.data(adapter.index(at), Role.FOOT)) for at in range(2)]
    assert [foot.endswith(" · $0.002 so far") for foot in feet] == [False, True]
    assert "$" not in feet[0]


def decide(harness: Harness, session: Session) -> RunState:
    """Give the answer as the window does, and let the run go on."""
    office = RealOffice(harness.home, clock=harness.clock)
    office.decide(session.answer())
    office.close()
    harness.tick(timedelta(seconds=6))
    return harness.advance()


def test_it_says_what_was_spent_and_its_answers_say_what_they_do(spent: Harness, qapp: QApplication) -> None:
    reading = reading_of(spent)
    assert reading.title == "$0.0020 of $0.0020 spent for this run. The next call may cost up to $0.0010."
    assert reading.consequences[1] == "If you choose ‘Allow $0.0010 once’: this one call is made; the limit stays."
    assert not any("raise_once" in sentence for sentence in reading.consequences)
    choice, amount = reading.form
    assert (choice["name"], amount["label"]) == ("choice", "New limit, in US dollars")
    editor = FieldEditor(choice, called=reading.choices_called)
    buttons = [button.text() for button in editor.findChildren(QAbstractButton)]
    assert buttons == ["Allow $0.0010 once", "Raise the limit", "Finish here", "Stop this run"]
    editor.deleteLater()


@pytest.mark.parametrize(
    "choice, button, state, result",
    [
        ("raise_once", "Allow $0.0010 once", RunState.DONE, "a b c"),
        ("finish", "Finish here", RunState.DONE, "2 of 3"),
        ("stop", "Stop this run", RunState.FAILED, None),
    ],
)
def test_each_answer_is_carried_out(
    spent: Harness, choice: str, button: str, state: RunState, result: str | None
) -> None:
    session = Session(reading_of(spent), 0)
    assert session.primary().words == "Fill in 1 field first"
    session.fill("choice", choice)
    primary = session.primary()
    assert (primary.words, primary.state) == (button, READY)
    assert decide(spent, session) == state
    if result is not None:
        assert spent.result() == result


def test_the_limit_is_raised_to_what_was_filled_in(spent: Harness) -> None:
    session = Session(reading_of(spent), 0)
    session.fill("choice", "raise")
    session.fill("most", "0.05")
    assert session.primary().words == "Raise the limit"
    assert decide(spent, session) == RunState.DONE
    row = llm_budgets.get(spent.database.reader, llm_budgets.RUN, spent.run_id)
    assert row is not None
    assert row["most"] == UNIT // 20


def test_an_llm_that_goes_round_in_circles_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    harness = Harness(
        tmp_path / "files", home=tmp_path / "home", llms=[*[ToolCall("", "look", {})] * 3, "Nothing there."]
    )
    harness.start(goes_round)
    assert harness.advance() == RunState.WAITING
    reading = reading_of(harness)
    assert reading.title == "The llm asks for “look” with the same arguments for the third time. Go on?"
    assert reading.consequences[1].startswith("If you choose ‘Go on’: ")
    session = Session(reading, 0)
    session.fill("choice", "go_on")
    assert session.primary().words == "Go on"
    assert decide(harness, session) == RunState.DONE
    assert harness.result() == "Nothing there."
    harness.close()


def test_a_new_limit_is_asked_for_where_the_limit_is_raised(desk: Desk) -> None:
    document, more = composed_gates.gates()[0]
    desk.office.add(document, **more)
    desk.look()
    inbox = desk.window.pages["inbox"]
    inbox.go_to_gate(document["gate_id"])
    desk.settle()
    choice, most = inbox.detail.page.form
    buttons = {button.text(): button for button in choice.findChildren(QAbstractButton)}
    seen = [most.isVisible()]
    for words in ("Raise the limit", "Finish here"):
        desk.click(buttons[words])
        seen.append(most.isVisible())
    assert seen == [False, True, False]
