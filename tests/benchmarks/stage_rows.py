"""A run's copy of its folder: 10,000 files, copied and hashed, beside `cp -a` of the same files in alternating blocks."""

from __future__ import annotations

import shutil
import subprocess
import time
from statistics import median

from benchmarks.measuring import Ground, Row, fresh, number
from counterfoil.stage.leaving_out import Choices
from counterfoil.stage.manifest import Layout
from counterfoil.stage.refreshing import Refresh

TARGET = 1.5  # times cp -a


def copied(ground: Ground) -> Row:
    """What a run's first step waits for; the manifest is written. What the kernel keeps of the files is as warm for both."""
    size = ground.pick(500, 10_000)
    folder = fresh(ground.disk, "stage")
    workspace, layout = folder / "workspace", Layout(folder / "stage")
    for n in range(size):
        place = workspace / f"d{n % 100}/s{n % 7}/{n}.txt"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"%d\n" % n * 600)
    ours: list[float] = []
    plain: list[float] = []
    held = 0
    for _ in range(ground.pick(2, 2)):
        began = time.perf_counter()
        subprocess.run(["cp", "-a", str(workspace), str(folder / "copy")], check=True)
        plain.append(time.perf_counter() - began)
        began = time.perf_counter()
        made = Refresh(str(workspace), layout, Choices()).run(None, 0)
        ours.append(time.perf_counter() - began)
        held = sum(entry.kind == "file" for entry in made.entries.values())
        shutil.rmtree(folder / "copy")
        shutil.rmtree(layout.root)
    ratio = min(ours) / min(plain)
    return Row(
        f"a run's copy of {size:,} files",
        f"{number(median(ours) * 1000)} ms",
        f"{TARGET} times cp -a",
        raw=f"{number(median(plain) * 1000)} ms; {ratio:.2f} times",
        met=None if ground.quick else ratio <= TARGET,
        counts={"files": held},
    )
