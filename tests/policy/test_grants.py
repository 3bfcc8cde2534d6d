"""Rules of people: what they cover, which of them decides, and the sentence that says so (contract.md 6; experience 10)."""

import dataclasses
from typing import Any

import pytest

from counterfoil import Effect, append_rows, http, mail, move_files, secret, write_file
from counterfoil.engine.ports import Around, Judgement, Permission
from counterfoil.errors import WrongUse
from counterfoil.facts import Money
from counterfoil.policy import grants
from counterfoil.policy.grant_words import group_of, sentence
from counterfoil.policy.grants import Conditions, check, money_of
from counterfoil.policy.judging import Rules
from counterfoil.policy.proposing import Question, narrowest, would_cover

ALLOW, ASK, DENY = Permission.ALLOW, Permission.ASK, Permission.DENY
PIN, OTHER = "a" * 64, "b" * 64


def given(*rules: tuple[Permission, Conditions]) -> list[Any]:
    """Rules as rows."""
    return [
        {
            "number": n,
            "permission_id": f"{n:032x}",
            "verdict": str(verdict),
            "conditions": rule.to_json(),
            "granted_by": "user:anna",
        }
        for n, (verdict, rule) in enumerate(rules, start=1)
    ]


def judge(effect: Effect, *rules: tuple[Permission, Conditions], **more: Any) -> Judgement:
    """What the rules say of an effect of the template triage-mail in /team."""
    around = Around(template="triage-mail", rules=given(*rules), **more)
    return Rules().judge(effect.body, "/team", {}, around)


def tool(name: str = "search", pin: str = PIN, **args: Any) -> Effect:
    """A call of a connector's tool."""
    return Effect("call@1", {"connector": "web", "tool": name, "pin": pin, "args": args})


def command(*argv: str, given: str = "") -> Effect:
    """A program, and what it is given to read."""
    return Effect("command@1", {"argv": list(argv), "given": given})


MOVE = move_files([("Post/a.eml", "Post/2026/a.eml")])
IN_POST = Conditions(effect="move_files", template="triage-mail", path=("Post/**",))


def test_the_sentence_of_a_rule() -> None:
    assert sentence(ALLOW, IN_POST) == "Triage mail may move files in Post/ without asking."
    assert sentence(DENY, Conditions(path=("Secret/*", "*.key"))) == (
        "Every template may never do anything directly in Secret/ and named *.key."
    )
    spend = Conditions(effect="call", connector="bank", tool="pay", amount=Money(money_of("100.00 EUR").amount, "EUR"))
    assert sentence(ASK, spend) == (
        "Every template asks before tools are used ‘pay’ of the connector bank over 100.00 EUR (or of an unknown amount)."
    )
    assert sentence(ALLOW, Conditions(effect="mail", to=("*@example.org",), workspace="/srv/team")) == (
        "Every template may send mail to *@example.org without asking. In the workspace team."
    )
    assert [group_of(rule) for rule in (IN_POST, spend, Conditions(effect="mail"), Conditions(effect="command"))] == [
        "Files", "Spending", "Sending", "Programs",
    ]  # fmt: skip


def test_a_rule_allows_what_it_says_and_the_reason_names_it() -> None:
    said = judge(MOVE, (ALLOW, IN_POST))
    assert said == Judgement(ALLOW, "p-1 of Anna: Triage mail may move files in Post/ without asking.", f"{1:032x}")


@pytest.mark.parametrize(
    "effect",
    [
        move_files([("Post/a.eml", "Archive/a.eml")]),  # leads out
        move_files([("Post/a.eml", "Post/b.eml"), ("ledger.csv", "Post/l.csv")]),  # one of two
        move_files([("post/a.eml", "post/b.eml")]),  # another spelling
        write_file("Post/a.eml", b"x"),  # another effect
    ],
)
def test_what_is_allowed_must_be_covered_whole(effect: Effect) -> None:
    assert judge(effect, (ALLOW, IN_POST)).permission is ASK


def test_a_rule_of_another_template_or_workspace_says_nothing() -> None:
    other = dataclasses.replace(IN_POST, template="tidy-folder")
    elsewhere = dataclasses.replace(IN_POST, workspace="/other")
    assert judge(MOVE, (ALLOW, other), (ALLOW, elsewhere)).permission is ASK


