"""Apply sets for tests: sealing a plan, applying it in a process that is killed on the way, and what a folder then holds."""

import hashlib
import json
import os
import signal
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from counterfoil.authoring.effect_values import Effect
from counterfoil.effects import kernel
from counterfoil.effects.applying import apply_files
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.engine.ports import FileOp
from counterfoil.places import Home
from counterfoil.store.blobs import Blobs

# Every act that changes what a crash leaves: the process can end before or after each of them.
ACTS = [(os, name) for name in "fsync unlink mkdir rmdir rename link write fchmod replace".split()]
ACTS += [(kernel, "rename_with")]


def sha(data: bytes) -> str:
    """SHA-256 as the journal writes it."""
    return hashlib.sha256(data).hexdigest()


def seal(catalogue: EffectCatalogue, plan: Sequence[Effect], workspace: Path) -> list[FileOp]:
    """The journal of a plan that was approved as the folder is now."""
    entries = catalogue.prepare_plan([effect.body for effect in plan], str(workspace))
    items = [(n, effect.body, entry.base) for n, (effect, entry) in enumerate(zip(plan, entries, strict=True), start=1)]
    return catalogue.file_ops(items, str(workspace))


def held(folder: Path) -> dict[str, bytes]:
    """Every file beneath a folder, hidden ones included."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def folders(folder: Path) -> set[str]:
    """Every folder beneath a folder."""
    return {str(inner.relative_to(folder)) for inner in folder.rglob("*") if inner.is_dir()}


def killed_in_a_child(act: Callable[[], object], stop: Callable[[Callable[[], None]], object]) -> bool:
    """Run an act in a forked child that `stop` may have arranged to be killed; whether it was.

    `stop` is given the function that ends the process the hard way.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # nothing of a thread is used in the child
        pid = os.fork()
    if pid == 0:
        try:
            stop(lambda: os.kill(os.getpid(), signal.SIGKILL))
            act()
        finally:
            os._exit(0)
    _, status = os.waitpid(pid, 0)
    return os.WIFSIGNALED(status)


def at_act(number: int, *, after: bool) -> Callable[[Callable[[], None]], None]:
    """Arrange for the process to end at the n-th act, before or after it."""

    def arrange(end: Callable[[], None]) -> None:
        count = [0]
        for where, name in ACTS:
            setattr(where, name, _counted(getattr(where, name), count, number, end, after=after))

    return arrange


def _counted(
    act: Callable[..., Any], count: list[int], number: int, end: Callable[[], None], *, after: bool
) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        count[0] += 1
        mine = count[0] == number
        if mine and not after:
            end()
        try:
            return act(*args, **options)
        finally:
            if mine:
                end()

    return call


def filled_with(folder: Path, files: dict[str, bytes]) -> Path:
    """A folder with these files in it."""
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return folder


class Scene:
    """A filled workspace with a sealed set, made anew for every kill."""

    def __init__(self, folder: Path, plan: Sequence[Effect], files: dict[str, bytes]) -> None:
        self.workspace, home = folder / "workspace", Home(folder / "home").create()
        self.undo = str(home.undo / "gate")
        self.workspace.mkdir()
        filled_with(self.workspace, files)
        self.blobs = Blobs(home)
        self.ops = seal(EffectCatalogue(home, self.blobs), plan, self.workspace)

    def apply(self) -> object:
        """Apply the set, or what is left of it."""
        return apply_files(self.ops, str(self.workspace), self.undo, contents=self.blobs.path)

    def killed(self, number: int, *, after: bool) -> bool:
        """Apply it in a process that is killed before or after its n-th act; whether it was."""
        return killed_in_a_child(self.apply, at_act(number, after=after))

    def held(self) -> dict[str, bytes]:
        """Every file of the workspace."""
        return held(self.workspace)


def every_kill(folder: Path, make: Callable[[Path], Scene], judge: Callable[[Scene], None], *, step: int = 1) -> int:
    """Kill a fresh set before and after each of its acts, and judge what is left; how many kills landed."""
    landed, number, running = 0, 1, True
    while running:
        for after in (False, True):
            scene = make(folder / f"{number}-{after}")
            running = scene.killed(number, after=after)
            landed += running
            judge(scene)
        number += step
    return landed


def is_complete(scene: Scene) -> bool:
    """Whether the killed call had noted that the set is whole."""
    notes = list(Path(scene.undo).glob("set-*.json")) if Path(scene.undo).exists() else []
    return any(json.loads(note.read_bytes())["complete"] for note in notes)
