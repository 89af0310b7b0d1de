"""The pages of ``iscore serve``: reading and voting in a browser, on this machine.

    request ─► headers ─► hosts ─► bodies ─► doorkeeper ─► pages (GET)   ─► NewsFilter, read at once
               on every   no DNS   small,    session,      actions (POST) ─► the log, at once
               answer     rebound  in time   token              └─► study: a thread that learns and explains

A verdict waits for the disk and for nothing else. What the pages say is decided by ``listing`` and ``telling``, which
are pure; templates only lay out. Needs the extra ``web``.
"""
