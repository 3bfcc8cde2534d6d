"""A walk through the inbox with what no lived home holds at once: all four tabs, names in every script, every kind of gate, several
currencies, sheets, menus and hints. `walk` yields a name when the scene stands still."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from PySide6.QtWidgets import QToolTip, QWidget

from counterfoil.clock import iso
from counterfoil.desktop import office as facts
from counterfoil.desktop.office import Counts, RunnerSeen, RunnerState
from counterfoil.desktop.schedule_facts import NoticeSeen
from counterfoil.desktop.trust_facts import Proposal
from desktop import figures
from desktop.fake_schedules import MISSED, PAYMENTS, TIDY
from desktop.fake_schedules import at as day_at
from desktop.figures import HOUR, NOW

GERMAN = "Donaudampfschifffahrtsgesellschaftskapitänswitwen-Unterstützungskasse e. V."
ARABIC, JAPANESE = "محمد بن عبد الله الفارسي للتجارة العامة", "株式会社東京国際貿易商事第二営業部経理課御中"
EMOJI, CONTROLS = "🧾 Müller & Söhne 🇩🇪 GmbH & Co. KG", "Line\u200bfeed\nTab\tBell\x07 \u202eesrever Ltd."
NAMES = (GERMAN, ARABIC, JAPANESE, EMOJI, CONTROLS)
CURRENCIES = ("EUR", "SEK", "JPY", "CHF", "EUR")


def gates() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Gates of the kinds that the composed office has none of, and one for each name."""
    spending = {"why": "limit", "scope": "run", "llm": "gpt-5-mini", "in_tokens": False}
    choice = figures.field(
        "choice", type="choice", label="What now?", choices=["raise_once", "raise", "finish", "stop"], required=True
    )
    most = figures.field(
        "most",
        type="decimal",
        label="New limit, in US dollars",
        help="Only where the limit is raised; left empty, it becomes twice what it was.",
    )
    done = figures.field("done", type="boolean", label="I have signed in", required=True)
    made: list[tuple[dict[str, Any], dict[str, Any]]] = [
        (
            figures.gate(
                91,
                "budget",
                "$4.91 of $5.00 spent for this run. The next call may cost up to $0.40.",
                fields=[choice, most],
                consequences=[
                    "If you answer raise_once: this one call is made; the limit stays.",
                    "If you answer raise: the limit is set anew, and the call is made.",
                    "If you answer finish: the workflow is told and ends with what it has.",
                    "If you answer stop: the run ends; what was done stays.",
                ],
            ),
            {
                "template": "Read contracts",
                "about": spending | {"subject": "", "spent": "4.91", "most": "5.00", "need": "0.40"},
            },
        ),
        (
            figures.gate(
                92,
                "question",
                "Sign in to mail before it goes on",
                fields=[done],
                consequences=["If you answer: the run goes on with your answers. Answering writes and sends nothing."],
            ),
            {
                "template": "Triage mail",
                "about": {"effect": "call@1", "why": "signed_out", "state": {"sign_in": "mail"}},
            },
        ),
    ]
    for at, name in enumerate(NAMES):
        amount = {"amount": f"{1320 * (at + 1)}.00", "currency": CURRENCIES[at]}
        document = figures.gate(
            200 + at,
            "approval",
            f"Write reference letter for {name}",
            plan=[
                figures._item(1, "write_file", f"Write letters/{name}.txt", f"letters/{name}.txt", None, "ab" * 32, 190)
            ],
            evidence=[
                {"kind": "fields", "title": name, "source": name, "data": [["Name", name], ["Amount", amount]]},
                {
                    "kind": "table",
                    "title": "Payments",
                    "source": None,
                    "data": {
                        "columns": ["No.", "Supplier", "Account", "Amount"],
                        "rows": [
                            [n + 1, other, "DE75 5121 0800 1245 1261 99", {"amount": "20.50", "currency": money}]
                            for n, (other, money) in enumerate(zip(NAMES, CURRENCIES, strict=True))
                        ],
                        "total": None,
                        "flagged": [1],
                    },
                },
                {
                    "kind": "text",
                    "title": "What they wrote",
                    "source": f"Mail from {name}.eml",
                    "data": f"We are {name}.",
                },
            ],
            flags=[f"First payment to {name}: no earlier payment to compare with."],
            consequences=[
                f"If you approve: 1 file is written (letters/{name}.txt). Nothing is sent.",
                "If you reject: nothing is written; the run ends as Rejected, unless its workflow goes another way.",
            ],
        )
        more = {
            "template": name if at == 0 else "Reference letters",
            "run_title": name,
            "run": 1_284_100 + at,
            "figures": (("Amount", amount), ("Letters", 1)),
            "bodies": ({"kind": "write_file@1", "args": {"path": f"letters/{name}.txt", "data": {}}},),
            "foreign": (f"Mail from {name}.eml",),
            "started_by": f"schedule:{name}",
            "prior": (f"You rejected this on 24 Nov: ‘{name}’.",),
        }
        made.append((document, more))
    return made


