"""What a plan does to files, as a person reads it in a terminal: per file what changes, in the form that its kind is read in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from counterfoil.cli.words import counted, size
from counterfoil.previews.grids import TableChange
from counterfoil.previews.preview import FileSeen, Preview

SHOWN = 12  # lines per file unless more is asked for
_OPS = {"move": "moves to", "delete": "is deleted", "make": "is made"}


def file_title(file: FileSeen) -> str:
    """What happens, in a line: `ledger.csv`, `Move 12 files to archive/`."""
    many = len(file.moves) or len(file.names)
    match file.op:
        case "move":
            return f"Move {file.path if many == 1 else counted(many, 'file', 'files')} to {file.target}"
        case "delete":
            return f"Delete {file.path if many == 1 else counted(many, 'file', 'files')}"
        case "make":
            return f"Make {file.path if many == 1 else counted(many, 'folder', 'folders')}"
    return file.path


def diff_entry(file: FileSeen) -> dict[str, Any]:
    """A change as evidence of the kind diff (contract.md 4)."""
    return {"kind": "diff", "title": file_title(file), "data": file.to_json(), "source": None}


def file_lines(files: Sequence[FileSeen], most: int | None, whole: str) -> list[str]:
    """Lines for all files; of each at most `most` lines of what changes (None: all), `whole` is the command that shows the rest."""
    lines: list[str] = []
    folded = 0
    for file in files:
        lines.append(f"  {_head(file)}")
        if file.note:
            lines.append(f"      ! {file.note}")
        body = list(_body(file))
        shown = body if most is None else body[:most]
        lines += [f"      {line}".rstrip() for line in shown]
        folded += len(body) - len(shown)
        if most and len(body) > len(shown):
            lines.append(f"      … {counted(len(body) - len(shown), 'more line', 'more lines')}")
    if folded:
        lines.append(f"  All of it: {whole}")
    return lines


def _head(file: FileSeen) -> str:
    if file.op in _OPS:
        return file_title(file)
    sizes = " → ".join(filter(None, (size(file.bytes_before), size(file.bytes_after))))
    new = "new, " if file.bytes_before is None and file.sha_before is None else ""
    words = f" · {file.preview.words}" if file.preview is not None else ""
    return f"{file.path}  {new}{sizes}{words}"


def _body(file: FileSeen) -> Iterator[str]:
    """What changes, line by line."""
    yield from (f"{source} → {target}" for source, target in file.moves if len(file.moves) > 1)
    yield from (name for name in file.names if len(file.names) > 1)
    made = file.preview
    if made is None:
        return
    if made.note:
        yield f"! {made.note}"
    for table in made.tables:
        yield from _table(table)
    yield from _text(made)


def _table(table: TableChange) -> Iterator[str]:
    if table.name:
        yield f"{table.name}{f' ({table.what})' if table.what else ''}"
    yield from (f"! {note}" for note in table.notes)
    if table.columns and (table.added or table.removed):
        yield f"  row  {' | '.join(table.columns)}"
    yield from (f"− {line.number}  {' | '.join(line.cells)}" for line in table.removed)
    for cell in table.changed:
        where = cell.at if cell.column in ("", cell.at.rstrip("0123456789")) else f"{cell.at}, {cell.column}"
        yield f"~ {where}: {cell.before or 'empty'} → {cell.after or 'empty'}"
    yield from (f"+ {line.number}  {' | '.join(line.cells)}" for line in table.added)


def _text(made: Preview) -> Iterator[str]:
    for line in made.lines:
        number = line.new if line.new is not None else line.old
        yield f"{line.sign} {'' if number is None else number}  {line.text}"
