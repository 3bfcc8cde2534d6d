"""The window's figures are printed; what must not change is asserted: how many rows come, and what is not imported for them."""

from pathlib import Path

import pytest

from benchmarks import window_rows
from benchmarks.fill import fill
from benchmarks.measuring import ground, lines
from counterfoil.desktop.office import Tab
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.places import Home


def test_the_first_page_needs_no_sqlalchemy(capsys: pytest.CaptureFixture[str]) -> None:
    with ground(quick=True) as place:
        rows = [window_rows.first_page(place), window_rows.switches(place), window_rows.looks(place)]
    with capsys.disabled():
        print("", *lines(rows), sep="\n")
    assert rows[0].counts == {"rows": 200, "sqlalchemy": 0}


def test_a_filled_home_is_a_sound_one(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    fill(home, runs=300, per_run=4, open_gates=40)
    office = RealOffice(home)
    assert len(office.inbox(Tab.FOR_ME, None)) == office.counts(None).for_me == 40
    assert (office.runs(None).counts["all"], len(office.workspaces())) == (300, 6)
    sound, sentence = office.check_trail()
    assert sound, sentence
    office.close()
