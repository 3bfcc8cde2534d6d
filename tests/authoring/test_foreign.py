"""What steps open beneath the run's files is noticed, whichever way Python opens it (a hook that stays, so in a process of its own)."""

import json
import os
import subprocess
import sys
from pathlib import Path

PROGRAM = """
import io, json, os, sys
from pathlib import Path
from counterfoil.authoring import machine
from counterfoil.authoring.foreign import notice_opens
from counterfoil.authoring.machine import Branch
from counterfoil.authoring.overlay import Overlay

os.chdir(sys.argv[1])
notice_opens(sys.argv[1])
Path("before.eml").read_bytes()  # no step runs
branch = Branch(None, "", 0)
branch.overlay = Overlay.beneath(Path(sys.argv[1]).parent, ("*.eml", "in/**"))
machine.enter(branch)
open("a.eml", "rb").read()
Path("in/deep/letter.txt").read_text()
io.open(os.path.abspath("link.txt")).read()
open(b"b.eml").read()
Path("notes.txt").read_bytes()
open("new.eml", "wb").write(b"x")
os.close(os.open("c.eml", os.O_RDONLY))
open("../outside.eml").read()
print(json.dumps(list(branch.overlay.heard)))
"""


def test_every_way_of_opening_a_file_is_noticed(tmp_path: Path) -> None:
    root = tmp_path / "files"
    (root / "in/deep").mkdir(parents=True)
    for name in ("before.eml", "a.eml", "b.eml", "c.eml", "d.eml", "notes.txt", "in/deep/letter.txt", "../outside.eml"):
        (root / name).write_text("x")
    (root / "link.txt").symlink_to("d.eml")
    given = {"PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-c", PROGRAM, str(root)], capture_output=True, check=True, env=given)
    assert json.loads(said.stdout) == [
        "file a.eml",
        "file in/deep/letter.txt",
        "file d.eml",
        "file b.eml",
        "file c.eml",
    ]
