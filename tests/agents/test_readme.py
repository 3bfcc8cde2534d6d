"""The agent of the README does what the README says, on the real engine with its llm played."""

import re
from pathlib import Path
from typing import Any

from agents.conftest import Make, subjects
from agents.test_loop import call
from counterfoil.authoring.workflows import find_workflow
from counterfoil.facts import RunState, Verdict
from effects.post_office import PostOffice
from house.repository import ROOT


def test_the_agent_of_the_readme_reminds_and_writes_only_what_is_approved(
    office: Make, sent: PostOffice, tmp_path: Path
) -> None:
    section = (ROOT / "README.md").read_text().partition("## A first agent")[2]
    (code,) = re.findall(r"```python\n(.*?)```", section.partition("\n## ")[0], re.DOTALL)
    namespace: dict[str, Any] = {"__name__": "readme"}
    exec(compile(code, "README.md", "exec", dont_inherit=True), namespace)  # what people are told to write
    workspace = tmp_path / "workspace"
    (workspace / "open").mkdir()
    (workspace / "open" / "items.csv").write_text("customer,due,amount\nTallow,2026-10-01,120.00\n")
    reminders = [
        call("remind", to=f"{who}@example.org", subject="Your invoice", body="It is overdue.")
        for who in ("tallow", "other")
    ]
    harness = office(
        call("read_cells", path="open/items.csv"),
        [*reminders, call("write_file", path="open/overdue.csv", text="Tallow,120.00\n")],
        "One is overdue.",
    )
    harness.start(find_workflow(namespace, "chase-payments"), folder=namespace["Folder"]("open"))
    assert harness.advance() == RunState.WAITING
    harness.decide(Verdict.APPROVED, only=[1], edits={1: {"subject": "A reminder"}})
    assert harness.advance() == RunState.WAITING
    assert subjects(sent) == ["A reminder"]
    assert [item["target"] for item in harness.spec()["plan"]] == ["open/overdue.csv"]
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert (workspace / "open" / "overdue.csv").read_text() == "Tallow,120.00\n"
