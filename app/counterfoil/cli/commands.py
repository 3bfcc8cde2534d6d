"""Which commands there are, in which module each lives, and the line that help shows for it.

A module is loaded when its command is called, so that `counterfoil inbox` pays for nothing it does not use.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A command: `module` of this room, `attribute` a function or a typer app, `about` one line."""

    module: str
    attribute: str
    about: str


COMMANDS: dict[str, Command] = {
    "demo": Command("demo", "demo", "Check the sample invoices and stop for you: a first run to look at."),
    "run": Command("starting", "run", "Start a run of a template."),
    "runner": Command("advancing", "app", "Be the runner: advance runs until Ctrl+C; pause and resume everything."),
    "service": Command("background", "app", "Have the runner start at login."),
    "inbox": Command("looking", "inbox", "What waits for a person."),
    "show": Command("looking", "show", "Everything about one run or one gate."),
    "approve": Command("deciding", "approve", "Approve a gate exactly as it is shown."),
    "reject": Command("deciding", "reject", "Say no to a gate."),
    "return": Command("deciding", "give_back", "Send a gate back to be done differently."),
    "answer": Command("deciding", "answer", "Answer a question, a doubt, a failure or changed files."),
    "snooze": Command("setting_aside", "snooze", "Put a gate off for yourself; it comes back by itself."),
    "give": Command("setting_aside", "give", "Let a gate wait for somebody else, or take it."),
    "runs": Command("looking", "runs", "Runs, newest first."),
    "cancel": Command("stopping", "cancel", "Cancel a run; its gates are withdrawn."),
    "retry": Command("stopping", "retry", "Try a run's stopped step again."),
    "note": Command("stopping", "note", "Note what was found out of a run of which not everything was undone."),
    "wait": Command("silences", "wait", "Wait longer for a step that has said nothing for its limit."),
    "restart": Command("silences", "restart", "Have a run begin anew the step it is in; the steps before are kept."),
    "fork": Command("forking", "fork", "Go on from a step of a run in a new one; what it did before is kept."),
    "undo": Command("undoing", "undo", "Put back what a run did to files."),
    "trail": Command("trailing", "trail", "The account of everything that was done; --verify checks it."),
    "template": Command("templates", "app", "List, show, check, lock and add templates."),
    "schedule": Command("schedules", "app", "Run a template by a rule; see what became of each instant."),
    "connector": Command("connectors", "app", "Programs and addresses of others whose tools runs can call."),
    "permission": Command("permissions", "app", "What may happen without asking, and what never may."),
    "memory": Command("memory", "app", "What agents are told in later runs; take a fact back."),
    "secret": Command("keeping", "app", "Keep passwords in this computer's keyring."),
    "route": Command("routes", "app", "Set up the llms that runs may ask, and how much may be spent."),
    "mcp": Command("serving", "mcp", "Serve an agent in an editor: it starts runs and asks for approvals."),
    "doctor": Command("checkup", "doctor", "Check that everything this program needs is in order."),
}

USAGE = "usage: counterfoil [--home DIR] [--json] COMMAND [OPTIONS]"
EVERYWHERE = "Everywhere: --home DIR (the data folder), --json (one document on stdout)."


def overview() -> str:
    """The help of the whole program."""
    wide = max(len(name) for name in COMMANDS)
    lines = [
        USAGE,
        "",
        "Runs of office work that stop where a person must decide, and go on from that very step.",
        "Without a command: the window. Without a display: counterfoil demo, then counterfoil inbox.",
        "",
        "commands:",
        *(f"  {name:<{wide}}  {command.about}" for name, command in COMMANDS.items()),
        "",
        "everywhere:",
        "  --home DIR   the data folder; else COUNTERFOIL_HOME, else this account's own",
        "  --json       exactly one JSON document on stdout, also on failure",
        "  --version    the version of this program",
        "  --help       this page; counterfoil COMMAND --help for one command",
        "",
        "exit codes: 0 done as asked, 1 refused or failed, 2 wrong use, 3 something waits for a person.",
    ]
    return "\n".join(lines)
