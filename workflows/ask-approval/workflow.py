"""Ask for an approval: another program's question to a person; the answer is the result."""

from __future__ import annotations

from counterfoil import Params, Rejected, Returned, approve, param, text, workflow


class AskApproval(Params):
    question: str = param(label="What is to be approved, in a line")
    details: str = param(label="What a person has to know for it", default="")
    asked_by: str = param(label="Which program asks", default="Another program")


@workflow("ask-approval")
async def ask_approval(p: AskApproval) -> dict[str, str]:
    """Show the question and wait; a refusal and a sending back are answers as well."""
    shown = [text(p.details, title="What it says", source=p.asked_by)] if p.details else []
    try:
        decision = await approve(f"{p.asked_by} asks: {p.question}", evidence=shown)
    except Rejected as problem:
        return {"verdict": "rejected", "by": problem.by, "comment": problem.comment}
    except Returned as problem:
        return {"verdict": "returned", "by": problem.by, "comment": problem.comment}
    return {"verdict": "approved", "by": decision.by, "comment": decision.comment}
