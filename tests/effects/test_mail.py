"""One mail, through a real server on loopback: what arrives, and what is known when the conversation breaks off at each point."""

import asyncio
import email
import email.policy
import shutil
import ssl
import subprocess
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from counterfoil.authoring.effect_values import Effect, mail
from counterfoil.clock import FakeClock
from counterfoil.effects.catalogue import EffectCatalogue
from counterfoil.effects.mail import Mail, message_id
from counterfoil.effects.secrets import Keyring
from counterfoil.engine.ports import EffectTrouble, Finding, OutcomeUnknown
from counterfoil.facts import DoubtPolicy, FailureClass
from counterfoil.store.blobs import Blobs
from effects.conftest import MemoryKeyring
from effects.post_office import HANG_UP, SILENCE, PostOffice

PASSWORD = "correct horse 7"
LETTER = mail(
    ["Anna Ü <anna@b.example>", "c@d.example"], "Mahnung für März", ".Line\n..\n.\nÜ\r.\rend", cc=["e@f.example"]
)
OPENSSL = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=loopback -addext subjectAltName=IP:127.0.0.1"
ENCODED = "AGNsZXJrQGIuZXhhbXBsZQBjb3JyZWN0IGhvcnNlIDc="


@pytest.fixture
def offices() -> Generator[Callable[..., PostOffice]]:
    """Opens servers that are closed after the test."""
    opened: list[PostOffice] = []

    def open_one(**options: Any) -> PostOffice:
        opened.append(PostOffice(**options))
        return opened[-1]

    yield open_one
    for office in opened:
        office.close()


def account(workspace: Path, port: int, *, tls: str = "none", user: str = "", **more: str) -> None:
    """Write the account of a workspace."""
    settings = {
        "host": "127.0.0.1",  # a bare machine knows no name for it
        "tls": tls,
        "from": "Clerk <clerk@b.example>",
        **more,
    }
    if user:
        settings |= {"user": user, "secret": "smtp"}
    (workspace / ".counterfoil").mkdir(exist_ok=True)
    lines = [f'{name} = "{value}"' for name, value in settings.items()]
    (workspace / ".counterfoil/workspace.toml").write_text("\n".join(["[mail]", f"port = {port}", *lines]))


def send(catalogue: EffectCatalogue, workspace: Path, effect: Effect = LETTER, key: str = "a1b2/0/3") -> Any:
    catalogue.check(effect.body)
    return asyncio.run(catalogue.perform(effect.body, key, str(workspace)))


def test_mail_arrives_as_it_was_approved(
    catalogue: EffectCatalogue, workspace: Path, offices: Callable[..., PostOffice]
) -> None:
    office = offices()
    account(workspace, office.port)
    pdf = bytes(range(256)) * 10
    letter = mail(
        "anna@b.example", "Rechnung Ü", "Anbei.\n", attachments=[("Rechnung Ü.pdf", pdf), ("a.eml", b"no mail")]
    )
    outcome = send(catalogue, workspace, letter)
    assert outcome == {
        "message_id": "<a1b2/0/3@counterfoil.local>",
        "accepted": ["anna@b.example"],
        "answer": "250 queued as 42",
    }
    ((sender, people, data),) = office.mails
    assert (sender, people) == ("FROM:<clerk@b.example>", ["TO:<anna@b.example>"])
    message = email.message_from_bytes(data.replace(b"\r\n", b"\n"), policy=email.policy.default)
    assert {name: str(message[name]) for name in ("From", "To", "Subject", "Message-ID", "Date")} == {
        "From": "Clerk <clerk@b.example>",
        "To": "anna@b.example",
        "Subject": "Rechnung Ü",
        "Message-ID": "<a1b2/0/3@counterfoil.local>",
        "Date": "Mon, 30 Nov 2026 08:55:00 +0000",
    }
    text = message.get_body()
    assert text is not None
    assert text.get_content() == "Anbei.\n"
    attached = {part.get_filename(): part.get_content() for part in message.iter_attachments()}
    assert attached == {"Rechnung Ü.pdf": pdf, "a.eml": b"no mail"}


def test_lines_of_dots_and_lone_returns_stay_within_the_mail(
    catalogue: EffectCatalogue, workspace: Path, offices: Callable[..., PostOffice]
) -> None:
    office = offices()
    account(workspace, office.port)
    send(catalogue, workspace)
    ((_, people, data),) = office.mails
    assert people == ["TO:<anna@b.example>", "TO:<c@d.example>", "TO:<e@f.example>"]
    message = email.message_from_bytes(data.replace(b"\r\n", b"\n"), policy=email.policy.default)
    assert message.get_content() == ".Line\n..\n.\nÜ\n.\nend\n"
    assert (str(message["To"]), str(message["Cc"])) == ("Anna Ü <anna@b.example>, c@d.example", "e@f.example")


