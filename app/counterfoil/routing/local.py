"""Servers of language models on this computer: looked for when somebody asks, offered, never used unasked."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from counterfoil.routing.entries import LOCAL

PATIENCE = 1.0  # seconds


@dataclass(frozen=True, slots=True)
class Found:
    """A server that answers, and the llms it has."""

    provider: str
    address: str
    llms: tuple[str, ...]


def look(places: dict[str, str] | None = None) -> list[Found]:
    """Which of the usual local servers answer now; `places` are addresses by provider. Blocking, a second at most."""
    asked = list((places or LOCAL).items())
    with ThreadPoolExecutor(max_workers=len(asked)) as pool:
        return [found for found in pool.map(lambda place: _look(*place), asked) if found is not None]


def _look(provider: str, address: str) -> Found | None:
    import httpx2

    try:
        with httpx2.Client(trust_env=False, timeout=PATIENCE) as client:
            answer = client.get(f"{address}/models")
            plain: Any = answer.json() if answer.status_code == 200 else None
    except (httpx2.HTTPError, ValueError):
        return None
    named = plain.get("data") if isinstance(plain, dict) else None
    if not isinstance(named, list):
        return None
    llms = [str(one["id"]) for one in named if isinstance(one, dict) and "id" in one]
    return Found(provider, address, tuple(llms)) if llms else None
