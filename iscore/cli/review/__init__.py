"""Going through articles one by one, with single keys.

    key ─► step(session) ─► new session and effects ─► the desk carries them out ─► the new session is the session

``step`` is pure: what a key does, without input or output. ``Desk`` carries it out with the news filter. Neither reads
a keyboard or writes to a terminal.
"""
