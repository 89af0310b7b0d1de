"""Climate and nature: glaciers, rivers, forests, seas."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="climate",
    categories=("Environment", "Climate", "Science"),
    field=words("flood protection, forest policy, glacier science, coastal planning, drought management"),
    org=words(
        "the River Commission, Heath and Marsh Trust, the Glacier Service, the Coastal Survey, Silva Forestry, "
        "the Rainfall Office, Seagrass Alliance"
    ),
    thing=words(
        "flood polder, glacier lake, peat bog, oyster reef, beech forest, dune barrier, snow reservoir, river "
        "delta, kelp field, salt marsh"
    ),
    part=words(
        "sediment core, water gauge, dyke, tree ring record, spillway, soil moisture, bark beetle, meltwater "
        "channel, nesting site, drainage ditch, evaporation rate"
    ),
    folk=words("hydrologists, foresters, oyster farmers, dyke wardens, alpine guides, volunteers with rubber boots"),
    role=words("hydrologist, forest ecologist, dyke warden, glaciologist, marine biologist"),
    facts=lines("""
        the water gauge at {place} stood {nn} centimetres above the mark of {year}
        {folk} drilled {n} cores through the {thing} and dated each layer by its ash
        warm nights, more than warm days, explain the loss of {pct} per cent of the ice
        {org} bought {nnn} hectares along the {thing} and lets the water come and go
        spring now begins {n} days earlier in {place} than in the notebooks of {year}
        the {part} moved {nn} metres inland within a single winter
        rain fell for {nn} hours on ground that was already full
        beetles took {nnn} thousand trunks before the frost arrived
        a restored {other} stores more carbon in ten years than a plantation in {nn}
        the insurance pool of {rival} covers only {n} houses in every ten
        oxygen in the bay sank below {n} milligrams a litre {when}
        {person} mapped the {thing} on foot for {n} summers
        the dyke holds, but the ground behind it has sunk by {nn} centimetres
        migrating birds now leave {elsewhere} {n} days later
        {org} models a flood that comes once in {nnn} years and finds it comes once in {nn}
        shade from old trees keeps the stream {n} degrees cooler
    """),
    claims=lines("""
        water has a longer memory than any ministry
        we measure what we lose with instruments that we then lose, too
        the {thing} does the work of {n} pumping stations and asks for no wage
        a dyke is a promise that must be kept every year
        I have never seen the {part} move that quickly
        people ask for a number and what I have is a range
    """),
    arcs=(
        developments("""
            {thing} above {place} swells, {org} warns | \
                The {thing} above {place} has risen by {nn} centimetres in a week, {org} warned
            {place} moves {nnn} people out of the valley | \
                Officials in {place} moved {nnn} people out of the valley as the {thing} kept rising
            Siphons lower the {thing} by a hand's breadth | \
                {folk} laid siphons {when} and lowered the {thing} above {place} by {n} centimetres
            {person} warns of a second wave at {place} | \
                {person} of {org} warned that meltwater could fill the {thing} above {place} again
            People return to {place}, gauges stay | \
                Residents returned to {place} after {org} declared the {thing} stable for now
        """),
        developments("""
            {org} to open the dyke at {place} | \
                {org} wants to open the dyke at {place} and give {nnn} hectares back to the {thing}
            Farmers near {place} demand money for drowned land | \
                Farmers near {place} demand {money} million crowns before the {thing} takes their fields
            {rival} offers to pay for the {thing} | \
                {rival} offered to pay part of the cost of the {thing} at {place}
            Diggers reach the old dyke at {place} | \
                Diggers cut into the old dyke at {place} {when}, and the first tide reached the {thing}
            Waders nest in the new {thing} at {place} | \
                {n} weeks after the dyke was opened, waders nest in the new {thing} at {place}
        """),
    ),
    briefs=developments("""
        {month} was the warmest on record in {place} | \
            The average in {place} lay {n} tenths of a degree above the long mean, {org} said
        Rare orchid found beside a {thing} | \
            Volunteers of {org} found a rare orchid beside a {thing} near {place}
        {org} bans boats from the {thing} | \
            Boats may no longer enter the {thing} off {place} between {month} and autumn
        Beetle season starts early near {place} | \
            Foresters near {place} saw the first bark beetles {n} days early
        Old {part} gives a date for the great flood | \
            A {part} near {place} dates the great flood to {n} years earlier than chronicles do
    """),
)
