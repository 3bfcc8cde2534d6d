"""An office without a database: the composed figures, changed in memory by what a test decides. It answers like the real one, at once."""

import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRect, Qt
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

from counterfoil.clock import iso
from counterfoil.desktop import gate_facts, run_facts
from counterfoil.desktop import office as facts
from counterfoil.desktop.gate_facts import Person
from counterfoil.desktop.news_facts import News
from counterfoil.desktop.run_facts import EVERY, Narrow, Plug, StepKept
from counterfoil.desktop.runs.rows import look
from counterfoil.desktop.template_facts import FolderFacts, TemplateCard, TemplateSeen
from counterfoil.desktop.theme import font
from counterfoil.errors import AlreadyDecided, StaleDigest, UnknownGate
from counterfoil.policy.protection import NOTHING, Consent, Told
from counterfoil.previews.preview import FileSeen, Touched
from desktop import fake_runs, figures
from desktop.fake_schedules import FakeSchedules
from desktop.fake_settings import FakeSettings
from desktop.fake_trust import FakeTrust
from desktop.figures import HOUR, ME, MINUTE, NOW, WORKSPACE

SECOND = 1_000_000


class FakeOffice:
    """Everything a page can ask. `now` moves when a test says so; `log` holds every act in order."""

    def __init__(self) -> None:
        self.now = NOW
        self.log: list[tuple[str, Any]] = []
        self.documents: dict[str, dict[str, Any]] = {}
        self.seen: dict[str, gate_facts.GateSeen] = {}
        self.drafts: dict[str, gate_facts.Draft] = {}
        self.read: set[str] = set()
        self.asleep: dict[str, int] = {}
        self.loaded_ahead: list[str] = []
        self.runner_seen = facts.RunnerSeen(
            facts.RunnerState.RUNNING,
            since=NOW - 3 * HOUR,
            last_saved=NOW,
            last_sign=NOW,
            pid=4711,
            doing=("Update Q4 price list",),
        )
        self.pending: list[facts.Changes] = []
        self.refuse: Exception | None = None
        self.told = Told("L2", "bubblewrap is not installed.", "Install bubblewrap, then run: counterfoil doctor")
        self.lacking: dict[str, list[Exception]] = {}
        self.run_rows = list(fake_runs.rows())
        self.narrowed: list[Narrow] = []
        self.progress_seen: list[facts.Progress] = []
        self.plug: list[Plug] = []
        self.kept = StepKept()
        self.to_tell: list[News] = []
        self.silent: dict[str, run_facts.Silent] = {}
        self.schedules = FakeSchedules(self.log, self._scheduled)
        self.settings = FakeSettings(self.log)
        self.trust = FakeTrust(self.log, self._trusted)
        self.undo_look = run_facts.UndoLook()
        self.touched: dict[str, tuple[Touched, ...]] = {}
        self.fork_looks: dict[tuple[int, bool], run_facts.ForkLook] = {}
        self.undoings: list[run_facts.Undoing] = []
        for document, extra in _gates():
            self.add(document, **extra)

    def add(self, document: dict[str, Any], **extra: Any) -> None:
        """Put a gate into the inbox."""
        self.documents[document["gate_id"]] = document
        self.seen[document["gate_id"]] = _seen(document, **extra)
        self.pending.append(_changed(facts.Part.INBOX))

    def _scheduled(self) -> None:
        self.pending.append(_changed(facts.Part.SCHEDULES))

    def _trusted(self) -> None:
        self.pending.append(_changed(facts.Part.TRUST))

    def changes(self) -> facts.Changes | None:
        parts = frozenset(part for changes in self.pending for part in changes.parts)
        self.pending.clear()
        return facts.Changes(parts) if parts else None

    def close(self) -> None:
        self.log.append(("close", None))

    def workspaces(self) -> tuple[facts.Workspace, ...]:
        return (facts.Workspace(WORKSPACE, "Payables"), facts.Workspace("/data/anna/Larkfield/Sales", "Sales"))

    def counts(self, workspace: str | None) -> facts.Counts:
        running = sum(row.state in ("running", "ready") for row in self.run_rows)
        return facts.Counts(
            for_me=len(self.inbox(facts.Tab.FOR_ME, workspace)),
            for_others=len(self.inbox(facts.Tab.FOR_OTHERS, workspace)),
            snoozed=len(self.inbox(facts.Tab.SNOOZED, workspace)),
            running=running,
            runs=len(self.run_rows),
            notices=len(self.schedules.notices),
        )

    def runner(self) -> facts.RunnerSeen:
        return self.runner_seen

    def start_runner(self) -> None:
        self.log.append(("start_runner", None))
        self.runner_seen = facts.RunnerSeen(
            facts.RunnerState.RUNNING, since=self.now, last_saved=self.now, last_sign=self.now
        )
        self.pending.append(_changed(facts.Part.RUNNER))

    def news(self, *, looking: bool) -> News | None:
        self.log.append(("news", looking))
        return None if looking or not self.to_tell else self.to_tell.pop(0)

    def pause_everything(self, *, on: bool) -> None:
        self.log.append(("pause_everything", on))
        by, at = (ME, self.now) if on else ("", None)
        self.runner_seen = dataclasses.replace(self.runner_seen, paused_by=by, paused_at=at)
        self.pending.append(_changed(facts.Part.RUNNER))

    def inbox(self, tab: facts.Tab, workspace: str | None, most: int | None = None) -> tuple[facts.InboxRow, ...]:
        wanted = "decided" if tab is facts.Tab.DECIDED else "open"
        found = [one for one in self.documents.values() if one["state"] == wanted]
        rows = [self._row(one) for one in found if tab is facts.Tab.DECIDED or self._tab_of(one) is tab]
        if most is not None:
            rows = sorted(rows, key=lambda row: (row.due_at is None, row.due_at or 0, row.asked_at))[:most]
        return tuple(rows)

    def _tab_of(self, document: dict[str, Any]) -> facts.Tab:
        if (document.get("waits_for") or {"who": ME})["who"] != ME:
            return facts.Tab.FOR_OTHERS
        asleep = self.asleep.get(document["gate_id"], 0) > self.now
        return facts.Tab.SNOOZED if asleep else facts.Tab.FOR_ME

    def _aside(self, what: str, gate_id: str, detail: Any) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.log.append((what, (gate_id, detail)))
        self.pending.append(_changed(facts.Part.INBOX))

    def snooze(self, gate_id: str, until: int) -> None:
        self._aside("snooze", gate_id, until)
        self.asleep[gate_id] = until

    def wake(self, gate_id: str) -> None:
        self._aside("wake", gate_id, None)
        self.asleep.pop(gate_id, None)

    def people(self, gate_id: str) -> tuple[Person, ...]:
        return (
            Person("user:ben", "Ben"),
            Person("user:carla", "Carla", "Carla may not decide this: its rules leave Carla out."),
        )

    def give(self, gate_id: str, principal: str, why: str) -> None:
        self._aside("give", gate_id, (principal, why))
        told = {"who": principal, "by": ME, "at": iso(self.now), "comment": why}
        self.documents[gate_id]["waits_for"] = told

    def take(self, gate_id: str) -> None:
        self.give(gate_id, ME, "")

    def read_ahead(self) -> bool:
        return False

    def load_ahead(self, page: str) -> None:
        self.loaded_ahead.append(page)

    def gate(self, gate_id: str) -> gate_facts.GateSeen:
        if gate_id not in self.documents:
            raise UnknownGate(f"No gate goes by {gate_id[:8]}.", "Look into the inbox: counterfoil inbox")
        seen = self.seen[gate_id]
        if self._tab_of(self.documents[gate_id]) is facts.Tab.FOR_OTHERS:
            seen = dataclasses.replace(seen, may_decide=False, why_not="This waits for Ben")
        asleep = self.asleep.get(gate_id, 0)
        return dataclasses.replace(
            seen,
            asleep_until=asleep if asleep > self.now else None,
            document=copy.deepcopy(self.documents[gate_id]),
            draft=self.drafts.get(gate_id, gate_facts.Draft()),
            me=ME,
        )

    def file_of_gate(self, gate_id: str, n: int) -> FileSeen:
        return fake_runs.file_seen(n)

    def picture_of_gate(self, gate_id: str, n: int, *, after: bool, page: int) -> gate_facts.PageSeen:
        self.log.append(("picture", (gate_id, n, after, page)))
        return gate_facts.PageSeen(_page_picture(), 595, 842, page, 2)

    def touched_since(self, gate_id: str) -> tuple[Touched, ...]:
        return self.touched.get(gate_id, ())

    def compare_since(self, gate_id: str, path: str) -> FileSeen:
        return fake_runs.file_seen(2)

    def picture_since(self, gate_id: str, path: str, *, after: bool, page: int) -> gate_facts.PageSeen:
        return gate_facts.PageSeen(_page_picture(), 595, 842, page, 1)

    def picture_of_undo(self, run_id: str, path: str, *, after: bool, page: int) -> gate_facts.PageSeen:
        return self.picture_of_gate(run_id, 0, after=after, page=page)

    def page(self, workspace: str, path: str, page: int) -> gate_facts.PageSeen:
        return gate_facts.PageSeen(_page_picture(), 595, 842, page, 1)

    def save_draft(self, gate_id: str, draft: gate_facts.Draft) -> None:
        self.drafts[gate_id] = draft

    def mark_read(self, gate_id: str, digest: str) -> None:
        self.read.add(gate_id)

    def decide(self, answer: gate_facts.Answer) -> gate_facts.DecisionMade:
        if self.refuse is not None:
            raise self.refuse
        document = self.documents[answer.gate_id]
        if document["state"] != "open":
            raise AlreadyDecided("Gate g-81 was decided by Ben at 08:41 (approved). Nothing was changed.", "")
        if document["digest"] != answer.digest:
            raise StaleDigest("This changed while you looked at it. Nothing was decided.", "Look again.")
        self.log.append(("decide", answer))
        document["state"] = "decided"
        at = self.now
        document["decisions"] = [
            {
                "gate_id": answer.gate_id,
                "verdict": answer.verdict,
                "by": ME,
                "on_behalf_of": None,
                "at": iso(at),
                "effective_at": iso(at + 5 * SECOND),
                "digest": answer.digest,
                "comment": answer.comment,
                "signature": "account",
            }
        ]
        self.pending.append(_changed(facts.Part.INBOX, facts.Part.TRAIL))
        return gate_facts.DecisionMade(answer.gate_id, answer.verdict, at + 5 * SECOND)

    def void(self, gate_id: str) -> None:
        self.log.append(("void", gate_id))
        self.documents[gate_id]["state"] = "open"
        self.documents[gate_id]["decisions"] = []
        self.pending.append(_changed(facts.Part.INBOX, facts.Part.TRAIL))

    def runs(
        self, workspace: str | None, chip: str = "all", wanted: str = "", most: int = 200, narrow: Narrow = EVERY
    ) -> facts.RunsLook:
        self.narrowed.append(narrow)
        rows = [row for row in self.run_rows if narrow.template in ("", row.template)]
        rows = [row for row in rows if narrow.workspace in ("", row.workspace)]
        places = tuple((one.path, one.name) for one in self.workspaces())
        names = tuple((name, name) for name in sorted({row.template for row in self.run_rows}))
        return dataclasses.replace(look(rows, chip, wanted, most), templates=names, workspaces=places)

    def run(self, run_id: str) -> facts.RunSeen:
        seen = dataclasses.replace(fake_runs.run_seen(run_id), silent=self.silent.get(run_id))
        return dataclasses.replace(seen, undoing=self.undoings[0], may_undo=False) if self.undoings else seen

    def step_kept(self, run_id: str, path: str, ordinal: int, page: int) -> StepKept:
        self.log.append(("step_kept", (path, ordinal, page)))
        return dataclasses.replace(self.kept, page=page)

    def progress(self, run_id: str) -> facts.Progress:
        return self.progress_seen.pop(0) if len(self.progress_seen) > 1 else self.progress_seen[0]

    def cancel_run(self, run_id: str, reason: str) -> str:
        self.log.append(("cancel_run", (run_id, reason)))
        return "Stopped. Nothing more is written or sent."

    def note_run(self, run_id: str, text: str) -> str:
        self.log.append(("note_run", (run_id, text)))
        return "Your note is kept. This run needs no more care."

    def wait_longer(self, run_id: str) -> str:
        self.log.append(("wait_longer", run_id))
        return "It has its whole time again, from now on."

    def restart_step(self, run_id: str) -> str:
        self.log.append(("restart_step", run_id))
        return "Run 12 begins its step anew now. The steps before it stay."

    def look_at_undo(self, run_id: str) -> run_facts.UndoLook:
        return self.undo_look

    def compare_undo(self, run_id: str, path: str) -> FileSeen:
        self.log.append(("compare_undo", (run_id, path)))
        return dataclasses.replace(fake_runs.file_seen(1), path=path)

    def undo_run(self, run_id: str, reason: str, *, rest: bool) -> str:
        self.log.append(("undo_run", (run_id, reason, rest)))
        return "16 files will be put back in a moment."

    def look_at_fork(self, run_id: str, step: int, *, again: bool) -> run_facts.ForkLook:
        self.log.append(("look_at_fork", (run_id, step, again)))
        return self.fork_looks.get((step, again), run_facts.ForkLook(("Nothing happened yet.",), start=step + 1))

    def fork_run(self, run_id: str, step: int, reason: str, agreed: Consent = NOTHING, *, again: bool) -> str:
        self._judge("fork_run", agreed)
        self.log.append(("fork_run", (run_id, step, reason, again)))
        return f"{14:032x}"

    def start_again(self, run_id: str, reason: str, agreed: Consent = NOTHING) -> str:
        self._judge("start_again", agreed)
        self.log.append(("start_again", (run_id, reason)))
        return f"{14:032x}"

    def undoing(self, run_id: str) -> run_facts.Undoing | None:
        return self.undoings.pop(0) if len(self.undoings) > 1 else self.undoings[0]

    def look_at_evidence(self, run_id: str) -> run_facts.EvidenceLook:
        parts = (
            run_facts.EvidencePart("README.txt", "What is in this pack, and what it cannot prove", 3_100),
            run_facts.EvidencePart("records.jsonl", "Every step as it was recorded, chained", 41_000),
            run_facts.EvidencePart("gates/", "What was shown at a gate, 2 files", 18_400),
            run_facts.EvidencePart("kept/", "A longer value that is kept, 14 files", 2_310_000),
        )
        return run_facts.EvidenceLook(parts, 2_372_500, "evidence-run-5.zip", "1 longer value is not kept any more.")

    def export_evidence(self, run_id: str, path: str) -> run_facts.EvidenceMade:
        if self.refuse is not None:
            raise self.refuse
        self.log.append(("export_evidence", (run_id, path)))
        return run_facts.EvidenceMade(path, "3f9a2c71" * 8, 640_000)

    def pull_the_plug(self, run_id: str) -> Plug:
        self.log.append(("pull_the_plug", run_id))
        return self.plug.pop(0)

    def after_the_plug(self, run_id: str, ended_at: int) -> Plug:
        return self.plug.pop(0) if len(self.plug) > 1 else self.plug[0]

    def templates(self, workspace: str | None) -> tuple[TemplateCard, ...]:
        return fake_runs.CARDS

    def template(self, path: str, workspace: str, agreed: Consent = NOTHING) -> TemplateSeen:
        self._judge("template", agreed)
        return fake_runs.template_seen(path)

    def check_parameters(self, path: str, workspace: str, values: Mapping[str, Any]) -> dict[str, str]:
        return fake_runs.check(values)

    def start_run(
        self,
        path: str,
        workspace: str,
        values: Mapping[str, Any],
        agreed: Consent = NOTHING,
        again: run_facts.AgainOf | None = None,
    ) -> str:
        self._judge("start_run", agreed)
        if again is not None:
            self.log.append(("again", again))
        self.log.append(("start_run", (path, workspace, dict(values))))
        return f"{13:032x}"

    def try_again(self, run_id: str, agreed: Consent = NOTHING) -> None:
        self._judge("try_again", agreed)
        self.log.append(("try_again", run_id))

    def protection(self) -> Told | None:
        return self.told

    def _judge(self, act: str, agreed: Consent) -> None:
        """Refuse what there is too little protection for, as often as a test wants it."""
        if self.lacking.get(act):
            raise self.lacking[act].pop(0)
        if agreed != NOTHING:
            self.log.append(("agreed", agreed))

    def start_sample(self) -> str:
        self.log.append(("start_sample", None))
        return f"{12:032x}"

    def measure_folder(self, path: str) -> FolderFacts:
        return FolderFacts(
            path,
            412,
            1_200_000_000,
            2.0,
            ("created", "renamed", "removed"),
            left_out=(".git", ".env", "2 key files"),
            invoices=38,
        )

    def leave_out(self, path: str, parts: Sequence[str]) -> FolderFacts:
        self.log.append(("leave_out", (path, tuple(parts))))
        return self.measure_folder(path)

    def trail(self, query: str, before: int | None) -> facts.TrailPage:
        return fake_runs.trail_page(query, before)

    def check_trail(self) -> tuple[bool, str]:
        return True, "12,480 entries, 3 Jan 08:00 to today 08:55. None changed, removed or out of order."

    def _row(self, document: dict[str, Any]) -> facts.InboxRow:
        seen = self.seen[document["gate_id"]]
        decisions = document["decisions"]
        return facts.InboxRow(
            gate_id=document["gate_id"],
            number=document["number"],
            run_id=document["run_id"],
            kind=document["kind"],
            title=document["title"],
            why=_WHY.get(document["number"], ""),
            template=seen.template,
            workspace=seen.workspace,
            asked_at=_us(document["asked_at"]),
            digest=document["digest"],
            figure=seen.figures[0][1] if seen.figures else None,
            figure_label=seen.figures[0][0] if seen.figures else "",
            due_at=_us(document["due_at"]) if document["due_at"] else None,
            unread=document["gate_id"] not in self.read and document["number"] in (81, 79, 74),
            draft=not self.drafts.get(document["gate_id"], gate_facts.Draft()).empty,
            closed=f"{decisions[-1]['verdict']} by {decisions[-1]['by']}" if decisions else "",
            closed_at=_us(decisions[-1]["at"]) if decisions else None,
            verdict=decisions[-1]["verdict"] if decisions else "",
            asleep_until=self.asleep.get(document["gate_id"]),
            handed="Given to Ben by you" if self._tab_of(document) is facts.Tab.FOR_OTHERS else "",
            others=self._tab_of(document) is facts.Tab.FOR_OTHERS,
            bulk="" if document["number"] >= 200 else "needs a closer look",
            search=f"{document['title']} {_WHY.get(document['number'], '')} {seen.template}".casefold(),
        )


