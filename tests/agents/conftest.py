"""What tests of agents share."""

import email
import email.policy
import shutil
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.authoring.file_door import Files
from counterfoil.places import Home
from counterfoil.sandbox import probing
from counterfoil.sandbox.levels import Measured
from counterfoil.testing import Harness
from effects.post_office import PostOffice
from engine.power_cut import blank_home

Make = Callable[..., Harness]


@pytest.fixture
def folder(tmp_path: Path) -> Generator[Path]:
    """A folder whose files tools see; what they write is theirs alone."""
    with Files(tmp_path).bound():
        yield tmp_path


@pytest.fixture(scope="session")
def blank(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home with a fresh database; copy it, do not use it."""
    return blank_home(tmp_path_factory.mktemp("blank"))


@pytest.fixture
def office(tmp_path: Path, blank: Home) -> Generator[Make]:
    """Makes harnesses with the real effects and policy on the workspace `tmp_path / "workspace"`; the llms speak a script."""
    made: list[Harness] = []
    workspace = tmp_path / "workspace"
    workspace.mkdir()

    def make(*script: Any, ask: Any = None, **more: Any) -> Harness:
        home = Home(tmp_path / f"home{len(made)}").create()
        shutil.copy(blank.database, home.database)
        made.append(Harness(workspace, home=home.root, llms=ask or list(script), **more))
        return made[-1]

    yield make
    for harness in made:
        harness.close()


@pytest.fixture
def level(tmp_path: Path) -> Measured:
    """What this computer measures; commands need more than some have."""
    found = probing.measured(Home(tmp_path / "probe").create())
    if not found.level.commands:
        pytest.skip(f"no commands at the level {found.code} of this computer")
    return found


@pytest.fixture
def sent(tmp_path: Path, office: Make) -> Generator[PostOffice]:
    """The mail server of the workspace: what has gone out."""
    server = PostOffice()
    place = tmp_path / "workspace" / ".counterfoil"
    place.mkdir(exist_ok=True)
    account = f'[mail]\nport = {server.port}\nhost = "127.0.0.1"\ntls = "none"\nfrom = "Clerk <clerk@b.example>"\n'
    (place / "workspace.toml").write_text(account)
    yield server
    server.close()


def subjects(server: PostOffice) -> list[str]:
    """The subjects of what has gone out, oldest first."""
    return [str(email.message_from_bytes(data, policy=email.policy.default)["Subject"]) for _, _, data in server.mails]
