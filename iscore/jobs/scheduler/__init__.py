"""``iscore run``: polls when feeds are due and mails the digest at its hour, as long as it lives.

    the time, the feeds, the mail ─► due (pure) ─► loop ─► poll, mail ─► log lines

``due`` computes and touches nothing; ``loop`` calls things and decides nothing.
"""
