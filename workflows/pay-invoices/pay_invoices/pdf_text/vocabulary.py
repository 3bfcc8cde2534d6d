"""The words by which invoices name their values, in German, English, French, Dutch, Spanish and Italian.

One regular expression a line, over text without case and accents ("n°" keeps its sign, "nº" becomes "no"). NO, VAT, SUM, INCL and EXCL
stand for the words below. STRONG names one thing only; WEAK is also used for other things and needs more proof. A label must fill
its cell up to the value, so "total" never matches "Total weight".
"""

from __future__ import annotations

from functools import cache

from pay_invoices.pdf_text import amount_words

STRONG, WEAK = 3, 2

_NUMBER = r"""
rechnungs?-? ?NO
(?:rg|re|rech)\.?-? ?NO
beleg-? ?NO
faktura-? ?NO
gutschrifts?-? ?NO
\w*rechnung (?:\(\d{3}\) )?NO
(?:tax |vat |sales |commercial )?invoice ?(?:NO|ref(?:erence)?\.?)
inv\.? ?NO
(?:document|bill|credit note) NO
(?:NO|ref\.?) (?:de (?:la )?|d')?facture
(?:facture|avoir) NO
(?:factuur|creditnota)-? ?NO
NO (?:de (?:la )?)?factura
factura NO
(?:nota|factura) (?:de credito|de abono|rectificativa) NO
NO (?:della |di )?fattura
fattura NO
NO documento
documento NO
nota di credito NO
"""
_NUMBER_WEAK = r"""
\w*(?<!ab)rechnung(?: \(\d{3}\))?
gutschrift
(?:tax |vat )?invoice
credit (?:note|memo|invoice)
facture
avoir
note de credit
factuur
creditnota
credit-?factuur
(?:nota|factura) (?:de|di) (?:credito|abono|accredito)
factura(?: rectificativa)?
fattura
#
"""
_ISSUE_DATE = r"""
rechnungs-? ?datum
datum der rechnung
belegdatum
ausstellungsdatum
ausgestellt am
rechnung vom
(?:tax )?invoice (?:issue )?date
date of (?:the )?(?:invoice|issue)
(?:issue|bill) date
date issued
issued(?: on| at)?
date (?:de (?:la )?|d')?(?:facture|emission|facturation)
facture du
emise? le
factuur-? ?datum
datum factuur
fecha (?:de )?(?:la )?(?:factura|emision|expedicion)
data (?:della |di )?(?:fattura|emissione|documento)
"""
_ISSUE_DATE_WEAK = r"""
datum
date
fecha
data
"""
_DUE_DATE = r"""
falligkeits-?(?:datum|tag|termin)
fallig(?:keit)?(?: am| bis(?: zum)?| zum)?
zahlungs?ziel
zahlungs(?:termin|datum)
(?:zahlbar|zu zahlen|zahlung|zahlungsfrist)(?: sofort)?(?: bis| netto bis)(?: zum| spatestens)?
(?:payment )?due(?: date)?(?: on| by)?
date due
payment due date
pay(?:able)?(?: by| on| until| before)
payment (?:by|until|deadline)
(?:date d')?echeance(?: le| au| du)?
date limite de (?:paiement|reglement)(?: le)?
(?:a (?:payer|regler)|payable|paiement|reglement)(?: avant| au plus tard| pour)? le
verval-? ?(?:datum|dag)
(?:uiterste|uiterlijke) (?:betaaldatum|betaaldag)
(?:te )?(?:betalen|voldoen) (?:voor|uiterlijk|op)(?: op)?
betaaldatum
(?:fecha (?:de |del )?)?vencimiento
vence(?: el)?
fecha limite de pago
(?:a )?paga(?:r|dero) (?:antes del|el|hasta el)
(?:data (?:di |della )?)?scadenza
scade il
(?:da pagare |pagamento )?entro(?: il)?
termine di pagamento
"""
_CURRENCY = r"""
(?:rechnungs)?wahrung
(?:invoice )?currency
devise
monnaie
munteenheid
valuta
moneda
divisa
(?:alle )?betrage in
all amounts (?:are )?in
montants en
bedragen in
importes en
importi in
"""
_SELLER = r"""
verkaufer(?:in)?
rechnungs(?:steller|aussteller)(?:in)?
lieferant(?:in)?
leistungserbringer
seller
vendor
supplier
sold by
(?:invoice from|(?:issued|invoiced|billed) by)
vendeur
emetteur
fournisseur
prestataire
facture emise par
verkoper
leverancier
afzender
vendedor
emisor
proveedor
venditore
fornitore
cedente(?: ?/ ?prestatore)?
emittente
"""
_BUYER = r"""
kaufer(?:in)?(?: ?/ ?leistungsempfanger)?
rechnung an
rechnungs(?:empfanger|adresse|anschrift)
leistungsempfanger
empfanger
kunde
auftraggeber
besteller
an
abweichender \w+
buyer
(?:billed|bill|invoiced?|sold|shipp?e?d?|deliver(?:ed|y)?) to(?: address)?
customer
client
(?:billing|shipping|delivery) address
to
acheteur
facture a
destinataire
adresse de (?:facturation|livraison)
koper
klant
factuur aan
(?:factuur|aflever)adres
afnemer
ontvanger
aan
comprador
cliente
factura(?:r|do) a
destinatario
direccion de (?:facturacion|envio)
receptor
acquirente
fatturare a
spett(?:\.?le|abile)
cessionario(?: ?/ ?committente)?
intestata a
indirizzo di (?:fatturazione|spedizione)
"""
_HOLDER = r"""
(?:konto)?inhaber(?:in)?
(?:zahlungs)?empfanger
begunstigter
account (?:holder|name|owner)(?: name)?
beneficiary(?: name)?
payee
titulaire(?: du compte)?
beneficiaire
rekeninghouder
t\.?n\.?v\.?
ten name van
begunstigde
titular(?: de la cuenta)?
beneficiario
intestatario(?: del)?(?: conto)?
intestato a
"""
_NAME = r"""
name
firma
company(?: name)?
nom
raison sociale
naam
bedrijf
nombre
razon social
nome
ragione sociale
denominazione
"""
_IBAN = r"""
iban(?:[- ]?(?:nr|nummer|no|code))?\.?
"""
_VAT_ID = r"""
(?:unsere )?(?:u\.?st\.?|umsatzsteuer|mwst)\.?-? ?id(?:ent(?:ifikations)?)?\.?-? ?NO?\.?
uid(?:-?nr\.?)?
ust\.?-?NO
(?:our |seller )?vat[- ]?(?:id|no|number|reg(?:istration)?)?\.?(?: NO)?\.?
tax (?:id|NO|reg(?:istration)?(?: NO)?)
(?:NO )?(?:de )?tva(?: intra(?:-?comm(?:unautaire)?)?\.?)?(?: NO)?
btw[- ]?NO?\.?
(?:n\.?i\.?f|c\.?i\.?f|nif[-/ ]?iva|cif[-/ ]?nif|nif[-/ ]cif)\.?
(?:codice |numero )?(?:partita iva|p\.? ?iva|p\. ?i\.)(?: ?(?:/|e) ?c\.?f\.?)?
"""
_BLOCKS: tuple[tuple[str, int, str], ...] = (
    ("number", STRONG, _NUMBER),
    ("number", WEAK, _NUMBER_WEAK),
    ("issue_date", STRONG, _ISSUE_DATE),
    ("issue_date", WEAK, _ISSUE_DATE_WEAK),
    ("due_date", STRONG, _DUE_DATE),
    ("net", STRONG, amount_words.NET),
    ("net", WEAK, amount_words.NET_WEAK),
    ("tax", STRONG, amount_words.TAX),
    ("gross", STRONG, amount_words.GROSS),
    ("gross", WEAK, amount_words.GROSS_WEAK),
    ("due", STRONG, amount_words.DUE),
    ("prepaid", STRONG, amount_words.PREPAID),
    ("rounding", STRONG, amount_words.ROUNDING),
    ("aside", STRONG, amount_words.ASIDE),
    ("currency", STRONG, _CURRENCY),
    ("seller", STRONG, _SELLER),
    ("buyer", STRONG, _BUYER),
    ("holder", STRONG, _HOLDER),
    ("name", STRONG, _NAME),
    ("iban", STRONG, _IBAN),
    ("vat_id", STRONG, _VAT_ID),
)


