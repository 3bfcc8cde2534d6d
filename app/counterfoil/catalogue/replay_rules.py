"""What may not stand in a workflow body, since the body runs again whenever a run carries on: what, why, and the line to write
instead. Paths are what names mean (see source_code); a rule holds for its path and everything beneath it, the longest path wins.
"""

from __future__ import annotations

from dataclasses import dataclass

from counterfoil.catalogue.broken_file import Level
from counterfoil.catalogue.manifest import EFFECTS


@dataclass(frozen=True, slots=True)
class Rule:
    """Why something is refused, and what to write instead; `at_import`: at the top level of a module too."""

    why: str
    instead: str
    level: Level = "error"
    at_import: bool = False


_CLOCK = "The body runs again when the run carries on, and the clock then shows another time."
_CHANCE = "The body runs again when the run carries on, and then draws something else."
_OUTSIDE = "The body runs again when the run carries on, and what lies outside may have changed by then."
_TASKS = "The order of raw tasks and threads cannot be repeated when the run carries on."
_IN_A_STEP = "Move it into a function marked @step and await that."

_NOW = Rule(_CLOCK, "at = now()  # from counterfoil", at_import=True)
_TODAY = Rule(_CLOCK, "today = now().date()  # from counterfoil", at_import=True)
_DRAW = Rule(_CHANCE, "random().choice(names)  # random from counterfoil", at_import=True)
_UUID = Rule(_CHANCE, "key = uuid()  # from counterfoil", at_import=True)
_READ = Rule(_OUTSIDE, _IN_A_STEP)
_WRITE = Rule(
    "A change that no plan shows was approved by nobody, and happens again when the run carries on.",
    "await write_file(path, data)  # or another effect of counterfoil",
)
_SETTING = Rule(_OUTSIDE, "Make it a parameter: name: str = param(label=…)")
_NETWORK = Rule(_OUTSIDE, "await http(method, url, …)  # from counterfoil; or call it in a @step")
_PROCESS = Rule(_OUTSIDE, "Start programs in a function marked @step and await that.")
_PARALLEL = Rule(_TASKS, "first_result, second_result = await parallel(a(), b())  # from counterfoil")
_RACE = Rule(_TASKS, "winner, result = await first(a(), sleep(timedelta(…)))  # from counterfoil")
_SLEEP = Rule(
    "A process that sleeps is lost at the next restart; a timer of Counterfoil's survives it and costs nothing.",
    "await sleep(timedelta(seconds=…))  # from counterfoil",
)
_THREAD = Rule(_TASKS, _IN_A_STEP)
_HASH = Rule("The hash of a text differs from process to process.", "hashlib.sha256(text.encode()).hexdigest()")

_PATHS = {
    _NOW: """
        datetime.datetime.now datetime.datetime.utcnow time.time time.time_ns time.monotonic time.monotonic_ns time.perf_counter
        time.perf_counter_ns time.process_time time.localtime time.gmtime time.ctime time.strftime time.asctime""",
    _TODAY: "datetime.date.today datetime.datetime.today",
    _DRAW: "random secrets os.urandom os.getrandom numpy.random",
    _UUID: "uuid.uuid1 uuid.uuid4 uuid.getnode",
    _READ: """
        builtins.open io.open io.open_code codecs.open os shutil tempfile glob fileinput sqlite3 dbm shelve linecache sys.stdin
        importlib.resources pathlib.Path.home pathlib.Path.cwd platform locale getpass socket.gethostname counterfoil.files
        psycopg sqlalchemy pandas.read_csv pandas.read_excel openpyxl pdfplumber pypdf docx pymysql""",
    _WRITE: """
        os.remove os.unlink os.rename os.renames os.replace os.mkdir os.makedirs os.rmdir os.removedirs os.link os.symlink
        os.chmod os.truncate shutil.move shutil.copy shutil.copy2 shutil.copyfile shutil.copytree shutil.rmtree""",
    _SETTING: "os.environ os.environb os.getenv os.getenvb os.getcwd sys.argv",
    _NETWORK: """
        requests httpx aiohttp urllib.request urllib3 http.client socket ssl smtplib imaplib poplib ftplib telnetlib
        xmlrpc.client boto3 paramiko""",
    _PROCESS: """
        subprocess os.system os.popen os.fork os.spawnl os.spawnv os.execv os.execl os.posix_spawn os.kill multiprocessing
        asyncio.create_subprocess_exec asyncio.create_subprocess_shell pty""",
    _PARALLEL: "asyncio anyio trio",
    _RACE: "asyncio.wait_for asyncio.timeout asyncio.timeout_at asyncio.wait asyncio.as_completed",
    _SLEEP: "asyncio.sleep time.sleep anyio.sleep trio.sleep",
    _THREAD: "asyncio.to_thread threading concurrent.futures _thread queue",
    _HASH: "builtins.hash builtins.id",
    Rule(
        "A person is asked through the inbox, not on a terminal.", "answers = await ask(question, fields)"
    ): "builtins.input",
    Rule("It prints again whenever the run carries on.", "report(text)  # in a @step", "warning"): "builtins.print",
    Rule(_OUTSIDE, _IN_A_STEP, "warning"): "logging",
}
_ALLOWED = """
    asyncio.CancelledError asyncio.TimeoutError asyncio.iscoroutine asyncio.iscoroutinefunction
    os.path.join os.path.basename os.path.dirname os.path.split os.path.splitext os.path.normpath os.path.normcase
    os.path.commonpath os.path.commonprefix os.path.isabs os.path.relpath os.sep os.linesep os.altsep os.extsep os.fspath
    os.fsencode os.fsdecode os.PathLike os.path.sep
    concurrent.futures.CancelledError concurrent.futures.TimeoutError queue.Empty queue.Full
    secrets.compare_digest subprocess.CalledProcessError sqlite3.Error httpx.HTTPError requests.RequestException""".split()
