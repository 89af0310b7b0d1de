"""Extractors of other packages. Each lives in a process of its own, which can be ended when it hangs.

    make_extractors ─► proxies ─► process ══ frames ══► servant: the extractor itself
                                   └─ started by ─► host, which has loaded what all of them need, and forks

A loop without end, a search that never returns and compiled code that keeps Python's global lock can be stopped in one
way only: from outside. What goes there and what comes back are numbers, names and texts, never code (``letters``).
"""
