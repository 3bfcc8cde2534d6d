"""The author's door costs nothing to open: `import counterfoil` needs the standard library and no more."""

import json
import subprocess
import sys

from house.repository import ROOT

OPEN_THE_DOOR = """
import json, sys
sys.path.insert(0, sys.argv[1])
import counterfoil
ours = sorted(name for name in sys.modules if name.split(".")[0] == "counterfoil")
missing = [name for name in counterfoil.__all__ if not hasattr(counterfoil, name)]
listed = sorted(counterfoil._HOME_OF)
print(json.dumps({"listed": listed, "exports": counterfoil.__all__, "missing": missing, "ours": ours}))
"""


def test_door_opens_without_site_packages_and_loads_words_only() -> None:
    # -S leaves site-packages out, so a third-party import anywhere below fails here.
    command = [sys.executable, "-I", "-S", "-c", OPEN_THE_DOOR, str(ROOT / "app")]
    seen = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    assert seen["missing"] == []
    assert seen["listed"] == sorted(seen["exports"])
    assert len(seen["exports"]) == len(set(seen["exports"]))
    rooms = {name.split(".")[1] for name in seen["ours"] if "." in name}
    assert rooms <= {"authoring", "facts", "errors", "clock"}