def test_any_deny_denies_however_wide_and_however_the_name_is_spelled() -> None:
    exact = Conditions(
        effect="move_files", template="triage-mail", workspace="/team", path=("Post/a.eml", "Post/2026/a.eml")
    )
    said = judge(MOVE, (ALLOW, exact), (DENY, Conditions(path=("POST/**",))))
    assert (said.permission, said.rule) == (DENY, f"{2:032x}")


def test_else_the_narrowest_decides_and_of_two_alike_the_stricter() -> None:
    wide = Conditions(effect="files", path=("**",))
    assert judge(MOVE, (ALLOW, wide), (ASK, IN_POST)).permission is ASK
    assert judge(MOVE, (ASK, wide), (ALLOW, IN_POST)).permission is ALLOW
    assert judge(MOVE, (ALLOW, IN_POST), (ASK, IN_POST)).permission is ASK


def test_no_rule_unties_what_the_template_ties_or_reaches_out_of_the_workspace() -> None:
    everything = Conditions(effect="files", path=("**",))
    around = Around(rules=given((ALLOW, everything)))
    assert Rules().judge(MOVE.body, "/team", {"always_gate": ["move_files"]}, around).permission is ASK
    assert Rules().judge(MOVE.body, "/team", {"permissions": []}, around).permission is DENY
    body = {"kind": "write_file@1", "args": {"path": "../x", "data": ""}}
    assert Rules().judge(body, "/team", {}, around).permission is DENY


def test_mail_is_allowed_to_all_its_people_or_not() -> None:
    rule = (ALLOW, Conditions(effect="mail", to=("*@example.org",)))
    assert judge(mail("Anna@Example.org", "s", "b"), rule).permission is ALLOW
    assert judge(mail("anna@example.org", "s", "b", cc=["eve@evil.test"]), rule).permission is ASK
    assert judge(mail(["anna@example.org.evil.test"], "s", "b"), rule).permission is ASK


def test_a_host_that_is_allowed_gets_no_secret_by_that() -> None:
    post = http("POST", "https://api.example/v1", headers={"Authorization": secret("api")})
    host = Conditions(effect="http", host=("api.example",))
    assert judge(http("POST", "https://api.example/v1"), (ALLOW, host)).permission is ALLOW
    assert judge(post, (ALLOW, host)).permission is ASK
    assert judge(post, (ALLOW, dataclasses.replace(host, secret=("api",)))).permission is ALLOW
    assert judge(http("POST", "https://api.example:8443/v1"), (ALLOW, host)).permission is ASK


def test_a_tool_is_allowed_as_it_was() -> None:
    rule = (ALLOW, Conditions(effect="call", connector="web", tool="search", pin=PIN, args={"q": "weather*"}))
    assert judge(tool(q="weather in Bonn"), rule).permission is ALLOW
    assert judge(tool(q="accounts"), rule).permission is ASK
    changed = judge(tool(pin=OTHER, q="weather"), rule)
    assert changed.permission is ASK
    assert changed.reason.endswith("p-1 allowed it as the tool was; it has changed since.")
    assert judge(tool(pin="", q="weather"), rule, pin=PIN).permission is ALLOW  # as somebody has looked at it
    assert judge(tool(pin="", q="weather"), rule).permission is ASK
    assert judge(tool(q="weather"), rule, (DENY, Conditions(connector="web"))).permission is DENY
    assert judge(tool(pin=OTHER), (DENY, Conditions(connector="web", tool="sea*"))).permission is DENY


def test_an_amount_that_is_not_known_is_within_no_limit() -> None:
    rule = Conditions(effect="call", connector="web", tool="pay", pin=PIN, amount=money_of("100 EUR"))
    assert judge(tool("pay", price=money_of("99.50 EUR")), (ALLOW, rule)).permission is ALLOW
    assert judge(tool("pay", price={"amount": "99.50", "currency": "EUR"}), (ALLOW, rule)).permission is ALLOW
    assert judge(tool("pay", price=money_of("100.01 EUR")), (ALLOW, rule)).permission is ASK
    assert judge(tool("pay", price=money_of("99.50 USD")), (ALLOW, rule)).permission is ASK
    assert judge(tool("pay", decoy=money_of("1 EUR"), sum="5000"), (ALLOW, rule)).permission is ASK
    assert judge(tool("pay"), (ALLOW, rule)).permission is ASK
    assert judge(tool("pay"), (DENY, dataclasses.replace(rule, pin=""))).permission is DENY


