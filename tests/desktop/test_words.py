"""What the window says, as plain functions: amounts, times, identifiers, gates, runs."""

import unicodedata
from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.desktop.inbox.welcome import SAMPLES
from counterfoil.desktop.office import Progress
from counterfoil.desktop.real_office.trail_pages import said
from counterfoil.desktop.runs.steps import lines
from counterfoil.desktop.template_facts import FolderFacts
from counterfoil.desktop.templates.folder_sheet import sentences
from counterfoil.desktop.words import choices, gates, numbers, people, runs, times, values
from counterfoil.desktop.words.plain import one_line, plain, quoted
from counterfoil.facts import as_sentence
from counterfoil.places import bundled
from counterfoil.policy.tainting import warning
from counterfoil.schedules.telling import told
from desktop.figures import BODIES, HOUR, MAIL_BODY, ME, MINUTE, NEW, NOW, day

TODAY = date(2026, 11, 30)


@pytest.mark.parametrize(
    "amount, currency, shown",
    [
        ("41208.90", "EUR", "€41,208.90"),
        ("3400", "SEK", "SEK\u00a03,400.00"),
        ("-12.5", "GBP", "−£12.50"),
        ("0.1234", "USD", "$0.1234"),
        ("nonsense", "EUR", "nonsense EUR"),
        ("NaN", "EUR", "NaN EUR"),
        ("-Infinity", "EUR", "-Infinity EUR"),
        ("1E+20", "USD", "$100,000,000,000,000,000,000.00"),
        ("-0.00", "EUR", "€0.00"),
    ],
)
def test_money_has_its_currency(amount: str, currency: str, shown: str) -> None:
    assert numbers.money(amount, currency) == shown


def test_currencies_are_never_added() -> None:
    amounts = [
        {"amount": "14201.22", "currency": "EUR"},
        {"amount": "3400.00", "currency": "SEK"},
        {"amount": "0.78", "currency": "EUR"},
    ]
    assert numbers.moneys(amounts) == "€14,202.00 and SEK\u00a03,400.00"
    odd = [{"amount": "NaN", "currency": "EUR"}, {"amount": "much", "currency": "EUR"}]
    assert numbers.moneys([*amounts, *odd]) == "€14,202.00, SEK\u00a03,400.00, NaN EUR and much EUR"


@pytest.mark.parametrize("n, words", [(1, "1 entry"), (2, "2 entries"), (1204, "1,204 entries")])
def test_counts_have_their_noun(n: int, words: str) -> None:
    assert numbers.count(n, "entry") == words


@given(st.text(alphabet="ABCDEFGHJKLMNPQRSTUVWXYZ0123456789", min_size=11, max_size=30))
def test_an_account_is_shown_whole(tail: str) -> None:
    iban = f"DE12{tail}"
    assert numbers.identifier(iban).replace(" ", "") == iban


def test_an_account_stands_in_groups() -> None:
    assert numbers.identifier(NEW) == "GB29 NWBK 6016 1331 9268 19"
    assert numbers.identifier("BW-7741") == "BW-7741"


@pytest.mark.parametrize(
    "octets, words", [(0, "0 B"), (640, "640 B"), (1_300_000, "1.3 MB"), (1_200_000_000, "1.2 GB"), (412_000, "412 kB")]
)
def test_sizes(octets: int, words: str) -> None:
    assert numbers.size(octets) == words


@pytest.mark.parametrize(
    "us, words",
    [
        (day(0, 16), "Today 16:00"),
        (day(1, 12), "Tomorrow 12:00"),
        (day(-1, 6, 55), "Yesterday 06:55"),
        (day(-5, 8, 2), "Wed 08:02"),
        (day(-18, 8, 2), "12 Nov 08:02"),
        (day(-400, 8, 2), "26 Oct 2025 08:02"),
    ],
)
def test_when(us: int, words: str) -> None:
    assert times.when(us, NOW) == words


@pytest.mark.parametrize(
    "ago, words", [(0, "just now"), (12 * MINUTE, "12 min ago"), (3 * HOUR, "05:55"), (26 * HOUR, "Yesterday 06:55")]
)
def test_ages(ago: int, words: str) -> None:
    assert times.since(NOW - ago, NOW) == words


