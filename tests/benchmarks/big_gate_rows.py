"""How long the window's own thread works at a stretch on a gate with 5,000 rows: opening, resizing, filtering, sorting, scrolling; before
that, on the pages that it makes ahead.

Taken in processor time of that thread, so that what else the computer does is not counted. Modules are compiled before, as they are where
the program is installed, and Python is tuned as the program tunes it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.measuring import Ground, Row, number
from benchmarks.processes import APP
from benchmarks.window_process import program_environment

ROWS, HELD_MS = 5_000, 50
_TESTS = Path(__file__).resolve().parents[1]
_WATCHED = """
import json, sys, time
from pathlib import Path
sys.path[:0] = sys.argv[1:3]
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
application = QApplication([])
from counterfoil.desktop.interpreter import import_plainly, tuned
import_plainly()
tuning = tuned()  # held, or it would end here
tuning.__enter__()
from counterfoil.desktop.gate.evidence import TableSection
from counterfoil.desktop.theme import Theme
from desktop.real_home import RowsHome
from desktop.real_window import Seat
from views.rows import spec

count = int(sys.argv[4])
home = RowsHome(Path(sys.argv[3]))
home.office.close()
run = home.rows.run()["run_id"]
home.ask(run, 0, spec(title="Small"))
rows = [[n, f"Supplier {n} & Sons", "GB29 NWBK 6016 1331 9268 19", f"{n}.50", f"invoices/2026/{n:06}.pdf"] for n in range(1, count + 1)]
data = {"columns": ["No.", "supplier", "account", "amount", "file"], "rows": rows, "flagged": [3]}
big = home.ask(run, 1, spec(title="Big", evidence=[{"kind": "table@1", "title": "Payments", "data": data, "source": None}]))
seat = Seat(home.rows.home, Theme(application))
seat.until(lambda: seat.detail.page, "the first gate")
held = [0.0]
last = [time.thread_time()]

def tick():
    now = time.thread_time()
    held.append(now - last[0])
    last[0] = now

timer = QTimer()
timer.timeout.connect(tick)
timer.start(1)

def longest(act, rest=0.5):
    seat.rest(0.1)
    held.clear()
    last[0] = time.thread_time()
    act()
    seat.rest(rest)
    return max(held) * 1000

def opened():
    seat.inbox.go_to_gate(big["gate_id"])
    seat.until(lambda: [box for box in seat.detail.page.boxes.values() if isinstance(box, TableSection)], "the table")

turns = seat.window._ahead._turns
found = {"pages ahead": longest(lambda: seat.until(lambda: not turns.isActive(), "the other pages"))}
found["open"] = longest(opened, 1.0)
section = next(box for box in seat.detail.page.boxes.values() if isinstance(box, TableSection))
bar = section.table.verticalScrollBar()
found["resize"] = longest(lambda: seat.window.resize(1180, 800))
found["filter"] = longest(lambda: section.adapter.wanted("499"))
found["show all"] = longest(lambda: section.adapter.wanted(""))
found["sort"] = longest(lambda: section.table._sort(2))
found["scroll"] = longest(lambda: [(bar.setValue(bar.maximum() * at // 60), application.processEvents()) for at in range(60)])
shown = section.adapter.rowCount()
seat.close()
home.rows.database.close()
print(json.dumps([found, shown]))
"""


def evidence(ground: Ground) -> Row:
    """The longest stretch of each act, in milliseconds."""
    told = ""
    kept = ground.disk / "compiled"
    for size in (
        (ROWS,) if ground.quick and kept.exists() else (50, ROWS)
    ):  # the first one compiles, where no other row has
        place = ground.fastest / f"big-gate-{size}"
        command = [sys.executable, "-P", "-c", _WATCHED, str(APP), str(_TESTS), str(place), str(size)]
        told = subprocess.run(command, env=program_environment(kept), check=True, capture_output=True, text=True).stdout
    found, shown = json.loads(told)
    measured = ", ".join(f"{name} {number(ms)}" for name, ms in found.items())
    what = f"window: longest work at a stretch on {ROWS:,} rows of evidence, ms"
    return Row(what, measured, f"{HELD_MS} ms each", "", max(found.values()) <= HELD_MS, {"rows": float(shown)})