def test_a_command_is_what_a_shell_would_read() -> None:
    rule = (ALLOW, Conditions(effect="command", command="git status*"))
    assert judge(command("git", "status", "-s"), rule).permission is ALLOW
    assert judge(command("git", "push"), rule).permission is ASK
    assert judge(command("git status; rm"), rule).permission is ASK


def test_what_a_program_is_given_to_read_may_be_a_program_itself_and_a_rule_speaks_of_it() -> None:
    bare = (ALLOW, Conditions(effect="command", command="sh"))
    assert judge(command("sh"), bare).permission is ALLOW
    assert judge(command("sh", given="echo hello"), bare).permission is ASK
    (rule,) = narrowest(question(command("sh", given="echo hello")))
    assert judge(command("sh", given="echo hello"), (ALLOW, rule)).permission is ALLOW
    assert judge(command("sh", given="rm *"), (ALLOW, rule)).permission is ASK
    assert (
        judge(command("sort", given="b\na"), (ALLOW, Conditions(effect="command", command="sort*"))).permission is ALLOW
    )
    assert judge(command("sh", given="rm *"), (DENY, Conditions(effect="command", command="sh"))).permission is DENY


# ------------------------------------------------------------------------------------------------------- words of others


def test_what_sends_or_spends_asks_once_words_of_others_were_read_whatever_the_rules_say() -> None:
    anybody = (ALLOW, Conditions(effect="mail", to=("*",)))
    any_tool = (ALLOW, Conditions(effect="call", connector="web", tool="*", pin=PIN))
    any_host = (ALLOW, Conditions(effect="http", host=("*",)))
    for effect in (
        mail("a@b.test", "s", "b"),
        tool(),
        http("POST", "https://api.example/"),
        http("GET", "https://x.test/?q=1"),
    ):
        rules = (anybody, any_tool, any_host)
        assert judge(effect, *rules).permission is ALLOW
        said = judge(effect, *rules, sources=["file Post/a.eml", "host web.example"], does="reads")
        assert (said.permission, said.rule) == (ASK, None)
        assert said.reason.startswith("This run has read from outside the team: Post/a.eml, the host web.example.")
        assert said.warning == "This run has read from outside the team: Post/a.eml, the host web.example."


def test_what_stays_in_the_house_is_as_before_and_says_what_was_read() -> None:
    said = judge(MOVE, (ALLOW, IN_POST), sources=["file Post/a.eml"])
    assert (said.permission, said.rule) == (ALLOW, f"{1:032x}")
    assert said.warning is not None
    assert judge(MOVE, (DENY, IN_POST), sources=["file Post/a.eml"]).permission is DENY


def test_a_second_page_of_the_only_source_is_still_reading() -> None:
    page = http("GET", "https://api.example/2")
    rule = (ALLOW, Conditions(effect="http", host=("api.example",)))
    assert judge(page, rule, sources=["host api.example"]).permission is ALLOW
    assert judge(page, rule, sources=["host api.example", "file a.eml"]).permission is ASK
    search = (ALLOW, Conditions(effect="call", connector="web", tool="search", pin=PIN))
    assert judge(tool(), search, sources=["connector web"], does="reads").permission is ALLOW
    assert judge(tool(), search, sources=["connector web"], does="sends").permission is ASK


# ------------------------------------------------------------------------------------------------------------ refusals


@pytest.mark.parametrize(
    "verdict, rule, words",
    [
        (ALLOW, Conditions(), "has to be named"),
        (ALLOW, Conditions(effect="mails"), "There is no effect"),
        (ALLOW, Conditions(effect="mail"), "Which --to"),
        (DENY, Conditions(effect="llm", template="triage-mail"), "Rules do not hold llms"),
        (ALLOW, Conditions(effect="move_files"), "Which --path"),
        (ALLOW, Conditions(effect="call", connector="web"), "Which tool"),
        (ALLOW, Conditions(effect="move_files", path=("a",), host=("b",)), "with --host matches nothing"),
        (DENY, Conditions(workspace="/team"), "says of nothing"),
        (DENY, Conditions(effect="mail", path=("a",)), "matches nothing"),
    ],
)
def test_a_rule_that_could_match_nothing_or_too_much_is_refused(
    verdict: Permission, rule: Conditions, words: str
) -> None:
    with pytest.raises(WrongUse, match=words):
        check(verdict, rule)


