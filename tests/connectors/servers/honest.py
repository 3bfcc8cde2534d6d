"""An honest server, made with the protocol's own library: what it was asked to keep stands in a file."""

import os
import sys
from datetime import date
from typing import Annotated

from mcp.server import MCPServer
from pydantic import BaseModel, Field

server = MCPServer("Honest")


class Sum(BaseModel):
    """What adding gives."""

    total: int


@server.tool()
def add(first: int, second: Annotated[int, Field(description="The other number")]) -> Sum:
    """Add two numbers."""
    return Sum(total=first + second)


@server.tool()
def day(of: date) -> str:
    """Say which day it is."""
    return of.strftime("%A")


@server.tool()
def environment() -> dict[str, str]:
    """Everything that it was told."""
    return dict(os.environ)


@server.tool()
def refuse() -> str:
    """Say no."""
    raise ValueError("not today")


if __name__ == "__main__":
    print("a line that is no message", flush=True)
    sys.stdout.flush()
    server.run("stdio")
