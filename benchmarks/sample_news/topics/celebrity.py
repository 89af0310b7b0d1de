"""Celebrities and crime, as the boulevard likes them."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="celebrity",
    categories=("People", "Showbiz"),
    field=words("fame, television, the yacht season, royal etiquette, the gala circuit"),
    org=words("Channel Nine and a Half, Glitter Hour, the Grand Pavilion, Casa Mimosa, Star Kitchen"),
    thing=words(
        "secret wedding, yacht party, diamond heist, diet tip, comeback show, palace quarrel, dance contest, hair "
        "disaster, break-up, villa feud"
    ),
    part=words(
        "ring, red carpet, bodyguard, guest list, selfie, stolen tiara, wig, champagne bill, private jet, balcony"
    ),
    folk=words("neighbours, stunned fans, ex-lovers, waiters, paparazzi, bodyguards"),
    role=words("style guru, former butler, talk-show host, close friend"),
    facts=lines("""
        {person} stepped out in {place} without the {part}
        {folk} could hardly believe what they saw on the balcony
        the {part} is said to be worth {money} thousand crowns
        a friend whispered that tears had flowed {when}
        {person} posted {n} pictures and deleted {n} of them
        the party at {org} went on until the neighbours called the police
        security men searched the {part} twice
        {n} cakes were ordered and none was eaten
        the ex arrived by helicopter and left by taxi
        a waiter found the {part} in the ice bucket
        {person} has not spoken to the palace for {n} weeks
        the dress took {nnn} hours to sew and one second to tear
        fans camped in front of {org} in the rain
    """),
    claims=lines("""
        I have never been happier, and I have the pictures
        there is no feud, and they started it
        ask my {part}
        love is love, but a contract is a contract
        I cried, I laughed, I ordered dessert
    """),
    arcs=(
        developments("""
            {person} in {thing} shock | {person} stunned fans in {place} with a {thing}
            {person} breaks silence on the {thing} | \
                {person} has broken the silence about the {thing} in {place}
            Ex of {person} hits back over the {thing} | The ex of {person} hit back over the {thing}
            {person} flees {place} after the {thing} | {person} left {place} in the night after the {thing}
        """),
    ),
    briefs=developments("""
        {person} shows off a {adj} {part} | {person} showed off a new {part} at {org}
        Ten things about the {thing} of {person} | \
            What really happened at the {thing} of {person} in {place}
        {person} and the missing {part} | The {part} of {person} vanished from {org} in {place}
        {org} cancels {thing} | {org} cancelled the {thing} of {person} at the last minute
        Is {person} the new queen of {place} | Everyone in {place} talks about {person} and the {thing}
    """),
)
