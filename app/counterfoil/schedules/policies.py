"""What a routine does when an instant could not be kept, or when its last run is still open."""

from __future__ import annotations

import hashlib
import json
from typing import Any, Literal, cast

import pydantic
from pydantic import ConfigDict, Field

from counterfoil.errors import WrongRule

DAY = 86_400  # seconds


class Policy(pydantic.BaseModel):
    """`missed`: after sleep or downtime start the newest, none, or all of the newest `missed_most` within `missed_within` seconds.

    `overlap`: while a run is open (one that waits for a person is) skip, queue the newest, cancel the open one, or allow up to
    `overlap_most` at once. `grace`: seconds a start may come late and still be on time. `jitter`: the longest delay in seconds,
    spread by instant and always the same for the same one. `tell`: people hear of it when it needs someone or fails, also when it is done,
    when it fails alone, or never; the inbox has it all the same.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    missed: Literal["latest", "none", "all"] = "latest"
    missed_most: int = Field(default=10, ge=1, le=1000)
    missed_within: int = Field(default=7 * DAY, ge=60, le=366 * DAY)
    grace: int = Field(default=300, ge=1, le=DAY)
    overlap: Literal["skip", "queue", "cancel", "allow"] = "skip"
    overlap_most: int = Field(default=2, ge=2, le=50)
    cancel_within: int = Field(default=300, ge=1, le=DAY)
    jitter: int = Field(default=0, ge=0, le=6 * 3600)
    tell: Literal["needs", "done", "failures", "nothing"] = "needs"

    def delay_us(self, schedule_id: str, due_us: int) -> int:
        """How long after its nominal instant a firing starts, in microseconds; the same in every process and after every restart."""
        if not self.jitter:
            return 0
        spread = hashlib.sha256(f"{schedule_id}:{due_us}".encode()).digest()
        return int.from_bytes(spread[:8], "big") % (self.jitter * 1_000_000)


def policy_of(form: dict[str, Any]) -> Policy:
    """The policy of its JSON form; what is not said is as it is by default.

    Raises:
        WrongRule: a name or a value is not known; the message says which.
    """
    try:
        return Policy.model_validate(form)
    except pydantic.ValidationError as problem:
        error = problem.errors()[0]
        place = ".".join(str(part) for part in error["loc"])
        raise WrongRule(f"{place.replace('_', '-')}: {error['msg'][:1].lower()}{error['msg'][1:]}.") from problem


def form_of_policy(policy: Policy) -> dict[str, Any]:
    """The JSON form, without what is as it is by default."""
    return policy.model_dump(mode="json", exclude_defaults=True)


def read_policy(text: str) -> Policy:
    """The policy as it is stored."""
    return policy_of(cast("dict[str, Any]", json.loads(text)))
