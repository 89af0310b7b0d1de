"""Verbs that report speech, by language, in the forms that news uses.

Forms that mostly mean something else are left out: French "dit" is in, Italian "nota" is not.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

_LISTS = {
    "en": """
        said says say told tells announced announces added adds stated states claimed claims argued argues
        warned warns insisted insists declared declares explained explains replied replies confirmed confirms
        denied denies suggested suggests noted noting recalled acknowledged admitted admits stressed alleged
        asserted commented quoted testified tweeted acknowledged urged
    """,
    "it": """
        detto dice dicono diceva disse dichiarato dichiara affermato afferma affermano spiegato spiega
        spiegano aggiunto aggiunge sostiene sostengono sostenuto annunciato annuncia annunciano sottolineato
        sottolinea ribadito ribadisce commentato commenta risposto risponde replicato replica ammesso ammette
        negato nega avvertito avverte assicurato assicura precisato precisa raccontato racconta confermato
        conferma
    """,
    "de": """
        sagte sagten sagt sagen gesagt erklärte erklärt erklärten teilte mitgeteilt betonte betont warnte
        warnt kündigte angekündigt behauptete behauptet berichtete berichten antwortete bestätigte bestätigt
        meinte meint fügte hinzugefügt kritisierte forderte bestritt versicherte räumte zitierte
    """,
    "fr": """
        dit disent déclaré déclare affirmé affirme affirment expliqué explique expliquent ajouté ajoute
        annoncé annonce annoncent assuré assure estimé estime estiment souligné souligne indiqué indique
        précisé précise répondu répond confirmé confirme averti avertit raconté raconte admis reconnu nié
        rappelé rappelle selon
    """,
    "es": """
        dijo dijeron dice dicen dicho declaró declarado afirmó afirma afirman explicó explica explicado añadió
        añade anunció anuncia anunciado aseguró asegura aseguran señaló señala indicó indica sostuvo sostiene
        respondió responde confirmó confirma advirtió advierte reconoció negó subrayó insistió según
    """,
}

REPORTING_VERBS: Final = MappingProxyType({code: frozenset(words.split()) for code, words in _LISTS.items()})
"""Reporting verbs by ISO 639-1 code, and two prepositions with the same function ("selon", "según")."""
