"""Shows a folder in the system's own program for files."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def show_folder(path: str, *, inside: bool = False) -> None:
    """Open a folder, or the one that a file lies in."""
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(Path(path).parent if inside else path)))
