"""A picture in a common form made anew, in a process of its own: nobody vouches for it, so the process may write no file, has little memory
and little time, and what it says is taken as a picture or not at all.

`python -m counterfoil.desktop.picture_maker` reads a picture on stdin and writes one line of JSON, then a PNG: `{"width", "height", "page",
"pages"}` in pixels of the picture, or `{"problem": sentence}` alone.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader, QImageWriter

from counterfoil.previews.bounds import bound

_SIDE = 1_600  # pixels of the longer side
_KEEP = Qt.AspectRatioMode.KeepAspectRatio
_MEGABYTES = 256  # of one picture, unpacked
_FORMS = (
    (b"\x89PNG\r\n\x1a\n", b"png"),
    (b"\xff\xd8\xff", b"jpeg"),
    (b"GIF8", b"gif"),
    (b"BM", b"bmp"),
    (b"RIFF", b"webp"),
    (b"II*\x00", b"tiff"),
    (b"MM\x00*", b"tiff"),
)


def main() -> int:
    """Make the picture; 0 also where there is none, since the line says why."""
    data = sys.stdin.buffer.read()
    form = next((name for magic, name in _FORMS if data.startswith(magic)), None)
    if form is None:
        return _say({"problem": "It is no picture of a form that can be shown."})
    QImageReader.setAllocationLimit(_MEGABYTES)
    held = QBuffer()
    held.setData(QByteArray(data))
    held.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(held, QByteArray(form))
    reader.setAutoTransform(True)
    reader.canRead()  # loads what reads this form, before no more can be loaded
    bound()
    size = reader.size()
    if size.isValid() and max(size.width(), size.height()) > _SIDE:
        reader.setScaledSize(size.scaled(QSize(_SIDE, _SIDE), _KEEP))
    picture = reader.read()
    if picture.isNull():
        return _say({"problem": "It is no picture, or a broken one."})
    whole = size if size.isValid() else picture.size()
    return _say({"width": whole.width(), "height": whole.height(), "page": 1, "pages": 1}, _png(picture))


def _png(picture: QImage) -> bytes:
    made = QBuffer()
    made.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(made, QByteArray(b"png")).write(picture)
    return bytes(made.data().data())


def _say(head: dict[str, Any], picture: bytes = b"") -> int:
    sys.stdout.buffer.write(json.dumps(head).encode() + b"\n" + picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
