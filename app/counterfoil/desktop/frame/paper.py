"""A gate on paper: everything that is on the screen, as a PDF that is chosen a name for. No printer library, no dialog loop.

What cannot be written leaves the file that was there as it was, and is said.
"""

from __future__ import annotations

import contextlib
import html
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.reading import Reading, read
from counterfoil.desktop.gate_facts import GateSeen
from counterfoil.desktop.tables.table import from_evidence
from counterfoil.desktop.theme import SANS
from counterfoil.desktop.words import times
from counterfoil.desktop.words.choices import choice_words
from counterfoil.desktop.words.plain import plain
from counterfoil.desktop.words.values import shown
from counterfoil.errors import CounterfoilError
from counterfoil.facts import as_sentence
from counterfoil.policy import protection

_MAKER = "counterfoil.desktop.frame.paper_maker"
_PACKAGE = Path(__file__).resolve().parents[3]
_PATIENCE = 300.0  # seconds; five thousand rows take ten


class NotWritten(CounterfoilError):
    """A file that a person asked for could not be written."""

    code = "not_written"


def save_as_pdf(
    window: QWidget, seen: GateSeen, bridge: Bridge, now_us: int, told: Callable[[str], None]
) -> QFileDialog:
    """Ask for a name, then have the gate written there, away from the window's thread; `told` is called when it is there."""
    dialog = QFileDialog(window, "Save this gate as PDF", f"gate-{seen.document['number']}.pdf", "PDF (*.pdf)")
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix("pdf")
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    saver = _Saver(
        dialog, lambda path: bridge.ask(window, lambda _office: write_pdf(path, seen, now_us), told, slow=True)
    )
    dialog.fileSelected.connect(saver.save)
    dialog.open()
    return dialog


class _Saver(QObject):
    """Writes once the name is known; lives as long as its dialog."""

    def __init__(self, dialog: QFileDialog, write: Callable[[Path], object]) -> None:
        super().__init__(dialog)
        self._write = write

    @Slot(str)
    def save(self, path: str) -> None:
        self._write(Path(path))


def write_pdf(path: Path, seen: GateSeen, now_us: int) -> str:
    """The gate as a PDF file of A4 pages, whole or not at all; the sentence that says so.

    Raises:
        NotWritten: with the sentence that says why.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        part.write_bytes(_pdf(seen, now_us))
        part.replace(path)
    except (OSError, subprocess.SubprocessError) as problem:
        with contextlib.suppress(OSError):
            part.unlink()
        why = problem.strerror if isinstance(problem, OSError) and problem.strerror else "it could not be laid out"
        raise NotWritten(
            f"The PDF could not be written to {plain(path)}: {why}.", "Nothing was changed. Choose another folder."
        ) from problem
    return as_sentence(f"{plain(path.name)} is written, in {plain(path.parent)}")


def _pdf(seen: GateSeen, now_us: int) -> bytes:
    asked = json.dumps({"title": plain(seen.document["title"]), "html": as_html(seen, now_us)}).encode("ascii")
    roots = [str(_PACKAGE), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(roots), "PYTHONUTF8": "1"}
    command = [sys.executable, "-P", "-m", _MAKER]
    done = subprocess.run(command, input=asked, capture_output=True, timeout=_PATIENCE, check=True, env=environment)
    return done.stdout


def as_html(seen: GateSeen, now_us: int) -> str:
    """The gate as HTML; every text of others is escaped."""
    today = times.local(now_us).date()
    reading = read(seen, today)
    asked = times.iso_instant(str(seen.document["asked_at"])) or now_us
    parts = [
        f"<p>{_e(seen.template)} · Run {seen.run_number} · g-{seen.document['number']} · asked {_e(times.full(asked))}</p>",
        f"<h1>{_e(reading.title)}</h1>",
        *(f"<p><b>{_e(line)}</b></p>" for line in reading.effects_first),
        *(f"<p>{_e(line)}</p>" for line in reading.consequences),
        _pairs(reading.figures),
        *(f"<p>⚠ {_e(flag)}</p>" for flag in reading.flags),
        *(_answer(reading, row.key) for row in reading.answers),
        *(_section({**section.entry, "kind": section.kind}, today) for section in reading.sections),
        _plan(seen),
        f"<p>Protected: {_e(protection.badge(seen.isolation))}. {_e(protection.beside_badge(seen.isolation))}</p>",
        f"<p>Sealed {_e(reading.digest)}. Printed {_e(times.full(now_us))}.</p>",
    ]
    style = f"body {{ font-family: '{SANS}'; font-size: 9pt; }} h1 {{ font-size: 15pt; }} h2 {{ font-size: 11pt; }}"
    return (
        f"<html><head><style>{style} td, th {{ padding: 3px 8px; }}</style></head><body>{''.join(parts)}</body></html>"
    )


def _answer(reading: Reading, key: str) -> str:
    row = next(one for one in reading.answers if one.key == key)
    chosen = reading.seen.draft.values.get(row.field, "")
    said = f" Answer: {choice_words(str(chosen))}." if chosen else ""
    return f"<h2>{_e(row.title)}</h2><p>{_e(row.flag)}{_e(said)}</p>{_pairs(tuple((fact.name, fact.value) for fact in row.facts))}"


def _section(entry: Mapping[str, Any], today: date) -> str:
    head = f"<h2>{_e(entry.get('title') or '')}</h2>" if entry.get("title") else ""
    data = entry.get("data")
    if entry["kind"] == "table" and isinstance(data, Mapping):
        table = from_evidence(data, today)
        heads = "".join(f"<th align='left'>{_e(column.title)}</th>" for column in table.columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_e(cell)}</td>" for cell in line.texts) + f"<td>{_e(line.note)}</td></tr>"
            for line in table.arrange()
        )
        return f"{head}<table border='1' cellspacing='0'><tr>{heads}<th></th></tr>{rows}</table>"
    if entry["kind"] == "fields" and isinstance(data, list):
        return head + _pairs(tuple((plain(name), shown(value, today)) for name, value in data))
    if isinstance(data, str):
        return f"{head}<p>{_e(data).replace(chr(10), '<br>')}</p><p><i>{_e(entry.get('source') or '')}</i></p>"
    return ""


def _plan(seen: GateSeen) -> str:
    lines = "".join(
        f"<li>{_e(entry['summary'])} ({_e(entry['after_digest'] or '')})</li>" for entry in seen.document["plan"]
    )
    return f"<h2>Plan</h2><ol>{lines}</ol>" if lines else ""


def _pairs(pairs: tuple[tuple[str, str], ...]) -> str:
    rows = "".join(f"<tr><td>{_e(name)}</td><td><b>{_e(value)}</b></td></tr>" for name, value in pairs)
    return f"<table>{rows}</table>" if rows else ""


def _e(text: object) -> str:
    return html.escape(plain(text, lines=True))
