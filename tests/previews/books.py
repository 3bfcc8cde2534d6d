"""Small spreadsheets and PDFs made by hand, honest ones and hostile ones, as bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from xml.sax.saxutils import escape

from counterfoil.previews.grids import letters

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_TYPES = """<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/>
<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/></Types>"""
_ROOT = f"""<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="{RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>"""

Cells = Sequence[Sequence[object]]


def sheet(rows: Iterable[Sequence[object]]) -> bytes:
    """One sheet's XML: numbers, texts, and formulas as `=…` or as (formula, value)."""
    out = [f'<?xml version="1.0"?><worksheet xmlns="{MAIN}"><sheetData>']
    for number, row in enumerate(rows, 1):
        cells = "".join(_cell(f"{letters(at)}{number}", value) for at, value in enumerate(row) if value is not None)
        out.append(f'<row r="{number}">{cells}</row>')
    out.append("</sheetData></worksheet>")
    return "".join(out).encode()


def _cell(place: str, value: object) -> str:
    match value:
        case (str(formula), result):
            return f'<c r="{place}"><f>{escape(formula)}</f><v>{result}</v></c>'
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return f'<c r="{place}"><v>{value}</v></c>'
        case str() if value.startswith("="):
            return f'<c r="{place}"><f>{escape(value[1:])}</f></c>'
        case _:
            return f'<c r="{place}" t="inlineStr"><is><t>{escape(str(value))}</t></is></c>'


def xlsx(
    sheets: Mapping[str, Cells | bytes], *, hidden: Sequence[str] = (), more: Mapping[str, bytes] | None = None
) -> bytes:
    """A workbook; a sheet may be given as ready XML."""
    names = list(sheets)
    listed = "".join(
        f'<sheet name="{escape(name)}" sheetId="{at}" r:id="rId{at}"{" state=" + chr(34) + "hidden" + chr(34) if name in hidden else ""}/>'
        for at, name in enumerate(names, 1)
    )
    relations = "".join(
        f'<Relationship Id="rId{at}" Type="{RELATIONS}/worksheet" Target="worksheets/sheet{at}.xml"/>'
        for at in range(1, len(names) + 1)
    )
    book = f'<workbook xmlns="{MAIN}" xmlns:r="{RELATIONS}"><sheets>{listed}</sheets></workbook>'
    parts = {
        "[Content_Types].xml": _TYPES.encode(),
        "_rels/.rels": _ROOT.encode(),
        "xl/workbook.xml": f'<?xml version="1.0"?>{book}'.encode(),
        "xl/_rels/workbook.xml.rels": f'<?xml version="1.0"?><Relationships xmlns="{_PACKAGE}">{relations}</Relationships>'.encode(),
        **(more or {}),
    }
    for at, content in enumerate(sheets.values(), 1):
        parts[f"xl/worksheets/sheet{at}.xml"] = content if isinstance(content, bytes) else sheet(content)
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in parts.items():
            packed.writestr(name, data)
    return held.getvalue()


def bomb() -> bytes:
    """A sheet of a few KB that unpacks to gigabytes."""
    held = io.BytesIO(xlsx({"S": [[1]]}))
    with (
        zipfile.ZipFile(held, "a", zipfile.ZIP_DEFLATED, compresslevel=1) as packed,
        packed.open("xl/sharedStrings.xml", "w", force_zip64=True) as out,
    ):
        out.write(f'<?xml version="1.0"?><sst xmlns="{MAIN}">'.encode())
        for _ in range(1_100):
            out.write(b"<si><t>" + b"A" * 1_000_000 + b"</t></si>")
        out.write(b"</sst>")
    return held.getvalue()


def with_entities(path: str) -> bytes:
    """A sheet that wants a file of this computer, and one entity that doubles itself."""
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    text = (
        f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY out SYSTEM "file://{path}"><!ENTITY l0 "lol">{lol}]>'
        f'<worksheet xmlns="{MAIN}"><sheetData><row r="1"><c r="A1" t="inlineStr"><is><t>&out;&l11;</t></is></c>'
        '<c r="B1"><f>1&out;</f><v>1</v></c></row></sheetData></worksheet>'
    )
    return xlsx({"S": text.encode()})
