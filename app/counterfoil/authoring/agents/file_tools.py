"""Tools over the run's copy of the workspace: plain functions that a step calls, each answer a page at most.

What they write is in the copy; the team's folder changes only when somebody approves `changes()`.
"""

from __future__ import annotations

import fnmatch

from counterfoil.authoring.agents.paging import Refused, cut, page_of
from counterfoil.authoring.file_door import files

MOST_TEXT = 10 * 1024 * 1024  # bytes of a file that is read as text
MOST_WRITTEN = 2 * 1024 * 1024  # characters of a file that a tool writes
MOST_SEARCHED = 64 * 1024 * 1024  # bytes that one search looks through
MOST_FOUND = 200
_DOCUMENTS = (".pdf", ".docx")
_SHEETS = (".xlsx", ".xlsm", ".xls", ".ods")


def list_files(folder: str = "", deep: bool = False, first: int = 1) -> str:
    """List the files in a folder of the workspace ("" is the workspace itself), with their sizes in bytes; with deep=true those of all
    folders beneath it, too. What is left out is told."""
    door = files()
    found = door.walk(folder) if deep else door.list(folder)
    lines = [f"{facts.path}  {'link' if facts.is_link else facts.size}" for facts in found]
    left = [f"{one.path}{'/' if one.kind == 'folder' else ''}  ({one.kind})" for one in door.left_out(folder)]
    if deep:
        left = [line for line in left if not line.endswith("/  (folder)")]
    return page_of(lines + left, first, 1000, what=f"The folder “{folder or '.'}”", unit="entry")


def read_file(path: str, first_line: int = 1, lines: int = 400) -> str:
    """Read lines of a text file. A long file comes in pages: the heading says where to go on."""
    return page_of(text_of(path).splitlines(), first_line, lines, what=f"“{path}”")


def search_files(text: str, folder: str = "", names: str = "*", first: int = 1) -> str:
    """Find a text in the text files of a folder and of all folders beneath it, whatever the case of its letters. `names` is a pattern
    such as *.csv. Each line found comes with its file and number."""
    wanted = text.casefold()
    if not wanted.strip():
        raise Refused("Say which text is to be found.")
    found, left, passed = list[str](), MOST_SEARCHED, 0
    for facts in files().walk(folder):
        if facts.is_link or not fnmatch.fnmatch(facts.path.rpartition("/")[2].casefold(), names.casefold()):
            continue
        left -= facts.size
        if left < 0 or len(found) >= first + MOST_FOUND:
            found.append("[the search ended here: there is more to look through; name a folder or a pattern of names]")
            break
        try:
            lines = text_of(facts.path).splitlines()
        except (Refused, OSError):
            passed += 1
            continue
        found += [f"{facts.path}:{n}: {cut(line, 300)}" for n, line in enumerate(lines, 1) if wanted in line.casefold()]
    note = f" ({passed} files that are no text were not searched)" if passed else ""
    if not found:
        return f"“{text}” was not found{note}."
    return page_of(found, first, MOST_FOUND, what=f"Found “{cut(text, 60)}”{note}", unit="hit")


def write_file(path: str, text: str) -> str:
    """Write a whole text file, new or in the place of the old one, as UTF-8. To change a part of a file use edit_file."""
    if path.lower().endswith(_SHEETS + _DOCUMENTS):
        raise Refused(
            f"“{path}” would be no file of its kind: a text is none. For cells of .xlsx files use write_cells."
        )
    if len(text) > MOST_WRITTEN:
        raise Refused(f"That is {len(text):,} characters; a file written so may have {MOST_WRITTEN:,}.")
    files().write(path, text.encode("utf-8", "surrogatepass"))
    return f"“{path}” has {len(text.splitlines())} lines now."


def edit_file(path: str, old: str, new: str, everywhere: bool = False) -> str:
    """Replace a part of a text file. `old` must be in the file exactly as given, spaces and line ends included, and once only, unless
    everywhere=true."""
    if not old:
        raise Refused("Say in `old` which text is to be replaced; to write a whole file use write_file.")
    text, encoding = decoded(path, _bytes_of(path))
    if text.count("\r\n") == text.count("\n") > 0:  # every line ends as Windows writes it, and stays so
        old, new = ("\r\n".join(part.splitlines() + [""] * part.endswith("\n")) for part in (old, new))
    count = text.count(old)
    if not count:
        raise Refused(f"“{path}” does not hold that text. Read the file again and give the part exactly as it is.")
    if count > 1 and not everywhere:
        at = ", ".join(str(n) for n in _lines_with(text, old)[:5])
        raise Refused(
            f"“{path}” holds that text {count} times (lines {at}). Give more of what is around it, or everywhere=true."
        )
    try:
        written = text.replace(old, new).encode(encoding)
    except UnicodeEncodeError as problem:
        raise Refused(f"“{path}” is kept as {encoding}, which has no “{problem.object[problem.start]}”.") from problem
    files().write(path, written)
    return f"{count} {'place was' if count == 1 else 'places were'} changed in “{path}”."


def move_file(path: str, to: str) -> str:
    """Give a file or a folder another path. Nothing is overwritten."""
    files().move(path, to)
    return f"“{path}” is “{to}” now."


def remove_file(path: str) -> str:
    """Remove a file, or a folder with all that is in it."""
    files().remove(path)
    return f"“{path}” is removed."


# -------------------------------------------------------------------------------------------------------------- texts


def text_of(path: str) -> str:
    """The text of a file.

    Raises:
        Refused: it is no text, or too long.
        FileRefused: it cannot be read.
    """
    return decoded(path, _bytes_of(path))[0]


def _bytes_of(path: str) -> bytes:
    lower = path.lower()
    if lower.endswith(_SHEETS):
        raise Refused(f"“{path}” is a spreadsheet: use read_cells, and write_cells to change it.")
    if lower.endswith(_DOCUMENTS):
        raise Refused(f"“{path}” is a document: use read_document.")
    return files().read(path, limit=MOST_TEXT)


def decoded(path: str, data: bytes) -> tuple[str, str]:
    """Bytes as text, and how they are encoded: UTF-8, UTF-16 where a mark says so, else as Windows writes it in the West.

    Raises:
        Refused: it is no text.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encodings = ["utf-16"]
    elif b"\x00" in data:
        encodings = []
    else:
        encodings = ["utf-8-sig" if data.startswith(b"\xef\xbb\xbf") else "utf-8", "cp1252"]
    for encoding in encodings:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise Refused(f"“{path}” is no text file.")


def _lines_with(text: str, part: str) -> list[int]:
    found, at = list[int](), text.find(part)
    while at >= 0:
        found.append(text.count("\n", 0, at) + 1)
        at = text.find(part, at + len(part))
    return found
