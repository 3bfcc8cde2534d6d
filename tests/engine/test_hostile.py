"""A host that lies (engine.md 6, 10, 20, 21; DESIGN 3.1): it can lie about its own results and nothing else.

Frames go straight at the desk. Each of them is refused as a breach: nothing is performed, the database is the same row for row, and
the hold is over with the reason kept for a person.
"""

import asyncio
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from counterfoil import approve, move_files, step, workflow
from counterfoil.authoring import machine
from counterfoil.authoring.codec import canonical, digest
from counterfoil.authoring.llms import digest_of_turn
from counterfoil.engine import aftermath, uploads
from counterfoil.engine.desk import IN_FLIGHT, Desk
from counterfoil.engine.frames import HEAD, HEADER_LIMIT, TAIL_LIMIT, BadFrame, Unpacker, pack
from counterfoil.engine.holding import Hold
from counterfoil.engine.ports import NO_MOMENT, Moment
from counterfoil.facts import RunState
from counterfoil.places import Home
from counterfoil.store import gates
from engine.doing import Nothing
from engine.power_cut import PowerCut
from engine.siege import CLOSE, DIGEST, FOREIGN, FOREIGN_SHA, Siege, dump, effect_text, handled

Frame = dict[str, Any]


@pytest.fixture(scope="module")
def siege(tmp_path_factory: pytest.TempPathFactory, blank: Home) -> Generator[Siege]:
    """One besieged run for all attacks; each leaves it as it found it."""
    made = Siege(tmp_path_factory.mktemp("siege"), blank)
    yield made
    made.close()


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory, blank: Home) -> Generator[Siege]:
    """A besieged run for attacks of which some are no attacks."""
    made = Siege(tmp_path_factory.mktemp("arena"), blank)
    yield made
    made.close()


@pytest.fixture
def fresh(tmp_path: Path, blank: Home) -> Generator[Siege]:
    """A besieged run for one attack that changes it."""
    made = Siege(tmp_path, blank)
    yield made
    made.close()


def step_frame(**changes: Any) -> Frame:
    return {"t": "step", "p": "", "o": 4, "n": "one", "d": DIGEST, "took": 5, "say": None, "r": "1", **changes}


def effect_frame(**changes: Any) -> Frame:
    return {"t": "effect", "p": "", "o": 4, "seal": None, "r": effect_text(text="x", may="allow"), **changes}


def attempt_frame(**changes: Any) -> Frame:
    error = {"type": "ValueError", "mro": ["ValueError"], "message": "no", "errno": None, "traceback": ""}
    return {
        "t": "attempt",
        "p": "",
        "o": 4,
        "n": "one",
        "d": DIGEST,
        "error": error,
        "retries": 0,
        "raise": False,
        **changes,
    }


def gate_spec(**changes: Any) -> dict[str, Any]:
    spec = {
        "kind": "approval",
        "title": "Pay",
        "plan": [{"body": {"kind": "asking@1", "args": {"text": "x"}}, "needs": [], "editable": []}],
        "evidence": [],
        "flags": [],
        "fields": [],
        "figures": [],
        "claims": [],
        "partial": False,
        "round": 1,
        "expires_for": None,
    }
    return {**spec, **changes}


def gate_frame(name: str = "approve", frame: Frame | None = None, **changes: Any) -> Frame:
    text = canonical(gate_spec(**changes))
    return {"t": "gate", "p": "", "o": 4, "n": name, "d": DIGEST, "r": text, **(frame or {})}


def field(**changes: Any) -> dict[str, Any]:
    whole = {
        "name": "a", "type": "text", "label": "", "help": "", "choices": None, "default": None, "required": False,
        "remember": False, "remakes": False, "check": None, "required_when": None,
    }  # fmt: skip
    return {**whole, **changes}


def evidence(kind: str = "text@1", data: Any = "words", **changes: Any) -> dict[str, Any]:
    return {"kind": kind, "title": "t", "data": data, "source": None, **changes}


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


OPENING: dict[str, Any] = {
    "system": "s", "tools": [], "output": None, "route": None, "most_tokens": 10, "budget": None,
}  # fmt: skip
TOOL = {"name": "look", "description": "d", "parameters": "{}", "pin": ""}


def llm_frame(frame: Frame | None = None, opening: Frame | None = None, **changes: Any) -> Frame:
    asked = {
        "after": None,
        "open": {**OPENING, **(opening or {})},
        "delta": [{"said": "x"}],
        "compacted": None,
        **changes,
    }
    given = digest_of_turn("", asked["open"], asked["delta"])
    return {"t": "llm", "p": "", "o": 4, "n": "llm", "d": given, "r": json.dumps(asked), **(frame or {})}