@pytest.mark.parametrize(
    "us, group",
    [
        (NOW - 1, "Overdue"),
        (day(0, 23), "Due today"),
        (day(3, 9), "This week"),
        (day(9, 9), "Later"),
        (None, "No deadline"),
    ],
)
def test_deadlines_fall_into_groups(us: int | None, group: str) -> None:
    assert times.due_group(us, NOW) == group


def test_time_left_is_said_in_hours_within_a_day() -> None:
    assert times.left(NOW + 2 * HOUR + 10 * MINUTE, NOW) == "2 h 10 min left"
    assert times.left(NOW - HOUR, NOW) == "Overdue since Today 07:55"
    assert times.left(day(3, 9), NOW) == "Thu 09:00"


@pytest.mark.parametrize(
    "us, words",
    [(50_000, "under 0.1 s"), (400_000, "0.4 s"), (41_000_000, "41 s"), (130 * MINUTE, "2 h 10 min"), (-5, "0 s")],
)
def test_spans(us: int, words: str) -> None:
    assert times.span(us) == words


def test_instants_of_documents_come_back_exactly() -> None:
    assert times.iso_instant("2026-11-30T08:55:12.204Z") == NOW
    assert times.iso_instant("10 Dec") is None


@given(st.text())
def test_nothing_invisible_stays_invisible(text: str) -> None:
    shown = plain(text)
    assert all(sign.isprintable() or unicodedata.category(sign) == "Zs" or sign in "\u200c\u200d" for sign in shown)
    assert len(shown) >= len(text)


def test_a_turned_line_is_told() -> None:
    assert plain("invoice\u202egpj.exe") == "invoice‹U+202E›gpj.exe"
    assert plain("a\x00b\nc") == "a␀b␊c"
    assert plain("a\nb", lines=True) == "a\nb"
    assert one_line("a\n  b") == "a b"
    assert quoted("x\ny") == "‘x y’"


@pytest.mark.parametrize(
    "value, shown",
    [
        (None, "–"),
        ("", "–"),
        (True, "Yes"),
        (12480, "12,480"),
        ({"amount": "1.50", "currency": "EUR"}, "€1.50"),
        ("2026-12-10", "10 Dec"),
        ("2026-11-30T08:55:12.204Z", "30 Nov 08:55"),
        ("-1234.50", "−1,234.50"),
        (["a", "b"], "a, b"),
        ({"sha256": "3f9a2c71" * 8, "bytes": 1300}, "1.3 kB, seal 3f9a 2c71"),
    ],
)
def test_values_of_documents(value: object, shown: str) -> None:
    assert values.shown(value, TODAY) == shown


def test_approving_counts_what_it_covers() -> None:
    assert gates.plan_counts(BODIES) == "3 files, 12 moves"
    assert gates.plan_counts([MAIL_BODY]) == "1 mail"
    assert gates.plan_counts([]) == ""
    gone = {"kind": "delete_files@1", "args": {"paths": ["a", "b"]}}
    made = {"kind": "make_folders@1", "args": {"paths": ["c"]}}
    assert gates.plan_counts([gone, made]) == "2 deletions, 1 folder"


def test_choices_are_counted_in_order_and_nothing_is_paid() -> None:
    assert choices.counted_choices(["hold", "pay", "hold"]) == "Include 1, hold 2"
    assert choices.counted_choices(["reject"]) == "Reject 1"
    assert choices.choice_words("pay") == "Include"


def test_silence_says_what_it_means() -> None:
    assert gates.silence(None, None, NOW) == "No deadline. It waits until you decide."
    assert gates.silence(None, None, NOW, "Ben") == "No deadline. It waits until Ben decides."
    assert (
        gates.silence(day(0, 16), None, NOW)
        == "If nobody decides by today 16:00: nothing is written, the run ends as Expired."
    )
    assert "nothing is written or sent, the run" in gates.silence(day(0, 16), None, NOW, sends=True)


