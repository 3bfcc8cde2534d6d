"""`template check`: every trap has its line, its reason and what to write instead, and sound code has no finding."""

from pathlib import Path

import pytest

from catalogue.conftest import MANIFEST, WORKFLOW, MakeTemplate
from counterfoil.catalogue.broken_file import Finding
from counterfoil.catalogue.checking import check_template

HEAD = """\
import asyncio, datetime as dt, os, random as rnd, secrets, subprocess, threading, time, uuid as ids
from datetime import date, datetime, timedelta
from pathlib import Path
from time import time as seconds

try:
    import httpx
except ImportError:
    pass
import counterfoil
from counterfoil import (
    Folder, Params, approve, ask, files, first, mail, now, parallel, random, sleep, step, uuid, workflow, write_file
)

CACHE = {}
NAMES = ["b", "a"]


class P(Params):
    folder: Folder


@step
def make(folder: str) -> str:
    return folder


@step
def plain_made(folder: str) -> str:
    return make.plain(folder)


@workflow("tiny")
async def tiny(p: P) -> str:
"""
BODY_STARTS = len(HEAD.splitlines()) + 1
SAMPLES = Path(__file__).parents[1] / "samples/templates"
ROOT = Path(__file__).parents[2]


def in_body(template: MakeTemplate, *lines: str) -> list[Finding]:
    """Findings of a workflow with these lines in its body."""
    body = "".join(f"    {line}\n" for line in lines)
    return check_template(template(workflow=HEAD + body + "    return ''\n"))


@pytest.mark.parametrize(
    "line,what,instead",
    [
        ("at = datetime.now()", "datetime.datetime.now", "now()"),
        ("at = dt.datetime.utcnow()", "datetime.datetime.utcnow", "now()"),
        ("day = date.today()", "datetime.date.today", "now().date()"),
        ("t = time.time()", "time.time", "now()"),
        ("t = seconds()", "time.time", "now()"),
        ("clock = time.monotonic", "time.monotonic", "now()"),
        ("t = time.strftime('%Y')", "time.strftime", "now()"),
        ("x = rnd.randint(1, 6)", "random.randint", "random()"),
        ("x = rnd.Random()", "random.Random", "random()"),
        ("x = secrets.token_hex()", "secrets.token_hex", "random()"),
        ("x = os.urandom(8)", "os.urandom", "random()"),
        ("x = ids.uuid4()", "uuid.uuid4", "uuid()"),
        ("x = hash(p.folder)", "hash", "hashlib"),
        ("x = open('a').read()", "open", "@step"),
        ("x = Path(p.folder).read_text()", ".read_text()", "@step"),
        ("x = (Path(p.folder) / 'a').exists()", ".exists()", "@step"),
        ("x = [f for f in Path('.').iterdir()]", ".iterdir()", "@step"),
        ("x = os.listdir('.')", "os.listdir", "@step"),
        ("x = files().list(p.folder)", "counterfoil.files", "@step"),
        ("x = os.environ['HOME']", "os.environ", "parameter"),
        ("x = os.getenv('HOME')", "os.getenv", "parameter"),
        ("Path('a').write_text('x')", ".write_text()", "write_file"),
        ("os.remove('a')", "os.remove", "write_file"),
        ("x = httpx.get('https://a.example')", "httpx.get", "http("),
        ("x = subprocess.run(['a'])", "subprocess.run", "@step"),
        ("x = await asyncio.gather(make('a'))", "asyncio.gather", "parallel("),
        ("x = asyncio.create_task(make('a'))", "asyncio.create_task", "parallel("),
        ("await asyncio.sleep(1)", "asyncio.sleep", "sleep(timedelta"),
        ("time.sleep(1)", "time.sleep", "sleep(timedelta"),
        ("x = await asyncio.wait_for(make('a'), 1)", "asyncio.wait_for", "first("),
        ("x = await asyncio.to_thread(len, 'a')", "asyncio.to_thread", "@step"),
        ("threading.Thread(target=len).start()", "threading.Thread", "@step"),
        ("x = asyncio.get_running_loop().run_in_executor(None, len)", ".run_in_executor()", "@step"),
        ("x = input('ok?')", "input", "ask("),
        ("print('here')", "print", "report("),
        ("import random as r; x = r.random()", "random.random", "random()"),
        ("CACHE['a'] = 1", "a change of CACHE", "local variable"),
        ("CACHE['a']['b'] += 1", "a change of CACHE", "local variable"),
        ("del CACHE['a']", "a change of CACHE", "local variable"),
        ("NAMES.append('c')", "a change of NAMES", "local variable"),
        ("global CACHE", "global CACHE", "local variable"),
        ("x = [make(n) for n in {'a', 'b'}]", "the order of the set {'a', 'b'}", "sorted("),
        ("x = list(set(NAMES))", "the order of the set set(NAMES)", "sorted("),
        ("x = ', '.join(set(NAMES) - {'a'})", "the order of the set set(NAMES) - {'a'}", "sorted("),
        ("x = await parallel(*{make(n) for n in NAMES})", "the order of the set {make(n) for n in NAMES}", "sorted("),
        ("make('a')", "make(…) without await", "await"),
        ("write_file('a', 'b')", "write_file(…) without await", "await"),
        ("counterfoil.sleep(timedelta(1))", "sleep(…) without await", "await"),
        ("counterfoil.changes()", "changes(…) without await", "await"),
    ],
)
def test_traps_of_a_workflow_body(template: MakeTemplate, line: str, what: str, instead: str) -> None:
    found = in_body(template, line)
    assert any(
        (entry.file, entry.line, entry.what) == ("workflow.py", BODY_STARTS, f"{what} in the workflow body.")
        and instead in entry.instead
        and entry.why
        for entry in found
    ), found


