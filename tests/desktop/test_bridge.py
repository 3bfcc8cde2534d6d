"""Between the window and its office: answers come back on this thread, late ones are dropped, trouble is told, nothing waits."""

import threading
from collections.abc import Generator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from counterfoil.desktop import bridge as bridge_room
from counterfoil.desktop.bridge import Bridge, Latest, ThreadBridge, Trouble
from counterfoil.desktop.office import Changes, Counts, Office, Part
from counterfoil.errors import StoreTrouble
from desktop.fake_bridge import FakeBridge
from desktop.fake_office import FakeOffice

PATIENCE = 60_000  # milliseconds; only a loaded machine needs more than a few


@pytest.fixture
def bridge(qtbot: QtBot) -> Generator[ThreadBridge]:
    made = ThreadBridge(FakeOffice)
    yield made
    made.close()


def test_answers_come_back_on_the_windows_thread(qtbot: QtBot, bridge: ThreadBridge) -> None:
    asked_in: list[int] = []
    answered: list[tuple[int, Counts]] = []

    def question(office: Office) -> Counts:
        asked_in.append(threading.get_ident())
        return office.counts(None)

    bridge.ask(bridge, question, lambda counts: answered.append((threading.get_ident(), counts)))
    qtbot.waitUntil(lambda: bool(answered), timeout=PATIENCE)
    assert asked_in[0] != threading.get_ident()
    assert answered[0] == (threading.get_ident(), Counts(for_me=6, running=1, runs=9))


def test_asking_waits_for_nothing(qtbot: QtBot, bridge: ThreadBridge) -> None:
    release, ended = threading.Event(), threading.Event()

    def question(office: Office) -> None:
        release.wait(PATIENCE / 1000)
        ended.set()

    bridge.ask(bridge, question, lambda _: None, slow=True)
    assert not ended.is_set()
    release.set()


def test_a_slow_question_holds_nobody_up(qtbot: QtBot, bridge: ThreadBridge) -> None:
    release = threading.Event()
    answered: list[object] = []
    bridge.ask(bridge, lambda office: release.wait(PATIENCE / 1000), answered.append, slow=True)
    bridge.ask(bridge, lambda office: office.counts(None), answered.append)
    qtbot.waitUntil(lambda: len(answered) == 1, timeout=PATIENCE)
    assert isinstance(answered[0], Counts)
    release.set()
    qtbot.waitUntil(lambda: len(answered) == 2, timeout=PATIENCE)


def test_an_overtaken_answer_is_dropped(qtbot: QtBot) -> None:
    bridge = FakeBridge(FakeOffice())
    latest = Latest()
    answered: list[int] = []
    bridge.holding = True
    latest.take(bridge.ask(bridge, lambda office: 1, answered.append))
    latest.take(bridge.ask(bridge, lambda office: 2, answered.append))
    bridge.let_go()
    qtbot.waitUntil(lambda: bool(answered), timeout=PATIENCE)
    assert answered == [2]


def test_an_answer_to_nobody_is_dropped(qtbot: QtBot) -> None:
    import shiboken6

    bridge = FakeBridge(FakeOffice())
    owner = QObject()
    answered: list[int] = []
    bridge.ask(owner, lambda office: 1, answered.append)
    shiboken6.delete(owner)
    qtbot.wait(1)
    assert answered == []


def test_trouble_is_told_to_the_asker_else_to_the_frame(qtbot: QtBot) -> None:
    bridge = FakeBridge(FakeOffice())
    told: list[Trouble] = []
    bridge.troubled.connect(told.append)

    def refuse(office: Office) -> None:
        raise StoreTrouble("The disk is full.", "Free some space.")

    mine: list[Trouble] = []
    bridge.ask(bridge, refuse, lambda _: None, mine.append)
    bridge.do(bridge, refuse)
    qtbot.waitUntil(lambda: bool(told and mine), timeout=PATIENCE)
    assert told == mine == [Trouble("The disk is full.", "Free some space.", "store")]


@pytest.mark.expects_log("a question of the window failed")
def test_a_bug_in_one_question_ends_nothing(qtbot: QtBot, bridge: ThreadBridge) -> None:
    told: list[Trouble] = []
    answered: list[Counts] = []
    bridge.ask(bridge, lambda office: 1 / 0, lambda _: None, told.append)
    bridge.ask(bridge, lambda office: office.counts(None), answered.append)
    qtbot.waitUntil(lambda: bool(told and answered), timeout=PATIENCE)
    assert told[0].code == "bug"
    assert "Nothing was changed" in told[0].next_step


def test_an_office_that_cannot_be_opened_is_told(qtbot: QtBot) -> None:
    def closed() -> FakeOffice:
        raise StoreTrouble("The data folder cannot be used.", "Choose another.")

    bridge = ThreadBridge(closed)
    told: list[Trouble] = []
    bridge.ask(bridge, lambda office: office.counts(None), lambda _: None, told.append)
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told[0].message == "The data folder cannot be used."
    bridge.close()


def test_changes_are_told_within_a_moment(qtbot: QtBot) -> None:
    office = FakeOffice()
    bridge = ThreadBridge(lambda: office)
    bridge.set_pace(0.02)
    told: list[Changes] = []
    bridge.changed.connect(told.append)
    bridge.do(bridge, lambda office: office.counts(None))
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    told.clear()
    office.pending.append(Changes(frozenset({Part.RUNS})))
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    assert told[0].parts == {Part.RUNS}
    bridge.close()
    assert ("close", None) in office.log


def test_after_a_change_the_next_look_takes_its_time(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bridge_room, "BUSY", 3600)
    office = FakeOffice()
    bridge = ThreadBridge(lambda: office)
    bridge.set_pace(0)
    told: list[Changes] = []
    answered: list[int] = []
    bridge.changed.connect(told.append)
    bridge.do(bridge, lambda office: None)
    qtbot.waitUntil(lambda: bool(told), timeout=PATIENCE)
    office.pending.append(Changes(frozenset({Part.RUNS})))
    for n in range(20):
        bridge.ask(bridge, lambda office, n=n: n, answered.append)  # type: ignore[misc]
    qtbot.waitUntil(lambda: len(answered) == 20, timeout=PATIENCE)
    assert (len(told), len(office.pending)) == (1, 1)
    bridge.close()


def test_a_bridge_says_where_it_asks(qtbot: QtBot) -> None:
    with pytest.raises(TypeError):
        Bridge().ask(QObject(), lambda office: None, lambda _: None)
