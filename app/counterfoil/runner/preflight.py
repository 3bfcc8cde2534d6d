"""What a firing needs, looked at before it comes: a list of checks, each of them one line of “Ready?” and one sentence of a notice.

A room that brings something a run may need adds a function to `CHECKS`; what it says is shown, told and waited for like the rest.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from counterfoil.authoring.codec import canonical
from counterfoil.effects.mail_settings import read_settings
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import EffectTrouble, Permission
from counterfoil.errors import CounterfoilError, NotReady
from counterfoil.facts import FILE_EFFECTS, as_sentence, person
from counterfoil.inbox.accounts import deciders
from counterfoil.places import Home
from counterfoil.policy import grants
from counterfoil.policy.grant_words import sentence
from counterfoil.policy.reaching import Reach
from counterfoil.routing.entries import entry_from
from counterfoil.runner import outward
from counterfoil.runner.findings import Finding, Planned
from counterfoil.runner.firing import RunStarter
from counterfoil.schedules.rules import Watch, rule_of, zone_of
from counterfoil.schedules.triggers import arrived
from counterfoil.settings.notifications import notifications
from counterfoil.store import llm_routes, permission_rows
from counterfoil.store.database import Database
from counterfoil.store.transactions import Row
from counterfoil.views.connectors import is_signed_out, trouble_with

_ASKS = {"never": "It asks nobody", "once or twice": "It stops and asks once or twice"}


def _folder(one: Planned) -> Finding:
    if not one.workspace.is_dir():
        return Finding(
            "folder", False, f"The folder {one.workspace} is not there.", "Bring it back, or choose another."
        )
    if one.effects & set(FILE_EFFECTS) and not os.access(one.workspace, os.W_OK | os.X_OK):
        return Finding(
            "folder",
            False,
            as_sentence(f"This account may not write in {one.workspace}"),
            "Allow it, or choose another folder.",
        )
    return Finding("folder", True, f"The folder {one.workspace.name or one.workspace} can be used.")


def _watched(one: Planned) -> Finding | None:
    if not isinstance(one.rule, Watch) or not one.workspace.is_dir():
        return None
    try:
        arrived(one.workspace, one.rule)
    except NotReady as problem:
        return Finding("watched", False, problem.message, problem.next_step)
    return Finding("watched", True, f"New files in {one.rule.path} are seen.")


def _template(one: Planned) -> Finding:
    problem = one.starter.trouble_with_template(one.row)
    if problem is not None:
        return Finding("template", False, problem.message, problem.next_step)
    return Finding("template", True, f"The template “{one.manifest['title']}” can be loaded.")


def _parameters(one: Planned) -> Finding | None:
    if not one.manifest or not one.workspace.is_dir():
        return None  # said by what is missing before it
    try:
        one.starter.new_run(one.row, one.planned_us, before_files=True)
    except CounterfoilError as problem:
        return Finding("parameters", False, problem.message, problem.next_step)
    return Finding("parameters", True, "Everything it wants to know is filled in.")


def _mail(one: Planned) -> Finding | None:
    if "mail" not in one.effects:
        return None
    try:
        account = read_settings(str(one.workspace))
    except EffectTrouble as problem:
        return Finding("mail", False, str(problem))
    if account.secret and account.secret not in Keyring(one.home).names():
        words = f"The secret “{account.secret}” is not in the keyring."
        return Finding("mail", False, words, f"Store it with: counterfoil secret set {account.secret}")
    return Finding("mail", True, f"Mail can be sent by {account.host}.")


def _connectors(one: Planned) -> Finding | None:
    """Whether the connectors that its template names are there, are on, answered last, and are what somebody has looked at."""
    names = [str(name) for name in one.manifest.get("connectors", ())]
    if not names:
        return None
    for name in names:
        words, next_step = trouble_with(one.conn, name)
        if words:
            return Finding("connectors", False, words, next_step, name if is_signed_out(one.conn, name) else "")
    return Finding("connectors", True, as_sentence(f"The connectors it uses answer: {', '.join(names)}"))


def _permissions(one: Planned) -> Finding | None:
    """Whether a person's rule forbids what the template is for."""
    if not one.effects:
        return None
    template = str(one.manifest["name"])
    for given in permission_rows.living(one.conn):
        verdict, rule = Permission(given["verdict"]), grants.read(given["conditions"])
        reaches = (Reach(effect, {}) for effect in sorted(one.effects))
        if verdict is Permission.DENY and any(
            grants.covers(verdict, rule, reach, str(one.workspace), template) for reach in reaches
        ):
            words = f"A rule forbids what it does: p-{given['number']} of {person(given['granted_by'])}: {sentence(verdict, rule)}"
            return Finding(
                "permissions", False, words, f"Take it back: counterfoil permission remove p-{given['number']}"
            )
    return Finding("permissions", True, "No rule forbids what it does.")


