"""Effects as values: nothing has happened until one is awaited, and what is approved is exactly the value.

An effect is a kind with a version (`write_file@1`) and plain arguments. Its digest is over the canonical text of both, so an
approval can name precisely what it covers. What to do when the outcome is unknown is not written here: that comes from the
runner's catalogue of effects.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from counterfoil.authoring import machine
from counterfoil.authoring.codec import Secret, canonical, digest, to_plain
from counterfoil.errors import NotApproved, RefusedUse


@dataclass(frozen=True, slots=True)
class Seal:
    """Where an approval of this effect stands: the gate's branch path and ordinal, and the item's number from 1."""

    path: str
    ordinal: int
    n: int


class Effect:
    """A step with a consequence outside the run: await it, or put it into the plan of `approve`."""

    __slots__ = ("_answer", "_left_out", "_seal", "args", "blobs", "editable", "kind", "needs")

    def __init__(
        self,
        kind: str,
        args: Mapping[str, Any],
        *,
        needs: Sequence[Effect] = (),
        editable: Sequence[str] = (),
    ) -> None:
        self.blobs: dict[str, bytes] = {}
        self.kind = kind
        self.args: dict[str, Any] = to_plain(dict(args), self.blobs)
        self.needs = tuple(needs)
        self.editable = tuple(editable)
        self._seal: Seal | None = None
        self._left_out: str | None = None
        self._answer: Any = None

    @property
    def body(self) -> dict[str, Any]:
        """Kind and arguments as plain JSON: what is shown, sealed and performed."""
        return {"kind": self.kind, "args": self.args}

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical body."""
        return digest(canonical(self.body))

    @property
    def seal(self) -> Seal | None:
        """The approval that covers this effect, once there is one."""
        return self._seal

    def sealed(self, seal: Seal) -> Effect:
        """Mark this effect as covered."""
        self._seal = seal
        self._left_out = None
        return self

    def leave_out(self, why: str) -> None:
        """Mark this effect as not covered; awaiting it raises NotApproved with these words."""
        self._left_out = why

    def refuse_if_left_out(self) -> None:
        """Raise NotApproved where a person left this effect out or changed it."""
        if self._left_out:
            raise NotApproved(self._left_out)

    def __await__(self) -> Generator[Any, None, Any]:
        return self._perform().__await__()

    async def _perform(self) -> Any:
        branch = machine.require(f"the effect {self.kind}")
        self.refuse_if_left_out()
        return await branch.machine.effect(branch, self)

    def __repr__(self) -> str:
        return f"<effect {self.kind} {self.args}>"


def from_body(body: Mapping[str, Any]) -> Effect:
    """The effect of a sealed body, as a decision hands it back."""
    effect = Effect(str(body["kind"]), {})
    effect.args = dict(body["args"])
    return effect


def write_file(path: str, data: bytes | str, *, executable: bool | None = None, needs: Sequence[Effect] = ()) -> Effect:
    """Write one file beneath the workspace, whole or not at all; text is written as UTF-8.

    The bytes are made in a step, so that replay never makes them anew. A file that is replaced keeps its permission bits; with
    `executable=True` whoever may read it may run it, with `executable=False` nobody may.
    """
    content = data.encode("utf-8") if isinstance(data, str) else bytes(data)
    args: dict[str, Any] = {"path": _relative(path), "data": content}
    if executable is not None:
        args["executable"] = executable
    return Effect("write_file@1", args, needs=needs)


def append_rows(
    path: str, rows: Sequence[Mapping[str, Any]], *, columns: Sequence[str], needs: Sequence[Effect] = ()
) -> Effect:
    """Append rows to a CSV file beneath the workspace; a missing file is made with the header `columns`.

    Cell values are text, numbers, dates or None. Existing rows are kept byte for byte.
    """
    unknown = sorted({str(key) for row in rows for key in row} - set(columns))
    if unknown:
        raise RefusedUse(f"append_rows: the column '{unknown[0]}' is not among the columns {', '.join(columns)}")
    cells = [["" if row.get(column) is None else str(row.get(column)) for column in columns] for row in rows]
    return Effect("append_rows@1", {"path": _relative(path), "columns": list(columns), "rows": cells}, needs=needs)


def move_files(moves: Iterable[tuple[str, str]], *, needs: Sequence[Effect] = ()) -> Effect:
    """Move files and folders beneath the workspace: pairs (from, to). What exists is never overwritten.

    All of them move at once, so two files may take each other's names. A folder moves with everything in it.
    """
    pairs = [[_relative(source), _relative(target)] for source, target in moves]
    return Effect("move_files@1", {"moves": pairs}, needs=needs)


def delete_files(paths: Iterable[str], *, needs: Sequence[Effect] = ()) -> Effect:
    """Delete files beneath the workspace; they are kept for undoing for 30 days.

    A folder may be named along with everything in it: it is removed when it is empty, and a file that came into it meanwhile stops it.
    """
    return Effect("delete_files@1", {"paths": [_relative(path) for path in paths]}, needs=needs)


