"""What kind of file a change touches: most are plain, some are run or obeyed by other programs later on, a few are never changed.

One table of names says it for effects and for differences alike. Names are folded first (`boundaries.folded`) and matched at every depth,
whether or not such a file exists: a list that knew only files that are there already would let somebody make them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from counterfoil.policy.boundaries import folded, visible

HEAD = 8192  # bytes of a file that its kind is told by


class Fate(Enum):
    """What becomes of a change because of what it touches."""

    NEVER = "never"
    RUNS_LATER = "runs later"


@dataclass(frozen=True, slots=True)
class Rule:
    """A row of the table. `why` is a clause about the file; `folders` may be several names deep and count for all that is beneath them."""

    fate: Fate
    why: str
    names: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()
    beginnings: tuple[str, ...] = ()


VERSIONS = Rule(
    Fate.NEVER,
    "it is data of a version control system, which runs what lies there",
    names=(".gitmodules", ".gitconfig"),
    folders=(".git", "git~1", ".hg", ".svn", ".bzr", ".jj"),
)
ACCESS = Rule(
    Fate.NEVER,
    "it holds or grants access to other systems",
    names=tuple(
        """id_rsa id_dsa id_ecdsa id_ed25519 id_ecdsa_sk id_ed25519_sk authorized_keys authorized_keys2 known_hosts .netrc _netrc
        .pgpass .my.cnf .git-credentials .pypirc .dockercfg application_default_credentials.json .vault-token""".split()
    ),
    folders=(*".ssh .gnupg .aws .azure .kube .docker .password-store".split(), ".config/gcloud", ".config/gh"),
)
RULES = (
    VERSIONS,
    ACCESS,
    Rule(
        Fate.NEVER,
        "shells run it whenever somebody signs in or opens a terminal",
        names=tuple(
            """.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .zshrc .zshenv .zprofile .zlogin .zlogout .kshrc
            .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .xsessionrc .pam_environment .inputrc .zsh_history
            .bash_history profile.ps1 microsoft.powershell_profile.ps1 microsoft.vscode_profile.ps1 autoexec.bat""".split()
        ),
        folders=(".config/fish", ".config/environment.d", ".zsh", ".bashrc.d"),
    ),
    Rule(
        Fate.NEVER,
        "the system starts programs by it",
        names=("crontab", "autorun.inf", "desktop.ini"),
        folders=(
            ".config/autostart",
            ".config/systemd",
            "library/launchagents",
            "library/launchdaemons",
            "programs/startup",
        ),
        endings=(".desktop", ".service", ".timer", ".automount"),
    ),
    Rule(Fate.NEVER, "it belongs to Counterfoil itself", beginnings=(".counterfoil",)),
    Rule(
        Fate.RUNS_LATER,
        "programs take settings and secrets from it when they start",
        names=(".env", ".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml", "pip.conf", ".condarc", ".curlrc", ".wgetrc"),
        folders=(".config",),
        beginnings=(".env.", ".env-", ".env_"),
    ),
    Rule(
        Fate.RUNS_LATER,
        "an editor obeys it when the folder is opened",
        names=(".vimrc", ".exrc", ".nvimrc", ".emacs", ".dir-locals.el"),
        folders=(".vscode", ".idea", ".devcontainer", ".fleet", ".zed", ".vs"),
        endings=(".code-workspace", ".sublime-project", ".sln"),
    ),
    Rule(
        Fate.RUNS_LATER,
        "it is run by hooks, on the next commit for instance",
        names=(".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "lefthook.yml", ".lefthook.yml", ".overcommit.yml"),
        folders=(".husky", "hooks", ".githooks"),
    ),
    Rule(Fate.RUNS_LATER, "git treats other files as it says", names=(".gitattributes",)),
    Rule(
        Fate.RUNS_LATER,
        "agents and assistants do what it says",
        names=tuple(
            """claude.md claude.local.md agents.md agent.md gemini.md skill.md .mcp.json mcp.json .cursorrules .windsurfrules .clinerules
            .goosehints .aider.conf.yml copilot-instructions.md .copilot-instructions.md""".split()
        ),
        folders=tuple(
            ".claude .codex .cursor .gemini .windsurf .continue .roo .cline .kiro .agents .amazonq .goose .opencode".split()
        ),
    ),
    Rule(
        Fate.RUNS_LATER,
        "builds and tests run it",
        names=tuple(
            """makefile gnumakefile package.json setup.py setup.cfg pyproject.toml conftest.py tox.ini noxfile.py dockerfile containerfile
            justfile rakefile gemfile cmakelists.txt build.gradle build.gradle.kts settings.gradle pom.xml build.xml vagrantfile
            taskfile.yml cargo.toml docker-compose.yml docker-compose.yaml compose.yml compose.yaml .pnpmfile.cjs""".split()
        ),
        endings=(".mk", ".gradle", ".csproj", ".vcxproj", ".targets"),
    ),
    Rule(
        Fate.RUNS_LATER,
        "Python runs it at every start",
        names=("sitecustomize.py", "usercustomize.py", "pyvenv.cfg"),
        endings=(".pth",),
    ),
    Rule(
        Fate.RUNS_LATER,
        "a build server runs it",
        names=tuple(
            """.gitlab-ci.yml .travis.yml azure-pipelines.yml jenkinsfile bitbucket-pipelines.yml .drone.yml appveyor.yml .appveyor.yml
            .woodpecker.yml""".split()
        ),
        folders=tuple(".github .gitlab .circleci .buildkite .gitea .forgejo .woodpecker".split()),
    ),
    Rule(
        Fate.RUNS_LATER,
        "it can hold macros, which run when it is opened",
        endings=tuple(".xlsm .xltm .xlam .xla .docm .dotm .pptm .potm .ppsm .ppam .odb".split()),
    ),
    Rule(
        Fate.RUNS_LATER,
        "it is a program or a script",
        endings=tuple(
            """.sh .bash .zsh .fish .ksh .csh .ps1 .psm1 .psd1 .bat .cmd .com .exe .scr .msi .msix .dll .sys .so .dylib .jar .class .app
            .run .appimage .deb .rpm .vbs .vbe .js .mjs .cjs .jse .wsf .wsh .hta .py .pyw .pyc .pyd .pl .rb .lua .php .scpt .applescript
            .command .workflow .reg .scf .lnk .url .webloc .inf .cpl .gadget .chm .msc .jnlp .xll .iqy .slk""".split()
        ),
    ),
)


def _index(part: str) -> dict[str, Rule]:
    """Rules by each of their names of one sort; what is never changed goes before what runs later."""
    rules = sorted(RULES, key=lambda rule: rule.fate is not Fate.NEVER, reverse=True)
    return {name: rule for rule in rules for name in getattr(rule, part)}


_NAMES, _FOLDERS, _ENDINGS = _index("names"), _index("folders"), _index("endings")
_BEGINNINGS = tuple((beginning, rule) for beginning, rule in _index("beginnings").items())
_DEEP = {name: rule for name, rule in _FOLDERS.items() if "/" in name}


def rule_of(path: str) -> Rule | None:
    """The row that a path falls under, the strictest of several; None for a plain file."""
    names = [folded(part) for part in path.split("/")]
    found = list(_rules(names))
    return next((rule for rule in found if rule.fate is Fate.NEVER), found[0] if found else None)


def _rules(names: list[str]) -> Iterable[Rule]:
    last = names[-1]
    if last in _NAMES:
        yield _NAMES[last]
    yield from (_FOLDERS[name] for name in names if name in _FOLDERS)
    whole = f"/{'/'.join(names)}/"
    yield from (rule for folder, rule in _DEEP.items() if f"/{folder}/" in whole)
    yield from (rule for beginning, rule in _BEGINNINGS if any(name.startswith(beginning) for name in names))
    dot = last.rfind(".")
    if dot >= 0 and last[dot:] in _ENDINGS:
        yield _ENDINGS[last[dot:]]


def never_changed(path: str) -> str | None:
    """Why no effect may touch this file, as a sentence; None where it may."""
    rule = rule_of(path)
    if rule is None or rule.fate is not Fate.NEVER:
        return None
    return f"“{visible(path)}” is never changed: {rule.why}."


def runs_later(path: str, before: bytes | None = None, after: bytes | None = None) -> str | None:
    """Why a change of this file is more than its bytes, as a clause about it; None where it is not.

    `before` and `after` are the first HEAD bytes where they are known; a file that is only moved has the same ones.
    """
    rule = rule_of(path)
    if rule is not None and rule.fate is Fate.RUNS_LATER:
        return rule.why
    if after is None:
        return None
    if after.startswith(b"#!"):
        return "it begins with “#!”, so it runs when it is started"
    if after.startswith(_PROGRAMS) and not (before or b"").startswith(_PROGRAMS):
        return "it is a program"
    if before and after and is_text(before) and not is_text(after):
        return "it was text and becomes something else"
    return None


_PROGRAMS = (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\xfe\xed\xfa")


def is_text(head: bytes) -> bool:
    """Whether the first bytes of a file are those of a text, in UTF-8, UTF-16 with its mark, or a Western code page."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    odd = sum(byte < 9 or 13 < byte < 32 for byte in head)
    return b"\x00" not in head and odd * 50 <= len(head) and not head.startswith((b"%PDF-", b"\x89PNG"))
