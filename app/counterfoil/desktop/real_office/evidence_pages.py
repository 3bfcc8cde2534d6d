"""Evidence of a run, as the window asks for it: what a pack would hold, and the pack."""

from __future__ import annotations

from pathlib import Path

from counterfoil.desktop.real_office.access import Access, run_row
from counterfoil.desktop.run_facts import EvidenceLook, EvidenceMade, EvidencePart
from counterfoil.inbox.exporting import export_evidence, look_at_evidence
from counterfoil.views.evidence import plain_members


class EvidencePages:
    """Packs of one home."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def look(self, run_id: str) -> EvidenceLook:
        """What a pack of a run would hold."""
        access = self._access
        with access.reading() as conn:
            number = run_row(conn, run_id)["number"]
        found = look_at_evidence(access.database, access.blobs, access.home, run_id)
        parts = tuple(EvidencePart(one["name"], one["means"], one["bytes"]) for one in plain_members(found))
        many = len(found.gone)
        values = "1 longer value is" if many == 1 else f"{many} longer values are"
        gone = f"{values} not kept any more. The pack says so and holds the digests." if many else ""
        if found.damaged:
            cannot = (
                "1 part cannot be read" if len(found.damaged) == 1 else f"{len(found.damaged)} parts cannot be read"
            )
            gone = f"{cannot}: {', '.join(found.damaged[:3])}. The pack says so on its first page and holds the rest. {gone}".rstrip()
        return EvidenceLook(parts, found.size, f"evidence-run-{number}.zip", gone)

    def export(self, run_id: str, path: str) -> EvidenceMade:
        """Write it; whoever chose the name has agreed to lose what is there."""
        access, target = self._access, Path(path)
        with access.reading() as conn:
            run_row(conn, run_id)
        found = export_evidence(access.database, access.blobs, access.home, run_id, target, access.me, replace=True)
        return EvidenceMade(str(target), found.seal, target.stat().st_size)