_WHY = {
    81: "A changed account, and a total that does not add up",
    82: "Writing a payment file always asks",
    79: "Customer disputed 3 delivery lines",
    77: "No answer came from the mail server",
    76: "The column ‘Amount’ is missing",
    74: "112 prices change, 9 by more than 10%",
    70: "The invoice names no cost centre",
}


def _us(text: str) -> int:
    from counterfoil.desktop.words.times import iso_instant

    return iso_instant(text) or 0


def _changed(*parts: facts.Part) -> facts.Changes:
    return facts.Changes(frozenset(parts))


def _seen(document: dict[str, Any], **more: Any) -> gate_facts.GateSeen:
    return gate_facts.GateSeen(
        document=document,
        template=more.get("template", "Supplier payments"),
        run_number=more.get("run", 12),
        run_title=more.get("run_title", "Week 48"),
        run_state="waiting",
        started_by=more.get("started_by", ME),
        workspace=WORKSPACE,
        isolation=more.get("isolation", "L0"),
        figures=more.get("figures", ()),
        bodies=more.get("bodies", ()),
        about=more.get("about", {}),
        step=more.get("step", 4),
        files_at=NOW - 14 * MINUTE,
        story=more.get("story", _STORY),
        prior=more.get("prior", ()),
        foreign=more.get("foreign", ()),
        sent_back="The run keeps its work and asks again.",
    )


