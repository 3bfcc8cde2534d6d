"""What papers call themselves: invoices, credit notes, and those that ask for no money or not for the first time.

One regular expression a line, over text without case and accents, as in `vocabulary`.
"""

from __future__ import annotations

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
factura de abono
abono
nota di (?:credito|accredito)
"""
# What may stand between such a title and what it is about: "Credit note for invoice 4711", "Gutschrift / credit note".
ABOUT = r"""
zu[rm]?
fur
uber
for
of
to
on
against
sur
pour
relati(?:f|ve|v[oa])
a
bij
op
voor
sobre
su
per
(?:auf|der|de la) rechnung
rechnung
invoice
/
\|
\(
-
"""
# Words that, in the head of a page, leave it open whether money is asked for at all.
UNSURE = r"""
gutschrift(?!en\b| auf (?:unser|das|dem|mein|folgend|ihr))\w*
storn(?:o|ierung|iert)\w*
(?:ruck)?erstattung
rechnungskorrektur
credit ?(?:note|memo|invoice)s?
creditnota
credit-?factuur
(?:facture|note) d\W(?:avoir|annulation)
avoir (?:n|no|n°|nr|sur|relatif)\b
notas? de (?:credito|abono)
factura de abono
not[ae] di (?:credito|accredito|variazione)
(?:refund|return|credit) (?:note|invoice|memo|document)
\w*mahn(?:ung|schreiben|bescheid|gebuhr(?:en)?)
(?:zahlungs)?erinnerung
zahlungsaufforderung
(?:offene|openstaande)[ -](?:posten|facturen)\S*
salden(?:bestatigung|liste)
konto(?:stand|ubersicht|blatt)
saldomitteilung
forderungsaufstellung
\w*quittung
kassenbon
inkasso
reminder
(?:first|second|third|final|last|overdue|past due) notice
(?:overdue|outstanding|open) (?:invoices?|items|balance)
dunning
(?:debt )?collection (?:notice|letter|agency)
debt collection
(?:final|formal) demand
demand for payment
payment (?:overdue|demand|request)
letter before action
remittance advice
self-?bill\w*
cancellation invoice
(?:sales|payment|cash) receipt
credit adjustment
(?:monthly|customer|billing|account) (?:statement|summary|balance|overview)
statement of account
rappel (?:de|n|no|n°|facture|paiement)\b
(?:dernier|premier|second|deuxieme|\d\w{1,2}|lettre de) rappel
impaye\w*
relance
mise en demeure
(?:releve|situation|extrait|etat) (?:de|du) (?:compte|factures?)
avis d\Wecheance
recouvrement
quittance
facture annul\w*
projet de facture
(?:betalings)?herinnering
aanmaning
sommatie
ingebrekestelling
(?:rekening|saldo)-?overzicht
(?:laatste|dringend) verzoek
betalingsverzoek
kwitantie
betaalbewijs
conceptfactuur
incasso\w*
sollecito
(?:primo|secondo|ultimo) (?:avviso|sollecito)
messa in mora
(?:situazione contabile|estratto conto|scadenzario|saldo contabile|partite aperte)
mancato pagamento
insolut[oi]
quietanza
fattura annullata
(?:avviso|preavviso) di parcella
recordatorio
(?:primer|segundo|tercer|ultimo) aviso
(?:requerimiento|reclamacion|justificante) de (?:pago|deuda|cantidad)
(?:extracto|estado|resumen) de cuenta
impag(?:o|ad[oa]s?)
facturas pendientes
burofax
kontoauszug
(?:price |sales )?quotation
kostenvoranschlag
(?:draft|preliminary|sample) invoice
rechnungsentwurf
(?:this is )?not an? (?:tax )?invoice
keine rechnung
"""
# Alone in the head, or anywhere in capitals, they say that a paper is none, or no more.
STAMPS = r"""
storniert
ungultig
entwurf
concept
muster
void(?:ed)?
draft
cancel?led
specimen
sample
annule
annulee
brouillon
geannuleerd
vervallen
anulad[oa]
borrador
annullat[ao]
bozza
"""
# In a sentence anywhere: nothing is asked for, or no more.
NO_DEMAND = r"""
(?:rechnung|betrag|position)(?! (?:kann|konnen|wird nur))[^.;]{0,40} (?:storniert|aufgehoben|annulliert)
invoice[^.;]{0,30} (?:cancelled|canceled|voided|withdrawn)
factures? (?:[^.;]{0,20} )?annulee
factuur[^.;]{0,30} (?:geannuleerd|gecrediteerd|vervallen)
factura (?:[^.;]{0,20} )?anulada
fattura (?:[^.;]{0,20} )?(?:annullata|stornata)
not an? (?:request|demand|bill|payment request)
keine zahlungsaufforderung
pas une (?:demande|facture)
geen (?:betalingsverzoek|factuur)
no es una (?:solicitud|factura)
non e una (?:richiesta|fattura)
"""
# In a sentence anywhere: another invoice was sent before.
REPLACING = r"""
ersetzt (?:\w+ ){0,3}?rechnung
(?:replaces|supersedes) (?:\w+ ){0,3}?invoice
(?:annule et )?remplace (?:\w+ ){0,3}?facture
vervangt (?:\w+ ){0,3}?factuur
sustituye (?:\w+ ){0,3}?factura
sostituisce (?:\w+ ){0,3}?fattura
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
pro.?forma\w*
"""
OTHER_PAPER = r"""
(?:\d\. )?mahnung
zahlungserinnerung
angebot
offer
lieferschein
auftragsbestatigung
confirmation de commande
confirmacion de pedido
conferma d\Wordine
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
