"""Syncs for what is acknowledged: pure steps alone and together, effects alone and as a plan. Exact counts, so the tests look at them."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import replace

import pytest

from benchmarks.in_process import Office, office_in
from benchmarks.measuring import Ground, Row, fresh, number
from benchmarks.raw_limit import raw_limit
from benchmarks.sync_count import Syncs, can_count, counted
from benchmarks.templates.measured.workflow import MeasuredParams
from counterfoil import Decision, Effect, Workflow, approve, http, workflow, write_file
from counterfoil.facts import RunState
from effects.web_server import Said, WebServer

PLAN = 5  # effects in a plan


def alone(ground: Ground) -> Row:
    """Syncs per pure step of one run alone: those of a run with steps less those of one without."""
    steps = 100
    with counted() as syncs, office_in(ground, ground.disk, "syncs-alone") as office:
        without, with_steps = office.start(), office.start(steps=steps)
        seen = [syncs.wal]
        first = office.advance(without).syncs
        seen.append(syncs.wal)
        second = office.advance(with_steps).syncs
        seen.append(syncs.wal)
        told = (second - first) / steps
        by_sqlite = (seen[2] - 2 * seen[1] + seen[0]) / steps
        with raw_limit(fresh(ground.disk, "raw")) as raw:
            before = syncs.wal
            raw.block(steps)
            plain = (syncs.wal - before) / steps
    return _row("syncs per pure step, one run alone", told, by_sqlite, "1", told == 1, plain)


def together(ground: Ground) -> Row:
    """Syncs per pure step of 50 runs at once, their ends included."""
    count, steps = 50, 20
    with counted() as syncs, office_in(ground, ground.disk, "syncs-together") as office:
        runs = office.start(count, steps=steps)
        before = syncs.wal
        told = office.advance(runs).syncs / (count * steps)
        by_sqlite = (syncs.wal - before) / (count * steps)
    return _row(f"syncs per pure step, {count} runs at once", told, by_sqlite, "0.02", told < 0.03)


def _row(what: str, told: float, by_sqlite: float, target: str, met: bool, plain: float | None = None) -> Row:
    if not can_count():
        return Row(what, number(told), target, met=met, counts={"told": told})
    raw = f"{number(plain)} a commit" if plain is not None else ""
    counts = {"told": told, "seen": by_sqlite}
    return Row(what, f"{number(told)} (SQLite made {number(by_sqlite)})", target, raw, met, counts)


# -------------------------------------------------------------------------------------------------------------- effects


def requests(ground: Ground) -> Row:
    """Syncs per HTTP request: awaited one by one, and as a plan."""
    with contextlib.closing(WebServer()) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("NO_PROXY", "*")
        server.says["/"] = Said()
        single, plan = _effects(ground, "requests", lambda n: http("POST", f"{server.url}/", json={"n": n}))
    return Row(
        f"syncs per request alone / per plan of {PLAN}",
        f"{single.all} / {plan.all}",
        f"2 / {PLAN + 1}",
        met=single.all == 2 and plan.all == PLAN + 1,
        counts={"alone": single.all, "plan": plan.all},
    )


def files(ground: Ground) -> Row:
    """Syncs per written file: of the database (intent, journal, outcome), and what keeps bytes, originals and files themselves safe."""
    single, plan = _effects(ground, "files", lambda n: write_file(f"{n}.txt", f"file {n}"), sets=True)
    return Row(
        f"syncs per file alone / per set of {PLAN} files",
        f"{single.wal} / {plan.wal}, and {single.files} / {plan.files} of files",
        f"3 / {PLAN + 2}",
        met=single.wal == 3 and plan.wal == PLAN + 2,
        counts={"alone": single.wal, "plan": plan.wal, "alone_files": single.files, "plan_files": plan.files},
    )


def _effects(ground: Ground, name: str, make: Callable[[int], Effect], *, sets: bool = False) -> tuple[Syncs, Syncs]:
    """Syncs of one effect that is awaited alone, and of a plan of them, each after its approval."""
    found: list[Syncs] = []
    with counted() as syncs:
        for one_by_one in (True, False):
            with office_in(ground, ground.disk, f"syncs-{name}-{one_by_one}") as office:
                size = 1 if one_by_one and sets else PLAN  # all files of an approval are one set
                _approved(office, _body([make(n) for n in range(size)], one_by_one, syncs, found))
    if any(one != found[0] for one in found[:-1]):
        raise RuntimeError(f"effects awaited alone differ: {found[:-1]}")
    return found[0], found[-1]


def _body(plan: list[Effect], one_by_one: bool, syncs: Syncs, found: list[Syncs]) -> Workflow[MeasuredParams, None]:
    """A workflow that counts while it performs: a workflow body may do that only because it is never replayed here."""

    @workflow("measured")
    async def measured(p: MeasuredParams) -> None:
        decision = await approve("Do it", plan=plan)
        for effect in decision.plan if one_by_one else [decision]:
            before = replace(syncs)
            await (effect.perform() if isinstance(effect, Decision) else effect)
            found.append(syncs.since(before))

    return measured


def _approved(office: Office, body: Workflow[MeasuredParams, None]) -> None:
    run = office.start()
    for expected in (RunState.WAITING, RunState.DONE):
        state = office.advance(run, body).states[0]
        if state != expected:
            raise RuntimeError(f"the measured run is {state}, not {expected}: {office.trouble(run[0])}")
        if state == RunState.WAITING:
            office.approve(run[0])
