"""Lays a gate out on pages, in a process of its own: thousands of rows take seconds, in which the window would take no key.

`python -m counterfoil.desktop.frame.paper_maker` reads `{"title", "html"}` on stdin and writes a PDF of A4 pages to stdout.
"""

from __future__ import annotations

import json
import sys

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF
from PySide6.QtGui import QFontDatabase, QGuiApplication, QPageLayout, QPageSize, QPdfWriter, QTextDocument

from counterfoil.desktop.theme import FONTS
from counterfoil.places import bundled


def main() -> int:
    """Make the PDF."""
    asked = json.loads(sys.stdin.buffer.read())
    application = QGuiApplication([sys.argv[0], "-platform", "offscreen"])
    for name in FONTS:
        QFontDatabase.addApplicationFont(str(bundled("resources") / "fonts" / name))
    sys.stdout.buffer.write(pdf(asked["title"], asked["html"]))
    application.quit()
    return 0


def pdf(title: str, html: str) -> bytes:
    """A document as the bytes of a PDF."""
    held = QBuffer()
    held.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(held)
    writer.setPageSize(QPageSize(QPageSize.PageSizeId.A4))
    writer.setPageMargins(QMarginsF(18, 18, 18, 18), QPageLayout.Unit.Millimeter)
    writer.setTitle(title)
    writer.setResolution(120)
    document = QTextDocument()
    document.setHtml(html)
    document.setPageSize(writer.pageLayout().paintRectPixels(writer.resolution()).size().toSizeF())
    document.print_(writer)
    del writer  # it writes the end of the file
    return bytes(held.data().data())


if __name__ == "__main__":
    sys.exit(main())
