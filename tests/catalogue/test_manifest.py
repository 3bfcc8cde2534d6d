"""Reading a manifest runs nothing, refuses what it does not know, and says where and what to do."""

from pathlib import Path

import pytest

from catalogue.conftest import MANIFEST, MakeTemplate
from counterfoil.authoring import effect_values
from counterfoil.catalogue.broken_file import BrokenFile
from counterfoil.catalogue.manifest import EFFECTS, chips, manifest_json, names_in, read_manifest, shown, title_of_run

FULL = """\
name = "{name}"
title = "Supplier payments"
description = "A checked payment file from a folder of invoices"
works_without_llm = true
asks = "twice"
permissions = ["write_file", "append_rows", "move_files"]
always_gate = ["write_file"]
hosts = ["Rates.example"]
connectors = ["mail-desk"]
foreign = ["in/**"]
needs = ["A folder with invoices"]
run_title = "Supplier payments, {folder}"
uses = ["pay-invoices"]

[packages]
requires = ["rapidfuzz>=3", 'pywin32 ; sys_platform == "win32"']

[llm_use]
per = "invoice"
sent = [1000, 2000]
answered = [50, 100]

[parameters.debtor_iban]
label = "Pay from account"
help = "The IBAN of your own account"
"""


def test_a_full_manifest(template: MakeTemplate) -> None:
    manifest = read_manifest(template("pay-invoices", manifest=FULL))
    assert manifest_json(manifest) == {
        "name": "pay-invoices",
        "title": "Supplier payments",
        "description": "A checked payment file from a folder of invoices",
        "works_without_llm": True,
        "workflow": "workflow.py",
        "asks": "twice",
        "needs": ["A folder with invoices"],
        "hosts": ["rates.example"],
        "connectors": ["mail-desk"],
        "foreign": ["in/**"],
        "permissions": ["write_file", "append_rows", "move_files"],
        "always_gate": ["write_file"],
        "run_title": "Supplier payments, {folder}",
        "uses": ["pay-invoices"],
        "packages": ["rapidfuzz>=3", 'pywin32 ; sys_platform == "win32"'],
        "llm_use": {"per": "invoice", "sent": (1000, 2000), "answered": (50, 100)},
        "parameters": {"debtor_iban": {"label": "Pay from account", "help": "The IBAN of your own account"}},
        "chips": ["No llm needed", "Writes files", "Moves files", "Asks you twice"],
    }


