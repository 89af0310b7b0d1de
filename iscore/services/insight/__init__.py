"""The history of the filter: decisions against verdicts over time, and what the model has learned.

storage.log.history ─► view (verdicts, decisions, arrivals) ───────────┐
model store ─► model now and a month ago ─► features ──────────────────┼─► HistoryView ─► `iscore stats`
term vectors of stories with a verdict ─► words ───────────────────────┘
"""
