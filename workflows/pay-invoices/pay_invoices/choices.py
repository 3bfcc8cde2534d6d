"""The form of the first stop and what a person's answers mean: whatever is not answered is held."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from counterfoil import Field
from pay_invoices.review import InvoiceException

PAY, HOLD, REJECT = "pay", "hold", "reject"


@dataclass(frozen=True, slots=True)
class Choices:
    """Exception number -> reason, for those to pay and those to reject; all others are held."""

    pay: dict[int, str]
    reject: dict[int, str]


def exception_form(exceptions: list[InvoiceException]) -> list[Field]:
    """Two fields per exception: `choice.K` and `reason.K`; a reason is needed to pay or to reject."""
    form: list[Field] = []
    for one in exceptions:
        subject = " ".join(part for part in (one.supplier, one.number) if part) or one.files[0]
        choices = [PAY, HOLD, REJECT] if one.can_pay else [HOLD, REJECT]
        form.append(
            Field(
                name=f"choice.{one.k}",
                type="choice",
                label=f"{one.k}. {subject}",
                help=f"{one.reason} {one.advice}",
                choices=choices,
                default=HOLD,
            )
        )
        form.append(
            Field(
                name=f"reason.{one.k}",
                label=f"{one.k}. Reason",
                help="Needed to pay or to reject.",
                required_when={f"choice.{one.k}": [PAY, REJECT]},
            )
        )
    return form


def choices_from(exceptions: list[InvoiceException], answers: Mapping[str, Any]) -> Choices:
    """The answers by what they do."""
    chosen = {one.k: str(answers.get(f"choice.{one.k}") or HOLD) for one in exceptions}
    reasons = {one.k: str(answers.get(f"reason.{one.k}") or "") for one in exceptions}
    return Choices(
        {k: reasons[k] for k, choice in chosen.items() if choice == PAY},
        {k: reasons[k] for k, choice in chosen.items() if choice == REJECT},
    )
