"""Words that workflows under test are written with."""

from typing import Any

from counterfoil import Effect, Params


class Nothing(Params):
    """Parameters of a workflow that needs none."""


def keyed(text: str, **more: Any) -> Effect:
    """An effect that is safe to try again."""
    return Effect("keyed@1", {"text": text, **more})


def asking(text: str, **more: Any) -> Effect:
    """An effect that is never tried twice without a person."""
    return Effect("asking@1", {"text": text, **more})


def looked_up(text: str, **more: Any) -> Effect:
    """An effect that can be looked up."""
    return Effect("looked_up@1", {"text": text, **more})
