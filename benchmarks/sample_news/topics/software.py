"""Software and the web."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="software",
    categories=("Technology", "Software", "Open source"),
    field=words("software maintenance, database design, browser standards, compiler research, open formats"),
    org=words(
        "the Heron Foundation, Quillstack, Bitloom, the Packet Guild, Larkspur Systems, Tessera Cloud, the Format "
        "Council"
    ),
    thing=words(
        "Heron compiler, Otter database, Marlin browser, Finch editor, Plover package index, Stork scheduler, "
        "Wren message queue, Curlew file format, Dipper terminal"
    ),
    part=words(
        "garbage collector, query planner, type checker, plug-in interface, test suite, release branch, cache, "
        "parser, licence text, event loop, changelog"
    ),
    folk=words("maintainers, early adopters, packagers, interns, grumpy administrators, documentation writers"),
    role=words("maintainer, release manager, database engineer, standards editor, developer advocate"),
    facts=lines("""
        the new {part} is {n} times faster on files that nobody has in practice
        {org} will keep the old {part} for {n} more releases
        the patch touches {nnn} files and removes more lines than it adds
        {folk} had asked for a smaller {part} since version {n}
        a benchmark with {nn} threads shows the {thing} ahead of the {other}
        {rival} forked the project in {year} and is now coming back
        the {part} leaked {nn} megabytes an hour on the servers in {place}
        {person} rewrote the {part} on a train without a network
        the licence changed overnight, and {nnn} dependants noticed
        start-up takes {nnn} milliseconds, most of it spent reading the configuration
        the documentation grew by {nn} pages, half of them examples
        an index on one column cut the query from {nn} seconds to {n} milliseconds
        the vote ended {nn} to {n} in favour of the {part}
        version {n} drops support for machines older than {year}
        donations cover {nn} per cent of what the {thing} costs to host
    """),
    claims=lines("""
        software is finished when nobody dares to touch the {part}
        we deleted the feature and nobody wrote in
        a fast {part} that is wrong is just a fast mistake
        the changelog is the only novel that I finish
        every cache is a promise to be wrong later
    """),
    arcs=(
        developments("""
            {org} changes the licence of the {thing} | \
                {org} changed the licence of the {thing} {when} and surprised its users
            {rival} announces a fork of the {thing} | \
                {rival} announced a fork of the {thing} after the licence changed
            {nnn} packages move away from the {thing} | \
                Some {nnn} packages have moved from the {thing} to the fork of {rival}
            {person} tries to reconcile both sides of the {thing} | \
                {person} invited {org} and {rival} to {place} to talk about the {thing}
            {org} takes back the licence of the {thing} | \
                {org} took back the new licence of the {thing} and apologised
        """),
        developments("""
            {thing} {n}.0 enters beta | {org} released a beta of the {thing} with a new {part}
            Beta of the {thing} eats files, users say | \
                Users of the {thing} beta lost files when the {part} ran out of memory
            {org} delays the {thing} by {n} weeks | \
                {org} delayed the {thing} by {n} weeks to repair the {part}
            {thing} {n}.0 is out | {org} released the {thing} {when}; the {part} was rewritten
        """),
    ),
    briefs=developments("""
        {thing} gains a faster {part} | The {thing} has a faster {part}, {org} says, and needs less memory
        What I learned from {n} years of the {thing} | \
            After {n} years of running the {thing}, these are the lessons about its {part}
        A small trick with the {part} | \
            A short note on the {part} of the {thing}, and why it saves {nn} megabytes
        {org} to fund work on the {part} | {org} will pay {n} people to work on the {part} of the {thing}
        {rival} opens the source of its {part} | \
            {rival} opened the source of the {part} that runs its {thing}
        Conference in {place} draws {nnn} developers | \
            {nnn} developers met in {place} to talk about the {thing}
    """),
)
