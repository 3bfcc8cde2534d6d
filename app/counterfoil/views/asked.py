"""What a gate asks as the contract writes it, made of rows that were read already: what follows from each answer, who answered."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from counterfoil.clock import iso
from counterfoil.errors import Damaged
from counterfoil.facts import GateKind
from counterfoil.policy.approvers import approvers_of
from counterfoil.store.blobs import Blobs
from counterfoil.store.llm_money import words
from counterfoil.views.consequences import consequences
from counterfoil.views.plain import contract, kept

if TYPE_CHECKING:
    from counterfoil.store.transactions import Row

Document = dict[str, Any]
_FIELD_KEYS = ("name", "type", "label", "choices", "default", "required")
_PLAN_KEYS = ("n", "effect", "summary", "target", "before_digest", "after_digest", "bytes", "risk", "risk_reason")


def spec_of(blobs: Blobs, row: Row) -> Document:
    """What a gate shows, as it was asked: plain values with their codec tags.

    Raises:
        Damaged: it is gone, or is not what was kept.
    """
    try:
        spec: Document = kept(blobs, row["spec"], row["spec_blob"])
    except ValueError as problem:
        raise Damaged("What it asked is not what was kept.", "Restore a backup of the data folder.") from problem
    return spec


def figures_of(spec: Document) -> list[list[Any]]:
    """The key figures of a spec as pairs of label and contract value."""
    return [[label, contract(value)] for label, value in spec.get("figures") or []]


def decision_document(row: Row) -> Document:
    """One decision (contract.md 4) from its row."""
    return {
        "gate_id": row["gate_id"],
        "verdict": row["verdict"],
        "by": row["principal"],
        "on_behalf_of": row["on_behalf_of"],
        "at": iso(row["at"]),
        "effective_at": iso(row["effective_at"]),
        "digest": row["digest"],
        "comment": row["comment"],
        "signature": row["signature"],
    }


def document_of(row: Row, decided: Sequence[Row], spec: Document, given: Row | None = None) -> Document:
    """One gate (contract.md 4) from its row, the decisions that stand on it, what it shows, and the row that says whom it waits for."""
    rules = approvers_of(spec)
    return {
        "gate_id": row["gate_id"],
        "number": row["number"],
        "run_id": row["run_id"],
        "kind": row["kind"],
        "title": row["title"],
        "asked_at": iso(row["asked_at"]),
        "files_as_of": iso(row["files_as_of"]),
        "due_at": iso(row["due_at"]),
        "on_due": row["on_due"],
        "digest": row["digest"],
        "round": row["round"],
        "consequences": consequences(spec),
        "plan": [{key: item.get(key) for key in _PLAN_KEYS} for item in spec.get("plan") or []],
        "evidence": evidence_of(spec),
        "flags": list(spec.get("flags") or []),
        "fields": [_field(field) for field in spec.get("fields") or []],
        "who": {
            "needs": rules.needs,
            "from": list(rules.named),
            "not": list(rules.barred),
            "given": [entry["principal"] for entry in decided],
        },
        "state": row["state"],
        "decisions": [decision_document(entry) for entry in decided],
        "waits_for": _waits_for(given) if given is not None else None,
    }


def _waits_for(given: Row) -> Document:
    return {
        "who": given["asked"],
        "by": given["given_by"],
        "at": iso(given["given_at"]),
        "comment": given["why"],
    }


def evidence_of(spec: Document) -> list[Document]:
    """Evidence entries of a spec; what the product itself knows of a doubt or a failure comes first."""
    about = _about(spec)
    return about + [
        {
            "kind": str(piece["kind"]).partition("@")[0],
            "title": piece["title"],
            "data": contract(piece["data"]),
            "source": piece["source"],
        }
        for piece in spec.get("evidence") or []
    ]


def _field(field: Document) -> Document:
    return {**{key: field.get(key) for key in _FIELD_KEYS}, "default": contract(field.get("default"))}


def _about(spec: Document) -> list[Document]:
    about = spec.get("about") or {}
    if spec["kind"] == GateKind.DOUBT:
        return [_facts("What is known", _doubt_facts(about))]
    if spec["kind"] == GateKind.CONFLICT:
        return _changed_files(about)
    if spec["kind"] == GateKind.BUDGET:
        return [_facts("What is known", _budget_facts(about))]
    if spec["kind"] == GateKind.FAILURE:
        pieces = [_facts("What stopped", _failure_facts(about))]
        trace = (about.get("error") or {}).get("traceback")
        if trace:
            pieces.append({"kind": "text", "title": "Traceback", "data": trace, "source": "Python"})
        return pieces
    return []


def _changed_files(about: Document) -> list[Document]:
    """Per file what it was, what it is now in the folder, and what the run would make of it."""
    return [{"kind": "fields", "title": file["path"], "data": _sides(file), "source": None} for file in about["files"]]


def _sides(file: Document) -> list[list[Any]]:
    now, run = file["now"], (file["made"].get("use") or {}).get("file")
    return [
        ["What happened", f"It {file['why']}."],
        ["Before", _side(file["before"], None) or "not there"],
        ["Yours now", "not there" if now is None else _side(now["sha256"], now["size"])],
        *([["Saved", iso(now["changed_at"])]] if now is not None else []),
        ["The run's", ". ".join([file["does"], *([_side(run["sha256"], run["size"])] if run else [])])],
        *([["Both", f"The run's as {file['made']['both']['file']['path']}"]] if _has_both(file) else []),
    ]


def _side(sha: str | None, size: int | None) -> str:
    """A file by its length and the beginning of its seal."""
    if sha is None or len(sha) != 64:
        return sha or ""
    seal = f"seal {sha[:4]} {sha[4:8]}"
    return seal if size is None else f"{size:,} {'byte' if size == 1 else 'bytes'}, {seal}"


def _has_both(file: Document) -> bool:
    return bool((file["made"].get("both") or {}).get("file"))


def _facts(title: str, pairs: list[list[Any]]) -> Document:
    return {"kind": "fields", "title": title, "data": [pair for pair in pairs if pair[1] is not None], "source": None}


def _doubt_facts(about: Document) -> list[list[Any]]:
    return [
        ["Effect", about.get("effect")],
        ["Began", iso(about.get("began_us"))],
        ["Key", about.get("key")],
        *([label, contract(value)] for label, value in about.get("facts") or []),
        ["How to find out", about.get("how") or None],
    ]


def _budget_facts(about: Document) -> list[list[Any]]:
    if about["why"] == "again":
        what = [["Tool", about["tool"]], ["Arguments", about["args"]]] if about["tool"] else [["Asked", about["args"]]]
        return [*what, ["How often", about["times"]]]

    def shown(counted: Any) -> str:
        return f"{int(counted):,} tokens" if about["in_tokens"] else words(Decimal(str(counted)))

    return [
        ["Llm", about["llm"]],
        ["Limit", shown(about["most"])],
        ["Spent or reserved", shown(about["spent"])],
        ["The next call at most", shown(about["need"])],
    ]


def _failure_facts(about: Document) -> list[list[Any]]:
    error = about.get("error") or {}
    return [
        ["Step", about.get("step")],
        ["What went wrong", error.get("message") or None],
        ["Kind", error.get("type") or None],
        ["Tries", about.get("attempts")],
        ["Files it has read", about.get("files") or None],
        ["Recorded", about.get("recorded")],
        ["Asked now", about.get("asked")],
        ["In a terminal", about.get("how")],
    ]
