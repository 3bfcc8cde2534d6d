"""Recorded values become the contract's JSON, whatever tag they carry."""

import hashlib
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import PurePosixPath
from typing import Any

import pytest

from counterfoil.authoring.codec import Secret, to_plain
from counterfoil.facts import Money
from counterfoil.views.plain import contract, recorded


@pytest.mark.parametrize(
    "value, written",
    [
        (Decimal("10.50"), "10.50"),
        (Money(Decimal("14201.22"), "EUR"), {"amount": "14201.22", "currency": "EUR"}),
        (date(2026, 11, 30), "2026-11-30"),
        (datetime(2026, 11, 30, 8, 55, 12, 204_900, UTC), "2026-11-30T08:55:12.204Z"),
        (datetime(2026, 11, 30, 9, 55, tzinfo=timezone(timedelta(hours=1))), "2026-11-30T08:55:00.000Z"),
        (timedelta(seconds=90), 90),
        (timedelta(milliseconds=1500), 1.5),
        (PurePosixPath("in/a.xml"), "in/a.xml"),
        (Secret("smtp"), {"secret": "smtp"}),
        (b"hello", {"sha256": hashlib.sha256(b"hello").hexdigest(), "bytes": 5}),
        ({1: "a", 2: "b"}, {"1": "a", "2": "b"}),
        ({date(2026, 1, 1): [Decimal(1)]}, {"2026-01-01": ["1"]}),
        ({(1, 2): "a"}, [[[1, 2], "a"]]),
        ([None, True, 1.5, "ä"], [None, True, 1.5, "ä"]),
    ],
)
def test_value(value: Any, written: Any) -> None:
    assert contract(to_plain(value, {})) == written


def test_long_bytes_are_named_not_held() -> None:
    blobs: dict[str, bytes] = {}
    plain = to_plain(b"x" * 70_000, blobs)
    assert contract(plain) == {"sha256": next(iter(blobs)), "bytes": 70_000}


def test_dataclass_loses_its_type_name() -> None:
    assert recorded('{"$type":"Receipt","total":{"$dec":"1.00"}}') == {"total": "1.00"}
    assert recorded(None) is None
