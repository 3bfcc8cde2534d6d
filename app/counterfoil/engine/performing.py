"""How a pure step's function is run inside a host: in a thread, as a coroutine, or in a forked child.

A forked child (`process=True`) serves CPU-bound parsing and hostile documents: whatever it does to its memory ends with it.
"""

from __future__ import annotations

import base64
import contextlib
import contextvars
import functools
import json
import os
import signal
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from counterfoil.authoring.codec import encode
from counterfoil.authoring.machine import Branch
from counterfoil.authoring.steps import Step
from counterfoil.engine.describing import ChildRaised, describe
from counterfoil.engine.loops import WorkflowLoop

CAN_FORK = hasattr(os, "fork") and sys.platform != "darwin"
_forking = threading.Lock()


class ChildEnded(RuntimeError):
    """A step's child process ended without an answer."""


class StepThreads:
    """Runs step functions and hands back their results as canonical text."""

    def __init__(self, loop: WorkflowLoop) -> None:
        self._loop = loop
        self._pool: ThreadPoolExecutor | None = None

    async def perform(
        self, branch: Branch, step: Step[Any, Any], arguments: dict[str, Any], blobs: dict[str, bytes]
    ) -> str:
        """Run one try; the result as canonical text, bytes over 64 KiB in `blobs`."""
        if step.is_async:
            text = encode(await step.call(arguments), blobs)
            _close(branch)
            return text
        call = functools.partial(_call, step, arguments, blobs, branch)
        if step.process and CAN_FORK:
            call = functools.partial(_in_child, step, arguments, blobs, branch)
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=8, thread_name_prefix="step")
        context = contextvars.copy_context()
        return str(await self._loop.run_in_executor(self._pool, context.run, call))

    def close(self) -> None:
        """Let the threads end when their work is done."""
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)


def _call(step: Step[Any, Any], arguments: dict[str, Any], blobs: dict[str, bytes], branch: Branch) -> str:
    text = encode(step.call(arguments), blobs)
    _close(branch)
    return text


def _close(branch: Branch) -> None:
    """The step has ended well: write down what it has changed, in the process that changed it."""
    if branch.overlay is not None:
        branch.overlay.close()


def _in_child(step: Step[Any, Any], arguments: dict[str, Any], blobs: dict[str, bytes], branch: Branch) -> str:
    """Fork, run, read the answer from a pipe; progress lines of the child are passed on as they come."""
    host = os.getpid()
    if branch.overlay is not None:
        branch.overlay.elsewhere = True
    with _forking:  # a child forked meanwhile would hold our pipe open, and its end would not be seen
        reading, writing = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _child(step, arguments, branch, writing, host)
        os.close(writing)
    answer: dict[str, Any] | None = None
    with os.fdopen(reading, "rb") as lines:
        for line in lines:
            message = json.loads(line)
            if "say" in message:
                branch.machine.report(branch, message["say"])
            else:
                answer = message
    _, status = os.waitpid(pid, 0)
    if answer is None:
        how = (
            f"signal {os.WTERMSIG(status)}"
            if os.WIFSIGNALED(status)
            else f"exit code {os.waitstatus_to_exitcode(status)}"
        )
        raise ChildEnded(f"{step.name} ended its process with {how} and gave no answer")
    if branch.overlay is not None:
        branch.overlay.heard.update(dict.fromkeys(answer["heard"]))
        branch.overlay.note_opened(answer["opened"])
    if "problem" in answer:
        raise ChildRaised(answer["problem"])
    blobs.update({sha: base64.b64decode(data) for sha, data in answer["blobs"].items()})
    return str(answer["text"])


class _Speaker:
    """Stands in for the machine inside a child: only `report` and `run` have a meaning there."""

    def __init__(self, branch: Branch, out: Any) -> None:
        self.run = branch.machine.run
        self.seed = branch.machine.seed
        self._out = out
        self._lock = threading.Lock()

    def report(self, _: Branch, text: str) -> None:
        with self._lock:
            self._out.write(json.dumps({"say": text}).encode() + b"\n")
            self._out.flush()


def _child(step: Step[Any, Any], arguments: dict[str, Any], branch: Branch, writing: int, host: int) -> None:
    status = 1
    die_with_parent()
    if os.getppid() != host:
        os._exit(status)  # the host ended before the kernel was asked to tell
    try:
        with contextlib.suppress(ValueError):
            signal.set_wakeup_fd(-1)
        with os.fdopen(writing, "wb") as out:
            speaker: Any = _Speaker(branch, out)
            branch.machine = speaker
            blobs: dict[str, bytes] = {}
            answer: dict[str, Any]
            try:
                text = _call(step, arguments, blobs, branch)
                answer = {"text": text, "blobs": {sha: base64.b64encode(data).decode() for sha, data in blobs.items()}}
            except BaseException as problem:  # noqa: BLE001 - everything a child raises is its answer
                answer = {"problem": describe(problem)}
            answer["heard"] = list(branch.overlay.heard) if branch.overlay is not None else []
            answer["opened"] = list(branch.overlay.opened) if branch.overlay is not None else []
            out.write(json.dumps(answer).encode() + b"\n")
        status = 0
    finally:
        os._exit(status)


def die_with_parent() -> None:
    """Ask the kernel to end this process when its parent ends (Linux); elsewhere the closed socket has to do."""
    if sys.platform != "linux":
        return
    import ctypes

    ctypes.CDLL(None, use_errno=True).prctl(1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
