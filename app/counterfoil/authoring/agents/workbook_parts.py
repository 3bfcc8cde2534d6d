"""A workbook as its parts: those that are changed are parsed, all others keep their bytes, so that charts, pictures, macros and whatever
else a person has put there outlive a change of a cell.

Loaded in a child of the host alone, because nobody vouches for the file.
"""

from __future__ import annotations

import io
import posixpath
import zipfile
import zlib
from typing import Any

from counterfoil.authoring.agents.paging import Refused, cut

MOST_UNPACKED = 300 * 1024 * 1024  # bytes of all parts
MOST_PARSED = 64 * 1024 * 1024  # bytes of one that is parsed, which takes many times as much memory
BOOK = "xl/workbook.xml"
_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships"
_BLANK = {
    "[Content_Types].xml": """<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>
<Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/>
<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>
</Types>""",
    "_rels/.rels": f"""<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{_RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>""",
    BOOK: f"""<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="{_RELATIONS}">
<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>""",
    "xl/_rels/workbook.xml.rels": f"""<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{_RELATIONS}/worksheet" Target="worksheets/sheet1.xml"/>
<Relationship Id="rId2" Type="{_RELATIONS}/styles" Target="styles.xml"/></Relationships>""",
    "xl/worksheets/sheet1.xml": """<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData/></worksheet>""",
    "xl/styles.xml": """<styleSheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">
<fonts count="1"><font><sz val="11"/><name val="Calibri"/></font></fonts>
<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>
<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>
<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>
<cellXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/></cellXfs>
<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>""",
}


