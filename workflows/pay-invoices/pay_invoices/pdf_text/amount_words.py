"""What invoices call their amounts; written as `vocabulary` explains."""

from __future__ import annotations

# Placeholders in the patterns here and in `vocabulary`.
PARTS = {
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

NET = r"""
netto-? ?(?:betrag|summe|gesamt|gesamtbetrag|rechnungsbetrag|wert|preis|totaal|bedrag)?(?: gesamt| total)?
nett[ao]bedrag
SUM (?:\(?netto\)?|net)(?: \(?EXCL VAT\)?)?
warenwert(?: netto)?
(?:zwischensumme|gesamtsumme|gesamtbetrag) netto
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
NET_WEAK = r"""
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
TAX = r"""
(?:zzgl|zuzuglich|plus|add|inkl|incl|davon|enthaltene|dont|of which|waarvan|di cui|\+)?\.? ?VAT(?:[- ]?(?:betrag|summe|gesamt|amount))?
(?:zzgl\.? |zuzuglich |plus |inkl\.? |incl\.? |davon )?\d{1,2}(?:[.,]\d{1,2})? ?% (?:gesetzl(?:iche)?\.? )?VAT(?:[- ]?(?:betrag|amount))?
\d{1,2}(?:[.,]\d{1,2})? ?% (?:SUM|cuota)(?: de | d'| )?VAT
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
GROSS = r"""
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
GROSS_WEAK = r"""
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
DUE = r"""
zahl-?betrag
zu zahlen(?:der)?(?: (?:gesamt|rest|rechnungs)?betrag)?
fallige?r?(?: zahl)? ?betrag
offen(?:er (?:rest)?betrag)?
saldo
rest-?(?:betrag|zahlung|forderung)
noch zu zahlen
(?:bitte )?(?:zahlen|uberweisen) sie(?: bitte)?
verbleib(?:t|end)(?:er?)?(?: (?:betrag|zahlbetrag|rest))?
restsumme
(?:uberweisungs|zahlungs|forderungs)betrag
(?:total )?(?:amount|balance|total) (?:now )?(?:due|payable|owing|outstanding|to pay|to be paid)
total amount due
due payable
(?:please |total )?(?:to )?pay(?: this amount)?
remaining(?: (?:balance|amount|due|to pay))?
remainder
(?:now due|due now|payable now)
net (?:due|payable)
payable(?: amount)?
outstanding(?: amount| balance)
balance
residual
payment due
net a (?:payer|regler)(?: ttc)?
(?:montant|total|somme|reste|solde)(?: net)?(?: ttc)? (?:a payer|a regler|du)
solde(?: du)?
reste(?: du)?
a (?:payer|regler)
(?:totaal )?te (?:betalen|voldoen)(?: bedrag)?
(?:nog )?(?:openstaand|verschuldigd|te betalen)(?: bedrag)?
rest(?:ant)?(?:bedrag)?
resteert
(?:bedrag|saldo) te (?:betalen|voldoen)
(?:total|importe|liquido|neto|saldo) a (?:pagar|ingresar)
(?:saldo|importe) (?:pendiente|debido)
a pagar
(?:pendiente|resta)(?: de pago)?
(?:totale|importo|netto|saldo) (?:da|a) pagare
(?:totale|importo|saldo) dovuto
da pagare
(?:residuo|resto|a saldo)
"""
PREPAID = r"""
(?:abzgl\.? |abzuglich |- )?(?:erhaltene? |geleistete )?(?:anzahlung|vorauszahlung|abschlagszahlung|teilzahlung)(?:en)?(?: erhalten)?
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
accont[oi](?: (?:versat[oi]|ricevut[oi]))?
(?:importo )?gia (?:pagato|versato|corrisposto)
importo (?:pagato|versato)
"""
ROUNDING = r"""
rundung(?:s?(?:betrag|differenz|ausgleich))?
rounding(?: amount| adjustment)?
arrondi
afronding(?:sverschil)?
redondeo
arrotondamento
"""
# Amounts that may stand under the total and change nothing: discounts for paying early, sums carried to the next page.
ASIDE = r"""
.{0,60}(?:skonto|cash discount|early payment|escompte|betalingskorting|pronto pago|sconto (?:cassa|per pagamento)).{0,60}
ubertrag
carried forward
report
a reporter
transport
suma y sigue
riporto
"""
