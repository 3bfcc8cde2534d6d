"""Template folders for the tests of the catalogue, written anew for each test."""

from collections.abc import Callable
from pathlib import Path

import pytest

MANIFEST = """\
name = "{name}"
title = "Tiny"
description = "The smallest template there is"
works_without_llm = true
asks = "once"
permissions = ["write_file"]
run_title = "Tiny, {folder}"
"""
WORKFLOW = """\
from counterfoil import Folder, Params, approve, step, workflow, write_file


class P(Params):
    folder: Folder


@step
def make(folder: Folder) -> str:
    return f"about {folder}"


@workflow("{name}")
async def tiny(p: P) -> str:
    text = await make(p.folder)
    decision = await approve("Write it", plan=[write_file("tiny.txt", text)])
    await decision.perform()
    return text
"""

MakeTemplate = Callable[..., Path]


@pytest.fixture
def template(tmp_path: Path) -> MakeTemplate:
    """Write a template: `template("tiny", {"rows/a.py": "…"}, manifest=…, workflow=…)`; without arguments a sound one."""

    def write(
        name: str = "tiny",
        files: dict[str, str] | None = None,
        *,
        manifest: str = MANIFEST,
        workflow: str = WORKFLOW,
        parent: Path | None = None,
    ) -> Path:
        folder = (parent or tmp_path / "templates") / name
        all_files = {"template.toml": manifest.replace("{name}", name)}
        all_files["workflow.py"] = workflow.replace("{name}", name)
        for file, text in (all_files | (files or {})).items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return folder

    return write
