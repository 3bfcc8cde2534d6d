"""Errors of vendors and transports as faults of ours; their own words are kept, cut, for whoever has to find out."""

from __future__ import annotations

from typing import Any

from counterfoil.routing.faults import Failed, Fault

LONGEST = 500  # characters of a vendor's words


def failed(problem: Exception, partial: str) -> Failed:
    """What a raised error means."""
    from pydantic_ai import exceptions as known

    told = {
        "error": type(problem).__name__,
        "phase": getattr(problem, "phase", None),
        "status": getattr(problem, "status_code", None),
        "in_stream": bool(getattr(problem, "in_stream", False)),
        "code": getattr(problem, "provider_error_code", None),
        "partial": partial or None,
    }
    fault = _fault(problem, known, partial)
    after = getattr(problem, "retry_after", None)
    return Failed(fault, _words(problem), after, partial, {key: value for key, value in told.items() if value})


def _fault(problem: Exception, known: Any, partial: str) -> Fault:
    if isinstance(problem, known.ModelConnectionError):
        if problem.phase in ("pool", "connect"):
            return Fault.NOT_REACHED
        return Fault.CUT if partial else Fault.LOST
    for kind, fault in (
        (known.ModelContextWindowExceededError, Fault.TOO_LONG),
        (known.ModelAuthenticationError, Fault.KEY),
        (known.ModelNotFoundError, Fault.NO_SUCH_LLM),
        (known.ModelRequestRejectedError, Fault.REFUSED),
        (known.ModelQuotaExceededError, Fault.QUOTA),
        (known.ModelRateLimitError, Fault.RATE),
        (known.ModelUnavailableError, Fault.OVERLOADED),
        (known.ModelServerError, Fault.SERVER),
    ):
        if isinstance(problem, kind):
            return Fault.CUT if partial and fault in (Fault.OVERLOADED, Fault.SERVER) else fault
    # a deadline, a chunk that cannot be read, or what nobody foresaw: it was sent, so it may have been billed
    return Fault.CUT if partial else Fault.LOST


def _words(problem: Exception) -> str:
    body = getattr(problem, "body", None)
    inner = body.get("error", body) if isinstance(body, dict) else None
    message = inner.get("message") if isinstance(inner, dict) else None
    return " ".join(str(message or problem).split())[:LONGEST]