def _llm(one: Planned) -> Finding | None:
    if not one.manifest or one.manifest.get("works_without_llm", True):
        return None
    entries = [entry_from(row) for row in llm_routes.entries(one.conn, llm_routes.DEFAULT)]
    if not entries:
        return Finding("llm", False, "No llm is set up.", "Add one: counterfoil route add")
    known = Keyring(one.home).names()
    lacking = [entry for entry in entries if not outward.has_key(entry, known)]
    if len(lacking) == len(entries):
        words = f"The key of {entries[0].name} is not here ({entries[0].key_label})."
        return Finding("llm", False, words, "Keep it with: counterfoil secret set NAME, or add another llm.")
    return Finding("llm", True, f"{next(entry for entry in entries if entry not in lacking).name} is set up.")


def _approver(one: Planned) -> Finding | None:
    """Who would be asked, whether somebody is there who may decide, and how they hear of it."""
    if not one.manifest:
        return None
    asks = str(one.manifest.get("asks") or "")
    if asks == "never" and not one.effects:
        return Finding("approver", True, f"{_ASKS[asks]}.")
    people, mailing = deciders(one.home), notifications(one.home.root).mail
    stops = _ASKS.get(asks, f"It stops and asks {asks}" if asks else "It stops and asks before anything is written")
    if not people and mailing is None:
        return Finding(
            "approver",
            False,
            f"{stops}, and nobody would hear of it: the account that holds {one.home.root} cannot sign in.",
            "Run it as somebody's account, or name an address below [notifications.mail] in settings.toml.",
        )
    who = (
        f"{' and '.join(person(f'user:{name}') for name in people)} can decide"
        if people
        else "who holds the data folder can decide"
    )
    told = f"Mailed to {', '.join(mailing.to)} when it waits." if mailing else "Nobody is mailed while it waits."
    return Finding("approver", True, f"{stops}: {who}. {told}")


Check = Callable[[Planned], Finding | None]
CHECKS: tuple[Check, ...] = (
    _folder,
    _watched,
    _template,
    _parameters,
    _permissions,
    _mail,
    _llm,
    *outward.CHECKS,
    _connectors,
    _approver,
)


def look(database: Database, home: Home, starter: RunStarter, row: Row, *, is_near: bool = True) -> list[Finding]:
    """Everything the next firing of a routine needs, in the order of `CHECKS`; `starter` was prepared for it. Blocking."""
    try:
        rule = rule_of(json.loads(row["rule"]))
        zone_of(row["zone"])
    except CounterfoilError as problem:
        return [Finding("rule", False, problem.message, problem.next_step)]
    planned = row["next_at"] or database.clock.now_us()
    with database.connect() as conn:  # of its own: the runner looks on a thread
        return _findings(Planned(database, conn, home, row, rule, planned, starter, starter.manifest_of(row), is_near))


def _findings(one: Planned) -> list[Finding]:
    findings: list[Finding] = []
    for check in CHECKS:
        try:
            found = check(one)
        except CounterfoilError as problem:  # such as a broken settings file: it is what is missing
            found = Finding(check.__name__.strip("_"), False, problem.message, problem.next_step)
        findings += [found] if found is not None else []
    return findings


def missing(findings: list[Finding]) -> Finding | None:
    """The first thing that is not there; None where nothing is missing."""
    return next((one for one in findings if not one.holds), None)


def draft_row(template: str, workspace: Path, rule: Mapping[str, Any], zone: str, parameters: Mapping[str, Any]) -> Row:
    """A routine that nobody has kept yet, as far as its checks look at it."""
    made: dict[str, Any] = {
        "schedule_id": "",
        "name": "this schedule",
        "template": template,
        "workspace": str(workspace),
        "rule": json.dumps(rule),
        "zone": zone,
        "parameters": canonical(parameters),
        "next_at": None,
    }
    return made
