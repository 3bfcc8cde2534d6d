"""What people call an effect in a list of what already happened: `payments.xml`, `14 moves`, `the mail to ben@harbour.example`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from counterfoil.policy.boundaries import visible
from counterfoil.policy.reaching import only_reads, reach_of

_NAMED = 8  # so many are named one by one


def named(body: dict[str, Any]) -> str:
    """A short name for an effect of the catalogue; "" for one that has none."""
    args = body["args"]
    match str(body["kind"]).partition("@")[0]:
        case "write_file" | "append_rows":
            return visible(args["path"])
        case "move_files":
            return _counted(len(args["moves"]), "move")
        case "delete_files" | "make_folders" as kind:
            return _counted(len(args["paths"]), "deletion" if kind == "delete_files" else "new folder")
        case "mail":
            return f"the mail to {visible(', '.join([*args['to'], *args['cc']]))}"
        case "http":
            return f"{args['method']} to {visible(urlsplit(args['url']).hostname or '')}"
        case "call":
            return visible(f"‘{args['tool']}’ of {args['connector']}")
        case _:
            return ""


def kind_name(kind: str) -> str:
    """What a kind of effect is called where no more is known of it: `write_file@1` is write file."""
    return visible(kind.partition("@")[0].replace("_", " "))


def does_nothing_outside(body: dict[str, Any]) -> bool:
    """Whether an effect only reads, or works on a copy of its own; of a tool nobody knows."""
    return only_reads(reach_of(body), "")


def listed(names: Sequence[str]) -> str:
    """`payments.xml, 14 moves`."""
    shown = list(names[:_NAMED])
    return ", ".join([*shown, f"{len(names) - _NAMED} more"] if len(names) > _NAMED else shown)


def _counted(number: int, what: str) -> str:
    return f"1 {what}" if number == 1 else f"{number} {what}s"
