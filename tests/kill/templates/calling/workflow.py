"""A workflow to be killed while the server of a connector performs its call."""

from typing import Any

from counterfoil import Params, call, workflow


class Calling(Params):
    to: str


@workflow("calling")
async def calling(p: Calling) -> Any:
    return await call("desk", "send", to=p.to)
