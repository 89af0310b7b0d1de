"""Football, all of it in a league that does not exist."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="football",
    categories=("Sport", "Football"),
    field=words("league football, youth coaching, transfer business, cup football, refereeing"),
    org=words(
        "Varnholm Rovers, Port Ellery Athletic, Kestwick Town, Dunlee Wanderers, Greywick United, Talby Albion, "
        "Marrowby City, Rookhaven Harriers, Brindle Stars, Osmar Union"
    ),
    thing=words(
        "derby, cup tie, transfer, relegation fight, title race, penalty row, record signing, stadium plan, goal "
        "drought, replay"
    ),
    part=words(
        "back four, free kick, stoppage time, penalty spot, goal difference, training ground, bench, contract "
        "clause, offside trap, hamstring"
    ),
    folk=words("fans, scouts, season-ticket holders, assistant coaches, ball boys, former captains"),
    role=words("manager, captain, goalkeeping coach, sporting director, veteran midfielder"),
    facts=lines("""
        {org} have taken {n} points from a possible {nn}
        the winner came in stoppage time from a {part} that should not have been given
        {person} ran {n} kilometres and lost {n} duels
        {rival} hit the bar twice before the break
        the crowd of {nnn} hundred sang until the lights went out
        a {part} strain keeps the striker out for {n} weeks
        the manager changed his {part} after {nn} minutes
        {folk} travelled to {place} in {nn} buses
        the referee needed {n} minutes at the monitor
        {org} last won away in {month}
        the fee is {money} million crowns plus {n} per cent of any resale
        the pitch at {elsewhere} was cleared of snow by volunteers
        goal difference separates {org} and {rival}
        the keeper saved from {n} metres with his left boot
        youth players filled {n} places on the bench
    """),
    claims=lines("""
        we defend with eleven and complain with twelve
        the table never lies in the last week
        I told them to enjoy it, and for {nn} minutes they did
        a point is a point, even an ugly one
        my phone is off until the window closes
    """),
    arcs=(
        developments("""
            {org} manager faces the sack after {thing} | \
                The manager of {org} is under pressure after the {thing} against {rival}
            {person} tipped for the job at {org} | {person} is tipped to take over at {org}
            {org} players back their manager | Players of {org} asked the board to keep the manager
            {org} sack manager after defeat by {rival} | \
                {org} sacked their manager hours after a defeat by {rival}
            {person} takes charge at {org} | {person} took his first training session at {org}
        """),
        developments("""
            {rival} bid for striker of {org} | \
                {rival} have bid {money} million crowns for the striker of {org}
            {org} turn down {rival} | {org} turned down the offer of {rival} for their striker
            Striker of {org} misses training | \
                The striker of {org} missed training amid interest from {rival}
            Deal done: striker joins {rival} | \
                The striker left {org} for {rival} in a deal worth {money} million crowns
        """),
    ),
    briefs=developments("""
        {org} {n}, {rival} {n} | {org} and {rival} traded blows in {place} in front of a loud crowd
        {org} beat {rival} with a late {part} | {org} beat {rival} with a {part} {n} minutes from the end
        {rival} held at home by {org} | {rival} were held at home by {org} and left the pitch to whistles
        Injury blow for {org} | {org} will be without their captain for {n} weeks
        {person} extends with {org} | {person} signed until the end of next season with {org}
        Cup draw sends {org} to {place} | The draw sends {org} to {place}, where {rival} lost last year
    """),
)
