"""Reports as one HTML page without scripts or external files: on a user's history, and on a replay.

HistoryView ─► quality, amounts, tastes (figures) ─► history ─┐
                                                              ├─► Report ─► page ─► HTML
outcomes of a replay ─► ``iscore.evaluation.replay.report`` ──┘
"""
