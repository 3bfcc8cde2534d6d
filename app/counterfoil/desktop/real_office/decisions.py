"""What a person does at a gate: drafts, read marks, the decision and taking it back. Every one is on disk before it is answered."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from counterfoil.catalogue.parameters import parse_texts
from counterfoil.desktop.gate_facts import Answer, DecisionMade, Draft
from counterfoil.desktop.real_office.access import Access, gate_row
from counterfoil.desktop.words.gates import closed
from counterfoil.errors import AlreadyDecided, CounterfoilError, GateClosed, StaleDigest, WrongAnswer
from counterfoil.facts import GateKind, Verdict
from counterfoil.inbox.deciding import Wish, decide, void
from counterfoil.inbox.hinting import hint
from counterfoil.settings.window import undo_seconds
from counterfoil.store import drafts, gates, readings
from counterfoil.store.transactions import Connection, Row, Txn
from counterfoil.views.asked import decision_document, spec_of

_SECOND = 1_000_000


class Decisions:
    """One person's acts at gates."""

    def __init__(self, access: Access) -> None:
        self._access = access

    def save_draft(self, gate_id: str, draft: Draft) -> None:
        """Keep what was filled in, and which parts were in view."""
        me = self._access.me
        with self._access.reading() as conn:
            gate_row(conn, gate_id)
            before, seen = drafts.get(conn, gate_id, me), readings.get(conn, gate_id, me)
        body = None if draft.empty else draft_json(draft)
        new_parts = bool(draft.opened) and (
            seen is None or readings.opened_in(seen) != tuple(sorted(draft.opened)) or seen["digest"] != draft.seen
        )
        if body == before and not new_parts:
            return

        def operation(txn: Txn) -> None:
            if body is None:
                drafts.forget(txn, gate_id, me)
            elif body != before:
                drafts.save(txn, gate_id, me, body)
            if new_parts and draft.seen:
                readings.note_opened(txn, gate_id, me, draft.seen, draft.opened)

        self._access.write(operation)

    def mark_read(self, gate_id: str, digest: str) -> None:
        """It was on the screen; marking it again writes nothing."""
        me = self._access.me
        with self._access.reading() as conn:
            gate_row(conn, gate_id)
            seen = readings.get(conn, gate_id, me)
        if seen is None or seen["digest"] != digest:
            self._access.write(lambda txn: readings.mark(txn, gate_id, me, digest))

    def decide(self, answer: Answer) -> DecisionMade:
        """Commit a decision that takes effect when it cannot be taken back any more, and wake the runner."""
        access = self._access
        with access.reading() as conn:
            row = gate_row(conn, answer.gate_id)
            spec = spec_of(access.blobs, row)
            seen = readings.get(conn, answer.gate_id, access.me)
        opened = readings.opened_in(seen) if seen is not None and seen["digest"] == answer.digest else ()
        wish = Wish(
            verdict=_verdict(answer, spec),
            principal=access.me,
            comment=answer.comment,
            answers=_answers(answer, row, spec["fields"]),
            only=answer.only,
            confirmed=answer.confirmed,
            edits={int(n): dict(changed) for n, changed in answer.edits.items()},
            digest=answer.digest,
            delay_us=undo_seconds(access.home.root) * _SECOND,
            opened=opened,
        )
        with access.telling(), self.for_the_window(answer.gate_id):
            made = decide(access.database, access.blobs, answer.gate_id, wish)
        hint(access.home)
        return DecisionMade(made.gate_id, made.verdict, made.effective_at)

    def void(self, gate_id: str) -> None:
        """Take the decision back; what was filled in is still there."""
        access = self._access
        with access.reading() as conn:
            gate_row(conn, gate_id)
        with access.telling():
            void(access.database, gate_id, access.me)
        hint(access.home)

    @contextlib.contextmanager
    def for_the_window(self, gate_id: str) -> Iterator[None]:
        """Refusals in the window's words: people by name, and no commands of a terminal."""
        try:
            yield
        except AlreadyDecided as problem:
            with self._access.reading() as conn:
                raise AlreadyDecided(self._decided(conn, gate_id) or problem.message, "") from problem
        except StaleDigest as problem:
            raise StaleDigest(
                "This changed while you looked at it. Nothing was decided.", "Look again before you decide."
            ) from problem
        except GateClosed as problem:
            with self._access.reading() as conn:
                raise GateClosed(self._closed(conn, gate_id), "") from problem
        except CounterfoilError as problem:
            if "counterfoil" in problem.next_step or "--" in problem.next_step:
                problem.next_step = ""
            raise

    def _decided(self, conn: Connection, gate_id: str) -> str:
        made = [decision_document(row) for row in gates.decisions(conn, gate_id)]
        said = closed({"state": "decided", "decisions": made}, self._access.me, self._access.clock.now_us())
        return f"{said} Nothing left to decide." if said else ""

    def _closed(self, conn: Connection, gate_id: str) -> str:
        row = gate_row(conn, gate_id)
        match row["state"]:
            case "superseded":
                return "A newer round of this question is open. Nothing was decided."
            case "expired":
                return "Nobody decided in time, so this question is closed. Nothing was written."
        return f"{row['closed_why'] or 'This question is closed'}. Nothing was decided."


def draft_json(draft: Draft) -> str:
    """A draft as its row keeps it; which parts were in view is kept with the reading."""
    body = {
        "values": draft.values,
        "held": list(draft.held),
        "left_out": list(draft.left_out),
        "edits": draft.edits,
        "comment": draft.comment,
        "words": draft.words,
        "seen": draft.seen,
    }
    return json.dumps(body, ensure_ascii=False, sort_keys=True)


def _verdict(answer: Answer, spec: Mapping[str, Any]) -> Verdict:
    """Holding rows is an approval of the rest: it sends the plan back to be made anew, and needs no reason."""
    remade = any(field.get("remakes") and answer.values.get(field["name"]) for field in spec["fields"])
    bare = answer.verdict == Verdict.RETURNED and not answer.comment.strip()
    if bare and remade and spec["kind"] == GateKind.APPROVAL:
        return Verdict.APPROVED
    return Verdict(answer.verdict)


def _answers(answer: Answer, row: Row, fields: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What was filled in, by the types of the fields; texts are read as on the command line."""
    pairs: list[tuple[str, str]] = []
    plain: dict[str, Any] = {}
    for name, value in answer.values.items():
        if isinstance(value, str):
            pairs.append((name, value))
        elif isinstance(value, list | tuple):
            pairs.extend((name, str(item)) for item in value)
        else:
            plain[name] = value
    return {**parse_texts(fields, pairs, what=f"gate g-{row['number']}", wrong=WrongAnswer), **plain}