def test_a_name_declared_global_is_the_modules(template: MakeTemplate) -> None:
    found = in_body(template, "global NAMES", "NAMES = []", "NAMES.append('c')")
    assert {entry.what for entry in found} == {
        "global NAMES in the workflow body.",
        "a change of NAMES in the workflow body.",
    }


def test_names_are_sets_where_every_assignment_is_one(template: MakeTemplate) -> None:
    [entry] = in_body(template, "left = set(NAMES)", "for name in left:", "    await make(name)")
    assert (entry.line, entry.what) == (BODY_STARTS + 1, "the order of the set left in the workflow body.")
    assert (
        in_body(template, "left = set(NAMES)", "left = sorted(left)", "for name in left:", "    await make(name)") == []
    )


@pytest.mark.parametrize(
    "line",
    [
        "at = now(); key = uuid(); x = random().choice(NAMES)",
        "x = datetime(2026, 11, 30); y = date.fromisoformat('2026-11-30'); z = timedelta(days=1)",
        "x = rnd.Random(7).random(); y = time.gmtime(0); z = time.strftime('%Y', y)",
        "x = os.path.join('a', 'b'); y = Path('a') / 'b'; z = y.name, y.suffix, str(y.parent)",
        "x = sorted({'a', 'b'}); y = sorted(n for n in set(NAMES)); z = len(set(NAMES)), 'a' in {'a'}",
        "x = {n for n in set(NAMES)}; y = max(set(NAMES))",
        "x = await parallel(make('a'), make('b')); y = await first(make('a'), sleep(timedelta(1)))",
        "cache = {}; cache['a'] = 1; names = list(NAMES); names.append('c')",
        "x: Path = None; y = make.plain('a'); z = CACHE.get('a')",
        "open = 'yes'; x = open.upper()",
        "x = [time for time in (1, 2)]; y = time",
        "plan = [write_file('a', 'b')]; d = await approve('T', plan=plan); await d.perform()",
        "d = await approve('T', plan=[write_file('a', 'b')]); await write_file('a', 'b')",
        "x = 'a.b'.replace('.', '-'); y = x.join(NAMES); p.folder.strip()",
        "try: await make('a')\n    except asyncio.CancelledError: raise",
    ],
)
def test_sound_bodies(template: MakeTemplate, line: str) -> None:
    assert in_body(template, line) == []


