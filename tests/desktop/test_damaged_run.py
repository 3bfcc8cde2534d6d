"""A run that cannot be read: its page says so and leads to what can be; the list of runs and the inbox go on."""

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from counterfoil.desktop.office import Tab
from counterfoil.desktop.runs.evidence_sheet import EvidenceSheet
from counterfoil.errors import Damaged, RunDamaged
from counterfoil.store import tables
from desktop.conftest import Desk
from desktop.real_home import RowsHome
from views.rows import spec

SAID = "Run 812 cannot be read (row 48,211). 2,304 other runs are fine."


@pytest.fixture
def home(tmp_path: Path) -> Generator[RowsHome]:
    """A home with rows."""
    made = RowsHome(tmp_path)
    yield made
    made.close()


def test_its_page_says_so_and_exports_what_is_readable(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.window.show_page("runs")
    desk.settle()
    detail: Any = desk.window.pages["runs"].detail
    run_id, whole = detail.run_id, desk.office.run

    def damaged(asked: str) -> Any:
        if asked == run_id:
            raise RunDamaged(SAID, "Export what is readable: counterfoil trail --evidence r-812 --out FILE.zip")
        return whole(asked)

    monkeypatch.setattr(desk.office, "run", damaged)
    detail.refresh()
    desk.settle()
    assert (detail.stack.currentIndex(), detail.nothing.head.text()) == (0, SAID)
    assert not detail.nothing.words.isVisible(), "a button takes the place of the command"
    desk.click(detail.nothing.export)
    sheet = detail.sheet
    assert isinstance(sheet, EvidenceSheet)
    assert sheet.act.text().startswith("Export ")
    sheet.export("/x/run.zip")
    desk.settle()
    assert ("export_evidence", (run_id, "/x/run.zip")) in desk.office.log
    other = next(row.run_id for row in desk.window.pages["runs"].adapter.rows if row.run_id != run_id)
    detail.show_run(other)
    desk.settle()
    assert (detail.stack.currentIndex(), detail.sheet) == (2, None)
    detail.clear()
    assert not detail.nothing.export.isVisible()


def test_lists_go_on_beside_it(home: RowsHome) -> None:
    bad, good = (home.rows.run()["run_id"] for _ in range(2))
    for run_id in (bad, good):
        home.ask(run_id, 0, spec(title="Pay"))
    with home.rows.database.connect() as conn:
        conn.execute(
            sa.update(tables.run).where(tables.run.c.run_id == bad).values(error="{", result="{", parameters="{")
        )
        conn.execute(sa.update(tables.gate).where(tables.gate.c.run_id == bad).values(spec="{"))
        conn.commit()
    office = home.office
    assert len(office.runs(None, "all", "", 10).rows) == 2
    assert len(office.inbox(Tab.FOR_ME, None)) == 2
    with pytest.raises(RunDamaged, match=r"^Run 1 cannot be read\. 1 other run is fine\."):
        office.run(bad)
    with pytest.raises(Damaged, match="is not what was kept"):
        office.gate(next(row.gate_id for row in office.inbox(Tab.FOR_ME, None) if row.run_id == bad))
    assert office.run(good).document["number"] == 2
    assert office.progress(bad).run_id == bad
    assert office.look_at_evidence(bad).parts
