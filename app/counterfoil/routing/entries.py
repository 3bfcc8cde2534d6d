"""One llm of a route: where it is, whether that is this computer, and where its key is found."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from urllib.parse import urlsplit

from counterfoil.errors import SecretMissing
from counterfoil.store.transactions import Row

# where the providers are that have one address; the others are told theirs
ADDRESSES = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "openrouter": "https://openrouter.ai/api/v1",
}
LOCAL = {"ollama": "http://127.0.0.1:11434/v1", "llamacpp": "http://127.0.0.1:8080/v1"}
PROVIDERS = (*ADDRESSES, *LOCAL, "compatible")
Secrets = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Entry:
    """An llm as a route names it. `key` is `secret:NAME`, `env:NAME` or None; prices are US dollars per million tokens."""

    place: int
    provider: str
    address: str
    llm: str
    key: str | None
    window: int | None
    priced: str
    price_in: Decimal | None
    price_out: Decimal | None

    @property
    def name(self) -> str:
        """As people read it: `openai gpt-5-mini`."""
        return f"{self.provider} {self.llm}"

    @property
    def host(self) -> str:
        """The host that is talked to, with its port where that is not the usual one."""
        return urlsplit(self.address).netloc

    @property
    def stays(self) -> bool:
        """Whether what it is asked stays on this computer: its address is a loopback address, whatever its provider is called."""
        return is_loopback(urlsplit(self.address).hostname or "")

    @property
    def key_label(self) -> str:
        """Where the key is from, as it may be shown and kept."""
        return self.key or "no key"


def is_loopback(host: str) -> bool:
    """Whether a host is this computer. A name that somebody else could resolve is not, except `localhost`."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def entry_from(row: Row) -> Entry:
    """An entry from its row."""
    provider = row["provider"]
    address = row["address"] or ADDRESSES.get(provider) or LOCAL[provider]
    price_in, price_out = (None if row[side] is None else Decimal(row[side]) for side in ("price_in", "price_out"))
    return Entry(
        row["rank"],
        provider,
        address,
        row["llm"],
        row["key"],
        row["window"],
        row["priced"],
        price_in,
        price_out,
    )


def key_of(entry: Entry, secrets: Secrets) -> str | None:
    """The key itself; blocking, because a keyring may ask somebody.

    Raises:
        SecretMissing: it is not where the entry says.
    """
    if entry.key is None:
        return None
    kind, _, name = entry.key.partition(":")
    if kind == "env":
        value = os.environ.get(name, "").strip()
        if not value:
            raise SecretMissing(
                f"The environment variable {name} is not set where the runner runs.",
                "Set it there and start the runner again, or keep the key in the keyring: counterfoil secret set",
            )
        return value
    return secrets(name)
