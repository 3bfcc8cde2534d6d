"""A question with every kind of field, for a person who knows what the machine cannot."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from counterfoil import Field, Money, Params, ask, fields, param, report, step, table, text, workflow


class Renewal(Params):
    contract: str = param(label="Contract")
    ends_on: date = param(label="Ends on")
    yearly: Money = param(label="Costs a year")


@step(title="Look at the contract")
def facts_of(p: Renewal) -> dict[str, str]:
    """What is known of it."""
    report(f"Ends on {p.ends_on}")
    return {
        "Contract": p.contract,
        "Ends on": p.ends_on.isoformat(),
        "File": "contracts/2023/cleaning-services_signed.pdf",
    }


@workflow("renewal")
async def renewal(p: Renewal) -> dict[str, str]:
    facts = await facts_of(p)
    answer = await ask(
        f"What becomes of {p.contract}?",
        [
            Field(
                name="what",
                type="choice",
                label="What to do",
                choices=["renew", "renegotiate", "let_end"],
                required=True,
            ),
            Field(name="ceiling", type="money", label="At most a year", help="Above this it is asked again."),
            Field(name="until", type="date", label="Until", check="not_past"),
            Field(name="why", type="text", label="Why", required_when={"what": ["let_end"]}),
            Field(name="tell", type="boolean", label="Tell the supplier", default=True),
            Field(
                name="teams", type="list[text]", label="Teams that use it", choices=["Sales", "Warehouse", "Accounts"]
            ),
        ],
        evidence=[
            fields(facts, title="Contract"),
            table(
                [
                    {"year": 2024, "cost": Money(Decimal("8640.00"), "EUR")},
                    {"year": 2025, "cost": Money(Decimal("9480.00"), "EUR")},
                ],
                title="Costs",
            ),
            text(
                "The price may be raised once a year by the index. Notice is three months.",
                title="Clause 7",
                source="contracts/2023/cleaning-services_signed.pdf",
            ),
        ],
        figures={"Costs a year": p.yearly},
    )
    return {"summary": f"{p.contract}: {answer['what']}."}
