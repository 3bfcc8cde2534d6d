"""Templates for the gallery and the form. What a template says of itself is read without running it; what it asks for comes from the kept
version, else from a host that the command line starts."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from counterfoil.catalogue.finding import Origin, TemplateFound, find_template, kept_as, list_templates
from counterfoil.catalogue.manifest import Manifest, chips, read_manifest
from counterfoil.catalogue.packing import digest_of, read_code
from counterfoil.catalogue.parameters import problems_with
from counterfoil.catalogue.samples import TEMPLATE, copy_sample, sample_parameters, today_here
from counterfoil.desktop.office import Document
from counterfoil.desktop.real_office import calls
from counterfoil.desktop.real_office.access import Access
from counterfoil.desktop.run_facts import AgainOf
from counterfoil.desktop.template_facts import TemplateCard, TemplateSeen
from counterfoil.desktop.words.numbers import joined
from counterfoil.desktop.words.people import capital
from counterfoil.errors import WrongWorkspace
from counterfoil.policy.protection import NOTHING, Consent, told
from counterfoil.schedules.planned import resolved
from counterfoil.settings.workspace import remembered
from counterfoil.store import history, versions
from counterfoil.views.llms import route_documents
from counterfoil.views.plain import contract

_YOURS = frozenset({"workspace", "home"})
_ASKS = {
    "never": "Nobody, unless a rule says otherwise",
    "once": "Once, before anything is written or sent",
    "once or twice": "Once or twice: about what needs a decision, and before anything is written or sent",
    "twice": "Twice: about what needs a decision, and before anything is written or sent",
}
_README = 64 * 1024  # bytes
_EMPHASIS = re.compile(r"(\*{1,2})(?=\S)([^*]+)(?<=\S)\1")
_LINK = re.compile(r"\[([^\]]+)\]\([^)\s]+\)")


class Templates:
    """Templates that a workspace can use."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._forms: dict[tuple[str, str], tuple[list[Document], str]] = {}

    def cards(self, workspace: str | None, used: Mapping[str, int]) -> tuple[TemplateCard, ...]:
        """The gallery: what was used lately first, then yours, then bundled ones."""
        place = Path(workspace) if workspace else self._access.home.root
        found = [_card(template, used) for template in list_templates(place, self._access.home)]
        order = {"used": 0, "yours": 1, "bundled": 2}
        return tuple(
            sorted(found, key=lambda card: (order[card.section], -(card.last_used or 0), card.title.casefold()))
        )

    def template(self, path: str, workspace: str, used: Mapping[str, int], agreed: Consent) -> TemplateSeen:
        """One template with its form."""
        folder = Path(path)
        manifest = read_manifest(folder)
        fields, isolation = self._form(folder, workspace, agreed)
        seen = told(self._access.home)
        found = TemplateFound(manifest.name, folder, self._origin(folder, workspace), manifest, None)
        return TemplateSeen(
            card=_card(found, used),
            description=_about(folder) or manifest.description,
            fields=tuple(fields),
            remembered=self._remembered(workspace, manifest.name, fields),
            will=(*_will(manifest, fields), self._needs(manifest), *self._cost(manifest, workspace)),
            isolation=seen.mark if seen else isolation,
            asks=manifest.asks != "never",
            raising=" ".join(filter(None, (seen.why, seen.next_step, seen.profile))) if seen else "",
        )

    def _needs(self, manifest: Manifest) -> tuple[str, str]:
        """What has to be there, and where it is set up while it is not."""
        if manifest.works_without_llm:
            return "Needs", "No llm, no account"
        with self._access.reading() as conn:
            there = any(route["llms"] for route in route_documents(conn))
        return "Needs", "An llm" if there else "An llm; none is set up. Add one in Connectors, Routes"

    def _cost(self, manifest: Manifest, workspace: str) -> tuple[tuple[str, str], ...]:
        """What a document may cost, where the template says enough and an llm with a price is asked."""
        if manifest.llm_use is None or not workspace:
            return ()
        with self._access.reading() as conn:
            priced = any(one["priced"] in ("table", "set") for route in route_documents(conn) for one in route["llms"])
        if not priced:
            return ()
        found = calls.call(self._access.home, "route", "estimate", manifest.name, "--workspace", workspace)
        return tuple(("Llms cost", capital(one["words"])) for one in found if one["words"])

    def problems(
        self, path: str, workspace: str, values: Mapping[str, Any], *, planned: date | None = None
    ) -> dict[str, str]:
        """A sentence per field that is not as it must be; for a run that is planned on a day, dates may be words."""
        fields, _ = self._form(Path(path), workspace)
        place = Path(workspace) if workspace else None
        given = _by_type(fields, values)
        return problems_with(
            fields, resolved(fields, given, planned) if planned else given, workspace=place, today=planned
        )

    def takers(self, path: str, workspace: str) -> set[str]:
        """The fields that take several files, such as those that have come into a watched folder."""
        fields, _ = self._form(Path(path), workspace)
        return {str(field["name"]) for field in fields if field["type"] == "list[file]"}

    def typed(self, path: str, workspace: str, values: Mapping[str, Any]) -> dict[str, Any]:
        """What was filled in, by the types of the fields."""
        fields, _ = self._form(Path(path), workspace)
        return _by_type(fields, values)

    def folder_of(self, template: str, workspace: str) -> Path:
        """The folder of a template that goes by a name in a workspace.

        Raises:
            CounterfoilError: there is none.
        """
        return find_template(template, Path(workspace), self._access.home)

    def name_of(self, path: str, workspace: str) -> str:
        """What to call the template of a folder so that it is found again: its name where that means this folder, else the folder."""
        return kept_as(Path(path), Path(workspace), self._access.home)

    def start(
        self, path: str, workspace: str, values: Mapping[str, Any], agreed: Consent, again: AgainOf | None = None
    ) -> str:
        """Commit a run; its id. `again` is the one that it does again.

        Raises:
            CounterfoilError: what the command line refused.
        """
        fields, _ = self._form(Path(path), workspace, agreed)
        more = [] if again is None else calls.again(again.run_id, again.reason)
        return self._start(Path(path), Path(workspace), _by_type(fields, values), *calls.consent(agreed), *more)

    def start_sample(self) -> str:
        """Start a run on a fresh copy of the sample; its id."""
        home = self._access.home
        place = copy_sample(home)
        return self._start(find_template(TEMPLATE, place, home), place, sample_parameters(today_here()))

    def _start(self, folder: Path, place: Path, values: Mapping[str, Any], *more: str) -> str:
        home = self._access.home
        with calls.json_file(home, values) as given:
            words = ("run", f"{folder}", "--workspace", f"{place}", "--input", given)
            run = calls.call(home, *words, *more)
        return str(run["run_id"])

    def _form(self, folder: Path, workspace: str, agreed: Consent = NOTHING) -> tuple[list[Document], str]:
        """Fields and protection of a template as it is now; kept by content, since a form is checked at every stroke."""
        digest = digest_of(read_code(folder))
        known = self._forms.get((str(folder), digest))
        if known is None:
            known = self._forms[(str(folder), digest)] = self._asked(folder, digest, workspace, agreed)
        return known

    def _asked(self, folder: Path, digest: str, workspace: str, agreed: Consent) -> tuple[list[Document], str]:
        with self._access.reading() as conn:
            version = versions.get(conn, digest)
            isolation = history.isolation_of(conn, version["name"]) if version else None
        if version and isolation:
            return _contract_fields(json.loads(version["parameters"])), isolation
        place = ("--workspace", workspace) if workspace else ()
        typed = ("--unprotected", agreed.folder) if agreed.folder else ()
        told = calls.call(self._access.home, "template", "show", f"{folder}", "--form", *place, *typed)
        return _contract_fields(told["fields"]), str(told["isolation"])

    def _remembered(self, workspace: str, name: str, fields: Sequence[Document]) -> dict[str, Any]:
        """What the workspace remembers for fields that are still there; a broken file remembers nothing and is told when a run
        starts."""
        if not workspace:
            return {}
        try:
            kept = remembered(Path(workspace), name)
        except WrongWorkspace:
            return {}
        wanted = {str(field["name"]) for field in fields if field.get("remember")}
        return {name: contract(value) for name, value in kept.items() if name in wanted}

    def _origin(self, folder: Path, workspace: str) -> Origin:
        if workspace and folder.is_relative_to(workspace):
            return "workspace"
        return "home" if folder.is_relative_to(self._access.home.templates) else "bundled"