_STORY = (
    "08:41:02 Started by you, on 17 files in invoices/",
    "08:41:04 17 files read: 15 invoices, 1 of them twice, 1 credit note",
    "08:41:05 112 checks made, 2 did not pass",
    "08:41:09 Restarted; nothing was done twice",
)


def _gates() -> list[tuple[dict[str, Any], dict[str, Any]]]:
    return [
        (figures.exceptions(), {"figures": figures.EXCEPTION_FIGURES, "foreign": ("Mail from Brightwater.eml",)}),
        (
            figures.credit_note(),
            {
                "template": "Credit notes",
                "run": 11,
                "run_title": "Arden & Hale",
                "figures": (("Amount", figures.euro("1320.00")),),
                "bodies": (figures.MAIL_BODY,),
                "prior": ("You rejected this on 24 Nov: ‘wrong invoice number’.",),
            },
        ),
        (figures.doubt(), {"template": "Statements of account", "run": 9, "about": figures.DOUBT_ABOUT}),
        (figures.failure(), {"template": "Month-end close", "run": 8, "about": figures.FAILURE_ABOUT}),
        (
            figures.prices(),
            {
                "template": "Price maintenance",
                "run": 7,
                "figures": (("Prices", 112),),
                "bodies": ({"kind": "write_file@1", "args": {"path": "prices.csv", "data": {}}},),
            },
        ),
        (figures.question(), {"template": "Contract renewals", "run": 6}),
    ]


