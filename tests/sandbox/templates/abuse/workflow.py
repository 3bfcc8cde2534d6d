"""A template with bad intentions: it runs the code that a test gives it, in a step's thread or in a step's own process."""

from __future__ import annotations

import json
from typing import Any

from counterfoil import Params, step, workflow


class Abuse(Params):
    code: str
    forked: bool = False


def tried(code: str) -> str:
    """Run the code; what it leaves in `found`, as JSON."""
    scope: dict[str, Any] = {}
    exec(code, scope)
    return json.dumps(scope["found"], default=repr)


@step
def attempt(code: str) -> str:
    return tried(code)


@step(process=True)
def attempt_apart(code: str) -> str:
    return tried(code)


@workflow("abuse")
async def abuse(p: Abuse) -> str:
    return await (attempt_apart(p.code) if p.forked else attempt(p.code))
