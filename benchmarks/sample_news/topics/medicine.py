"""Medicine and health care."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="medicine",
    categories=("Health", "Medicine"),
    field=words("public health, hospital planning, vaccine policy, rehabilitation, sleep medicine"),
    org=words(
        "Saint Orsen Hospital, the Medicines Panel, Corvane Biotech, the Institute for Tropical Fevers, the "
        "Nurses' Union, Helix Ward Trust"
    ),
    thing=words(
        "marsh fever vaccine, knee implant, sleep clinic, blood test for sepsis, asthma inhaler, night ward, gene "
        "therapy, hearing implant, antibiotic gel, ambulance network"
    ),
    part=words(
        "trial arm, dose, side effect, waiting list, control group, cold chain, patient file, licence, antibody "
        "level, follow-up visit"
    ),
    folk=words("nurses, paediatricians, trial volunteers, pharmacists, night porters, parents in the waiting room"),
    role=words("chief physician, epidemiologist, ward sister, trial statistician, pharmacist"),
    facts=lines("""
        {nnn} volunteers took part and {n} of them left before the second dose
        the {part} differed between the groups by {pct} per cent, within the margin of error
        {org} runs {nn} beds on the ward and has nurses for {n} fewer
        patients in {place} wait {nn} weeks for the {thing}, twice as long as in {elsewhere}
        mild fever was the most common {part}, followed by a sore arm
        the {thing} must be kept at {n} degrees until it reaches the bedside
        the panel met for {n} hours and asked for the raw data of the {part}
        {rival} sells a similar product at {nn} crowns a pack
        {folk} noticed the pattern before the registry did
        infections fell by {nn} per cent in wards where the windows could be opened
        {person} kept a notebook of {nnn} cases, each with a drawing
        surgeons in {place} practised on printed models for {n} months
        the effect was strongest in patients over {nn}
        a generic version is expected when the licence ends in {month}
        only {n} of {nn} clinics sent complete files
    """),
    claims=lines("""
        a shorter waiting list is the best drug we have
        we saw the effect before we believed it
        the {part} is acceptable, the price is not
        nobody sleeps well on a ward with {n} alarms
        I want the control group to be as bored as possible
    """),
    arcs=(
        developments("""
            {org} begins trial of a {thing} in {place} | \
                {org} has begun to test a {thing} on {nnn} volunteers in {place}
            Early results of the {thing} surprise doctors | \
                Early results of the {thing} tested in {place} surprised its own doctors, {org} said
            {rival} asks for a halt of the {thing} trial | \
                {rival} asked for a halt of the trial in {place} because of one {part}
            Panel lets the {place} trial go on | \
                A panel found no reason to stop the trial of the {thing} in {place}
            {thing} approved for adults | \
                The {thing} of {org} was approved for adults {when}; children must wait
        """),
        developments("""
            Fever cases in {place} puzzle doctors | \
                Doctors in {place} have seen {nn} cases of a fever that no test explains
            Well water suspected in the {place} fever | \
                {org} suspects a well as the source of the fever in {place}
            Number of fever cases in {place} passes {nnn} | \
                More than {nnn} people in {place} have fallen ill, {org} said
            {person} finds the germ behind the {place} fever | \
                {person} isolated the germ that caused the fever in {place}, {org} announced
        """),
    ),
    briefs=developments("""
        {org} opens a {thing} in {place} | \
            {org} opened a {thing} in {place} with room for {nn} patients a day
        Nurses in {place} vote for a new rota | \
            Nurses at {org} voted by {nn} per cent for a rota with fewer nights
        Recall of a {thing} after {n} complaints | \
            {org} recalled its {thing} after {n} complaints about the {part}
        Study of {nnn} twins sheds light on sleep | \
            A study of {nnn} twins near {place} found that naps run in families
        Pharmacies in {place} short of cough syrup | Pharmacists in {place} ran out of cough syrup {when}
    """),
)
