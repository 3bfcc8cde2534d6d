"""The words of headers, months, totals and currencies in the languages of Europe. What is not here is asked about.

Words are compared without accents, capitals and signs: “Überwiesener Betrag (EUR)” is `uberwiesener betrag` with the currency EUR.
"""

from __future__ import annotations

import functools
import re
import unicodedata

# A header speaks of a role when it is one of these, has one of them among its words, or ends in one of the compounds.
DATES = frozenset(
    """date datum dato data fecha day tag jour dia giorno dag paiva pvm paivamaara дата ημερομηνια
    buchungstag kauftag verkaufstag wertstellung valuta""".split()
)
DATE_COMPOUNDS = ("datum", "dato")
AMOUNTS = frozenset(
    """amount sales revenue turnover value total sum net gross takings
    betrag umsatz erlos erlose summe wert netto brutto einnahmen
    montant ventes total ca ht ttc recette recettes
    importe ventas ingresos valor vendas receita
    importo ricavi vendite fatturato totale imponibile
    bedrag omzet totaal opbrengst
    kwota wartosc sprzedaz suma castka trzby celkem
    belop belopp belob omsattning omsaetning omsetning summa forsaljning salg
    myynti maara osszeg osszege bevetel сумма выручка ποσο""".split()
)
AMOUNT_COMPOUNDS = ("betrag", "umsatz", "erlos", "bedrag", "omzet", "belop", "summe")
# What is a number and not what is added up.
NOT_AMOUNTS = frozenset(
    """price unit balance quantity qty count number no id code account rate vat tax discount percent margin year week month
    preis stuckpreis einzelpreis saldo menge anzahl nummer nr konto kontonummer kurs mwst ust steuer rabatt jahr kw woche monat plz
    prix unitaire solde quantite numero compte taux tva remise
    precio saldo cantidad cuenta iva descuento prezzo quantita conto sconto aliquota
    prijs aantal rekening btw korting cena ilosc konto zustatek mnozstvi ucet pris antal saldo moms
    rabatt maara kpl hinta symbol reference referenz""".split()
) - {"maara"}
DEBITS = frozenset(
    "debit debet soll withdrawal withdrawals ausgang belastung out outflow paid money_out uscite dare cargo".split()
)
CREDITS = frozenset("credit haben deposit deposits eingang gutschrift in inflow received entrate avere abono".split())
# What bank statements write beside an amount without a sign, for what went out and what came in.
DIRECTIONS = frozenset(
    "d k c s h i o dr cr db dt kt dbit crdt debit credit debet kredit soll haben out in outflow inflow kiadas bevetel - +".split()
)
CURRENCIES = frozenset(
    "currency ccy cur wahrung waehrung devise moneda divisa valuta munt mena valuutta deviza devizaneme valutakod".split()
)
# What rows are told apart by: one word for each, whatever the header calls it.
GROUPS = {
    "region": "region area territory gebiet bezirk zona regione regio kraj territoire oblast bundesland secteur regiao",
    "country": "country land pays pais paese kraj zeme maa",
    "branch": "branch shop store filiale standort laden magasin agence tienda sucursal negozio sede winkel vestiging sklep "
    "pobocka butik butikk myymala loja",
    "customer": "customer client kunde kundin debitor cliente klant klient zakaznik kund asiakas payee beneficiary empfanger",
    "product": "product item article produkt artikel ware produit producto articulo prodotto articolo vare vara tuote produto "
    "towar zbozi",
    "category": "category kategorie categorie categoria kategoria kategori warengruppe gruppe rubrik segment department abteilung "
    "rubrieknaam",
    "salesperson": "salesperson seller rep verkaufer vertreter vendeur vendedor venditore verkoper sprzedawca "
    "prodejce saljare selger vendor",
    "project": "project projekt projet proyecto progetto kostenstelle",
}
TOTALS = frozenset(
    """total totals subtotal sum summe gesamt gesamtsumme zwischensumme insgesamt endsumme ubertrag totaux soustotal
    suma totale subtotale totaal subtotaal razem celkem soucet summa totalt sammanlagt yhteensa ialt итого συνολο""".split()
)
_BESIDE_A_TOTAL = frozenset(
    "grand general generale of the der des du de del kw week woche semaine semana settimana vecka uge tyden".split()
)
# Whole cells that say that a row carries a balance or the sum of a statement, though it has a day.
BALANCES = frozenset(
    (
        "opening balance, closing balance, balance brought forward, balance carried forward, starting balance, ending balance, turnover, "
        "anfangssaldo, endsaldo, saldovortrag, ubertrag, solde initial, solde final, saldo inicial, saldo final, saldo iniziale, "
        "saldo finale, "
        "beginsaldo, eindsaldo, saldo poczatkowe, saldo koncowe, pocatecni zustatek, konecny zustatek, ingaende saldo, utgaende saldo"
    ).split(", ")
)
_MONTHS = """
    jan:1 janv:1 januar:1 january:1 januari:1 janvier:1 enero:1 ene:1 gennaio:1 gen:1 janeiro:1 styczen:1
    stycznia:1 sty:1 leden:1 ledna:1 tammikuu:1
    feb:2 februar:2 february:2 februari:2 fevrier:2 fev:2 fevr:2 febrero:2 febbraio:2 fevereiro:2 luty:2
    lutego:2 lut:2 unor:2 unora:2 helmikuu:2
    mar:3 march:3 marz:3 mrz:3 mars:3 marzo:3 maart:3 mrt:3 marco:3 marzec:3 marca:3 brezen:3 brezna:3
    maaliskuu:3
    apr:4 april:4 avril:4 avr:4 abril:4 abr:4 aprile:4 kwiecien:4 kwietnia:4 kwi:4 duben:4 dubna:4 huhtikuu:4
    may:5 mai:5 mayo:5 maggio:5 mag:5 mei:5 maio:5 maj:5 maja:5 kveten:5 kvetna:5 toukokuu:5
    jun:6 june:6 juni:6 juin:6 junio:6 giugno:6 giu:6 junho:6 czerwiec:6 czerwca:6 cze:6 cerven:6 cervna:6
    kesakuu:6
    jul:7 july:7 juli:7 juillet:7 juil:7 julio:7 luglio:7 lug:7 julho:7 lipiec:7 lipca:7 lip:7 cervenec:7
    cervence:7 heinakuu:7
    aug:8 august:8 augustus:8 augusti:8 aout:8 agosto:8 ago:8 sierpien:8 sierpnia:8 sie:8 srpen:8 srpna:8
    elokuu:8
    sep:9 sept:9 september:9 septembre:9 septiembre:9 settembre:9 set:9 setembro:9 wrzesien:9 wrzesnia:9 wrz:9
    zari:9 syyskuu:9
    oct:10 okt:10 october:10 oktober:10 octobre:10 octubre:10 ottobre:10 ott:10 outubro:10 out:10
    pazdziernik:10 pazdziernika:10 paz:10 rijen:10 rijna:10 lokakuu:10
    nov:11 november:11 novembre:11 noviembre:11 novembro:11 listopad:11 listopada:11 lis:11 listopadu:11
    marraskuu:11
    dec:12 dez:12 des:12 december:12 dezember:12 decembre:12 diciembre:12 dic:12 dicembre:12 desember:12
    dezembro:12 grudzien:12 grudnia:12 gru:12 prosinec:12 prosince:12 joulukuu:12"""
