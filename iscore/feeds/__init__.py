"""From subscriptions to stored articles: fetch politely, parse in a child process, clean, store.

feeds.yaml ─► what is due ─► fetch ─► parse (cut, feedparser, clean, identify) ─► store
"""
