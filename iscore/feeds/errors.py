"""Errors of feeds and of other reader servers. Each message is one readable line that can be shown beside the feed."""

from __future__ import annotations

from datetime import datetime

from iscore.core.errors import IscoreError, ListFileError
from iscore.core.translation import gettext


class FeedError(IscoreError):
    """Base class. One feed fails; other feeds are not affected."""


class NotAFeedError(FeedError):
    """The document is not a feed, or is too damaged to be read as one."""


class NoTextError(FeedError):
    """No main text can be found in an article's page."""


class NoPictureError(FeedError):
    """The document is not a picture that can be shown."""


class ParseTimeoutError(FeedError):
    """Parsing took longer than allowed, and its process was ended."""

    def __init__(self, seconds: float, what: str = "feed") -> None:
        super().__init__(f"the {what} could not be read within {seconds:g} seconds")
        self.seconds = seconds


class ParseCrashedError(FeedError):
    """The process that parsed the document died, of too much memory for instance."""

    def __init__(self, what: str = "feed") -> None:
        super().__init__(f"the process that read the {what} died, probably out of memory")


class SlowDocumentError(IscoreError):
    """The document takes longer than a first attempt may. It has not failed yet, and may get more time."""

    def __init__(self, what: str = "feed") -> None:
        super().__init__(f"the {what} takes too long to read")


class PostponedError(FeedError):
    """A slow document is left to the next poll."""

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
    """``feeds.yaml`` cannot be read, or contains something other than subscriptions."""


class OpmlError(IscoreError):
    """A file is not OPML, or is not safe to read."""

    def __init__(self, problem: str, line: int | None = None, name: str = "") -> None:
        values = {"name": name or gettext("the file"), "problem": problem}
        if line is None:
            super().__init__(gettext("%(name)s %(problem)s", **values))
        else:
            super().__init__(gettext("%(name)s, line %(number)s %(problem)s", number=line, **values))
        self.problem = problem
        self.line = line
        """Counted from 1; None means the whole file."""

    def in_file(self, name: str) -> OpmlError:
        """Return the same error with the file's name."""
        return OpmlError(self.problem, self.line, name)


class ReaderServerError(IscoreError):
    """Another reader server did not do what was asked. The message says what the user can do."""


class SignInRefusedError(ReaderServerError):
    """The server does not accept the name and password."""


class NotAReaderServerError(ReaderServerError):
    """There is no Google Reader API at the address."""


class ReaderServerBusyError(ReaderServerError):
    """The server asks to wait."""

    def __init__(self, message: str, until: datetime | None) -> None:
        super().__init__(message)
        self.until = until
        """None if the server does not say how long."""


class RequestRefusedError(ReaderServerError):
    """The server refuses this request, and would refuse it again."""


def _readable(url: str) -> str:
    """Quote a URL, without control characters and without the part before an @, which may be a password."""
    head, _, tail = url.rpartition("@")
    scheme, slashes, _ = head.partition("://")
    kept = scheme + slashes + tail if slashes else tail
    return repr(kept) if kept.isprintable() else ascii(kept)
