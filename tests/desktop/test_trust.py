"""Connectors, routes, permissions and memory on the fake office, by mouse and keyboard."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from counterfoil.desktop.parts.boxes import Banner, Quote
from counterfoil.desktop.parts.labels import Prose
from counterfoil.desktop.trust.chain import ChainView
from counterfoil.desktop.trust.link_sheet import LinkSheet
from counterfoil.desktop.trust.spend_chart import SpendChart
from counterfoil.desktop.trust_facts import LinkDraft
from desktop import fake_runs, figures
from desktop.conftest import Desk

ALT = Qt.KeyboardModifier.AltModifier


@pytest.fixture
def page(desk: Desk) -> Any:
    desk.window.show_page("connectors")
    desk.settle()
    return desk.window.pages["connectors"]


def show(desk: Desk, page: Any, tab: str) -> Any:
    page.show_tab(tab)
    desk.settle()
    return page.tab


def texts(widget: QWidget) -> str:
    """Everything that is written in a part of the window."""
    return "\n".join(label.text() for label in widget.findChildren(Prose) if label.isVisible())


def button(widget: QWidget, name: str) -> QPushButton:
    """The button of a name."""
    return next(one for one in widget.findChildren(QPushButton) if one.accessibleName() == name and one.isVisible())


def told(widget: QWidget) -> str:
    """The banner above a tab."""
    return " ".join(one.words.text() for one in widget.findChildren(Banner) if one.isVisible())


def did(desk: Desk, act: str) -> list[Any]:
    return [what for name, what in desk.office.log if name == act]


def test_a_card_says_what_a_connector_can_how_it_is_and_where_it_runs(desk: Desk, page: Any) -> None:
    seen = texts(page)
    assert "Read, draft and send mail" in seen
    assert "Does not start: ‘npx’ is not on this computer." in seen
    assert "‘send_mail’ now also takes ‘bcc’. It asks again until you look." in seen
    desk.click(button(page, "Test mail"))
    assert did(desk, "test_connector") == ["mail"]
    assert "mail answers with 3 tools." in told(page)


def test_a_changed_tool_is_looked_at_before_it_is_used(desk: Desk, page: Any) -> None:
    desk.click(button(page, "Compare the tools of mail"))
    sheet = page.tab.sheet
    assert sheet.isVisible()
    desk.press(Qt.Key.Key_Escape)
    assert did(desk, "accept_tools") == [], "Esc decides nothing"
    desk.click(button(page, "Compare the tools of mail"))
    desk.click(page.tab.sheet.accept)
    assert did(desk, "accept_tools") == ["mail"]
    assert "It asks again" not in texts(page)


def test_a_connector_is_switched_off_and_on(desk: Desk, page: Any) -> None:
    desk.click(button(page, "Switch off mail"))
    desk.click(button(page, "Switch on mail"))
    assert did(desk, "switch_connector") == [("mail", False), ("mail", True)]


def test_a_route_shows_its_chain_and_what_the_month_has_cost(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "routes")
    [chart] = tab.findChildren(SpendChart)
    assert chart.accessibleName().startswith("$1.84 for 212 calls in November By day: 1 Nov: $0.11;")
    assert "1 call may have been billed without an answer (at most $0.01)." in texts(tab)
    [chain] = tab.findChildren(ChainView)
    assert [link.llm for link in chain.links()] == ["claude-sonnet-5", "qwen3-14b", "gpt-5-mini"]
    desk.click(button(tab, "Test default"))
    assert did(desk, "test_route") == ["default"]
    assert "2 of 3 llms answer." in told(tab)


def test_the_chain_is_ordered_by_keys(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "routes")
    [chain] = tab.findChildren(ChainView)
    chain.setFocus()
    desk.press(Qt.Key.Key_Up, ALT)
    assert did(desk, "order_route") == [], "the first one is the first one"
    desk.press(Qt.Key.Key_Down, ALT)
    assert did(desk, "order_route") == [("default", ("2", "1", "3"))]
    [chain] = [one for one in tab.findChildren(ChainView) if one.isVisible()]
    assert [link.link_id for link in chain.links()] == ["2", "1", "3"]


def test_a_key_is_added_and_never_shown(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "routes")
    desk.click(button(tab, "Add an llm to default…"))
    sheet = tab.sheet
    assert isinstance(sheet, LinkSheet)
    assert (sheet.add.text(), sheet.add.isEnabled()) == ("Name the llm first", False)
    sheet.llm.setText("claude-sonnet-5")
    assert (sheet.add.text(), sheet.add.isEnabled()) == ("Paste the key first", False)
    assert sheet.secret.echoMode() == QLineEdit.EchoMode.Password
    assert not sheet.address.isVisible()
    sheet.secret.setText("sk-canary")
    desk.click(sheet.add)
    assert did(desk, "add_link") == [LinkDraft("default", "anthropic", "claude-sonnet-5", secret="sk-canary")]
    assert "sk-canary" not in texts(tab)


def test_an_llm_on_this_computer_is_offered_and_needs_no_key(desk: Desk, page: Any) -> None:
    desk.office.trust.chains = []
    desk.office.trust.local = "Ollama answers on this computer: qwen3-14b."
    tab = show(desk, page, "routes")
    assert tab.nothing.words.text() == "8 of 10 templates do not need one."
    desk.click(button(tab, "Use a local llm"))
    sheet = tab.sheet
    assert (sheet.secret.isVisible(), sheet.address.isVisible()) == (False, False)
    sheet.llm.setText("qwen3-14b")
    desk.click(sheet.add)
    assert did(desk, "add_link") == [LinkDraft("default", "ollama", "qwen3-14b")]


def test_another_address_is_checked_and_may_have_no_key(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "routes")
    desk.click(button(tab, "Add an llm to default…"))
    sheet = tab.sheet
    sheet.provider.setCurrentIndex(sheet.provider.findData("compatible"))
    sheet.llm.setText("mistral")
    sheet.address.setText("llm.example/v1")
    desk.click(sheet.add)
    assert sheet.isVisible()
    sheet.address.setText("https://llm.example/v1")
    desk.click(sheet.add)
    assert did(desk, "add_link") == [LinkDraft("default", "compatible", "mistral", "https://llm.example/v1")]


def test_without_a_price_there_is_no_talk_of_money(desk: Desk, page: Any) -> None:
    desk.office.trust.spent = None
    tab = show(desk, page, "routes")
    assert not tab.findChildren(SpendChart)


def test_a_permission_is_taken_back_after_a_question(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "permissions")
    assert "Granted by Anna 3 Nov, used 41 times, last today." in texts(tab)
    name = "Take back: Triage mail may move files in Post/ without asking."
    desk.click(button(tab, name))
    desk.press(Qt.Key.Key_Escape)
    assert did(desk, "take_back") == []
    desk.click(button(tab, name))
    desk.click(tab.sheet.act)
    assert did(desk, "take_back") == ["p1"]
    assert "Post/" not in texts(tab)


def test_a_fact_is_forgotten(desk: Desk, page: Any) -> None:
    tab = show(desk, page, "memory")
    assert "From Mail from Halden.eml, run 12." in texts(tab)
    desk.click(button(tab, "Forget: Halden Paper AS sends its invoices on the 28th."))
    assert did(desk, "forget") == ["1"]
    assert tab.nothing.isVisible()


def test_what_changed_elsewhere_comes_when_the_page_is_shown(desk: Desk, page: Any) -> None:
    desk.window.show_page("inbox")
    desk.office.trust.cards = []
    desk.office._trusted()
    desk.look()
    desk.window.show_page("connectors")
    desk.settle()
    assert page.tab.nothing.isVisible()


def test_a_rule_is_proposed_at_a_gate_and_the_gate_still_waits(desk: Desk) -> None:
    inbox = desk.window.pages["inbox"]
    inbox.go_to_gate(f"{74:032x}")
    desk.settle()
    [always] = [
        one for one in inbox.detail.findChildren(QPushButton) if one.text() == "Always allow…" and one.isVisible()
    ]
    desk.click(always)
    sheet = inbox.detail.deciding.allowing.sheet
    seen = texts(sheet)
    assert "Supplier payments may write files in payments/ without asking." in seen
    assert "It would have covered 2 of your last 40 decisions." in seen
    assert "1 of these was not approved. With this rule it would have been done." in told(sheet)
    desk.press(Qt.Key.Key_Escape)
    assert did(desk, "allow") == []
    desk.click(always)
    desk.click(inbox.detail.deciding.allowing.sheet.allow)
    assert did(desk, "allow") == [f"{74:032x}"]
    assert "This gate still waits for your answer." in told(inbox.detail)
    assert desk.decisions() == []


def test_a_run_that_asked_an_llm_shows_what_was_said(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.window.show_page("runs")
    desk.settle()
    runs = desk.window.pages["runs"]
    assert not runs.detail.tabs.isTabVisible(runs.detail.tabs.count() - 1), "without an llm there is no such tab"
    asked = fake_runs.steps
    answered = {**asked()[0], "name": "read_contract", "kind": "llm"}
    monkeypatch.setattr(fake_runs, "steps", lambda: [answered, *asked()])
    runs.show_run(f"{5:032x}", tab="talk")
    desk.settle()
    assert runs.detail.tabs.isTabVisible(runs.detail.tabs.count() - 1)
    talk = runs.detail.talk
    quotes = [one.accessibleName() for one in talk.findChildren(Quote)]
    assert quotes == [
        "Said by the run",
        "Given by the tool search",
        "Written by the llm · gpt-5-mini · $0.0008 · 08:41",
    ]
    assert "2 turns · $0.0020 · tools: search, read_file" in texts(talk)
    assert "This run has read Mail from Brightwater.eml, which comes from outside." in told(talk)


def test_a_call_that_waits_for_a_sign_in_has_the_button_for_it(desk: Desk) -> None:
    """Signing in fills in that it was done; the call goes on when a person says so, and not before."""
    done = figures.field("done", type="boolean", label="I have signed in", required=True)
    gate = figures.gate(96, "question", "Sign in to mail before it goes on", fields=[done])
    desk.office.add(gate, about={"effect": "call@1", "why": "signed_out", "state": {"sign_in": "mail"}})
    desk.look()
    inbox: Any = desk.window.pages["inbox"]
    inbox.go_to_gate(f"{96:032x}")
    desk.settle()
    desk.later()
    shown = inbox.detail.page.signing_in
    assert shown.words.text() == "The sign-in to mail has ended. Nothing was called."
    assert inbox.detail.bar.primary.accessibleName() == "Fill in 1 field first"
    desk.click(shown.button)
    assert did(desk, "sign_in") == ["mail"]
    assert shown.words.text() == "You are signed in to mail."
    assert inbox.detail.session.values == {"done": "true"}
    assert desk.decisions() == []
    desk.click(inbox.detail.bar.primary)
    assert len(desk.decisions()) == 1


def test_where_no_connector_is_the_first_step_can_be_copied(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk.office.trust, "connectors", lambda: ())
    desk.window.show_page("connectors")
    desk.settle()
    tab = desk.window.pages["connectors"].tab
    assert tab.copy.isVisible()
    desk.click(tab.copy)
    assert QGuiApplication.clipboard().text() == "counterfoil connector add NAME -- PROGRAM"
    assert tab.copy.text().strip() == "Copied"
