"""What a template says of itself, in `template.toml`. It is shown before anybody trusts the template, so reading it never runs
code, and everything the product says in its own voice (the chips of a card) comes from closed lists, never from free text.

    name = "pay-invoices"                       # the folder and @workflow(...) are called the same
    title = "Supplier payments"
    description = "A checked payment file from a folder of invoices"
    works_without_llm = true
    asks = "twice"                              # one of ASKS
    permissions = ["write_file", "move_files"]  # effects it may ask for, of EFFECTS
    always_gate = ["write_file"]                # effects that no rule may allow unseen
    hosts = ["rates.example"]                   # http GET to these needs no question
    foreign = ["inbox/**"]                      # files that hold words of others, beside mails
    connectors = ["files"]                      # whose tools that only read need no question
    needs = ["A folder with invoices"]          # sentences for people
    run_title = "Supplier payments, {folder}"   # parameter names in braces
    uses = ["pay-invoices"]                     # bundled templates whose modules are kept with every version of this one

    [packages]
    requires = ["rapidfuzz>=3"]                 # what it imports besides; packages.lock names the exact files

    [llm_use]                                   # what the llm reads and answers for each of what, in tokens, from and to
    per = "contract"                            # one of PER
    sent = [2000, 20000]
    answered = [300, 1500]

    [parameters.debtor_iban]                    # words that replace those of param(...)
    label = "Pay from account"
"""

from __future__ import annotations

import re
import string
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from counterfoil.authoring.periods import Period
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.requirements import requirement_trouble
from counterfoil.errors import did_you_mean

MANIFEST = "template.toml"
WORKFLOW = "workflow.py"
NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
ASKS = ("never", "once", "once or twice", "twice", "three times", "several times")
EFFECTS = {
    "write_file": "Writes files",
    "append_rows": "Writes files",
    "move_files": "Moves files",
    "delete_files": "Deletes files",
    "make_folders": "Makes folders",
    "mail": "Sends mail",
    "http": "Calls other computers",
    "call": "Uses connectors",
    "command": "Runs commands in a sandbox",
    "remember": "Proposes facts to remember",
}

PER = ("document", "contract", "mail", "invoice", "file", "page")

_LONGEST = 64 * 1024  # bytes; the longest manifest seen has one
_HOST = re.compile(r"(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")
MOST_USED = 8
_REQUIREMENT = 'Write a name and its releases, like "rapidfuzz>=3".'
_REQUIRED = ("name", "title", "description", "works_without_llm")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterText:
    """Words for one parameter of the form; empty where those of `param(...)` stand."""

    label: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class LlmUse:
    """What a template asks of an llm for each `per`, in tokens from and to: what is sent, and what is answered."""

    per: str
    sent: tuple[int, int]
    answered: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """One template's manifest, checked."""

    name: str
    title: str
    description: str
    works_without_llm: bool
    workflow: str = WORKFLOW
    asks: str = ""
    needs: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    connectors: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()
    always_gate: tuple[str, ...] = ()
    run_title: str = ""
    uses: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    llm_use: LlmUse | None = None
    parameters: Mapping[str, ParameterText] = field(default_factory=dict)


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a template folder.

    Raises:
        BrokenFile: it is missing, unreadable, no TOML, or holds what a manifest cannot hold.
    """
    reader = _Reader(folder, _text_of(folder))
    manifest = reader.manifest()
    if not (folder / WORKFLOW).is_file():
        what = f"there is no {WORKFLOW} beside it."
        if (folder / "prompt.md").is_file():
            what = f"it has a prompt.md and no {WORKFLOW}, and a template made of a prompt alone cannot run yet."
        raise BrokenFile(folder, MANIFEST, None, what, f"Write the workflow into {WORKFLOW}.")
    return manifest


def manifest_json(manifest: Manifest) -> dict[str, Any]:
    """The manifest as plain JSON: texts, booleans, lists; `chips` are the sentences of its card."""
    plain = asdict(manifest)
    return {key: list(value) if isinstance(value, tuple) else value for key, value in plain.items()} | {
        "chips": chips(manifest)
    }


def chips(manifest: Manifest) -> list[str]:
    """The short facts of a template's card, from closed lists only (experience 8)."""
    facts = ["No llm needed" if manifest.works_without_llm else "Needs an llm"]
    facts += dict.fromkeys(EFFECTS[name] for name in manifest.permissions)
    if manifest.asks:
        facts.append("Asks nobody" if manifest.asks == "never" else f"Asks you {manifest.asks}")
    return facts


def title_of_run(run_title: str, values: Mapping[str, Any]) -> str:
    """A run's title from the manifest's format and the run's parameters (plain JSON with codec tags)."""
    parts = string.Formatter().parse(run_title)
    return "".join(text + (shown(values.get(name)) if name else "") for text, name, _, _ in parts)