@pytest.mark.parametrize(
    "says, words, failure_class",
    [
        ({"CONNECT": HANG_UP}, "could not be reached", FailureClass.TRANSIENT),
        ({"CONNECT": "554 go away"}, "could not be reached (554 go away)", FailureClass.STRUCTURAL),
        ({"CONNECT": "421 busy"}, "could not be reached (421 busy)", FailureClass.TRANSIENT),
        ({"AUTH": "535 wrong password"}, "did not let us in (535 wrong password)", FailureClass.STRUCTURAL),
        ({"AUTH": "454 later"}, "did not let us in (454 later)", FailureClass.TRANSIENT),
        ({"AUTH": HANG_UP}, "did not let us in", FailureClass.TRANSIENT),
        ({"MAIL": "550 not you"}, "refused the sender (550 not you)", FailureClass.STRUCTURAL),
        ({"RCPT TO:<C@": "550 unknown"}, "refused the recipient c@d.example (550 unknown)", FailureClass.STRUCTURAL),
        (
            {"RCPT TO:<E@": "451 greylisted"},
            "refused the recipient e@f.example (451 greylisted)",
            FailureClass.TRANSIENT,
        ),
        ({"RCPT": HANG_UP}, "broke off before the mail was sent", FailureClass.TRANSIENT),
        ({"DATA": "452 full"}, "refused the mail (452 full)", FailureClass.TRANSIENT),
        ({"DATA": HANG_UP}, "broke off before the mail was sent", FailureClass.TRANSIENT),
        ({"END": "554 looks like spam"}, "refused the mail (554 looks like spam)", FailureClass.STRUCTURAL),
        ({"END": "451 try later"}, "refused the mail (451 try later)", FailureClass.TRANSIENT),
        ({"MAIL": f"550 not {PASSWORD} again"}, "(550 not [secret smtp] again)", FailureClass.STRUCTURAL),
    ],
    ids=lambda value: str(value) if isinstance(value, dict) else "",
)
def test_failure_before_the_end_is_known_not_to_have_happened(
    catalogue: EffectCatalogue,
    workspace: Path,
    offices: Callable[..., PostOffice],
    memory_keyring: MemoryKeyring,
    secrets: Keyring,
    says: dict[str, str],
    words: str,
    failure_class: FailureClass,
) -> None:
    office = offices(says=says)
    account(workspace, office.port, user="clerk@b.example")
    secrets.set("smtp", PASSWORD)
    with pytest.raises(EffectTrouble) as told:
        send(catalogue, workspace)
    assert words in str(told.value)
    assert str(told.value).startswith("No mail was sent: the mail server 127.0.0.1")
    assert told.value.failure_class is failure_class
    assert PASSWORD not in str(told.value)
    assert told.value.__cause__ is None


@pytest.mark.parametrize("says", [HANG_UP, SILENCE, "mumble", "100 hm", "354 more"])
def test_no_answer_after_the_text_is_a_doubt(
    blobs: Blobs, secrets: Keyring, clock: FakeClock, workspace: Path, offices: Callable[..., PostOffice], says: str
) -> None:
    office = offices(says={"END": says})
    account(workspace, office.port)
    hand = Mail(blobs, secrets, clock, patience=1 if says == SILENCE else 60)
    with pytest.raises(OutcomeUnknown, match=r"handed to the mail server 127\.0\.0\.1"):
        asyncio.run(hand.perform(LETTER.args, "key", str(workspace)))
    assert len(office.mails) == 1


def test_lost_farewell_changes_nothing(
    catalogue: EffectCatalogue, workspace: Path, offices: Callable[..., PostOffice]
) -> None:
    office = offices(says={"QUIT": HANG_UP})
    account(workspace, office.port)
    assert send(catalogue, workspace)["answer"] == "250 queued as 42"


def test_nobody_listens(catalogue: EffectCatalogue, workspace: Path, offices: Callable[..., PostOffice]) -> None:
    office = offices()
    account(workspace, office.port)
    office.close()
    with pytest.raises(EffectTrouble, match="connection refused") as told:
        send(catalogue, workspace)
    assert told.value.failure_class is FailureClass.TRANSIENT


