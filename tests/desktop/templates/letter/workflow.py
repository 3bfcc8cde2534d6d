"""Gates that are alike, for names in any script: what can be decided together, and what must not be cut."""

from __future__ import annotations

from counterfoil import Params, Returned, approve, fields, param, report, step, workflow, write_file


class Letter(Params):
    name: str = param(label="Name")
    role: str = param(label="Role")
    look_twice: bool = param(label="Needs a second look", default=False)


@step(title="Write the letter")
def write_letter(name: str, role: str, wish: str) -> str:
    """The letter, with what was wished for."""
    report(f"Letter for {name}")
    return f"To whom it may concern\n\n{name} worked with us as {role}.\n{wish}\n"


@workflow("letter")
async def letter(p: Letter) -> dict[str, str]:
    wish, again = "", 1
    while True:
        body = await write_letter(p.name, p.role, wish)
        try:
            decision = await approve(
                f"Write reference letter for {p.name}",
                plan=[write_file(f"letters/{p.name.replace(' ', '-')}.txt", body)],
                evidence=[fields({"Name": p.name, "Role": p.role, "Wished for": wish or None}, title="Person")],
                flags=["This letter is longer than usual."] if p.look_twice else [],
                round=again,
            )
        except Returned as back:
            wish, again = back.comment, again + 1
            continue
        await decision.perform()
        return {"summary": f"The letter for {p.name} is written."}
