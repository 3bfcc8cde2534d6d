"""A template that calls a connector after a step."""

from __future__ import annotations

from typing import Any

from counterfoil import Params, call, files, step, workflow


class Calls(Params):
    to: str


@step
def read() -> str:
    """What the run's files hold."""
    return files().read("note.txt").decode()


@workflow("calls")
async def calls(p: Calls) -> dict[str, Any]:
    text = await read()
    answer = await call("desk", "send", to=p.to)
    return {"read": text, "said": answer["text"]}
