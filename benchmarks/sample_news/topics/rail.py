"""Rail, ports and public transport."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="rail",
    categories=("Transport", "Rail", "Ports"),
    field=words("railway timetables, port logistics, tram planning, night trains, freight corridors"),
    org=words(
        "Northern Rail Works, the Tram Company, Quayside Ports, the Track Authority, Ferrymen's Cooperative, "
        "Osprey Trains, Sundry Bay Locks"
    ),
    thing=words(
        "night train, tram extension, swing bridge, freight terminal, ferry line, signalling upgrade, tunnel "
        "bore, car float, mountain railway, ticket reform"
    ),
    part=words(
        "axle counter, overhead wire, quay crane, sleeping car, platform edge, lock gate, timetable, points "
        "heater, bogie, level crossing, rolling stock order"
    ),
    folk=words("commuters, dockers, train drivers, signallers, lock keepers, timetable planners"),
    role=words("timetable planner, harbour master, track engineer, union secretary, depot manager"),
    facts=lines("""
        trains between {place} and {elsewhere} run every {nn} minutes, when they run
        the {part} was last renewed in {year}
        {org} ordered {nn} vehicles and has received {n}
        dockers moved {nnn} boxes a shift, a figure not seen since {year}
        the tunnel boring machine advanced {nn} metres {when}
        {rival} wants the slots that {org} gave up in {month}
        delays added up to {nnn} hours in a single week
        the bridge closes for {n} nights so that the {part} can be lowered into place
        {folk} propose a stop at the market instead of the car park
        a ticket to {elsewhere} costs {nn} crowns, or {n} with the new card
        {person} drove the first test run at walking pace
        the lock takes {nn} minutes and {nnn} cubic metres of water
        frost split the {part} in {n} places
        freight pays for the line, passengers love it
        the timetable leaves {n} minutes to change at {place}
    """),
    claims=lines("""
        a timetable is a contract with people who get up early
        the {part} is sixty years old and still the youngest in the yard
        we lost the freight in a year and need ten to win it back
        give me {n} metres of platform and I give you a railway
        the tram does not care who promised it
    """),
    arcs=(
        developments("""
            {thing} near {place} stopped by a landslip | \
                A landslip stopped work on the {thing} near {place} {when}, {org} said
            {org} sends trains round {place} | {org} sends trains round {place} while the {thing} is blocked
            Repair at {place} needs {n} more weeks | \
                The repair of the {thing} near {place} needs {n} more weeks because of the {part}
            {rival} runs boats to {place} instead | {rival} runs boats to {place} until the {thing} is clear
            {thing} at {place} open again | \
                The {thing} at {place} opened again, {n} days before the date that {org} had named
        """),
        developments("""
            {org} to bring back the {thing} to {place} | \
                {org} will bring back the {thing} to {place} after {nn} years
            Tickets for the {place} {thing} sold out in {n} hours | \
                Tickets for the first {thing} to {place} sold out in {n} hours
            {part} delays the {thing} to {place} | \
                A faulty {part} delays the {thing} to {place}, {org} admitted
            First {thing} reaches {place} at dawn | \
                The first {thing} reached {place} at dawn, {nn} minutes late and full
        """),
    ),
    briefs=developments("""
        Strike on {weekday} stops trams in {place} | \
            Drivers of {org} in {place} will strike on {weekday} over the {part}
        {org} orders {nn} quiet {part}s | \
            {org} ordered {nn} new units of a quieter {part} from a yard in {elsewhere}
        New harbour master for {place} | {person} becomes harbour master of {place}
        Ferry aground off {place}, nobody hurt | \
            A ferry ran aground off {place} {when}; all {nn} passengers are safe
        {place} gets a longer platform | {org} lengthens the platform at {place} by {nn} metres
        Freight record at the {place} terminal | The terminal at {place} handled {nnn} trains, a record
    """),
)
