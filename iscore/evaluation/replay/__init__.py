"""Replay: how a filter would have done on a labelled stream, the way life goes: judge first, learn after.

    stream file ─► LabelledArticle … ─► measured once ─► lived through ─► Outcome ─► measures ─► report
    (JSON Lines)                        (document and    (full or         (what was
                                         stream scope)    delivered)       decided)

Document and stream features are the same for every reader of a stream, so they are computed once.
"""
