"""Guards the pin of PySide6-Essentials: 6.12 drops one reference of None too many in each call that returns nothing.

None begins with about 5,200 references on Python 3.11, so a window dies after some thousand such calls while a short
test suite passes. Python 3.12 made None immortal, which hides the fault.
"""

import importlib.metadata
import sys

import pytest
from PySide6.QtGui import QFont

CALLS = 200


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="None is immortal here, so nothing can be counted")
def test_calls_that_return_nothing_keep_the_references_of_none() -> None:
    font = QFont()
    before = sys.getrefcount(None)
    for _ in range(CALLS):
        font.setPixelSize(12)
    assert before - sys.getrefcount(None) < CALLS / 2


def test_both_wheels_of_qt_are_the_pinned_release() -> None:
    assert {importlib.metadata.version(name) for name in ("PySide6-Essentials", "shiboken6")} == {"6.11.3"}
