"""Polls feeds when they are due and mails the digest at its time of day, for ``iscore run`` and ``iscore serve``.

    time, feeds, mail ─► due (pure) ─► loop ─► task: poll, mail ─► log lines

``plan.due`` decides and does nothing; ``loop`` does and decides nothing.
"""
