"""Phrases by which pages say more than figures: paid, collected, untaxed, and what kind of paper they are.

One regular expression a line, over text without case and accents, as in `vocabulary`.
"""

from __future__ import annotations

# In a sentence or a line of its own.
PAID = r"""
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
(?:betrag )?bezahlt
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
bezahlmethode
payment (?:method|mode|type)
(?:mode|moyen)s? de (?:paiement|reglement)
betaal(?:methode|wijze)
(?:forma|metodo) de pago
(?:metodo|modalita) di pagamento
"""
PAID_MEANS = r"""
kreditkarte
credit ?card
debit ?card
carte (?:bancaire|bleue|de credit)
creditcard
tarjeta
carta di credito
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
(?:can|may|must|to) be
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
# Titles: they fill their cell, a number may follow.
CREDIT = r"""
(?:kaufmannische |rechnungs)?gutschrift
storno(?:rechnung)?
rechnungskorrektur
credit (?:note|memo|invoice)
refund
(?:facture d\W)?avoir
note de credit
creditnota
credit-?factuur
nota de (?:credito|abono)
abono
nota di (?:credito|accredito)
"""
CORRECTION = r"""
korrekturrechnung
rechnungsberichtigung
berichtigte rechnung
correct(?:ed|ive) invoice
facture rectificative
(?:gecorrigeerde |correctie)factuur
factura rectificativa
fattura (?:rettificativa|di rettifica)
"""
PRO_FORMA = r"""
pro.?forma
"""
OTHER_PAPER = r"""
(?:\d\. )?mahnung
zahlungserinnerung
angebot
lieferschein
auftragsbestatigung
bestellung
kontoauszug
quittung
(?:payment )?reminder
(?:sales )?quot(?:e|ation)
estimate
delivery note
packing (?:slip|list)
order confirmation
purchase order
statement(?: of account)?
(?:payment )?receipt
rappel(?: de paiement)?
relance
mise en demeure
devis
bon de (?:livraison|commande)
releve(?: de compte)?
recu
(?:betalings)?herinnering
aanmaning
offerte
pakbon
orderbevestiging
rekeningoverzicht
recordatorio(?: de pago)?
presupuesto
albaran
pedido
extracto
recibo
sollecito(?: di pagamento)?
preventivo
documento di trasporto
ordine
estratto conto
ricevuta
"""
# Somewhere on its pages an invoice calls itself one.
INVOICE = r"""
rechnung
invoice
facture
factuur
factura
fattura
faktura
"""