def test_what_the_body_uses_is_looked_through_too(template: MakeTemplate) -> None:
    rows = "from rows.clock import stamp as stamped\n"
    clock = "from datetime import datetime\n\n\ndef stamp():\n    return inner()\n\n\ndef inner():\n    return datetime.now()\n"
    other = "import time\n\n\ndef unused():\n    return time.time()\n"
    use = "from counterfoil import step, workflow, Params\nfrom rows import stamped\n\n\n"
    code = (
        "class P(Params):\n    a: str\n\n\n@workflow('tiny')\nasync def tiny(p: P) -> str:\n    return str(stamped())\n"
    )
    folder = template(
        files={"rows/__init__.py": rows, "rows/clock.py": clock, "rows/other.py": other},
        workflow=use + code,
        manifest=MANIFEST.replace("{folder}", "{a}"),
    )
    [entry] = check_template(folder)
    assert (entry.file, entry.line) == ("rows/clock.py", 9)
    assert entry.what == "datetime.datetime.now in inner(), which the workflow body uses."


def test_relative_imports_and_classes_are_followed(template: MakeTemplate) -> None:
    clock = "import time\n\n\nclass Stamp:\n    def __post_init__(self):\n        self.at = time.time()\n\n"
    clock += "    def make():\n        return time.time_ns()\n"
    rows = "from .clock import Stamp\n"
    body = "    stamp = Stamp()\n    other = Stamp.make()\n    return ''\n"
    folder = template(
        files={"rows/__init__.py": rows, "rows/clock.py": clock},
        workflow="from rows import Stamp\n" + HEAD + body,
    )
    assert [(entry.file, entry.line) for entry in check_template(folder)] == [
        ("rows/clock.py", 6),
        ("rows/clock.py", 9),
    ]


def test_what_runs_at_import(template: MakeTemplate) -> None:
    lines = "TODAY = date.today()\nRNG = rnd.Random()\nFIXED = rnd.Random(7)\nNOW = datetime.now\nSCHEMA = open(__file__).read()\n"
    more = "def f(at=time.time()):\n    pass\n\n\nclass C:\n    at = ids.uuid4()\n"
    head = HEAD.replace("NAMES =", f"{lines}\n\n{more}\n\nNAMES =")
    found = check_template(template(workflow=head + "    return ''\n"))
    assert [entry.what for entry in found] == [
        "datetime.date.today when the module is imported.",
        "random.Random when the module is imported.",
        "time.time when the module is imported.",
        "uuid.uuid4 when the module is imported.",
    ]


@pytest.mark.parametrize(
    "line,what",
    [
        ("await write_file('a', 'b')", "write_file(…) in the step bad."),
        ("x = write_file('a', 'b')", "write_file(…) in the step bad."),
        ("await approve('T')", "approve(…) in the step bad."),
        ("await ask('Q', [])", "ask(…) in the step bad."),
        ("await sleep(timedelta(1))", "sleep(…) in the step bad."),
        ("await d.perform()", "perform() in the step bad."),
        ("x = now()", "now() in the step bad."),
        ("helper()", "uuid() in helper(), which the step bad uses."),
    ],
)
def test_traps_of_a_step(template: MakeTemplate, line: str, what: str) -> None:
    step = (
        f"@step\nasync def bad(d: str) -> str:\n    {line}\n    return ''\n\n\ndef helper():\n    return uuid()\n\n\n"
    )
    head = HEAD.replace("@workflow", f"{step}@workflow")
    [entry] = check_template(template(workflow=head + "    return ''\n"))
    assert entry.what == what
    assert entry.level == "error"