SEALED = {"text": "b", "may": "ask"}  # item 2 of the approved plan, unspent
FORGED_APPROVALS: dict[str, Frame] = {
    "another body under the seal": effect_frame(seal=["", 1, 2], r=effect_text(text="other", may="ask")),
    "a body that allows itself": effect_frame(seal=["", 1, 2], r=effect_text(text="b", may="allow")),
    "an item that is spent": effect_frame(seal=["", 1, 1], r=effect_text(text="a", may="ask")),
    "an item that is not there": effect_frame(seal=["", 1, 3], r=effect_text(**SEALED)),
    "item zero": effect_frame(seal=["", 1, 0], r=effect_text(**SEALED)),
    "a gate that is open": effect_frame(seal=["3/0", 0, 1], r=effect_text(**SEALED)),
    "a gate that is not there": effect_frame(seal=["", 77, 1], r=effect_text(**SEALED)),
    "a step as a gate": effect_frame(seal=["", 0, 1], r=effect_text(**SEALED)),
    "a seal of text": effect_frame(seal="approved", r=effect_text(**SEALED)),
    "a seal of two": effect_frame(seal=["", 1], r=effect_text(**SEALED)),
    "a seal of four": effect_frame(seal=["", 1, 2, 3], r=effect_text(**SEALED)),
    "a seal of booleans": effect_frame(seal=["", True, 2], r=effect_text(**SEALED)),
    "a seal of texts": effect_frame(seal=["", "1", "2"], r=effect_text(**SEALED)),
    "a seal of floats": effect_frame(seal=["", 1.0, 2.0], r=effect_text(**SEALED)),
    "a seal below zero": effect_frame(seal=["", -1, -2], r=effect_text(**SEALED)),
    "a seal beyond any number": effect_frame(seal=["", 10**30, 2], r=effect_text(**SEALED)),
    "a seal with a dict": effect_frame(seal={"path": "", "ordinal": 1, "n": 2}, r=effect_text(**SEALED)),
    "no seal at all": {key: value for key, value in effect_frame(r=effect_text(**SEALED)).items() if key != "seal"},
}
FORGED_IDENTITIES: dict[str, Frame] = {
    **{
        f"the path {path!r}": step_frame(p=path)
        for path in (
            "..", "../0", "0", "0/1/2", "a/b", "/0/1", "0/1/", "0//1", "-1/0", "0/1\n", "\u0663/1", "0/1" + "/0/1" * 31,
            "1234567/0", " 0/1", "0/1 ", "0x0/1", 5, None, ["0/1"], True,
        )
    },
    **{f"the ordinal {o!r}": step_frame(o=o) for o in (-1, 10**6, 10**30, "0", 1.0, True, None, [0], float("inf"))},
    "no path": {key: value for key, value in step_frame().items() if key != "p"},
    "a step that is recorded": step_frame(o=0),
    "a step where a gate was": step_frame(o=1),
    "a step where an effect was": step_frame(o=2),
    "a step where an effect is intended": step_frame(p="3/1", o=0),
    "a step where a gate is open": step_frame(p="3/0", o=0),
    "a failed try where an effect is intended": attempt_frame(p="3/1", o=0),
    "a failed try where a gate is open": attempt_frame(p="3/0", o=0),
    "a failed try of what is recorded": attempt_frame(o=0),
    "an effect where a gate is open": effect_frame(p="3/0", o=0),
    "an effect that is recorded": effect_frame(o=2),
    "an effect where a step was": effect_frame(o=0),
    "a gate where an effect is intended": gate_frame(frame={"p": "3/1", "o": 0}),
    "a gate where a step was": gate_frame(frame={"o": 0}),
    "a timer where an effect is intended": {"t": "timer", "p": "3/1", "o": 0, "for": 5, "until": None},
    "a timer where a step was": {"t": "timer", "p": "", "o": 0, "for": 5, "until": None},
    "a look-up where a step was": {"t": "lookup", "p": "", "o": 0, "n": "claims", "d": DIGEST, "r": "[]"},
    "a race where a gate is open": {"t": "race", "p": "3/0", "o": 0, "d": DIGEST, "winner": 0, "of": 2},
    "another run's step to read": {"t": "fetch", "p": "", "o": 77, "from": 0},
    "the same identity twice in a plan": {
        "t": "perform", "p": "", "items": [{"o": 4, "seal": None, "r": effect_text(text="x")}] * 2,
    },
}  # fmt: skip
FORGED_NAMES: dict[str, Frame] = {
    **{
        f"the name {name!r}": step_frame(n=name)
        for name in ("", "a b", "a-b", "keyed@1", "../x", "a\n", "1a", "a" * 201, 5, None, ["one"], "\u202eone", "one;")
    },
    **{
        f"the digest {text!r}": step_frame(d=text)
        for text in ("", "0" * 63, "0" * 65, "G" * 64, "A" * 64, "0" * 64 + "\n", 5, None, ["0" * 64])
    },
    "a gate by another name": gate_frame("decide"),
    "an approval asked as a question": gate_frame("ask"),
    "a look-up that nobody offers": {"t": "lookup", "p": "", "o": 4, "n": "secrets", "d": DIGEST, "r": "[]"},
}
FORGED_EFFECTS: dict[str, Frame] = {
    "an effect of no catalogue": effect_frame(r=effect_text("shell@1", text="rm")),
    "another version": effect_frame(r=effect_text("asking@2", text="x")),
    "no version": effect_frame(r=effect_text("asking", text="x")),
    "a body with a policy of its own": effect_frame(
        r=canonical({"kind": "asking@1", "args": {"text": "x"}, "policy": "retry"})
    ),
    "a body with an outcome of its own": effect_frame(
        r=canonical({"kind": "asking@1", "args": {"text": "x"}, "outcome": "ok"})
    ),
    "a body without arguments": effect_frame(r='{"kind":"asking@1"}'),
    "arguments of another shape": effect_frame(r=effect_text(text=5)),
    "arguments that are a list": effect_frame(r='{"args":[],"kind":"asking@1"}'),
    "a text that is not canonical": effect_frame(r='{"kind": "asking@1", "args": {"text": "x"}}'),
    "keys in another order": effect_frame(r='{"kind":"asking@1","args":{"text":"x"}}'),
    "a key twice": effect_frame(r='{"args":{"text":"y","text":"x"},"kind":"asking@1"}'),
    "a body that is null": effect_frame(r="null"),
    "a body that is a text": effect_frame(r='"asking@1"'),
    "a body that is no JSON": effect_frame(r="{"),
    "a plan that is no list": {"t": "perform", "p": "", "items": {}},
    "a plan of nothing": {"t": "perform", "p": "", "items": []},
    "a plan of texts": {"t": "perform", "p": "", "items": ["x"]},
    "a plan too long for a frame": {
        "t": "perform", "p": "", "items": [{"o": n, "seal": None, "r": effect_text(text="x")} for n in range(4, 600)],
    },
}  # fmt: skip
FORGED_VALUES: dict[str, Frame] = {
    "a value that is no text": step_frame(r=5),
    "no value": {key: value for key, value in step_frame().items() if key != "r"},
    "no JSON": step_frame(r="{"),
    "not a number": step_frame(r="NaN"),
    "infinity": step_frame(r="[Infinity]"),
    "over 64 KiB inline": step_frame(r=f'"{"x" * 65_536}"'),
    "500 deep": step_frame(r=nested(500)),
    "65 deep": step_frame(r=nested(65)),
    "deep beyond any stack": step_frame(r=nested(30_000)),
    "bytes that were never handed over": step_frame(rb=DIGEST),
    "bytes of another run": step_frame(rb=FOREIGN_SHA),
    "bytes by a number": step_frame(rb=5),
    "bytes by a list": step_frame(rb=[FOREIGN_SHA]),
    "a value that names another run's bytes": step_frame(r=canonical({"$blob": FOREIGN_SHA, "size": 100_000})),
    "the same, spelled otherwise": step_frame(r='{"\\u0024blob":"' + FOREIGN_SHA + '","size":100000}'),
    "the same, deep inside": step_frame(r=canonical([[{"a": {"$map": [["k", {"$blob": FOREIGN_SHA, "size": 1}]]}}]])),
    "an effect that names another run's bytes": effect_frame(
        r=effect_text(text="x", data={"$blob": FOREIGN_SHA, "size": 1})
    ),
    "a tag that there is not": step_frame(r='{"$evil":1}'),
    "two tags": step_frame(r='{"$date":"2026-01-01","$dec":"1"}'),
    "an instant that is none": step_frame(r='{"$at":"yesterday"}'),
    "an instant without a zone": step_frame(r='{"$at":"2026-01-01T00:00:00"}'),
    "an instant beyond the calendar": step_frame(r='{"$at":"9999-12-31T23:59:59-12:00"}'),
    "a decimal that is none": step_frame(r='{"$dec":"1,5"}'),
    "bytes that are no base64": step_frame(r='{"$bytes":"*"}'),
    "a duration": step_frame(took=-1),
    "a duration that is a text": step_frame(took="5"),
    "a duration that is true": step_frame(took=True),
    "a duration beyond any number": step_frame(took=10**30),
    "a line of progress that is none": step_frame(say=5),
    "a given that nobody gave": step_frame(given=True),
    "a given that is a text": step_frame(given="yes"),
    "a result that names another run's bytes": {"t": "done", "r": canonical({"$blob": FOREIGN_SHA, "size": 1})},
    "a result that stands for another": {"t": "done", "r": canonical({"$blob_text": FOREIGN_SHA})},
    "another run's bytes to read": {"t": "fetch", "sha": FOREIGN_SHA, "from": 0},
    "unknown bytes to read": {"t": "fetch", "sha": DIGEST, "from": 0},
    "bytes from before their beginning": {"t": "fetch", "p": "", "o": 0, "from": -1},
    "bytes from nowhere": {"t": "fetch", "p": "", "o": 0, "from": "0"},
    "a chunk that is neither": {"t": "put", "last": 1},
}
FORGED_REST: dict[str, Frame] = {
    **{f"the kind {kind!r}": {"t": kind} for kind in ("decide", "policy", "approve", "", "__class__", 5, None, ["step"])},
    "no kind": {"p": "", "o": 0},
    "a timer without a time": {"t": "timer", "p": "", "o": 4, "for": None, "until": None},
    "a timer with two": {"t": "timer", "p": "", "o": 4, "for": 5, "until": 5},
    **{
        f"a timer of {span!r}": {"t": "timer", "p": "", "o": 4, "for": span, "until": None}
        for span in (True, 1.5, "5", 10**30, [5], float("nan"))
    },
    **{
        f"a race of {winner!r} in {of!r}": {"t": "race", "p": "", "o": 4, "d": DIGEST, "winner": winner, "of": of}
        for winner, of in ((2, 2), (-1, 2), (0, 0), (0, 10**7), (True, 2), (0, "2"), (None, 2))
    },
    "claims that are no list": {"t": "lookup", "p": "", "o": 4, "n": "claims", "d": DIGEST, "r": '"x"'},
    "changes of something": {"t": "lookup", "p": "", "o": 4, "n": "changes", "d": DIGEST, "r": '["x"]'},
    "a judgement of no effect": {"t": "lookup", "p": "", "o": 4, "n": "judge", "d": DIGEST, "r": '["{}"]'},
    "a judgement of no text": {"t": "lookup", "p": "", "o": 4, "n": "judge", "d": DIGEST, "r": '["{"]'},
    "claims that are numbers": {"t": "lookup", "p": "", "o": 4, "n": "claims", "d": DIGEST, "r": "[1]"},
    "an error that is a text": attempt_frame(error="no"),
    "an error whose message is a number": attempt_frame(error={"type": "E", "message": 5}),
    "an error whose family is a text": attempt_frame(error={"type": "E", "message": "no", "mro": "E"}),
    "an error whose family are numbers": attempt_frame(error={"type": "E", "message": "no", "mro": [5]}),
    "an error number that is a text": attempt_frame(error={"type": "E", "message": "no", "errno": "5"}),
    "retries that are a text": attempt_frame(retries="5"),
    "retries that are true": attempt_frame(retries=True),
    "retries below zero": attempt_frame(retries=-1),
    "a raise that is a number": attempt_frame(**{"raise": 1}),
    "a failure of another kind": {"t": "fail", "kind": "quietly", "p": "", "o": -1, "error": {"type": "E", "message": "m"}},
    "a failure without an error": {"t": "fail", "kind": "error", "p": "", "o": -1},
    "a mismatch of the run itself": {
        "t": "fail", "kind": "mismatch", "p": "", "o": -1, "error": {"type": "E", "message": "m"}, "recorded": "a", "asked": "b",
    },
    **{f"an idle of {seen!r}": {"t": "idle", "seen": seen} for seen in ("0", -1, 1.5, None, True, 10**30)},
    "progress that is no text": {"t": "say", "p": "", "o": 0, "text": 5},
    "progress of nobody": {"t": "say", "p": "x", "o": 0, "text": "hello"},
    **{
        f"a timeout of {span!r}": {
            "t": "begin", "p": "", "o": 4, "n": "one", "d": DIGEST, "for": span, "retries": 0, "raise": False,
        }
        for span in (0, -1, float("nan"), float("inf"), 10**9, "5", True, None)
    },
    "a timeout of what is recorded": {
        "t": "begin", "p": "", "o": 0, "n": "one", "d": DIGEST, "for": 1, "retries": 0, "raise": False,
    },
}  # fmt: skip
FORGED_GATES: dict[str, Frame] = {
    "a doubt of its own": gate_frame(kind="doubt"),
    "a failure of its own": gate_frame(kind="failure"),
    "a key more": gate_frame(about={"why": "conflict"}),
    "a spec that is null": gate_frame(frame={"r": "null"}),
    "a title that is a number": gate_frame(title=5),
    "a plan that is a dict": gate_frame(plan={}),
    "a plan item that is a text": gate_frame(plan=["x"]),
    "a plan item of no catalogue": gate_frame(
        plan=[{"body": {"kind": "shell@1", "args": {}}, "needs": [], "editable": []}]
    ),
    "a plan item with its own summary": gate_frame(
        plan=[{"body": {"kind": "asking@1", "args": {"text": "x"}}, "needs": [], "editable": [], "summary": "harmless"}]
    ),
    "a need beyond the plan": gate_frame(
        plan=[{"body": {"kind": "asking@1", "args": {"text": "x"}}, "needs": [2], "editable": []}]
    ),
    "an editable that is a number": gate_frame(
        plan=[{"body": {"kind": "asking@1", "args": {"text": "x"}}, "needs": [], "editable": [5]}]
    ),
    "flags that are a text": gate_frame(flags="look"),
    "a flag that is a number": gate_frame(flags=[5]),
    "a figure of one": gate_frame(figures=[["total"]]),
    "a figure without a name": gate_frame(figures=[[5, 5]]),
    "a figure that is no value": gate_frame(figures=[["total", {"$at": "now"}]]),
    "a judgement of no effect": {"t": "lookup", "p": "", "o": 4, "n": "judge", "d": DIGEST, "r": '["{}"]'},
    "a judgement of no text": {"t": "lookup", "p": "", "o": 4, "n": "judge", "d": DIGEST, "r": '["{"]'},
    "claims that are numbers": gate_frame(claims=[5]),
    "a partial that is a number": gate_frame(partial=1),
    "round zero": gate_frame(round=0),
    "a round that is a text": gate_frame(round="1"),
    "an expiry before it was asked": gate_frame(expires_for=-1),
    "an expiry that is a text": gate_frame(expires_for="1"),
    "an expiry beyond any number": gate_frame(expires_for=10**30),
    "a field that is a text": gate_frame(fields=["a"]),
    "a field with a key more": gate_frame(fields=[field(on_click="evil")]),
    "a field of no type": gate_frame(fields=[field(type="file[]")]),
    "a field with choices and no choice": gate_frame(fields=[field(choices=["a"])]),
    "a choice without choices": gate_frame(fields=[field(type="choice")]),
    "choices that are numbers": gate_frame(fields=[field(type="choice", choices=[5])]),
    "a default of another type": gate_frame(fields=[field(type="integer", default="x")]),
    "a field required by a text": gate_frame(fields=[field(required="yes")]),
    "a field with a check that nobody makes": gate_frame(fields=[field(check="blood")]),
    "a field needed for no reason": gate_frame(fields=[field(required_when=["x"])]),
    "two fields of one name": gate_frame(fields=[field(), field()]),
    "evidence that is a text": gate_frame(evidence=["x"]),
    "evidence of no kind": gate_frame(evidence=[evidence("html@1", "<script>")]),
    "evidence of a kind that is a list": gate_frame(evidence=[evidence(["text@1"])]),  # type: ignore[arg-type]  # that is the test
    "a text that is none": gate_frame(evidence=[evidence("text@1", 5)]),
    "a table that is a text": gate_frame(evidence=[evidence("table@1", "x")]),
    "a table with a row too short": gate_frame(
        evidence=[evidence("table@1", {"columns": ["a", "b"], "rows": [[1]], "total": None, "flagged": []})]
    ),
    "a table that flags a row that is not there": gate_frame(
        evidence=[evidence("table@1", {"columns": ["a"], "rows": [[1]], "total": None, "flagged": [1]})]
    ),
    "fields that are no pairs": gate_frame(evidence=[evidence("fields@1", [["a"]])]),
    "a file of no path": gate_frame(evidence=[evidence("file@1", {"path": 5, "page": None, "boxes": []})]),
    "a box of three": gate_frame(evidence=[evidence("file@1", {"path": "a", "page": 1, "boxes": [[1, 2, 3]]})]),
    "a source that is a number": gate_frame(evidence=[evidence(source=5)]),
    "evidence that names another run's bytes": gate_frame(
        evidence=[evidence("fields@1", [["a", {"$blob": FOREIGN_SHA, "size": 1}]])]
    ),
}
LLM_OPENINGS: dict[str, list[Any]] = {
    "system": [5], "tools": ["x", ["x"], [{**TOOL, "parameters": {}}], [{**TOOL, "parameters": "5"}], [TOOL, TOOL]],
    "output": [{}, "[]", "no"], "route": [5], "most_tokens": [0, True, "9", 10**9], "budget": [5, "NaN", "-1", "x"],
}  # fmt: skip
FORGED_LLMS: dict[str, Frame] = {
    "an llm where a step was": llm_frame({"o": 0}),
    "an llm where a gate is open": llm_frame({"p": "3/0", "o": 0}),
    "an llm where an effect is intended": llm_frame({"p": "3/1", "o": 0}),
    "an llm with another digest": llm_frame({"d": DIGEST}),
    "an llm after a step": llm_frame(after=["", 0], open=None),
    "an llm after nothing": llm_frame(after=["9", 7], open=None),
    "an llm after nothing of a shape": llm_frame(after="x", open=None),
    "an llm that opens and goes on": llm_frame(after=["", 0]),
    "an llm that does neither": llm_frame(open=None),
    "an llm that says nothing": llm_frame(delta=[]),
    "an llm with a key more": llm_frame(system="x"),
    "an llm that stands for nothing": llm_frame(compacted=["", 99]),
    **{
        f"an llm that is told {message!r}": llm_frame(delta=[message])
        for message in (
            "x", {}, {"said": 5}, {"said": "x", "tool": "y"}, {"id": "a", "tool": "b", "text": "c", "outcome": "fine"},
        )
    },
    **{
        f"an llm whose {key} is {value!r}": llm_frame(opening={key: value})
        for key, values in LLM_OPENINGS.items()
        for value in values
    },
}  # fmt: skip