@pytest.mark.parametrize("text", ["100", "EUR", "-1 EUR", "1 euro", "nan EUR", ""])
def test_an_amount_has_a_currency(text: str) -> None:
    with pytest.raises(WrongUse, match="is no amount"):
        money_of(text)


def test_conditions_are_kept_as_they_are() -> None:
    rule = dataclasses.replace(IN_POST, args={"a": "b*"}, amount=money_of("1.50 EUR"), host=("h",))
    assert grants.read(rule.to_json()) == rule


# ---------------------------------------------------------------------------------------------------------- proposals


def question(*effects: Effect, **more: Any) -> Question:
    """A gate that asks about these."""
    plan = [{"n": n, "body": effect.body, "risk": "normal"} for n, effect in enumerate(effects, start=1)]
    spec = {"kind": "approval", "plan": plan, "fields": [], "flags": [], "claims": [], **more}
    return Question(spec, "/team", "triage-mail")


def test_the_narrowest_rules_of_a_plan_cover_it_and_little_else() -> None:
    asked = question(MOVE, append_rows("ledger.csv", [], columns=["a"]), mail("a@b.test", "s", "b"), tool())
    rules = narrowest(asked)
    assert [sentence(ALLOW, rule).partition(" without")[0] for rule in rules] == [
        "Triage mail may move files directly in Post/ and directly in Post/2026/",
        "Triage mail may add rows to tables named ledger.csv",
        "Triage mail may send mail to a@b.test",
        "Triage mail may use tools ‘search’ of the connector web",
    ]
    assert would_cover(rules, asked)
    assert not would_cover(rules, question(MOVE, mail("b@b.test", "s", "b")))
    assert not would_cover(rules, dataclasses.replace(asked, template="other"))
    assert not would_cover(rules, question(tool(pin=OTHER)))


@pytest.mark.parametrize(
    "asked, other",
    [
        (command("sh", "-c", "rm *"), command("sh", "-c", "rm -r /team")),
        (command("sh", given="rm [*]*"), command("sh", given="rm [a]b")),
        (mail("*@b.test", "s", "b"), mail("boss@b.test", "s", "b")),
        (append_rows("**", [], columns=["a"]), append_rows("ledger.csv", [], columns=["a"])),
        (tool("*"), tool("pay")),
        (write_file("a*/b.txt", "x"), write_file("ab/b.txt", "x")),
    ],
)
def test_a_star_in_what_was_asked_allows_nothing_else(asked: Effect, other: Effect) -> None:
    rules = narrowest(question(asked))
    assert would_cover(rules, question(asked))
    assert not would_cover(rules, question(other))


@pytest.mark.parametrize(
    "more", [{"flags": ["look here"]}, {"claims": ["k"]}, {"fields": [{"name": "a"}]}, {"kind": "question"}]
)
def test_what_needs_an_eye_would_have_been_asked_in_any_case(more: dict[str, Any]) -> None:
    assert not would_cover(narrowest(question(MOVE)), question(MOVE, **more))


def test_what_was_done_already_is_done_once_more_only_by_a_person() -> None:
    told = "This was done already, in step 3 of run 12."
    mail_rule = (ALLOW, Conditions(effect="mail"))
    letter = mail("ben@harbour.example", "Hello", "Words")
    assert judge(letter, mail_rule).permission is ALLOW
    again = judge(letter, mail_rule, done=(told,))
    assert (again.permission, again.rule, again.warning) == (ASK, None, told)
    assert judge(letter, mail_rule, done=(told,), sources=("file a.eml",)).warning == (
        f"{told} This run has read from outside the team: a.eml."
    )
    assert judge(MOVE, (DENY, IN_POST), done=(told,)).permission is DENY
    get = (ALLOW, Conditions(effect="http", host=("api.example",)))
    assert judge(http("GET", "https://api.example/a"), get, done=(told,)).permission is ALLOW
