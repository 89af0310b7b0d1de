"""What can go wrong with a feed. Each message is one readable line, fit to be shown beside the feed."""

from __future__ import annotations

from iscore.errors import IscoreError


class FeedError(IscoreError):
    """Base of what makes one feed fail; other feeds are not affected."""


class NotAFeedError(FeedError):
    """The document is no feed, or nothing in it can be read as one."""


class ParseTimeoutError(FeedError):
    """Parsing took longer than allowed; the process that did it was ended."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the feed could not be read within {seconds:g} seconds")
        self.seconds = seconds


class ParseCrashedError(FeedError):
    """The process that parsed the document died, of too much memory for instance."""
