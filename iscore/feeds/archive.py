"""The order of new entries, and which of them are archive: old already when they arrive, as in a feed that lists
everything it has ever published.

Archive entries are stored, scored and found like all others, and not offered: neither recommended nor explored nor
asked about. Whether an article is archive is decided once, at its arrival.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from storage.records.articles import NewArticle

MAX_AGE = timedelta(days=7)
"""Between publication and arrival, for news."""
UNDATED_NEWS = 10
"""Entries without a believable date that count as news when a feed is first fetched; feeds list the newest first."""


def mark_archive(entries: Sequence[NewArticle], arrived: datetime, *, first_fetch: bool) -> tuple[NewArticle, ...]:
    """Return the entries with ``archive`` set.

    Those without a date are new, since they were not there at the last fetch. At the first fetch nothing is known of
    them, and those after the first ``UNDATED_NEWS`` are archive.
    """
    undated = 0
    marked = []
    for entry in entries:
        undated += entry.published is None
        if entry.published is None:
            archive = first_fetch and undated > UNDATED_NEWS
        else:
            archive = arrived - entry.published > MAX_AGE
        marked.append(replace(entry, archive=True) if archive else entry)
    return tuple(marked)


def oldest_first(entries: Sequence[NewArticle]) -> tuple[NewArticle, ...]:
    """Return a document's entries in the order in which they get their numbers, so that the newest has the highest.

    An undated entry counts as old as the one before it, since feeds list the newest first. Of entries with the same key
    the first is kept.
    """
    moments: dict[str, datetime] = {}
    kept: dict[str, NewArticle] = {}
    last = datetime.max.replace(tzinfo=UTC)
    for entry in entries:
        last = entry.published or last
        moments.setdefault(entry.key, last)
        kept.setdefault(entry.key, entry)
    # Sorted from the newest and turned round, since of entries of the same time the feed's first is the newest.
    return tuple(sorted(kept.values(), key=lambda entry: moments[entry.key], reverse=True)[::-1])
