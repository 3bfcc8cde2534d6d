"""What an author writes with: effects as values, evidence, fields, parameters, steps and workflows outside of a run."""

import asyncio
import dataclasses
import hashlib
import inspect
from collections.abc import Callable
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import pytest

import counterfoil
from counterfoil import (
    Effect,
    Field,
    File,
    Folder,
    LookUp,
    Money,
    NotApproved,
    Params,
    RefusedUse,
    Unrecordable,
    append_rows,
    approve,
    ask,
    delete_files,
    fields,
    file,
    files,
    first,
    http,
    mail,
    make_folders,
    move_files,
    now,
    parallel,
    param,
    report,
    secret,
    sleep,
    step,
    table,
    text,
    this_run,
    uuid,
    workflow,
    write_file,
)
from counterfoil.authoring import machine
from counterfoil.authoring.codec import canonical
from counterfoil.authoring.effect_values import Seal, from_body
from counterfoil.authoring.parameters import annotation_of, decode_params, encode_params, schema_of
from counterfoil.authoring.workflows import find_workflow

# -------------------------------------------------------------------------------------------------------------- effects


def test_an_effect_is_a_value_with_a_kind_a_version_and_a_digest() -> None:
    effect = write_file("out/a.txt", "text")
    assert effect.body == {"kind": "write_file@1", "args": {"path": "out/a.txt", "data": {"$bytes": "dGV4dA=="}}}
    assert effect.digest == hashlib.sha256(canonical(effect.body).encode()).hexdigest()
    assert write_file("out/a.txt", b"text").digest == effect.digest
    assert write_file("out/b.txt", b"text").digest != effect.digest
    assert from_body(effect.body).digest == effect.digest


def test_bytes_over_64_kib_lie_beside_an_effect() -> None:
    data = b"x" * 70_000
    effect = write_file("a.bin", data)
    assert effect.blobs == {hashlib.sha256(data).hexdigest(): data}
    assert effect.args["data"]["size"] == 70_000


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../a", "a/../../b", "\\\\server\\share", "C:/x", "a\0b", "a/.."])
def test_a_path_that_leads_out_of_the_workspace_is_refused_where_it_is_written(path: str) -> None:
    makers: list[Callable[[], Effect]] = [
        lambda: write_file(path, b""),
        lambda: append_rows(path, [], columns=["a"]),
        lambda: move_files([("a", path)]),
        lambda: move_files([(path, "a")]),
        lambda: delete_files(["a", path]),
        lambda: make_folders([path]),
    ]
    for make in makers:
        with pytest.raises(RefusedUse, match="beneath the workspace"):
            print(make())


@pytest.mark.parametrize("path", [".", "./", "a/./../b", "//"])
def test_a_path_that_names_no_file_is_refused(path: str) -> None:
    with pytest.raises(RefusedUse):
        print(write_file(path, b""))


def test_paths_are_written_in_one_spelling() -> None:
    assert write_file("./a//b/./c.txt", b"").args["path"] == "a/b/c.txt"


def test_a_file_becomes_a_program_only_where_that_is_said() -> None:
    assert write_file("a", b"").args == {"path": "a", "data": {"$bytes": ""}}
    assert write_file("a", b"", executable=True).args["executable"] is True
    assert write_file("a", b"", executable=False).digest != write_file("a", b"").digest


def test_rows_are_cells_in_the_order_of_the_columns() -> None:
    effect = append_rows("a.csv", [{"b": Decimal("1.50"), "a": None}, {"a": date(2026, 1, 2)}], columns=["a", "b"])
    assert effect.args["rows"] == [["", "1.50"], ["2026-01-02", ""]]
    with pytest.raises(RefusedUse, match="'c' is not among the columns a, b"):
        print(append_rows("a.csv", [{"c": 1}], columns=["a", "b"]))


def test_mails_and_requests() -> None:
    sent = mail("a@example.org", "S", "B", attachments=[("x.pdf", b"x")], editable=["subject"])
    assert sent.args["to"] == ["a@example.org"]
    assert sent.editable == ("subject",)
    asked = http("get", "https://example.org", headers={"Authorization": secret("token")}, reconcile=LookUp("u{key}"))
    assert (asked.args["method"], asked.args["reconcile"]) == ("GET", "u{key}")
    assert asked.args["headers"] == {"Authorization": {"$secret": "token"}}