def test_steps_may_do_what_bodies_may_not(template: MakeTemplate) -> None:
    step = "@step\ndef good(d: str) -> str:\n    CACHE[d] = time.time()\n    return open(d).read() + str(files().list(d))\n\n\n"
    head = HEAD.replace("@workflow", f"{step}@workflow")
    assert check_template(template(workflow=head + "    return await good('x')\n")) == []


def test_a_step_says_what_it_returns(template: MakeTemplate) -> None:
    folder = template(workflow=WORKFLOW.replace(" -> str:\n    return f", ":\n    return f"))
    [entry] = check_template(folder)
    assert (entry.line, entry.level) == (9, "warning")
    assert entry.instead == "def make(folder: Folder) -> …:"


def test_types_for_the_checker_only(template: MakeTemplate) -> None:
    start = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from decimal import Decimal\n"
    folder = template(workflow=start + WORKFLOW.replace("-> str:\n    return f", "-> list[Decimal]:\n    return f"))
    [entry] = check_template(folder)
    assert entry.what == "Decimal is imported for the type checker only, and make returns it."


def test_an_approval_without_a_plan(template: MakeTemplate) -> None:
    found = in_body(template, "await approve('T', plan=[])", "await write_file('a', 'b')")
    assert [(entry.line, entry.what, entry.level) for entry in found] == [
        (
            BODY_STARTS,
            f"approve(…) without a plan; the effect in line {BODY_STARTS + 1} asks again.",
            "warning",
        )
    ]
    assert in_body(template, "await approve('Go on?')") == []


def test_effects_are_among_the_permissions(template: MakeTemplate) -> None:
    [entry] = in_body(template, "await mail('a@b.example', 's', 'b')")
    assert entry.what == "mail(…) is not among the permissions in template.toml."
    assert entry.instead == 'permissions = ["write_file", "mail"]  # in template.toml'


def test_tools_of_agents_are_among_the_permissions(template: MakeTemplate) -> None:
    line = "await counterfoil.agent('Go', tools=['files', 'command', 'connector:desk/send'])"
    found = [entry for entry in in_body(template, line) if "permissions" in entry.what]
    assert sorted(entry.instead for entry in found) == [
        'permissions = ["write_file", "call"]  # in template.toml',
        'permissions = ["write_file", "command"]  # in template.toml',
    ]
    assert in_body(template, "await counterfoil.agent('Go', tools=['files'])") == []
    [entry] = in_body(template, "counterfoil.agent('Go')")
    assert entry.what.startswith("agent(…) without await")


def test_connectors_are_named_in_the_manifest(template: MakeTemplate) -> None:
    lines = (
        "await counterfoil.call('bank', 'rates', day='x')",
        "name = 'other'",
        "await counterfoil.call(name, 'known only when it runs')",
        "await counterfoil.agent('Go', tools=['connector:desk/send', 'connector:desk/read', 'connector:mail'])",
    )
    found = [entry for entry in in_body(template, *lines) if "connectors" in entry.what]
    assert [(entry.line, entry.what, entry.instead, entry.level) for entry in found] == [
        (
            BODY_STARTS + line,
            f"the connector {name} is not among the connectors in template.toml.",
            f'connectors = ["{name}"]  # in template.toml',
            "warning",
        )
        for line, name in ((0, "bank"), (3, "desk"), (3, "mail"))
    ]
    manifest = next(iter(template(workflow=HEAD + "".join(f"    {line}\n" for line in lines)).glob("template.toml")))
    manifest.write_text(manifest.read_text() + 'connectors = ["bank", "desk", "mail"]\n')
    assert [entry for entry in check_template(manifest.parent) if "connectors" in entry.what] == []


