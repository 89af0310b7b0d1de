"""Reads what other programs export: bytes in, imported items out.

    file ─► which format? ─► its reader ─► ImportedItem …        addresses, keywords ─► ImportedItem …

The contents of a file are not trusted: addresses and markup go through ``iscore.feeds.urls`` and
``iscore.feeds.parsing.html_to_text`` like those of feeds, and a file that cannot be read raises one clear error.
"""