def shown(plain: Any) -> str:
    """A plain value as people write it: `1000.00 EUR`, `2026-11-30`, `23–29 Nov 2026`, items with commas between."""
    if plain is None:
        return ""
    if isinstance(plain, bool):
        return "yes" if plain else "no"
    if isinstance(plain, list):
        return ", ".join(shown(item) for item in plain)
    if isinstance(plain, dict):
        if "amount" in plain:
            return f"{shown(plain['amount'])} {plain.get('currency', '')}"
        return str(next(iter(plain.values()), ""))  # a codec tag holds one text
    return Period(plain).words if isinstance(plain, str) and "/" in plain else str(plain)


def names_in(run_title: str) -> list[str]:
    """The parameters that a run's title is made of.

    Raises:
        ValueError: it is no format of plain names in braces.
    """
    names = []
    for _, name, spec, conversion in string.Formatter().parse(run_title):
        if name is not None:
            if not name.isidentifier() or spec or conversion:
                raise ValueError(f"‘{{{name}}}’ is not the name of a parameter in braces")
            names.append(name)
    return names


def named_parameters(manifest: Manifest) -> list[tuple[str, str]]:
    """The parameters that a manifest takes for granted: (key at which it is named, name)."""
    return [
        *((name, name) for name in manifest.parameters),
        *(("run_title", name) for name in names_in(manifest.run_title)),
    ]


def line_of(folder: Path, key: str) -> int:
    """The line of a manifest on which a key stands, from 1; 0 where it does not."""
    return _line_of(_text_of(folder), key) or 0


