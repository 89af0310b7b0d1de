"""Sorts new entries, and marks those that are archive: already old when they arrive, for instance because a feed lists
everything it has ever published.

Archive entries are stored, scored and found like all others, but not offered: they are not recommended, not explored
and not asked about. Whether an article is archive is decided once, when it arrives.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from storage.records.articles import NEWS, NewArticle

UNDATED_NEWS = 10
"""Entries without a plausible date that count as news when a feed is first fetched. Feeds list the newest first."""


def mark_archive(entries: Sequence[NewArticle], arrived: datetime, *, first_fetch: bool) -> tuple[NewArticle, ...]:
    """Return the entries with ``archive`` set.

    Entries without a date are news, since the last fetch did not have them. At the first fetch that is unknown, and
    those after the first ``UNDATED_NEWS`` are archive.
    """
    undated = 0
    marked = []
    for entry in entries:
        undated += entry.published is None
        if entry.published is None:
            archive = first_fetch and undated > UNDATED_NEWS
        else:
            archive = arrived - entry.published > NEWS
        marked.append(replace(entry, archive=True) if archive else entry)
    return tuple(marked)


def oldest_first(entries: Sequence[NewArticle]) -> tuple[NewArticle, ...]:
    """Return a document's entries in the order in which they get their numbers: the newest gets the highest.

    An undated entry counts as being as old as the one before it, since feeds list the newest first. Of entries with the
    same key the first is kept.
    """
    moments: dict[str, datetime] = {}
    kept: dict[str, NewArticle] = {}
    last = datetime.max.replace(tzinfo=UTC)
    for entry in entries:
        last = entry.published or last
        moments.setdefault(entry.key, last)
        kept.setdefault(entry.key, entry)
    # Sort the newest first, then reverse: of entries with the same time, the first in the feed is the newest.
    return tuple(sorted(kept.values(), key=lambda entry: moments[entry.key], reverse=True)[::-1])
