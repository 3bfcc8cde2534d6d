"""Files of a plan that change while its gate is open: the bar freezes until what changed was looked at."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from counterfoil.desktop.gate.files import FileCard
from counterfoil.desktop.gate.meanwhile import sentence
from counterfoil.desktop.parts.boxes import Banner
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.theme import Theme
from counterfoil.errors import WrongUse
from counterfoil.previews.meanwhile import Meanwhile, load_meanwhile
from counterfoil.previews.preview import Touched
from counterfoil.stage.manifest import layout_of
from counterfoil.store import gates
from desktop import figures
from desktop.conftest import Desk
from desktop.figures import NOW
from desktop.real_home import RowsHome
from desktop.real_window import Seat
from views.rows import item, spec

LEDGER = b"invoice,amount\nA-1,10.00\n"
OTHER = b"invoice,amount\nA-1,10.00\nA-2,20.00\n"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def plan(**base: str | None) -> dict[str, Any]:
    rows = {"path": "ledger.csv", "columns": ["invoice", "amount"], "rows": [["A-3", "30.00"]]}
    return spec(title="Write it", plan=[item(1, "append_rows@1", rows, base=base)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "team"
    made.mkdir()
    (made / "ledger.csv").write_bytes(LEDGER)
    return made


def test_files_that_were_left_alone_are_not_told(folder: Path) -> None:
    asked = plan(**{"ledger.csv": digest(LEDGER), "new.csv": None, ".": "12:34", "archive": "folder"})
    assert Meanwhile().touched(asked, str(folder), 0) == ()


def test_what_was_saved_came_or_went_is_told(folder: Path) -> None:
    look = Meanwhile()
    asked = plan(
        **{"ledger.csv": digest(LEDGER), "new.csv": None, "gone.csv": digest(b"x"), "linked.csv": digest(b"y")}
    )
    (folder / "linked.csv").symlink_to(folder / "ledger.csv")
    (folder / "ledger.csv").write_bytes(OTHER)
    (folder / "new.csv").write_bytes(b"n")
    found = {one.path: one.sha for one in look.touched(asked, str(folder), 0)}
    assert found == {"ledger.csv": digest(OTHER), "new.csv": digest(b"n"), "gone.csv": None}
    (folder / "ledger.csv").write_bytes(LEDGER)  # put back byte for byte: nothing has changed
    assert {one.path for one in look.touched(asked, str(folder), 0)} == {"new.csv", "gone.csv"}


def test_a_file_that_nobody_touched_since_is_not_even_read(folder: Path) -> None:
    asked = plan(**{"ledger.csv": digest(b"something else")})
    changed_us = (folder / "ledger.csv").stat().st_ctime_ns // 1000
    assert Meanwhile().touched(asked, str(folder), changed_us + 60_000_000) == ()
    assert len(Meanwhile().touched(asked, str(folder), changed_us - 60_000_000)) == 1


def test_both_sides_of_a_file_and_what_is_not_kept(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy.mkdir()
    asked = plan(**{"ledger.csv": digest(LEDGER)})
    (folder / "ledger.csv").write_bytes(OTHER)
    seen = load_meanwhile(asked, copy, str(folder), "ledger.csv").seen
    assert (seen.before, seen.after, seen.note) == (None, OTHER.decode(), "As it was then is not kept.")
    (copy / "ledger.csv").write_bytes(LEDGER)
    assert load_meanwhile(asked, copy, str(folder), "ledger.csv").seen.before == LEDGER.decode()
    (folder / "ledger.csv").unlink()
    assert "cannot be shown as it is now" in load_meanwhile(asked, copy, str(folder), "ledger.csv").seen.note
    with pytest.raises(WrongUse, match=r"other\.csv is no file of this plan"):
        load_meanwhile(asked, copy, str(folder), "other.csv")


def test_the_sentence_names_what_changed_and_when() -> None:
    at = NOW - 60_000_000
    saved = [Touched(f"{name}.csv", "ab" * 32, at) for name in ("ledger", "vendors", "b", "c", "d")]
    assert sentence(saved[:1], NOW) == (
        "This changed at 08:54: ledger.csv was saved by someone else. Look again before you decide."
    )
    assert sentence([*saved, Touched("e.csv", None)], NOW) == (
        "This changed at 08:54: ledger.csv, vendors.csv, b.csv and 2 other files were saved by someone else"
        " and e.csv is gone. Look again before you decide."
    )


def shown(banners: list[Banner], words: str) -> Banner:
    return next(one for one in banners if words in one.words.text() and not one.isHidden())


def test_nothing_is_decided_on_files_that_changed_until_it_was_looked_at(
    home: RowsHome, seats: list[Seat], theme: Theme
) -> None:
    ledger = Path(home.rows.workspace) / "ledger.csv"
    ledger.write_bytes(LEDGER)
    run_id = home.rows.run()["run_id"]
    copy = layout_of(home.rows.home, run_id).tree
    copy.mkdir(parents=True)
    (copy / "ledger.csv").write_bytes(LEDGER)
    gate_id = home.ask(run_id, 0, plan(**{"ledger.csv": digest(LEDGER)}))["gate_id"]
    seats.append(Seat(home.rows.home, theme))
    seat = seats[-1]
    seat.gate("approval")
    ledger.write_bytes(OTHER)
    seat.detail.meanwhile.look()  # it does so by itself every two seconds
    seat.until(lambda: not seat.detail.bar.primary.isEnabled(), "the bar freezes")
    assert seat.detail.bar.primary.accessibleName() == "Look again first"
    banner = seat.until(
        lambda: shown(seat.detail.findChildren(Banner), "ledger.csv was saved by someone else. Look again"), "why"
    )
    seat.click(banner.findChildren(Button)[0])
    sheet = seat.detail.meanwhile.sheet
    card = seat.until(lambda: sheet.findChild(FileCard) if sheet.findChild(FileCard)._seen else None, "the file")
    assert (card._seen.before, card._seen.after) == (LEDGER.decode(), OTHER.decode())
    assert gates.decisions(home.rows.database.reader, gate_id) == []
    seat.press(Qt.Key.Key_Escape)
    seat.until(seat.detail.bar.primary.isEnabled, "it can be decided")
    seat.until(lambda: any("you are asked about this first" in words for words in seat.banners()), "what follows")
    seat.detail.meanwhile.look()  # the same change is not asked about again
    seat.rest(0.3)
    assert seat.detail.bar.primary.isEnabled()
    seat.click(seat.detail.bar.primary)
    seat.until(seat.may_undo, "the decision")
    assert [made["verdict"] for made in gates.decisions(home.rows.database.reader, gate_id)] == ["approved"]


def test_a_second_change_freezes_again_and_another_gate_knows_nothing_of_it(
    desk: Desk, shots: Callable[[QWidget, str], None]
) -> None:

    desk.office.add(figures.batch(), figures=figures.BATCH_FIGURES, bodies=figures.BODIES)
    gate_id, detail = f"{82:032x}", desk.window.pages["inbox"].detail
    desk.window.show_gate(gate_id)
    desk.later()
    desk.office.touched[gate_id] = (Touched("ledger.csv", "ab" * 32, NOW),)
    detail.meanwhile.look()
    desk.settle()
    assert detail.session.primary().words == "Look again first"
    assert not detail.bar.send_back.isVisible()  # nothing stands there that would do nothing
    shots(desk.window, "files-changed-while-open")
    desk.click(shown(detail.findChildren(Banner), "ledger.csv was saved").findChild(Button))
    shots(desk.window, "files-changed-sheet")
    desk.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.decisions() == []
    desk.press(Qt.Key.Key_Escape)
    shots(desk.window, "files-changed-looked-at")
    assert detail.session.primary().words == "Approve 3 files, 12 moves"
    assert detail.bar.send_back.isVisible()
    desk.office.touched[gate_id] = (Touched("ledger.csv", "cd" * 32, NOW),)
    detail.meanwhile.look()
    desk.settle()
    assert detail.session.primary().words == "Look again first"
    desk.window.show_gate(f"{79:032x}")
    desk.later()
    assert detail.session.primary().words != "Look again first"
    assert detail.meanwhile.sheet is None
