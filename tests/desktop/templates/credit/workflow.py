"""A mail that cannot be taken back: the complaint is quoted, subject and body may be changed before it goes out."""

from __future__ import annotations

from datetime import timedelta

from counterfoil import Money, Params, append_rows, approve, fields, files, mail, param, report, step, text, workflow


class CreditNote(Params):
    customer: str = param(label="Customer")
    to: str = param(label="Mail address", help="Where the credit note is sent.")
    number: str = param(label="Number of the credit note")
    amount: Money = param(label="Amount", help="With its currency, as in 1320.00 EUR.")
    complaint: str = param(label="Mail with the complaint", default="")
    hours: int = param(label="Hours until it is too late", default=0)


@step(title="Read the complaint")
def read_complaint(path: str) -> str:
    """The words of the customer, as they came."""
    words = files().read(path).decode("utf-8") if path else ""
    report(f"{len(words.split())} words")
    return words


@step(title="Write the mail")
def write_mail(p: CreditNote) -> str:
    """The body, in the words of the team's own letter."""
    report(f"Credit note {p.number}")
    return (
        f"Dear {p.customer},\n\nattached is the credit note {p.number} over {p.amount.amount} {p.amount.currency} for the "
        "delivery lines you disputed.\n\nKind regards\nLarkfield Trading GmbH"
    )


@workflow("credit")
async def credit_note(p: CreditNote) -> dict[str, str]:
    complaint = await read_complaint(p.complaint)
    body = await write_mail(p)
    evidence = [fields({"Customer": p.customer, "Number": p.number, "Amount": p.amount}, title="Credit note")]
    if complaint:
        evidence.insert(0, text(complaint, title="What they wrote", source=p.complaint))
    row = {"number": p.number, "customer": p.customer, "amount": str(p.amount.amount)}
    sent = mail(
        p.to,
        f"Credit note {p.number}",
        body,
        attachments=[(f"{p.number}.txt", body.encode())],
        editable=["subject", "body"],
    )
    decision = await approve(
        f"Send credit note to {p.customer}",
        plan=[sent, append_rows("credit-notes.csv", [row], columns=list(row), needs=[sent])],
        evidence=evidence,
        figures={"Amount": p.amount},
        expires_after=timedelta(hours=p.hours) if p.hours else None,
    )
    await decision.perform()
    return {"summary": f"Credit note {p.number} was handed to the mail server."}