_RULES: dict[str, Rule | None] = {path: rule for rule, paths in _PATHS.items() for path in paths.split()}
_RULES |= dict.fromkeys(_ALLOWED)
# With that many arguments they are told what to work on, and say the same each time.
FINE_WITH = {
    "random.Random": 1,
    "time.gmtime": 1,
    "time.localtime": 1,
    "time.ctime": 1,
    "time.asctime": 1,
    "time.strftime": 2,
}

# Methods that give themselves away, whatever they are called on.
METHODS: dict[str, Rule] = {
    **dict.fromkeys(("read_text", "read_bytes", "iterdir", "rglob"), _READ),
    **dict.fromkeys(("write_text", "write_bytes"), _WRITE),
    **dict.fromkeys(("create_task", "ensure_future"), _PARALLEL),
    **dict.fromkeys(("call_later", "call_at", "call_soon"), _SLEEP),
    **dict.fromkeys(("run_in_executor", "call_soon_threadsafe"), _THREAD),
}
# Methods that are refused on what is known to be a pathlib path.
PATH_METHODS: dict[str, Rule] = {
    **dict.fromkeys(
        (
            "exists",
            "is_file",
            "is_dir",
            "is_symlink",
            "stat",
            "lstat",
            "glob",
            "walk",
            "open",
            "resolve",
            "owner",
            "samefile",
        ),
        _READ,
    ),
    **dict.fromkeys(
        ("unlink", "mkdir", "rmdir", "touch", "rename", "replace", "symlink_to", "hardlink_to", "chmod"), _WRITE
    ),
}
MUTATORS = frozenset(
    "append extend insert add update remove discard pop popitem clear setdefault sort reverse appendleft popleft".split()
)
MUTATION = Rule(
    "What a module remembers is lost when the run carries on in another process.",
    "Keep it in a local variable of the workflow, or return it from a step.",
)
SET_ORDER = Rule(
    "The order of a set differs from process to process, so the steps would come in another order when the run carries on.",
    "for item in sorted(items):",
)
ORDER_FREE = frozenset(f"builtins.{name}" for name in "sorted set frozenset min max any all len sum".split())
ORDER_BOUND = frozenset(f"builtins.{name}" for name in "list tuple enumerate iter zip map filter reversed dict".split())

EFFECT_VERBS = frozenset(f"counterfoil.{name}" for name in EFFECTS)
OWN_CHANGES = "counterfoil.changes"  # makes effects of what steps have written
AGENT = "counterfoil.agent"
CALL = "counterfoil.call"
AGENT_TOOLS = {"command": "command", "remember": "remember", "connector": "call"}  # words for tools, and what they make
OWN_EFFECTS = ("write_file", "move_files", "delete_files", "make_folders")
GATE_VERBS = frozenset({"counterfoil.approve", "counterfoil.ask"})
BODY_VERBS = (
    EFFECT_VERBS
    | GATE_VERBS
    | {f"counterfoil.{name}" for name in ("parallel", "first", "sleep", "sleep_until", "claimed_elsewhere", "changes")}
    | {f"counterfoil.{name}" for name in ("agent", "llm", "would_ask")}
)
BODY_VALUES = frozenset(f"counterfoil.{name}" for name in ("now", "uuid", "random"))
IN_STEP = Rule(
    "A step is performed as a whole and recorded at its end, so nothing in it can wait, be approved or be found again.",
    "Await it in the workflow body, between steps.",
)
VALUE_IN_STEP = Rule(
    "It is derived from the records of the run, which a step cannot see.", "Pass it to the step as an argument."
)
NOT_AWAITED = Rule("Without await nothing happens, and the run fails at its end.", "Put await before it.")


def rule_for(meaning: str) -> Rule | None:
    """The rule about a path, or None where nothing is wrong with it."""
    path = meaning
    while path:
        if path in _RULES:
            return _RULES[path]
        path = path.rpartition(".")[0]
    return None
