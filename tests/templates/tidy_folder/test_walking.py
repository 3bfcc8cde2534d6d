"""What is gone through and what is left alone, with the reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from counterfoil import FileRefused, Files
from tidy_folder.walking import Ground, walk


def ground(root: Path, files: list[str], without: str = "quarantine", folder: str = "") -> Ground:
    """Walk through a folder with these files."""
    for name in files:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(b"x")
    return walk(Files(root), folder, without)


def paths(found: Ground) -> list[str]:
    return sorted(one.path for one in found.files)


def alone(found: Ground) -> dict[str, str]:
    return {other.path: f"{other.why}: {other.more}".rstrip(": ") for other in found.alone}


def test_everything_beneath_except_what_was_put_aside(tmp_path: Path) -> None:
    found = ground(
        tmp_path, ["a.pdf", "b/c/d.pdf", "quarantine/b/e.pdf", "b/quarantine/f.pdf", ".counterfoil/workspace.toml"]
    )
    assert paths(found) == ["a.pdf", "b/c/d.pdf", "b/quarantine/f.pdf"]
    assert sorted(found.folders) == ["", "b", "b/c", "b/quarantine"]
    assert found.alone == []
    assert paths(walk(Files(tmp_path), "b", "quarantine")) == ["b/c/d.pdf", "b/quarantine/f.pdf"]


@pytest.mark.parametrize(
    "marker",
    [
        ".git/HEAD",
        ".hg/x",
        "package.json",
        "pyproject.toml",
        "Cargo.toml",
        "App.sln",
        ".gitignore",
        ".vscode/x",
        "Makefile",
    ],
)
def test_a_project_is_left_alone_as_a_whole(tmp_path: Path, marker: str) -> None:
    found = ground(tmp_path, ["a.pdf", f"work/{marker}", "work/b.pdf", "work/deep/er/c.pdf"])
    assert paths(found) == ["a.pdf"]
    assert alone(found) == {"work": f"Part of a project: it holds {marker.partition('/')[0]}"}


def test_the_folder_itself_may_be_a_project(tmp_path: Path) -> None:
    found = ground(tmp_path, [".git/HEAD", "a.pdf"])
    assert paths(found) == []
    assert alone(found) == {".": "Part of a project: it holds .git"}


def test_folders_of_programs_and_saved_pages(tmp_path: Path) -> None:
    found = ground(tmp_path, ["My.app/x.png", "Page.HTML", "Page_files/x.png", "other_files/x.png"])
    assert paths(found) == ["Page.HTML", "other_files/x.png"]
    assert alone(found) == {"My.app": "Folder of a program", "Page_files": "Part of a saved web page"}


def test_what_is_no_plain_file_or_has_no_plain_name(tmp_path: Path) -> None:
    bytes_name = os.fsdecode(b"caf\xe9.pdf")
    names = [
        ".hidden",
        ".folder/x.pdf",
        "back\\slash.pdf",
        "macros.docm",
        "run.sh",
        "AUTORUN.INF",
        f"{'x' * 245}.pdf",
        bytes_name,
    ]
    (tmp_path / "link.pdf").symlink_to("nowhere")
    (tmp_path / "folder").symlink_to("/")
    os.mkfifo(tmp_path / "pipe")
    found = ground(tmp_path, names)
    assert paths(found) == []
    assert alone(found) == {
        ".hidden": "Hidden file",
        ".folder": "Hidden file: a folder",
        "link.pdf": "Link",
        "folder": "Link",
        "pipe": "Pipe or device",
        "back\\slash.pdf": "Its name cannot be used: does not lie beneath the workspace.",
        "macros.docm": "Other programs run or obey it: it can hold macros, which run when it is opened",
        "run.sh": "Other programs run or obey it: it is a program or a script",
        "AUTORUN.INF": "Other programs run or obey it: the system starts programs by it",
        f"{'x' * 245}.pdf": "Its name cannot be used: is longer than file systems take.",
        bytes_name: "Its name cannot be used: its bytes are not UTF-8",
    }


def test_a_folder_that_is_gone_or_a_link(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to("/")
    for folder in ("gone", "link"):
        with pytest.raises(FileRefused):
            walk(Files(tmp_path), folder, "")


def test_deeper_than_people_go(tmp_path: Path) -> None:
    found = ground(tmp_path, ["/".join(["d"] * 70) + "/a.pdf", "/".join(["e"] * 50) + "/b.pdf"])
    assert paths(found) == ["/".join(["e"] * 50) + "/b.pdf"]
    assert [other.why for other in found.alone] == ["Lies too deep"]
