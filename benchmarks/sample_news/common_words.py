"""Words that every topic of a language shares: people, places, months, numbers. All names are invented."""

from __future__ import annotations

from benchmarks.sample_news.word_lists import words

_NUMBERS = {
    "n": tuple(str(number) for number in range(3, 19)),
    "nn": tuple(str(number) for number in range(21, 97)),
    "nnn": tuple(str(number) for number in range(112, 980, 7)),
    "year": tuple(str(number) for number in range(1994, 2020)),
}

_PLACES = words(
    "Port Ellery, Varnholm, Saint Orsen, Lower Quay, Brindle, Kestwick, Osmarsund, Talby, Harrowmere, New Cardow, "
    "Dunlee, Felsenau, Marrowby, Ostrava Point, Greywick, Allerton Sands, Pellingham, Rookhaven, Sundry Bay, "
    "Upper Thane, Vellmar, Westering, Candlemoor, Ironbridge Cross"
)
_LUOGHI = words(
    "Porto Cedro, Valserena, Montalbino, Rocca di Mezzo Lago, San Corrado, Acquafosca, Pietrarsa Nuova, Castel "
    "Vento, Borgo Salino, Torre Giunco, Capo Lucerna, Ponte Ginepro"
)

_ENGLISH = {
    **_NUMBERS,
    "first": words(
        "Ada, Bram, Celia, Dorian, Edda, Florian, Greta, Hamish, Ilse, Jonas, Katrin, Lowell, Mira, Nils, Odile, "
        "Piers, Quentin, Rhea, Silas, Tamsin, Ulrik, Verity, Wim, Yara, Zeno, Agnes, Basil, Cora, Dinah, Emil"
    ),
    "last": words(
        "Aldermoor, Brackwater, Castellan, Dunmore, Eskildsen, Farrow, Gantry, Hollis, Ingleby, Jarrow, Kestrel, "
        "Lindqvist, Marchbank, Nettlefold, Oakhurst, Penhallow, Quill, Rasmus, Sandoval, Thackeray, Umber, "
        "Vantongeren, Wexcombe, Yarrow, Zeller, Ashdown, Birkett, Corrigan, Delacourt, Eventide"
    ),
    "expert": ("{first} {last}",),
    "place": _PLACES,
    # Not the place of the story, which is bound.
    "elsewhere": _PLACES,
    "month": words("January, February, March, April, May, June, July, September, October, November"),
    "pct": tuple(f"{whole}.{tenth}" for whole in range(1, 30, 2) for tenth in (2, 4, 7)),
    "money": tuple(str(number) for number in range(12, 960, 13)),
    "when": words(
        "this week, earlier this month, at the weekend, late on {weekday}, on {weekday}, since {month}, over the "
        "past {n} days, shortly before the deadline, after {n} months of silence"
    ),
    "weekday": words("Monday, Tuesday, Wednesday, Thursday, Friday"),
    "adj": words(
        "quiet, stubborn, costly, overdue, patient, unusual, modest, fragile, bold, careful, awkward, promising, "
        "disputed, little-noticed, ambitious, sober, hurried, persistent"
    ),
}

_ITALIAN = {
    **_NUMBERS,
    "first": words(
        "Alba, Brando, Clelia, Duilio, Elvira, Fosca, Gaspare, Ines, Lamberto, Mirella, Norma, Ottavio, Pia, "
        "Rocco, Sveva, Tullio"
    ),
    "last": words(
        "Arenaria, Belmonte, Castagneri, Dellaluna, Falconara, Ghiardi, Lorenzana, Montecroce, Nardelli, "
        "Olivieri, Pratesi, Quaglia, Roccaforte, Santamarina, Tornabene, Valdambra"
    ),
    "expert": ("{first} {last}",),
    "place": _LUOGHI,
    "elsewhere": _LUOGHI,
    "month": words("gennaio, febbraio, marzo, aprile, maggio, giugno, settembre, ottobre, novembre"),
    "pct": tuple(f"{whole},{tenth}" for whole in range(1, 30, 2) for tenth in (2, 4, 7)),
    "money": tuple(str(number) for number in range(12, 960, 13)),
    "when": words(
        "questa settimana, nella notte, da {month}, negli ultimi {n} giorni, poco prima della scadenza, ieri "
        "sera, dopo {n} mesi di silenzio"
    ),
    "weekday": words("lunedì, martedì, mercoledì, giovedì, venerdì"),
    "adj": words("prudente, costoso, atteso, insolito, fragile, ambizioso, discusso, urgente"),
}

COMMON = {"en": _ENGLISH, "it": _ITALIAN}
"""Language to slot name to options."""
