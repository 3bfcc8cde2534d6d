"""What pages show of templates and of the folders they run on; frozen facts out of an office."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TemplateCard:
    """A template in the gallery. `section` is used, yours or bundled; chips come from the manifest, never from free text."""

    path: str
    name: str
    title: str
    outcome: str
    section: str
    chips: tuple[str, ...] = ()
    last_used: int | None = None
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class TemplateSeen:
    """A template's page. `fields` are field objects of the contract; `remembered` values come from the workspace."""

    card: TemplateCard
    description: str
    fields: tuple[Mapping[str, Any], ...]
    remembered: Mapping[str, Any]
    will: tuple[tuple[str, str], ...]
    isolation: str
    asks: bool = True  # whether it stops for a person before it writes or sends
    raising: str = ""  # why there is no more protection, and what to do about it


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """What was measured in a chosen folder. `notes` are sentences about what is unusual; `parts` what could be left out of one that
    is refused because it holds too much."""

    path: str
    files: int
    octets: int
    copy_seconds: float
    allowed: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    unreadable: tuple[str, ...] = ()
    synced_by: str = ""
    invoices: int | None = None
    refused: str = ""
    notes: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
