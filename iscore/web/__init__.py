"""The web app of ``iscore serve``: read and vote in a browser.

    request ─► security headers ─► host check ─► body limit ─► session, CSRF ─► routes/ ─► NewsFilter
                                                                                   │
                                                                                   └─► background worker

A verdict waits only for the disk; the background worker learns and explains. ``pages/`` builds what a template shows
and is pure. ``api/`` answers client apps. ``security/`` decides who is let in.
"""