def walk(desk: Any, only: str = "") -> Iterator[str]:
    """Every scene, or of some parts."""
    for part in (_tabs, _kinds, _names, _asides, _hints, _several, _ended, _notices, _nothing):
        if not only or part.__name__.strip("_") in only.split(","):
            yield from part(desk)


def _furnish(desk: Any) -> Any:
    inbox = desk.page("inbox")
    if f"{91:032x}" not in desk.office.documents:
        for document, more in gates():
            desk.office.add(document, **more)
    desk.tell()
    return inbox


def _go(desk: Any, number: int) -> Any:
    inbox = _furnish(desk)
    inbox.go_to_gate(f"{number:032x}")
    desk.settle()
    desk.office.now += 2_000_000
    desk.settle(0.3)
    return inbox


def _pages(desk: Any, inbox: Any, name: str) -> Iterator[str]:
    yield f"{name}-top"
    bar, at = inbox.detail.area.verticalScrollBar(), 0
    bar.setValue(0)
    while bar.value() < bar.maximum() and at < 5:
        at += 1
        bar.setValue(at * (bar.pageStep() - 60))
        desk.settle(0.15)
        yield f"{name}-{at}"


def _tabs(desk: Any) -> Iterator[str]:
    inbox = _go(desk, 81)
    desk.office.asleep[f"{74:032x}"] = NOW + 26 * HOUR
    desk.office.give(f"{79:032x}", "user:ben", "You know them.")
    desk.office.give(f"{77:032x}", "user:ben", "")
    desk.tell()
    yield "tabs-for-me"
    for tab in ("for_others", "snoozed", "decided"):
        inbox.pane.tabs.segments[tab].click()
        desk.settle()
        yield f"tabs-{tab}"
    inbox.pane.tabs.segments["for_others"].setFocus()
    desk.settle()
    yield "tabs-ring"
    inbox.pane.show_counts(Counts(for_me=1_284, for_others=312, snoozed=107, running=1, runs=9, notices=0))
    desk.settle()
    yield "tabs-many"
    inbox.pane.tabs.segments["for_me"].click()
    desk.office.asleep.clear()
    for number in (79, 77):
        desk.office.take(f"{number:032x}")
    desk.tell()


def _kinds(desk: Any) -> Iterator[str]:
    for name, number in (("question-form", 70), ("spending", 91), ("sign-in", 92), ("doubt", 77), ("failure", 76)):
        yield from _pages(desk, _go(desk, number), name)
    inbox = _go(desk, 92)
    desk.button(inbox.detail.page, "Sign in").click()
    desk.settle()
    yield "sign-in-done"
    inbox = _go(desk, 91)
    for words in ("Raise the limit", "Finish here"):
        chosen = next(one for one in inbox.detail.page.findChildren(QWidget) if getattr(one, "text", str)() == words)
        chosen.click()
        desk.settle()
        yield f"spending-{words.split()[0].casefold()}"


def _names(desk: Any) -> Iterator[str]:
    for at, name in enumerate(("german", "arabic", "japanese", "emoji", "controls")):
        yield from _pages(desk, _go(desk, 200 + at), f"name-{name}")


def _asides(desk: Any) -> Iterator[str]:
    inbox = _go(desk, 200)
    inbox.detail.bar.more.click()
    desk.settle()
    yield "MENU more"
    for act in ("snooze", "give"):
        inbox.set_aside(act)
        desk.settle(0.6)
        yield f"aside-{act}"
        inbox.detail.deciding.aside.sheet.dismiss()
        desk.settle(0.5)
    for name, act in (("send-back", "send_back"), ("reject", "reject")):
        getattr(inbox.detail.deciding, act)()
        desk.settle(0.6)
        yield f"aside-{name}"
        inbox.detail.deciding.asking.dismiss()
        desk.settle(0.5)
    desk.office.trust.__dict__["proposal"] = lambda _gate: Proposal(
        rules=(f"{GERMAN} may write files in letters/ without asking.",),
        covered=tuple((f"Write reference letter for {name}", "approved by you on 24 Nov") for name in NAMES * 3),
        looked_at=40,
        refused=1,
    )
    inbox.detail.deciding.always()
    desk.settle(0.6)
    yield "aside-always-allow"
    inbox.detail.deciding.allowing.dismiss()
    desk.settle(0.5)