def test_how_a_gate_ended_names_who() -> None:
    made = [{"verdict": "approved", "by": "user:ben", "at": "2026-11-30T08:41:00.000Z", "comment": ""}]
    assert gates.closed({"state": "decided", "decisions": made}, ME, NOW) == "Ben approved this at 08:41."
    mine = [{**made[0], "by": ME}]
    assert gates.closed({"state": "decided", "decisions": mine}, ME, NOW) == "You approved this at 08:41."
    assert gates.closed({"state": "decided", "decisions": mine}, ME, day(1, 9)) == "You approved this yesterday 08:41."
    assert gates.closed({"state": "decided", "decisions": mine}, ME, day(2, 9)) == "You approved this on Mon 08:41."
    assert gates.closed({"state": "expired"}, ME, NOW) == "Nobody decided in time. Nothing was written."
    due = {"state": "expired", "due_at": "2026-11-30T07:00:00.000Z"}
    assert gates.closed(due, ME, NOW) == "Nobody decided by today 07:00. Nothing was written."
    why = {"state": "withdrawn", "closed_why": "The run was cancelled by Anna", "closed_at": "2026-11-30T08:50:00.000Z"}
    assert (
        gates.closed(why, "user:ben", NOW) == "The run was cancelled by Anna at 08:50, so this question was withdrawn."
    )
    assert gates.closed({"state": "withdrawn"}, ME, NOW) == "This question was withdrawn: its run has ended."
    assert gates.closed({"state": "open"}, ME, NOW) == ""


def test_people_are_named() -> None:
    assert people.person(ME, ME) == "you"
    assert people.person("user:ben", ME) == "Ben"
    assert people.person("schedule:Weekly report", ME) == "the schedule ‘Weekly report’"
    assert people.person("user:ben\u202ehcet\x07", ME) == "Ben‹U+202E›hcet␇"
    assert (people.person("runner"), people.person("")) == ("the runner", "somebody")
    who = {"needs": 2, "from": ["user:anna", "user:ben", "user:carla"], "not": ["user:carla"], "given": ["user:anna"]}
    assert gates.people_line(who, "user:ben") == "Needs 2 of 3. Anna decided. You and Carla still can. Not Carla."


def test_seal_line_does_not_nag() -> None:
    assert gates.seal_line("3f9a2c71" * 8, 3, 5) == "Sealed to what you see · 3f9a 2c71 · opened 3 of 5 parts"


def test_steps_have_peoples_words() -> None:
    assert runs.step_name("read_invoices") == "Read invoices"
    assert runs.step_name("write_file@1") == "Write file"
    assert (
        runs.restart_line({"at": "2026-11-30T08:57:03.000Z", "reran": ["step_7"]}, 6)
        == "Restarted 08:57:03. 6 steps were kept; ‘Step 7’ started again."
    )


def test_what_ended_does_not_go_on() -> None:
    assert runs.in_the_middle({"would": "“read_statement” would start again."}, 1, ended=True).startswith(
        "Nothing is in"
    )
    said = runs.in_the_middle({"would": "“read_statement” would be looked up first."}, 2)
    assert said == "‘Read statement’ would be looked up first. 2 steps before it stay."
    (line,) = runs.carried_on([{"at": "2026-11-30T08:42:12.000Z", "reason": "it was ready", "from_step": 4}])
    assert "carried on from step 4, because" in line
    step = {"path": "", "ordinal": 0, "name": "read", "kind": "step", "state": "retrying", "attempts": 2, "key": None}
    ended = lines({"state": "failed", "steps": [step]}, ())
    assert [line.state for line in ended] == ["failed"]
    assert [line.state for line in lines({"state": "running", "steps": [step]}, ())] == ["retrying"]


