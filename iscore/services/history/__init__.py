"""The history of the filter: decisions against verdicts over time, and what the model has learned.

storage.history ─► view (verdicts, decisions, arrivals) ───┐
model store ─► model now and a month ago ─► features ──────┼─► HistoryView ─► `iscore stats`, `iscore report`
term vectors of stories with a verdict ─► words ───────────┘
"""

from iscore.services.history.service import History

__all__ = ["History"]
