"""What the window asks of Python is asked for, kept while it is there, and taken back."""

import builtins
import gc
import sys
import weakref

import PySide6.QtCore
import pytest

from counterfoil.desktop import interpreter


class Knot:
    """Something that only the collector can let go of."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def unlooked() -> interpreter.Collector:
    return interpreter.Collector()


def test_everything_is_as_before_when_the_window_is_gone() -> None:
    turn = sys.getswitchinterval()
    with interpreter.tuned():
        assert not gc.isenabled()
        assert sys.getswitchinterval() < turn
    gc.unfreeze()
    assert gc.isenabled()
    assert sys.getswitchinterval() == turn


def test_rubbish_stays_until_there_is_time(unlooked: interpreter.Collector, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "_SETTLED", 1)
    try:
        with interpreter.tuned():
            unlooked.look()  # what is there now is never looked through
            knot = weakref.ref(Knot())
            unlooked.look()
            assert knot() is not None  # one object is not worth it
            more: list[list[int]] = [[] for _ in range(2 * interpreter._MANY)]
            unlooked.look()
            assert knot() is None
            del more
    finally:
        gc.unfreeze()


def test_imports_take_no_detour_through_qts_binding(monkeypatch: pytest.MonkeyPatch) -> None:
    assert PySide6.QtCore.__name__
    monkeypatch.setattr(builtins, "__import__", builtins.__feature_import__)  # type: ignore[attr-defined]
    interpreter.import_plainly()
    assert builtins.__import__ is builtins.__orig_import__  # type: ignore[attr-defined]
