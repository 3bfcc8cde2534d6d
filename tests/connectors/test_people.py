"""What people do with connectors on the command line, with a real server; and files of other programs taken over."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.speaking import Caller, caller
from connectors.counter import SERVERS, Counter, Drawer, declared
from counterfoil.connectors import keeping
from counterfoil.connectors.importing import read_file
from counterfoil.effects.secrets import SERVICE
from counterfoil.errors import WrongUse
from counterfoil.sandbox import bwrap
from counterfoil.store import trail_rows
from counterfoil.views.connectors import trouble_with

PROGRAM = declared("fake").argv


@pytest.fixture
def call(counter: Counter, capsys: Any) -> Caller:
    """The program, called on the counter's home."""
    return caller(capsys, counter.home.root)


def test_a_connector_from_its_adding_to_its_removal(counter: Counter, call: Caller) -> None:
    words = ("--code", str(SERVERS), "--title", "The desk", "--even-restricted", "--set", "REGION=eu", "--", *PROGRAM)
    assert call("connector", "list").out.startswith("No connectors yet.")
    added = call("connector", "add", "desk", *words)
    assert (added.code, added.out) == (
        0, "desk is kept, and off. Look at what it can do: counterfoil connector test desk\n",
    )  # fmt: skip
    again = call("connector", "add", "desk", *words)
    assert (again.code, "There is a connector “desk” already." in again.err) == (2, True)
    tested = call("connector", "test", "desk")
    assert tested.out == "desk: Answers. Fake 1, 1 tools, protocol 2025-11-25\n  send (to): New. Asks each time.\n"
    on = call("--json", "connector", "on", "desk").document
    assert (on["on"], on["tools"], on["changed"], on["health"]["ok"]) == (True, 1, 0, True)
    said = call("connector", "classify", "desk", "send", "sends", "--repeatable")
    assert said.out == "send of desk: Sends something to people.\n"
    tools = call("--json", "connector", "tools", "desk").document
    assert [(one["tool"], one["does"], one["repeatable"], one["is_new"], one["changes"]) for one in tools] == [
        ("send", "sends", True, False, [])
    ]
    wrong = call("connector", "classify", "desk", "snd", "reads")
    assert (wrong.code, "Did you mean ‘send’?" in wrong.err) == (2, True)
    assert "“harmless” says nothing of a tool." in call("connector", "classify", "desk", "send", "harmless").err
    assert call("connector", "off", "desk").err == "counterfoil: desk is off now.\n"
    assert call("connector", "off", "desk").err == "counterfoil: desk was off already.\n"
    assert call("connector", "remove", "desk").code == 0
    assert "There is no connector “desk”." in call("connector", "test", "desk").err
    entries = [row["summary"].partition(" ")[2] for row in trail_rows.entries(counter.database.reader, subject="desk")]
    assert entries == [
        "added the connector desk",
        "looked at ‘send’ of desk",
        "switched the connector desk on",
        "said that ‘send’ of desk sends something to people, and may be done twice",
        "switched the connector desk off",
        "removed the connector desk",
    ]


def test_a_connector_that_does_not_answer_says_why(counter: Counter, call: Caller) -> None:
    call("connector", "add", "desk", "--even-restricted", "--", "npx-of-nowhere", "server")
    found = call("connector", "test", "desk")
    assert (found.code, "npx-of-nowhere: No such file or directory" in found.err) == (1, True)
    assert call("connector", "on", "desk").code == 1
    assert not call("--json", "connector", "list").document[0]["on"]


@pytest.mark.parametrize(
    "words, said",
    [
        (("Desk", "--", "x"), "its name is none"),
        (("desk",), "it is neither a program nor an address, or both"),
        (("desk", "--url", "https://a.example/mcp", "--", "x"), "it is neither a program nor an address, or both"),
        (("desk", "--url", "ftp://a.example"), "“ftp://a.example” is no address"),
        (("desk", "--url", "http://a.example/mcp"), "what goes there could be read on the way"),
        (("desk", "--url", "https://me:pw@a.example/mcp"), "is no address"),
        (("desk", "--host", "10.0.0.1", "--", "x"), "“10.0.0.1” is no host"),
        (("desk", "--may", "all", "--", "x"), "“all” is nothing that a connector may do"),
        (("desk", "--seconds", "0", "--", "x"), "a call may take 1 to 3600 seconds"),
        (("desk", "--set", "REGION", "--", "x"), "--set REGION has no name and value."),
        (("desk", "--url", "https://a.example/mcp", "--may", "read-files"), "are given to programs alone"),
    ],
)
def test_what_cannot_be_a_connector(call: Caller, words: tuple[str, ...], said: str) -> None:
    found = call("connector", "add", *words)
    assert (found.code, said in found.err) == (2, True), found.err


MANY = """{
  // as an editor keeps it
  "inputs": [{"id": "token", "type": "promptString", "password": true}],
  "servers": {
    "Mail Desk": {"command": "mail-server", "args": ["--in", "${workspaceFolder}"],
                  "env": {"MAIL_TOKEN": "canary-of-the-mail", "REGION": "eu", "ASKED": "${input:token}"}},
    "far": {"type": "http", "url": "https://far.example/mcp", "headers": {"Authorization": "Bearer s3cret-s3cret-s3cret-1"}},
    "old": {"type": "sse", "url": "https://old.example/sse"},
    "fetched": {"command": "npx", "args": ["-y", "some-server"], "env": {"VALUE": "ghp_abcdef"}},
    "wrong": {"args": []},
    "loud": {"command": "x", "args": ["--key", "${input:token}"]},
  },
}"""


