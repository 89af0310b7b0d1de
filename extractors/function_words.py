"""The words that hold sentences together, by language: they tell the language, mark a style, and are no
topic.

Lists of our own: articles, pronouns, prepositions, conjunctions, auxiliary verbs and the commonest adverbs,
as they come out of the tokeniser (lower case, elisions apart: ``dell'`` is ``dell``).
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

_LISTS = {
    "en": """
        a about above after again against all also am an and any are as at be because been before being below
        between both but by can could did do does doing don down during each every few for from further had
        has have having he her here hers him his how i if in into is isn it its itself just ll may me might
        more most much must my no nor not now of off on once only or other our ours out over own re s said
        same shall she should so some such t than that the their theirs them then there these they this those
        through to too under until up upon ve very was wasn we were what when where which while who whom whose
        why will with within without won would yet you your yours
    """,
    "it": """
        a ad agli ai al alla alle allo anche ancora avere aveva avevano c che chi ci cioè co come con contro
        cui d da dagli dai dal dall dalla dalle dallo degli dei del dell della delle dello dentro di dopo dove
        due durante e è ed era erano essere fa fino fra già gli ha hai hanno ho i il in infatti io l la là le
        lei li lo loro lui ma me meno mi mia mio molto ne né negli nei nel nell nella nelle nello noi non
        nostra nostro o ogni oltre oppure per perché però più poi prima proprio può qual quale quali quando
        quanto quasi quel quella quelle quelli quello quest questa queste questi questo qui s sarà se sempre
        senza si sia siamo sì solo sono sopra sotto sta stata state stati stato su sua sue sugli sui sul sull
        sulla sulle sullo suo suoi te ti tra tu tuo tutta tutte tutti tutto un una uno v verso vi voi
    """,
    "de": """
        ab aber alle allem allen aller alles als also am an andere anderen auch auf aus bei beim bereits bin
        bis bist da dabei dafür damit dann das dass dem den denn der deren des dessen deshalb die dies diese
        diesem diesen dieser dieses doch dort du durch ein eine einem einen einer eines er erst es etwa etwas
        für gegen gibt habe haben hat hatte hatten hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im
        immer in indem ins ist ja jede jedem jeden jeder jedes jetzt kann kein keine keinen können man mehr
        mein mit muss nach nicht nichts noch nun nur ob oder ohne sehr sein seine seinem seinen seiner seit
        selbst sich sie sind so soll sollen sondern sowie über um und uns unser unter viel vom von vor war
        waren was weil weiter welche wenn wer werde werden wie wieder will wir wird wo worden wurde wurden
        würde zu zum zur zwar zwischen
    """,
    "fr": """
        à afin ai ainsi après au aucun aussi autre autres aux avait avant avec avoir c car ce cela celle celui
        ces cet cette ceux chaque chez ci comme contre d dans de depuis des deux dit donc dont du elle elles
        en encore entre est et était étaient été être eu eux fait faut furent hors il ils j je jusqu l la là
        le les leur leurs lors lui m ma mais même mes moins mon n ne ni non nos notre nous on ont ou où par
        parce pas pendant peu peut plus pour pourquoi près puis qu quand que quel quelle quelles quels qui
        quoi s sa sans se selon sera ses si son sont sous sur t ta tandis te tes ton toujours tous tout toute
        toutes très tu un une vers vos votre vous y
    """,
    "es": """
        a al algo algunas algunos ante antes aquel así aún aunque bajo bien cada casi como con contra cual
        cuando de del desde después donde dos durante e el él ella ellas ellos en entre era eran es esa esas
        ese eso esos esta está están estaba estas este esto estos fin fue fueron ha había habían han hasta hay
        la las le les lo los más me mi mientras mis mucho muy nada ni no nos nosotros nuestra nuestro o os
        otra otras otro otros para pero poco por porque primer pues que qué quien quién se sea según ser será
        si sí sido sin sobre solo sólo son su sus también tan tanto te tiene tienen todo toda todas todos tras
        tu un una uno unos y ya yo
    """,
    "pt": """
        a à ainda algo além alguns ante antes ao aos após aquela aquele as às até cada com como contra da das
        de dela dele deles depois desde dessa desse desta deste do dois dos durante e é ela elas ele eles em
        enquanto entre era eram essa essas esse esses esta está estão estas estava este estes eu foi foram há
        isso isto já la lhe lo mais mas me mesmo meu minha muito na não nas nem nessa nesse nesta neste no nos
        nós nossa nosso num numa o onde os ou outra outras outro outros para pela pelas pelo pelos por porque
        qual quando que quem se segundo seja sem sempre ser será seu seus só sob sobre sua suas também tão tem
        têm ter teve toda todas todo todos tudo um uma umas uns você
    """,
    "nl": """
        aan achter al alle alleen als andere anders bij binnen daar dan dat de deze die dit doch door dus een
        eens en er ge geen geweest had hadden hebben heeft hem het hier hij hoe hun ik in is ja je kan kon
        kunnen maar me meer men met mij mijn moet moeten na naar niet niets nog nu of om omdat onder ons ook
        op over per reeds sinds te tegen ten ter tijdens toch toen tot tussen u uit uw van veel voor vooral
        waar waren was wat we wel welke werd werden wie wij wil wordt worden zal ze zei zelf zich zij zijn zo
        zoals zonder zou zouden
    """,
    "sv": """
        alla allt än andra är att av bara blev bli blir då dag de dem den denna deras dess dessa det detta dig
        din där efter ej eller en er ett för från genom ha hade han hans har hela hennes här hon honom hur i
        icke igen in ingen inom inte jag ju kan kommer kunde man med mellan men mer mig min mot mycket måste
        ni nu när någon något några och också om oss på redan samt sedan sig sin sina sitt ska skall skulle
        som så till under upp ut utan vad var vara varit vi vid vilka vilken vill åt över
    """,
}

FUNCTION_WORDS: Final = MappingProxyType({code: frozenset(words.split()) for code, words in _LISTS.items()})
"""Function words by ISO 639-1 code; the order of the languages decides ties."""
