"""The home that the window is measured on is one that the program takes for sound."""

from pathlib import Path

from benchmarks.fill import fill
from counterfoil.desktop.office import Tab
from counterfoil.desktop.real_office.office import RealOffice
from counterfoil.places import Home


def test_a_filled_home_is_a_sound_one(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    fill(home, runs=300, per_run=4, open_gates=40)
    office = RealOffice(home)
    assert len(office.inbox(Tab.FOR_ME, None)) == office.counts(None).for_me == 40
    assert (office.runs(None).counts["all"], len(office.workspaces())) == (300, 6)
    sound, sentence = office.check_trail()
    assert sound, sentence
    office.close()
