"""Values of every size: inline up to 64 KiB, beyond that as blobs written before what names them (engine.md 21, 22)."""

import hashlib
from typing import Any

import pytest

from counterfoil import approve, ask, step, text, workflow, write_file
from counterfoil.facts import INLINE_LIMIT, RunState
from counterfoil.testing import Crashed
from engine.doing import Nothing, keyed
from engine.power_cut import PowerCut

KIB = 1024
SIZES = [0, 1, 4095, 4096, 4097, INLINE_LIMIT - 1, INLINE_LIMIT, INLINE_LIMIT + 1, KIB * KIB, 5 * KIB * KIB]


def content(size: int) -> bytes:
    """Bytes of a size that compress badly and differ in every part."""
    return b"".join(hashlib.sha256(n.to_bytes(8, "big")).digest() for n in range(size // 32 + 1))[:size]


@pytest.mark.parametrize("size", SIZES)
def test_bytes_of_any_size_are_the_same_live_and_on_replay(harness: PowerCut, size: int) -> None:
    seen: list[bytes] = []

    @step
    def made() -> bytes:
        return content(size)

    @workflow("bytes")
    async def flow(p: Nothing) -> int:
        seen.append(await made())
        await ask("Go on?", [])
        return len(seen[-1])

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert harness.result() == size
    assert seen == [content(size)] * 2
    kept = [path for path in harness.home.blobs.rglob("*") if path.is_file()]
    inline = size * 4 / 3 + 50 < INLINE_LIMIT  # in base64, as a row would hold it
    assert bool(kept) != inline


@pytest.mark.parametrize("size", SIZES)
def test_text_of_any_size_is_the_same_live_and_on_replay(harness: PowerCut, size: int) -> None:
    words = "x" * (size - 1) + "\N{EURO SIGN}" if size else ""
    seen: list[str] = []

    @step
    def made() -> dict[str, str]:
        return {"text": words}

    @workflow("text")
    async def flow(p: Nothing) -> dict[str, str]:
        found = await made()
        seen.append(found["text"])
        await ask("Go on?", [])
        return found

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    harness.answer()
    assert harness.advance() == RunState.DONE
    assert seen == [words, words]
    assert harness.result() == {"text": words}


@pytest.mark.parametrize("point", ["after_blob", "after_record"])
def test_a_crash_between_a_blob_and_its_record_costs_an_orphan_at_most(harness: PowerCut, point: str) -> None:
    made: list[int] = []

    @step
    def big() -> list[bytes]:
        made.append(1)
        return [content(200_000), content(300_000), b"small", content(200_000)]

    @workflow("big")
    async def flow(p: Nothing) -> list[int]:
        return [len(part) for part in await big()]

    harness.start(flow)
    harness.crash_at(point)
    with pytest.raises(Crashed):
        harness.advance()
    assert harness.advance() == RunState.DONE
    assert harness.result() == [200_000, 300_000, 5, 200_000]
    assert len(made) == (2 if point == "after_blob" else 1)


def test_a_plan_with_big_bytes_is_shown_sealed_and_performed(office: PowerCut) -> None:
    data = content(3_000_000)

    @step
    def made() -> bytes:
        return data

    @workflow("big-file")
    async def flow(p: Nothing) -> Any:
        decision = await approve("Write", plan=[write_file("big.bin", await made()), write_file("small.txt", "ok")])
        return await decision.perform()

    office.start(flow)
    assert office.advance() == RunState.WAITING
    item = office.spec()["plan"][0]
    assert item["body"]["args"]["data"] == {"$blob": hashlib.sha256(data).hexdigest(), "size": len(data)}
    assert item["after_digest"] == hashlib.sha256(data).hexdigest()
    office.approve()
    assert office.advance() == RunState.DONE
    assert (office.workspace / "big.bin").read_bytes() == data


def test_big_evidence_and_big_outcomes(harness: PowerCut) -> None:
    words = "word " * 100_000

    @workflow("words")
    async def flow(p: Nothing) -> int:
        decision = await approve("Read", plan=[keyed(words)], evidence=[text(words, title="All of it")])
        (outcome,) = await decision.perform()
        return len(outcome["kept"])

    harness.start(flow)
    assert harness.advance() == RunState.WAITING
    assert harness.gate()["spec_blob"]
    assert harness.spec()["evidence"][0]["data"] == words
    harness.approve()
    assert harness.advance() == RunState.DONE
    assert harness.result() == len(words)


def test_the_same_bytes_are_kept_once(harness: PowerCut) -> None:
    @step
    def made(n: int) -> bytes:
        return content(100_000)

    @workflow("twice")
    async def flow(p: Nothing) -> int:
        return len({await made(n) for n in range(5)})

    harness.start(flow)
    assert harness.advance() == RunState.DONE
    assert len([path for path in harness.home.blobs.rglob("*") if path.is_file()]) == 1