MONTHS = {word: int(number) for word, _, number in (pair.partition(":") for pair in _MONTHS.split())}
CODES = frozenset(
    """EUR USD GBP CHF SEK NOK DKK ISK PLN CZK HUF RON BGN HRK LTL RSD MKD ALL BAM MDL UAH TRY GEL ILS AED SAR QAR KWD EGP MAD TND ZAR NGN
    KES GHS INR PKR BDT LKR CNY HKD TWD JPY KRW SGD MYR THB IDR PHP VND AUD NZD CAD MXN BRL ARS CLP COP PEN UYU KZT""".split()
)
# A sign that several currencies share is none of them: $, kr, ¥.
SIGNS = {
    "€": "EUR",
    "£": "GBP",
    "zł": "PLN",
    "zl": "PLN",
    "kč": "CZK",
    "kc": "CZK",
    "ft": "HUF",
    "₹": "INR",
    "₺": "TRY",
    "₴": "UAH",
    "fr.": "CHF",
    "sfr": "CHF",
}
SHARED_SIGNS = {
    "$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"),
    "kr": ("SEK", "NOK", "DKK", "ISK"),
    "¥": ("JPY", "CNY"),
}
# Codes that are no word of a language, so that small letters name a currency, too.
_SMALL = frozenset("eur usd gbp chf sek nok dkk pln czk huf".split())
_WORD = re.compile(r"[^\W_]+")
_IN_TEXT = re.compile(r"(?<![^\W_])([A-Z]{3})(?![^\W_])")


