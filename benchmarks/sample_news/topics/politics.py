"""Politics: parliament, councils, treaties."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="politics",
    categories=("Politics", "National"),
    field=words("coalition politics, local government, tax law, border policy, electoral reform"),
    org=words(
        "the Civic Union, the Reform Bloc, the Harbour Party, the Rural League, the Finance Committee, the Upper "
        "House, the Election Board"
    ),
    thing=words(
        "housing bill, coalition pact, second-home tax, school reform, fishing treaty, budget law, border "
        "agreement, voting reform, press law, pension compromise"
    ),
    part=words(
        "amendment, quorum, majority, transition clause, hearing, side letter, second reading, veto, party list, "
        "committee report"
    ),
    folk=words("backbenchers, mayors, party elders, lobbyists, clerks, young delegates"),
    role=words("party whip, deputy speaker, mayor, constitutional lawyer, campaign manager"),
    facts=lines("""
        the {part} passed by {n} votes after a night sitting
        {org} needs {n} more seats and has spoken to everyone but {rival}
        {folk} from {place} arrived with a list of {nn} demands
        {person} left the chamber before the vote and gave no reason
        a poll puts {org} at {nn} per cent, {n} points ahead of {rival}
        the {thing} was promised in {year} and has been rewritten {n} times since
        mayors say the {part} would cost them {money} million crowns a year
        the speaker rang the bell {n} times
        a side letter commits {rival} to silence until {month}
        turnout in {place} was {nn} per cent, the lowest since {year}
        the committee heard {nn} witnesses and believed about half of them
        {org} published the text of the {thing} minutes before the debate
        the court in {elsewhere} must decide whether the {part} is lawful
        ministers met in a boat house because the walls of the palace have ears
        {nnn} letters about the {thing} reached the clerk in one morning
    """),
    claims=lines("""
        there is no majority for courage before an election
        the {thing} is a bridge, and some people prefer the river
        we read the {part} twice and found the money on page {nn}
        my party keeps its word even when nobody is listening
        if this is a compromise I should like to see a quarrel
    """),
    arcs=(
        developments("""
            {org} walks out of talks on the {thing} | \
                {org} left the talks on the {thing} {when}, hours before a deadline
            {rival} offers a way back to the {thing} | \
                {rival} offered {org} a new {part} to save the {thing}
            {person} named as go-between for the {thing} | \
                {person} will mediate between {org} and {rival} over the {thing}
            Deal on the {thing} within reach, says {person} | \
                A deal on the {thing} is within reach, {person} said in {place}
            {thing} passes by {n} votes | \
                Parliament adopted the {thing} by {n} votes after {org} came back to the table
        """),
        developments("""
            Mayor of {place} under pressure over side letter | \
                The mayor of {place} faces questions about a side letter on the {thing}
            {org} demands an inquiry in {place} | {org} demanded an inquiry into the side letter of {place}
            Second letter surfaces in {place} | A second letter on the {thing} surfaced in {place} {when}
            Mayor of {place} resigns | The mayor of {place} resigned; {person} takes over until the vote
            {place} to vote on {nn} {month} | {place} will elect a mayor after the affair over the {thing}
        """),
    ),
    briefs=developments("""
        {org} elects {person} as leader | \
            {person} was elected leader of {org} with {nn} per cent of the votes
        Budget hearing ends after {nn} hours | \
            The hearing on the budget law ended after {nn} hours without a {part}
        {place} council bans fireworks | The council of {place} banned fireworks by {n} votes
        {rival} drops its {thing} | {rival} dropped its {thing} and will try again in {month}
        New speaker promises shorter debates | \
            The new speaker, {person}, promised debates of at most {n} hours
        Treaty with neighbours signed at {place} | \
            Ministers signed a {thing} at {place} after {n} years of talks
    """),
)