def _page_picture() -> bytes:
    """A page that looks like an invoice, drawn with the bundled font."""
    image = QImage(595 * 2, 842 * 2, QImage.Format.Format_RGB32)
    image.fill(QColor("#FFFFFF"))
    painter = QPainter(image)
    painter.scale(2, 2)
    painter.setFont(font(18, 600))
    painter.setPen(QColor("#123A4A"))
    painter.drawText(QRect(72, 60, 400, 30), Qt.AlignmentFlag.AlignLeft, "Brightwater Logistics Ltd")
    painter.setFont(font(11))
    painter.setPen(QColor("#30363A"))
    lines = ["Invoice BW-7741", "23 November 2026", "", "Container haulage Liverpool–Köln   5 × 1,722.50   8,612.50"]
    lines += ["Customs clearance                            5 × 100.00        500.00", "", "Total due   EUR 9,112.50"]
    for at, line in enumerate(lines):
        painter.drawText(QRect(72, 150 + at * 24, 460, 22), Qt.AlignmentFlag.AlignLeft, line)
    painter.drawText(QRect(76, 632, 460, 20), Qt.AlignmentFlag.AlignLeft, "Please note our new bank details:")
    painter.drawText(QRect(76, 646, 460, 20), Qt.AlignmentFlag.AlignLeft, "IBAN GB29 NWBK 6016 1331 9268 19")
    painter.end()
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(data.data())
