"""A folder that a person chose, measured: how much, what can be done there, what stays out of a copy, what will be in the way."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.desktop.words.numbers import count
from counterfoil.errors import CounterfoilError, TooMuch
from counterfoil.facts import as_sentence
from counterfoil.places import Home
from counterfoil.settings.workspace import leave_out
from counterfoil.stage.grounds import why_not
from counterfoil.stage.leaving_out import choices_of, told
from counterfoil.stage.probing import probe
from counterfoil.stage.survey import refuse_too_much, survey

_SNIFFED = 400  # files whose beginning is read to see whether they are invoices
_BEGINNING = 4_096  # bytes
_PDF_READ = 400_000  # bytes of a PDF that are searched for an attached invoice
_BYTES_A_SECOND, _FILES_A_SECOND = 250_000_000, 4_000  # a copy on a plain disk, told as “about”

_INVOICE_WORDS = (b"CrossIndustryInvoice", b"oasis:names:specification:ubl:schema:xsd:Invoice", b"xsd:CreditNote-2",
                  b"CrossIndustryDocument")  # fmt: skip
_ATTACHED = (b"factur-x.xml", b"zugferd-invoice.xml", b"xrechnung.xml")


def measure(path: str, home: Home) -> FolderFacts:
    """Facts of a folder; `refused` says why it cannot be a workspace."""
    try:
        root = Path(path).expanduser().resolve(strict=True)
    except FileNotFoundError:
        return _refused(path, as_sentence(f"There is no folder {path}") + " Choose one that exists.")
    except (OSError, RuntimeError, ValueError) as problem:
        return _refused(path, f"{path} cannot be used: {getattr(problem, 'strerror', None) or 'it leads in a circle'}.")
    refused = why_not(root, home)
    if refused:
        return _refused(str(root), refused)
    try:
        found = survey(str(root), choices_of(root, home), try_reading=True)
        refuse_too_much(found, str(root))
        able = probe(root, home)
    except TooMuch as much:
        return _refused(str(root), f"{much.message} Leave parts out, or choose a smaller folder.", much.parts)
    except (CounterfoilError, OSError) as problem:
        return _refused(str(root), str(problem))
    files = [seen for seen in found.seen.values() if seen.kind == "file"]
    links = sum(seen.kind == "link" for seen in found.seen.values())
    unreadable = [one.path for one in found.left_out if one.why == "unreadable"]
    told_out = told((one.path, one.why) for one in found.left_out if one.why != "unreadable")
    return FolderFacts(
        path=str(root),
        files=len(files) + len(unreadable),
        octets=found.octets,
        copy_seconds=_seconds(found.octets, len(files), clones=able.clones),
        allowed=able.acts,
        left_out=(*told_out, *([count(links, "link")] if links else [])),
        unreadable=tuple(unreadable),
        synced_by=able.synced_by,
        invoices=_invoices(root, [seen.path for seen in files]) or None,
        notes=tuple(f"{note.what} {note.now}" for note in able.notes),
    )


def measure_without(path: str, parts: Sequence[str], home: Home) -> FolderFacts:
    """Have parts left out of the copies of runs, and look again."""
    leave_out(Path(path), parts)
    return measure(path, home)


def _seconds(octets: int, files: int, *, clones: bool) -> float:
    return round((0 if clones else octets / _BYTES_A_SECOND) + files / _FILES_A_SECOND, 1)


def _refused(path: str, why: str, parts: tuple[str, ...] = ()) -> FolderFacts:
    return FolderFacts(path=path, files=0, octets=0, copy_seconds=0.0, allowed=(), refused=why, parts=parts)


def _invoices(root: Path, paths: list[str]) -> int:
    likely = [path for path in paths if path.lower().endswith((".xml", ".pdf"))]
    return sum(_is_invoice(root / path) for path in likely[:_SNIFFED])


def _is_invoice(file: Path) -> bool:
    """A guess from a file's beginning, never by its name; nothing is parsed here."""
    try:
        with file.open("rb") as source:
            start = source.read(_BEGINNING)
            if start.lstrip().startswith(b"<"):
                return any(word in start for word in _INVOICE_WORDS)
            if not start.startswith(b"%PDF-"):
                return False
            return any(name in (start + source.read(_PDF_READ)).lower() for name in _ATTACHED)
    except OSError:
        return False
