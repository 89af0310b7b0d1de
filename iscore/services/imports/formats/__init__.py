"""Things a person liked elsewhere, out of the files in which other programs keep them. Pure: bytes in, seeds out.

    file ─► which format? ─► its reader ─► Seed …        addresses, keywords ─► Seed …

One format a file. What a file holds comes from strangers: addresses and markup go through ``iscore.feeds.urls`` and
``iscore.feeds.parsing.html_to_text`` like those of feeds, and a file that cannot be read is one clear error.
"""
