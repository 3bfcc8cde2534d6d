"""What is tracked can be published and works elsewhere: no host of a registry, no path of one machine, no secret."""

import re

import pytest

from house.repository import ROOT, tracked

# Written so that this file does not find itself.
REGISTRIES = re.compile(
    r"pypi[.]org|pythonhosted[.]org|deb[.]debian[.]org|registry[.]npmjs|crates[.]io|proxy[.]golang|files[.]python",
    re.IGNORECASE,
)
MACHINE_PATHS = re.compile(r"(?<![\w.~-])/(?:work|root|opt/wheels|opt/pypi[\w-]*|home/[a-z]+|Users/[A-Za-z]+)/")
KEYS = re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY|AKIA[0-9A-Z]{16}|\bsk-[A-Za-z0-9]{20,}")
LARGEST = 2 * 1024 * 1024  # bytes; samples included


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Tracked text by path; what people sent us as samples is evidence and is left as it came."""
    files = tracked()
    if not files:
        pytest.skip("not a git checkout, or git is not installed")
    read = {}
    for file in files:
        content = file.read_bytes()
        if b"\0" not in content and not {"sample", "samples"} & set(file.parts):
            read[str(file.relative_to(ROOT))] = content.decode("utf-8")
    return read


@pytest.mark.parametrize("pattern", [REGISTRIES, MACHINE_PATHS, KEYS], ids=["registry hosts", "machine paths", "keys"])
def test_nothing_that_belongs_elsewhere_is_tracked(texts: dict[str, str], pattern: re.Pattern[str]) -> None:
    found = [f"{name}: {hit.group()}" for name, text in texts.items() for hit in pattern.finditer(text)]
    assert found == []


def test_patterns_see_what_they_are_for() -> None:
    assert REGISTRIES.search("https://" + "pypi" + ".org/simple")
    assert MACHINE_PATHS.search('open("/' + 'root/x")')
    assert not MACHINE_PATHS.search("the folder app/" + "work/x")


def test_no_file_is_huge() -> None:
    assert [str(file.relative_to(ROOT)) for file in tracked() if file.stat().st_size > LARGEST] == []
