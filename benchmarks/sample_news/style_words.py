"""The phrases of each style. Slots are filled from the topic's lexicon."""

from __future__ import annotations

from benchmarks.sample_news.word_lists import lines

QUOTES = lines("""
    “{Claim},” said {expert}, {role} at {org}.
    “{Claim},” {expert}, a {role}, told reporters in {place}.
    {expert}, {role} in {elsewhere}, put it this way: “{claim}.”
    Asked about it, {person} answered: “{claim}.”
    “{Claim},” said a {role} who did not want to be named.
    “{Claim},” reads a letter that {rival} sent {when}.
""")

WIRE_ASIDES = lines("""
    {rival} declined to comment.
    {org} had not replied to questions by the evening.
    Further details are expected on {weekday}.
    It is the second case of its kind since {month}.
    Local radio in {place} had first reported the news.
    Officials in {elsewhere} confirmed the account.
""")

NEWSPAPER_OPENERS = lines("""
    according to people in the room,
    in {elsewhere}, meanwhile,
    to make things worse,
    as this paper reported in {month},
    on paper the case is simple;
    for the first time since {year},
""")

NEWSPAPER_ASIDES = lines("""
    In the market square of {place} opinions are divided.
    What happens next depends on {rival}.
    It rained, and the umbrellas stayed open through the speeches.
    The story has kept {place} busy since {month}.
    Not everyone is pleased, least of all the {folk}.
    A spokeswoman spoke of a {adj} day and took no questions.
    At the kiosk by the station nobody talks of anything else.
    {expert} has followed the matter for {n} years and sighs.
""")

TABLOID_SHOUTS = ("SHOCK:", "EXCLUSIVE:", "WOW!", "REVEALED:", "OMG!", "SCANDAL!", "UNBELIEVABLE:", "AT LAST!")

TABLOID_OPENERS = lines("""
    and get this:
    unbelievable but true:
    hold on to your hats,
    we can reveal that
    sources say
    as if that was not enough,
""")

TABLOID_ASIDES = lines("""
    What a mess!
    You could not make it up!
    Fans are FURIOUS!
    See all {nn} pictures in our gallery!
    Have YOUR say: call us now!
    Our reporter was there when it happened!
    {Place} is in shock!
    Who will pay for this? YOU will!
    Is this the end for {person}?
    Stay tuned, more to come!
""")

TABLOID_QUOTES = lines("""
    “{Claim}!” raged a close friend.
    “{Claim},” sobbed {person}!
    An insider reveals: “{claim}!”
    “{Claim},” screamed {folk} in {place}!
""")

ANALYSIS_TITLES = lines("""
    Why the {thing} question will not go away
    The quiet arithmetic of the {thing} at {place}
    What {place} tells us about {field}
    {Org}, {rival} and the limits of the {thing}
    A short history of the {part}, and a warning from {place}
    After {place}: how {field} lost its certainties
    The price of patience: {org} and its {thing}
    Three readings of the {adj} {thing}
    {Field} between habit and necessity
    The {part} that nobody wanted to pay for
    How {place} learned to live with the {thing}
    What the numbers of {org} do not say
""")

ANALYSIS_OPENERS = lines("""
    on closer reading,
    seen from {elsewhere},
    if one follows the money rather than the speeches,
    it is worth recalling that
    contrary to what {rival} maintains,
    the documents show something plainer:
    as early as {year} it was understood that
    taken by itself it means little that
    beneath the quarrel lies the fact that
    measured against {year},
    for all the talk of principle,
    what is seldom mentioned is that
""")

ANALYSIS_TAILS = lines("""
    which is less than the plan of {year} assumed
    although nobody in {elsewhere} will say so in public
    a point that {expert} has been making since {year}
    and it is here that the usual argument breaks down
    while the comparison with {elsewhere} suggests the opposite
    so that the burden falls on those who decided least
    which explains the hesitation of {rival} better than any statement
    even if the margin of error is wide
    as a reader of the footnotes would have expected
    and the consequences reach well beyond {place}
    because incentives, once written into contracts, outlive their authors
    whatever one thinks of the motives
""")

ANALYSIS_ASIDES = lines("""
    The usual account blames the {folk}; the figures suggest otherwise.
    There are two ways to read this, and both deserve a hearing.
    The first explanation is technical, the second institutional, and only together do they make sense.
    One should be careful with analogies, yet the parallel with {elsewhere} is hard to avoid.
    Consider what would have followed if {org} had chosen the other path in {year}.
    None of this proves intent; it does show a pattern that has repeated itself for {n} years.
    The interesting question is therefore not who was right, but who could have known.
    A cautious estimate, based on the published tables, puts the effect at {pct} per cent.
    In a longer perspective the present dispute looks less like an accident than like a delayed payment.
    {Expert}, whose work on {field} deserves more readers, calls this the tyranny of the last mile.
    That argument has weight, but it mistakes a condition for a cause.
    The evidence is thinner on the second point, and it would be dishonest to pretend otherwise.
    Institutions learn slowly, partly because forgetting is cheaper.
    It follows that the choice before {place} is narrower than either side admits.
    Numbers of this kind invite false precision, so a range is more honest than a figure.
    What looks like caution from inside resembles drift from outside.
    Those who recall {year} will recognise the sequence: denial, haste, regret.
    The costs are visible and concentrated; the benefits are diffuse and arrive late.
    To say this is not to excuse {rival}, whose own record is {adj}.
    Policy for {field} has rarely been made by those who must operate it.
""")

BLOG_OPENERS = lines("""
    so, fun fact:
    I tried it at home and
    turns out
    long story short,
    the release notes say that
    if I read the thread correctly,
    my favourite detail:
""")

BLOG_TAILS = lines("""
    which made me laugh
    at least on my old laptop
    and yes, I checked twice
    your mileage may vary
    so I went to get coffee
""")

BLOG_ASIDES = lines("""
    I have been waiting for this since {year}.
    Let me show you what I mean.
    If you maintain a {part} yourself, you know the feeling.
    I could be wrong, and my inbox will tell me.
    Kudos to {person}, who did most of the work.
    There is a longer write-up on my own site.
    More on this next week, once I have numbers.
    I spent {n} evenings on it so that you need not.
    Try it, break it, report it.
    Is that a lot? Compared to the {other}, it is not.
""")

ITALIAN_QUOTES = lines("""
    «{Claim}», dice {expert}, {role} di {org}.
    «{Claim}», spiega {person} ai cronisti di {place}.
    {expert}, {role}, risponde così: «{claim}».
""")

ITALIAN_OPENERS = lines("""
    a quanto si apprende,
    nel frattempo a {elsewhere}
    come già nel {year},
    secondo il rapporto,
    per la prima volta da {month},
""")

ITALIAN_ASIDES = lines("""
    A {place} non si parla d’altro.
    Resta da capire che cosa farà {rival}.
    La prossima riunione è fissata per {weekday}.
    Nessun commento, per ora, da {org}.
    In piazza, sotto la pioggia, le opinioni sono divise.
    È una vicenda che dura da {n} mesi.
""")
