"""When a call of a connector's tool needs no question: a person has said that it only reads, and the template says that it uses it."""

from __future__ import annotations

from counterfoil.engine.ports import Judgement, Permission
from counterfoil.facts import person
from counterfoil.policy.boundaries import visible
from counterfoil.policy.judging import Case, Rule
from counterfoil.store import connector_rows
from counterfoil.store.database import Database


def reading_rule(database: Database) -> Rule:
    """Tools that only read may be called. A changed tool asks again until somebody has looked at it."""

    def says(case: Case) -> Judgement | None:
        if case.kind != "call@1":
            return None
        name, tool = case.args["connector"], visible(case.args["tool"])
        row = connector_rows.tool(database.reader, name, case.args["tool"])
        if row is None or row["does"] != "reads":
            return None
        if row["agreed_pin"] != row["pin"]:
            return Judgement(
                Permission.ASK, f"‘{tool}’ of {name} has changed, so it asks until somebody has looked at it."
            )
        declared = case.manifest.get("connectors")
        if not isinstance(declared, list) or name not in declared:
            return Judgement(
                Permission.ASK, f"The template does not say that it uses {name}, so somebody has to approve it."
            )
        return Judgement(
            Permission.ALLOW, f"{person(row['said_by'] or '')} has said that ‘{tool}’ of {name} only reads."
        )

    return Rule(1, says)