def _text_of(folder: Path) -> str:
    try:
        with (folder / MANIFEST).open("rb") as source:
            data = source.read(_LONGEST + 1)
    except FileNotFoundError:
        raise BrokenFile(
            folder, MANIFEST, None, "there is no such file.", f"A template is a folder with {MANIFEST}."
        ) from None
    except OSError as problem:
        what = f"it cannot be read: {problem.strerror}."
        raise BrokenFile(folder, MANIFEST, None, what, "Allow this account to read it.") from problem
    if len(data) > _LONGEST:
        raise BrokenFile(folder, MANIFEST, None, "it is longer than 64 KiB.", "Keep documentation in README.md.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise BrokenFile(folder, MANIFEST, line, "it is not UTF-8 text.", "Save it as UTF-8.") from problem


class _Reader:
    """Takes one manifest's text apart; every complaint names the line."""

    def __init__(self, folder: Path, text: str) -> None:
        self.folder = folder
        self.text = text
        try:
            self.table = tomllib.loads(text)
        except tomllib.TOMLDecodeError as problem:
            place = re.search(r"\(at line (\d+), column \d+\)|\(at end of document\)", str(problem))
            line = int(place[1]) if place and place[1] else text.count("\n") + 1
            what = f"it is no TOML: {str(problem).split(' (at ')[0].lower()}."
            raise BrokenFile(
                folder, MANIFEST, line, what, "Texts stand in quotes, lists in square brackets."
            ) from problem

    def manifest(self) -> Manifest:
        readers: dict[str, Callable[[str, object], Any]] = {
            "name": self.name,
            "title": self.line_of_text,
            "description": self.line_of_text,
            "works_without_llm": self.boolean,
            "asks": self.asks,
            "needs": self.texts,
            "hosts": self.hosts,
            "foreign": self.texts,
            "connectors": self.connectors,
            "permissions": self.effects,
            "always_gate": self.effects,
            "run_title": self.run_title,
            "uses": self.uses,
            "packages": self.packages,
            "llm_use": self.llm_use,
            "parameters": self.parameters,
        }
        self.known(self.table, readers)
        for key in _REQUIRED:
            if key not in self.table:
                example = "true or false" if key == "works_without_llm" else '"…"'
                raise BrokenFile(self.folder, MANIFEST, None, f"‘{key}’ is missing.", f"Write {key} = {example}.")
        manifest = Manifest(**{key: readers[key](key, value) for key, value in self.table.items()})
        for effect in manifest.always_gate:
            if effect not in manifest.permissions:
                raise self.wrong("always_gate", f"‘{effect}’ is not among the permissions.", "Add it to permissions.")
        return manifest

    def wrong(self, key: str, what: str, next_step: str, value: object = None) -> BrokenFile:
        return BrokenFile(self.folder, MANIFEST, _line_of(self.text, key, value), what, next_step)

    def known(self, table: Iterable[str], names: Iterable[str]) -> None:
        for key in table:
            if key not in names:
                advice = did_you_mean(key, names) or f"Known keys: {', '.join(names)}."
                raise self.wrong(key, f"unknown key ‘{key}’.", advice)

    def line_of_text(self, key: str, value: object) -> str:
        if not isinstance(value, str) or not value.strip() or not value.isprintable():
            raise self.wrong(key, f"‘{key}’ must be one line of text.", f'Write {key} = "…".')
        return value.strip()

    def boolean(self, key: str, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.wrong(key, f"‘{key}’ must be true or false.", f"Write {key} = true or {key} = false.")
        return value

    def texts(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, list):
            raise self.wrong(key, f"‘{key}’ must be a list.", f'Write {key} = ["…"].')
        return tuple(self.line_of_text(key, item) for item in value)

    def name(self, key: str, value: object) -> str:
        name = self.line_of_text(key, value)
        if not NAME.fullmatch(name) or len(name) > 60:
            advice = "Use small letters, digits and hyphens, like pay-invoices."
            raise self.wrong(key, f"‘{name}’ is no name for a template.", advice)
        return name

    def asks(self, key: str, value: object) -> str:
        if value not in ASKS:
            advice = did_you_mean(str(value), ASKS) or f"Use one of: {', '.join(ASKS)}."
            raise self.wrong(key, f"‘asks’ cannot be {value!r}.", advice)
        return str(value)

    def effects(self, key: str, value: object) -> tuple[str, ...]:
        names = self.texts(key, value)
        for name in names:
            if name not in EFFECTS:
                advice = did_you_mean(name, EFFECTS) or f"Use any of: {', '.join(EFFECTS)}."
                raise self.wrong(key, f"unknown effect ‘{name}’ in ‘{key}’.", advice, name)
        return tuple(dict.fromkeys(names))

    def hosts(self, key: str, value: object) -> tuple[str, ...]:
        names = tuple(name.lower() for name in self.texts(key, value))
        for name in names:
            if not _HOST.fullmatch(name):
                advice = "Write the host alone, without https://, port, path or *."
                raise self.wrong(key, f"‘{name}’ is no host name.", advice, name)
        return tuple(dict.fromkeys(names))

    def connectors(self, key: str, value: object) -> tuple[str, ...]:
        names = self.texts(key, value)
        for name in names:
            if not NAME.fullmatch(name) or len(name) > 40:
                raise self.wrong(
                    key,
                    f"‘{name}’ is no name of a connector.",
                    "Write it as counterfoil connector list shows it.",
                    name,
                )
        return tuple(dict.fromkeys(names))

    def run_title(self, key: str, value: object) -> str:
        title = self.line_of_text(key, value)
        try:
            names_in(title)
        except ValueError as problem:
            advice = 'Write it like "Supplier payments, {folder}"; a brace itself is written twice.'
            raise self.wrong(key, f"the run title cannot be used: {problem}.", advice) from problem
        return title

    def uses(self, key: str, value: object) -> tuple[str, ...]:
        names = tuple(self.name(key, item) for item in self.texts(key, value))
        if len(names) > MOST_USED:
            raise self.wrong(key, f"‘{key}’ names more than {MOST_USED} templates.", "Use fewer.")
        return tuple(dict.fromkeys(names))

    def packages(self, key: str, value: object) -> tuple[str, ...]:
        if not isinstance(value, dict):
            raise self.wrong(key, "‘packages’ must be a table.", 'Write [packages] and below it requires = ["…"].')
        self.known(value, ("requires",))
        texts = self.texts("requires", value.get("requires", []))
        for text in texts:
            trouble = requirement_trouble(text)
            if trouble:
                raise self.wrong("requires", f"‘{text}’ cannot be required: {trouble}.", _REQUIREMENT, text)
        return texts

    def llm_use(self, key: str, value: object) -> LlmUse:
        if not isinstance(value, dict):
            raise self.wrong(key, "‘llm_use’ must be a table.", "Write [llm_use] and below it per, sent and answered.")
        self.known(value, ("per", "sent", "answered"))
        per = value.get("per")
        if per not in PER:
            advice = did_you_mean(str(per), PER) or f"Use one of: {', '.join(PER)}."
            raise self.wrong("per", f"‘per’ cannot be {per!r}.", advice)
        return LlmUse(per=str(per), sent=self.span("sent", value), answered=self.span("answered", value))

    def span(self, key: str, table: Mapping[str, object]) -> tuple[int, int]:
        match table.get(key):
            case [int(low), int(high)] if 0 < low <= high <= 10**7:
                return low, high
        raise self.wrong(key, f"‘{key}’ must be two numbers of tokens, from and to.", f"Write {key} = [2000, 20000].")

    def parameters(self, key: str, value: object) -> dict[str, ParameterText]:
        if not isinstance(value, dict) or not all(isinstance(texts, dict) for texts in value.values()):
            advice = 'Write [parameters.NAME] and below it label = "…".'
            raise self.wrong(key, "‘parameters’ must hold a table for each parameter.", advice)
        found = {}
        for name, texts in value.items():
            self.known(texts, ("label", "help"))
            found[name] = ParameterText(**{word: self.line_of_text(word, text) for word, text in texts.items()})
        return found


def _line_of(text: str, key: str, value: object = None) -> int | None:
    """The line on which a key stands, or a value below it, counted from 1."""
    at_key = re.compile(
        rf"""^\s*(?:\[[^\]]*["'.\[]?{re.escape(key)}["'.\]]|(?:[\w-]+\.)*["']?{re.escape(key)}["']?\s*[=.])"""
    )
    lines = text.splitlines()
    first = next((index for index, line in enumerate(lines) if at_key.match(line)), None)
    if first is None or value is None:
        return None if first is None else first + 1
    return next((index + 1 for index in range(first, len(lines)) if str(value) in lines[index]), first + 1)