def _hints(desk: Any) -> Iterator[str]:
    _go(desk, 200)
    shown = [one for one in desk.window.findChildren(QWidget) if one.isVisible() and one.toolTip()]
    for at, one in enumerate(shown[:40]):
        QToolTip.showText(one.mapToGlobal(one.rect().center()), one.toolTip(), one)
        desk.settle(0.1)
        yield f"HINT {at:02d}"
        QToolTip.hideText()


def _several(desk: Any) -> Iterator[str]:
    inbox = _go(desk, 200)
    view = inbox.pane.view
    rows = [row for row in range(len(view.adapter.entries)) if view.adapter.gate_at(row) is not None]
    view.clearSelection()
    for row in rows:
        if "letter" in view.adapter.gate_at(row).title:
            view.selectionModel().select(view.adapter.index(row), view.selectionModel().SelectionFlag.Select)
    desk.settle()
    yield "several-currencies"
    view.selectAll()
    desk.settle()
    yield "several-all"
    view.clearSelection()


def _ended(desk: Any) -> Iterator[str]:
    document = desk.office.documents[f"{203:032x}"]
    kept = dict(document)
    for state in ("cancelled", "superseded", "expired"):
        document["state"] = state
        yield from _closed(desk, state)
    document.update(kept)
    document["state"] = "decided"
    document["decisions"] = [
        {
            "gate_id": document["gate_id"],
            "verdict": "rejected",
            "by": "user:ben",
            "on_behalf_of": None,
            "at": iso(NOW - HOUR),
            "effective_at": iso(NOW - HOUR),
            "digest": document["digest"],
            "comment": f"{EMOJI}: wrong period",
            "signature": "account",
        }
    ]
    yield from _closed(desk, "by-ben")
    document.update(kept)
    desk.tell()


def _closed(desk: Any, name: str) -> Iterator[str]:
    desk.office.now += 1
    _go(desk, 202)
    _go(desk, 203)
    yield f"ended-{name}"


def _notices(desk: Any) -> Iterator[str]:
    inbox, office = _go(desk, 200), desk.office
    away = "While this computer was off (Fri 18:10 – Mon 09:12): Weekly report ran late, 09:12. Nothing ran twice."
    ended = "the sign-in to “mail” has ended."
    office.schedules.notices = [
        NoticeSeen("away", away, "home", (MISSED,)),
        NoticeSeen("nothing", f"‘{GERMAN}’ found nothing since 02 Nov, 5 times. Right folder?", TIDY),
        NoticeSeen(
            "not_ready",
            f"Tomorrow 07:00 ‘Weekly payments’ cannot run: {ended}",
            PAYMENTS,
            due_at=day_at(1, 7),
            skip="Skip tomorrow",
            sign_in="mail",
        ),
    ]
    desk.tell()
    yield "notices"
    office.schedules.notices = office.schedules.notices[:1]
    desk.tell()
    yield "notices-one"
    office.schedules.notices = []
    desk.tell()
    inbox.pane.view.setFocus()
    desk.office.add(figures.gate(300, "approval", "Write payment file for 3 invoices"))
    desk.office.add(figures.gate(301, "approval", "Write payment file for 4 invoices"))
    desk.tell()
    yield "notices-new"
    for number in (300, 301):
        del office.documents[f"{number:032x}"]
    desk.tell()


def _nothing(desk: Any) -> Iterator[str]:
    inbox, office = _go(desk, 200), desk.office
    inbox.pane.search.setText(f"{GERMAN} und noch viel mehr {ARABIC}")
    desk.settle()
    yield "nothing-no-hit"
    inbox.pane.search.clear()
    kept, office.documents = office.documents, {}
    desk.tell()
    yield "nothing-for-me"
    inbox.pane.tabs.segments["decided"].click()
    desk.settle()
    yield "nothing-decided"
    inbox.pane.tabs.segments["for_me"].click()
    running = office.runner_seen
    office.runner_seen = dataclasses.replace(running, next_name=GERMAN, next_at=NOW + 30 * HOUR)
    desk.tell(*facts.Part)
    yield "nothing-next"
    office.runner_seen = RunnerSeen(RunnerState.OFF)
    desk.tell(*facts.Part)
    yield "nothing-off"
    office.runner_seen, office.documents = running, kept
    desk.tell()
