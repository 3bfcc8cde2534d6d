"""`run`: commit a ready run of a template with checked parameters, and with --wait follow it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import typer

from counterfoil.catalogue.finding import find_template
from counterfoil.catalogue.manifest import read_manifest
from counterfoil.catalogue.parameters import check_values, parse_texts, to_remember, with_remembered
from counterfoil.cli.call import Call
from counterfoil.cli.consenting import Protection, Unprotected, with_consent
from counterfoil.cli.gate_sheet import gate_line
from counterfoil.cli.logs import keep_logs
from counterfoil.cli.opening import Opened, opened, tell_runner, workspace_of
from counterfoil.cli.options import Comment, Context, Set, Workspace, call_of, pairs_of
from counterfoil.cli.run_sheet import result_lines
from counterfoil.cli.watching import exit_code, follow
from counterfoil.cli.words import run_state
from counterfoil.errors import CounterfoilError, WrongUse
from counterfoil.inbox.accounts import account
from counterfoil.inbox.finding import find_run
from counterfoil.policy.boundaries import trouble_with
from counterfoil.policy.protection import NOTHING, Consent
from counterfoil.routing.estimating import each_of
from counterfoil.runner.starting import start_run
from counterfoil.sandbox.probing import measured
from counterfoil.settings.workspace import leave_out, remember, remembered
from counterfoil.stage.probing import first_look
from counterfoil.store import runs
from counterfoil.store.llm_money import words
from counterfoil.store.transactions import Row
from counterfoil.views.llms import estimate_of
from counterfoil.views.runs import run_document

Schema = list[dict[str, Any]]
Input = Annotated[
    Path | None,
    typer.Option(
        "--input", metavar="FILE", help="Parameters as a JSON object; --set overrides it.", show_default=False
    ),
]
Wait = Annotated[bool, typer.Option("--wait", help="Wait until it has ended or a gate holds it.")]
_LONGEST_INPUT = 16 * 1024 * 1024  # bytes


def run(
    context: Context,
    template: Annotated[
        str, typer.Argument(metavar="TEMPLATE", help="Its name, or a path with a slash in it.", show_default=False)
    ],
    workspace: Workspace = None,
    settings: Set = None,
    source: Input = None,
    left_out: Annotated[
        list[str] | None,
        typer.Option(
            "--leave-out",
            metavar="PATH",
            help="Leave this part of the folder out of the copies that runs work on; it is remembered.",
            show_default=False,
        ),
    ] = None,
    again: Annotated[
        str | None,
        typer.Option(
            "--again",
            metavar="RUN",
            help="Do this run again: in its folder, with its parameters unless --input gives others.",
            show_default=False,
        ),
    ] = None,
    comment: Comment = "",
    wait: Wait = False,
    protection: Protection = "",
    unprotected: Unprotected = "",
) -> int:
    """Start a run of a template; the runner advances it, or --wait does."""
    call = call_of(context)
    place = workspace_of(workspace) if again is None or workspace is not None else _place_of(call, again)
    folder = find_template(template, place, call.home)
    if comment and again is None:
        raise WrongUse("--comment says why a run is done again.", "Write --again RUN with it.")
    leave_out(place, [_beneath(path) for path in left_out or []])
    with opened(call) as home:
        keep_logs(call.home)
        agreed = Consent(protection, unprotected)
        before = None if again is None else _of_template(home, again, read_manifest(folder).name)
        given = input_of(source) if source is not None or before is None else json.loads(before["parameters"])
        wanted = runs.FRESH if before is None else runs.Again(before["run_id"], comment.strip())
        row = start(call, home, folder, place, given, pairs_of(settings), agreed, wanted)
        return started(call, home, row, wait=wait)


def started(call: Call, home: Opened, row: Row, *, wait: bool) -> int:
    """Print a run that is there now, followed to where it is held if that is wanted; the exit code."""
    if wait:
        row = follow(call, home, row["run_id"])
    with home.database.snapshot() as conn:
        document = run_document(conn, home.blobs, row)
    tell_state(call, document)
    if not wait:
        tell_runner(call, home, f"run r-{row['number']} is kept and starts with it")
    call.document(document)
    return exit_code(row) if wait else 0


def _place_of(call: Call, again: str) -> Path:
    """The workspace of the run that is done again."""
    with opened(call) as home:
        return workspace_of(Path(find_run(home.database.reader, again)["workspace"]))


def _of_template(home: Opened, again: str, name: str) -> Row:
    """The run that is done again.

    Raises:
        WrongUse: it is one of another template.
    """
    row = find_run(home.database.reader, again)
    if row["template"] != name:
        raise WrongUse(
            f"Run r-{row['number']} is one of template ‘{row['template']}’, not of ‘{name}’.",
            f"Write: counterfoil run {row['template']} --again r-{row['number']}",
        )
    return row


def start(
    call: Call,
    home: Opened,
    folder: Path,
    place: Path,
    given: dict[str, Any],
    texts: list[tuple[str, str]],
    agreed: Consent = NOTHING,
    again: runs.Again = runs.FRESH,
) -> Row:
    """Commit a ready run and let the workspace remember what is to be remembered; its row."""
    name = read_manifest(folder).name
    for note in first_look(place, call.home):
        call.say(f"{note.what} {note.now}")
    kept: dict[str, Any] = {}

    def begin(consent: Consent) -> Row:
        return start_run(
            home.database,
            call.home,
            template=folder,
            workspace=place,
            parameters=checked_parameters(name, place, given, texts, kept),
            started_by=account(),
            consent=consent,
            again=again,
        )

    found = measured(call.home)
    if call.can_ask or not found.is_isolated:  # a script that is as protected as can be needs no word
        call.say(f"protection here: {found.sentence} ({found.code})")
    _tell_cost(call, home, folder, name, place)
    row = with_consent(call, place, agreed, begin)
    try:
        if kept:
            remember(place, name, kept)
    except CounterfoilError as problem:
        call.say(f"the parameters could not be remembered for next time: {problem}")
    return row


def _tell_cost(call: Call, home: Opened, folder: Path, name: str, place: Path) -> None:
    """What such a run may come to, where others of it have asked llms; else what each document may, where the template says enough."""
    found = estimate_of(home.database.reader, name, str(place))
    if found is not None and Decimal(found["high"]["amount"]):
        low, high = (words(Decimal(found[edge]["amount"])) for edge in ("low", "high"))
        of = "the last such run did" if found["runs"] == 1 else f"the last {found['runs']} such runs did"
        call.say(f"it may spend {low if low == high else f'{low} to {high}'} on llms, as {of}")
    use = read_manifest(folder).llm_use
    each = each_of(home.database.reader, name, use, str(place)) if use is not None else None
    if each is not None:
        call.say(f"llms: {each.words}, {each.source}")


def checked_parameters(
    name: str,
    place: Path,
    given: dict[str, Any],
    texts: list[tuple[str, str]],
    kept: dict[str, Any],
    today: date | None = None,
) -> Callable[[Schema], dict[str, Any]]:
    """What turns a schema into checked values; fills `kept` with those the workspace remembers. `today` is the day in this computer's
    zone unless another is meant."""

    def checked(schema: Schema) -> dict[str, Any]:
        what = f"template ‘{name}’"
        chosen = {**given, **parse_texts(schema, texts, what=what)}
        known = with_remembered(schema, chosen, remembered(place, name), today=today)
        values = check_values(schema, known, workspace=place, what=what, today=today)
        kept.update(to_remember(schema, values))
        return values

    return checked


def _beneath(path: str) -> str:
    """A path of the workspace, as --leave-out names it."""
    plain = path.strip("/")
    trouble = trouble_with(plain)
    if trouble is not None:
        raise WrongUse(
            f"--leave-out {path}: {trouble}", "Name a file or folder of the workspace, such as archive/2024."
        )
    return plain


def input_of(source: Path | None) -> dict[str, Any]:
    """The parameters of an --input file; none without one.

    Raises:
        WrongUse: it cannot be read, or holds no JSON object.
    """
    if source is None:
        return {}
    try:
        with source.open("rb") as file:
            found = json.loads(file.read(_LONGEST_INPUT))
    except OSError as problem:
        raise WrongUse(
            f"--input {source} cannot be read: {problem.strerror}.", "Name a file that is there."
        ) from problem
    except (ValueError, RecursionError) as problem:
        raise WrongUse(f"--input {source} holds no JSON: {problem}.", "Mend the file.") from problem
    if not isinstance(found, dict):
        raise WrongUse(f"--input {source} holds no JSON object.", 'Write {"name": value, …}.')
    return found


def tell_state(call: Call, run: dict[str, Any]) -> None:
    """Where a run stands, for people."""
    call.line(f"r-{run['number']}  {run['title']}: {run_state(run)}")
    if run["result"] is not None:
        call.lines(result_lines(run["result"]))
    if run["error"]:
        call.say(f"{run['error']['message']} {run['error']['next']}")
    for gate in run["gates"]:
        call.line(f"  {gate_line(gate)}")
        call.line(f"    counterfoil show g-{gate['number']}")
