"""Computer security."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="security",
    categories=("Security", "Technology"),
    field=words("incident response, identity systems, hospital networks, firmware security, encryption policy"),
    org=words(
        "the Cyber Desk, Paxwall, Ironlatch, the Data Commissioner, Greyheron Security, Tollgate Telecom, Vellmar "
        "Clinics"
    ),
    thing=words(
        "ransom attack, router flaw, data leak, phishing wave, backdoor, badge cloning trick, fake update, "
        "botnet, certificate mix-up, password dump"
    ),
    part=words(
        "firmware, login server, backup tape, signing key, patch, log file, mail gateway, second factor, access "
        "badge, audit trail"
    ),
    folk=words("incident responders, penetration testers, administrators, bug hunters, forensic analysts"),
    role=words("incident responder, security researcher, chief privacy officer, reverse engineer"),
    facts=lines("""
        the intruders had been inside for {nn} days before the {part} gave them away
        {nnn} thousand records were copied, among them {n} thousand home addresses
        the {part} still used a password printed on the box
        {org} found the same tool on {n} machines in {place}
        {rival} shipped a {part} {when} and asked everyone to restart
        a researcher reported the hole in {month} and heard nothing for {nn} days
        the ransom note was polite and misspelt the name of the victim
        traffic went through {n} countries before it vanished
        {person} decoded the {part} with pencil and paper
        only machines with the old {part} can be taken over
        backups older than {n} weeks turned out to be empty
        the group asks for {money} thousand crowns and shows samples
        {folk} worked {nn} hours in shifts to rebuild the {part}
        a single stolen {part} opened {nn} doors
    """),
    claims=lines("""
        the attackers did not break in, they logged in
        a backup that was never restored is a rumour
        we treat every {part} as lost until it is proven safe
        the patch is small, the embarrassment is not
        nobody reads the log file until it is evidence
    """),
    arcs=(
        developments("""
            {org} hit by a {thing} | {org} was hit by a {thing} {when}; screens in {place} stayed dark
            {org} falls back to paper in {place} | Staff of {org} in {place} work on paper since the {thing}
            Group claims the {thing} on {org} | \
                A group claimed the {thing} on {org} and published {n} documents
            {rival} finds the way in at {org} | {rival} traced the {thing} on {org} to an unpatched {part}
            {org} back online after {nn} days | {org} is online again, {nn} days after the {thing}
        """),
        developments("""
            {thing} found in routers of {org} | \
                Researchers found a {thing} in routers of {org}; {nnn} thousand homes are affected
            {org} ships a {part} against the {thing} | \
                {org} shipped a {part} against the {thing} and asked users to hurry
            {part} of {org} breaks older routers | \
                The {part} that {org} shipped against the {thing} breaks older devices
            {person} shows how the {thing} works | \
                {person} showed in {place} how the {thing} in devices of {org} works
        """),
    ),
    briefs=developments("""
        {org} warns of a {thing} by text message | \
            {org} warned of a {thing} that comes by text message and names {rival}
        Prison for the author of a {thing} | \
            A court in {place} sent the author of a {thing} to prison for {n} years
        {rival} pays {nn} thousand for a bug report | \
            {rival} paid {nn} thousand crowns for a report on its {part}
        Leaked {part} belongs to {org} | A {part} found on a public server belongs to {org}, researchers say
        {place} hospital drills for a {thing} | \
            A hospital in {place} practised for a {thing} and failed politely
    """),
)
