"""Which feeds are liked and which are not, with how sure that is."""

from __future__ import annotations

from collections.abc import Iterable

from iscore.core.statistics import share_interval
from iscore.services.views.feeds import FeedStatistics
from iscore.services.views.history import MIN_SOURCE_VERDICTS, SourceOpinion


def sources(statistics: Iterable[FeedStatistics]) -> tuple[SourceOpinion, ...]:
    """Return the feeds with enough verdicts, the best liked first: by the lower end of the interval of the share."""
    found = []
    for feed in statistics:
        verdicts = feed.likes + feed.dislikes
        if verdicts < MIN_SOURCE_VERDICTS:
            continue
        low, high = share_interval(feed.likes, verdicts)
        share = feed.likes / verdicts
        found.append(SourceOpinion(feed.title, feed.url, feed.likes, feed.dislikes, share, low, high, feed.hint))
    return tuple(sorted(found, key=lambda each: (-each.low, -each.high, each.url)))
