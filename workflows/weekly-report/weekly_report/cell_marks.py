"""What calamine does not tell of a workbook's cells: errors such as #REF!, formulas that were never worked out, rows that are hidden.

Read from the XML of .xlsx and its kin, with entities and the network forbidden. An older or another form of file has no such marks.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

LARGEST = 300 * 1024 * 1024  # bytes of all parts, unpacked
_MOST_PARTS = 5_000
_RATIO, _SMALL = 200, 10 * 1024 * 1024  # how much a part larger than this may be packed
MOST_CELLS = 5_000_000
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")
NOT_WORKED_OUT = "a formula that was never worked out"


@dataclass(slots=True)
class Marks:
    """Of one sheet: cells (row from 1, column from 0) without a value and why, how many rows with cells are hidden, how far it spreads."""

    broken: dict[tuple[int, int], str] = field(default_factory=dict)
    hidden_rows: int = 0
    rows: int = 0
    columns: int = 0


def too_large(data: bytes) -> str:
    """Why a zip is not unpacked, a sentence; "" where it may be."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            parts = packed.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return ""  # what it is is for the reader to say
    size = sum(part.file_size for part in parts)
    if len(parts) > _MOST_PARTS or size > LARGEST:
        return f"Unpacked it would hold {size // (1024 * 1024):,} MB; {LARGEST // (1024 * 1024)} MB are read. Nobody types that much."
    for part in parts:
        if part.file_size > max(_SMALL, _RATIO * max(part.compress_size, 1)):
            return "It is packed so tightly that it would fill the memory: it is not opened."
    return ""


def marks_of(data: bytes) -> dict[str, Marks]:
    """The marks by sheet; none where the file is no .xlsx or its XML cannot be read."""
    found: dict[str, Marks] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as packed:
            names = set(packed.namelist())
            if "xl/workbook.xml" not in names:
                return {}
            for name, part in _parts(packed):
                if part in names:
                    found[name] = _of_sheet(packed, part)
    except (zipfile.BadZipFile, etree.XMLSyntaxError, OSError, KeyError, ValueError, EOFError, NotImplementedError):
        return found
    return found


def _parts(packed: zipfile.ZipFile) -> list[tuple[str, str]]:
    """Name and part of each sheet."""
    targets = {
        str(one.get("Id")): str(one.get("Target", ""))
        for one in _elements(packed, "xl/_rels/workbook.xml.rels", "Relationship")
    }
    found = []
    for one in _elements(packed, "xl/workbook.xml", "sheet"):
        relation = next((str(value) for key, value in one.attrib.items() if str(key).rpartition("}")[2] == "id"), "")
        target = targets.get(relation, "")
        part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        found.append((str(one.get("name", "")), part))
    return found


def _of_sheet(packed: zipfile.ZipFile, part: str) -> Marks:
    made = Marks()
    row = 0
    for one in _elements(packed, part, "row"):
        row = int(one.get("r") or row + 1)
        filled = 0
        for number, cell in enumerate(one):
            found = _CELL.fullmatch(str(cell.get("r", "")))
            column = _column(found[1]) if found else number
            value = next((child.text for child in cell if _name(child) == "v"), None)
            has_formula = any(_name(child) == "f" for child in cell)
            if cell.get("t") == "e":
                made.broken[row, column] = str(value or "#ERROR")
            elif has_formula and not value and cell.get("t") != "str":
                made.broken[row, column] = NOT_WORKED_OUT
            if len(cell):
                filled += 1
                made.columns = max(made.columns, column + 1)
        if filled:
            made.rows = max(made.rows, row)
            made.hidden_rows += one.get("hidden") in ("1", "true")
    return made


def _name(element: Any) -> str:
    return str(element.tag).rpartition("}")[2]


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _elements(packed: zipfile.ZipFile, part: str, name: str) -> Iterator[Any]:
    """Elements of a name as they end, each forgotten afterwards."""
    with packed.open(part) as source:
        found = etree.iterparse(
            source, events=("end",), tag=f"{{*}}{name}", resolve_entities=False, no_network=True, huge_tree=False
        )
        for _, element in found:
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]
