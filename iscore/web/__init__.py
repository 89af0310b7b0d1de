"""The web app of ``iscore serve``: read and vote in a browser.

    request ─► security headers ─► host check ─► body limit ─► session, CSRF ─► routes_read  ─► NewsFilter
                                                                             └─► routes_write ─► the log
                                                                                    └─► background worker

A verdict waits only for the disk. ``list_page`` and ``article_page`` build what a template shows; they are pure.
"""