def test_the_four_answers() -> None:
    where = {
        "file": "/x/counterfoil.db",
        "row": 48211,
        "committed_at": "2026-11-30T08:55:12.204Z",
        "durability": "fsync",
        "bytes": 1_300_000,
    }
    assert (
        runs.kept_where(where)
        == "On this computer: counterfoil.db, row 48,211. Saved 08:55:12.204, flushed to disk. 1.3\u00a0MB."
    )
    assert runs.in_the_middle(None, 6) == "Nothing is in the middle. 6 steps stay as they are."
    assert (
        runs.who_pays({"calls": 0}, 42_000_000)
        == "Nobody. This run makes no paid calls. 42 s of work was not repeated."
    )
    paid = {
        "calls": 31,
        "answered_from_records": 31,
        "saved": {"amount": "1.61", "currency": "USD"},
        "perhaps_billed": 1,
    }
    assert (
        runs.who_pays(paid, 0) == "Nobody. 31 llm calls paid. 31 answered from what is kept: $1.61 not spent again. "
        "1 call may have been billed without an answer."
    )
    assert runs.who_pays({"calls": 0, "perhaps_billed": 1}, 0).endswith(
        "1 call may have been billed without an answer."
    )
    assert (
        "carried on from ‘Run checks’"
        in runs.carried_on(
            [{"at": "2026-11-30T08:42:12.000Z", "reason": "the runner ended", "from_step": "run_checks", "reran": []}]
        )[0]
    )


def test_what_a_run_costs_is_told_where_anything_has_a_price() -> None:
    asked = {"kind": "llm", "cost": {"amount": "0.42", "currency": "USD"}}
    assert runs.cost_of([{"kind": "step", "cost": None}]) == ""
    assert runs.cost_of([{"kind": "llm", "cost": None}]) == ""
    assert runs.cost_of([{"kind": "llm", "cost": {"amount": "0", "currency": "USD"}}]) == ""  # it costs nothing here
    assert runs.cost_of([asked, asked]) == "$0.84"
    assert runs.cost_of([asked, {"kind": "llm", "cost": None}]) == "at least $0.42"


def test_a_wait_names_whom_it_was_for() -> None:
    gate = {"kind": "gate", "started_at": "2026-11-30T06:00:00.000Z", "ended_at": "2026-11-30T08:10:30.000Z"}
    assert runs.wait_gap({**gate, "summary": "approved by Ben"}) == "Waited 2 h 10 min for Ben. Cost nothing."
    assert runs.wait_gap({**gate, "summary": None}) == "Waited 2 h 10 min for a decision. Cost nothing."
    assert runs.wait_gap({**gate, "kind": "timer", "summary": "until noon"}) == "Waited 2 h 10 min. Cost nothing."


def test_plug_line_grows() -> None:
    assert runs.plug_line(NOW, None, "", None, None) == "Ended 08:55:12. Waiting for it to come back…"
    assert runs.plug_line(NOW, NOW + 1_000_000, "step_7", 0, 0).endswith(
        "Carried on at ‘Step 7’. 0 steps repeated, 0 effects repeated."
    )


def test_result_never_says_that_money_moved() -> None:
    done = Progress(
        "r",
        "done",
        "",
        result={
            "file": "payments/payments.xml",
            "payments": 12,
            "total": {"amount": "41208.90", "currency": "EUR"},
            "held": 2,
        },
    )
    said = runs.result_sentences(done)
    assert said[0] == "payments.xml is written: 12 payments, €41,208.90. Nothing was sent to a bank."
    assert said[-1] == "2 invoices are held and stay in the folder."
    # a run that is stopped may have written before: nothing is claimed about that
    told = runs.result_sentences(Progress("r", "cancelled", ""))
    assert told[-1] == "What it had done stays; nothing more is written or sent."
    assert "paid" not in " ".join(said)


def test_measured_folder_in_sentences() -> None:
    facts = FolderFacts("/x", 412, 1_200_000_000, 2.0, ("created", "renamed", "removed"), (".git", ".env"), invoices=1)
    assert sentences(facts) == [
        "412 files, 1.2 GB. Copy takes about 2 s.",
        "1 file looks like an invoice (XML or PDF).",
        "Files here can be created, renamed and removed.",
        "Left out: .git, .env.",
    ]
    quick = FolderFacts("/x", 1, 10, 0.2, ())
    assert sentences(quick) == ["1 file, 10 B. Copy takes under 1 s."]
    assert sentences(replace(quick, copy_seconds=170.0)) == ["1 file, 10 B. Copy takes about 3 min."]


