"""The words and notations in which the tests write an invoice down, per language, two ways of saying each thing.

They are what offices write, collected without looking at what the reader knows: a reader that only passes on its own words proves nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

Pair = tuple[str, str]


@dataclass(frozen=True)
class Language:
    """One language: pairs are two ways to say a thing, a layout takes the first or the second."""

    code: str
    title: Pair
    credit: str
    correction: str
    number: Pair
    issued: Pair
    due_on: Pair
    delivered: str
    customer: str
    order: str
    seller: str
    buyer: str
    vat_id: str
    item: str
    quantity: str
    price: str
    line_total: str
    lines_total: Pair
    allowances: str
    charges: str
    net: Pair
    vat: Pair
    on: str
    gross: Pair
    prepaid: Pair
    rounding: str
    due: Pair
    holder: str
    bank: str
    page: str
    of: str
    pay_by: str
    untaxed: str
    conditions: str
    discount: str
    paid: str
    collected: str
    months: str
    thousands: str
    decimal: str

    def amount(self, value: Decimal) -> str:
        """A figure with two decimals, the thousands apart."""
        whole, _, cents = f"{abs(value):,.2f}".partition(".")
        return f"{'-' if value < 0 else ''}{whole.replace(',', self.thousands)}{self.decimal}{cents}"

    def money(self, value: Decimal, currency: str) -> str:
        """A figure with its currency, where this language puts it."""
        sign = "€" if currency == "EUR" else currency
        if self.code in ("nl", "it"):
            return f"{sign} {self.amount(value)}"
        if self.code == "en":
            return f"{'-' if value < 0 else ''}{sign}{'' if sign == '€' else ' '}{self.amount(abs(value))}"
        return f"{self.amount(value)} {sign}"

    def day(self, day: date, *, long: bool) -> str:
        """A date in figures, or with the month as a word; English never in figures, which nobody could read with certainty."""
        month = self.months.split()[day.month - 1]
        if self.code == "en":
            return f"{month} {day.day}, {day.year}" if long else f"{day.day} {month} {day.year}"
        if long:
            link = {"de": ". ", "es": " de "}.get(self.code, " ")
            return f"{day.day}{link}{month}{' de ' if self.code == 'es' else ' '}{day.year}"
        mark = {"de": ".", "nl": "-"}.get(self.code, "/")
        return f"{day.day:02}{mark}{day.month:02}{mark}{day.year}"

    def rate(self, rate: Decimal) -> str:
        """A percentage."""
        return f"{rate.normalize():f}".replace(".", self.decimal) + " %"


DE = Language(
    "de", ("Rechnung", "RECHNUNG"), "Gutschrift", "Korrekturrechnung", ("Rechnungsnummer", "Rechnungs-Nr."),
    ("Rechnungsdatum", "Datum"), ("Fällig am", "Zahlbar bis"), "Lieferdatum", "Kundennummer", "Ihre Bestellung", "Verkäufer", "Käufer",
    "USt-IdNr.", "Beschreibung", "Menge", "Einzelpreis", "Gesamtpreis", ("Zwischensumme", "Summe der Positionen"), "Nachlässe", "Zuschläge",
    ("Nettobetrag", "Summe netto"), ("MwSt.", "Umsatzsteuer"), "auf", ("Gesamtbetrag", "Rechnungsbetrag"), ("Bereits gezahlt", "Anzahlung"),
    "Rundung", ("Zahlbetrag", "Zu zahlender Betrag"), "Kontoinhaber", "Bank", "Seite", "von",
    "Bitte überweisen Sie den Betrag bis zum {day} auf das unten genannte Konto.", "Steuerschuldnerschaft des Leistungsempfängers.",
    "Die Ware bleibt bis zur vollständigen Bezahlung unser Eigentum. Bei Verzug berechnen wir eine Pauschale von 40,00 EUR.",
    "Bei Zahlung innerhalb von 8 Tagen gewähren wir 2 % Skonto.", "Der Betrag wurde bereits bezahlt.",
    "Der Betrag wird per SEPA-Lastschrift von Ihrem Konto eingezogen.",
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember", ".", ",",
)  # fmt: skip
EN = Language(
    "en", ("Invoice", "INVOICE"), "Credit note", "Corrected invoice", ("Invoice number", "Invoice No."), ("Invoice date", "Date of issue"),
    ("Due date", "Payment due"), "Delivery date", "Customer no.", "Your order", "Seller", "Bill to", "VAT ID", "Description", "Qty",
    "Unit price", "Amount", ("Subtotal", "Sum of lines"), "Discounts", "Surcharges", ("Net total", "Total excl. VAT"), ("VAT", "VAT"),
    "on", ("Total", "Invoice total"), ("Amount paid", "Less deposit"), "Rounding", ("Amount due", "Balance due"), "Account name", "Bank",
    "Page", "of", "Please pay by {day} to the account below.", "Reverse charge: the customer accounts for the VAT.",
    "Title to the goods passes when they have been paid in full. If already paid, please disregard this notice.",
    "A 2 % discount applies to payment within 8 days.", "Paid in full - thank you!", "We will collect the amount by direct debit.",
    "January February March April May June July August September October November December", ",", ".",
)  # fmt: skip
FR = Language(
    "fr", ("Facture", "FACTURE"), "Avoir", "Facture rectificative", ("Numéro de facture", "Facture n°"),
    ("Date de facture", "Date d'émission"), ("Date d'échéance", "Échéance"), "Date de livraison", "N° client", "Votre commande", "Vendeur",
    "Client", "N° TVA", "Désignation", "Quantité", "Prix unitaire", "Montant HT", ("Sous-total", "Total des lignes"), "Remises", "Frais",
    ("Total HT", "Montant HT"), ("TVA", "TVA"), "sur", ("Total TTC", "Montant TTC"), ("Acompte versé", "Déjà réglé"), "Arrondi",
    ("Net à payer", "Reste à payer"), "Titulaire du compte", "Banque", "Page", "sur", "À régler avant le {day} par virement.",
    "Autoliquidation de la TVA par le preneur.",
    "Les marchandises restent notre propriété jusqu'au paiement complet. Indemnité forfaitaire de recouvrement : 40,00 EUR.",
    "Pas d'escompte pour paiement anticipé.", "Facture acquittée.", "Le montant sera prélevé sur votre compte.",
    "janvier février mars avril mai juin juillet août septembre octobre novembre décembre", "\u00a0", ",",
)  # fmt: skip
NL = Language(
    "nl", ("Factuur", "FACTUUR"), "Creditnota", "Correctiefactuur", ("Factuurnummer", "Factuurnr."), ("Factuurdatum", "Datum"),
    ("Vervaldatum", "Te betalen voor"), "Leverdatum", "Klantnummer", "Uw bestelling", "Verkoper", "Klant", "BTW-nummer", "Omschrijving",
    "Aantal", "Prijs", "Bedrag", ("Subtotaal", "Som van de regels"), "Kortingen", "Toeslagen", ("Totaal excl. btw", "Nettobedrag"),
    ("BTW", "btw"), "over", ("Totaal incl. btw", "Factuurbedrag"), ("Reeds betaald", "Aanbetaling"), "Afronding",
    ("Te betalen", "Openstaand bedrag"), "Rekeninghouder", "Bank", "Pagina", "van",
    "Wij verzoeken u het bedrag te betalen voor {day}.", "Btw verlegd naar de afnemer.",
    "De goederen blijven ons eigendom tot de factuur volledig is voldaan.", "Betaling binnen 14 dagen zonder korting.",
    "Deze factuur is reeds betaald.", "Het bedrag wordt automatisch geïncasseerd.",
    "januari februari maart april mei juni juli augustus september oktober november december", ".", ",",
)  # fmt: skip
ES = Language(
    "es", ("Factura", "FACTURA"), "Nota de crédito", "Factura rectificativa", ("Número de factura", "Factura nº"),
    ("Fecha de factura", "Fecha de emisión"), ("Fecha de vencimiento", "Vencimiento"), "Fecha de entrega", "Nº de cliente", "Su pedido",
    "Vendedor", "Cliente", "NIF", "Descripción", "Cantidad", "Precio", "Importe", ("Subtotal", "Suma de líneas"), "Descuentos", "Recargos",
    ("Base imponible", "Importe neto"), ("IVA", "IVA"), "sobre", ("Total factura", "Importe total"), ("Ya pagado", "Anticipo"), "Redondeo",
    ("Total a pagar", "Importe pendiente"), "Titular de la cuenta", "Banco", "Página", "de", "A pagar antes del {day} por transferencia.",
    "Inversión del sujeto pasivo.", "La mercancía es propiedad del vendedor hasta que haya sido pagada por completo.",
    "No se aplica descuento por pronto pago.", "Factura pagada.", "El importe se cargará en su cuenta mediante adeudo domiciliado.",
    "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre", ".", ",",
)  # fmt: skip
IT = Language(
    "it", ("Fattura", "FATTURA"), "Nota di credito", "Fattura rettificativa", ("Numero fattura", "Fattura n."),
    ("Data fattura", "Data"), ("Data di scadenza", "Scadenza"), "Data di consegna", "Codice cliente", "Vostro ordine", "Venditore",
    "Cliente", "Partita IVA", "Descrizione", "Quantità", "Prezzo", "Importo", ("Subtotale", "Somma delle righe"), "Sconti", "Spese",
    ("Imponibile", "Totale imponibile"), ("IVA", "IVA"), "su", ("Totale fattura", "Totale documento"), ("Acconto versato", "Già pagato"),
    "Arrotondamento", ("Totale da pagare", "Netto a pagare"), "Intestatario del conto", "Banca", "Pagina", "di",
    "Da pagare entro il {day} con bonifico.", "Inversione contabile.",
    "La merce resta di proprietà del venditore fino al pagamento completo.", "Nessuno sconto per pagamento anticipato.",
    "La fattura è stata pagata.", "L'importo sarà addebitato sul vostro conto.",
    "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre", ".", ",",
)  # fmt: skip
LANGUAGES = {language.code: language for language in (DE, EN, FR, NL, ES, IT)}
