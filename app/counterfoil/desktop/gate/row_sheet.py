"""One row of evidence, whole: every column of it below each other, and the page or the place that it came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtWidgets import QWidget

from counterfoil.desktop.bridge import Bridge
from counterfoil.desktop.gate.facts import Fact
from counterfoil.desktop.gate.facts_grid import FactsGrid
from counterfoil.desktop.gate.sources import SourceCard
from counterfoil.desktop.parts.buttons import Button
from counterfoil.desktop.parts.labels import Label
from counterfoil.desktop.parts.layouts import put
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.tables.table import Line, Table
from counterfoil.desktop.words.values import NOTHING

_WIDTH = 640
_PAGES = (".pdf", ".png", ".jpg", ".jpeg")  # what has pages that can be shown
Entry = Mapping[str, Any]


class RowSheet(Sheet):
    """A look at a row; it asks nothing and decides nothing."""

    def __init__(
        self,
        over: QWidget,
        title: str,
        table: Table,
        line: Line,
        sources: Sequence[Entry],
        workspace: str,
        bridge: Bridge,
    ) -> None:
        """`sources` are the gate's evidence of files; those that the row names are shown with their page."""
        super().__init__(title, over, width=_WIDTH)
        pairs = zip((column.title for column in table.columns), line.texts, strict=True)
        facts = [Fact(name, text) for name, text in pairs if text not in ("", NOTHING)] + (
            [Fact("Note", line.note)] if line.note else []
        )
        put(self.body, FactsGrid(facts))
        self.cards = [SourceCard(entry, workspace, bridge) for entry in named_in(line, sources)]
        if self.cards:
            put(self.body, Label("Where it comes from", "h2"), *self.cards)
        for card in self.cards:
            card.show_page()
        close = Button("Close", "outline")
        close.clicked.connect(self.dismiss)
        put(self.foot, close, None)


def named_in(line: Line, sources: Sequence[Entry]) -> list[Entry]:
    """The sources that a row names, each once; a file with pages that is no evidence of its own is one, too."""
    texts = [text for text in (*line.texts, line.note) if text]
    found = [entry for entry in sources if any(_path(entry) in text for text in texts)]
    known = {_path(entry) for entry in found}
    more = dict.fromkeys(text for text in texts if text.lower().endswith(_PAGES))
    found += [
        {"title": path.rpartition("/")[2], "source": path, "data": {"path": path, "page": 1}, "guessed": True}
        for path in more
        if not any(path in one or one in path for one in known)
    ]
    return found


def _path(entry: Entry) -> str:
    data = entry.get("data")
    path = data.get("path") if isinstance(data, Mapping) else None
    return str(path or entry.get("source") or entry["title"])
