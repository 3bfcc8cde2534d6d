"""A second server that nobody of us wrote, which tells no usage and whose Anthropic stream is none: what it says is taken for what it is.

It comes from a package registry, so it is asked where somebody has installed it: COUNTERFOIL_MOCKLLM names its program.
"""

import os
import socket
import subprocess
import time
from collections.abc import Generator
from pathlib import Path

import pytest

from counterfoil.engine.llm_ports import LlmTrouble
from routing.conftest import Ways

PROGRAM = os.environ.get("COUNTERFOIL_MOCKLLM", "")
pytestmark = pytest.mark.skipif(not PROGRAM, reason="mockllm is not installed; COUNTERFOIL_MOCKLLM names no program")
PATIENCE = 120.0


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Generator[str]:
    """Where it answers."""
    folder = tmp_path_factory.mktemp("mockllm")
    answers = folder / "answers.yml"
    answers.write_text('responses: {}\ndefaults:\n  unknown_response: "No words."\n')
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = [PROGRAM, "start", "--responses", str(answers), "--host", "127.0.0.1", "--port", str(port)]
    with Path(folder / "log").open("wb") as log:
        process = subprocess.Popen(words, stdout=log, stderr=log)
    try:
        _wait(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def _wait(port: int) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError("mockllm did not start")


def test_an_answer_without_usage_is_an_answer_and_its_cost_is_not_taken_for_nothing(ways: Ways, address: str) -> None:
    ways.route(ways.openai(address=f"{address}/v1", priced="set", price_in="1", price_out="2"))
    reply = ways.ask()
    assert (reply.text, reply.finish, reply.usage) == ("No words.", "stop", {})
    assert ways.rows.words == ["open"]
    assert reply.end.told["priced"] == "set, at most: no usage was told"
    assert (reply.end.charge or 0) > 0


def test_a_stream_that_is_none_of_its_vendor_is_no_answer(ways: Ways, address: str) -> None:
    ways.route(ways.anthropic(address=address))
    with pytest.raises(LlmTrouble, match=r"No llm answered\. anthropic claude-haiku-4-5"):
        ways.ask()
    assert set(ways.rows.words) <= {"rejected", "cut", "unknown"}
