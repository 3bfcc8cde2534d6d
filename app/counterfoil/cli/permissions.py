"""`permission list|add|deny|propose|remove|explain`: what may happen without asking, what never may, and who said so."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from counterfoil.cli.commands import EVERYWHERE
from counterfoil.cli.gathering import gathering
from counterfoil.cli.opening import Opened, opened, workspace_of
from counterfoil.cli.options import Comment, Context, Gate, OnlyWorkspace, call_of
from counterfoil.cli.tables import table
from counterfoil.cli.words import Cell, person
from counterfoil.clock import SystemClock
from counterfoil.connectors.ruling import reading_rule
from counterfoil.engine.judging import around_of
from counterfoil.engine.ports import Permission
from counterfoil.errors import WrongUse
from counterfoil.inbox import permitting
from counterfoil.inbox.accounts import account
from counterfoil.inbox.finding import find_gate
from counterfoil.inbox.permitting import Before
from counterfoil.policy.grant_words import GROUPS, sentence
from counterfoil.policy.grants import Conditions, money_of
from counterfoil.policy.judging import Rules
from counterfoil.store import permission_rows, runs, versions
from counterfoil.store.transactions import Row, Txn
from counterfoil.views.permissions import permission_document, permission_documents

app = typer.Typer(
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="What may happen without asking, what never may, and who said so.",
    epilog=EVERYWHERE,
)


def _option(name: str, metavar: str, words: str) -> Any:
    return typer.Option(name, metavar=metavar, help=words, show_default=False)


Effect = Annotated[str, _option("--effect", "KIND", "files, write_file, mail, http, call, command and so on.")]
Template = Annotated[str, _option("--template", "NAME", "Only of this template.")]
Paths = Annotated[list[str] | None, _option("--path", "PATTERN", "Of files, such as 'Post/**'; repeat it for more.")]
To = Annotated[list[str] | None, _option("--to", "PATTERN", "Of mail addresses, such as '*@example.org'.")]
Hosts = Annotated[list[str] | None, _option("--host", "PATTERN", "Of hosts, such as '*.example.org'.")]
Method = Annotated[str, _option("--method", "NAME", "Of a request, such as POST.")]
Secrets = Annotated[list[str] | None, _option("--secret", "NAME", "That may go along with a request.")]
Connector = Annotated[str, _option("--connector", "NAME", "Only of this connector.")]
Tool = Annotated[str, _option("--tool", "NAME", "Only this tool.")]
Pin = Annotated[str, _option("--pin", "DIGEST", "The definition that the tool has now, as the connector shows it.")]
Program = Annotated[str, _option("--command", "PATTERN", "Of a command line, such as 'git status*'.")]
Args = Annotated[list[str] | None, _option("--arg", "NAME=PATTERN", "Of an argument; repeat it for more.")]
Amount = Annotated[str, _option("--amount", "AMOUNT", "Up to 100.00 EUR; of deny: beyond it.")]
AskFirst = Annotated[bool, typer.Option("--ask", help="Ask, although another rule allows it.")]
Reference = Annotated[str, typer.Argument(metavar="RULE", help="p-3, or the beginning of its id.", show_default=False)]


@app.command("list", epilog=EVERYWHERE)
def list_(
    context: Context, everything: Annotated[bool, typer.Option("--all", help="Those taken back, too.")] = False
) -> None:
    """Every rule as a sentence, by what it protects."""
    call = call_of(context)
    with opened(call) as home:
        documents = permission_documents(home.database.reader, taken_back=everything, now_us=SystemClock().now_us())
    call.document(documents)
    for group in GROUPS:
        some = [one for one in documents if one["group"] == group]
        if some:
            call.line(group)
        for one in some:
            call.line(f"  p-{one['number']}  {one['sentence']}")
            call.line(f"       {one['account']}")
    if not documents:
        call.line("No rules: files, mail, requests, tools and commands ask, each time.")
        return
    unused = [f"p-{one['number']}" for one in documents if one["verdict"] == "allow" and not one["used"]]
    if unused:
        call.say(f"nothing has matched {', '.join(unused)} so far.")
    call.line("Take one back: counterfoil permission remove p-N")


@dataclass(frozen=True)
class RuleOptions:
    """The conditions of a rule as options; all of them must hold."""

    effect: Effect = ""
    template: Template = ""
    workspace: OnlyWorkspace = None
    path: Paths = None
    to: To = None
    host: Hosts = None
    method: Method = ""
    secret: Secrets = None
    connector: Connector = ""
    tool: Tool = ""
    command: Program = ""
    arg: Args = None
    amount: Amount = ""

    def conditions(self, pin: str = "") -> Conditions:
        """The conditions; of the tool as `pin` names it.

        Raises:
            WrongUse: one of them cannot be read.
        """
        pairs = [one.partition("=") for one in self.arg or ()]
        if any(not name or not equals for name, equals, _ in pairs):
            raise WrongUse("--arg has no name and pattern.", "Write --arg name=pattern.")
        return Conditions(
            effect=self.effect,
            template=self.template,
            workspace="" if self.workspace is None else str(workspace_of(self.workspace)),
            path=tuple(self.path or ()),
            to=tuple(self.to or ()),
            host=tuple(self.host or ()),
            method=self.method.upper(),
            secret=tuple(self.secret or ()),
            connector=self.connector,
            tool=self.tool,
            pin=pin,
            command=self.command,
            args={name: pattern for name, _, pattern in pairs},
            amount=money_of(self.amount) if self.amount else None,
        )


@app.command("add", epilog=EVERYWHERE)
@gathering
def add(context: Context, rule: RuleOptions, *, pin: Pin = "", ask: AskFirst = False, comment: Comment = "") -> None:
    """Let something happen without asking."""
    _give(context, Permission.ASK if ask else Permission.ALLOW, rule.conditions(pin), comment)


@app.command("deny", epilog=EVERYWHERE)
@gathering
def deny(context: Context, rule: RuleOptions, *, comment: Comment = "") -> None:
    """Let something never happen, whoever would approve it and whatever other rules say."""
    _give(context, Permission.DENY, rule.conditions(), comment)


@app.command("propose", epilog=EVERYWHERE)
def propose(
    context: Context,
    gate: Gate,
    grant: Annotated[bool, typer.Option("--grant", help="Give what is proposed.")] = False,
    comment: Comment = "",
) -> None:
    """The narrowest rules that would have spared a gate, and which of the last decisions they would have covered."""
    call = call_of(context)
    with opened(call) as home:
        row, rules = permitting.proposed(home.database.reader, home.blobs, gate)
        before = permitting.held_against(home.database.reader, home.blobs, rules)
        given = _granted(home, row, rules, comment) if grant else []
    covered = [one for one in before if one.covered]
    call.document(
        {
            "gate_id": row["gate_id"],
            "rules": [{"sentence": sentence(Permission.ALLOW, rule)} for rule in rules],
            "looked_at": len(before),
            "covered": [
                {"number": one.number, "title": one.title, "verdict": one.verdict, "by": one.by} for one in covered
            ],
            "granted": [one["permission_id"] for one in given],
        }
    )
    for rule in rules:
        call.line(sentence(Permission.ALLOW, rule))
    call.line(
        f"It would have covered {len(covered)} of the last {len(before)} decisions." if before else "No decisions yet."
    )
    call.lines(table(["gate", "", "decided"], [_before(one) for one in covered], call.width) if covered else [])
    refused = [one for one in covered if one.verdict != "approved"]
    if refused:
        were, they = ("was", "it") if len(refused) == 1 else ("were", "they")
        call.say(f"{len(refused)} of these {were} not approved: with the rule {they} would have been done.")
    if given:
        call.say(f"given as {', '.join('p-' + str(one['number']) for one in given)}.")
    else:
        call.say(f"nothing is given. To give it: counterfoil permission propose g-{row['number']} --grant")


@app.command("remove", epilog=EVERYWHERE)
def remove(context: Context, rule: Reference) -> None:
    """Take a rule back; what was done under it stays done."""
    call = call_of(context)
    with opened(call) as home:
        row = permitting.find(home.database.reader, rule)
        done = home.database.transact(lambda txn: permitting.take_back(txn, row, account()))
        document = _document(home, row["permission_id"])
    call.document(document)
    call.line(
        f"p-{row['number']} {'is' if done else 'was'} taken back{'' if done else ' before'}: {document['sentence']}"
    )


@app.command("explain", epilog=EVERYWHERE)
def explain(context: Context, gate: Gate) -> None:
    """Of each item of a gate: what would happen to it without this approval, and which rule decides."""
    call = call_of(context)
    with opened(call) as home, home.database.snapshot() as conn:
        row = find_gate(conn, gate)
        question = permitting.question_of(conn, home.blobs, row)
        version = versions.get(conn, runs.get(conn, row["run_id"])["version"])
        manifest = {} if version is None else _manifest(version)
        policy = Rules([reading_rule(home.database)])
        said = []
        for item in question.spec["plan"]:
            around = around_of(conn, item["body"], question.template, row["run_id"])
            judgement = policy.judge(item["body"], question.workspace, manifest, around)
            said.append((item["n"], item["body"]["kind"], judgement))
    call.document(
        [{"n": n, "effect": kind, "permission": str(one.permission), "reason": one.reason} for n, kind, one in said]
    )
    for n, kind, one in said:
        call.line(f"{n}. {kind.partition('@')[0]}: {one.permission}. {one.reason}")
    if not said:
        call.line(f"g-{row['number']} asks about no effect, so no rule speaks of it.")


def _manifest(version: Row) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(version["manifest"])
    return found


def _give(context: Context, verdict: Permission, rule: Conditions, comment: str) -> None:
    call = call_of(context)
    with opened(call) as home:
        rule = permitting.pinned(home.database.reader, verdict, rule)
        row = home.database.transact(lambda txn: permitting.grant(txn, verdict, rule, account(), comment))
        document = _document(home, row["permission_id"])
    call.document(document)
    call.line(f"p-{row['number']}  {document['sentence']}")
    call.say(f"take it back with: counterfoil permission remove p-{row['number']}")


def _granted(home: Opened, gate: Row, rules: list[Conditions], comment: str) -> list[Row]:
    by = account()

    def operation(txn: Txn) -> list[Row]:
        return [permitting.grant(txn, Permission.ALLOW, rule, by, comment, gate["gate_id"]) for rule in rules]

    return home.database.transact(operation)


def _document(home: Opened, permission_id: str) -> dict[str, Any]:
    conn = home.database.reader
    use = permission_rows.uses(conn).get(permission_id, permission_rows.Use(0, None))
    return permission_document(permission_rows.find(conn, permission_id)[0], use, SystemClock().now_us())


def _before(one: Before) -> list[Cell]:
    return [Cell(f"g-{one.number}"), Cell(one.title), Cell(f"{one.verdict} by {person(one.by)}")]