def test_reading_runs_no_code(template: MakeTemplate, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    folder = template(workflow=f"open({str(ran)!r}, 'w')\nraise SystemExit\n")
    assert read_manifest(folder).name == "tiny"
    assert not ran.exists()


def test_the_four_required_keys_are_enough(template: MakeTemplate) -> None:
    short = 'name = "{name}"\ntitle = "T"\ndescription = "D"\nworks_without_llm = false\n'
    manifest = read_manifest(template(manifest=short))
    assert (manifest.permissions, manifest.run_title, chips(manifest)) == ((), "", ["Needs an llm"])


@pytest.mark.parametrize(
    "change,expected",
    [
        (("asks =", "aks ="), "tiny/template.toml line 5: unknown key ‘aks’. Did you mean ‘asks’?"),
        (("title =", "titel ="), "tiny/template.toml line 2: unknown key ‘titel’. Did you mean ‘title’?"),
        (
            ('"write_file"', '"write_fiel"'),
            "tiny/template.toml line 6: unknown effect ‘write_fiel’ in ‘permissions’. Did you mean ‘write_file’?",
        ),
        (('"once"', '"maybe"'), "tiny/template.toml line 5: ‘asks’ cannot be 'maybe'. Use one of: never, once,"),
        (("true", '"yes"'), "tiny/template.toml line 4: ‘works_without_llm’ must be true or false."),
        (('"{name}"', '"Tiny One"'), "tiny/template.toml line 1: ‘Tiny One’ is no name for a template."),
        (('title = "Tiny"\n', ""), "tiny/template.toml: ‘title’ is missing."),
        (('title = "Tiny"', "title = Tiny"), "tiny/template.toml line 2: it is no TOML: invalid value."),
        (("{folder}", "{folder.__class__}"), "tiny/template.toml line 7: the run title cannot be used:"),
        (("{folder}", "{folder"), "tiny/template.toml line 7: the run title cannot be used:"),
        (
            ('run_title = "Tiny, {folder}"', 'hosts = ["https://a.example/x"]'),
            "tiny/template.toml line 7: ‘https://a.example/x’ is no host name.",
        ),
        (
            ('run_title = "Tiny, {folder}"', 'llm_use = {per = "cat", sent = [1, 2], answered = [1, 2]}'),
            "tiny/template.toml: ‘per’ cannot be 'cat'. Use one of: document,",
        ),
        (
            ('run_title = "Tiny, {folder}"', 'llm_use = {per = "mail", sent = [3, 2], answered = [1, 2]}'),
            "tiny/template.toml: ‘sent’ must be two numbers of tokens, from and to.",
        ),
        (
            ('run_title = "Tiny, {folder}"', 'connectors = ["Mail Desk"]'),
            "tiny/template.toml line 7: ‘Mail Desk’ is no name of a connector.",
        ),
        (
            ('run_title = "Tiny, {folder}"', 'always_gate = ["mail"]'),
            "tiny/template.toml line 7: ‘mail’ is not among the permissions.",
        ),
        (("run_title =", "[parameters.folder]\nlabl ="), "tiny/template.toml line 8: unknown key ‘labl’."),
        (
            ("run_title =", '[packages]\nrequires = ["x @ https://a.example/x.whl"]\n#'),
            "tiny/template.toml line 8: ‘x @ https://a.example/x.whl’ cannot be required: packages come by name",
        ),
        (
            ("run_title =", '[packages]\nrequires = ["rapid fuzz"]\n#'),
            "tiny/template.toml line 8: ‘rapid fuzz’ cannot be required: expected",
        ),
        (("run_title =", "[packages]\nrequire = []\n#"), "tiny/template.toml line 8: unknown key ‘require’."),
        (("run_title =", 'packages = ["x"]\n#'), "tiny/template.toml line 7: ‘packages’ must be a table."),
        (("run_title =", 'uses = ["../x"]\n#'), "tiny/template.toml line 7: ‘../x’ is no name for a template."),
        (('"Tiny"', '"Ti\\nny"'), "tiny/template.toml line 2: ‘title’ must be one line of text."),
    ],
)
def test_what_is_wrong_is_named_with_its_line(template: MakeTemplate, change: tuple[str, str], expected: str) -> None:
    assert change[0] in MANIFEST
    with pytest.raises(BrokenFile) as caught:
        read_manifest(template(manifest=MANIFEST.replace(change[0], change[1], 1)))
    assert str(caught.value).startswith(expected)
    assert caught.value.next_step
    assert caught.value.code == "broken_template"


def test_folders_that_are_no_templates(template: MakeTemplate, tmp_path: Path) -> None:
    with pytest.raises(BrokenFile, match=r"there is no such file"):
        read_manifest(tmp_path)
    folder = template()
    (folder / "workflow.py").unlink()
    with pytest.raises(BrokenFile, match=r"there is no workflow\.py beside it"):
        read_manifest(folder)
    (folder / "prompt.md").write_text("Do it")
    with pytest.raises(BrokenFile, match=r"a prompt alone cannot run yet"):
        read_manifest(folder)


def test_bytes_that_are_no_text(template: MakeTemplate) -> None:
    folder = template()
    (folder / "template.toml").write_bytes(b'name = "tiny"\ntitle = "\xff"\n')
    with pytest.raises(BrokenFile, match=r"line 2: it is not UTF-8 text"):
        read_manifest(folder)
    (folder / "template.toml").write_bytes(b"#" * 70_000)
    with pytest.raises(BrokenFile, match="longer than 64 KiB"):
        read_manifest(folder)


def test_effects_of_manifests_are_those_an_author_can_make() -> None:
    made = [
        effect_values.write_file("a", ""),
        effect_values.append_rows("a", [], columns=["x"]),
        effect_values.move_files([]),
        effect_values.delete_files([]),
        effect_values.make_folders([]),
        effect_values.mail("a@b.example", "s", "b"),
        effect_values.http("GET", "https://a.example"),
        effect_values.call("files", "read_file"),
        effect_values.command(["true"]),
        effect_values.remember("a", "b"),
    ]
    assert {effect.kind.partition("@")[0] for effect in made} == set(EFFECTS)


def test_titles_of_runs() -> None:
    values = {
        "folder": "invoices",
        "pay_on": {"$date": "2026-11-30"},
        "limit": {"$type": "Money", "amount": {"$dec": "10000.00"}, "currency": "EUR"},
        "rows": [1, 2],
        "note": None,
    }
    title = "{folder} on {pay_on}, up to {limit}, rows {rows}{note} {{sic}}"
    assert names_in(title) == ["folder", "pay_on", "limit", "rows", "note"]
    assert title_of_run(title, values) == "invoices on 2026-11-30, up to 10000.00 EUR, rows 1, 2 {sic}"
    assert title_of_run("{gone}", {}) == ""
    assert [shown(True), shown(3), shown({"$dec": "1.5"})] == ["yes", "3", "1.5"]
