"""How values become recorded text and back (engine.md 22): the same value again, one text for one value, and no guessing."""

import contextlib
import dataclasses
import hashlib
import json
import math
import os
import re
import typing
from collections import OrderedDict, namedtuple
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from pathlib import Path, PurePosixPath
from typing import Annotated, Any, Literal, NewType, TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from authoring.shapes import ANNOTATED, Colour, Derived, Line, Mood, Page
from counterfoil import Money, Unrecordable
from counterfoil.authoring.codec import (
    BlobsMissing,
    blob_shas,
    canonical,
    check_plain,
    decode,
    decoder_for,
    digest,
    encode,
    to_plain,
)
from counterfoil.authoring.decoding import read_json
from counterfoil.authoring.encoding import json_writer
from counterfoil.facts import INLINE_LIMIT

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=10,
)
SURROGATES = st.text(st.characters(codec=None, min_codepoint=0xD700, max_codepoint=0xE100), max_size=8)


@given(ANNOTATED)
def test_a_value_comes_back_as_what_its_annotation_says(pair: tuple[Any, Any]) -> None:
    annotation, value = pair
    text = encode(value)
    again = decode(text, annotation)
    assert again == value
    assert type(again) is type(value)
    assert encode(again) == text


@given(ANNOTATED)
def test_an_encoded_value_holds_only_tags_of_ours(pair: tuple[Any, Any]) -> None:
    plain = json.loads(encode(pair[1]))
    check_plain(plain)
    assert canonical(plain) == encode(pair[1])


@given(PLAIN)
def test_a_plain_value_needs_no_annotation(value: Any) -> None:
    assert decode(encode(value)) == value


@given(st.dictionaries(st.text(max_size=6), st.integers(), max_size=6), st.randoms())
def test_one_value_has_one_text_whatever_its_order(value: dict[str, int], chance: Any) -> None:
    keys = list(value)
    chance.shuffle(keys)
    assert encode({key: value[key] for key in keys}) == encode(value)
    numbers = list(enumerate(keys))
    chance.shuffle(numbers)
    assert encode(dict(numbers)) == encode(dict(sorted(numbers)))
    assert encode(set(keys)) == encode(set(value))


@given(PLAIN)
def test_what_is_set_up_once_writes_what_json_writes(value: Any) -> None:
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert json_writer(sort_keys=True)(value) == plain
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(json.encoder, "c_make_encoder", None)  # as in a Python without it
        assert json_writer(sort_keys=True)(value) == plain


@given(PLAIN, st.sampled_from(["", " ", "\n", "\t "]))
def test_what_is_read_without_looking_for_blanks_is_what_json_reads(value: Any, blanks: str) -> None:
    text = f"{blanks}{json.dumps(value)}{blanks}"
    assert read_json(text) == json.loads(text)
    for broken in (text[:-1] if text.endswith(("]", "}", '"')) else f"{text} x", f"{text},", blanks):
        with pytest.raises(json.JSONDecodeError):
            read_json(broken)


@given(PLAIN)
def test_a_canonical_text_is_read_and_written_the_same(value: Any) -> None:
    text = canonical(value)
    assert canonical(json.loads(text)) == text
    assert digest(text) == hashlib.sha256(text.encode()).hexdigest()


@given(SURROGATES)
def test_text_that_utf8_cannot_hold_is_escaped_and_stable(text: str) -> None:
    """A file's name may hold bytes that are no text; a record of it must go into a database and over a wire."""
    written = canonical({"name": text})
    written.encode("utf-8")
    assert canonical(json.loads(written)) == written
    halves = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
    assert json.loads(written)["name"] == halves


@given(st.binary(max_size=30))
def test_a_name_as_the_file_system_gives_it_survives(raw: bytes) -> None:
    name = os.fsdecode(raw)
    assert os.fsencode(decode(encode(name), str)) == raw


