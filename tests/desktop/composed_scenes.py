"""A walk through states that no lived home comes to in a minute: the runner's five states, long names and other scripts, notices, a broken
trail. Everything is composed: the fake office answers. `walk` yields a name when the scene stands still."""

import dataclasses
from collections.abc import Iterator
from typing import Any

from PySide6.QtWidgets import QApplication, QMenu, QPushButton, QWidget

from counterfoil.desktop import office as facts
from counterfoil.desktop.office import RunnerSeen, RunnerState
from counterfoil.desktop.parts.sheet import Sheet
from counterfoil.desktop.run_facts import ForkLook, Plug, Silent, StepKept, UndoFile, UndoLook
from counterfoil.desktop.schedule_facts import NoticeSeen, ReadySeen
from counterfoil.desktop.settings_facts import TABS
from counterfoil.desktop.trust_facts import FactSeen, PermissionSeen
from desktop import fake_runs
from desktop.fake_bridge import FakeBridge
from desktop.fake_office import FakeOffice
from desktop.fake_schedules import AWAY, BACKUP, MISSED, PAYMENTS, TIDY, at
from desktop.figures import HOUR, ME, MINUTE, NOW

SECOND = 1_000_000
KEPT = ForkLook(
    (
        "2 effects of run 5 already happened and are not repeated: payments.xml, 14 moves.",
        "Approvals are never carried over to another run.",
    ),
    start=10,
    kept=2,
)
ANEW = ForkLook(("It begins at step 7, so that all of it is done again.",), start=7)
SPLIT = ForkLook(refusal="Step 9 was approved together with steps before it.", way="Go on from step 10.")
GERMAN = "Donaudampfschifffahrtsgesellschaftskapitänswitwen-Unterstützungskasse e. V."
ARABIC, CHINESE = "محمد بن عبد الله الفارسي للتجارة العامة", "北京市朝阳区建国门外大街甲六号有限责任公司"
FOLDERS = (
    f"/data/anna/{GERMAN}/Monatsabschluss und Verbindlichkeitenverwaltung",
    f"/data/anna/{ARABIC}",
    f"/data/anna/{CHINESE}/发票",
)


class Composed:
    """A window on a fake office, and what a walk does with it."""

    def __init__(self, window: Any, office: FakeOffice, bridge: FakeBridge, settle: Any) -> None:
        self.window, self.office, self.bridge, self.settle = window, office, bridge, settle

    def page(self, name: str) -> Any:
        """Go to a page."""
        self.window.show_page(name)
        self.settle()
        return self.window.pages[name]

    def tell(self, *parts: facts.Part) -> None:
        """Something has changed."""
        self.bridge.changed_now(*(parts or tuple(facts.Part)))
        self.settle()

    def button(self, within: QWidget, words: str) -> QPushButton:
        """The button that says this."""
        return next(
            one
            for one in within.findChildren(QPushButton)
            if one.isVisible() and words in f"{one.text()} {one.accessibleName()}"
        )


def long_rows() -> list[facts.RunRow]:
    """Runs with names that are long, and in other scripts, in every state."""
    template = fake_runs.rows()[5]
    titles = (GERMAN, f"{ARABIC}, نوفمبر", CHINESE, "Contract_2026-11_final_FINAL_v3-signed_by-both-parties.pdf", "x")
    states = (
        ("running", f"Running: Read {GERMAN}", "info"),
        ("ready", "Starting", "info"),
        ("waiting", "Waiting for Contract_2026-11_final_FINAL_v3-signed_by-both-parties.pdf", "quiet"),
        (
            "failed",
            "Stopped: the column ‘Rechnungsempfängerkontonummer’ is missing in statement-november-2026.csv",
            "bad",
        ),
        ("cancelled", "Cancelled, 3 things not undone", "warn"),
    )
    made = []
    for number in range(60):
        state, words, tone = states[number % 5]
        made.append(
            dataclasses.replace(
                template, run_id=f"{100 + number:032x}", number=1_284_100 + number,
                title=titles[number % 5], template=titles[(number + 1) % 5],
                state=state, words=words, tone=tone, started_by=(ME, f"schedule:{GERMAN}")[number % 2], created_at=NOW - number * HOUR,
                ended_at=NOW - number * HOUR + 7 * MINUTE if state in ("failed", "cancelled") else None,
            )
        )  # fmt: skip
    return made