ALL = {
    **FORGED_LLMS,
    **FORGED_APPROVALS,
    **FORGED_IDENTITIES,
    **FORGED_NAMES,
    **FORGED_EFFECTS,
    **FORGED_VALUES,
    **FORGED_REST,
    **FORGED_GATES,
}


@pytest.mark.parametrize("forged", ALL.values(), ids=ALL)
def test_a_forged_frame_is_a_breach_and_leaves_no_trace(siege: Siege, forged: Frame) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        with siege.unchanged():
            reply = await handled(desk, hold, json.loads(json.dumps(forged)))
        assert reply in (CLOSE, None)
        assert hold.breach, "no breach"
        assert hold.over.is_set()
        assert await desk.handle(step_frame(), b"") == CLOSE  # and nothing more is heard

    siege.attack(act)


def test_the_frames_these_are_forged_from_are_taken(fresh: Siege) -> None:
    """Otherwise the attacks above would prove nothing."""
    good = [step_frame(), step_frame(o=5, r=nested(64)), attempt_frame(o=6, **{"raise": True})]

    async def act(desk: Desk, hold: Hold) -> list[Any]:
        replies = [await desk.handle(frame, b"") for frame in good]
        assert hold.breach is None
        assert await handled(desk, hold, gate_frame(frame={"o": 7}, fields=[field()], evidence=[evidence()])) is None
        assert (
            await handled(desk, hold, llm_frame({"o": 8}, {"tools": [TOOL], "output": "{}", "budget": "1.5"})) is None
        )
        assert hold.breach is None
        return [reply[0]["k"] for reply in replies if reply is not None]

    assert fresh.attack(act) == ["ok", "ok", "failed"]


