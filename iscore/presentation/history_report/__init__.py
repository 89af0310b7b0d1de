"""``iscore report``: how the filter has come to know its reader, as a page that one would show others.

HistoryView ─► figures ─► page ─► one file of HTML, without script, nothing loaded
"""
