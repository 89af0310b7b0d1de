"""Review articles one by one with single keys.

    key ─► press(session, key) ─► new session and effects ─► Controller runs the effects ─► the new session is current

``key_bindings.press`` is a pure function. ``Controller`` runs effects with the news filter. Neither reads a keyboard
nor writes to a terminal: ``screen`` and ``plain`` do.
"""
