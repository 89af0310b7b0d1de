"""Function words by language: they identify the language, describe style, and say nothing of the topic.

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
    "da": """
        af aldrig alle allerede alt altid anden andre at bare begge blandt blev blevet blive bliver burde da de
        dem den denne der deres derfor des det dette dig din disse dog du efter eller en end endnu er et flere
        for fordi fra få får før først gennem gør ham han hans har havde have hele hen hende hendes her hos hun
        hvad hver hvis hvor hvordan i igen ikke imod ind inden ingen intet jeg jo kan kom kun kunne lige man
        mange med meget mellem men mens mere mest mig min mit mod må nogen noget nogle nu når næsten og også om
        omkring op os over på selv sig sin sine sit skal skulle som stadig så sådan thi til ud uden under var
        ved vi vil ville være været
    """,
    "no": """
        alle allerede alltid alt andre annen at av bare ble bli blir blitt både da de dem den denne der dere
        deres derfor det dette disse du eller en enn ennå er et etter flere for fordi fra få får før først
        gjennom gjør ha hadde ham han hans har hele henne hennes her hos hun hva hver hvis hvor hvordan hvorfor
        i igjen ikke ingen inn innen jeg jo kan kom kunne litt man mange med meg meget mellom men mens mer mest
        min mitt mot mye må nei nesten noe noen nå når og også om opp oss over på samme seg selv siden sin sine
        sitt skal skulle som så sånn til tilbake under ut uten var ved vi vil ville vår være vært å
    """,
    "fi": """
        aina ainakin ei eikä eivät eli ennen entä ettei että he heidän hyvin hän hänelle hänen häntä itse ja jo
        joita joka jonka jos joskus jossa josta jota jotka jotta kaikki kanssa kautta keskellä koko koska kuin
        kuinka kuitenkin kun me meidän mikä millä minkä minun minä mitä mitään muita mukaan mukana mutta muun
        muut myös mään ne niiden niin niitä no noin nyt näin nämä ole olemme olen olet oli olisi olivat olla
        olleet ollut on ovat pitkin saa se sekä sen siellä siinä siis siitä sillä silti sinä sitten sitä tai te
        tuo tällä tämä tämän tässä tästä tätä vaan vaikka vain vielä viime voi voivat vuoksi yhä yli
    """,
    "ru": """
        а без более больше будет будут бы был была были было быть в вам вас весь во вот все всего всех вы где да
        даже для до его ее если есть еще ещё её же за здесь и из или им их к как какой ко когда которая которого
        которой которые который которых кто ли лишь между меня мне много может можно мы на над надо нас не него
        нее ней некоторые несколько нет ни них но ну о об однако он она они оно от очень перед по под после
        потому почти при про раз с сам свои своих свой себя со среди стал так такая также такие такой там тем то
        того тоже той только том тому тот ту тут ты у уже хотя чего чем через что чтобы эта эти этих это этого
        этой этом этот эту я
    """,
    "ca": """
        a així això al algun alguna alguns als altra altre altres amb aquell aquella aquest aquesta aquestes
        aquests cada com contra d de del dels des després dins doncs durant e el ella elles ells els em en
        encara ens entre era eren estan estava està et fa fer fins ha hagi han havia hem hi ho i ja jo l la les
        li ll llavors mai malgrat me mentre mentres meu meva molt molta molts més n ni no només nosaltres nostra
        nostre nostres o on pel pels per perquè però poc podia pot potser qual quals quan quant que qui quin
        quina què s sa se segons sempre sense seu seus seva seves si sigui sobre sota són t també tan tant tenen
        tenia tot tota totes tots tu té un una unes uns va vaig van vers és
    """,
    "ro": """
        a acea aceasta această aceea aceia acel acela acele acest acesta aceste acestea acestei acestui acești
        acolo ai al ale alt alta alte alți am ar are as asta astfel atât au avea aveau avut ca care ce cea cei
        cel cele celor cine cu cum când cât câte că către da dacă dar de deci deja deoarece despre din dintre
        după ea ei el ele era erau este eu fi fie fiind foarte fost fără iar il la le li lor lui mai mea mei meu
        mult multe n ne nici nimic noi nostru nu o ori pe pentru peste prin s sa sale sau se si spre su sub sunt
        să te toate tot totuși toți tu un una unde unei unele unii unor unui va voi vor vă îi îl în într între
        își și
    """,
    "hu": """
        a abban abból addig ahhoz ahogy ahol aki akik akkor alatt amely amelyek amelyet ami amikor amit annak
        arra arról az azok azon azonban azt aztán azután azzal azért be belül benne bár csak de e egy egyes
        egyik egyéb egész el ellen elő előtt ez ezek ezen ezt ezzel ezért fel felé ha hanem hogy hogyan igen
        illetve ilyen is ismét itt jól kell kellett keresztül ki kívül között közül le legyen lehet lenne lett
        ma maga meg mellett mely melyek mert mi miatt mind minden mint mintha miért most már más még nagy nagyon
        ne nekem neki nem nincs néha nélkül olyan ott pedig például s saját se sem semmi sok sokkal szemben
        szerint szinte számára talán tehát teljes tovább továbbá több utolsó után vagy vagyis vagyok valaki
        valami van vannak vele vissza volna volt voltak át és így össze úgy ő ők
    """,
    "tr": """
        ama ancak arada artık aslında aynı az bana bazı belki ben beni benim bile bir biraz biri birkaç birçok
        biz bize bizim bu buna bunda bundan bunlar bunu bunun burada böyle bütün da daha dahi de değil diye
        diğer dolayı dolayısıyla en eğer fakat gibi göre hala hangi hatta hem henüz hep hepsi her herhangi
        herkes hiç hiçbir ile ilgili ise için işte kadar karşı kendi kendine kez ki kim mi mu mü mı nasıl ne
        neden nedenle nerede niye o olan olarak oldu olduğu olduğunu olmak olması olmayan olsa olsun olup olur
        on ona ondan onlar onların onu onun oysa pek rağmen sadece sana sanki sen siz son sonra tarafından tüm
        var vardı ve veya ya yalnızca yani yerine yine yok yoksa zaten çok çünkü öyle üzere şey şu şunu şöyle
    """,
    "el": """
        έγινε ένα έναν ένας έχει έχουν έως ή ήδη ήταν ίδια ίδιο ίδιος ίσως αλλά αν ανάμεσα αντί απ από αυτά
        αυτές αυτή αυτήν αυτοί αυτού αυτούς αυτό αυτόν αυτών αφού για γιατί δε δεν δηλαδή διότι δύο εάν είναι
        είτε είχαν είχε εδώ εκεί εκείνη εκείνο εκείνος ενός ενώ επί επίσης επειδή η θα κάθε κάποια κάποιο
        κάποιος κάτι καθώς και κατά κι λόγω μέχρι μία μας με μετά μεταξύ μη μην μια μου μπορεί μπορούν μόνο να ο
        οι ούτε πάντα πάνω παρά πια πιο πολλά πολλές πολλοί πολύ που πού πρέπει πριν προς πρώτα πώς σαν σας σε
        σου στα στη στην στις στο στον στους σύμφωνα τα τη την της τι τις το τον του τους των τότε τώρα υπάρχει
        υπό ως όλα όλες όλη όλο όλοι όλων όμως όπου όπως όσο ότι όχι ώστε
    """,
    "pl": """
        a aby albo ale ani aż bardziej bardzo bez bo bowiem by być był była było były bądź będzie będą ci co coś
        czy czyli da dla dlaczego dlatego do gdy gdyby gdzie go i ich ile im in inne inny innych ja jak jakie
        jako je jeden jednak jedynie jego jej jest jestem jeszcze jeśli jeżeli już każdy kiedy kilka kto która
        które którego której który których którym którzy lub ma mają mi miał miała między mnie może można mu
        musi my na nad nam nas natomiast nawet nic nich nie niego niej nim niż no o obok od około on ona one oni
        oraz po pod podczas ponad ponieważ poza przed przede przez przy raz również sam siebie się skąd swoich
        swoje swój są ta tak taka taki takie także tam te tego tej temu ten też to tu tych tylko tym u w we
        według wiele więc wszyscy wszystkich wszystkie wszystko wtedy z za zawsze ze został została zostały że
        żeby
    """,
    "cs": """
        a aby ale ani aspoň atd ačkoli až bez bude budou by byl byla byli bylo byly být během chce co což další
        do ho i jak jako jaké je jeden jedna jedno jeho jejich jejichž její jen jenom jenž ještě ji jich jim
        jinak jiné již jsem jsi jsme jsou jste já jí jít k kam každý kde kdo kdy kdyby když ke kolem kterou
        která které kterého který kteří ku kvůli mají mezi mi mnoho mohl mohou my má mít mě může na nad ne nebo
        neboť nebyl nejsou nemá není než nic nich nám námi nás náš ním o od ode on ona oni ono pak po pod podle
        pokud poté pouze pro proti proto protože proč právě před přes při s se si sice snad sobě své svých svým
        svůj ta tady tak také takže tam te tedy ten tento to tohle toho tom tomto tomu toto tu tuto ty tyto této
        tím tímto tě třeba u už v ve vedle vy vám vás váš více však všech všechno všichni z za zase zda zde ze
        či že
    """,
}

_GENERAL = """
    able actual actually almost already always another anyone anything ask asked asks available back bad became
    become becomes best better big bit came case come comes coming day days different easily easy enough even
    ever everyone everything example find finds first found gave get gets getting give given gives go goes going
    gone good got great happen happened happens instead keep keeps kept knew know known knows last late latest
    least less let lets like liked likes little long look looked looking looks lot lots made main make makes
    making maybe mean means month months near nearly need needed needs never new newest next often old one
    ones part parts people perhaps point points possible probably put quite rather ready real really reason
    reasons recent recently say says see seem seems seen set several show showed shown shows simple simply since
    someone something sometimes start started starts still sure take taken takes taking tell tells thing things
    think thinks though thought three time times today together told tomorrow took tried tries try trying two
    use used useful uses using usual usually various want wanted wants way ways week weeks went whole year years
    yesterday
    allerdings beispiel besonders besser beste besten bisher bleiben bleibt brauchen braucht bringen bringt
    deutlich eben eigentlich einfach endlich erste ersten finden findet ganz ganze ganzen geben gehen geht genau
    gerade gern gerne gleich groß große großen großer gute guten guter heute häufig jahr jahre jahren kam
    kaum kommen kommt lange lassen letzte letzten leute lässt machen macht meist meisten monat monate
    monaten möglich müssen nehmen neu neue neuem neuen neuer neues nimmt nächste nächsten oft sagen sagt schon
    sehen sieht sogar stehen steht tage tagen tun viele vielen vielleicht weiß wenig wenige weniger wichtig
    wirklich wissen woche wochen wollen zeigen zeigt zeit zwei üblich üblichen
"""
GENERAL_WORDS: Final = frozenset(_GENERAL.split())
"""Everyday verbs, judgements, amounts and times, English and German: they have terms, but name no subject."""

FUNCTION_WORDS: Final = MappingProxyType({code: frozenset(words.split()) for code, words in _LISTS.items()})
"""Function words by ISO 639-1 code; the order of the languages decides ties."""
