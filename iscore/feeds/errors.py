"""Errors of feeds. Each message is one readable line, fit to be shown beside the feed."""

from __future__ import annotations

from iscore.core.errors import IscoreError, ListFileError
from iscore.core.translation import gettext


class FeedError(IscoreError):
    """Base of what makes one feed fail; other feeds are not affected."""


class NotAFeedError(FeedError):
    """The document is no feed, or nothing in it can be read as one."""


class NoTextError(FeedError):
    """No main text can be found in an article's page."""


class NoPictureError(FeedError):
    """The document is no picture that can be shown."""


class ParseTimeoutError(FeedError):
    """Parsing took longer than allowed; the process that did it was ended."""

    def __init__(self, seconds: float, what: str = "feed") -> None:
        super().__init__(f"the {what} could not be read within {seconds:g} seconds")
        self.seconds = seconds


class ParseCrashedError(FeedError):
    """The process that parsed the document died, of too much memory for instance."""

    def __init__(self, what: str = "feed") -> None:
        super().__init__(f"the process that read the {what} died, probably out of memory")


class SlowDocumentError(IscoreError):
    """The document takes longer to parse than every document may at first. No failure yet: it may get more time."""

    def __init__(self, what: str = "feed") -> None:
        super().__init__(f"the {what} takes too long to read")


class PostponedError(FeedError):
    """A slow document that is left to the next poll."""

    def __init__(self) -> None:
        super().__init__("it is slow to read, and other slow feeds came first; the next poll tries again")


class UnknownFeedError(IscoreError):
    """The user does not follow this feed."""

    def __init__(self) -> None:
        super().__init__(gettext("you do not follow this feed"))


class UrlError(FeedError):
    """A URL from which no feed may be fetched."""

    def __init__(self, url: str, problem: str) -> None:
        super().__init__(gettext("the address %(address)s %(problem)s", address=_readable(url), problem=problem))
        self.url = url
        self.problem = problem


class SubscriptionsError(ListFileError):
    """``feeds.yaml`` cannot be read, or contains something that is no subscription."""


class OpmlError(IscoreError):
    """A file is no OPML, or is not read for safety."""

    def __init__(self, problem: str, line: int | None = None, name: str = "") -> None:
        values = {"name": name or gettext("the file"), "problem": problem}
        if line is None:
            super().__init__(gettext("%(name)s %(problem)s", **values))
        else:
            super().__init__(gettext("%(name)s, line %(number)s %(problem)s", number=line, **values))
        self.problem = problem
        self.line = line
        """Counted from 1; None when the whole file is meant."""

    def in_file(self, name: str) -> OpmlError:
        """Return the same error with the file's name."""
        return OpmlError(self.problem, self.line, name)


def _readable(url: str) -> str:
    """Quoted, without control characters, and without the part before an @: that may be a password."""
    head, _, tail = url.rpartition("@")
    scheme, slashes, _ = head.partition("://")
    kept = scheme + slashes + tail if slashes else tail
    return repr(kept) if kept.isprintable() else ascii(kept)
