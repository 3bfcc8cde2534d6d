"""Connectors, permissions and memory of a data folder, read from its documents; acts go to the command line, which may start
servers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from counterfoil.desktop.real_office.calls import begin, call
from counterfoil.desktop.real_office.route_pages import RouteDesk
from counterfoil.desktop.trust_facts import ConnectorSeen, FactSeen, PermissionSeen, Proposal, ToolChanged
from counterfoil.desktop.words import times
from counterfoil.desktop.words.numbers import count
from counterfoil.desktop.words.people import person
from counterfoil.facts import as_sentence
from counterfoil.store import connector_rows
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.connectors import connector_document, tool_documents
from counterfoil.views.memory import fact_documents
from counterfoil.views.permissions import permission_documents

Document = Mapping[str, Any]
_ANSWERS = {"approved": "approved", "rejected": "rejected", "returned": "sent back"}
_SOON = 8.0  # seconds in which a sign-in that cannot begin has said so
_UNUSED = "Nothing it speaks of has been asked for so far."


class TrustDesk(RouteDesk):
    """What is trusted with what, in one data folder."""

    # ------------------------------------------------------------------------------------------------------- connectors

    def connectors(self) -> tuple[ConnectorSeen, ...]:
        """All connectors, by name."""
        with self._access.reading() as conn:
            return tuple(self._connector(conn, row) for row in connector_rows.every(conn))

    def _connector(self, conn: Connection, row: Row) -> ConnectorSeen:
        document = connector_document(conn, row)
        tools = tool_documents(conn, row["name"])
        health = document["health"]
        words, tone = self._health(document)
        notes = [str(sentence) for sentence in (health or {}).get("left_out", [])]
        if health and health["noise"]:
            notes.append(f"It is noisy: {count(health['noise'], 'line')} that were no message.")
        rows = {one["tool"]: one for one in connector_rows.tools(conn, row["name"])}
        return ConnectorSeen(
            name=row["name"],
            can=document["title"] if document["title"] not in ("", row["name"]) else _can(tools),
            health=words,
            tone=tone,
            where=document["where"],
            on=document["on"],
            tools=tuple(f"{tool['tool']} ({_does(tool)})" for tool in tools),
            notes=tuple(notes),
            signed_out=bool(document["on"] and health and health["signed_out"]),
            changed=tuple(_changed(tool, rows[tool["tool"]]) for tool in tools if tool["changes"] or tool["is_new"]),
        )

    def _health(self, document: Document) -> tuple[str, str]:
        health = document["health"]
        if health is None:
            return "Nobody has looked at it yet.", "quiet"
        at = times.iso_instant(str(health["checked_at"]))
        checked = (
            f" Checked {times.in_sentence(times.when(at, self._access.clock.now_us()))}." if at is not None else ""
        )
        words = f"{health['words']}{checked}"
        if not document["on"]:
            return f"Switched off. {words}", "quiet"
        return words, "ok" if health["ok"] else "bad"

    def test_connector(self, name: str) -> str:
        """Start it, ask for its tools, end it."""
        found = call(self._access.home, "connector", "test", name)
        return f"{name}: {found['health']['words']} {count(len(found['tools']), 'tool')}."

    def sign_in(self, name: str) -> str:
        """Sign in to it in the browser; the command that waits for it goes on beside this window."""
        if begin(self._access.home, "connector", "sign-in", name, patience=_SOON):
            return f"You are signed in to {name}."
        return f"The page to sign in to {name} is open in your browser. What waits for it goes on when that is done."

    def switch_connector(self, name: str, *, on: bool) -> str:
        """Let runs use it, or not; it is looked at before it is switched on."""
        call(self._access.home, "connector", "on" if on else "off", name)
        return f"{name} is {'on' if on else 'off'} now."

    def accept_tools(self, name: str) -> str:
        """Its tools are pinned as they are now."""
        call(self._access.home, "connector", "tools", name, "--accept")
        return f"The tools of {name} are used as they are now."

    # ------------------------------------------------------------------------------------------------------ permissions

    def permissions(self, workspace: str | None) -> tuple[PermissionSeen, ...]:
        """Rules in force; with a workspace those that can matter there."""
        with self._access.reading() as conn:
            documents = permission_documents(conn, now_us=self._access.clock.now_us())
        return tuple(
            PermissionSeen(
                rule_id=one["permission_id"],
                group=one["group"],
                sentence=one["sentence"],
                account=one["account"],
                trouble=_UNUSED if one["verdict"] == "allow" and not one["used"] else "",
            )
            for one in documents
            if workspace is None or one["conditions"].get("workspace") in (None, "", workspace)
        )

    def take_back(self, rule_id: str) -> str:
        """End a rule."""
        call(self._access.home, "permission", "remove", rule_id)
        return "Taken back. It asks from now on."

    def proposal(self, gate_id: str) -> Proposal:
        """What would have spared a gate."""
        return _proposal(call(self._access.home, "permission", "propose", gate_id))

    def allow(self, gate_id: str) -> str:
        """Give what is proposed for a gate."""
        given = _proposal(call(self._access.home, "permission", "propose", gate_id, "--grant"))
        return f"From now on: {' '.join(given.rules)} This gate still waits for your answer."

    # ----------------------------------------------------------------------------------------------------------- memory

    def memory(self, workspace: str | None) -> tuple[FactSeen, ...]:
        """What agents are told in later runs, of one workspace or of all."""
        with self._access.reading() as conn:
            documents = fact_documents(conn, workspace)
        return tuple(self._fact(one) for one in documents)

    def _fact(self, one: Document) -> FactSeen:
        at = times.iso_instant(str(one["accepted_at"]))
        when = f" {times.in_sentence(times.when(at, self._access.clock.now_us()))}" if at is not None else ""
        outside = as_sentence(f" It was proposed after reading {', '.join(one['read_before'])}")
        return FactSeen(
            fact_id=str(one["number"]),
            text=one["fact"],
            source=f"From {one['source']}, run {one['run_number']}.{outside if one['read_before'] else ''}",
            accepted=f"Accepted by {person(one['accepted_by'], self._access.me)}{when}.",
        )

    def forget(self, fact_id: str) -> str:
        """Take a fact back."""
        call(self._access.home, "memory", "forget", f"f-{fact_id}")
        return "Forgotten: no run that begins from now on is told it."


def _proposal(document: Document) -> Proposal:
    covered = tuple((str(one["title"]), _ANSWERS.get(one["verdict"], "decided")) for one in document["covered"])
    refused = sum(one["verdict"] != "approved" for one in document["covered"])
    return Proposal(tuple(one["sentence"] for one in document["rules"]), document["looked_at"], covered, refused)


def _can(tools: list[dict[str, Any]]) -> str:
    """What a connector can do, where nobody gave it a title."""
    return f"{count(len(tools), 'tool')}" if tools else "Nobody knows yet what it can do."


def _does(tool: Document) -> str:
    """What people have said of a tool; where nobody has, what its server says."""
    claim = f"; its server says that it {tool['claim']}" if tool["claim"] and not tool["does"] else ""
    return f"{str(tool['does_words']).rstrip('.').lower()}{claim}"


def _changed(tool: Document, row: Row) -> ToolChanged:
    name = str(tool["tool"])
    what = "; ".join(tool["changes"]) if tool["changes"] else "is new"
    before = json.loads(row["agreed"]) if row["agreed"] is not None else {}
    shown = [
        json.dumps(one, indent=2, sort_keys=True, ensure_ascii=False) if one else ""
        for one in (before, json.loads(row["definition"]))
    ]
    return ToolChanged(name, f"‘{name}’ {what}. It asks again until you look.", *shown)
