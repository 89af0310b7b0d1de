"""Markets and business."""

from benchmarks.sample_news.topic import Topic, developments
from benchmarks.sample_news.word_lists import lines, words

TOPIC = Topic(
    key="markets",
    categories=("Business", "Markets"),
    field=words("interest policy, family firms, container shipping rates, retail banking, commodity trade"),
    org=words(
        "Castellan Bank, Brindle Foods, Osmar Shipping, the Central Reserve, Gantry Steel, Marchbank Insurance, "
        "Fennel & Rowe, Saltire Paper"
    ),
    thing=words(
        "merger, bond sale, share buy-back, dividend, key rate, loan book, takeover bid, stock listing, cost "
        "programme, profit warning"
    ),
    part=words(
        "margin, order book, quarterly figure, pension deficit, price target, cash reserve, write-down, freight "
        "rate, analyst note, credit line"
    ),
    folk=words("analysts, minority shareholders, brokers, bond traders, branch managers, suppliers"),
    role=words("chief economist, fund manager, finance director, credit analyst, broker"),
    facts=lines("""
        shares of {org} closed {pct} per cent lower in heavy trading
        the {part} shrank to {pct} per cent of sales, against {pct} a year before
        {folk} had expected {money} million crowns and got {money}
        {rival} holds {nn} per cent and has not said what it wants
        the crown slipped to its weakest level since {month}
        yields on ten-year paper rose by {n} basis points
        {org} will close {n} branches, among them the one in {place}
        {person} sold {nnn} thousand shares the week before the {thing}
        freight from {place} to {elsewhere} costs {nnn} crowns a box
        inflation eased to {pct} per cent, while rents went on climbing
        the {thing} values the company at {money} million crowns
        auditors asked for {n} more weeks to look at the {part}
        a third of the order book comes from a single buyer in {elsewhere}
        lenders agreed to wait until {month} for the next instalment
        staff at {place} own {n} per cent and vote as one
    """),
    claims=lines("""
        the market hears a number and forgets the footnote
        we do not comment on the {thing} before the bell
        a {part} like that is a warning in polite language
        cash is boring until it is gone
        nobody rings a bell at the top, but somebody is polishing one
    """),
    arcs=(
        developments("""
            {org} in talks about a {thing} with {rival} | \
                {org} and {rival} confirmed talks about a {thing} after a leak moved the shares
            {rival} shareholders resist the {thing} | \
                Minority shareholders of {rival} want more than {org} offers in the {thing}
            {org} raises its offer by {n} per cent | \
                {org} raised the price of its {thing} with {rival} by {n} per cent
            Watchdog looks at the {thing} of {org} | \
                The competition watchdog opened a review of the {thing} of {org} and {rival}
            {thing} of {org} and {rival} falls through | \
                The {thing} between {org} and {rival} fell through {when}
        """),
        developments("""
            {org} warns on profit | {org} cut its outlook and blamed the {part}; shares fell {nn} per cent
            Finance chief leaves {org} | The finance chief of {org} left {when}, days after the warning
            Banks give {org} until {month} | Banks gave {org} until {month} to repair its {part}
            {person} to turn {org} round | {person} will run {org}, whose {part} alarmed lenders
        """),
    ),
    briefs=developments("""
        Shares end the day {pct} per cent higher | \
            Shares closed {pct} per cent higher, led by {org} and {rival}
        {org} lifts its dividend | {org} lifted its dividend to {n} crowns after a {adj} year
        Key rate stays at {pct} per cent | \
            The Central Reserve left the key rate at {pct} per cent and said little
        {org} sells its mill at {place} | \
            {org} sold its mill at {place} to {rival} for {money} million crowns
        Crown firmer as traders await figures | The crown firmed before the {part} due on {weekday}
        {rival} opens an office in {place} | {rival} opened an office in {place} with {nn} staff
    """),
)