def test_own_changes_need_a_permission_to_change_something(template: MakeTemplate) -> None:
    lines = ("plan = await counterfoil.changes()", "await approve('Write', plan=plan)")
    assert in_body(template, *lines) == []  # the manifest of these tests asks for write_file
    folder = template(workflow=HEAD + "".join(f"    {line}\n" for line in lines) + "    return ''\n")
    manifest = folder / "template.toml"
    manifest.write_text(manifest.read_text().replace('permissions = ["write_file"]', "permissions = []"))
    found = [entry for entry in check_template(folder) if "permissions" in entry.what]
    assert [entry.what for entry in found] == [
        "changes(…) makes effects, and none of them is among the permissions in template.toml."
    ]
    assert "delete_files" in found[0].instead


def test_three_names_are_one(template: MakeTemplate) -> None:
    folder = template()
    assert check_template(folder) == []
    moved = folder.rename(folder.with_name("other"))
    assert [(entry.file, entry.line, entry.what) for entry in check_template(moved)] == [
        ("template.toml", 1, "the folder is called other, the manifest says tiny.")
    ]
    wrong = template("mine", workflow=WORKFLOW.replace('@workflow("{name}")', "@workflow('yours')"))
    [entry] = check_template(wrong)
    assert (entry.line, entry.what) == (14, "the workflow is called yours, the template mine.")
    assert entry.instead == '@workflow("mine")'


@pytest.mark.parametrize(
    "change,line,what",
    [
        (("async def tiny", "def tiny"), 14, "the workflow is not async."),
        (("tiny(p: P)", "tiny(p)"), 14, "the workflow must take one argument, annotated with its Params."),
        (("tiny(p: P)", "tiny(p: P, q: int)"), 14, "the workflow must take one argument, annotated with its Params."),
        (('@workflow("{name}")\n', ""), 0, "it holds no functions marked @workflow."),
        (("@step", '@workflow("{name}")'), 14, "it holds 2 functions marked @workflow."),
    ],
)
def test_one_workflow(template: MakeTemplate, change: tuple[str, str], line: int, what: str) -> None:
    assert change[0] in WORKFLOW
    text = WORKFLOW.replace(*change).replace("await decision.perform()", "pass").replace("await ", "")
    found = check_template(template(workflow=text))
    assert (line, what) in [(entry.line, entry.what) for entry in found], found


def test_manifest_and_parameters_agree(template: MakeTemplate) -> None:
    words = MANIFEST.replace("{folder}", "{foldr}") + '\n[parameters.paths]\nlabel = "x"\n'
    assert [(entry.line, entry.what, entry.instead) for entry in check_template(template(manifest=words))] == [
        (7, "the workflow has no parameter foldr.", "Did you mean ‘folder’?"),
        (9, "the workflow has no parameter paths.", "Parameters: folder."),
    ]


def test_files_that_cannot_be_read(template: MakeTemplate) -> None:
    files = {"a.py": "x = (\n", "b.py": "\0", "c.py": "(" * 5000, "json.py": "", "rows/json.py": ""}
    folder = template(files=files, manifest="name = tiny\n")
    found = {(entry.file, entry.line): entry.what for entry in check_template(folder)}
    assert found["template.toml", 1] == "it is no TOML: invalid value."
    assert found["a.py", 1] == "'(' was never closed."
    assert {"b.py", "c.py"} < {file for file, _ in found}
    assert found["json.py", 0].startswith("a module called json hides")
    assert ("rows/json.py", 0) not in found
    (folder / "link.py").symlink_to(folder / "a.py")
    assert "it is a link" in str(check_template(folder))


def test_an_empty_folder(tmp_path: Path) -> None:
    assert [entry.file for entry in check_template(tmp_path)] == ["template.toml", "workflow.py"]


def test_nothing_runs(template: MakeTemplate, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    check_template(template(workflow=f"open({str(ran)!r}, 'w')\n"))
    assert not ran.exists()


def test_our_own_templates_are_sound() -> None:
    bundled = [folder.parent for folder in ROOT.glob("workflows/*/template.toml")]
    for folder in [SAMPLES / "hello-approval", *bundled]:
        assert check_template(folder) == []