class Parts:
    """The parts of one workbook. `sheets` are its worksheets: part by name, in their order; `others` are sheets without cells."""

    def __init__(self, packed: zipfile.ZipFile, path: str) -> None:
        self._packed = packed
        self._path = path
        self._parsed: dict[str, Any] = {}
        self._changed: set[str] = set()
        self._dropped: set[str] = set()
        self._names = set(packed.namelist())
        if len(self._names) < len(packed.infolist()):
            raise Refused(f"“{path}” is damaged: it holds one part twice.")
        if sum(item.file_size for item in packed.infolist()) > MOST_UNPACKED:
            raise Refused(f"“{path}” unpacks to more than {MOST_UNPACKED // 1024**2} MB.")
        if any(name.startswith("_xmlsignatures/") for name in self._names):
            raise Refused(f"“{path}” is signed, and a change would break the signature.")
        if BOOK not in self._names:
            raise Refused(f"“{path}” is no .xlsx file that can be changed.")
        self.sheets: dict[str, str] = {}
        self.others: list[str] = []
        for name, kind, part in self._listed():
            if kind == "worksheet" and part in self._names:
                self.sheets[name] = part
            else:
                self.others.append(name)

    def named(self, sheet: str, *, is_new: bool) -> str:
        """The sheet of a name, the first one without; in a new workbook its one sheet is called so.

        Raises:
            Refused: there is none.
        """
        if is_new and sheet and self.sheets:
            if len(sheet) > 31 or set(sheet) & set("[]:*?/\\") or sheet[0] == "'" or sheet[-1] == "'":
                raise Refused(f"“{cut(sheet, 60)}” is no name of a sheet: 31 characters at most, and none of []:*?/\\.")
            next(self.to_change(BOOK).iter("{*}sheet")).set("name", sheet)
            self.sheets = dict(zip([sheet], self.sheets.values(), strict=True))
        if sheet in self.others:
            raise Refused(f"The sheet “{sheet}” of “{self._path}” has no cells.")
        if not self.sheets or (sheet and sheet not in self.sheets):
            there = ", ".join(self.sheets) or "none with cells"
            raise Refused(f"“{self._path}” has no sheet “{sheet}”; it has: {there}.")
        return sheet or next(iter(self.sheets))

    def root(self, part: str) -> Any:
        """The XML of a part, to be looked at.

        Raises:
            Refused: it is no XML as spreadsheets have it.
        """
        if part not in self._parsed:
            from lxml import etree

            if part in self._names and self._packed.getinfo(part).file_size > MOST_PARSED:
                raise Refused(
                    f"“{self._path}” is too large to be changed here: {part} has over {MOST_PARSED // 1024**2} MB."
                )
            parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
            try:
                tree = etree.parse(io.BytesIO(self._packed.read(part)), parser)
            except (KeyError, etree.XMLSyntaxError) as problem:
                raise Refused(f"“{self._path}” is damaged: {part} cannot be read.") from problem
            about: Any = tree.docinfo
            if about.doctype:
                raise Refused(f"“{self._path}” holds what no spreadsheet holds (a DOCTYPE in {part}).")
            self._parsed[part] = tree.getroot()
        return self._parsed[part]

    def to_change(self, part: str) -> Any:
        """The XML of a part whose changes are written. Raises Refused, as `root`."""
        self._changed.add(part)
        return self.root(part)

    def related(self, part: str, kind: str) -> list[str]:
        """The parts that a part points to as this kind, such as `table` or `styles`."""
        return [target for _, one, target in self._relations(part) if one == kind and target in self._names]

    def forget(self, part: str, kind: str) -> None:
        """Leave away the parts of a kind that a part points to, with all that names them."""
        for target in self.related(part, kind):
            self._dropped.add(target)
            for element in list(self.to_change(_relations_of(part))):
                if _resolved(part, element.get("Target", "")) == target:
                    element.getparent().remove(element)
            types = self.to_change("[Content_Types].xml")
            for element in list(types):
                if element.get("PartName", "").lstrip("/") == target:
                    types.remove(element)

    def is_mentioning(self, part: str, what: bytes) -> bool:
        """Whether bytes stand in a part: searching is much faster than parsing."""
        return what in self._packed.read(part)

    def written(self) -> bytes:
        """The workbook as a file. What was not changed has its bytes."""
        held = io.BytesIO()
        with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as out:
            for item in self._packed.infolist():
                if item.filename in self._dropped:
                    continue
                is_changed = item.filename in self._changed
                data = _serialised(self.root(item.filename)) if is_changed else self._packed.read(item)
                out.writestr(item, data, compress_type=item.compress_type)
        return held.getvalue()

    def _listed(self) -> list[tuple[str, str, str]]:
        """Name, kind and part of each sheet."""
        relations = {id_: (kind, target) for id_, kind, target in self._relations(BOOK)}
        found = []
        for element in self.root(BOOK).iter("{*}sheet"):
            id_ = element.get(f"{{{_RELATIONS}}}id") or element.get(f"{{{_STRICT}}}id") or ""
            found.append((element.get("name", ""), *relations.get(id_, ("", ""))))
        return found

    def _relations(self, part: str) -> list[tuple[str, str, str]]:
        """Id, kind and target of what a part points to."""
        where = _relations_of(part)
        if where not in self._names:
            return []
        return [
            (
                element.get("Id", ""),
                element.get("Type", "").rpartition("/")[2],
                _resolved(part, element.get("Target", "")),
            )
            for element in self.root(where).iter("{*}Relationship")
            if element.get("TargetMode") != "External"
        ]


def parts_of(data: bytes, path: str) -> Parts:
    """The parts of a file.

    Raises:
        Refused: it is no workbook that can be changed.
    """
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise Refused(f"“{path}” is locked with a password, or of an old form (.xls); it can be read, not changed.")
    try:
        return Parts(zipfile.ZipFile(io.BytesIO(data)), path)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, RuntimeError) as problem:
        raise Refused(f"“{path}” is no .xlsx file that can be changed.") from problem


def blank() -> bytes:
    """A new workbook with one empty sheet."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in _BLANK.items():
            # one fixed time, so that the same cells are the same bytes
            out.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), text, compress_type=zipfile.ZIP_DEFLATED)
    return held.getvalue()


def name_of(element: Any) -> str:
    """What an element is called, without its namespace; "" for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def space_of(element: Any) -> str:
    """The namespace of an element, as it stands before the names of those beneath it."""
    return f"{element.tag.rpartition('}')[0]}}}" if "}" in element.tag else ""


def _serialised(root: Any) -> bytes:
    from lxml import etree

    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))


def _relations_of(part: str) -> str:
    folder, _, name = part.rpartition("/")
    return f"{folder}/_rels/{name}.rels"


def _resolved(part: str, target: str) -> str:
    return target.lstrip("/") if target.startswith("/") else posixpath.normpath(f"{posixpath.dirname(part)}/{target}")
