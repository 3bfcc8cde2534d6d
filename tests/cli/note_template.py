"""A small template of a test's own: one step, one approval, one file; its parameter `end` bends how it goes."""

from pathlib import Path

MANIFEST = """
name = "note"
title = "Write a note"
description = "A note in a file"
works_without_llm = true
asks = "once"
permissions = ["write_file"]
run_title = "Note {text}"
"""

WORKFLOW = '''
"""Writes a note after somebody approved it."""

from datetime import timedelta
from typing import Literal

from counterfoil import Money, Params, approve, files, param, report, sleep, step, workflow, write_file


class P(Params):
    text: str = param(label="Text", remember=True)
    copies: int = param(default=1)
    limit: Money | None = param(default=None)
    end: Literal["ask", "fail", "sleep", "nothing", "read"] = "ask"


@step
def compose(text: str, end: str) -> str:
    report(f"{len(text)} letters")
    if end == "fail":
        raise ValueError("there is no ink")
    return text.upper()


@step
def read(path: str) -> str:
    words = files().read(path).decode()
    if not words.isupper():
        raise ValueError("the words are too soft")
    return words


@workflow("note")
async def note(p: P) -> dict[str, str]:
    text = await compose(p.text, p.end)
    if p.end == "read":
        text = await read("words.txt")
    if p.end == "sleep":
        await sleep(timedelta(hours=1))
    if p.end != "nothing":
        decision = await approve("Write the note", plan=[write_file("note.txt", text)])
        await decision.perform()
    return {"summary": "note.txt is written."}
'''


def write_template(workspace: Path) -> Path:
    """Put the template where a workspace's own templates lie; its folder."""
    folder = workspace / ".counterfoil/templates/note"
    folder.mkdir(parents=True)
    (folder / "template.toml").write_text(MANIFEST)
    (folder / "workflow.py").write_text(WORKFLOW)
    return folder
