"""A person's decision on a gate: checked in one place for every path, sealed to what was shown, committed before anybody is told.

Compare-and-set on (gate, digest): whoever is second, late, or looked at something else gets an honest answer with who and when. The
decision, its seals, its claims and its trail entry are one transaction; waking the runner comes after and may be lost.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.catalogue.parameters import check_values
from counterfoil.clock import from_us
from counterfoil.engine import killpoints
from counterfoil.errors import (
    ClaimedElsewhere,
    GateClosed,
    NeedsConfirmation,
    NotAllowed,
    RunEnded,
    StaleDigest,
    WrongAnswer,
)
from counterfoil.facts import (
    ENDED,
    GateKind,
    GateState,
    Risk,
    RunState,
    Verdict,
    given_words,
    person,
    storable,
    unproven,
)
from counterfoil.inbox.finding import find_gate
from counterfoil.inbox.refusing import refuse_closed, refuse_others
from counterfoil.inbox.sealing import sealed_items
from counterfoil.inbox.taking_in import taken_in
from counterfoil.places import Home
from counterfoil.policy.boundaries import visible
from counterfoil.store import asides, blob_rows, claims, gates, history, runs, seals, trail_rows
from counterfoil.store.blobs import Blobs
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row, Txn
from counterfoil.views.numbering import step_number

_NAMED = 5  # items whose reasons are told in one refusal


@dataclass(frozen=True, slots=True)
class Wish:
    """What a person wants to decide. `answers` are plain JSON by field name; `edits` new arguments by item number; `opened` which
    parts of what was shown were on the screen, where that is known; `entered_by` whose account gave it, where that is somebody else's;
    `confirmed` the numbers of items whose files run later, each confirmed by itself.
    """

    verdict: Verdict
    principal: str
    comment: str = ""
    answers: dict[str, Any] | None = None
    only: Sequence[int] | None = None
    edits: dict[int, dict[str, Any]] | None = None
    digest: str | None = None
    delay_us: int = 0
    on_behalf_of: str | None = None
    signature: str = "account"
    entered_by: str | None = None
    opened: Sequence[str] | None = None
    confirmed: Sequence[int] = ()


@dataclass(frozen=True, slots=True)
class DecisionMade:
    """A decision as it was committed; instants in microseconds UTC."""

    gate_id: str
    run_id: str
    verdict: str
    by: str
    on_behalf_of: str | None
    at: int
    effective_at: int
    digest: str
    comment: str
    signature: str
    answers: dict[str, Any]


def decide(database: Database, blobs: Blobs, reference: str, wish: Wish) -> DecisionMade:
    """Commit a decision.

    Raises:
        UnknownGate, AlreadyDecided, GateClosed, StaleDigest, WrongAnswer, NeedsConfirmation, ClaimedElsewhere, NotAllowed: nothing
            was changed.
    """
    gate_id = find_gate(database.reader, reference)["gate_id"]
    row = gates.get(database.reader, gate_id)
    seen = wish.digest or row["digest"]
    given = _given(blobs, row, wish)
    plain = {name: value for name, value in (wish.answers or {}).items() if given is None or name != "file"}
    wish = dataclasses.replace(wish, comment=storable(wish.comment), answers=plain)
    made = database.transact(lambda txn: _decide(txn, database.home, blobs, gate_id, seen, wish, given))
    killpoints.reach("after_decision")
    return made


def _given(blobs: Blobs, row: Row, wish: Wish) -> dict[str, Any] | None:
    """The file that is given with “try again”, its bytes kept: the row that names them is written with the decision."""
    text = (wish.answers or {}).get("file")
    if row["kind"] != GateKind.FAILURE or row["state"] != GateState.OPEN or text in (None, ""):
        return None
    if (wish.answers or {}).get("choice") != "retry":
        raise WrongAnswer(
            "A file is given to have the step tried again with it.", "Use: answer --set choice=retry --set file=PLACE"
        )
    about = json.loads(blobs.text(row["spec"], row["spec_blob"])).get("about") or {}
    return taken_in(blobs, about.get("files") or (), str(text))


def _decide(
    txn: Txn, home: Home, blobs: Blobs, gate_id: str, seen: str, wish: Wish, given: dict[str, Any] | None = None
) -> DecisionMade:
    row = gates.get(txn.conn, gate_id)
    refuse_closed(txn.conn, row)
    _refuse_stale(row, seen)
    spec = json.loads(blobs.text(row["spec"], row["spec_blob"]))
    fallen = refuse_others(txn.conn, home, row, spec, wish.principal)
    _refuse_verdict(spec, wish)
    answers = _checked_answers(row, spec, wish)
    if given is not None:
        answers["file"] = given
        blob_rows.note(txn, given["sha256"], given["size"])
    verdict = _verdict(spec, wish, answers)
    items = sealed_items(spec, verdict, answers, wish.only, wish.edits or {})
    if verdict is Verdict.APPROVED:
        _refuse_unconfirmed(row, spec, wish, [item[0] for item in items])
        _refuse_claimed(txn, row, gate_id)
    name = from_us(txn.now_us)
    if not gates.decide(txn, gate_id, row["digest"], f"{verdict} by {person(wish.principal)} at {name:%H:%M}"):
        raise GateClosed(
            f"Gate g-{row['number']} was closed a moment ago. Nothing was changed.", "See: counterfoil inbox"
        )
    effective = txn.now_us + max(wish.delay_us, 0)
    gates.add_decision(
        txn,
        gate_id=gate_id,
        principal=wish.principal,
        verdict=str(verdict),
        answers=canonical(answers),
        comment=wish.comment,
        on_behalf_of=wish.on_behalf_of,
        at=txn.now_us,
        effective_at=effective,
        digest=row["digest"],
        signature=wish.signature,
        entered_by=wish.entered_by,
    )
    seals.add(txn, gate_id, items)
    asides.wake(txn, gate_id)  # should this be taken back, everybody sees the gate again
    if verdict is Verdict.APPROVED:
        claims.hold(txn, gate_id)
    if runs.get(txn.conn, row["run_id"])["state"] in (RunState.WAITING, RunState.READY):
        runs.make_ready(txn, row["run_id"], effective)
    _note(txn, row, wish, verdict, answers, items, fallen)
    return DecisionMade(
        gate_id=gate_id,
        run_id=row["run_id"],
        verdict=str(verdict),
        by=wish.principal,
        on_behalf_of=wish.on_behalf_of,
        at=txn.now_us,
        effective_at=effective,
        digest=row["digest"],
        comment=wish.comment,
        signature=wish.signature,
        answers=answers,
    )


def _note(
    txn: Txn,
    row: Row,
    wish: Wish,
    verdict: Verdict,
    answers: dict[str, Any],
    items: Sequence[tuple[int, str, str, str]],
    fallen: str,
) -> None:
    seal = f"{row['digest'][:4]} {row['digest'][4:8]}{unproven(wish.signature)}"
    entered = f". Entered by {person(wish.entered_by)}." if wish.entered_by is not None else ""
    file = answers.get("file") if row["kind"] == GateKind.FAILURE else None
    why = f". {fallen.rstrip('.')}" if fallen else ""
    gave = f". {person(wish.principal)} gave {visible(given_words(file))}" if file else ""
    trail_rows.append(
        txn,
        by=wish.principal,
        kind="decision",
        subject=row["run_id"],
        summary=f"{person(wish.principal)} {verdict} “{row['title']}”, seal {seal}{why}{gave}{entered}",
        after={
            "gate": row["gate_id"],
            "digest": row["digest"],
            "verdict": str(verdict),
            "comment": wish.comment,
            "answers": answers,
            "items": [[item[0], item[3]] for item in items],
            "on_behalf_of": wish.on_behalf_of,
            "signature": wish.signature,
            "entered_by": wish.entered_by,
            **({"opened": sorted(wish.opened)} if wish.opened is not None else {}),
            **({"as_owner": fallen} if fallen else {}),
            **({"confirmed": sorted(set(wish.confirmed))} if wish.confirmed else {}),
        },
    )


def _refuse_stale(row: Row, seen: str) -> None:
    if not row["digest"].startswith(seen) or len(seen) < 6:
        raise StaleDigest(
            f"Gate g-{row['number']} has changed since you looked: its seal is {row['digest'][:8]}, you saw {seen[:8]}. "
            "Nothing was changed.",
            f"Look again: counterfoil show g-{row['number']}",
        )


def _refuse_verdict(spec: dict[str, Any], wish: Wish) -> None:
    """A gate of each kind is decided with the words of its kind, before anybody looks at its form."""
    kind = GateKind(spec["kind"])
    wants_comment = wish.verdict in (Verdict.REJECTED, Verdict.RETURNED)
    if wants_comment and not wish.comment.strip():
        raise WrongAnswer(
            f"To {'reject' if wish.verdict is Verdict.REJECTED else 'send back'} needs a reason.", "Add --comment TEXT."
        )
    if kind in (GateKind.DOUBT, GateKind.FAILURE, GateKind.BUDGET) and wish.verdict is not Verdict.ANSWERED:
        names = next(field["choices"] for field in spec["fields"] if field["name"] == "choice")
        raise WrongAnswer("This question is answered with a choice.", f"Use: answer --set choice={'|'.join(names)}")
    if kind is GateKind.CONFLICT and wish.verdict is Verdict.APPROVED:
        raise WrongAnswer(
            "This question is answered with a choice for the files that changed.",
            "Use: answer --set choice=keep|use|both, or --set choice.FILE=… for one of them",
        )
    if kind is GateKind.APPROVAL and wish.verdict is Verdict.ANSWERED:
        raise WrongAnswer(
            "This gate is approved, rejected or sent back.", "Use: approve, reject --comment, or return --comment"
        )
    if kind is GateKind.QUESTION and (wish.verdict is Verdict.APPROVED or wish.only is not None):
        raise WrongAnswer(
            "This gate is a question.", "Use: answer --set NAME=VALUE; what is not answered takes its default."
        )


def _verdict(spec: dict[str, Any], wish: Wish, answers: dict[str, Any]) -> Verdict:
    """What the wish comes to: an approval that asks for other bytes sends the gate back."""
    remade = [field["name"] for field in spec["fields"] if field.get("remakes") and answers.get(field["name"])]
    return Verdict.RETURNED if wish.verdict is Verdict.APPROVED and remade else wish.verdict


def _checked_answers(row: Row, spec: dict[str, Any], wish: Wish) -> dict[str, Any]:
    """The form as it was filled in, with defaults, in the fields' types; who says no need not fill it in."""
    fields = spec["fields"]
    if wish.verdict not in (Verdict.ANSWERED, Verdict.APPROVED):
        fields = [{**field, "required": False, "required_when": None} for field in fields]
    return check_values(fields, wish.answers or {}, what=f"Gate g-{row['number']}", wrong=WrongAnswer)


