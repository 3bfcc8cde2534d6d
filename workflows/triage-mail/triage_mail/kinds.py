"""What an attachment is by its content: its name and its declared type are words of the sender."""

from __future__ import annotations

_PROGRAM = "a program"
_SIGNS = (
    (b"%PDF-", "a PDF"),
    (b"\xff\xd8\xff", "a picture"),
    (b"\x89PNG", "a picture"),
    (b"GIF8", "a picture"),
    (b"MZ", _PROGRAM),
    (b"\x7fELF", _PROGRAM),
    (b"#!", _PROGRAM),
    (b"\xd0\xcf\x11\xe0", "an Office file of the old kind"),
    (b"\x78\x9f\x3e\x22", "a winmail.dat"),
)
_ENDINGS = {
    ".docm": "an Office file with macros",
    ".docx": "a Word file",
    ".pptx": "a presentation",
    ".xlsm": "an Office file with macros",
    ".xlsx": "a spreadsheet",
}
_RUN_BY_NAME = (".bat", ".cmd", ".com", ".exe", ".hta", ".js", ".jse", ".lnk", ".msi", ".ps1", ".scr", ".vbs", ".wsf")


def kind_of(name: str, data: bytes) -> str:
    """What it is, with its article."""
    ending = name[name.rfind(".") :].lower() if "." in name else ""
    if ending in _RUN_BY_NAME:
        return _PROGRAM
    for sign, kind in _SIGNS:
        if data.startswith(sign):
            return kind
    if data.startswith(b"PK\x03\x04"):
        return _ENDINGS.get(ending, "a zip archive")
    if not data:
        return "empty"
    return "a text" if b"\x00" not in data[:4096] else "a file of another kind"


def runs(kind: str) -> bool:
    """Whether opening it may run something."""
    return kind in (_PROGRAM, "an Office file with macros")
