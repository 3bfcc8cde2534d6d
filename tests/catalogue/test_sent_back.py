"""What sending a question back comes to, read from a template's code: said only where the code says it plainly."""

from textwrap import dedent, indent

import pytest

from counterfoil.catalogue.manifest import read_manifest
from counterfoil.catalogue.packing import read_code, used_code
from counterfoil.catalogue.sent_back import sent_back
from house.repository import ROOT

HEAD = """
import contextlib
import counterfoil
from counterfoil import Returned, WorkflowError, approve, ask, parallel, step, workflow


@workflow("w")
async def w(p):
"""


def of(body: str, more: str = "") -> dict[str, str]:
    """What is said of a workflow with this body."""
    whole = f"{HEAD}{indent(dedent(body), '    ')}\n\n{dedent(more)}"
    return {kind: str(fate) for kind, fate in sent_back({"workflow.py": whole.encode()}).items()}


@pytest.mark.parametrize(
    "body, fate",
    [
        ("await approve('a')", "stops"),
        ("while True:\n    try:\n        await approve('a')\n    except Returned as back:\n        note(back)\n        continue", "again"),
        ("while True:\n    try:\n        await approve('a')\n    except (KeyError, WorkflowError):\n        pass", "again"),
        ("while True:\n    try:\n        await approve('a')\n    except KeyError:\n        pass", "stops"),
        ("while True:\n    try:\n        await approve('a')\n    except Returned:\n        break", "goes_on"),
        ("while True:\n    try:\n        await approve('a')\n    except Returned:\n        if p:\n            return 1", "goes_on"),
        ("try:\n    await approve('a')\nexcept Returned:\n    pass", "goes_on"),
        ("for n in range(3):\n    try:\n        await approve('a')\n    except Returned:\n        pass", "goes_on"),
        ("try:\n    pass\nexcept Returned:\n    await approve('a')", "stops"),
        ("try:\n    pass\nexcept:\n    pass\nelse:\n    await counterfoil.approve('a')", "stops"),
        ("while True:\n    try:\n        await parallel(approve('a'), approve('b'))\n    except:\n        pass", "again"),
        ("with contextlib.suppress(Returned):\n    await approve('a')", ""),
        ("async def inner():\n    await approve('a')\nawait inner()", ""),
        ("await approve('a')\ntry:\n    await approve('b')\nexcept Returned:\n    pass", ""),
    ],
)  # fmt: skip
def test_an_approval_that_is_sent_back(body: str, fate: str) -> None:
    assert of(body).get("approval", "") == fate


ASKED = "async def asked():\n    return await approve('a')\n"


@pytest.mark.parametrize(
    "body, more, fate",
    [
        ("await asked()", ASKED, "stops"),
        ("while True:\n    try:\n        await asked()\n    except Returned:\n        pass", ASKED, "again"),
        ("await asked()\ntry:\n    await asked()\nexcept Returned:\n    pass", ASKED, ""),
        ("await run(asked)", ASKED, ""),  # who calls it is not seen
        ("await asked()", "async def asked():\n    await approve('a')\n    await asked()\n", ""),
    ],
)
def test_one_that_is_asked_in_a_function_of_its_own(body: str, more: str, fate: str) -> None:
    assert of(body, more).get("approval", "") == fate


def test_questions_and_changed_files() -> None:
    loop = "while True:\n    try:\n        await ask('q')\n    except Returned:\n        continue\n"
    assert of(f"{loop}d = await approve('a')\nawait d.perform()") == {
        "question": "again",
        "approval": "stops",
        "conflict": "stops",
    }
    assert of("d = await approve('a')\nawait d.perform(on_conflict='raise')") == {"approval": "stops"}
    assert of("d = await approve('a')\nawait d.perform()\nawait d.plan[0]") == {"approval": "stops"}
    assert sent_back({"workflow.py": b"def ("}) == {}


def test_every_template_of_ours_asks_again_or_answers() -> None:
    told = {}
    for folder in sorted((ROOT / "workflows").glob("*/template.toml")):
        files = read_code(folder.parent)
        told[folder.parent.name] = sent_back(files | used_code(folder.parent, read_manifest(folder.parent).uses, files))
    assert {fate for fates in told.values() for fate in fates.values()} == {"again", "goes_on"}
    assert [name for name, fates in told.items() if "goes_on" in fates.values()] == ["ask-approval"]