def test_a_sealed_item_is_spent_once(fresh: Siege) -> None:
    first = effect_frame(seal=["", 1, 2], r=effect_text(**SEALED))
    second = effect_frame(o=5, seal=["", 1, 2], r=effect_text(**SEALED))

    async def act(desk: Desk, hold: Hold) -> None:
        assert (await desk.handle(first, b"") or CLOSE)[0]["k"] == "ok"
        with fresh.unchanged():
            assert await desk.handle(second, b"") == CLOSE
        assert hold.breach is not None
        assert "spent" in hold.breach

    fresh.attack(act)
    assert fresh.harness.ledger.happened("b") == 1


def test_a_sealed_item_is_spent_once_when_asked_for_twice_at_a_time(fresh: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        frames = [effect_frame(o=n, seal=["", 1, 2], r=effect_text(**SEALED)) for n in (4, 5)]
        await asyncio.gather(*[desk.handle(frame, b"") for frame in frames])

    fresh.attack(act)
    assert fresh.harness.ledger.happened("b") == 1


def test_one_identity_is_asked_for_once_at_a_time(fresh: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        frames = [effect_frame(r=effect_text(text="twice")), effect_frame(r=effect_text(text="twice"))]
        await asyncio.gather(*[desk.handle(frame, b"") for frame in frames])
        assert hold.breach == "two calls for one identity"

    fresh.attack(act)
    assert fresh.harness.ledger.happened("twice") <= 1


def test_a_given_value_is_the_one_that_was_given(harness: PowerCut) -> None:
    @step
    def broken() -> int:
        raise ValueError("no")

    @workflow("lying")
    async def lying(p: Nothing) -> Any:
        line = machine.current().machine._line  # type: ignore[union-attr]  # a hostile workflow looks around
        header = {"p": "", "o": 0, "n": "broken", "d": digest("{}")}
        await line.wait({"t": "resume", **header})
        return await line.call({"t": "step", **header, "took": 0, "say": None, "given": True, "r": "1000000"})

    @workflow("lying")
    async def honest(p: Nothing) -> int:
        return await broken()

    harness.start(honest)
    harness.advance()
    harness.answer(choice="skip", result="5")
    harness.use(lying)
    assert harness.advance() == RunState.WAITING
    assert "a given value that nobody gave" in harness.spec(harness.gates()[-1])["about"]["error"]["message"]
    assert harness.records() == []


def test_a_breach_with_a_sentence_of_its_own_is_told_as_one(harness: PowerCut) -> None:
    @workflow("far")
    async def far(p: Nothing) -> Any:
        return await approve("Move it", plan=[move_files([("a", "b")])])

    harness.start(far)
    assert harness.advance() == RunState.WAITING
    message = harness.spec()["about"]["error"]["message"]
    assert message.endswith(" the rules: a plan item that is no effect: There is no such effect.")


def test_a_breach_is_told_to_a_person_and_the_run_can_be_tried_again(harness: PowerCut) -> None:
    @workflow("lying")
    async def lying(p: Nothing) -> Any:
        await machine.current().machine._line.call({"t": "decide", "gate": "g-1"})  # type: ignore[union-attr]  # hostile

    @workflow("lying")
    async def honest(p: Nothing) -> str:
        return "well"

    harness.start(lying)
    assert harness.advance() == RunState.WAITING
    about = harness.spec()["about"]
    assert about["why"] == "set_aside"
    assert about["error"]["message"] == "The workflow's process broke the rules: a frame of a kind that there is not."
    harness.use(honest)
    harness.answer(choice="retry")
    assert harness.advance() == RunState.DONE


def test_more_unanswered_frames_than_allowed_are_a_breach(fresh: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> str | None:
        frames = [{"t": "timer", "p": "", "o": 4 + n, "for": 10**12, "until": None} for n in range(IN_FLIGHT + 1)]
        replies = await asyncio.gather(*[desk.handle(frame, b"") for frame in frames])
        assert replies == [CLOSE] * len(frames)
        return hold.breach

    assert fresh.attack(act) == "more than 64 frames without an answer"


def test_a_session_that_said_it_waits_may_not_go_on(fresh: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> str | None:
        await desk.handle({"t": "idle", "seen": 0}, b"")
        await hold.suspended.wait()
        with fresh.unchanged():
            assert await desk.handle(step_frame(), b"") == CLOSE
        return hold.breach

    assert fresh.attack(act) == "a frame from a session that said it was waiting"


def test_a_lie_about_what_was_received_suspends_nothing(siege: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        for seen in (5, 1, 10**6):
            await desk.handle({"t": "idle", "seen": seen}, b"")
        await asyncio.sleep(0)
        assert not hold.suspended.is_set()
        assert not hold.tasks

    siege.attack(act)


def test_more_bytes_than_a_run_may_hand_over(siege: Siege, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "BLOB_LIMIT", 3_000_000)
    monkeypatch.setattr(uploads, "QUOTA", 3_000_000)

    async def act(desk: Desk, hold: Hold) -> str | None:
        for _ in range(4):
            await desk.handle({"t": "put", "last": False}, b"x" * TAIL_LIMIT)
        return hold.breach

    assert siege.attack(act) == "more bytes than a run may hand over"


def test_bytes_are_named_by_the_desk_whatever_the_host_says(siege: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        reply = await desk.handle({"t": "put", "last": True, "sha": FOREIGN_SHA}, b"mine")
        assert reply is not None
        assert reply[0]["sha"] != FOREIGN_SHA
        assert FOREIGN_SHA not in hold.shas
        # whoever has the bytes may hand them over, and is then allowed to name them
        again = await desk.handle({"t": "put", "last": True}, FOREIGN)
        assert again is not None
        assert again[0]["sha"] == FOREIGN_SHA

    siege.attack(act)


def test_the_text_of_a_handed_over_value_is_looked_through_like_any_other(fresh: Siege) -> None:
    """A long value may not smuggle in what a short one may not."""
    hidden = canonical([{"$blob": FOREIGN_SHA, "size": 100_000}, "x" * 70_000]).encode()

    async def act(desk: Desk, hold: Hold) -> str | None:
        reply = await desk.handle({"t": "put", "last": True}, hidden)
        assert reply is not None
        assert await desk.handle(step_frame(rb=reply[0]["sha"]), b"") == CLOSE
        return hold.breach

    assert fresh.attack(act) == "a value that names bytes which were never handed over"
    assert len(fresh.harness.records()) == 3


@pytest.mark.parametrize("raw", [b"\xff\xfe" + b"x" * 70_000, b"[" * 70_000, b"{" + b" " * 70_000])
def test_a_handed_over_value_that_is_none(fresh: Siege, raw: bytes) -> None:
    async def act(desk: Desk, hold: Hold) -> str | None:
        reply = await desk.handle({"t": "put", "last": True}, raw)
        assert reply is not None
        assert await desk.handle(step_frame(rb=reply[0]["sha"]), b"") == CLOSE
        return hold.breach

    assert fresh.attack(act)


def test_texts_for_people_cannot_drive_a_terminal(fresh: Siege) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        await desk.handle(step_frame(say="\x1b[2Jgone\u2028\x00\udcff"), b"")
        await handled(desk, hold, gate_frame(frame={"o": 5}, title="Pay\x1b]0;evil\x07\r\nnow", flags=["a\x9bb"]))

    fresh.attack(act)
    harness = fresh.harness
    said = next(row["summary"] for row in harness.records() if row["ordinal"] == 4)
    assert "\x1b" not in said
    (asked,) = [gate for gate in harness.gates() if gate["ordinal"] == 5]
    assert asked["title"] == "Pay\N{REPLACEMENT CHARACTER}]0;evil\N{REPLACEMENT CHARACTER} now"
    assert "\x9b" not in harness.spec(asked)["flags"][0]


# ---------------------------------------------------------------------------------------------------------------- frames


def test_frames_come_whole_however_they_are_cut() -> None:
    frames = [({"t": "a", "n": n}, bytes(range(n % 256))) for n in range(40)]
    data = b"".join(pack(*frame) for frame in frames)
    for size in (1, 7, 1000, len(data)):
        unpacker = Unpacker()
        found = [frame for start in range(0, len(data), size) for frame in unpacker.feed(data[start : start + size])]
        assert found == frames


@pytest.mark.parametrize(
    "raw",
    [
        HEAD.pack(5 * 1024 * 1024, 0),
        HEAD.pack(HEADER_LIMIT + 1, 0),
        HEAD.pack(2, TAIL_LIMIT + 1),
        HEAD.pack(2**32 - 1, 2**32 - 1),
        HEAD.pack(2, 0) + b"[]",
        HEAD.pack(4, 0) + b"null",
        HEAD.pack(3, 0) + b"{]x",
        HEAD.pack(2, 0) + b"\xff\xff",
        pack(json.loads('{"a":' + nested(500) + "}")),
        pack(json.loads('{"a":' + nested(65) + "}")),
        HEAD.pack(60_005, 0) + b'{"a":' + b"[" * 60_000,
    ],
    ids=lambda raw: f"{len(raw)} bytes",
)
def test_bytes_that_are_no_frame_end_the_connection(raw: bytes) -> None:
    with pytest.raises(BadFrame):
        list(Unpacker().feed(raw))


@given(st.binary(max_size=200))
def test_no_bytes_break_the_unpacker(data: bytes) -> None:
    unpacker = Unpacker()
    try:
        for header, tail in unpacker.feed(data):
            assert isinstance(header, dict)
            assert isinstance(tail, bytes)
    except BadFrame:
        pass


# ------------------------------------------------------------------------------------------------------------------ fuzz

KINDS = st.sampled_from(
    "step attempt resume effect perform gate timer lookup race llm put fetch done fail idle say begin other".split()
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8),
    st.sampled_from(["", "0/0", "3/1", "one", DIGEST, FOREIGN_SHA, effect_text(text="x"), "approve", "claims", "[]", "null"]),
)  # fmt: skip
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=6,
)
KEYS = st.sampled_from(
    """p o n d r rb after open delta compacted took say given error retries raise items seal for until winner of last from sha kind
    recorded asked seen text type message mro errno traceback""".split()
)
FRAMES = st.one_of(
    st.builds(lambda kind, rest: {"t": kind, **rest}, KINDS, st.dictionaries(KEYS, VALUES, max_size=8)),
    # near to good ones: one part of another type
    st.builds(
        lambda frame, key, value: {**frame, key: value},
        st.sampled_from([*ALL.values(), step_frame(), effect_frame(), attempt_frame(), gate_frame()]),
        KEYS,
        VALUES,
    ),
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(frame=FRAMES, tail=st.binary(max_size=8))
def test_no_frame_breaks_the_desk_or_leaves_a_trace_of_a_breach(arena: Siege, frame: Frame, tail: bytes) -> None:
    async def act(desk: Desk, hold: Hold) -> None:
        before = dump(arena.harness)
        reply = await handled(desk, hold, frame, tail)
        assert reply is None or isinstance(reply[0]["k"], str)
        if hold.breach:
            assert dump(arena.harness) == before
        else:
            assert reply is None or reply[0]["k"] in ("ok", "again", "failed", "close")

    outside = arena.harness.ledger.lines()
    arena.attack(act)
    done = arena.harness.ledger.lines()[len(outside) :]
    assert {text for _, _, text in done} <= {"x"}  # what policy allows to anybody


def test_what_a_breach_interrupts_is_recorded_before_the_run_is_set_aside(fresh: Siege) -> None:
    """An honest effect that is under way when its session turns hostile keeps its outcome."""
    started, release = asyncio.Event(), asyncio.Event()
    perform = fresh.harness.ledger.perform

    async def slow(body: Any, key: str, workspace: str, moment: Moment = NO_MOMENT) -> Any:
        started.set()
        await release.wait()
        return await perform(body, key, workspace, moment)

    fresh.harness.ledger.perform = slow  # type: ignore[method-assign]  # it takes its time

    async def act(desk: Desk, hold: Hold) -> None:
        effect = asyncio.ensure_future(desk.handle(effect_frame(r=effect_text(text="slow")), b""))
        await started.wait()
        await desk.handle({"t": "evil"}, b"")
        settled = asyncio.ensure_future(aftermath.settle(hold))
        await asyncio.sleep(0)
        assert not settled.done()
        release.set()
        await effect
        assert await settled == RunState.WAITING

    fresh.attack(act)
    assert [row["outcome"] for row in fresh.harness.records() if row["ordinal"] == 4] == ["ok"]
    assert any(gate["ordinal"] == -1 for gate in gates.of_run(fresh.harness.database.reader, fresh.harness.run_id))
