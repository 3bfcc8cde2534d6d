"""`mcp`: an agent in an editor starts runs, asks for approvals and looks at what became of them. It has no way to decide: none of the tools
answers a gate, and the folder is the one that whoever started this named."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.catalogue.finding import find_template, list_templates
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.cli.call import Call
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.opening import Opened, opened, workspace_of
from counterfoil.cli.options import Context, Workspace, call_of
from counterfoil.cli.starting import checked_parameters
from counterfoil.connectors.serving import Offer, serve
from counterfoil.errors import WrongUse
from counterfoil.facts import person
from counterfoil.inbox.finding import find_run
from counterfoil.inbox.hinting import hint
from counterfoil.runner.lease import runner_alive
from counterfoil.runner.starting import start_run
from counterfoil.store.transactions import Row
from counterfoil.views.runs import run_document

ASKING = "ask-approval"  # the template behind ask_for_approval
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")
_TEXT = {"type": "string"}
_INSTRUCTIONS = (
    "Counterfoil runs office work that stops where a person must decide. You can start a run of a template, ask a person for an "
    "approval, and look at a run. You cannot decide: a person does, in Counterfoil. Look again later; do not start the same thing twice."
)


def mcp(
    context: Context,
    workspace: Workspace = None,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="What the agent is called in the account of its runs.")
    ] = "editor",
) -> None:
    """Serve an agent in an editor on stdin and stdout: start a run, ask for an approval, look; never decide."""
    call = call_of(context)
    if not _NAME.fullmatch(name):
        raise WrongUse(f"“{name[:60]}” cannot be an agent's name.", "Use small letters, digits and dashes, 40 at most.")
    place = workspace_of(workspace)
    with opened(call):
        keep_logs(call.home)  # a home that cannot be used is told now, not to the agent
    desk = Desk(call, place, f"agent:{name}")
    serve(desk.offers(), _INSTRUCTIONS)


class Desk:
    """What is offered, for one folder and one agent."""

    def __init__(self, call: Call, workspace: Path, agent: str) -> None:
        self._call = call
        self._workspace = workspace
        self._agent = agent

    def offers(self) -> list[Offer]:
        """The closed list."""
        wanted = {"template": _TEXT, "parameters": {"type": "object"}}
        question = {"question": {**_TEXT, "description": "What is to be approved, in a line."}, "details": _TEXT}
        return [
            Offer(
                "list_templates", "Templates that can be started here.", _schema({}), self.templates, reads_only=True
            ),
            Offer(
                "start_run",
                "Start a run of a template in the team's folder. Whatever it would write or send waits for a person.",
                _schema(wanted, "template"),
                self.start,
            ),
            Offer(
                "ask_for_approval",
                "Ask a person for an approval. Answers with a run; look_at_run says what was decided, once somebody has.",
                _schema(question, "question"),
                self.ask,
            ),
            Offer(
                "look_at_run",
                "Where a run stands: its state, what it waits for, its result.",
                _schema({"run": {**_TEXT, "description": "r-12, or the beginning of its id."}}, "run"),
                self.look,
                reads_only=True,
            ),
        ]

    def templates(self, _: dict[str, Any]) -> list[dict[str, Any]]:
        """Names and what they give."""
        found = list_templates(self._workspace, self._call.home)
        return [
            {"name": one.name, "title": one.manifest.title, "description": one.manifest.description}
            for one in found
            if one.manifest is not None and one.name != ASKING
        ]

    def start(self, args: dict[str, Any]) -> dict[str, Any]:
        """Commit a ready run."""
        if "/" in args["template"]:
            raise WrongUse("A template is named here, not given as a path.", "Ask list_templates for the names.")
        if args["template"] == ASKING:
            raise WrongUse("That template says who asks, so it is not started like others.", "Use ask_for_approval.")
        return self._started(args["template"], args.get("parameters") or {})

    def ask(self, args: dict[str, Any]) -> dict[str, Any]:
        """Commit a run that asks for an approval and does nothing else."""
        who = person(self._agent)
        given = {**args, "asked_by": who[:1].upper() + who[1:]}
        return self._started(ASKING, given)

    def look(self, args: dict[str, Any]) -> dict[str, Any]:
        """A run of this folder, as far as it concerns whoever has started it."""
        with opened(self._call) as home, home.database.snapshot() as conn:
            row = find_run(conn, args["run"])
            if row["workspace"] != str(self._workspace):
                raise WrongUse("That run belongs to another folder.", "Look at runs that were started here.")
            return self._told(home, row)

    def _started(self, template: str, given: dict[str, Any]) -> dict[str, Any]:
        folder = find_template(template, self._workspace, self._call.home)
        name = read_manifest(folder).name
        with opened(self._call) as home:
            row = start_run(
                home.database,
                self._call.home,
                template=folder,
                workspace=self._workspace,
                parameters=checked_parameters(name, self._workspace, given, [], {}),
                started_by=self._agent,
            )
            hint(self._call.home)
            with home.database.snapshot():
                told = self._told(home, row)
            if not runner_alive(home.database):
                told["note"] = "It is kept and starts with the runner, which is off now."
            return told

    @staticmethod
    def _told(home: Opened, row: Row) -> dict[str, Any]:
        document = run_document(home.database.reader, home.blobs, row)
        waits = [{"gate": f"g-{gate['number']}", "title": gate["title"]} for gate in document["gates"]]
        kept = {name: document[name] for name in ("title", "state", "result", "error")}
        return {"run": f"r-{document['number']}", **kept, "waits_for_a_person": waits}


def _schema(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}