def _card(template: TemplateFound, used: Mapping[str, int]) -> TemplateCard:
    manifest = template.manifest
    last = used.get(template.name)
    section = "used" if last is not None else "yours" if template.origin in _YOURS else "bundled"
    return TemplateCard(
        path=str(template.folder),
        name=template.name,
        title=manifest.title if manifest else template.name,
        outcome=manifest.description if manifest else "",
        section=section,
        chips=tuple(chips(manifest)) if manifest else (),
        last_used=last,
        trouble=str(template.error) if template.error else "",
    )


def _contract_fields(fields: Sequence[Mapping[str, Any]]) -> list[Document]:
    return [{**field, "default": contract(field.get("default"))} for field in fields]


def _by_type(fields: Sequence[Document], values: Mapping[str, Any]) -> dict[str, Any]:
    """What was filled in, with a list where a list is wanted; what is left empty is not there."""
    lists = {str(field["name"]) for field in fields if str(field["type"]).startswith("list[")}
    filled = {name: value for name, value in values.items() if value not in (None, "", [])}
    return {
        name: [part.strip() for part in value.split(",") if part.strip()]
        if name in lists and isinstance(value, str)
        else value
        for name, value in filled.items()
    }


def _will(manifest: Manifest, fields: Sequence[Document]) -> tuple[tuple[str, str], ...]:
    """What will happen, in the product's words, from the manifest's closed lists alone."""
    places = [
        str(field["label"]) for field in fields if str(field["type"]).removeprefix("list[") in ("folder", "folder]")
    ]
    files = [str(field["label"]) for field in fields if field["type"] in ("file", "list[file]")]
    read = joined([*places, *files])
    effects = set(manifest.permissions)
    changes = [words for name, words in _CHANGES if name in effects]
    sends = [words for name, words in _SENDS if name in effects]
    asks = _ASKS.get(manifest.asks, manifest.asks or "Before anything is written or sent")
    told = [
        ("Reads", f"{read}, as chosen here" if read else "Files of this workspace"),
        ("Files", f"{capital(joined(changes))}, nothing before someone approves" if changes else "None is changed"),
        ("May send", capital(joined(sends)) if sends else "Nothing"),
        ("Asks you", asks if changes or sends else asks.replace("anything is written or sent", "it goes on")),
    ]
    besides = [words for name, words in _BESIDES if name in effects]
    if besides:
        told.append(("Also", capital(joined(besides))))
    if manifest.hosts:
        told.append(("Reads from", joined(manifest.hosts)))
    return tuple(told)


_CHANGES = (
    ("write_file", "writes files"),
    ("append_rows", "adds rows to tables"),
    ("move_files", "moves files"),
    ("delete_files", "deletes files"),
    ("make_folders", "makes folders"),
)
_SENDS = (
    ("mail", "mail, after it was approved"),
    ("http", "requests to other computers, after they were approved"),
    ("call", "calls to connectors, after they were approved"),
)
_BESIDES = (
    ("command", "runs commands in a sandbox, on a copy of its files"),
    ("remember", "proposes facts to remember, and someone accepts each"),
)


def _about(folder: Path) -> str:
    """The first paragraph of the template's README, for people."""
    try:
        with (folder / "README.md").open("rb") as file:
            text = file.read(_README).decode("utf-8", "replace")
    except OSError:
        return ""
    paragraphs = [part.strip() for part in text.replace("\r\n", "\n").split("\n\n")]
    prose = next((part for part in paragraphs if part and not part.startswith(("#", "|", "```", "-", "*"))), "")
    return unmarked(" ".join(prose.split()))


def unmarked(markdown: str) -> str:
    """Prose as it is read: without the marks of stronger words and code, links as their words."""
    return _EMPHASIS.sub(r"\2", _LINK.sub(r"\1", markdown.replace("`", "")))
