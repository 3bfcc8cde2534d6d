"""In which language a document is written, by words that only one of the six has."""

from __future__ import annotations

from pay_invoices.pdf_text.layout import Sheet

_WORDS = {
    "de": """rechnung rechnungsnummer rechnungsdatum betrag mwst ust umsatzsteuer und fur der die bis zum menge einzelpreis gesamtbetrag
        nettobetrag beschreibung kunde seite""",
    "en": """invoice amount due the and to for quantity description unit price vat tax subtotal payment number customer of please""",
    "fr": """facture montant tva et le les pour quantite designation echeance payer ht ttc reglement du est compte""",
    "nl": """factuur factuurnummer factuurdatum bedrag btw het een en voor aantal omschrijving prijs totaal klant vervaldatum te betalen""",
    "es": """factura importe y el los para cantidad descripcion precio fecha vencimiento cuenta pago""",
    "it": """fattura importo e il per quantita descrizione prezzo scadenza conto pagamento totale della""",
}
_BY_WORD = {word: language for language, words in _WORDS.items() for word in words.split()}


def language_of(sheets: list[Sheet]) -> str:
    """The code of the language, "" when two have about as many words."""
    counts = dict.fromkeys(_WORDS, 0)
    for sheet in sheets:
        for cell in sheet.cells:
            for word in cell.plain.split():
                language = _BY_WORD.get(word.strip(".,:;()"))
                if language:
                    counts[language] += 1
    first, second = sorted(counts, key=lambda language: -counts[language])[:2]
    return first if counts[first] >= 3 and counts[first] >= 2 * counts[second] else ""
