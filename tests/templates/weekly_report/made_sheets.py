"""Workbooks made by hand with days, errors, merged and hidden cells: the same description gives the same bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping, Sequence
from datetime import date
from xml.sax.saxutils import escape

from counterfoil.previews.grids import letters
from previews.books import MAIN, xlsx

_STYLES = f"""<?xml version="1.0"?><styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/>
<xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>""".encode()
_ZERO = date(1899, 12, 30)

Row = Sequence[object]


class Error(str):
    """A cell that shows an error, such as #REF!."""

    __slots__ = ()


class Formula(str):
    """A formula that was never worked out."""

    __slots__ = ()


def sheet(
    rows: Sequence[Row] | Mapping[int, Row], *, merged: Sequence[str] = (), hidden_rows: Sequence[int] = ()
) -> bytes:
    """One sheet's XML: numbers, texts, days, errors and formulas; rows by number, or one after the other from 1 on."""
    numbered = dict(rows) if isinstance(rows, Mapping) else dict(enumerate(rows, start=1))
    out = [f'<?xml version="1.0"?><worksheet xmlns="{MAIN}"><sheetData>']
    for number, row in numbered.items():
        cells = "".join(_cell(f"{letters(at)}{number}", value) for at, value in enumerate(row) if value is not None)
        hidden = ' hidden="1"' if number in hidden_rows else ""
        out.append(f'<row r="{number}"{hidden}>{cells}</row>')
    out.append("</sheetData>")
    if merged:
        listed = "".join(f'<mergeCell ref="{reference}"/>' for reference in merged)
        out.append(f'<mergeCells count="{len(merged)}">{listed}</mergeCells>')
    out.append("</worksheet>")
    return "".join(out).encode()


def _cell(place: str, value: object) -> str:
    match value:
        case Error():
            return f'<c r="{place}" t="e"><v>{escape(value)}</v></c>'
        case Formula():
            return f'<c r="{place}"><f>{escape(value)}</f></c>'
        case bool():
            return f'<c r="{place}" t="b"><v>{int(value)}</v></c>'
        case int() | float():
            return f'<c r="{place}"><v>{value}</v></c>'
        case date():
            return f'<c r="{place}" s="1"><v>{(value - _ZERO).days}</v></c>'
        case _:
            return f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">{escape(str(value))}</t></is></c>'


def book(sheets: Mapping[str, bytes | Sequence[Row]], *, hidden: Sequence[str] = ()) -> bytes:
    """A workbook of these sheets."""
    made = {name: one if isinstance(one, bytes) else sheet(one) for name, one in sheets.items()}
    return _dated(xlsx(made, hidden=hidden, more={"xl/styles.xml": _STYLES}))


def _dated(data: bytes) -> bytes:
    """The same archive with the same times in it, not packed: no zlib makes other bytes of it."""
    held = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(held, "w") as target:
        for part in source.infolist():
            entry = zipfile.ZipInfo(part.filename, (1980, 1, 1, 0, 0, 0))
            entry.create_system = 3
            target.writestr(entry, source.read(part))
    return held.getvalue()


def text(rows: Sequence[Row], *, delimiter: str = ";", encoding: str = "utf-8") -> bytes:
    """A text file of these rows."""
    return "".join(delimiter.join(_quoted(str(cell), delimiter) for cell in row) + "\r\n" for row in rows).encode(
        encoding
    )


def _quoted(cell: str, delimiter: str) -> str:
    return f'"{cell.replace(chr(34), chr(34) * 2)}"' if any(sign in cell for sign in f'{delimiter}"\n') else cell
