"""The words by which invoices name their values, in German, English, French, Dutch, Spanish and Italian.

One regular expression a line, over text without case and accents ("n°" keeps its sign, "nº" becomes "no"). NO, VAT, SUM, INCL and EXCL
stand for the words below. STRONG names one thing only; WEAK is also used for other things and needs more proof. A label must fill
its cell up to the value, so "total" never matches "Total weight".
"""

from __future__ import annotations

from functools import cache

STRONG, WEAK = 3, 2

_PARTS = {
    "VAT": r"(?:mwst|mehrwertsteuer|ust|umsatzsteuer|steuern?|vat|sales tax|tax(?:es)?|t\.?v\.?a|btw|i\.?v\.?a|impuestos|imposte)\.?",
    "NO": r"(?:nummer|number|numero|num\.?|nro\.?|nr\.?|no\.?|n°|n\.|n|#|id)",
    "INCL": r"(?:inkl|incl|inc|inklusive|inclusief|including|inclusive|mit|with|avec|con|incluido|inclusa|compresa)\.?(?: (?:of|de|d'))?",
    "EXCL": (
        r"(?:ohne|exkl|excl|ex|exklusive|exclusief|excluding|exclusive|before|without|hors|sin|antes de|senza|zonder|vor)\.?"
        r"(?: (?:of|de|d'))?"
    ),
    "SUM": (
        r"(?:gesamt|total|totaal|totale|summe|betrag|gesamtbetrag|gesamtsumme|montant|bedrag|importe|importo|amount|price|preis|prijs|"
        r"rechnungssumme|rechnungsbetrag)"
    ),
}

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
credit note
facture
avoir
factuur
creditnota
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
_NET = r"""
netto-? ?(?:betrag|summe|gesamt|gesamtbetrag|rechnungsbetrag|wert|preis|totaal|bedrag)?(?: gesamt| total)?
nett[ao]bedrag
SUM (?:\(?netto\)?|net)(?: \(?EXCL VAT\)?)?
warenwert(?: netto)?
bemessungsgrundlage
basisbetrag
(?:SUM |zwischensumme |sub-?total |subtotaal |subtotale )?\(?EXCL VAT\)?
net(?: (?:total|amount|sum|value|price))?(?: total)?
total net(?: amount)?
(?:total )?taxable (?:amount|value|total)
(?:total )?amount excl\.?
(?:sous-?total|total|montant|montant total|base)(?: net)?(?: eur)? (?:h\.?t\.?|hors taxes?)(?: net)?
net h\.?t\.?
h\.?t\.?
(?:totaal |bedrag )?netto
maatstaf(?: van heffing)?
grondslag
(?:total )?base(?: imponible)?(?: iva)?(?: total)?
(?:importe|total) neto
subtotal sin iva
suma neta
(?:totale )?imponibile(?: iva)?
(?:importo|totale) netto
totale (?:merce|servizi)
"""
_NET_WEAK = r"""
zwischensumme
positionssumme
sub-? ?total
sous-?total
subtotaal
subtotale
totale parziale
summe
suma
somma
total
totaal
totale
gesamt
"""
_TAX = r"""
(?:zzgl|zuzuglich|plus|add|inkl|incl|davon|enthaltene|dont|of which|waarvan|di cui|\+)?\.? ?VAT(?:[- ]?(?:betrag|summe|gesamt|amount))?
(?:zzgl\.? |zuzuglich |plus |inkl\.? |incl\.? |davon )?\d{1,2}(?:[.,]\d{1,2})? ?% (?:gesetzl(?:iche)?\.? )?VAT(?:[- ]?(?:betrag|amount))?
VAT(?:[- ]?(?:total|totaal|totale|bedrag|wert))
(?:SUM|cuota)(?: de (?:la )?| der | d')? ?(?:VAT|taxes)
steuer-?(?:betrag|summe|gesamtbetrag)(?: in)?
gesamtsteuerbetrag
steuer gesamt
total (?:tax|vat)(?: amount)?
btw-? ?(?:bedrag|totaal)
cuota(?: de)?(?: iva)?
imposta(?: totale)?
totale imposta
importo iva
"""
_GROSS = r"""
(?:rechnungs|gesamt|brutto|end|gesamtrechnungs)-?(?:betrag|summe|endbetrag)(?: \(?brutto\)?)?(?: \(?INCL VAT\)?)?
(?:gesamt|end)preis
gesamt(?:betrag|summe)? brutto
(?:summe|betrag|total) brutto
brutto
(?:SUM |total price )?\(?INCL VAT\)?
(?:grand|invoice) total
total (?:invoice )?(?:amount|value|price)
(?:total )?invoice (?:amount|value)
(?:total )?gross(?: (?:total|amount|sum|value))?
total gross(?: amount)?
total for this invoice
(?:total|montant|montant total|total general)(?: net)?(?: eur)? (?:t\.?t\.?c\.?|toutes taxes comprises)
t\.?t\.?c\.?
(?:total|montant)(?: de la| total)? facture
total general
(?:totaal|eind|factuur)-?(?:bedrag|totaal)(?: factuur)?
totaal factuur
factuur totaal
bruto(?:bedrag| bedrag)?
total (?:de la )?factura
importe total(?: factura)?
total iva incluido
(?:importe|total) bruto
totale (?:della )?(?:fattura|documento|ivato|generale|lordo|complessivo)
importo totale(?: fattura| documento)?
importo lordo
totale iva (?:inclusa|compresa)
"""
_GROSS_WEAK = r"""
total
totaal
totale
gesamt
summe
endsumme
betrag
amount
montant
bedrag
importe
importo
suma
"""
_DUE = r"""
zahl-?betrag
zu zahlen(?:der)?(?: (?:gesamt|rest|rechnungs)?betrag)?
fallige?r?(?: zahl)? ?betrag
offene?r? (?:rest)?betrag
rest-?(?:betrag|zahlung|forderung)
noch zu zahlen
(?:uberweisungs|zahlungs|forderungs)betrag
(?:total )?(?:amount|balance|total) (?:now )?(?:due|payable|owing|outstanding|to pay|to be paid)
total amount due
due payable
payable(?: amount)?
outstanding(?: amount| balance)
balance
residual
payment due
net a (?:payer|regler)(?: ttc)?
(?:montant|total|somme|reste|solde)(?: net)?(?: ttc)? (?:a payer|a regler|du)
solde(?: du)?
(?:totaal )?te (?:betalen|voldoen)(?: bedrag)?
(?:nog )?(?:openstaand|verschuldigd|te betalen)(?: bedrag)?
(?:bedrag|saldo) te (?:betalen|voldoen)
(?:total|importe|liquido|neto|saldo) a (?:pagar|ingresar)
(?:saldo|importe) (?:pendiente|debido)
a pagar
(?:totale|importo|netto|saldo) (?:da|a) pagare
(?:totale|importo|saldo) dovuto
da pagare
"""
_PREPAID = r"""
(?:abzgl\.?|abzuglich|-)? ?(?:erhaltene? |geleistete |bereits )?(?:anzahlung|vorauszahlung|abschlagszahlung|teilzahlung)(?:en)?(?: erhalten)?
(?:bereits |schon )?(?:bezahlt|gezahlt)(?:er betrag)?
bereits (?:gezahlte|geleistete|erhaltene|bezahlte) (?:betrage|zahlungen|anzahlungen)
pre-?paid(?: amount)?
(?:amount |total |already )?paid(?: amount| to date| already)?
(?:less )?(?:deposit|down payment|advance payment|payments? received|prepayment|amount received)(?: paid)?
(?:moins )?(?:acomptes?|avances?|arrhes)(?: (?:verses?|recus?|payes?))?
(?:montant |total )?(?:deja )?(?:paye|regle|verse)
(?:reeds |al )?(?:betaald|voldaan|aanbetaald|vooruitbetaald)(?: bedrag)?
(?:aanbetaling|vooruitbetaling|voorschot)(?:en)?
anticipos?(?: recibidos?)?
(?:importe |ya )?pagado(?: a cuenta)?
(?:pagos? |entregas? )(?:a cuenta|recibidos?|anteriores)
acconti?(?: (?:versat[oi]|ricevut[oi]))?
(?:importo )?gia (?:pagato|versato|corrisposto)
importo (?:pagato|versato)
"""
_ROUNDING = r"""
rundung(?:s?(?:betrag|differenz|ausgleich))?
rounding(?: amount| adjustment)?
arrondi
afronding(?:sverschil)?
redondeo
arrotondamento
"""
# Amounts that may stand under the total and change nothing: discounts for paying early, sums carried to the next page.
_ASIDE = r"""
.{0,60}(?:skonto|cash discount|early payment|escompte|betalingskorting|pronto pago|sconto (?:cassa|per pagamento)).{0,60}
ubertrag
carried forward
report
a reporter
transport
suma y sigue
riporto
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
    ("net", STRONG, _NET),
    ("net", WEAK, _NET_WEAK),
    ("tax", STRONG, _TAX),
    ("gross", STRONG, _GROSS),
    ("gross", WEAK, _GROSS_WEAK),
    ("due", STRONG, _DUE),
    ("prepaid", STRONG, _PREPAID),
    ("rounding", STRONG, _ROUNDING),
    ("aside", STRONG, _ASIDE),
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
    return tuple((role, level, _filled(line)) for role, level, block in _BLOCKS for line in block.split("\n") if line)


def _filled(pattern: str) -> str:
    for name, words in _PARTS.items():
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
    "$": "$", "¥": "¥", "kr": "kr", "kr.": "kr", "rs": "Rs", "rs.": "Rs",
}  # fmt: skip
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
    return f"(?:{'|'.join(line for line in block.split(chr(10)) if line)})"