@functools.lru_cache(maxsize=10_000)
def words_of(text: str) -> tuple[str, ...]:
    """The words of a text without accents and capitals; currencies are left out."""
    plain = "".join(
        sign
        for sign in unicodedata.normalize("NFKD", text.casefold().replace("ł", "l"))
        if not unicodedata.combining(sign)
    )
    return tuple(
        word
        for word in _WORD.findall(plain.replace("ø", "o").replace("æ", "ae"))
        if word.upper() not in CODES or word == "all"
    )


def is_total(text: str) -> bool:
    """Whether a whole cell says that its row is a sum of others: `Summe`, `Grand total`, `Total week 48`."""
    words = words_of(text)
    return not TOTALS.isdisjoint(words) and all(
        word in TOTALS or word in _BESIDE_A_TOTAL or word.isdigit() for word in words
    )


def currency_in(text: str) -> str:
    """The currency that a text names by code or by a sign of its own; "" for none, or for several."""
    found = {code for code in _IN_TEXT.findall(text) if code in CODES and code != "ALL"}
    plain = text.casefold()
    found |= {word.upper() for word in _WORD.findall(plain) if word in _SMALL}
    found |= {
        code for sign, code in SIGNS.items() if (sign in plain if not sign[-1].isalpha() else sign in plain.split())
    }
    return found.pop() if len(found) == 1 else ""


def known_words(text: str) -> int:
    """How many words of a text belong to headers; tells which letters bytes were meant to be."""
    return sum(word in DATES or word in AMOUNTS or word in NOT_AMOUNTS or word in CURRENCIES for word in words_of(text))


def speaks_of_date(header: str) -> bool:
    """Whether a header may stand above dates."""
    return _speaks(header, DATES, DATE_COMPOUNDS)


def speaks_of_amount(header: str) -> bool:
    """Whether a header may stand above what is added up."""
    return _speaks(header, AMOUNTS, AMOUNT_COMPOUNDS) and not set(words_of(header)) & NOT_AMOUNTS


def speaks_of(header: str, words: frozenset[str]) -> bool:
    """Whether one of the words is among those of a header."""
    return not words.isdisjoint(words_of(header))


def group_of(header: str) -> str:
    """What rows are told apart by in a column: `region`, `customer`; "" for something else."""
    there = words_of(header)
    return next((group for group, words in _GROUP_WORDS.items() if any(_is_group(word, words) for word in there)), "")


def _is_group(word: str, words: frozenset[str]) -> bool:
    return (
        word in words or (word.endswith("s") and word[:-1] in words) or (word.endswith("name") and word[:-4] in words)
    )


def _speaks(header: str, words: frozenset[str], compounds: tuple[str, ...]) -> bool:
    return any(word in words or word.endswith(compounds) for word in words_of(header))


_GROUP_WORDS = {group: frozenset(words.split()) for group, words in GROUPS.items()}