@pytest.mark.parametrize("size", [0, 1, INLINE_LIMIT - 1, INLINE_LIMIT, INLINE_LIMIT + 1, 5 * 1024 * 1024])
def test_bytes_over_64_kib_are_named_and_kept_outside(size: int) -> None:
    data = b"x" * size
    blobs: dict[str, bytes] = {}
    text = encode([data, {"again": data}], blobs)
    if size <= INLINE_LIMIT:
        assert blobs == {}
        assert decode(text, Any) == [data, {"again": data}]
        return
    sha = hashlib.sha256(data).hexdigest()
    assert blobs == {sha: data}
    assert blob_shas(json.loads(text)) == [sha, sha]
    assert decode(text, list[Any], blobs) == [data, {"again": data}]
    with pytest.raises(BlobsMissing) as missing:
        decode(text, list[Any])
    assert missing.value.shas == [sha, sha]


# -------------------------------------------------------------------------------------------------------------- refusals

Pair = namedtuple("Pair", "a b")  # noqa: PYI024 - the older way is met in other people's code


class Row(TypedDict):
    """A dict with a shape, which a record would not keep."""

    a: int


class Own:
    """What no record can hold."""


@pytest.mark.parametrize(
    "value, words",
    [
        (math.nan, "NaN"),
        (math.inf, "infinity"),
        (-math.inf, "infinity"),
        (datetime(2026, 1, 1), "zone"),  # noqa: DTZ001 - that is the test
        (Own(), "Own cannot be recorded"),
        (object(), "object cannot be recorded"),
        ({"deep": [{"deeper": Own()}]}, "Own cannot be recorded"),
        (lambda: 1, "cannot be recorded"),
        (3 + 4j, "complex cannot be recorded"),
        (range(3), "range cannot be recorded"),
        ({1: Own()}, "Own cannot be recorded"),
        (Line, "cannot be recorded"),
    ],
    ids=lambda value: re.sub(" at 0x[0-9a-f]+", "", str(value)),  # the same in every process
)
def test_what_no_record_can_hold_is_refused_with_advice(value: Any, words: str) -> None:
    with pytest.raises(Unrecordable, match=words):
        encode(value)


@pytest.mark.parametrize(
    "annotation",
    [
        Own,
        complex,
        Pair,
        type[int],
        Callable[[], int],
        typing.TypeVar("T"),
        list[Own],
        dict[str, Own],
        Own | None,
        tuple[int, Own],
        Row,
    ],
    ids=str,
)
def test_an_annotation_without_a_recorded_form_is_an_error_at_once(annotation: Any) -> None:
    with pytest.raises(Unrecordable):
        decoder_for(annotation)


@pytest.mark.parametrize(
    "text, annotation",
    [
        ("5", str),
        ('"5"', int),
        ("true", int),
        ("1", bool),
        ("5", Decimal),
        ('"5"', Decimal),
        ('{"$dec":"five"}', Decimal),
        ('{"$date":"5"}', date),
        ('{"$at":"2026-01-01T00:00:00+00:00"}', date),
        ('"2026-01-01"', date),
        ("{}", list[int]),
        ('"abc"', list[str]),
        ('{"a":1}', list[str]),
        ("[1]", dict[str, int]),
        ('{"$type":"Line"}', dict[str, Any]),
        ("[1,2,3]", tuple[int, int]),
        ("[1]", tuple[int, int]),
        ("[1.5]", list[int]),
        ('["a"]', set[int]),
        ('{"$type":"Other","name":"a"}', Line),
        ('{"name":"a"}', Line),
        ('{"$type":"Line","name":"a"}', Line),
        ('{"$type":"Line","name":5,"amount":{"$dec":"1"}}', Line),
        ("null", Line),
        ("null", int),
        ("5", None),
        ('"green"', Colour),
        ("1", Mood),
        ('"c"', Literal["a", "b"]),
        ('{"$type":"Line","name":"a","amount":{"$dec":"1"}}', Any),
        ('{"$type":"Other"}', Line | Page),
        ('"x"', int | Decimal),
        ('{"$bytes":"*"}', bytes),
        ('"abc"', bytes),
        ("[[1]]", set[Any]),
    ],
)
def test_a_record_that_does_not_fit_is_never_bent_to_fit(text: str, annotation: Any) -> None:
    with pytest.raises(Unrecordable):
        decode(text, annotation)


