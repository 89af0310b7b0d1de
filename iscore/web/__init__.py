"""The web app of ``iscore serve``: read and vote in a browser.

    request ─► security headers ─► host check ─► body limit ─► session, CSRF ─► pages/ ─► NewsFilter
                                                                                  │
                                                                                  └─► background worker

A verdict waits only for the disk; the background worker learns and explains. ``pages/`` has one file a page: its
routes, its forms and, as pure functions, what its template shows. ``api/`` answers programs: client apps, hubs,
monitors. ``security/`` decides who is let in. ``config`` says how a server runs, ``app`` builds it, ``server`` runs it.
"""
