"""Phrases by which pages say more than figures: paid, collected, deducted, untaxed.

One regular expression a line, over text without case and accents, as in `vocabulary`.
"""

from __future__ import annotations

# In a sentence or a line of its own.
PAID = r"""
(?:bereits|schon|wurde|ist|rechnung|vorauszahlung) (?:\w+ ){0,3}?(?:ausgeglichen|uberwiesen)
(?:zahlungs)?status\W+(?:bezahlt|paid|paye|betaald|pagad[oa]|pagat[ao])
vielen dank fur (?:ihre|die) (?:zahlung|uberweisung|vorauszahlung)
(?:zahlung|vorkasse|kreditkartenzahlung) (?:\w+ ){0,3}?(?:erfolgte?|erhalten|eingegangen)
(?:bezahlt|bezahlung|zahlung) (?:erfolgte? )?per (?:kreditkarte|paypal|karte|ec|vorkasse|sofort)
bar (?:bezahlt|erhalten|gezahlt)
betrag bar
(?:bitte )?nicht (?:uberweisen|zahlen|bezahlen)
(?:bitte )?keine (?:zahlung|uberweisung)
payment status\W+paid
paid\W+(?:thank you|\d{1,2}\b)
(?:has been|was|is|already) settled
settled (?:in full|by|on)
charged (?:your|to your)
do not (?:pay|transfer|remit)
no (?:further )?(?:action|payment) (?:is )?(?:required|needed)
ne (?:pas|rien) (?:payer|regler)
facture (?:\w+ )?(?:reglee|soldee|payee)
(?:paiement|reglement) (?:effectue|par (?:carte|cb))
payee? comptant
contant betaald
betaling voldaan
hoeft niets? (?:meer )?te (?:betalen|voldoen)
niet (?:betalen|overmaken)
(?:pagad[oa]|cobrad[oa]) en
pago (?:realizado|efectuado)
importe abonado
no pagar
incassato
quietanzat[ao]
non pagare
(?:bereits|schon|vollstandig|dankend|wurde|ist|betrag|rechnung) (?:\w+ ){0,3}?(?:bezahlt|beglichen|vorausbezahlt)
(?:betrag|zahlung|rechnungsbetrag) (?:\w+ ){0,2}?(?:dankend )?erhalten
dankend erhalten
zahlung eingegangen
bezahlt (?:am|mit|per|durch|via|uber)
(?:wurde|haben wir) (?:\S+ ){0,6}?(?:abgebucht|eingezogen)
paid (?:in full|on|by|via|with|using)
(?:already|fully|been|was|is) (?:been )?paid
payments? received
received with thanks
(?:has been|was|already) (?:charged|debited|collected)
direct debit (?:was |has been )?(?:taken|collected|debited)
no payment (?:is )?(?:required|due|necessary)
thank you for your payment
(?:deja|entierement|integralement|ete|est) (?:\w+ )?(?:payee?|reglee?|acquittee?|prelevee?)
facture acquittee
(?:payee?|reglee?|acquittee?|prelevee?) (?:le|par|via|en ligne)
(?:paiement|reglement) recu
(?:reeds|al|is|werd|volledig) (?:\w+ ){0,2}?(?:betaald|voldaan|vooruitbetaald)
(?:betaald|voldaan) (?:op|per|via|met|door)
vooruitbetaald met
betaling (?:reeds )?ontvangen
(?:is|werd|reeds) (?:\w+ ){0,4}?(?:geincasseerd|afgeschreven)
(?:ya|totalmente|ha sido|fue|esta|factura) (?:\w+ )?(?:pagad[oa]|abonad[oa]|cobrad[oa])
(?:pagad[oa]|cobrad[oa]) (?:el|con|por|mediante)
pago (?:ya )?recibido
(?:gia|interamente|stat[ao]|e|fattura) (?:\w+ )?(?:pagat[ao]|saldat[ao]|quietanzat[ao])
(?:pagat[ao]|saldat[ao]|quietanzat[ao]) (?:il|con|tramite|mediante)
pagamento (?:gia )?(?:ricevuto|effettuato)
ideal\W{1,4}(?:op|betaling)
"""
# A stamp: the word fills its cell.
PAID_STAMP = r"""
(?:betrag )?(?:bar )?bezahlt
barzahlung
settled
soldee?
abonad[oa]
paid(?: in full)?
payee?
acquittee?
reglee?
betaald
voldaan
pagad[oa]
cobrad[oa]
pagat[ao]
saldat[ao]
"""
# "Payment method: credit card": nothing is left to transfer.
PAID_LABELS = r"""
zahlungs(?:art|weise|form|methode)
zahlart
bezahlung
bezahlmethode
payment(?: (?:method|mode|type))?
(?:mode|moyen)s? de (?:paiement|reglement)
betaal(?:methode|wijze)
(?:forma|metodo) de pago
(?:metodo |modalita di )?pagamento
"""
PAID_MEANS = r"""
kreditkarte
credit ?card
debit ?card
carte (?:bancaire|bleue|de credit)
creditcard
tarjeta
carta di credito
cb
(?:visa|mastercard|paypal|klarna|sofort|ideal|stripe|apple pay|google pay|amazon pay|mollie)
bar(?:zahlung)?
cash
especes
contant
efectivo
contanti
"""
# Before one of those words it turns them round: not, if, until, to be.
NOT_PAID = r"""
(?:noch )?nicht
keine?
bis(?: zur)?
falls
sofern
wenn
sollte
erst
sobald
nach
zu
konnen
kann
not
never
if
unless
until
when
once
(?:can|may|must|to|should|should have) be
ensure
after
doit
dient
debe
deve
pas
non
si
jusqu\W?au?
apres
peut
(?:nog )?niet
indien
tot
zolang
wanneer
kunt
kan
no
hasta
puede
se
qualora
fino al?(?:la)?
finche
puo
"""
COLLECTED = r"""
abbuchung
einzug (?:\w+ ){0,2}?(?:erfolgt|von|vom)
(?:belastung|belasten)(?: wir)? (?:\w+ ){0,2}?(?:kreditkarte|karte|konto)
(?:account|card) (?:will be|is|on file)
(?:we will|we'll|will be) (?:charged?|debit(?:ed)?|collect(?:ed)?|taken?)
auto-?pay
taken automatically
(?:compte|carte) (?:bancaire )?sera
(?:wij|we) schrijven [^.]{0,60}af
domiciliation
domicilier(?:ing|t)
(?:se )?cargara
remesa bancaria
addebito in
ri\.? ?ba\b
ricevuta bancaria
(?:sepa-)?lastschrift(?:einzug|verfahren|mandat)?
bankeinzug
einzugsermachtigung
(?:buchen|ziehen) (?:wir )?[^.]{0,80}?(?:ab|ein)
abgebucht
eingezogen
direct debit
prelevement
prelev(?:e|era|erons)
(?:automatische )?incasso
geincasseerd
afgeschreven
domicilia(?:cion|do)
giro bancario
adeudo
cargo en (?:su )?cuenta
addebit(?:o diretto|o in conto|at[ao])
rid bancario
sdd
"""
UNTAXED = r"""
reverse.charge
steuerschuldnerschaft des leistungsempfangers
umsatzsteuerfrei
steuerfrei
steuerbefreit
kleinunternehmer
nicht (?:umsatz)?steuerbar
innergemeinschaftliche lieferung
(?:vat exempt|exempt from vat)
zero.rated
no vat
outside the scope
intra.community supply
autoliquidation
tva non applicable
exoneration
exoneree? de (?:la )?tva
btw verlegd
vrijgesteld van btw
intracommunautaire levering
inversion del sujeto pasivo
exent[oa] de iva
operacion exenta
entrega intracomunitaria
inversione contabile
esente (?:da )?iva
non imponibile
fuori campo
"""
# Something is taken off, in a sentence; what then remains has to be named.
DEDUCTED = r"""
(?:wurden?|wird|werden|ist|sind) (?:\S+ ){0,8}?(?:abgezogen|verrechnet|angerechnet)
(?:has|have) been (?:deducted|offset|credited)
(?:is|are|was|were|will be) (?:deducted|offset)
(?:a ete|ont ete|est|sont|sera) deduite?s?
(?:is|wordt|werd) (?:\S+ ){0,6}?(?:verrekend|in mindering)
(?:se ha|ha sido|sera|fue) (?:deducid|descontad)[oa]
(?:e stat[oa]|viene|sara) (?:detratt|dedott|scalat)[oa]
(?:have|has|already|gratefully) (?:\w+ )?received (?:\S+ ){0,3}?\S*\d[.,]\d{2}
\d+[.,]\d{2} (?:\S+ )?(?:received|erhalten|eingelost|redeemed|recue?s?|ontvangen|recibid[oa]s?|ricevut[oi])
(?:minus|less|deduct|abzuglich) (?:\w+ ){0,5}?\S*\d[.,]\d{2}
(?:voucher|credit) (?:\S+ ){0,6}?(?:used|redeemed|applied)
"""
# A part that is paid later; of how many per cent stands beside it.
HELD_BACK = r"""
retention(?! (?:of title|of ownership|period))
(?:sicherheits|gewahrleistungs|garantie)einbehalt
retenue de garantie
"""
# Before an amount: this is to be paid.
ASKED_FOR = r"""
(?:please|kindly) (?:transfer|remit|pay|wire|send)
(?:to be|still) (?:\w+ ){0,2}?(?:paid|transferred|remitted)
(?:bitte )?(?:uberweisen|zahlen|begleichen) sie
bitte (?:\w+ ){0,2}?(?:uberweisen|zahlen)
(?:veuillez|merci de) (?:\w+ )?(?:virer|regler|payer)
(?:gelieve|graag) (?:\w+ )?(?:over te maken|te betalen)
"""
# Somebody else is to be paid now, or at another account; who pays the known one may have to pay again.
ASSIGNED = r"""
(?:forderung|rechnung|anspruche?)[^.;]{0,60}(?:abgetreten|verkauft)
abtretung
factoring
(?:neue|geanderte) (?:bankverbindung|kontoverbindung|bankdaten)
(?:bankverbindung|bankdaten) (?:\w+ ){0,3}?geandert
(?:claim|invoice|receivable|debt)s? (?:\w+ ){0,4}?(?:assigned|sold) to
(?:notice of )?assignment
(?:new|changed) (?:bank )?(?:account|details)
(?:bank|account) details (?:\w+ ){0,3}?changed
(?:creance|facture)s? (?:\w+ ){0,4}?cedee?s?
affacturage
subrog
nouvelles? coordonnees bancaires
nouveau (?:rib|compte)
(?:vordering|factuur)(?:en)? (?:\w+ ){0,4}?(?:gecedeerd|overgedragen|verpand)
nieuw (?:rekeningnummer|iban)
(?:credito|factura)s? (?:\w+ ){0,4}?cedid[oa]s?
nueva cuenta
(?:credito|fattura) (?:\w+ ){0,4}?cedut[oa]
cessione del credito
nuov[oe] (?:iban|coordinate bancarie|conto)
"""
