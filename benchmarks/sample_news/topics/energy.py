"""Energy: the grid, tidal power, heat."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="energy",
    categories=("Energy", "Power grid", "Industry"),
    field=words("the power grid, electricity planning, the heat transition, tidal power, rural supply"),
    org=words(
        "Norrgrid, Tidewell Power, Caldera Heat, the Basin Energy Board, Ampère Coast, Halden Turbines, Lumen "
        "Cooperative, the Grid Regulator"
    ),
    thing=words(
        "tidal array, pumped storage plant, district heating ring, offshore converter, peat-to-heat plant, night "
        "tariff, hydrogen cavern, battery park, interconnector, geothermal well, capacity auction, smart meter "
        "programme"
    ),
    part=words(
        "transformer, reserve margin, cable trench, turbine blade, switchyard, load forecast, feeder line, "
        "frequency control, standing charge, permit, heat exchanger, sluice gate"
    ),
    folk=words("grid engineers, ratepayers, dispatchers, farmers along the line, heat installers, trawler owners"),
    role=words("head of network planning, dispatcher, turbine engineer, tariff economist, plant manager"),
    facts=lines("""
        the {thing} at {place} covered {pct} per cent of the load in the coldest hour of {month}
        {org} had set aside {money} million crowns for the {part}, and the bill has grown by {nn} per cent
        wholesale power traded at {nn} crowns a megawatt-hour when the {part} tripped
        {rival} offered to share its {part} in return for a seat on the control committee
        {folk} counted {n} brief outages {when}, most of them after sunset
        the {part} was ordered from a yard in {elsewhere} and is {n} months late
        a megawatt from the {other} costs nearly twice as much as one saved by insulation
        peak demand in {place} rose to {nnn} megawatts while the wind all but stopped
        the regulator allows {org} a return of {pct} per cent on every new {part}
        ramping the {thing} up and down wears the {part} faster than the designers expected
        without the {thing}, {place} would have to import electricity on {nn} evenings a year
        the storage level fell to {nn} per cent before the snow melt began
        {person} signed the grid connection for {nnn} megawatts in {month}
        households that moved to the night tariff cut their bills by {nn} crowns a quarter
        curtailed wind farms were paid for {nnn} gigawatt-hours that nobody used
        an inspection found salt in the {part} and hairline cracks in the {part}
    """),
    claims=lines("""
        we can keep the lights on, but not at yesterday's price
        a grid is only as strong as its weakest {part}
        nobody should be surprised that the {part} became the bottleneck
        the {thing} pays for itself in {n} winters if the load forecast holds
        we asked for a second feeder line in {year} and never had a reply
        demand has to follow the wind now, not the other way round
    """),
    arcs=(
        developments("""
            {org} shuts the {thing} at {place} after a fault | \
                {org} took the {thing} at {place} off the grid {when} after sensors reported heat in the \
                {part}
            Inspectors find a cracked {part} at {place} | \
                Inspectors at the {thing} in {place} found a cracked {part} and ordered {org} to keep it \
                idle
            {rival} to supply {place} while the {thing} stands still | \
                {rival} agreed to feed {nnn} megawatts to {place} for as long as the {thing} of {org} is \
                out
            Cost of the {place} outage climbs to {money} million crowns | \
                The outage of the {thing} at {place} has cost {money} million crowns so far, {org} told \
                its lenders
            {person} to lead the inquiry into the {place} fault | \
                {person} will lead the inquiry into the fault that stopped the {thing} at {place}
            {thing} at {place} back on the grid | \
                The {thing} at {place} fed power again {when}, {org} said, with a new {part} in place
        """),
        developments("""
            {org} plans a {thing} near {place} | \
                {org} wants to build a {thing} of {nnn} megawatts near {place} and has asked for a permit
            Residents of {place} split over the {thing} | \
                At a crowded meeting in {place}, {folk} and {org} argued over the planned {thing}
            {rival} challenges the {thing} permit in court | \
                {rival} asked a court to halt the permit for the {thing} at {place}, citing the {part}
            Court lets {org} go ahead at {place} | \
                A court ruled that {org} may begin work on the {thing} at {place}, with conditions for the \
                {part}
            First {part} arrives for the {place} {thing} | \
                The first {part} for the {thing} reached {place} {when} under police escort
        """),
    ),
    briefs=developments("""
        Night tariff in {place} to fall by {pct} per cent | \
            {org} will cut its night tariff in {place} by {pct} per cent from {month}
        {org} reports a {adj} quarter as reserves refill | \
            {org} said its reserves refilled faster than planned and the {part} held up well
        Storm leaves {nnn} homes in {place} without power | \
            A storm brought down a feeder line and left {nnn} homes in {place} without electricity
        {org} and {rival} agree to share a {part} | \
            {org} and {rival} will share one {part} between their networks at {place}
        {place} tests a {thing} in its harbour | \
            Engineers lowered a small {thing} into the harbour of {place} for a trial of {n} weeks
        Regulator fines {org} over the {part} | \
            The regulator fined {org} {money} thousand crowns for late reports on its {part}
    """),
)
