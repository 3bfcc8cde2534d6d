"""Reading is by content, survives whatever a folder holds, and gives every failure its own words and next step."""

from __future__ import annotations

import base64
import io
import zlib
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader, PdfWriter

from pay_invoices.invoices import Invoice, Unreadable, pile
from pay_invoices.pdf_text import guarded
from pay_invoices.reading import MAX_BYTES, read_document
from pay_invoices.refusals import CODES, name_trouble, refused, unreadable
from templates.pay_invoices.cii_papers import cii_xml, zugferd_1_xml
from templates.pay_invoices.hybrid_pdf import hybrid_pdf, pdf
from templates.pay_invoices.orders import PLAIN, invoice, paper
from templates.pay_invoices.papers import ubl_xml

CII_PDF = hybrid_pdf(PLAIN, cii_xml(PLAIN))


def refusal(data: bytes, name: str = "invoices/x") -> Unreadable:
    found = read_document(name, data)
    assert isinstance(found, Unreadable), found
    assert found.reason
    assert found.advice
    return found


def locked(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(CII_PDF)))
    writer.encrypt(password, "owner", algorithm="RC4-128")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def bomb(body: bytes) -> bytes:
    entities = b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
    return b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">' + entities + b"]>" + body


def swollen() -> bytes:
    """A PDF of 100 KB whose attachment unpacks to 100 MB."""
    packed = zlib.compress(b"<a>" + b" " * 100 * 1024 * 1024, 9)
    entries = b"/Length %d /Filter /FlateDecode >>" % len(packed)
    return pdf([("a.xml", b"@@")]).replace(b"/Length 2 >>", entries).replace(b"\n@@\n", b"\n" + packed + b"\n")


