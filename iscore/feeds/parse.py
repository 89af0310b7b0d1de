"""A feed document's bytes → ``ParsedFeed``."""

from __future__ import annotations

from iscore.feeds.parsed_feed import ParsedFeed, ParseJob


def parse(job: ParseJob) -> ParsedFeed:
    """Read a document. Raises ``NotAFeedError`` when it is no feed."""
    raise NotImplementedError