def long_steps() -> list[dict[str, Any]]:
    """Steps of every kind and state, some with long names."""
    step = fake_runs._step
    return [
        step(0, "list_files", "step", "done", 0.1, summary=f"17 files in {GERMAN}"),
        step(1, "parallel", "step", "done", 1.6),
        *[
            step(0, "read_invoices", "step", "done", 1.2, path=f"1/{branch}", summary=f"{6 - branch} files read")
            for branch in range(3)
        ],
        step(2, "agent", "step", "done", 41, summary=f"Read 31 contracts of {CHINESE} and marked 4 that end this year"),
        *[step(at, "answer", "llm", "done", 4, path="2/0", summary=f"Turn {at + 1}") for at in range(3)],
        step(3, "ask", "gate", "done", 7_800, summary="answered by Anna"),
        step(4, "sleep", "timer", "done", 90_000),
        step(5, "start_run", "child", "done", 66, summary="Run 13: Reminder letters"),
        step(
            6,
            "send_mail@1",
            "effect",
            "done",
            0.4,
            key="k-9999-0000-aaaa-bbbb-cccc-dddd",
            summary=f"Send mail to {ARABIC}",
            attempts=3,
        ),
        step(7, "write_file@1", "effect", "unknown", 0, key="k-1", summary="Write payments/payments.xml", attempts=1),
        step(8, "read_contract", "step", "retrying", 0, summary="try 3 at 08:58", attempts=2),
        step(
            9,
            "a_step_with_a_name_that_goes_on_and_on_until_it_cannot_be_read_in_one_line_any_more",
            "step",
            "running",
            0,
            summary="9 of 14",
        ),
    ]


def walk(desk: Composed, only: str = "") -> Iterator[str]:
    """Every scene, or of some parts."""
    for part in (_frame, _runs, _again, _long, _templates, _schedules, _trust, _trail, _settings):
        if not only or part.__name__.strip("_") in only.split(","):
            yield from part(desk)


def _frame(desk: Composed) -> Iterator[str]:
    window, office = desk.window, desk.office
    running = dataclasses.replace(
        office.runner_seen,
        next_name="Weekly report",
        next_at=at(1, 7),
        log="/data/anna/.local/state/counterfoil/logs/runner.log",
    )
    for name, seen in (
        ("running", running),
        ("starting", RunnerSeen(RunnerState.STARTING)),
        ("off", RunnerSeen(RunnerState.OFF)),
        ("paused", dataclasses.replace(running, paused_by=ME, paused_at=NOW - 5 * MINUTE)),
        ("silent", RunnerSeen(RunnerState.SILENT, since=NOW - 3 * HOUR, last_sign=NOW - 9 * MINUTE, pid=4711)),
    ):
        office.runner_seen = seen
        desk.tell(facts.Part.RUNNER)
        yield f"runner-{name}"
        window.sidebar.runner._toggle()
        desk.settle()
        yield f"runner-{name}-open"
        window.sidebar.runner._toggle()
    office.runner_seen = dataclasses.replace(running, doing=(GERMAN, ARABIC, "Weekly report"))
    desk.tell(facts.Part.RUNNER)
    window.sidebar.runner._toggle()
    desk.settle()
    yield "runner-long-open"
    window.sidebar.runner._toggle()
    window.pause_everything()
    desk.settle(0.5)
    yield "pausing-sheet"
    window._pausing.sheet.dismiss()
    desk.settle()
    window.open_palette()
    desk.settle()
    yield "palette"
    palette = window.anywhere.palette
    palette.field.setText("?")
    desk.settle()
    yield "palette-keys"
    palette.field.setText("zzzz")
    desk.settle()
    yield "palette-no-hit"
    palette.closed.emit()
    answers = {"workspaces": lambda: tuple(facts.Workspace(path, path.rpartition("/")[2]) for path in FOLDERS)}
    office.__dict__.update(answers)
    desk.tell()
    window.sidebar.switcher.open_menu()
    desk.settle()
    yield "MENU switcher"
    for path in FOLDERS:
        window.choose_workspace(path)
        desk.settle()
        yield f"workspace-{FOLDERS.index(path)}"
    window.choose_workspace(None)
    window.herald.menu.popup(window.mapToGlobal(window.rect().center()))
    desk.settle()
    yield "MENU tray"


