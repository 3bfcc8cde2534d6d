"""What people fill in: read by the declared type, refused with the field's name and a next step, kept as plain JSON that the
author's Params come back from."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil import Field, File, Folder, Money, Params, Unrecordable, param
from counterfoil.authoring.codec import canonical, to_plain
from counterfoil.authoring.parameters import decode_params, encode_params, schema_of
from counterfoil.catalogue.field_values import Misfit
from counterfoil.catalogue.parameters import (
    check_values,
    folder_or_file,
    parse_texts,
    problems_with,
    to_remember,
    with_remembered,
)
from counterfoil.errors import WrongAnswer, WrongParameter


class Pay(Params):
    folder: Folder
    debtor_iban: str = param(label="Pay from account", remember=True, check="iban")
    limit: Money = Money(Decimal("25000.00"), "EUR")
    pay_on: date | None = None
    rows: list[int] = param(default=[])
    speed: Literal["normal", "urgent"] = "normal"


class Everything(Params):
    """One field of every type; the names are ones that a pydantic class would trip over."""

    json: str
    copy: int
    schema: bool
    model_fields: Decimal
    dict: date
    validate: datetime
    construct: Money
    parse_obj: Folder
    fields: File
    choice: Literal["a", "b c"]
    texts: list[str]
    amounts: list[Money]
    days: list[date]
    note: str | None = None


IBAN = "GB29 NWBK 6016 1331 9268 19"
PAY = schema_of(Pay)
FIELDS = [
    Field(name="choice.1", type="choice", choices=["pay", "hold", "reject"], required=True).to_json(),
    Field(name="reason.1").to_json(),
    Field(name="hold", type="list[integer]", label="Rows to leave out").to_json(),
]


def texts(*pairs: str) -> dict[str, Any]:
    return parse_texts(PAY, [(name, text) for name, _, text in (pair.partition("=") for pair in pairs)], what="it")


def test_texts_by_declared_type() -> None:
    assert texts("folder=invoices", "limit=10000 EUR", "pay_on=2026-11-30", "rows=3,5", "rows=8", "speed=urgent") == {
        "folder": "invoices",
        "limit": {"$type": "Money", "amount": {"$dec": "10000"}, "currency": "EUR"},
        "pay_on": {"$date": "2026-11-30"},
        "rows": [3, 5, 8],
        "speed": "urgent",
    }
    assert texts("debtor_iban=gb29 nwbk 60161331926819") == {"debtor_iban": "GB29NWBK60161331926819"}
    assert texts("debtor_iban=") == {"debtor_iban": None}
    assert texts("pay_on=", "rows=") == {"pay_on": None, "rows": []}


@pytest.mark.parametrize(
    "pair,expected",
    [
        ("foldr=x", "it does not ask for ‘foldr’. Did you mean ‘folder’?"),
        ("zzz=x", "it does not ask for ‘zzz’. It asks for: folder, debtor_iban, limit, pay_on, rows, speed."),
        ("pay_on=30.11.2026", "pay_on: ‘30.11.2026’ is not a date. Write it like 2026-11-30."),
        ("pay_on=2026-02-30", "pay_on: 2026-02-30 does not exist. Choose another day."),
        ("limit=10000", "limit: ‘10000’ is not an amount with its currency. Write it like 10000 EUR."),
        (
            "limit=10.000,00 EUR",
            "limit: ‘10.000,00’ is not a plain number. Write it with a point and without separators, like 1250.00.",
        ),
        ("limit=1e5 EUR", "limit: ‘1e5’ is not a number. Write it like 1250.00."),
        ("rows=3,x", "rows: Item 2: ‘x’ is not a whole number. Write it like 12."),
        ("speed=urgnt", "speed: ‘urgnt’ is not among the choices. Did you mean ‘urgent’?"),
        ("speed=x", "speed: ‘x’ is not among the choices. Choose one of: normal, urgent."),
        (
            "debtor_iban=GB29 NWBK 6016 1331 9268 18",
            "Pay from account (debtor_iban): This IBAN has a wrong check digit: one character is mistyped.",
        ),
        (
            "debtor_iban=12345",
            "Pay from account (debtor_iban): This is not an IBAN. It begins with two letters and two digits, like DE89 37",
        ),
    ],
)
def test_texts_that_do_not_fit(pair: str, expected: str) -> None:
    with pytest.raises(WrongParameter) as caught:
        texts(pair)
    assert str(caught.value).startswith(expected)
    assert caught.value.exit_code == 2


def test_a_name_given_twice() -> None:
    with pytest.raises(WrongParameter, match=r"‘speed’ is given twice\. Give it once\."):
        texts("speed=normal", "speed=urgent")


def test_defaults_are_filled_in() -> None:
    assert check_values(PAY, {"folder": "invoices", "debtor_iban": IBAN, "pay_on": "2026-11-30"}) == {
        "folder": "invoices",
        "debtor_iban": "GB29NWBK60161331926819",
        "limit": {"$type": "Money", "amount": {"$dec": "25000.00"}, "currency": "EUR"},
        "pay_on": {"$date": "2026-11-30"},
        "rows": [],
        "speed": "normal",
    }


def test_what_is_missing_is_named_with_its_label() -> None:
    with pytest.raises(WrongParameter) as caught:
        check_values(PAY, {"folder": "invoices", "debtor_iban": "  "})
    assert str(caught.value) == (
        "Pay from account (debtor_iban) is missing. Give it, for example --set debtor_iban=DE89370400440532013000."
    )
    with pytest.raises(WrongParameter) as caught:
        check_values(PAY, {})
    assert str(caught.value) == (
        "2 values are missing: folder, Pay from account (debtor_iban). Give each, for example --set folder=invoices."
    )


def test_unknown_names_come_first() -> None:
    with pytest.raises(WrongParameter, match="this template does not ask for ‘lmit’"):
        check_values(PAY, {"lmit": 1, "pay_on": "x"})


def test_json_forms_of_the_contract() -> None:
    values = {
        "folder": "invoices",
        "debtor_iban": IBAN,
        "limit": {"amount": "10.50", "currency": "eur"},
        "rows": [1, "2"],
    }
    checked = check_values(PAY, values)
    assert checked["limit"] == {"$type": "Money", "amount": {"$dec": "10.50"}, "currency": "EUR"}
    assert checked["rows"] == [1, 2]


@pytest.mark.parametrize(
    "kind,value,expected",
    [
        ("integer", True, "‘True’ is not a whole number."),
        ("integer", 1.0, "‘1.0’ is not a whole number."),
        ("integer", "١", "‘١’ is not a whole number."),
        ("decimal", float("nan"), "‘nan’ is not a number."),
        ("decimal", True, "‘True’ is not a number."),
        ("boolean", "yes", "‘yes’ is not true or false."),
        ("boolean", 1, "‘1’ is not true or false."),
        ("text", 12, "‘12’ is not text. Put it in quotes."),
        ("text", "a\0b", "It holds a zero character."),
        ("text", "a\udcffb", "It holds bytes that are no Unicode text."),
        ("text", "x" * 100_001, "It has 100001 characters."),
        ("date", 20261130, "‘20261130’ is not a date."),
        ("date", "20261130", "‘20261130’ is not a date."),
        ("instant", "2026-11-30T08:00:00", "‘2026-11-30T08:00:00’ has no zone. Add it, like +01:00, or Z for UTC."),
        ("instant", "2026-11-30", "‘2026-11-30’ is not a moment."),
        ("money", {"amount": "1", "currency": "EURO"}, "‘EURO’ is not a currency."),
        ("money", {"amount": None, "currency": "EUR"}, "‘None’ is not a number."),
        ("list[text]", "a", "‘a’ is not a list."),
        ("list[folder]", [""], "Item 1: It is empty. Name a place in the workspace; . is the workspace itself."),
        ("list[date]", ["2026-11-30", 1], "Item 2: ‘1’ is not a date."),
    ],
)
def test_json_that_does_not_fit(kind: str, value: object, expected: str) -> None:
    field = Field(name="x", type=kind, required=True).to_json()
    assert problems_with([field], {"x": value})["x"].startswith(expected)


@pytest.mark.parametrize(
    "kind,value,plain",
    [
        ("decimal", 12.5, {"$dec": "12.5"}),
        ("decimal", 3, {"$dec": "3"}),
        ("decimal", " 1250.00 ", {"$dec": "1250.00"}),
        ("boolean", "True", True),
        ("instant", "2026-11-30T08:55:00Z", {"$at": "2026-11-30T08:55:00+00:00"}),
    ],
)
def test_json_that_fits(kind: str, value: object, plain: object) -> None:
    assert check_values([Field(name="x", type=kind).to_json()], {"x": value}) == {"x": plain}


def test_a_form_shows_every_problem_at_once() -> None:
    assert problems_with(PAY, {"pay_on": "soon", "debtor_iban": "GB29NWBK60161331926818", "not asked for": 1}) == {
        "folder": "This is needed.",
        "debtor_iban": "This IBAN has a wrong check digit: one character is mistyped.",
        "pay_on": "‘soon’ is not a date. Write it like 2026-11-30.",
    }


def test_answers_of_a_gate() -> None:
    given = parse_texts(FIELDS, [("choice.1", "pay"), ("hold", "2")], what="gate g-81", wrong=WrongAnswer)
    assert check_values(FIELDS, given, what="gate g-81", wrong=WrongAnswer) == {
        "choice.1": "pay",
        "reason.1": None,
        "hold": [2],
    }
    with pytest.raises(WrongAnswer, match=r"gate g-81 does not ask for ‘choice\.2’\. Did you mean ‘choice\.1’"):
        parse_texts(FIELDS, [("choice.2", "pay")], what="gate g-81", wrong=WrongAnswer)
    with pytest.raises(WrongAnswer, match=r"choice\.1 is missing"):
        check_values(FIELDS, {}, what="gate g-81", wrong=WrongAnswer)


DAY = [Field(name="pay_on", type="date", label="Pay on", remember=True, required=True, check="not_past").to_json()]
TODAY = date(2026, 11, 30)


def test_a_day_that_lies_in_the_past_is_refused() -> None:
    assert check_values(DAY, {"pay_on": "2026-11-30"}, today=TODAY) == {"pay_on": {"$date": "2026-11-30"}}
    with pytest.raises(WrongParameter) as caught:
        check_values(DAY, {"pay_on": "2026-11-29"}, today=TODAY)
    assert str(caught.value) == ("Pay on (pay_on): 2026-11-29 lies in the past. Choose 2026-11-30 or a later day.")
    assert caught.value.exit_code == 2
    assert problems_with(DAY, {"pay_on": "2026-11-29"}, today=TODAY)["pay_on"].startswith(
        "2026-11-29 lies in the past."
    )
    with pytest.raises(WrongParameter, match="lies in the past"):
        check_values(DAY, {"pay_on": "1999-12-31"})
    with pytest.raises(Unrecordable, match="not_past"):
        Field(name="x", check="not_past")


def test_a_remembered_day_that_has_passed_is_forgotten() -> None:
    assert with_remembered(DAY, {}, {"pay_on": "2026-11-30"}, today=TODAY) == {"pay_on": "2026-11-30"}
    assert with_remembered(DAY, {}, {"pay_on": "2026-11-29"}, today=TODAY) == {}
    assert with_remembered(DAY, {"pay_on": "2026-12-01"}, {"pay_on": "2026-11-29"}, today=TODAY) == {
        "pay_on": "2026-12-01"
    }
    # What was never right is said to be wrong, not forgotten.
    assert with_remembered(DAY, {}, {"pay_on": "soon"}, today=TODAY) == {"pay_on": "soon"}


def test_items_of_a_list_are_held_against_its_choices() -> None:
    rows = [Field(name="hold", type="list[integer]", label="Hold", choices=["1", "3"]).to_json()]
    assert check_values(rows, {"hold": [3, "1"]}) == {"hold": [3, 1]}
    with pytest.raises(WrongAnswer) as caught:
        check_values(rows, {"hold": [99]}, what="gate g-1", wrong=WrongAnswer)
    assert str(caught.value) == "Hold (hold): There is no ‘99’. Choose among: 1, 3."


def test_a_field_that_another_one_asks_for() -> None:
    fields = [
        Field(name="choice", type="choice", choices=["pay", "hold"], default="hold").to_json(),
        Field(name="reason", required_when={"choice": ["pay"]}).to_json(),
    ]
    assert check_values(fields, {}) == {"choice": "hold", "reason": None}
    assert check_values(fields, {"choice": "pay", "reason": "known"}) == {"choice": "pay", "reason": "known"}
    assert problems_with(fields, {"choice": "pay", "reason": " "}) == {"reason": "This is needed."}
    with pytest.raises(WrongParameter, match="reason is missing"):
        check_values(fields, {"choice": "pay"})


def test_an_empty_text_replaces_a_default() -> None:
    field = Field(name="note", default="as usual").to_json()
    assert check_values([field], {"note": ""}) == {"note": ""}
    assert check_values([field], {"note": None}) == {"note": "as usual"}
    iban = Field(name="iban", check="iban").to_json()
    assert check_values([iban], {"iban": ""}) == {"iban": None}


def test_what_a_workspace_remembers() -> None:
    remembered = {"debtor_iban": IBAN, "limit": "1 EUR", "gone": "x"}
    filled = with_remembered(PAY, {"folder": "a"}, remembered)
    assert filled == {"folder": "a", "debtor_iban": IBAN}
    assert with_remembered(PAY, {"debtor_iban": "other"}, remembered) == {"debtor_iban": "other"}
    assert to_remember(PAY, check_values(PAY, filled)) == {"debtor_iban": "GB29NWBK60161331926819"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "team"
    (folder / "invoices/old").mkdir(parents=True)
    (folder / "invoices/a.xml").write_text("")
    (tmp_path / "outside").mkdir()
    (folder / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "alias").symlink_to(folder)
    return folder


def test_places_of_a_workspace(workspace: Path) -> None:
    assert folder_or_file("invoices/old/", workspace, kind="folder") == "invoices/old"
    assert folder_or_file("./invoices//a.xml", workspace, kind="file") == "invoices/a.xml"
    assert folder_or_file(".", workspace, kind="folder") == "."
    assert folder_or_file(str(workspace), workspace) == "."
    assert folder_or_file(f"{workspace}/invoices/a.xml", workspace) == "invoices/a.xml"
    assert folder_or_file(f"{workspace.parent}/alias/invoices", workspace) == "invoices"
    assert folder_or_file(f"{workspace}/invoices", workspace.parent / "alias") == "invoices"


@pytest.mark.parametrize(
    "value,kind,expected",
    [
        ("../outside", "", "‘../outside’ leads out with ‘..’."),
        ("invoices/../invoices", "", "leads out with ‘..’."),
        ("gone", "", "‘gone’ cannot be used: it is not there."),
        ("invoices/a.xml/b", "", "cannot be used: it is not there."),
        ("link", "folder", "‘link’ leads through a link."),
        ("link/x", "", "‘link/x’ leads through a link."),
        ("/", "", "‘/’ lies outside the workspace."),
        ("invoices/a.xml", "folder", "‘invoices/a.xml’ is a file."),
        ("invoices", "file", "‘invoices’ is a folder."),
    ],
)
def test_places_that_cannot_be_used(workspace: Path, value: str, kind: str, expected: str) -> None:
    with pytest.raises(Misfit) as caught:
        folder_or_file(value, workspace, kind=kind)
    assert expected in str(caught.value)
    assert caught.value.advice


def test_an_absolute_path_is_kept_in_its_relative_form(workspace: Path) -> None:
    values = {"folder": f"{workspace}/invoices", "debtor_iban": IBAN}
    assert check_values(PAY, values, workspace=workspace)["folder"] == "invoices"
    with pytest.raises(WrongParameter, match="folder: ‘gone’ cannot be used: it is not there"):
        check_values(PAY, values | {"folder": "gone"}, workspace=workspace)
    several = [Field(name="files", type="list[file]").to_json()]
    assert check_values(several, {"files": ["invoices/a.xml"]}, workspace=workspace) == {"files": ["invoices/a.xml"]}


line = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1).filter(str.strip)
whole = st.integers(-(10**18) + 1, 10**18 - 1)
decimal = st.decimals(-(10**12), 10**12, places=2)
money = st.builds(Money, decimal, st.sampled_from(["EUR", "SEK", "JPY"]))
instant = st.datetimes(
    timezones=st.sampled_from([UTC, timezone(timedelta(hours=1)), timezone(timedelta(hours=-9, minutes=-30))])
)
everything = st.builds(
    Everything,
    json=line,
    copy=whole,
    schema=st.booleans(),
    model_fields=decimal,
    dict=st.dates(),
    validate=instant,
    construct=money,
    parse_obj=line.map(Folder),
    fields=line.map(File),
    choice=st.sampled_from(["a", "b c"]),
    texts=st.lists(line, min_size=1),
    amounts=st.lists(money, min_size=1),
    days=st.lists(st.dates(), min_size=1),
    note=st.none() | line,
)


@given(everything)
def test_checked_values_are_what_the_author_gets(params: Everything) -> None:
    """From the author's values to plain JSON, checked, decoded: nothing changes, and checking again changes nothing."""
    fields = schema_of(Everything)
    plain = {field["name"]: to_plain(getattr(params, field["name"]), {}) for field in fields}
    checked = check_values(fields, plain)
    assert canonical(checked) == encode_params(params)
    assert decode_params(Everything, canonical(checked)) == params
    assert check_values(fields, checked) == checked