def test_an_effect_is_covered_or_left_out() -> None:
    effect = Effect("x@1", {})
    effect.leave_out("Anna left this out of the approval")
    with pytest.raises(NotApproved, match="Anna"):
        effect.refuse_if_left_out()
    assert effect.sealed(Seal("", 1, 2)).seal == Seal("", 1, 2)
    effect.refuse_if_left_out()


# ------------------------------------------------------------------------------------------------------ outside of a run


@pytest.mark.parametrize(
    "call",
    [
        lambda: approve("x"),
        lambda: ask("x", []),
        lambda: sleep(timedelta(1)),
        parallel,
        first,
        lambda: write_file("a", b""),
    ],
)
def test_verbs_need_a_run_and_say_how_to_get_one(call: Any) -> None:
    async def awaiting() -> None:
        await call()

    with pytest.raises(RefusedUse, match=r"counterfoil run.*Harness"):
        asyncio.run(awaiting())


@pytest.mark.parametrize("call", [now, uuid, this_run, counterfoil.random])
def test_what_is_derived_from_a_run_needs_one(call: Any) -> None:
    with pytest.raises(RefusedUse):
        call()


def test_files_in_a_unit_test(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(RefusedUse, match="with Files"):
        files()
    with counterfoil.Files(tmp_path).bound():
        assert files().read("a.txt") == b"a"
    report("nobody listens, and nothing happens")


def test_verbs_keep_their_names_and_signatures() -> None:
    assert approve.__name__ == "approve"
    assert list(inspect.signature(ask).parameters)[:2] == ["question", "form"]
    assert (sleep.__doc__ or "").startswith("Wait")


# ------------------------------------------------------------------------------------------------------------- evidence


def test_evidence_is_a_kind_with_a_version() -> None:
    blobs: dict[str, bytes] = {}
    made = table([{"a": 1, "b": Money(Decimal(2), "EUR")}], title="T", total={"b": 5}, flagged=[0], source="S")
    assert made.to_json(blobs) == {
        "kind": "table@1",
        "title": "T",
        "data": {
            "columns": ["a", "b"],
            "rows": [[1, {"$type": "Money", "amount": {"$dec": "2"}, "currency": "EUR"}]],
            "total": [None, 5],
            "flagged": [0],
        },
        "source": "S",
    }
    assert table([], title="T").to_json(blobs)["data"]["columns"] == []
    assert fields({"a": 1}, title="F").to_json(blobs)["data"] == [["a", 1]]
    assert text("words", title="W").to_json(blobs)["kind"] == "text@1"
    assert file("in/a.pdf", page=3, boxes=[(1, 2, 3, 4)]).to_json(blobs)["data"] == {
        "path": "in/a.pdf",
        "page": 3,
        "boxes": [[1, 2, 3, 4]],
    }


# ----------------------------------------------------------------------------------------------------- fields, parameters


def test_a_field_is_checked_where_it_is_written() -> None:
    with pytest.raises(Unrecordable, match="has the type 'number'"):
        Field(name="a", type="number")
    with pytest.raises(Unrecordable, match="has the check"):
        Field(name="a", type="integer", check="iban")
    assert Field(name="due_on").to_json()["label"] == "due on"


class Wide(Params):
    """One of each."""

    folder: Folder
    file: File | None
    name: str = param(label="Name", remember=True)
    count: int = 3
    ratio: Decimal = Decimal("0.5")
    on: date | None = None
    at: datetime | None = None
    money: Money = Money(Decimal(5), "EUR")
    mode: Literal["fast", "slow"] = "fast"
    colour: str = param(choices=["red", "blue"], default="red")
    rows: list[int] = param(default=[])
    really: bool = False


def test_parameters_are_a_form() -> None:
    found = {field["name"]: field for field in schema_of(Wide)}
    assert {name: field["type"] for name, field in found.items()} == {
        "folder": "folder", "file": "file", "name": "text", "count": "integer", "ratio": "decimal", "on": "date", "at": "instant",
        "money": "money", "mode": "choice", "colour": "choice", "rows": "list[integer]", "really": "boolean",
    }  # fmt: skip
    assert [name for name, field in found.items() if field["required"]] == ["folder", "name"]
    assert found["mode"]["choices"] == ["fast", "slow"]
    assert found["money"]["default"] == {"$type": "Money", "amount": {"$dec": "5"}, "currency": "EUR"}
    assert (found["name"]["label"], found["name"]["remember"]) == ("Name", True)


def test_parameters_survive_their_record() -> None:
    given = Wide(folder=Folder("in"), file=None, name="x", rows=[1, 2], on=date(2026, 1, 1))
    again = decode_params(Wide, encode_params(given))
    assert again == given
    assert type(again.folder) is Folder
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.name = "y"  # type: ignore[misc]  # that is the test


def test_parameters_that_do_not_fit_are_refused() -> None:
    with pytest.raises(Unrecordable, match="'colour_'"):
        decode_params(Wide, '{"folder":"in","file":null,"name":"x","colour_":"red"}')
    with pytest.raises(Unrecordable, match="annotation says int"):
        decode_params(Wide, '{"folder":"in","file":null,"name":"x","count":"3"}')

    class Odd(Params):
        value: dict[str, int]

    with pytest.raises(Unrecordable, match="parameter 'value'"):
        schema_of(Odd)


def test_a_default_list_is_not_shared() -> None:
    one, two = (Wide(folder=Folder("in"), file=None, name="x") for _ in range(2))
    one.rows.append(5)
    assert two.rows == []


def test_every_field_type_has_an_annotation() -> None:
    for kind in ("text", "integer", "choice", "money", "list[date]", "folder"):
        assert annotation_of(kind) is not None


# ------------------------------------------------------------------------------------------------------------ workflows


def test_a_workflow_is_an_async_function_of_one_params() -> None:
    @workflow("good")
    async def good(p: Wide) -> int:
        return 1

    assert good.params is Wide
    assert asyncio.run(_awaited(good(Wide(folder=Folder("in"), file=None, name="x")))) == 1
    with pytest.raises(RefusedUse, match="must be an async function"):
        workflow("bad")(lambda p: 1)  # type: ignore[arg-type,return-value]  # that is the test

    @workflow("bare")
    async def bare(p) -> int:  # type: ignore[no-untyped-def]  # that is the test
        return 1

    with pytest.raises(RefusedUse, match="annotated with a subclass of Params"):
        assert bare.params
    assert find_workflow({"a": good, "b": good, "c": 5}, "good") is good
    with pytest.raises(RefusedUse, match="exactly one"):
        find_workflow({"a": good, "b": bare}, "good")
    with pytest.raises(RefusedUse, match="exactly one"):
        find_workflow({}, "good")
    with pytest.raises(RefusedUse, match="make them equal"):
        find_workflow({"a": good}, "other")


async def _awaited(call: Any) -> Any:
    return await call


def test_a_step_is_known_by_its_function() -> None:
    @step(retries=3, title="Read it", timeout=timedelta(seconds=5))
    def read_it(n: int, *rest: int, scale: int = 2, **more: int) -> int:
        """What it does."""
        return n * scale + sum(rest) + sum(more.values())

    assert (read_it.name, read_it.title, read_it.retries, read_it.__doc__) == ("read_it", "Read it", 3, "What it does.")
    assert asyncio.run(_awaited(read_it(1, 5, scale=3, x=7))) == 15
    assert repr(read_it) == "<step read_it>"


def test_a_branch_that_has_lost_its_race_begins_nothing() -> None:
    branch = machine.Branch(_Nobody(), "", 0, lost=True)
    token = machine.enter(branch)
    try:
        with pytest.raises(counterfoil.Cancelled, match="lost its race"):
            machine.require("approve()")
    finally:
        machine.enter(None)
        assert token is not None


class _Nobody:
    """A machine that is never reached."""

    def __getattr__(self, name: str) -> Any:
        raise AssertionError(name)


def test_money_is_added_within_one_currency() -> None:
    assert Money(Decimal("1.50"), "EUR") + Money(Decimal(2), "EUR") == Money(Decimal("3.50"), "EUR")
    with pytest.raises(ValueError, match="cannot be added"):
        print(Money(Decimal(1), "EUR") + Money(Decimal(1), "CHF"))
