"""Where this process's log records go: a file of the home that never grows without bound, not a person's terminal."""

from __future__ import annotations

import logging
import logging.handlers

from counterfoil.effects.redacting import KNOWN
from counterfoil.places import Home

_LARGEST = 2_000_000  # bytes per file; three older ones are kept


class RedactedFormatter(logging.Formatter):
    """Log records without secrets, whatever wrote them, tracebacks included."""

    def format(self, record: logging.LogRecord) -> str:
        """As the formatter beneath does, redacted at the last moment."""
        return KNOWN(super().format(record))


def keep_logs(home: Home) -> None:
    """Send records of WARNING and above, from our own modules, to `logs/runner.log`; safe to repeat."""
    ours = logging.getLogger("counterfoil")
    target = str(home.logs / "runner.log")
    if any(getattr(handler, "baseFilename", None) == target for handler in ours.handlers):
        return
    handler = logging.handlers.RotatingFileHandler(
        target, maxBytes=_LARGEST, backupCount=3, encoding="utf-8", delay=True
    )
    handler.setFormatter(RedactedFormatter("%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"))
    ours.addHandler(handler)
