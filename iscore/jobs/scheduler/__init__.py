"""``iscore run``: polls feeds when they are due and mails the digest at its time of day.

    time, feeds, mail ─► due (pure) ─► loop ─► worker: poll, mail ─► log lines

``plan.due`` decides and does nothing; ``loop`` does and decides nothing.
"""