def _runs(desk: Composed) -> Iterator[str]:
    runs = desk.page("runs")
    for chip in runs.chips:
        runs.chips[chip].click()
        desk.settle()
        yield f"runs-chip-{chip}"
    runs.chips["all"].click()
    runs.views.click()
    desk.settle()
    yield "MENU views"
    runs._save_view(runs._view("All"))
    desk.settle(0.5)
    yield "runs-save-view"
    runs.sheet.dismiss()
    runs.narrowing.chips["template"].click()
    desk.settle()
    yield "MENU narrowing"
    for number in (12, 10, 5, 4, 3, 2):
        for tab in ("steps", "files", "result", "checkpoint", "trail"):
            runs.show_run(f"{number:032x}", tab=tab)
            desk.settle()
            yield f"run-{number}-{tab}"
    runs.show_run(f"{5:032x}", tab="steps")
    desk.office.kept = StepKept(
        '{\n  "path": "payments/payments.xml",\n  "bytes": 4210\n}',
        '{\n  "path": "payments/payments.xml"\n}',
        ("First try 08:41:02: no answer within 10 s.", "Second try 08:41:13: done."),
        page=1,
        pages=3,
    )
    desk.settle()
    detail = runs.detail
    detail.steps.opened.emit(next(line for line in detail.steps_adapter.lines if line.once))
    desk.settle(0.5)
    yield "run-step-sheet"
    detail.sheet.dismiss()
    desk.settle(0.4)
    files = (
        UndoFile("ledger.csv", "Becomes what it was", "ledger.csv was changed at 11:20."),
        UndoFile("payments/r-5.xml", "Is removed"),
    )
    desk.office.undo_look = UndoLook(
        files=files, words=("ledger.csv was changed at 11:20. The other file can be put back.",), can=1
    )
    detail._undo()
    desk.settle(0.5)
    yield "run-undo-sheet"
    detail.sheet.dismiss()
    desk.settle(0.4)
    runs.show_run(f"{10:032x}", tab="checkpoint")
    desk.settle()
    detail.checkpoint.plug.click()
    desk.settle(0.5)
    yield "run-plug-sheet"
    desk.office.plug = [Plug(NOW), Plug(NOW, NOW + SECOND, "run_checks", 0, 0)]
    desk.button(detail.checkpoint.sheet, "Pull the plug").click()
    desk.settle(0.5)
    yield "run-plug-ended"
    detail.checkpoint._look()
    desk.settle()
    yield "run-plug-back"
    detail._stop()
    desk.settle(0.5)
    yield "run-stop-sheet"
    detail.sheet.dismiss()
    desk.settle(0.4)


def _again(desk: Composed) -> Iterator[str]:
    runs = desk.page("runs")
    desk.office.silent[f"{10:032x}"] = Silent(
        f"{10:032x}",
        "No news from ‘Compare prices’ for 10 min.",
        ("It starts from its beginning.", "Steps before it stay."),
    )
    runs.show_run(f"{10:032x}", tab="steps")
    desk.settle()
    yield "run-silent"
    desk.button(runs.detail, "Restart this step").click()
    desk.settle(0.8)
    yield "run-restart-sheet"
    runs.detail.sheet.dismiss()
    desk.settle(0.5)
    desk.office.silent.clear()
    desk.office.fork_looks = {(9, False): KEPT, (9, True): ANEW, (8, False): SPLIT}
    for number in (5, 2):
        runs.show_run(f"{number:032x}", tab="result")
        desk.settle()
        runs.detail.again.click()
        desk.settle(0.8)
        sheet = runs.detail.sheet
        for how, segment in sheet.how.segments.items():
            segment.click()
            desk.settle(0.6)
            yield f"run-again-{number}-{how}"
        sheet.dismiss()
        desk.settle(0.5)
    runs.show_run(f"{5:032x}", tab="checkpoint")
    desk.settle()
    runs.detail.checkpoint.export.click()
    desk.settle(0.8)
    yield "run-evidence-sheet"
    for sheet in desk.window.findChildren(Sheet):
        sheet.dismiss()
    desk.settle(0.5)


