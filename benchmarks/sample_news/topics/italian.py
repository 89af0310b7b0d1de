"""The three topics of the Italian newspaper: energy, politics and football.

Things carry their article, so templates use them only where no preposition would merge with it.
"""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

ENERGY = Topic(
    key="energy",
    language="it",
    categories=("Energia", "Economia"),
    field=words("energia, rete elettrica"),
    org=words("Reti del Molo, Alta Corrente, Idrolago, Consorzio Maree, Calore Comune"),
    thing=words(
        "la centrale a maree, il parco di batterie, la nuova linea elettrica, la diga vecchia, l’impianto "
        "geotermico, il teleriscaldamento"
    ),
    part=words("la turbina, il trasformatore, la concessione, la bolletta, la condotta, il quadro di comando"),
    folk=words("i tecnici, gli utenti, i pescatori, gli installatori, i sindaci della costa"),
    role=words("ingegnere di rete, direttrice dell’impianto, economista"),
    facts=lines("""
        {thing} ha coperto il {pct} per cento dei consumi di {place} nel giorno più freddo
        {org} ha speso {money} milioni e ne chiede altri {nn}
        {folk} hanno contato {n} interruzioni {when}
        secondo il progetto {part} doveva arrivare a {month}
        il prezzo all’ingrosso è salito a {nn} corone per megawattora
        {rival} si offre di dividere la spesa, ma vuole un posto in consiglio
        nelle ore serali la domanda a {place} supera i {nnn} megawatt
        le famiglie che consumano di notte risparmiano {nn} corone a trimestre
        {person} ha firmato l’accordo dopo {n} incontri
        senza {part} la rete resta fragile, dicono a {elsewhere}
    """),
    claims=lines("""
        la corrente non manca, manca la pazienza
        abbiamo chiesto una seconda linea nel {year} e nessuno ha risposto
        chi paga la bolletta deve poter leggere il contratto
    """),
    arcs=(
        developments("""
            {org} ferma {thing} a {place} | {org} ha fermato {thing} a {place} {when} dopo un guasto
            Guasto a {place}, si cerca la causa | \
                I periti esaminano {part} dopo il guasto che ha fermato {thing} a {place}
            {rival} darà energia a {place} | \
                {rival} fornirà {nnn} megawatt a {place} finché {thing} resta ferma
            A {place} torna la corrente | \
                A {place} è tornata la corrente: {thing} lavora di nuovo, annuncia {org}
        """),
    ),
    briefs=developments("""
        Bolletta più leggera a {place} | \
            Da {month} la bolletta a {place} scende del {pct} per cento, comunica {org}
        {org} apre un cantiere a {place} | {org} apre un cantiere a {place} per rinnovare {part}
        Temporale, {nnn} case al buio a {place} | Un temporale ha lasciato al buio {nnn} case a {place}
    """),
)

POLITICS = Topic(
    key="politics",
    language="it",
    categories=("Politica",),
    field=words("politica, enti locali"),
    org=words("Lista del Porto, Unione Civica, Alleanza dei Borghi, Patto per la Valle, Nuova Concordia"),
    thing=words(
        "la legge sulla casa, il bilancio, la riforma della scuola, l’accordo sulla pesca, il piano regolatore, "
        "la tassa sulle seconde case"
    ),
    part=words("l’emendamento, la mozione, il voto segreto, il numero legale, la relazione, il seggio"),
    folk=words("i consiglieri, i sindaci, gli alleati, i delegati giovani, gli elettori"),
    role=words("capogruppo, sindaca, costituzionalista"),
    facts=lines("""
        {org} ha bisogno di {n} voti e ha parlato con tutti tranne {rival}
        la seduta è durata {n} ore e si è chiusa senza applausi
        {person} ha lasciato l’aula prima del voto
        un sondaggio dà {org} al {nn} per cento
        {folk} chiedono {money} milioni entro {month}
        {thing} era attesa dal {year}, dicono a {elsewhere}
        a {place} ha votato il {nn} per cento degli iscritti
        {rival} ha presentato {nn} correzioni in una notte
        il testo è stato distribuito pochi minuti prima della discussione
        {part} passa per {n} voti, tra le proteste
    """),
    claims=lines("""
        il compromesso è un ponte, ma qualcuno preferisce il fiume
        non firmo quello che non ho letto
        la maggioranza c’è, bisogna solo trovarla
    """),
    arcs=(
        developments("""
            {org} lascia il tavolo: in forse {thing} | \
                {org} ha lasciato il tavolo {when}: {thing} ora è in forse
            {rival} tende la mano a {org} | {rival} propone a {org} una nuova intesa per salvare {thing}
            {person} mediatore tra {org} e {rival} | Sarà {person} a mediare tra {org} e {rival}
            Accordo fatto a {place} | Accordo fatto a {place}: {thing} passa con {n} voti di scarto
        """),
    ),
    briefs=developments("""
        {place}, {person} eletta alla guida di {org} | {person} guida {org} dopo il voto di {place}
        Consiglio di {place}, rinviata la seduta | Manca il numero legale: a {place} la seduta è rinviata
        {rival} ritira {part} | {rival} ritira {part} e riproverà a {month}
    """),
)

FOOTBALL = Topic(
    key="football",
    language="it",
    categories=("Sport", "Calcio"),
    field=words("calcio"),
    org=words("Virtus Cedro, Real Valserena, Sporting Montalbino, Atletico Giunco, Polisportiva Lucerna"),
    thing=words("il derby, la finale di coppa, la corsa alla salvezza, il mercato, la rimonta, lo spareggio"),
    part=words("la difesa, il rigore, il contratto, la panchina, il recupero, il capitano"),
    folk=words("i tifosi, gli abbonati, gli osservatori, i vecchi capitani"),
    role=words("allenatore, direttore sportivo, portiere"),
    facts=lines("""
        {org} ha raccolto {n} punti nelle ultime {n} gare
        il gol è arrivato al minuto {nn} dopo una mischia
        {person} ha corso più di tutti e ha perso due palloni
        {rival} ha colpito due pali prima dell’intervallo
        {folk} sono arrivati a {place} con {nn} pullman
        l’arbitro ha rivisto l’azione per {n} minuti
        il cartellino vale {money} milioni di corone
        il portiere ha salvato il risultato con il piede sinistro
        {org} non vince in trasferta da {month}
    """),
    claims=lines("""
        difendiamo in undici e ci lamentiamo in dodici
        la classifica non mente mai all’ultima giornata
        un punto è un punto, anche brutto
    """),
    arcs=(
        developments("""
            {org}, panchina a rischio | L’allenatore di {org} rischia il posto dopo la sconfitta con {rival}
            {person} verso {org} | {person} è vicino alla panchina di {org}
            {org} cambia allenatore | {org} ha cambiato allenatore {when}: arriva {person}
        """),
    ),
    briefs=developments("""
        {org} batte {rival} a {place} | {org} ha battuto {rival} a {place} con un gol nel finale
        {rival} fermata in casa da {org} | {rival} non va oltre il pari contro {org}
        Infortunio per {person} | {org} dovrà fare a meno di {person} per {n} settimane
    """),
)
