"""Questions of servers as the fields of a gate, and answers as a server wants them."""

from decimal import Decimal
from typing import Any

import pytest

from counterfoil.connectors.asking import answers_to, defaults_of, fields_of, key_of, quoted, texts_of

PAGE = {"mode": "url", "message": "Pay there", "url": "https://pay.example/1\u202e", "elicitationId": "1"}


def form(**properties: Any) -> dict[str, Any]:
    """A question with a form."""
    return {"mode": "form", "message": "Well?", "requestedSchema": {"type": "object", "properties": properties}}


def test_a_page_is_quoted_and_confirmed() -> None:
    (field,) = fields_of({"q": PAGE})
    assert (field["name"], field["type"], field["label"]) == (
        "done",
        "boolean",
        "I have opened the page and am done there",
    )
    (evidence,) = quoted("Shop", {"q": PAGE})
    assert (evidence["title"], evidence["source"]) == ("Shop asks", "Shop")
    assert evidence["data"] == "Pay there\n\nhttps://pay.example/1\\u202e"  # signs that turn text are spelled out
    assert answers_to({"q": PAGE}, {"done": True}, declined=False) == {"q": {"action": "accept"}}
    assert answers_to({"q": PAGE}, {"done": False}, declined=False) == {"q": {"action": "cancel"}}
    assert answers_to({"q": PAGE}, {}, declined=True) == {"q": {"action": "decline"}}


@pytest.mark.parametrize(
    "asked, kind, choices, default, given, sent",
    [
        ({"type": "string"}, "text", None, None, "x", "x"),
        ({"type": "string", "default": 3}, "text", None, None, "x", "x"),
        ({"type": "string", "format": "date"}, "date", None, None, {"$date": "2026-11-30"}, "2026-11-30"),
        ({"type": "integer", "default": 2}, "integer", None, 2, 5, 5),
        ({"type": "number", "default": 1.5}, "decimal", None, Decimal("1.5"), {"$dec": "2.50"}, 2.5),
        ({"type": "number"}, "decimal", None, None, {"$dec": "2"}, 2),
        ({"type": "boolean", "default": "yes"}, "boolean", None, None, True, True),
        ({"type": "string", "enum": ["a", "b", "a"]}, "choice", ["a", "b"], None, "a", "a"),
        ({"type": "string", "oneOf": [{"const": "a", "title": "A"}]}, "choice", ["a"], None, "a", "a"),
        ({"type": "array", "items": {"type": "string", "enum": ["a"]}}, "list[text]", ["a"], None, ["a"], ["a"]),
        ({"type": "nonsense"}, "text", None, None, "x", "x"),
    ],
)
def test_fields_of_every_kind(asked: Any, kind: str, choices: Any, default: Any, given: Any, sent: Any) -> None:
    question = form(one=asked)
    (field,) = fields_of({"q": question})
    plain = default if not isinstance(default, Decimal) else {"$dec": str(default)}
    assert (field["type"], field["choices"], field["default"]) == (kind, choices, plain)
    answer = answers_to({"q": question}, {"one": given}, declined=False)
    assert answer == {"q": {"action": "accept", "content": {"one": sent}}}


def test_several_questions_are_told_apart() -> None:
    both = {"first": form(name={"type": "string"}), "second": form(name={"type": "string"})}
    assert [field["name"] for field in fields_of(both)] == ["1. name", "2. name"]
    said = answers_to(both, {"1. name": "a", "2. name": "b"}, declined=False)
    assert [one["content"] for one in said.values()] == [{"name": "a"}, {"name": "b"}]
    assert key_of(both["first"]) == key_of(both["second"]) != key_of(PAGE)


@pytest.mark.parametrize("schema", [None, [], "x", {"properties": []}, {"properties": {"a": 1}}, {"required": 3}])
def test_a_form_that_is_none_has_no_fields(schema: Any) -> None:
    asked = {"message": None, "requestedSchema": schema}
    assert fields_of({"q": asked}) == []
    assert answers_to({"q": asked}, {}, declined=False) == {"q": {"action": "accept", "content": {}}}
    assert defaults_of(asked) == {"action": "accept", "content": {}}


@pytest.mark.parametrize(
    "messages", [None, [], [{"role": "user", "content": {"type": "image", "data": "x"}}], [{"role": "user"}]]
)
def test_only_texts_are_asked_of_an_llm(messages: Any) -> None:
    with pytest.raises(ValueError, match=r"it says nothing|something else than text"):
        texts_of({"messages": messages})