HOSTILE = {
    "zero bytes": (b"", "empty_file"),
    "cut off": (ubl_xml(PLAIN)[:700], "broken_xml"),
    "wrong encoding": (b"<?xml version='1.0' encoding='UTF-8'?><a>\xff</a>", "broken_xml"),
    "entity bomb": (bomb(b"<x>&j;</x>"), "hostile_xml"),
    "entity bomb in an attribute": (bomb(b'<x y="&j;"/>'), "hostile_xml"),
    "document type alone": (b"<!DOCTYPE Invoice SYSTEM 'http://x.example/x.dtd'><Invoice/>", "hostile_xml"),
    "document type in UTF-16": (
        "<!DOCTYPE x [<!ENTITY a SYSTEM 'file:///x'>]><x>&a;</x>".encode("utf-16"),
        "hostile_xml",
    ),
    "201 deep": (b"<a>" * 201 + b"</a>" * 201, "too_deep"),
    "500 deep": (b"<a>" * 500 + b"</a>" * 500, "too_deep"),
    "a million tags": (b"<a>" + b"<b/>" * 1_000_000 + b"</a>", "too_large"),
    "one value of 11 MB": (b"<a>" + b"x" * 11_000_000 + b"</a>", "too_large"),
    "51 MB": (b"\0" * (MAX_BYTES + 1), "too_large"),
    "XML of another kind": (b"<note><to>you</to></note>", "unknown_xml"),
    "another version of UBL": (
        b'<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-1"/>',
        "unknown_xml",
    ),
    "FatturaPA": (
        b'<p:FatturaElettronica xmlns:p="http://ivaservizi.agenziaentrate.gov.it/docs/xsd/fatture/v1.2"/>',
        "fatturapa",
    ),
    "PDF with a password": (locked("secret"), "encrypted_pdf"),
    "PDF cut in half": (CII_PDF[: len(CII_PDF) // 2], "damaged_pdf"),
    "PDF that is only a header": (b"%PDF-1.7\n", "damaged_pdf"),
    "PDF without XML": (pdf([]), "plain_pdf"),
    "PDF with other XML": (pdf([("notes.xml", b"<note/>")]), "plain_pdf"),
    "PDF with broken XML": (pdf([("factur-x.xml", cii_xml(PLAIN)[:900])]), "broken_attachment"),
    "PDF with a bomb": (pdf([("factur-x.xml", bomb(b"<x>&j;</x>"))]), "hostile_xml"),
    "PDF with two invoices": (
        pdf([("a.xml", cii_xml(PLAIN)), ("b.xml", cii_xml(paper(number="B-1")))]),
        "contradicting_attachments",
    ),
    "PDF that swells": (swollen(), "too_large"),
    "picture": (b"\x89PNG\r\n\x1a\n" + b"\0" * 50, "picture"),
    "photo": (b"\xff\xd8\xff\xe0" + b"\0" * 50, "picture"),
    "zip": (b"PK\x03\x04" + b"\0" * 50, "office_file"),
    "mail": (b"From: a@x.example\r\nSubject: invoice\r\n\r\nattached", "mail"),
    "web page": (b"<!DOCTYPE html><html><body>Invoice</body></html>", "other_file"),
    "text": (b"Invoice 12, please pay 100 EUR", "other_file"),
    "blanks": (b"  \n\t ", "other_file"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_bad_input_becomes_a_reason_and_an_advice(case: str) -> None:
    data, code = HOSTILE[case]
    assert refusal(data).reason_code == code


def test_external_entities_are_never_fetched(tmp_path: Path) -> None:
    canary = tmp_path / "canary.txt"
    canary.write_text("CANARY-4711")
    text = ubl_xml(PLAIN).decode().replace("A-100", "&leak;")
    head, _, body = text.partition("?>")
    found = refusal(f'{head}?><!DOCTYPE Invoice [<!ENTITY leak SYSTEM "{canary.as_uri()}">]>{body}'.encode())
    assert found.reason_code == "hostile_xml"
    assert "CANARY" not in f"{found}"


@pytest.mark.parametrize("write", [ubl_xml, cii_xml, zugferd_1_xml])
@pytest.mark.parametrize("name", ["a.xml", "picture.png", "no suffix", "a.pdf", "b.txt"])
def test_the_name_says_nothing(write, name: str) -> None:  # type: ignore[no-untyped-def]
    found = read_document(name, write(PLAIN))
    assert isinstance(found, Invoice)
    assert (found.number, found.due) == ("A-100", Decimal("369.00"))


@pytest.mark.parametrize("attachment", ["factur-x.xml", "xrechnung.xml", "ZUGFeRD-invoice.xml", "data.bin", "x"])
def test_any_attachment_whose_root_is_known_is_read(attachment: str) -> None:
    found = read_document("a.pdf", hybrid_pdf(PLAIN, ubl_xml(PLAIN), attachment))
    assert isinstance(found, Invoice)
    assert (found.syntax, found.attachment) == ("UBL", attachment)


def test_a_second_attachment_may_say_the_same_or_something_else_entirely() -> None:
    both = pdf([("order.xml", b"<order/>"), ("a.xml", cii_xml(PLAIN)), ("b.xml", ubl_xml(PLAIN))])
    found = read_document("a.pdf", both)
    assert isinstance(found, Invoice)
    assert found.number == "A-100"


@pytest.mark.parametrize(
    "change", [{"iban": "DE89370400440532013000"}, {"stated": {"due": Decimal(1)}}, {"currency": "SEK"}]
)
def test_attachments_that_differ_in_what_is_paid_contradict(change: dict[str, object]) -> None:
    data = pdf([("a.xml", cii_xml(PLAIN)), ("b.xml", ubl_xml(paper(**change)))])
    assert refusal(data).reason_code == "contradicting_attachments"


def test_a_pdf_that_only_restricts_printing_is_read() -> None:
    found = read_document("a.pdf", locked(""))
    assert isinstance(found, Invoice)


def test_leading_blanks_and_marks_do_not_matter() -> None:
    for data in (b"\n\n" + ubl_xml(PLAIN), b"\xef\xbb\xbf" + ubl_xml(PLAIN)):
        assert isinstance(read_document("a.xml", data), Invoice)
    wide = ubl_xml(PLAIN).decode().replace("encoding='UTF-8'", "encoding='UTF-16'").encode("utf-16")
    assert isinstance(read_document("a.xml", wide), Invoice)


@pytest.mark.parametrize("text", ["369,00", "1E3", "NaN", "-", "٣٦٩", "369.00 EUR", "1" * 40, "0x10"])
def test_an_amount_that_is_no_decimal_is_noted_and_not_guessed(text: str) -> None:
    data = ubl_xml(PLAIN).replace(b">369.00</cbc:PayableAmount", f">{text}</cbc:PayableAmount".encode())
    found = read_document("a.xml", data)
    assert isinstance(found, Invoice)
    assert found.due is None
    assert [(odd.field, odd.text) for odd in found.odd] == [("due", text[:100])]


def test_an_amount_in_another_currency_is_noted() -> None:
    data = ubl_xml(PLAIN).replace(b'<cbc:PayableAmount currencyID="EUR"', b'<cbc:PayableAmount currencyID="SEK"')
    found = read_document("a.xml", data)
    assert isinstance(found, Invoice)
    assert [odd.field for odd in found.odd] == ["currency"]


def test_dates_of_unknown_format_are_noted() -> None:
    data = cii_xml(PLAIN).replace(b'format="102">20261202', b'format="1020">20261202')
    found = read_document("a.xml", data)
    assert isinstance(found, Invoice)
    assert found.due_date is None
    assert [odd.field for odd in found.odd] == ["due_date"]


def test_tax_in_the_currency_of_the_books_is_not_taken_for_the_tax() -> None:
    second = b'<cac:TaxTotal><cbc:TaxAmount currencyID="SEK">789.00</cbc:TaxAmount></cac:TaxTotal>'
    data = ubl_xml(PLAIN).replace(b"<cac:TaxTotal>", second + b"<cac:TaxTotal>", 1)
    found = read_document("a.xml", data)
    assert isinstance(found, Invoice)
    assert (found.tax, found.odd) == (Decimal("69.00"), [])


def test_a_credit_note_document_is_one_whatever_its_type_says() -> None:
    data = ubl_xml(paper(type_code="381"))
    assert isinstance(credit := read_document("a.xml", data), Invoice)
    assert (credit.type_code, credit.is_credit, credit.signed_gross) == ("381", True, Decimal("-369.00"))
    odd = read_document("a.xml", data.replace(b">381<", b">380<"))
    assert isinstance(odd, Invoice)
    assert (odd.is_credit, [one.field for one in odd.odd]) == (True, ["type_code"])


def test_invisible_characters_do_not_reach_the_screen() -> None:
    found = invoice(seller=replace(PLAIN.seller, name="Arden\u202e &\u200b Hale\n  Ltd"))
    assert found.seller == "Arden & Hale Ltd"


def test_names_of_files() -> None:
    fine = [
        "invoices/" + "ü" * 116 + ".xml",
        "invoices/Mu\u0308ller.xml",
        "invoices/חשבונית.xml",
        "invoices/a b (1).xml",
    ]
    assert [name_trouble(name) for name in fine] == [None] * len(fine)
    for name in fine:
        assert isinstance(read_document(name, ubl_xml(PLAIN)), Invoice)
    broken = refusal(ubl_xml(PLAIN), "invoices/\udcfcber.xml")
    assert (broken.reason_code, broken.file) == ("bad_name", "invoices/\\udcfcber.xml")
    assert refusal(ubl_xml(PLAIN), "invoices/a\nb.xml").reason_code == "deceptive_name"
    for name in ("invoices/" + "ü" * 117 + ".xml", "/".join(["invoices", *["n" * 200] * 6])):
        assert refusal(ubl_xml(PLAIN), name).reason_code == "long_name"
    turned = refusal(ubl_xml(PLAIN), "invoices/\u202elmx.exe")
    assert (turned.reason_code, turned.file) == ("deceptive_name", "invoices/\\u202elmx.exe")


def test_files_that_cannot_be_opened_have_words_too() -> None:
    sentences = {
        "It is a link; links are not followed.": "link",
        "It is not there any more.": "vanished",
        "This account may not read it.": "no_permission",
        "It holds 200 MB; files up to 50 MB are read.": "too_large",
        "It changed while it was being read; try again when nobody is saving it.": "changing",
        "It is no regular file.": "not_opened",
    }
    assert {sentence: refused("a", sentence).reason_code for sentence in sentences} == sentences
    assert refused("a", "It is no regular file.").reason == "The file cannot be opened: It is no regular file."


def test_codes_are_recorded_and_never_renamed() -> None:
    assert sorted(CODES) == [
        "bad_name", "broken_attachment", "broken_xml", "changing", "contradicting_attachments", "damaged_pdf",
        "deceptive_name", "draft_xml", "empty_file", "encrypted_pdf", "fatturapa", "hostile_xml", "link", "long_name", "mail",
        "no_invoice", "no_permission", "not_opened", "office_file", "other_file", "picture", "plain_pdf", "too_deep",
        "too_large", "too_many_pages", "too_slow", "unknown_xml", "vanished",
    ]  # fmt: skip


@pytest.mark.parametrize("code", sorted(CODES))
def test_every_refusal_is_two_sentences_without_gaps(code: str) -> None:
    found = unreadable("a", code, ": detail")
    for sentence in (found.reason, found.advice):
        assert sentence[0].isupper()
        assert sentence.endswith(".")
        assert "{" not in sentence


def test_a_pile_keeps_every_document() -> None:
    documents = [read_document("a", b""), invoice(), read_document("b", b"x")]
    sorted_out = pile(documents)
    assert [one.file for one in sorted_out.unreadable] == ["a", "b"]
    assert [one.file for one in sorted_out.invoices] == ["invoices/a.xml"]


BASES = [ubl_xml(PLAIN), cii_xml(PLAIN), zugferd_1_xml(PLAIN), CII_PDF, locked("secret")]


@given(
    st.sampled_from(BASES),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=40)), min_size=1, max_size=6),
)
def test_damaged_documents_never_raise(data: bytes, cuts: list[tuple[float, int, bytes]]) -> None:
    for where, length, instead in cuts:
        start = int(where * len(data))
        data = data[:start] + instead + data[start + length :]
    found = read_document("a", data)
    assert isinstance(found, Invoice | Unreadable)


@given(st.binary(max_size=300))
def test_any_bytes_are_answered(data: bytes) -> None:
    with pytest.MonkeyPatch.context() as here:
        here.setattr(guarded, "CAN_FORK", False)  # a child for each would take most of the time
        assert isinstance(read_document("a", b"%PDF-1.4\n" + data), Unreadable)
    assert isinstance(read_document("a", data), Invoice | Unreadable)
    assert isinstance(read_document("a", b"<" + base64.b16encode(data)), Unreadable)
