"""Seeing it learn: decisions against verdicts over time, and what the filter has come to know of its reader.

storage.history ─► view (said, decided, arrived) ─┐
keeper ─► model now and a month ago ─► features ──┼─► HistoryView ┬► `iscore stats`
term vectors of what was judged ─► words ─────────┘               └► report ─► `iscore report`
"""

from iscore.services.history.service import History

__all__ = ["History"]
