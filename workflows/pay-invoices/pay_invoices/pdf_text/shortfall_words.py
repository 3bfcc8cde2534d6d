"""Words of paying in parts, and of what is taken off a total; one regular expression a line, as in `vocabulary`."""

from __future__ import annotations

IN_PARTS = r"""
(?:monats|jahres|quartals|teil)?raten(?:zahlung(?:en)?|plan)?
(?:\d\.?|erste|zweite|letzte|nachste) (?:monats|teil)?rate
zahlungsplan
teilbetrag\w*
(?:zur |die )?halfte
instal+ments?
(?:payment|billing) (?:plan|schedule)
(?:stage|progress|milestone|staged) (?:payments?|billing)
half (?:is|of|now|up|on|in|upon|before)
(?:first|second|final|last) (?:payment|part|half)
mensualites?
echeancier
en (?:\d+|deux|trois|quatre|plusieurs) (?:fois|echeances|versements|parts?|tranches)
(?:deux|trois|quatre) (?:echeances|versements|paiements)
(?:par |la )?moitie
echelonn\w*
fractionn\w*
premiere? (?:versement|echeance|tranche)
(?:\d+|twee|drie|vier|zes) (?:maand)?termijnen
(?:in|per) (?:\w+ )?termijnen
(?:maand)?termijn \d+
(?:eerste|tweede|laatste|\d+e) termijn
termijnbetaling\w*
gespreid\w*
(?:de )?helft
in \d+ (?:keer|delen|maandelijkse)
(?:\d+|dos|tres|cuatro|en|varios) plazos
(?:primer|segundo|ultimo|\d+o) (?:plazo|pago)
(?:\d+|dos|tres|cuatro) (?:pagos|cuotas|mensualidades|vencimientos)
cuotas mensuales
mensualidad(?:es)?
fraccionad\w*
aplazad\w*
mitad
rateal\w*
rateizz\w*
rata
(?:\d+|due|tre|quattro|in) rate
(?:\d+|due|tre|quattro) (?:pagamenti|tranche)
dilazion\w*
meta (?:subito|ora|al|alla|all\W\w+|entro|a)
split payment
\d{1,2} ?x ?(?:[€$£] ?)?\d[\d., ']*[.,]\d{2}
(?:in|over|uber|auf|verteilt auf|sur|en|su) (?:\d+|zwolf|twelve|douze|twaalf|doce|dodici) (?:monaten?|months|mois|maanden|meses|mesi)
(?:in|over) (?:zwei|drei|two|three|four|\d) (?:schritten|steps|stages|parts|tranches)
pay in \d
(?:re)?finanzier\w*
financed
financee?s? par
gefinancierd
financiad\w*
finanziat\w*
zweite halfte
second half
tweede helft
segunda mitad
(?:prima|seconda) meta
\d{2}/\d{2}(?:/\d{2,3})+ (?:gg|giorni|tage|days|jours|dias|dagen)
"""
TAKEN_OFF = r"""
an(?:ge)?zahl(?:ung(?:en)?|t)
(?:voraus|teil|abschlags?)zahlung(?:en)?
\w*guthaben
\w*gutschein\w*
\w*(?:ein|zuruck)beh[ai]lt\w*
einzubehalten
(?:\w+ )?(?:an|ver|gegen|auf)(?:ge)?rechnet
verrechn(?:en|ung)
abgezogen
abzuziehen
in abzug
rest(?:betrag|zahlung|summe|forderung)
akonto\w*
rest
(?:zahlung\w*|betrag) [^.]{0,60}berucksichtigt
gutgeschrieben
eingelost
kaution
bauabzug\w*
deposits?
down ?payments?
(?:pre-?|part |partial |interim )payments?
prepaid
advance (?:payment|received|paid|of)
vouchers?
gift ?(?:card|certificate)s?
(?:store|your|account|customer|a) credit(?! ?(?:card|terms|limit|rating|note|insurance))
credit (?:balance|of|has|was|will|applied|used|from|against)
(?:been|be|was|is) credited(?! to our)
retention(?! (?:of title|of ownership|period))
retainer
withh[eo]ld(?:ing)?
deduct\w*
offset
set ?-?off
redeemed
remaining (?:balance|amount|sum)
remainder
the balance
paid [^.]{0,40}on account
received (?:[^.]{0,20} )?on account
(?:have|has|already|gratefully) (?:\w+ )?received
for your records
acomptes?
arrhes
avances? (?:de|versee?s?|recue?s?)
dedui\w+
deduction
retenue
(?:votre|vos|un|du) (?:versement|avoir)s?(?! liberatoire)
(?:deja|avez) (?:\w+ )?(?:verse|paye|regle)e?s?
bon d\Wachat
(?:cheque|carte)s?[ -]cadeau
compens(?:ation|ee?|er)
imput(?:ation|ee?|er)
credit client
le (?:solde|reste)
solde de (?:\S+ )?\d
versements?(?! liberatoire)
provision
pris en compte
\w*(?:aan|vooruit|deel)betal(?:ing|ingen|en)
\w*(?:aan|vooruit)betaald
voorschot\w*
mindering
verreken\w*
ingehouden
gecrediteerd
inhouding
restant\w*
restbedrag
het saldo
(?:cadeau|waarde)(?:bon|kaart)\w*
tegoed
g-?rekening
anticip(?:o|os|ado|ada|ata|ato)
(?:pag\w+|entregas?|cobr\w+|abon\w+) (?:\S+ ){0,3}?a cuenta
deduc\w*
desc(?:ontad\w+|ontar|uenta)
retencion\w*
compensa(?:cion|d[oa]|r|ra|mos)
saldo (?:a favor|anterior)
el saldo
provision de fondos
(?:vale|tarjeta|cheque) (?:de |descuento|regalo)
(?:el )?resto
resta(?! (?:di |nostra |in )?propriet)
(?:ha|han|hemos) (?:\w+ )?(?:pagado|recibido|abonado)
accont[oi]
detra\w+
detrazione
ded[uo](?:rre|zione|tt[oa]|cono|ce)
ritenut[ae]
compensa(?:zione|t[oai])
buono
saldo (?:di|del|precedente|a|alla)
il saldo
fondo spese
caparra
cauzione
scalat[oai]
(?:avete|abbiamo|hai) (?:\w+ )?(?:pagato|versato|ricevuto)
scissione (?:dei )?pagamenti
split payment
"""
DENIED_BEFORE = r"""
nicht
keine?[mnrs]?
ohne
not
no
without
never
free of
non
sans
pas (?:de|d)
aucune?
zonder
geen
sin
senza
nessun[ao]?
if
falls
zunachst
strekken
"""
DENIED_BEHIND = r"""
nicht
kein\w*
ausgeschlossen
not
cannot
no
ne
n\W?est pas
restent acquis
forfeited
non
niet
geen
"""
# Of paying early: what is taken off then is the reader's choice.
DISCOUNT = r"""
skonto
discount
escompte
korting
descuento
pronto pago
sconto
"""
CONDITION = r"""
if
when
within
wenn
bei (?:einer )?(?:zahlung|begleichung)
innerhalb
binnen
en cas
sous \d+
bij betaling
indien
en caso
se
entro
"""
UNTIL = r"""
bis
tagen?
by
before
days
avant
jours
voor
dagen
antes
dias
entro
giorni
"""
# Amounts that stand in sentences and have nothing to do with what is due: capital, fees for being late, limits.
BESIDE = r"""
kapital
kapitaal
capital
verzug
mahn
verspat
late (?:payment|fee|pay)
paying late
overdue
interest
retard
indemnit
recouvrement
penalit
te late
rente
incassokost
mora
recargo
retraso
ritard
interess
"""
