"""Books, theatre and museums."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="books",
    categories=("Culture", "Books"),
    field=words("the novel, museum collecting, small theatres, translation, documentary film"),
    org=words(
        "Lantern Row Press, the Tin Theatre, the Museum of Small Things, Halfmoon Film, the Letter Archive, "
        "Cordwainer Books"
    ),
    thing=words(
        "debut novel, puppet opera, letters exhibition, silent film, memoir, poetry prize, manuscript, reading "
        "room, radio play, travelling library"
    ),
    part=words(
        "last chapter, stage set, frame, translation, opening night, footnote, lead role, score, catalogue, dust jacket"
    ),
    folk=words("critics, booksellers, stagehands, translators, archivists, the reading public"),
    role=words("translator, curator, theatre critic, bookseller, dramaturge"),
    facts=lines("""
        the {part} runs to {nnn} pages and never mentions the sea
        {org} printed {n} thousand copies and sold them in {nn} days
        {person} wrote the {thing} at night in a kitchen in {place}
        the curtain rose {nn} minutes late, and nobody minded
        {folk} were moved by the {part} and puzzled by the rest
        the manuscript lay in a biscuit tin in {elsewhere} until {year}
        {rival} had refused the {thing} with a printed card
        the jury met {n} times and shouted once
        the translation keeps the jokes and loses the rain
        the {part} was painted by {n} students over one winter
        tickets cost {nn} crowns, half for those under {nn}
        a minor character from the {other} returns as a landlady
        the archive holds {nnn} letters, most of them unpaid bills
        the actors speak so softly that the street joins in
    """),
    claims=lines("""
        I wrote the {part} first and then had to deserve it
        a museum is a memory with opening hours
        the audience is the only critic who pays
        translation is reading with consequences
        we print what we would steal
    """),
    arcs=(
        developments("""
            Lost {thing} found in {place} | \
                A {thing} believed lost since {year} was found in {place}, {org} said
            {rival} claims the {thing} of {place} | \
                {rival} claims to own the {thing} that was found in {place}
            Experts doubt the {part} of the {place} find | \
                Experts doubt that the {part} of the {thing} found in {place} is real
            {thing} of {place} is genuine, {person} finds | \
                {person} examined the {thing} of {place} for {n} days and found it genuine
        """),
    ),
    briefs=developments("""
        {person} wins the {thing} of {place} | {person} won the prize of {place} for a {adj} {thing}
        Review: a {adj} {thing} at {org} | The {thing} at {org} begins as a joke and ends as a farewell
        {org} to show {nn} unseen letters | {org} in {place} will show {nn} letters that nobody has seen
        {rival} closes for {n} months | {rival} closes for {n} months to mend its roof
        The {thing} that {place} talks about | \
            In {place} everyone has an opinion about the {thing} by {person}
        {person} at {nn}: a visit | {person} turns {nn} and is working on a {thing}
    """),
)
