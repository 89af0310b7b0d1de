"""Replay: how a filter would have done on a labelled stream. Each article is scored before its verdict is learned.

    stream file ─► LabelledArticle … ─► feature cache ─► run ─► Outcome ─► metrics ─► report
    (JSON Lines)                        (document and    (full or
                                         stream scope)    delivered)

Document and stream features are the same for every reader of a stream, so they are computed once.
"""