@cache
def label_patterns() -> tuple[tuple[str, int, str], ...]:
    """Every label as (role, level, pattern); a pattern is matched at the start of a cell, after a figure, or after a mark such as ":"."""
    return tuple((role, level, _filled(line)) for role, level, block in _BLOCKS for line in block.splitlines() if line)


def _filled(pattern: str) -> str:
    for name, words in amount_words.PARTS.items():
        pattern = pattern.replace(name, words)
    return pattern


# The head of a table of what was delivered: amounts below it are lines, not totals.
ITEM_HEADS = r"""
pos(?:ition|\.)?
beschreibung
bezeichnung
artikel
produkt
leistung
menge
anzahl
(?:einzel|e-|vk-|stuck|netto)preis
description
item
product
qty
quantity
unit price
rate
designation
libelle
quantite
qte
prix unitaire
p\.?u\.?(?: ht)?
omschrijving
aantal
prijs(?: per stuk)?
stuksprijs
descripcion
concepto
cantidad
cant\.?
precio(?: unitario| unidad)?
descrizione
quantita
q\.ta
prezzo(?: unitario)?
"""
# What stands right before a date by which payment is asked for, anywhere in a sentence.
BEFORE_DUE_DATE = r"""
uberweisen (?:sie )?(?:den (?:rechnungs|gesamt)?betrag )?(?:bitte )?(?:bis|spatestens)(?: spatestens)?(?: zum| am)?
(?:zahlbar|fallig|zahlung|betrag)(?: ist)?(?: ohne abzug| netto| rein netto)*(?: bis| am| bis spatestens)(?: zum| am)?
netto bis
(?:please )?(?:pay|remit|transfer|payable|payment|due)(?: the amount| in full)?(?: no later than| by| until| on or before| before| on)
a (?:payer|regler) (?:avant|pour|au plus tard) ?(?:le)?
(?:te )?(?:betalen|voldoen|over te maken) (?:voor|uiterlijk)(?: op)?
(?:pagar|pago|abonar) antes del?
(?:pagare|pagamento|versare) entro (?:e non oltre )?(?:il)?
"""
# Marks that stand for one currency, and in the second group marks that several countries use.
CURRENCY_MARKS = {
    "€": "EUR", "eur": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "gbp": "GBP", "chf": "CHF", "sfr": "CHF", "sfr.": "CHF",
    "usd": "USD", "us$": "USD", "sek": "SEK", "nok": "NOK", "dkk": "DKK", "pln": "PLN", "zł": "PLN", "czk": "CZK", "huf": "HUF",
    "ron": "RON", "bgn": "BGN", "cad": "CAD", "aud": "AUD", "jpy": "JPY", "cny": "CNY", "inr": "INR", "try": "TRY", "₹": "INR",
    "kč": "CZK", "ft": "HUF", "lei": "RON", "₺": "TRY", "₪": "ILS", "₽": "RUB", "₴": "UAH",
    "$": "$", "¥": "¥", "kr": "kr", "kr.": "kr", "rs": "Rs", "rs.": "Rs",
}  # fmt: skip
# Names of currencies, but for the euro.
CURRENCY_WORDS = r"""
(?:us.?)?dollars?
dolares
dollari
(?:pfund|pounds?|sterling|livres sterling|ponden|libras|sterline)
franken
francs suisses
swiss francs
zwitserse franken?
francos suizos
franchi svizzeri
(?:danske |svenska |norske )?kron(?:en|er|or|a|e|as)
zloty
forint
yen
"""
CURRENCY_CODES = frozenset(
    """
    AED AMD ARS AUD AZN BAM BDT BGN BHD BRL BYN CAD CHF CLP CNY COP CRC CZK DKK DZD EGP EUR GBP GEL GHS HKD HUF IDR ILS INR ISK JOD JPY KES
    KRW KWD KZT LBP LKR MAD MDL MKD MUR MXN MYR NGN NOK NZD OMR PEN PHP PKR PLN PYG QAR RON RSD RUB SAR SEK SGD THB TND TRY TWD UAH USD UYU
    UZS VND XAF XOF ZAR
    """.split()
)
MONTHS = {
    1: "januar jan janner january janvier janv januari enero ene gennaio gen",
    2: "februar feb february fevrier fevr fev februari febrero febbraio febb",
    3: "marz mar mrz march mars maart mrt marzo",
    4: "april apr avril avr abril abr aprile",
    5: "mai may mei mayo maggio mag",
    6: "juni jun june juin junio giugno giu",
    7: "juli jul july juillet juil julio luglio lug",
    8: "august aug aout augustus agosto ago ag",
    9: "september sep sept septembre septiembre set settembre sett",
    10: "oktober okt october oct octobre octubre ottobre ott",
    11: "november nov novembre noviembre",
    12: "dezember dez december dec decembre diciembre dic dicembre",
}


def one_of(block: str) -> str:
    """The lines of a block as one expression."""
    return f"(?:{'|'.join(line for line in block.splitlines() if line)})"
