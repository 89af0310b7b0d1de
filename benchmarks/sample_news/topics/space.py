"""Space and astronomy: probes, telescopes, small bodies."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="space",
    categories=("Science", "Space", "Astronomy"),
    field=words("planetary science, small-body astronomy, deep-space navigation, radio astronomy, comet chemistry"),
    org=words(
        "the Orbital Institute, Harrowmere Observatory, the Baltic Space Office, Perihelion Labs, the Long "
        "Baseline Array, the Comet Consortium, Kite Aerospace"
    ),
    thing=words(
        "ice-moon lander, comet probe, sky survey, sunshield telescope, radio array, lunar relay, dust collector, "
        "asteroid orbiter, gamma-ray detector, sample capsule"
    ),
    part=words(
        "spectrometer, reaction wheel, star tracker, antenna, heat shield, data recorder, mirror segment, ion "
        "thruster, seismometer, calibration lamp, magnetometer boom"
    ),
    folk=words("flight controllers, amateur astronomers, planetary scientists, mirror polishers, doctoral students"),
    role=words("mission scientist, flight director, instrument lead, orbital analyst, astronomer"),
    facts=lines("""
        the {part} recorded {nnn} spectra before the {thing} passed behind its target
        telemetry took {nn} minutes to cross the gap and arrived with {n} frames missing
        the team in {place} compared {n} years of plates with the new images from the {thing}
        grains of ice under {n} microns scattered more light than any model had predicted
        {org} woke the {thing} {when} to test its {part} at low temperature
        a second {part} was carried as a spare and has now saved the mission
        the orbit drifted by {nn} kilometres, enough to see the shadowed rim for the first time
        water vapour, ammonia and a trace of methanol appear in the same narrow plume
        {rival} repeated the measurement with its {other} and found a value {pct} per cent lower
        the signal repeats every {nn} hours, too regular for dust and too slow for a pulsar
        the {part} was built in {elsewhere} from glass poured in {year}
        {person} derived the rotation period from {nnn} faint brightness measurements
        the crater floor is younger than its surroundings by {nnn} million years
        only {nn} watts remain for heaters, instruments and the transmitter together
        sky conditions over {place} limited the campaign to {n} clear nights
        the sample weighs {n} milligrams and will be split among {n} laboratories
    """),
    claims=lines("""
        we expected a dead surface and found one that breathes
        the {part} has outlived every promise we made about it
        it is the kind of curve one waits a career for
        I would not call it life, I would call it chemistry with ambition
        the honest answer is that three models fit and two of them are ours
        every gram that comes back will be measured in {n} ways
    """),
    arcs=(
        developments("""
            {thing} of {org} sees a plume where none should be | \
                The {thing} of {org} has photographed a plume rising from a surface thought to be frozen \
                solid
            Second pass confirms the plume, says {person} | \
                A second pass of the {thing} confirmed the plume, said {person} of {org}
            {rival} doubts the plume reading of the {part} | \
                Astronomers of {rival} suspect that the {part} of the {thing} saw stray sunlight and no \
                plume
            Raw frames released as the plume dispute widens | \
                {org} released {nnn} raw frames of the {thing} so that others can test the disputed plume
            Independent team in {place} finds the plume, too | \
                A team in {place} found the plume in archived data, years before the {thing} arrived
        """),
        developments("""
            Contact lost with the {thing} | \
                {org} lost contact with the {thing} {when}, after a command to turn its {part}
            Faint carrier signal heard at {place} | \
                The antenna at {place} heard a faint carrier signal from the {thing}, {org} said
            Engineers blame the {part} of the {thing} | \
                Engineers of {org} blame a stuck {part} for the silence of the {thing}
            {thing} answers after {nn} days of silence | \
                The {thing} answered a command for the first time in {nn} days, and controllers at {place} \
                cheered
            {org} rewrites the plan for the wounded {thing} | \
                {org} will fly the {thing} without its {part} and has rewritten the plan of the mission
            First science data from the rescued {thing} | \
                The rescued {thing} sent its first science data since the loss of its {part}
        """),
    ),
    briefs=developments("""
        Bright comet to pass low over {place} | \
            A comet will pass low over {place} before dawn and may be seen without a glass
        {org} polishes the last {part} of its {thing} | \
            {org} finished the last {part} of the {thing} in a workshop near {place}
        Old plates reveal a {adj} variable star | \
            Photographic plates from {year} reveal a variable star, {person} of {org} reports
        {org} picks {person} as director | \
            {org} named {person} as its director; the {thing} remains the first task
        Dust older than the Sun found near {place} | \
            Grains older than the Sun were found in a meteorite that fell near {place}
        Lunar relay to share time with {rival} | {org} will let {rival} use its relay for {n} hours a day
    """),
)
