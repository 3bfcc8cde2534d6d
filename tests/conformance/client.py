"""What the conformance suite of the protocol judges: one conversation of our own connection class with a server of the suite's.

The suite calls it with the server's address as the last word and the scenario's name in MCP_CONFORMANCE_SCENARIO (see `run` beside this).
It lists the tools, calls each with what its schema asks for, and answers questions as somebody who leaves everything as it is proposed.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2

from counterfoil.connectors.asking import defaults_of
from counterfoil.connectors.declared import Declared
from counterfoil.connectors.line import Line, LineLost, Words
from counterfoil.connectors.reaching import Reach
from counterfoil.connectors.signing_in import Granted, signing
from counterfoil.effects.secrets import Keyring
from counterfoil.errors import SecretMissing
from counterfoil.places import Home
from counterfoil.policy.protection import NONE
from counterfoil.sandbox.levels import Measured

BACK = "http://localhost:3000/callback"
WHO_WE_ARE = "https://conformance-test.local/client-metadata.json"  # the suite's constant


class Memory:
    """A keyring of this process."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}

    def get(self, name: str) -> str:
        if name not in self._kept:
            raise SecretMissing(f"no {name}")
        return self._kept[name]

    def set(self, name: str, value: str) -> None:
        self._kept[name] = value

    def remove(self, name: str) -> None:
        self._kept.pop(name, None)


class Browser:
    """Somebody who agrees to everything: follows a page to where it sends its visitors."""

    def __init__(self) -> None:
        self._back = ""

    async def show(self, page: str) -> None:
        async with httpx2.AsyncClient(follow_redirects=False) as client:
            answer = await client.get(page)
        self._back = urljoin(page, answer.headers.get("location", ""))

    async def answered(self) -> Any:
        from mcp.client.auth import AuthorizationCodeResult

        brought = {key: values[0] for key, values in parse_qs(urlsplit(self._back).query).items()}
        return AuthorizationCodeResult(code=brought.get("code", ""), state=brought.get("state"), iss=brought.get("iss"))


def wanted(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments that a schema takes."""
    values = {"string": "x", "integer": 1, "number": 1.5, "boolean": True, "array": [], "object": {}}
    properties = schema.get("properties") or {}
    return {name: one.get("default", values.get(one.get("type"), "x")) for name, one in properties.items()}


async def granted(name: str) -> Granted:
    """What is known before: where the scenario says as whom we are known, that."""
    found = Granted(name, Memory())
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    if context.get("client_id"):
        from mcp.shared.auth import OAuthClientInformationFull

        known = {
            "client_id": context["client_id"],
            "client_secret": context.get("client_secret"),
            "redirect_uris": [BACK],
            "token_endpoint_auth_method": "client_secret_basic",
        }
        await found.set_client_info(OAuthClientInformationFull.model_validate(known))
    return found


async def converse(url: str) -> None:
    """One conversation."""
    home = Home(Path(tempfile.mkdtemp(prefix="conformance-"))).create()
    declared = Declared(name="judge", url=url, seconds=90)
    browser = Browser()
    auth = await signing(url, await granted("judge"), browser.show, browser.answered, BACK, known_at=WHO_WE_ARE)
    reach = Reach(declared, home, Measured(NONE), Keyring(home), auth=auth)
    line = Line(declared, reach.streams)
    await line.open()
    try:
        tools, left_out = await line.tools()
        print(f"{len(tools)} tools {left_out}", file=sys.stderr)
        for tool in tools:
            try:
                reply = await line.call(tool.tool, wanted(tool.parameters), Words(answering=defaults_of), "k")
                print(f"{tool.tool}: {reply}", file=sys.stderr)
            except LineLost as problem:
                print(f"{tool.tool}: {problem}", file=sys.stderr)
    finally:
        await line.close()


if __name__ == "__main__":
    asyncio.run(converse(sys.argv[-1]))
