"""A schedule while it is filled in: what its rule means, what is wrong with it, and saving it by the command line, which keeps the
version of its template."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from tzlocal import get_localzone_name

from counterfoil.clock import from_us
from counterfoil.desktop.real_office import calls
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.real_office.templates import Templates
from counterfoil.desktop.schedule_facts import DraftSeen, NextSeen, ReadySeen, ScheduleDraft, ScheduleKept
from counterfoil.desktop.words.plain import one_line
from counterfoil.errors import CounterfoilError, WrongRule, WrongUse
from counterfoil.schedules.instants import Firing
from counterfoil.schedules.nights import changes, place_of
from counterfoil.schedules.policies import read_policy
from counterfoil.schedules.rules import Watch, rule_of, zone_of
from counterfoil.schedules.typed import form_typed, instead_of, understood, words_of
from counterfoil.store import llm_budgets, llm_routes, notices, schedules, standing
from counterfoil.store.llm_money import amount_of, dollars, words
from counterfoil.store.transactions import Connection, Row
from counterfoil.views.plain import recorded

_UNUSABLE = "This rule cannot be used: "


class Drafts:
    """Drafts of one home."""

    def __init__(self, access: Access, templates: Templates) -> None:
        self._access = access
        self._templates = templates

    def zones(self) -> tuple[str, ...]:
        """Names of zones, those of places first."""
        return _zones()

    def of(self, conn: Connection, row: Row) -> ScheduleDraft:
        """A kept routine as a draft."""
        rule, policy = rule_of(json.loads(row["rule"])), read_policy(row["policy"])
        return ScheduleDraft(
            name=row["name"],
            template=str(self._templates.folder_of(row["template"], row["workspace"])),
            workspace=row["workspace"],
            rule=words_of(rule),
            zone=row["zone"],
            gap=rule.gap,
            holidays=", ".join(rule.holidays_of),
            on_holiday=rule.on_holiday,
            missed=policy.missed,
            overlap=policy.overlap,
            tell=policy.tell,
            spend=_spend(conn, row["schedule_id"]),
            values=recorded(row["parameters"]),
            schedule_id=row["schedule_id"],
            kept_rule=row["rule"],
        )

    def judge(self, draft: ScheduleDraft) -> DraftSeen:
        """What is understood, when it would fire, and what is wrong."""
        with self._access.reading() as conn:
            priced, most = llm_routes.has_price(conn), llm_budgets.most_of_every_run(conn)
        seen = self._judged(draft)
        if not priced:
            return seen
        unsaid = "no limit" if most is None else words(dollars(most))
        return dataclasses.replace(seen, most=unsaid, spend=_about_amount(draft.spend))

    def _judged(self, draft: ScheduleDraft) -> DraftSeen:
        name = self._about_name(draft)
        try:
            zone = zone_of(draft.zone)
        except WrongRule as problem:
            return DraftSeen(problem=str(problem), where="zone", instead=_zone_of(problem.next_step), name=name)
        after = from_us(self._access.clock.now_us())
        fields = self._about_fields(draft, after, zone)
        if not draft.rule.strip():
            return DraftSeen(fields=fields, name=name)
        try:
            found = understood(self._form(draft, zone), zone, after)
        except WrongRule as problem:
            return DraftSeen(
                problem=" ".join(filter(None, (problem.message.removeprefix(_UNUSABLE), problem.next_step))),
                where="rule",
                instead=instead_of(draft.rule, problem.message),
                fields=fields,
                name=name,
            )
        if isinstance(found.rule, Watch):
            fields = self._without_takers(draft, fields)
        ahead = tuple(_ahead(firing, zone) for firing in found.ahead)
        return DraftSeen(found.words, ahead, found.notes, fields=fields, name=name)

    def ready(self, draft: ScheduleDraft) -> tuple[ReadySeen, ...]:
        """What a firing needs, looked at by the command line, since the rooms it is looked at in are the runner's.

        Raises:
            CounterfoilError: it could not be looked at.
        """
        values = self._templates.typed(draft.template, draft.workspace, draft.values)
        told = ["--template", draft.template, "--workspace", draft.workspace, "--zone", draft.zone]
        with contextlib.suppress(WrongRule):  # said where it is typed; what it needs does not depend on it
            told += ["--rule-json", json.dumps(self._form(draft, zone_of(draft.zone)))]
        with calls.json_file(self._access.home, values) as given:
            found = calls.call(self._access.home, "schedule", "ready", *told, "--input", given)
        return tuple(_ready(one) for one in found)

    def keep(self, draft: ScheduleDraft) -> ScheduleKept:
        """Save it.

        Raises:
            CounterfoilError: what the command line refused.
        """
        form = self._form(draft, zone_of(draft.zone))
        values = self._templates.typed(draft.template, draft.workspace, draft.values)
        told = [
            "--zone",
            draft.zone,
            "--rule-json",
            json.dumps(form),
            "--missed",
            draft.missed,
            "--overlap",
            draft.overlap,
            "--tell",
            draft.tell,
        ]
        with self._access.reading() as conn:
            if llm_routes.has_price(conn):
                told += ["--spend", draft.spend.strip() or "none"]
            living = schedules.living(conn)
            asked = standing.get(conn, standing.LOGIN) is not None
        known = next((row["name"] for row in living if row["schedule_id"] == draft.schedule_id), None)
        with calls.json_file(self._access.home, values) as given:
            told += ["--input", given]
            if draft.schedule_id and known is not None:
                act = ["change", *told, "--name", draft.name, "--", known]
            else:
                template = self._templates.name_of(draft.template, draft.workspace)
                act = ["add", *told, "--workspace", draft.workspace, "--", draft.name, template]
            kept = calls.call(self._access.home, "schedule", *act)
        lacking = self._lacking(str(kept["schedule_id"])) if kept["paused"] and not draft.schedule_id else ""
        return ScheduleKept(str(kept["schedule_id"]), str(kept["name"]), not asked, lacking)

    def start_at_login(self, *, start: bool) -> str:
        """Have the runner start at login, by the command line, which writes what this system wants for that; or keep that it is not wanted.

        Raises:
            CounterfoilError: it could not be set up.
        """
        if start:
            found = calls.call(self._access.home, "service", "install")
            return f"Counterfoil starts at login ({one_line(found['file'])})."
        me = self._access.me
        self._access.write(lambda txn: standing.put(txn, standing.LOGIN, {"start": False}, me))
        return "The runner is started by this window and goes on after it, until you log out."

    def _lacking(self, schedule_id: str) -> str:
        """Why a schedule was saved paused."""
        with self._access.reading() as conn:
            told = [row for row in notices.standing(conn) if row["subject"] == schedule_id]
        return next((str(notices.body_of(row).get("reason") or "") for row in told), "it cannot run as things are.")

    def _form(self, draft: ScheduleDraft, zone: ZoneInfo) -> dict[str, Any]:
        """The form of the rule. The kept one while its words stand: an anchor, or a copy of free days, must not move by being looked at."""
        options = {"gap": draft.gap}
        if draft.kept_rule:
            kept: dict[str, Any] = json.loads(draft.kept_rule)
            rule = rule_of(kept)
            if (draft.rule, draft.holidays) == (words_of(rule), ", ".join(rule.holidays_of)):
                moved = options if draft.gap != rule.gap else {}
                return {**kept, **moved, **({"on_holiday": draft.on_holiday} if rule.holidays else {})}
        today = from_us(self._access.clock.now_us()).astimezone(zone).date()
        sources = [one.strip() for one in draft.holidays.split(",") if one.strip()]
        if sources:
            options["on_holiday"] = draft.on_holiday
        return form_typed(draft.rule, today, options, sources, Path(draft.workspace))

    def _about_name(self, draft: ScheduleDraft) -> str:
        if not draft.name.strip():
            return "A schedule needs a name."
        with self._access.reading() as conn:
            known = schedules.named(conn, draft.name.strip())
        taken = known is not None and known["schedule_id"] != draft.schedule_id
        return f"There is a schedule ‘{draft.name.strip()}’ already." if taken else ""

    def _without_takers(self, draft: ScheduleDraft, fields: Mapping[str, str]) -> Mapping[str, str]:
        """What is wrong with fields, without those that take the files of a watched folder when they come."""
        takers = self._templates.takers(draft.template, draft.workspace) if fields and draft.template else set[str]()
        return {name: words for name, words in fields.items() if name not in takers}

    def _about_fields(self, draft: ScheduleDraft, after: datetime, zone: ZoneInfo) -> Mapping[str, str]:
        if not draft.template:
            return {}
        try:
            day = after.astimezone(zone).date()
            return self._templates.problems(draft.template, draft.workspace, draft.values, planned=day)
        except CounterfoilError as problem:
            return {"": str(problem)}


def _ahead(firing: Firing, zone: ZoneInfo) -> NextSeen:
    local = firing.local(zone)
    night = changes(zone, local.date(), 1).get(local.date(), "")
    said = f"Clocks change in {place_of(zone.key)}: {night}" if night else ""
    place = "" if zone.key == (get_localzone_name() or "") else place_of(zone.key)
    return NextSeen(local.isoformat(timespec="minutes"), firing.note, said, place)


def _spend(conn: Connection, schedule_id: str) -> str:
    """What each run of a routine may spend, where somebody has said so: as it can be typed, and not rounded."""
    row = llm_budgets.get(conn, llm_budgets.RUN, schedule_id)
    if row is None or row["most"] is None:
        return ""
    most = dollars(row["most"])
    return f"${most:.2f}" if most == round(most, 2) else f"${most.normalize():f}"


def _about_amount(text: str) -> str:
    """What is wrong with an amount that was typed; nothing typed is right."""
    try:
        amount_of(text or "0")
    except WrongUse as problem:
        return problem.message
    return ""


def _ready(one: Mapping[str, Any]) -> ReadySeen:
    """A finding of the command line; its options for parameters are fields here."""
    sign_in = str(one["sign_in"] or "")
    next_step = "" if one["check"] == "parameters" or sign_in else str(one["next_step"] or "")
    return ReadySeen(str(one["check"]), bool(one["holds"]), str(one["words"]), next_step, sign_in)


def _zone_of(advice: str) -> str:
    """The zone that an error proposes: `Europe/Berlin?`."""
    return advice.removesuffix("?") if advice.endswith("?") else ""


@functools.cache
def _zones() -> tuple[str, ...]:
    return tuple(sorted(available_timezones(), key=lambda name: ("/" not in name or name.startswith("Etc/"), name)))