def _settings(desk: Composed) -> Iterator[str]:
    page = desk.page("settings")
    for tab, _ in TABS:
        page.show_tab(tab)
        desk.settle()
        yield f"settings-{tab}"


def _long(desk: Composed) -> Iterator[str]:
    runs = desk.page("runs")
    office = desk.office
    kept, office.run_rows = office.run_rows, long_rows()
    asked = fake_runs.steps
    fake_runs.steps = long_steps
    plain = office.run

    def run(run_id: str) -> facts.RunSeen:
        row = next((one for one in office.run_rows if one.run_id == run_id), None)
        seen = plain(run_id)
        if row is None:
            return seen
        document = {
            **seen.document,
            "title": row.title,
            "number": row.number,
            "state": row.state,
            "steps": long_steps(),
        }
        return dataclasses.replace(seen, document=document, words=row.words, tone=row.tone, template=row.template)

    office.__dict__["run"] = run
    desk.tell()
    yield "long-list"
    for number in range(5):
        runs.show_run(f"{100 + number:032x}", tab="steps")
        desk.settle()
        yield f"long-{number}-steps"
    for group in [line.group for line in runs.detail.steps_adapter.lines if line.group]:
        runs.detail.steps.folded.emit(group)
    desk.settle()
    yield "long-open"
    runs.detail.exact.segments["exact"].click()
    desk.settle()
    yield "long-exact"
    runs.detail.exact.segments["plain"].click()
    for tab in ("result", "checkpoint"):
        runs.show_run(f"{104:032x}", tab=tab)
        desk.settle()
        yield f"long-{tab}"
    office.run_rows, fake_runs.steps = [], asked
    del office.__dict__["run"]
    desk.tell()
    yield "runs-empty"
    office.run_rows = kept
    desk.tell()


def _templates(desk: Composed) -> Iterator[str]:
    templates = desk.page("templates")
    yield "templates"
    templates.search.setText("xyz")
    desk.settle()
    yield "templates-no-hit"
    templates.search.clear()
    cards = tuple(card for card in fake_runs.CARDS if card.section != "yours")
    desk.office.__dict__["templates"] = lambda _workspace: cards
    desk.tell()
    yield "templates-none-yours"
    del desk.office.__dict__["templates"]
    desk.tell()
    templates.open_template("/t/pay-invoices")
    desk.settle()
    yield "form"
    editor = next(one for one in templates.form.fields if one.name == "debtor_iban")
    editor.fill("DE75512108001245126198")
    editor.edited.emit("debtor_iban")
    desk.settle(0.6)
    yield "form-problem"


def _schedules(desk: Composed) -> Iterator[str]:
    schedules, office = desk.page("schedules"), desk.office
    yield "schedules"
    for row in list(office.schedules.rows):
        schedules.show_schedule(row.schedule_id)
        desk.settle()
        yield f"schedule-{row.name.split()[-1]}"
    schedules.calendar.span.segments["week"].click()
    desk.settle()
    yield "schedules-week"
    schedules.calendar.span.segments["month"].click()
    office.schedules.notices = [
        NoticeSeen("away", AWAY, "home", (MISSED, dataclasses.replace(MISSED, due_at=at(-2, 18)))),
        NoticeSeen("nothing", "‘Tidy the scans’ found nothing since 02 Nov, 5 times. Right folder?", TIDY),
        NoticeSeen("not_ready", "Tomorrow 07:00 ‘Weekly payments’ cannot run: the sign-in to “mail” has ended.", PAYMENTS,
            due_at=at(1, 7), skip="Skip tomorrow", sign_in="mail"),
    ]  # fmt: skip
    desk.tell()
    yield "schedules-notices"
    desk.button(schedules.notices, "Run a skipped one").click()
    desk.settle(0.5)
    yield "schedules-skipped-sheet"
    schedules.sheet.dismiss()
    desk.settle(0.4)
    office.schedules.notices = []
    long = [
        dataclasses.replace(row, name=name, title=name)
        for row, name in zip(office.schedules.rows, (GERMAN, ARABIC, CHINESE, "x"), strict=True)
    ]
    kept, office.schedules.rows = office.schedules.rows, long
    desk.tell()
    yield "schedules-long"
    office.schedules.rows = kept
    desk.tell()
    schedules.show_schedule(BACKUP)
    desk.settle()
    office.schedules.needs = (
        ReadySeen("folder", True, "The folder Suppliers can be used."),
        ReadySeen("mail", False, "The sign-in to mail has ended.", "Sign in", "mail"),
        ReadySeen("fields", False, f"‘Pay from account’ is not filled in for ‘{GERMAN}’.", "Fill it in"),
    )
    office.schedules.most = "€2.00"
    schedules.head.change.click()
    desk.settle(1.2)
    yield "editor"
    for name, text, zone in (
        ("april", "every year on 31 April at 09:00", "Europe/Berlin"),
        ("leap", "every year on 29 February at 09:00", "Europe/Berlin"),
        ("gap", "every day at 02:30", "Europe/Berlin"),
        ("zone", "every day at 02:30", "Europe/Berln"),
        ("nonsense", "whenever the moon is full", "Europe/Berlin"),
    ):
        schedules.editor.rule.setText(text)
        schedules.editor.sentence.zone.setEditText(zone)
        schedules.editor._judge()
        desk.settle(0.4)
        yield f"editor-{name}"
    schedules.editor.choices.spend.setText("lots")
    schedules.editor._judge()
    schedules.editor.save.click()
    desk.settle(0.4)
    yield "editor-tried"
    schedules._leave_editor()
    schedules.new_schedule()
    desk.settle(0.5)
    yield "editor-new"
    schedules._leave_editor()