@given(PLAIN, ANNOTATED)
def test_whatever_the_record_holds_it_fits_or_is_refused(value: Any, pair: tuple[Any, Any]) -> None:
    with contextlib.suppress(Unrecordable, BlobsMissing):
        found = decode(canonical(value), pair[0])
        assert decode(encode(found), pair[0]) == found


# ------------------------------------------------------------------------------------------------------------ odd corners


@pytest.mark.parametrize(
    "annotation, value",
    [
        (int | float, 5),
        (float | int, 5),
        (float, 5.0),
        (list[int] | dict[str, int], {"a": 1}),
        (list[str] | dict[str, int], {"a": 1}),
        (str | list[str], ["a"]),
        (str | list[str], "abc"),
        (date | datetime, datetime(2026, 1, 1, tzinfo=UTC)),
        (datetime | date, date(2026, 1, 1)),
        (bytes | str, "abc"),
        (bytes | str, b"abc"),
        (Line | Page | None, None),
        (Line | Page | None, Line("a", Decimal(1))),
        (Annotated[int, "words"], 5),
        (NewType("Id", str), "x"),
        (list[Annotated[Decimal, 2]], [Decimal(1)]),
        (Iterable[int], [1, 2]),
        (tuple[()], ()),
        (dict[Mood, int], {Mood.GOOD: 1}),
        (dict[str, int], {"$dec": 1}),
        (dict[str, dict[str, int]], {"$type": {"$map": 1}}),
        (dict[tuple[int, int], str], {(1, 2): "a"}),
        (Literal[Colour.RED, "x"], Colour.RED),
        (Derived, Derived(4)),
        (Any, {"a": [Decimal("1.50"), date(2026, 1, 1), Money(Decimal(1), "EUR"), b"x", timedelta(1)]}),
        (dict[str, Any], {"a": 2, "$x": None}),
        (dict[int | str, Any], {1: 2, "$x": None}),
    ],
    ids=str,
)
def test_unions_keys_and_the_rest(annotation: Any, value: Any) -> None:
    again = decode(encode(value), annotation)
    assert again == value
    assert type(again) is type(value)


def test_subclasses_are_recorded_as_what_they_stand_for() -> None:
    class Loud(str):
        __slots__ = ()

        def __str__(self) -> str:
            return self.upper()

    assert encode(Loud("quiet")) == '"quiet"'
    assert encode({Loud("key"): 1}) == '{"$map":[["key",1]]}'
    assert encode(OrderedDict(b=1, a=2)) == '{"a":2,"b":1}'
    assert encode(Pair(1, 2)) == "[1,2]"
    assert encode(Path("a/b")) == '{"$path":"a/b"}'
    assert decode(encode(Path("a/b"))) == PurePosixPath("a/b")
    assert encode(bytearray(b"abc")) == encode(b"abc")


def test_a_dataclass_that_refers_to_itself() -> None:
    tree = Node("root", [Node("leaf", [])])
    assert decode(encode(tree), Node) == tree


@dataclasses.dataclass(frozen=True)
class Node:
    """A tree."""

    name: str
    below: "list[Node]"


def test_an_annotation_that_names_nothing_is_an_error_of_the_one_who_wrote_it() -> None:
    @dataclasses.dataclass
    class Broken:
        part: "Nowhere"  # type: ignore[name-defined]  # noqa: F821 - that is the test

    with pytest.raises(NameError):
        decode('{"$type":"Broken","part":1}', Broken)


@given(PLAIN)
def test_no_plain_value_breaks_the_check_of_tags(value: Any) -> None:
    try:
        check_plain(value)
    except Unrecordable:
        assert "$" in canonical(value)
    else:
        to_plain(decode(canonical(value)), {}) if '"$type"' not in canonical(value) else None