def test_account_logs_in_with_the_secret(
    catalogue: EffectCatalogue,
    workspace: Path,
    offices: Callable[..., PostOffice],
    memory_keyring: MemoryKeyring,
    secrets: Keyring,
) -> None:
    office = offices()
    account(workspace, office.port, user="clerk@b.example")
    with pytest.raises(
        EffectTrouble, match=r"“smtp” is not in the keyring\. Store it with: counterfoil secret set smtp"
    ):
        send(catalogue, workspace)
    assert office.heard == []
    secrets.set("smtp", PASSWORD)
    send(catalogue, workspace)
    assert f"AUTH PLAIN {ENCODED}" in office.heard


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1, signed by itself."""
    if shutil.which("openssl") is None:
        pytest.skip("openssl makes the certificate of this test")
    file = tmp_path / "localhost.pem"
    subprocess.run(
        [*OPENSSL.split(), "-keyout", str(file), "-out", str(tmp_path / "public.pem")],
        check=True,
        capture_output=True,
    )
    file.write_text(file.read_text() + (tmp_path / "public.pem").read_text())
    return file


@pytest.mark.parametrize("tls", ["tls", "starttls"])
@pytest.mark.parametrize("trusted", [True, False])
def test_password_travels_only_to_a_server_that_proves_itself(
    catalogue: EffectCatalogue,
    workspace: Path,
    offices: Callable[..., PostOffice],
    certificate: Path,
    memory_keyring: MemoryKeyring,
    secrets: Keyring,
    monkeypatch: pytest.MonkeyPatch,
    tls: str,
    trusted: bool,
) -> None:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    office = offices(**{tls: context})
    account(workspace, office.port, tls=tls, user="clerk@b.example")
    secrets.set("smtp", PASSWORD)
    if trusted:
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        send(catalogue, workspace)
        assert f"AUTH PLAIN {ENCODED}" in office.heard
        return
    with pytest.raises(EffectTrouble, match="certificate verify failed") as told:
        send(catalogue, workspace)
    assert told.value.failure_class is FailureClass.STRUCTURAL
    assert not any(line.startswith("AUTH") for line in office.heard)


def test_server_without_starttls_gets_nothing(
    catalogue: EffectCatalogue, workspace: Path, offices: Callable[..., PostOffice]
) -> None:
    office = offices()
    account(workspace, office.port, tls="starttls")
    with pytest.raises(EffectTrouble, match=r"(?i)starttls") as told:
        send(catalogue, workspace)
    assert told.value.failure_class is FailureClass.STRUCTURAL
    assert office.mails == []


@pytest.mark.parametrize(
    "settings, words",
    [
        (None, "add to .counterfoil/workspace.toml a section [mail] with host"),
        ("", "a section [mail]"),
        ("mail = 1", "a section [mail]"),
        ("[mail", "cannot be read"),
        ('[mail]\nhost = "h"', "needs a host"),
        ('[mail]\nhost = "h"\nfrom = "a@b.example"\ntls = "no"', "tls is “no”"),
        ('[mail]\nhost = "mail.example"\nfrom = "a@b.example"\ntls = "none"', "readable to mail.example"),
        ('[mail]\nhost = "h"\nfrom = "anna"', "is not one mail address"),
        ('[mail]\nhost = "h"\nfrom = "a@b.example"\nuser = "a"', "user and secret together"),
        ('[mail]\nhost = "h"\nfrom = "a@b.example"\nport = 70000', "port between"),
        ('[mail]\nhost = "h"\nfrom = "a@b.example"\npassword = "x"', "has no setting “password”"),
        ('[mail]\nhost = "h"\nfrom = "a@b.example"\nport = "25"', "has no setting “port” of that type"),
    ],
)
def test_account_that_cannot_be_used_is_named(
    catalogue: EffectCatalogue, workspace: Path, settings: str | None, words: str
) -> None:
    if settings is not None:
        (workspace / ".counterfoil").mkdir()
        (workspace / ".counterfoil/workspace.toml").write_text(settings)
    with pytest.raises(EffectTrouble) as told:
        send(catalogue, workspace)
    assert words in str(told.value)
    assert told.value.failure_class is FailureClass.STRUCTURAL


def test_settings_behind_a_link_are_not_read(catalogue: EffectCatalogue, workspace: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere/workspace.toml").write_text('[mail]\nhost = "h"\nfrom = "a@b.example"')
    (workspace / ".counterfoil").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(EffectTrouble, match="a section"):
        send(catalogue, workspace)


def test_message_id_is_the_key_or_its_digest() -> None:
    assert message_id("0af7651916cd43dd/0/2/5") == "<0af7651916cd43dd/0/2/5@counterfoil.local>"
    assert message_id("run::3") == message_id("run::3")
    assert message_id("run::3") != message_id("run::4")
    for key in ("run::3", "a\r\nBcc: x", "ü", "x" * 300, ""):
        assert message_id(key).removesuffix("@counterfoil.local>").removeprefix("<").isalnum(), key


def test_nobody_but_a_person_knows(catalogue: EffectCatalogue, workspace: Path) -> None:
    assert catalogue.policy(LETTER.body) is DoubtPolicy.ASK
    found = asyncio.run(catalogue.reconcile(LETTER.body, "key", str(workspace)))
    assert found.finding is Finding.UNKNOWN