def test_the_first_card_counts_what_the_progress_will_count() -> None:
    sample = bundled("workflows") / "pay-invoices" / "sample" / "invoices"
    assert len(list(sample.iterdir())) == SAMPLES


def test_a_restart_tells_what_was_kept_and_where_it_went_on() -> None:
    at = "2026-11-30T08:57:03.000Z"
    assert runs.restart_line({"at": at, "reran": ["boxes"]}, 3).endswith("3 steps were kept; ‘Boxes’ started again.")
    goes_on = runs.restart_line({"at": at, "from_step": "Look through the boxes"}, 3)
    assert goes_on.endswith("3 steps were kept; it went on with ‘Look through the boxes’.")
    assert runs.restart_line({"at": at, "from_step": "7"}, 1).endswith("1 step was kept; nothing started again.")


def test_a_timer_says_its_instant_as_people_do() -> None:
    step = {"kind": "timer", "summary": "until 2026-12-01T05:51:13.730Z"}
    assert runs.step_line(step) == "Until Tue 1 Dec 2026, 05:51"
    assert runs.step_line({"kind": "step", "summary": "17 invoices"}) == "17 invoices"


def test_a_gate_says_who_did_what() -> None:
    gate = {"kind": "gate", "summary": "approved by you"}
    assert runs.step_line(gate) == "You approved"
    assert runs.step_line({**gate, "summary": "returned by Ben"}) == "Ben sent it back"
    assert runs.step_line({**gate, "kind": "step", "summary": "approved by the board"}) == "approved by the board"


def test_the_trail_names_who_did_it_once_and_effects_in_words() -> None:
    mine = said({"by": ME, "summary": f"{people.capital(people.person(ME))} approved it"}, ME)
    assert (mine["who"], mine["summary"]) == ("You", "Approved it")
    assert said({"by": "runner", "summary": "append_rows@1 done"}, ME)["summary"] == "Add rows done"


@pytest.mark.parametrize(
    "origin, words",
    [
        (None, "once"),
        ("looked up", "once, found by looking it up"),
        ("said by Anna", "once, Anna said so"),
        ("given by Anna", "not done, Anna gave its value"),
        ("said by Anna; happened in run 12, record 4711", "once, in run 12"),
    ],
)
def test_how_often_an_effect_happened(origin: str | None, words: str) -> None:
    assert runs.once({"kind": "effect", "state": "done"}, origin) == words


CLUB = "Unterstützungskasse e. V."


def test_a_sentence_that_ends_with_a_name_has_one_full_stop() -> None:
    assert as_sentence("Larkfield") == "Larkfield."
    assert [as_sentence(said) for said in (f"Left out: {CLUB}", "Why?", "Reading…")] == [
        f"Left out: {CLUB}",
        "Why?",
        "Reading…",
    ]
    facts = FolderFacts("/a", 1, 1, 1.0, (), left_out=(CLUB,))
    stopped = Progress("a", "failed", "Stopped", problem="The column is missing.")
    again = {"at": "2026-11-30T08:41:09Z", "reran": ["boxes"], "doubts": [CLUB]}
    said = [
        *sentences(facts),
        *runs.result_sentences(stopped),
        *runs.carried_on([again]),
        *told("held_up", {"schedule": "a", "skipped": 3, "reason": f"It waits for {CLUB}"}),
        warning([CLUB]),
    ]
    assert [one for one in said if ".." in one or not one.endswith(".")] == []


@pytest.mark.parametrize(
    "field, value, words",
    [
        ({"choices": ["renew", "let_end"]}, "let_end", "Let end"),
        ({"choices": ["raise_once"]}, "raise_once", "Allow $0.40 once"),
        ({"choices": ["Sales", "Board"]}, ["Sales", "Board"], "Sales, Board"),
        ({"choices": None}, True, "Yes"),
        ({"choices": None}, {"amount": "10.00", "currency": "EUR"}, "€10.00"),
        ({"choices": None}, "let_end", "let_end"),
    ],
)
def test_what_was_filled_in_is_said_as_its_form_called_it(field: dict[str, object], value: object, words: str) -> None:
    assert choices.given(field, value, {"raise_once": "Allow $0.40 once"}, TODAY) == words