def _refuse_unconfirmed(row: Row, spec: dict[str, Any], wish: Wish, approved: list[int]) -> None:
    """Files that other programs run or obey later on are each confirmed by themselves, not along with the rest."""
    strange = sorted(set(wish.confirmed) - {item["n"] for item in spec["plan"]})
    if strange:
        raise WrongAnswer(f"There is no item {strange[0]} to confirm.", "Change --confirm.")
    risky = [item for item in spec["plan"] if item["n"] in approved and item.get("risk") == Risk.RUNS_LATER]
    left = [item for item in risky if item["n"] not in wish.confirmed]
    if not left:
        return
    told = " ".join(f"Item {item['n']}: {item.get('risk_reason') or item['summary'] + '.'}" for item in left[:_NAMED])
    more = f" And {len(left) - _NAMED} more." if len(left) > _NAMED else ""
    name, numbers = f"g-{row['number']}", ",".join(str(item["n"]) for item in risky)
    raise NeedsConfirmation(
        f"Gate {name} would change files that run later; each is confirmed by itself. {told}{more} Nothing was changed.",
        f"Look at them with: counterfoil show {name}. Then: counterfoil approve {name} --confirm {numbers}",
    )


def _refuse_claimed(txn: Txn, row: Row, gate_id: str) -> None:
    keys = claims.of_gate(txn.conn, gate_id)
    if not keys:
        return
    workspace = runs.get(txn.conn, row["run_id"])["workspace"]
    held = claims.rivals(txn.conn, workspace, keys, row["run_id"], held_only=True)
    if held:
        rival = held[0]["run_number"]
        raise ClaimedElsewhere(
            f"{len(held)} of the {len(keys)} things in gate g-{row['number']} were approved in run {rival}. Nothing was changed.",
            f"Send it back, so that they are left out: counterfoil return g-{row['number']} --comment TEXT",
        )


