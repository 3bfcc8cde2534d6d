"""A lock names files by their SHA-256 and nothing else; whatever could lead a client elsewhere is refused with its line."""

from pathlib import Path

import pytest

from catalogue.conftest import MANIFEST, MakeTemplate
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.packing import pack
from counterfoil.catalogue.requirements import OFFERED, Lock, lock_for, lock_of_text
from house.test_locks import project

SHA, OTHER = "a" * 64, "b" * 64
TWO = f"""\
# made by a tool
Ruamel.YAML==0.18.6 \\
    --hash=sha256:{SHA} \\
    --hash=sha256:{OTHER}
pywin32==306 ; sys_platform == "win32" \\
    --hash=sha256:{SHA}
"""


def read(text: str) -> Lock:
    return lock_of_text(Path("tiny"), text)


def test_a_lock_is_read_and_written() -> None:
    lock = read(TWO)
    assert [(one.name, one.version, len(one.hashes), one.line) for one in lock.releases] == [
        ("pywin32", "306", 1, 5),
        ("ruamel-yaml", "0.18.6", 2, 2),
    ]
    assert [one.name for one in lock.here] == ["ruamel-yaml"]
    assert read(lock.text()).text() == lock.text()
    assert read(lock.text()).digest == lock.digest


def test_the_digest_is_of_what_this_computer_needs() -> None:
    lock = read(TWO)
    assert read(TWO.replace("306", "307")).digest == lock.digest
    assert read(TWO.replace("0.18.6", "0.18.7")).digest != lock.digest
    assert read(TWO.replace(OTHER, "c" * 64)).digest != lock.digest


@pytest.mark.parametrize(
    "text, said",
    [
        (f"--index-url https://a.example/simple\nx==1 --hash=sha256:{SHA}", "line 1: ‘--index-url"),
        (f"x @ https://a.example/x.whl --hash=sha256:{SHA}", "line 1: x is not pinned to one release"),
        (f"\nx>=1 --hash=sha256:{SHA}", "line 2: x is not pinned to one release"),
        (f"x==1.* --hash=sha256:{SHA}", "line 1: x is not pinned"),
        (f"x==1,==1.0 --hash=sha256:{SHA}", "line 1: x is not pinned"),
        ("x==1", "line 1: x has no SHA-256"),
        ("x==1 --hash=md5:0123", "line 1: x has no SHA-256, or something beside it"),
        (f"x==1 --hash=sha256:{SHA} --trusted-host=a.example", "line 1: x has no SHA-256, or something beside it"),
        (f"x==1 --hash=sha256:{SHA}\nX==2 --hash=sha256:{SHA}", "line 2: x is pinned twice"),
        ("-r other.txt", "line 1: ‘-r other.txt’ is no pinned release"),
        ("-e .", "line 1: ‘-e .’ is no pinned release"),
        (f"x==1 \\\n  --hash=sha256:{SHA} \\", ""),
    ],
)
def test_anything_else_is_refused_with_its_line(text: str, said: str) -> None:
    if not said:
        assert [one.name for one in read(text).releases] == ["x"]
        return
    with pytest.raises(BrokenFile) as caught:
        read(text)
    assert said in str(caught.value)
    assert caught.value.next_step


def test_a_lock_must_answer_what_is_required(template: MakeTemplate) -> None:
    folder = template()
    assert lock_for(folder, []) is None
    with pytest.raises(BrokenFile, match=r"requires packages, and there is no packages\.lock"):
        lock_for(folder, ["x>=1"], 8)
    (folder / "packages.lock").write_text(f"x==1.5 --hash=sha256:{SHA}\n")
    found = lock_for(folder, ["X>=1", 'never ; python_version < "3"'])
    assert found is not None
    assert found.here[0].pin == "x==1.5"
    for asked, said in (("x>=2", "the lock pins 1.5"), ("y", "the lock does not pin it")):
        with pytest.raises(BrokenFile, match=said):
            lock_for(folder, [asked])
    (folder / "packages.lock").write_bytes(b"\xff")
    with pytest.raises(BrokenFile, match="not UTF-8"):
        lock_for(folder, ["x"])


def test_a_version_covers_its_lock(template: MakeTemplate) -> None:
    folder = template(manifest=MANIFEST + '[packages]\nrequires = ["x"]\n')
    (folder / "packages.lock").write_text(f"x==1 --hash=sha256:{SHA}\n")
    before = pack(folder)[0]
    (folder / "packages.lock").write_text(f"x==1 --hash=sha256:{OTHER}\n")
    assert pack(folder)[0] != before


def test_what_is_offered_comes_with_the_program() -> None:
    asked = " ".join(project()["dependencies"])
    packages = {"docx": "python-docx", "python_calamine": "python-calamine"}
    assert all(f"{packages.get(name, name)}>=" in asked for name in OFFERED)