@given(money, instant, decimal)
def test_typed_texts_are_read_as_they_were_meant(amount: Money, at: datetime, number: Decimal) -> None:
    fields = [Field(name=kind, type=kind).to_json() for kind in ("money", "instant", "decimal")]
    given = [("money", str(amount)), ("instant", at.isoformat()), ("decimal", f"{number:f}")]
    assert parse_texts(fields, given, what="it") == {
        "money": to_plain(amount, {}),
        "instant": {"$at": at.isoformat()},
        "decimal": {"$dec": f"{number:f}"},
    }


@given(st.text(max_size=40))
def test_no_text_breaks_a_reader(text: str) -> None:
    for field in schema_of(Everything):
        assert all(problems_with([field], {field["name"]: text}).values())


def test_every_single_mistyped_digit_of_an_iban_is_seen() -> None:
    good = "GB29NWBK60161331926819"
    for place in range(2, len(good)):
        for char in "0123456789" if good[place].isdigit() else "ABCXYZ":
            if char != good[place]:
                mistyped = good[:place] + char + good[place + 1 :]
                assert "debtor_iban" in problems_with(PAY, {"folder": "a", "debtor_iban": mistyped})


def test_decoding_refuses_what_the_class_does_not_have() -> None:
    with pytest.raises(Unrecordable, match="the parameters hold 'gone', which Pay does not have"):
        decode_params(Pay, '{"gone":1}')


def test_checks_are_for_texts() -> None:
    with pytest.raises(Unrecordable, match="has the check 'iban'"):
        Field(name="x", type="integer", check="iban")
    with pytest.raises(Unrecordable, match="has the check 'bic'"):
        Field(name="x", check="bic")
