"""Phrases by which pages say more than figures: paid, collected, untaxed, assigned.

One regular expression a line, over text without case and accents, as in `vocabulary`.
"""

from __future__ import annotations

# In a sentence or a line of its own.
PAID = r"""
(?:betrag|zahlung|geld|uberweisung)(?:[^.;]|\.(?=\S)){0,60} (?:erhalten(?! sie)|eingegangen)
(?:amount|payments?|funds|money)(?:[^.;]|\.(?=\S)){0,60} received
(?:montant|paiement|reglement|virement)(?:[^.;]|\.(?=\S)){0,60} (?:recue?|encaissee?)
(?:bedrag|betaling)(?:[^.;]|\.(?=\S)){0,60} ontvangen
(?:importe|pago)(?:[^.;]|\.(?=\S)){0,60} recibid[oa]
(?:importo|pagamento|bonifico)(?:[^.;]|\.(?=\S)){0,60} ricevut[oa]
(?:erhaltene?|received|recus?|ontvangen|recibidos?|ricevut[oi]) (?:\w+ ){0,2}(?:zahlung|payment|paiement|virement|betaling|pago)(?:en|s)?
ricevut[oi] (?:\w+ ){0,2}(?:pagament|bonific)[oi]
(?:nothing|nichts|rien|niets) (?:\S+ ){0,3}?(?:pay|due|zahlen|uberweisen|begleichen|fallig|payer|regler|betalen|betaald)
(?:nada|niente|nulla) (?:\S+ ){0,3}?pagare?
(?:kein|keine|aucun|geen|ningun|nessun) (?:\w+ )?(?:zahlung|zahlbetrag|uberweisung|paiement|reglement|betaling|pago|pagamento)
(?:voraus|vor)?bezahlt(?! (?:werden|wird|sein))
beglichen(?! (?:werden|wird|sein))
gezahlt(?! (?:werden|wird|sein))
(?:bereits|schon|wurde|ist|rechnung|vorauszahlung) (?:\w+ ){0,3}?(?:ausgeglichen|uberwiesen)
statut\W+payee?
dank fur (?:ihre|die|deine|eure) (?:\w+ )?(?:zahlung|uberweisung|vorauszahlung|begleichung)
(?:zahlung|vorkasse|kreditkartenzahlung) (?!gilt )(?:\S+ ){0,6}?(?:erfolgte?|abgewickelt|verbucht)
zahlungseingang\W+(?:am |vom )?\d\S*
(?:bezahlung|zahlung) (?:erfolgte? )?per (?:kreditkarte|paypal|karte|ec|vorkasse|sofort)
bar erhalten
barzahlung
betrag bar
(?:bitte )?nicht (?:mehr )?(?:zu )?(?:uberweisen|zahlen|bezahlen)
dankend erhalten
(?:wurde|haben wir) (?:\S+ ){0,6}?(?:abgebucht|eingezogen|belastet)
paid(?! (?:late|after|up|within|in advance))
(?:has been|was|is|already|fully) (?:\w+ )?settled
settled (?:in full|by|on|via|with)
charged (?:your|to)
card (?:\S+ ){0,4}?(?:billed|charged|debited)
do not (?:\w+ )?(?:pay|payment|transfer|remit)
no (?:further |additional )?(?:action|payment|amount) (?:is )?(?:required|needed|due|necessary|payable)
(?:payment|transaction) (?:\w+ ){0,3}?(?:processed|completed|successful|confirmed|captured|accepted|approved)
received with thanks
(?:has been|was|already) (?:charged|debited|collected)
direct debit (?:was |has been )?(?:taken|collected|debited)
thank you for (?:your|the) payment
ne pas (?:payer|regler|virer)
(?:payee?|reglee?|soldee?)s? (?:le|par|via|en|ce|comptant|avec)
(?:acquittee?|prelevee?)s?(?! (?:par l\W|sur les|d\Wapres))
(?:deja|entierement|integralement|ete|est|facture) (?:\w+ )?(?<!non )(?<!pas )(?:payee?|reglee?|soldee?)
encaissee?s?
(?:paiement|reglement) (?:effectue|par (?:carte|cb))
merci (?:pour|de) votre (?:paiement|reglement|virement)
(?:carte|compte) (?:\w+ ){0,2}?debitee?
(?:(?:vooruit)?betaald|voldaan)(?! (?:te worden|worden|wordt|te zijn))
(?:pin|kas|contante) ?betaling
betaling (?:\w+ ){0,2}?(?:voldaan|verwerkt|geslaagd)
(?:dank|bedankt) voor (?:uw|de|je) betaling
niet (?:meer )?(?:te )?(?:betalen|overmaken|voldoen)
(?:is|werd|reeds) (?:\w+ ){0,4}?(?:geincasseerd|afgeschreven)
ideal\W{1,4}(?:op|betaling)
(?:pagad|cobrad)[oa]s?
(?:ya|totalmente|ha sido|fue|esta|factura) (?:\w+ )?(?:abonad|liquidad|saldad|satisfech)[oa]
pago (?:\w+ )?(?:realizado|efectuado)
importe abonado
no (?:requiere|precisa|es necesario) (?:\w+ ){0,2}?(?:pago|pagar)
no pagar
gracias por (?:su|el|tu) pago
(?:pagat|saldat|quietanzat|incassat)[aoie]
pagamento (?:gia )?(?:effettuato|avvenuto|eseguito)
gia effettuat[oa]
non pagare
grazie (?:per|del) (?:\w+ )?(?:\w+ )?pagamento
"""
# A stamp: the word fills its cell, and means too many things elsewhere.
PAID_STAMP = r"""
settled
soldee?
payee?
reglee?
abonad[oa]
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
(?:price|carriage|postage|precio|prezzo)
sofern
wenn
sollten?
mussen?
muss
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
be
ensure
after
doit
doivent
etre
dient
worden?
wordt
debe
ser
deve
essere
pas
non
si
jusqu\W?au?
apres
peut
(?:nog )?niet
indien
tot(?:dat)?
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
sera (?:\w+ )?(?:preleve|debite)e?
(?:wij|we) schrijven [^.]{0,60}af
domiciliation
domicilier(?:ing|t)
(?:se )?cargara
cargad[oa] (?:en|a)
recibo domiciliado
remesa bancaria
ri\.? ?ba\b
ricevuta bancaria
(?:sepa-)?lastschrift(?:einzug|verfahren|mandat)?
bankeinzug
einzugsermachtigung
(?:buchen|ziehen) .{0,80}?(?:ab|ein)
(?:konto|karte) (?:\w+ )?belastet
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
addebit(?:o|at[ao])
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
