"""What the pages say in sentences: that the invoice is paid, that it will be collected, that no tax is charged, what kind of paper it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pay_invoices.pdf_text.layout import Box, Cell, Sheet

_PAID = re.compile(
    r"""\b(?:
    (?:bereits|schon|vollstandig|dankend|wurde|ist|betrag|rechnung)\s(?:\w+\s){0,3}?(?:bezahlt|beglichen|vorausbezahlt)\b
    | (?:betrag|zahlung|rechnungsbetrag)\s(?:\w+\s){0,2}?(?:dankend\s)?erhalten | dankend\serhalten | zahlung\seingegangen
    | bezahlt\s(?:am|mit|per|durch|via|uber)\b | (?:wurde|haben\swir)\s(?:\S+\s){0,6}?(?:abgebucht|eingezogen)\b
    | paid\s(?:in\sfull|on|by|via|with|using)\b | (?:already|fully|been|was|is)\s(?:been\s)?paid\b | payments?\sreceived | received\swith\sthanks
    | (?:has\sbeen|was|already)\s(?:charged|debited|collected)\b | direct\sdebit\s(?:was\s|has\sbeen\s)?(?:taken|collected|debited) | no\spayment\s(?:is\s)?(?:required|due|necessary)
    | thank\syou\sfor\syour\spayment
    | (?:deja|entierement|integralement|ete|est)\s(?:\w+\s)?(?:payee?|reglee?|acquittee?|prelevee?)\b | facture\sacquittee | (?:payee?|reglee?|acquittee?|prelevee?)\s(?:le|par|via|en\sligne)\b
    | (?:paiement|reglement)\srecu
    | (?:reeds|al|is|werd|volledig)\s(?:\w+\s){0,2}?(?:betaald|voldaan|vooruitbetaald)\b | (?:betaald|voldaan)\s(?:op|per|via|met|door)\b | vooruitbetaald\smet | betaling\s(?:reeds\s)?ontvangen
    | (?:is|werd|reeds)\s(?:\w+\s){0,4}?(?:geincasseerd|afgeschreven)\b
    | (?:ya|totalmente|ha\ssido|fue|esta|factura)\s(?:\w+\s)?(?:pagad[oa]|abonad[oa]|cobrad[oa])\b | (?:pagad[oa]|cobrad[oa])\s(?:el|con|por|mediante)\b | pago\s(?:ya\s)?recibido
    | (?:gia|interamente|stat[ao]|e|fattura)\s(?:\w+\s)?(?:pagat[ao]|saldat[ao]|quietanzat[ao])\b | (?:pagat[ao]|saldat[ao]|quietanzat[ao])\s(?:il|con|tramite|mediante)\b
    | pagamento\s(?:gia\s)?(?:ricevuto|effettuato)
    )""",
    re.VERBOSE,
)
# A stamp: the word stands alone in its cell.
_STAMP = re.compile(
    r"\W*(?:bezahlt|betrag bezahlt|paid|paid in full|payee?|acquittee?|reglee?|betaald|voldaan|pagad[oa]|cobrad[oa]|pagat[ao]|saldat[ao])\W*"
)
# Paid by a means that leaves nothing to transfer, as the value of a label such as "Payment method".
_SETTLED_BY = re.compile(
    r"\b(?:zahlungs(?:art|weise|form|methode)|bezahlmethode|payment (?:method|mode|type)|paid by|(?:mode|moyen)s? de (?:paiement|reglement)|betaal(?:methode|wijze)|forma de pago|metodo de pago|"
    r"(?:metodo|modalita) di pagamento)\W+(?:\w+\W+){0,3}?(?:kreditkarte|credit ?card|debit ?card|carte (?:bancaire|bleue|de credit)|creditcard|tarjeta|carta di credito|paypal|klarna|sofort|ideal|"
    r"stripe|apple pay|google pay|amazon pay|bar(?:zahlung)?|cash|especes|contant|efectivo|contanti|mollie|visa|mastercard)\b"
    r"|\bideal\W{1,4}(?:op|betaling)\b"
)
# Words before it that turn it round: not yet, if, until.
_NOT = re.compile(
    r"\b(?:nicht|noch nicht|kein|keine|bis zur|bis|falls|sofern|wenn|sollte|erst|sobald|nach|not|never|if|unless|until|when|once|pas|non|si|jusqu\W?au?|apres|niet|nog niet|indien|tot|zolang|wanneer|no|hasta|"
    r"se|qualora|fino a(?:l|lla)?|finche|can be|may be|must be|to be|kann|konnen|kunt|kan|peut|puede|puo|zu)\b[^.;]{0,45}$"
)
_COLLECTED = re.compile(
    r"\b(?:lastschrift(?:einzug|verfahren|mandat)?|bankeinzug|einzugsermachtigung|(?:buchen|ziehen)\s(?:wir\s)?[^.]{0,80}?(?:\bab\b|\bein\b)|abgebucht|eingezogen|direct debit|prelevement|prelev(?:e|era|erons)|"
    r"automatische incasso|incasso|geincasseerd|afgeschreven|domiciliacion|domiciliado|giro bancario|adeudo|cargo en (?:su )?cuenta|addebito diretto|addebitat[ao]|addebito in conto|rid bancario|sdd)\b"
)
_UNTAXED = re.compile(
    r"\b(?:reverse.charge|steuerschuldnerschaft des leistungsempfangers|umsatzsteuerfrei|steuerfrei|steuerbefreit|kleinunternehmer|nicht (?:umsatz)?steuerbar|ohne ausweis|innergemeinschaftliche lieferung|"
    r"vat exempt|exempt from vat|zero.rated|no vat|outside the scope|intra.community supply|autoliquidation|tva non applicable|exoneration|exoneree? de (?:la )?tva|"
    r"btw verlegd|vrijgesteld van btw|intracommunautaire levering|inversion del sujeto pasivo|exent[oa] de iva|operacion exenta|entrega intracomunitaria|inversione contabile|esente (?:da )?iva|non imponibile|fuori campo)\b"
)
_CREDIT = re.compile(
    r"\W*(?:(?:rechnungs)?gutschrift|storno(?:rechnung)?|rechnungskorrektur|kaufmannische gutschrift|credit (?:note|memo|invoice)|refund|(?:facture d\W)?avoir|note de credit|creditnota|credit-?factuur|nota de (?:credito|abono)|abono|"
    r"nota di (?:credito|accredito))\b(?!\s*(?:ihr|auf|wird|erfolgt)).{0,40}"
)
_CORRECTION = re.compile(
    r"\W*(?:korrekturrechnung|rechnungsberichtigung|berichtigte rechnung|correct(?:ed|ive) invoice|facture rectificative|gecorrigeerde factuur|correctiefactuur|factura rectificativa|fattura (?:rettificativa|di rettifica))\b.{0,40}"
)
_PRO_FORMA = re.compile(r"\bpro.?forma\b")
_OTHER = re.compile(
    r"\W*(?:(?:\d\. )?mahnung|zahlungserinnerung|angebot|lieferschein|auftragsbestatigung|bestellung|kontoauszug|quittung|(?:payment )?reminder|(?:sales )?quot(?:e|ation)|estimate|delivery note|packing (?:slip|list)|order confirmation|"
    r"purchase order|statement(?: of account)?|(?:payment )?receipt|rappel(?: de paiement)?|relance|mise en demeure|devis|bon de (?:livraison|commande)|releve(?: de compte)?|recu|(?:betalings)?herinnering|aanmaning|offerte|pakbon|orderbevestiging|"
    r"rekeningoverzicht|recordatorio(?: de pago)?|presupuesto|albaran|pedido|extracto|recibo|sollecito(?: di pagamento)?|preventivo|documento di trasporto|ordine|estratto conto|ricevuta)\b(?! (?:nr|no|n°|number|nummer|date|datum|vom|ref))\W*(?:\W*\d.{0,20})?"
)
_INVOICE = re.compile(r"(?:rechnung|invoice|facture|factuur|factura|fattura|faktura|nota fiscal)")


@dataclass(frozen=True, slots=True)
class Saying:
    """Words found on a page, as written, and where."""

    text: str
    box: Box


@dataclass(frozen=True, slots=True)
class Sayings:
    """What the pages say: each is None when they do not."""

    paid: Saying | None
    collected: Saying | None
    untaxed: Saying | None
    credit: Saying | None
    correction: Saying | None
    pro_forma: Saying | None
    other_paper: Saying | None
    invoice: Saying | None


def sayings_of(sheets: list[Sheet]) -> Sayings:
    """Everything the pages say in words that matters for paying."""
    return Sayings(
        paid=_paid(sheets),
        collected=_first(sheets, _COLLECTED),
        untaxed=_first(sheets, _UNTAXED),
        credit=_title(sheets, _CREDIT),
        correction=_title(sheets, _CORRECTION),
        pro_forma=_first(sheets, _PRO_FORMA),
        other_paper=_title(sheets, _OTHER),
        invoice=_first(sheets, _INVOICE),
    )


def _paid(sheets: list[Sheet]) -> Saying | None:
    for cells in _passages(sheets):
        text = " ".join(cell.plain for cell in cells)
        for pattern in (_PAID, _SETTLED_BY):
            for matched in pattern.finditer(text):
                if not _NOT.search(text[: matched.start()]):
                    return _saying(cells, matched)
    return next((_of(cell) for sheet in sheets for cell in sheet.cells if _STAMP.fullmatch(cell.plain)), None)


def _first(sheets: list[Sheet], pattern: re.Pattern[str]) -> Saying | None:
    for cells in _passages(sheets):
        matched = pattern.search(" ".join(cell.plain for cell in cells))
        if matched is not None:
            return _saying(cells, matched)
    return None


def _title(sheets: list[Sheet], pattern: re.Pattern[str]) -> Saying | None:
    """A title fills its cell, and nothing to the right makes it a label such as "Order: 4711"."""
    for sheet in sheets[:1]:
        for line in sheet.lines:
            for cell, following in zip(line, [*line[1:], None], strict=True):
                labels = following is not None and (following.text[0] in ":#" or any(letter.isdigit() for letter in following.text))
                if pattern.fullmatch(cell.plain) and not labels and not cell.text.endswith(":"):
                    return _of(cell)
    return None


def _passages(sheets: list[Sheet]) -> Iterator[list[Cell]]:
    """Runs of text: each line, and each block of lines, because sentences run over the ends of lines."""
    for sheet in sheets:
        blocks: dict[int, list[Cell]] = {}
        for line in sheet.lines:
            yield line
            for cell in line:
                blocks.setdefault(cell.block, []).append(cell)
        yield from (cells for cells in blocks.values() if len(cells) > 1)


def _of(cell: Cell) -> Saying:
    return Saying(cell.text[:120], cell.box())


def _saying(cells: list[Cell], matched: re.Match[str]) -> Saying:
    """The cell in which a match begins."""
    at = 0
    for cell in cells:
        at += len(cell.plain) + 1
        if matched.start() < at:
            return _of(cell)
    return _of(cells[-1])
