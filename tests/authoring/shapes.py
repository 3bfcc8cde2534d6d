"""Annotated types with strategies for their values, for property tests of the codec."""

import dataclasses
import enum
import types
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any, Literal

from hypothesis import strategies as st

from counterfoil import File, Folder, Money, Secret


class Colour(enum.Enum):
    """An enum of texts."""

    RED = "red"
    BLUE = "blue"


class Mood(str, enum.Enum):  # noqa: UP042 - the older way is met in other people's code
    """An enum that is a text, and whose `str()` is not its value."""

    GOOD = "good"
    BAD = "bad"


class Rank(enum.IntEnum):
    """An enum of numbers."""

    FIRST = 1
    SECOND = 2


@dataclasses.dataclass(frozen=True)
class Line:
    """A plain one."""

    name: str
    amount: Decimal
    on: date | None = None


@dataclasses.dataclass(frozen=True)
class Page:
    """One in one."""

    lines: list[Line]
    total: Money
    notes: dict[str, str] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, order=True)
class Derived:
    """One whose last field is worked out."""

    n: int
    double: int = dataclasses.field(init=False, default=0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "double", 2 * self.n)


TEXT = st.text(max_size=20)
ZONES = st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45)), timezone(timedelta(hours=-3))])
DECIMALS = st.decimals(allow_nan=False, allow_infinity=False, places=4)
MONEY = st.builds(Money, DECIMALS, st.sampled_from(["EUR", "CHF"]))
LINES = st.builds(Line, TEXT, DECIMALS, st.none() | st.dates())
PAGES = st.builds(Page, st.lists(LINES, max_size=3), MONEY, st.dictionaries(TEXT, TEXT, max_size=3))
PATHS = st.lists(
    st.text(st.characters(exclude_characters="/\0", codec="utf-8"), min_size=1, max_size=5), min_size=1, max_size=3
)

SCALARS: list[tuple[Any, st.SearchStrategy[Any]]] = [
    (str, TEXT),
    (int, st.integers()),
    (bool, st.booleans()),
    (float, st.floats(allow_nan=False, allow_infinity=False)),
    (type(None), st.none()),
    (Decimal, DECIMALS),
    (date, st.dates()),
    (datetime, st.datetimes(timezones=ZONES)),
    (timedelta, st.timedeltas()),
    (bytes, st.binary(max_size=50)),
    (Money, MONEY),
    (Secret, st.builds(Secret, TEXT)),
    (Colour, st.sampled_from(Colour)),
    (Mood, st.sampled_from(Mood)),
    (Rank, st.sampled_from(Rank)),
    (Folder, st.builds(Folder, TEXT)),
    (File, st.builds(File, TEXT)),
    (PurePosixPath, PATHS.map(lambda parts: PurePosixPath(*parts))),
    (Line, LINES),
    (Page, PAGES),
    (Derived, st.builds(Derived, st.integers())),
    (Literal["a", "b", 3], st.sampled_from(["a", "b", 3])),
]
HASHABLE = [pair for pair in SCALARS if pair[0] is not Page]


def _wrapped(pair: tuple[Any, st.SearchStrategy[Any]]) -> st.SearchStrategy[tuple[Any, Any]]:
    """This type, or one made of it: (annotation, value)."""
    kind, values = pair
    several = st.lists(values, max_size=3)
    options: list[st.SearchStrategy[tuple[Any, Any]]] = [
        values.map(lambda value: (kind, value)),
        several.map(lambda value: (of(list, kind), value)),
        several.map(lambda value: (of(tuple, kind, ...), tuple(value))),
        several.map(lambda value: (of(Sequence, kind), value)),
        st.tuples(values, st.integers()).map(lambda value: (of(tuple, kind, int), value)),
        st.dictionaries(TEXT, values, max_size=3).map(lambda value: (of(dict, str, kind), value)),
        st.dictionaries(st.integers(), values, max_size=3).map(lambda value: (of(Mapping, int, kind), value)),
    ]
    if isinstance(kind, type) and kind is not type(None):
        options.append((st.none() | values).map(lambda value: (kind | None, value)))
    if pair in HASHABLE:
        sets = st.sets(values, max_size=3)
        options.append(sets.map(lambda value: (of(set, kind), value)))
        options.append(sets.map(lambda value: (of(frozenset, kind), frozenset(value))))
        options.append(
            st.dictionaries(values, st.integers(), max_size=3).map(lambda value: (of(dict, kind, int), value))
        )
    return st.one_of(options)


def of(origin: Any, *arguments: Any) -> Any:
    """`origin[arguments]`, for types that are only known when the test runs."""
    return types.GenericAlias(origin, arguments)


ANNOTATED = st.sampled_from(SCALARS).flatmap(_wrapped)
