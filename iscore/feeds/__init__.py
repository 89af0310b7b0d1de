"""From subscriptions to stored articles: fetch politely, parse in a child process, clean, store.

feeds.yaml ─► due feeds ─► fetch ─► parse (leave known items out, feedparser, clean, add keys) ─► store
"""