def void(database: Database, gate_id: str, principal: str) -> None:
    """Take a decision back before it takes effect: the gate is open again.

    A run that the decision has made ready stays so and finds nothing to do: it may be ready for another reason, too.

    Raises:
        GateClosed: it has taken effect, or the run has ended.
        NotAllowed: there is no decision of this principal.
    """

    def operation(txn: Txn) -> None:
        row = gates.get(txn.conn, gate_id)
        mine = [made for made in gates.decisions(txn.conn, gate_id) if made["principal"] == principal]
        if not mine:
            raise NotAllowed(f"There is no decision of {person(principal)} on gate g-{row['number']} to take back.")
        ended = runs.get(txn.conn, row["run_id"])["state"] in ENDED
        if ended or row["taken_at"] is not None or mine[-1]["effective_at"] <= txn.now_us:
            began = row["taken_at"] or mine[-1]["effective_at"]
            said = _gone_on(txn, row, began, ended=ended and began > txn.now_us)
            raise GateClosed(f"Too late to take back: {said}.", "See what can be undone on the run.")
        gates.void_decision(txn, mine[-1]["row"])
        gates.reopen(txn, gate_id)
        summary = f"{person(principal)} took the decision on “{row['title']}” back"
        trail_rows.append(
            txn, by=principal, kind="decision_voided", subject=row["run_id"], summary=summary, after={"gate": gate_id}
        )

    database.transact(operation)


def _gone_on(txn: Txn, row: Row, began: int, *, ended: bool) -> str:
    """What came in the way of taking a decision back: `step 8 began 2 s ago`."""
    if ended:
        return "the run has ended"
    seconds = max(txn.now_us - began, 0) // 1_000_000
    ago = (
        f"{seconds} s ago" if seconds < 60 else f"{seconds // 60} min ago" if seconds < 3600 else f"at {_clock(began)}"
    )
    number = step_number(row, history.record_lines(txn.conn, row["run_id"])) if row["taken_at"] is not None else None
    return f"step {number + 1} began {ago}" if number is not None else f"it took effect {ago}"


def _clock(us: int) -> str:
    return f"{from_us(us).astimezone():%a %H:%M}"


def refuse_ended(run: Row) -> None:
    """Say honestly that a run has ended.

    Raises:
        RunEnded: it has.
    """
    if run["state"] in ENDED:
        raise RunEnded(
            f"Run r-{run['number']} has ended ({run['state']}). Nothing was changed.",
            f"See: counterfoil show r-{run['number']}",
        )