def _trust(desk: Composed) -> Iterator[str]:
    page = desk.page("connectors")
    yield "trust-connectors"
    desk.button(page, "Compare the tools of mail").click()
    desk.settle(0.5)
    yield "trust-compare"
    page.tab.sheet.dismiss()
    desk.settle(0.4)
    page.show_tab("routes")
    desk.settle()
    yield "trust-routes"
    desk.button(page.tab, "Add an llm to default").click()
    desk.settle(0.5)
    yield "trust-link-sheet"
    page.tab.sheet.dismiss()
    desk.settle(0.4)
    trust = desk.office.trust
    used, never = "Granted by Anna 3 Nov, used 1 time, last today.", "Granted by you 12 Nov, never used."
    trust.rules += [
        PermissionSeen("p3", "Files", f"{GERMAN} may write files in {ARABIC}/ without asking.", used),
        PermissionSeen("p4", "Spending", f"{CHINESE} may spend up to €2.00 each time without asking.", never),
        PermissionSeen("p5", "Programs", "Tidy a folder may run git, within the copy of its files, without asking.", never),
    ]  # fmt: skip
    trust.facts += [
        FactSeen(
            f"{at}",
            f"{GERMAN} pays to DE75 5121 0800 1245 1261 99.",
            f"From Mail from {ARABIC}.eml, run 12.",
            "Accepted by Anna 14 Nov.",
        )
        for at in range(8)
    ]
    for tab in ("permissions", "memory"):
        page.show_tab(tab)
        desk.settle()
        yield f"trust-{tab}"
    page.show_tab("permissions")
    desk.settle()
    desk.button(page.tab, "Take back").click()
    desk.settle(0.5)
    yield "trust-take-back"
    page.tab.sheet.dismiss()
    desk.settle(0.4)


def _trail(desk: Composed) -> Iterator[str]:
    trail, office = desk.page("trail"), desk.office
    desk.settle(0.3)
    yield "trail"
    trail.check.click()
    desk.settle()
    yield "trail-sound"
    office.__dict__["check_trail"] = lambda: (
        False,
        "Entry 8,211 (3 Nov 14:03, decision on “Pay 14 invoices”) does not match its seal. Everything before it is sound.",
    )
    trail.check.click()
    desk.settle()
    yield "trail-broken"
    trail._close_banner()
    office.__dict__["trail"] = lambda _query, _before: facts.TrailPage((), more=False, total=0)
    trail.search.setText("nobody did that")
    desk.settle(0.6)
    yield "trail-no-hit"
    trail.search.clear()
    desk.settle(0.6)
    yield "trail-empty"


def menus(window: QWidget) -> list[QMenu]:
    """Menus that are open."""
    return [menu for menu in window.findChildren(QMenu) if menu.isVisible()]


def hints() -> list[QWidget]:
    """The hint that is shown over something."""
    return [one for one in QApplication.topLevelWidgets() if one.isVisible() and one.objectName() == "qtooltip_label"]