def make_folders(paths: Iterable[str], *, needs: Sequence[Effect] = ()) -> Effect:
    """Make folders beneath the workspace, with those above them; one that is there already stays as it is.

    Files need none made for them: `write_file` and `move_files` make the folders they go to.
    """
    return Effect("make_folders@1", {"paths": [_relative(path) for path in paths]}, needs=needs)


def mail(
    to: str | Sequence[str],
    subject: str,
    body: str,
    *,
    cc: Sequence[str] = (),
    attachments: Sequence[tuple[str, bytes]] = (),
    needs: Sequence[Effect] = (),
    editable: Sequence[str] = (),
) -> Effect:
    """Send one mail through the SMTP account in the workspace's settings; attachments are (name, bytes)."""
    recipients = [to] if isinstance(to, str) else list(to)
    args = {
        "to": recipients,
        "cc": list(cc),
        "subject": subject,
        "body": body,
        "attachments": [{"name": name, "data": data} for name, data in attachments],
    }
    return Effect("mail@1", args, needs=needs, editable=editable)


@dataclass(frozen=True, slots=True)
class LookUp:
    """How to ask the other side whether an http effect happened: a GET whose `{key}` is the idempotency key.

    Any 2xx means it happened and its body is the outcome; 404 means it did not; anything else stays unknown.
    """

    url: str


def http(
    method: str,
    url: str,
    *,
    json: Any = None,
    data: bytes | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    reconcile: LookUp | None = None,
    keyed: bool = False,
    needs: Sequence[Effect] = (),
) -> Effect:
    """One HTTP request with an Idempotency-Key made from run and step.

    `keyed=True` states that the other side honours that key, so an unknown outcome may be tried again; `reconcile` says how to ask.
    Without either, an unknown outcome is put to a person. The answer is `{"status", "headers", "text"}`.
    """
    args = {
        "method": method.upper(),
        "url": url,
        "json": json,
        "data": data,
        "headers": dict(headers or {}),
        "reconcile": reconcile.url if reconcile else None,
        "keyed": keyed,
    }
    return Effect("http@1", args, needs=needs)


def call(connector: str, tool: str, /, **args: Any) -> Effect:
    """One call of a tool of a connector, by the names that `counterfoil connector tools` shows.

    The answer is `{"text", "data", "parts", "failed", "truncated", "trouble"}`: what the tool said; what it gave as data; pictures and the
    like as `{"type", "name", "data"}`; whether the tool says that it failed; whether something was cut; what is wrong with the answer.
    Whether it asks first, and what is done when nobody knows whether it happened, is what people have said of the tool.
    """
    return tool_call(connector, tool, args)


def tool_call(
    connector: str,
    tool: str,
    args: Mapping[str, Any],
    *,
    pin: str = "",
    needs: Sequence[Effect] = (),
    editable: Sequence[str] = (),
) -> Effect:
    """As `call`, made only while the tool is the one of this pin; an empty pin stands for the tool as somebody has looked at it."""
    body = {"connector": connector, "tool": tool, "pin": pin, "args": dict(args)}
    return Effect("call@1", body, needs=needs, editable=editable)


def command(
    argv: Sequence[str],
    *,
    folder: str = ".",
    given: str = "",
    seconds: int = 120,
    skill: Mapping[str, str] | None = None,
    needs: Sequence[Effect] = (),
    editable: Sequence[str] = (),
) -> Effect:
    """Run a program on the run's copy of the files, in a sandbox without a network; `argv` are its words, and no shell reads them.

    `folder` is where it starts, `given` its standard input, `seconds` the longest it may take. The outcome is `{"status", "ended", "out",
    "err", "seconds", "failed", "changed", "not_taken_over"}`: `ended` says why it was ended before its end. What it has changed is in the
    run's files from then on, as what a step writes is; one that is cut off has changed nothing. `skill` (name, of, folder, sha256) has the
    files of a skill laid beside them, as agents are given it.
    """
    args: dict[str, Any] = {"argv": list(argv), "folder": folder, "given": given, "seconds": seconds}
    return Effect("command@1", args | ({"skill": dict(skill)} if skill else {}), needs=needs, editable=editable)


def remember(fact: str, source: str, *, needs: Sequence[Effect] = (), editable: Sequence[str] = ()) -> Effect:
    """Propose a fact about this team's work that agents are told in later runs of this workspace: one plain sentence, and where it stands.

    A person accepts it, each time, whatever rules allow; `counterfoil memory` lists and forgets. The outcome is `{"number"}`.
    """
    return Effect("remember@1", {"fact": fact, "source": source}, needs=needs, editable=editable)


def secret(name: str) -> Secret:
    """A handle to a secret in the keyring, for a header of `http`; the runner puts the value on the wire."""
    return Secret(name)


def _relative(path: str) -> str:
    text = str(path)
    parts = text.replace("\\", "/").split("/")
    if not text or text.startswith(("/", "\\")) or ":" in parts[0] or ".." in parts or "\x00" in text:
        raise RefusedUse(f"the path '{text}' does not lie beneath the workspace; write it relative to the workspace")
    plain = "/".join(part for part in parts if part not in ("", "."))
    if not plain:
        raise RefusedUse(f"the path '{text}' names no file; write the file's name, relative to the workspace")
    return plain