def test_connectors_of_an_editor_come_in_off_and_their_secrets_go_to_the_keyring(
    counter: Counter, call: Caller, drawer: Drawer, tmp_path: Path
) -> None:
    file = tmp_path / "mcp.json"
    file.write_text(MANY)
    found = call("connector", "import", str(file))
    assert found.code == 0
    assert drawer.kept == {
        (SERVICE, "mail-desk-MAIL_TOKEN"): "canary-of-the-mail",
        (SERVICE, "far-Authorization"): "Bearer s3cret-s3cret-s3cret-1",
        (SERVICE, "fetched-VALUE"): "ghp_abcdef",
    }
    assert "It is asked for ASKED: counterfoil secret set mail-desk-ASKED" in found.out
    assert "‘npx’ fetches a program each time" in found.out
    assert [line.removeprefix("counterfoil: ") for line in found.err.splitlines()] == [
        "“old” is left out: it speaks a form of the protocol that is out of use (sse).",
        "“wrong” is left out: it has neither a command nor an address.",
        "“loud” is left out: it wants token among its arguments, where every program could read it.",
    ]
    documents = {one["name"]: one for one in call("--json", "connector", "list").document}
    assert set(documents) == {"mail-desk", "far", "fetched"}
    assert not any(one["on"] for one in documents.values())
    assert documents["mail-desk"]["program"] == ["mail-server", "--in", str(bwrap.JOB)]
    assert documents["mail-desk"]["files"] == "read"
    assert documents["mail-desk"]["secrets"] == ["mail-desk-ASKED", "mail-desk-MAIL_TOKEN"]
    kept = counter.home.database.read_bytes() + counter.home.database.with_name("counterfoil.db-wal").read_bytes()
    assert not [secret for secret in drawer.kept.values() if secret.encode() in kept]
    again = call("connector", "import", str(file))
    assert "“far” is left out: there is one of that name already." in again.err


def test_servers_as_many_write_them(tmp_path: Path) -> None:
    file = tmp_path / "any.json"
    file.write_text(
        json.dumps({"mcpServers": {"a": {"command": "x"}, "A": {"command": "y"}, "ß": {"url": "https://b.example"}}})
    )
    found, left_out = read_file(file)
    assert ([one.declared.name for one in found], left_out) == (["a", "a-2", "connector"], [])


@pytest.mark.parametrize(
    "entry",
    [
        {"command": "x", "args": ["--api-key", "sk-proj-0123456789abcdef"]},
        {"command": "x", "args": ["--token=ghp_0123456789abcdefghij"]},
        {"url": "https://far.example/mcp?api_key=sk-0123456789abcdef"},
    ],
)
def test_a_key_among_words_that_are_shown_is_refused(tmp_path: Path, entry: dict[str, Any]) -> None:
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({"mcpServers": {"loud": entry}}))
    found, [said] = read_file(file)
    assert found == []
    assert "looks like a key" in said
    assert "0123456789" not in said


def test_a_path_among_words_is_no_key(tmp_path: Path) -> None:
    file = tmp_path / "paths.json"
    words = ["/opt/servers/files-2026/build0123456789/index.js", "--in", "reports"]
    file.write_text(json.dumps({"mcpServers": {"files": {"command": "x", "args": words}}}))
    [found], left_out = read_file(file)
    assert (found.declared.argv[1:], left_out) == (tuple(words), [])


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"servers": 1}', "nothing", '{"servers": {}', "\x00"])
def test_files_that_hold_no_connectors(tmp_path: Path, text: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(text)
    with pytest.raises(WrongUse, match=r"The file x\.json"):
        read_file(file)


def test_a_secret_is_given_to_a_server_and_taken_out_of_what_it_says(counter: Counter, drawer: Drawer) -> None:
    counter.keyring.set("desk-token", "s3cret-s3cret")
    counter.add(declared("fake", "environment", settings={"TOKEN": {"$secret": "desk-token"}}))
    found = counter.perform(
        {"kind": "call@1", "args": {"connector": "desk", "tool": "send", "pin": "", "args": {"to": "TOKEN"}}}
    )
    assert found["text"] == "[secret desk-token]"
    counter.keyring.remove("desk-token")
    counter.restart()
    with pytest.raises(Exception, match="desk does not start: The secret “desk-token” is not in the keyring"):
        counter.perform(
            {"kind": "call@1", "args": {"connector": "desk", "tool": "send", "pin": "", "args": {"to": "TOKEN"}}}
        )


def test_what_stops_runs_from_using_a_connector_is_said_beforehand(counter: Counter) -> None:
    def said() -> str:
        return " ".join(trouble_with(counter.database.reader, "desk")).strip()

    assert said() == "There is no connector “desk”. Add it: counterfoil connector add"
    counter.add(declared("fake"), on=False)
    assert said() == "The connector “desk” is off. Switch it on: counterfoil connector on desk"
    counter.run(counter.connectors.look(declared("fake")))
    counter.database.transact(lambda txn: keeping.switch(txn, "desk", "user:anna", on=True))
    assert said() == ""
    counter.run(counter.connectors.look(declared("fake", "changed")))
    assert said().startswith("1 tools of the connector “desk” have changed or are new")
    counter.run(counter.connectors.fell(declared("fake"), None, "it ended in the middle"))
    assert said() == (
        "The connector “desk” did not answer last: It ended in the middle. Look at it: counterfoil connector test desk"
    )


def test_nothing_is_switched_on_that_nobody_has_looked_at(counter: Counter) -> None:
    counter.add(declared("fake"), on=False)
    with pytest.raises(WrongUse, match="Nobody has looked at what “desk” can do yet"):
        counter.database.transact(lambda txn: keeping.switch(txn, "desk", "user:anna", on=True))
