"""Formulas of spreadsheets, which calamine does not give: read from the XML of .xlsx and .ods with entities forbidden.

A formula that several cells share is told of each with the cell that it is written in.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Iterator
from xml.etree.ElementTree import Element

from defusedxml.ElementTree import iterparse

MOST = 300_000  # formulas
_LARGEST_PART = 300_000_000  # bytes of one part, unpacked
_FORMULA = re.compile(rb"<(?:\w{1,40}:)?f[\s>/]")
_CELL = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")

Formulas = dict[tuple[int, int], str]


def formulas_of(data: bytes) -> dict[str, Formulas] | None:
    """Formulas by sheet name and (row, column) from 0, without the equals sign; None for another form of file (.xls, .xlsb)."""
    if not data.startswith(b"PK"):
        return None
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        names = set(packed.namelist())
        if "content.xml" in names:
            return _of_ods(packed)
        if "xl/workbook.xml" not in names:
            return None
        return {
            name: _of_sheet(packed, part) if _mentions_formulas(packed, part) else {}
            for name, part in _parts(packed)
            if part in names
        }


def _mentions_formulas(packed: zipfile.ZipFile, part: str) -> bool:
    """Whether there is anything to find: searching is a hundred times faster than parsing."""
    with packed.open(part) as source:
        tail = b""
        while piece := source.read(1024 * 1024):
            if _FORMULA.search(tail + piece):
                return True
            tail = piece[-64:]
    return False


def _parts(packed: zipfile.ZipFile) -> list[tuple[str, str]]:
    """Name and part of each sheet."""
    targets = {
        element.get("Id"): element.get("Target", "")
        for element in _elements(packed, "xl/_rels/workbook.xml.rels", "Relationship")
    }
    found = []
    for element in _elements(packed, "xl/workbook.xml", "sheet"):
        relation = next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == "id"), None)
        target = targets.get(relation) or ""
        part = target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"xl/{target}")
        found.append((element.get("name", ""), part))
    return found


def _of_sheet(packed: zipfile.ZipFile, part: str) -> Formulas:
    made: Formulas = {}
    shared: dict[str, str] = {}
    for cell in _elements(packed, part, "c"):
        formula = next((child for child in cell if child.tag.rpartition("}")[2] == "f"), None)
        place = _CELL.fullmatch(cell.get("r", ""))
        if formula is None or place is None:
            continue
        text, group = formula.text or "", formula.get("si")
        if formula.get("t") == "shared" and group is not None:
            if text:
                shared[group] = f"{text} as in {cell.get('r')}"
            else:
                text = shared.get(group, "as elsewhere")
        made[int(place[2]) - 1, _column(place[1])] = text
        if len(made) >= MOST:
            break
    return made


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _of_ods(packed: zipfile.ZipFile) -> dict[str, Formulas]:
    """Rows and cells are repeated by a count, so places are counted."""
    return {
        _attribute(table, "name"): _of_table(table) for table in _elements(packed, "content.xml", "table", whole=True)
    }


def _of_table(table: Element) -> Formulas:
    made: Formulas = {}
    row = 0
    for line in table.iter():
        if line.tag.rpartition("}")[2] != "table-row":
            continue
        column = 0
        for cell in line:
            many = int(_attribute(cell, "number-columns-repeated") or 1)
            formula = _attribute(cell, "formula")
            if formula and len(made) < MOST:
                made[row, column] = re.sub(r"^[a-z]+:?=|^=", "", formula)
            column += many
        row += int(_attribute(line, "number-rows-repeated") or 1)
    return made


def _attribute(element: Element, name: str) -> str:
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def _elements(packed: zipfile.ZipFile, part: str, name: str, *, whole: bool = False) -> Iterator[Element]:
    """Elements of a name as they end, each forgotten afterwards; `whole` keeps what is inside them until then."""
    if packed.getinfo(part).file_size > _LARGEST_PART:
        return
    keep = {name} if whole else {name, "f", "v"}
    with packed.open(part) as source:
        for _, element in iterparse(source, events=("end",)):
            tag = element.tag.rpartition("}")[2]
            if tag == name:
                yield element
                element.clear()
            elif not whole and tag not in keep:
                element.clear()
