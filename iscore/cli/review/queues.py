"""Where the articles of a session come from: the inbox, the last digest, or what would teach most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from iscore.cli.review.session import Session, begun
from iscore.services.news_filter import NewsFilter

AT_ONCE = 5
"""Questions that are chosen together; then the filter learns from the answers before it chooses more."""


class Queue(Protocol):
    """Articles to go through. Making a session learns what was said before."""

    def begin(self) -> Session:
        """Return a session at its beginning."""

    def more(self, session: Session) -> Sequence[str]:
        """Find what a session lacks; fewer when there are no more."""


class InboxQueue:
    """What waits, the best first; with ``everything`` what was held back, too."""

    def __init__(self, news: NewsFilter, *, everything: bool = False) -> None:
        self._news = news
        self._everything = everything

    def begin(self) -> Session:
        """Begin with the best of what was not put off before."""
        queue = self._news.review_queue.inbox(everything=self._everything)
        notice = f"What you put off before comes last: {queue.put_off:,}." if queue.put_off else ""
        return begun(queue.ids, queue.said, notice=notice)

    def more(self, session: Session) -> Sequence[str]:  # noqa: ARG002 -- the others look at it
        """Find nothing: all were there from the beginning."""
        return ()


class DigestQueue:
    """The last digest, by number."""

    def __init__(self, news: NewsFilter) -> None:
        self._news = news

    def begin(self) -> Session:
        """Begin with the first that nothing has been said of. Raises ``DigestError`` without a digest."""
        queue = self._news.review_queue.digest()
        return begun(queue.ids, queue.said, notice=f"The digest of {queue.name}.")

    def more(self, session: Session) -> Sequence[str]:  # noqa: ARG002 -- the others look at it
        """Find nothing: a digest stays what it was."""
        return ()


class TeachingQueue:
    """Up to ``count`` articles whose verdicts would teach most, held back or not."""

    def __init__(self, news: NewsFilter, count: int) -> None:
        self._news = news
        self._count = count

    def begin(self) -> Session:
        """Begin with the first few."""
        session = begun((), {}, wanted=self._count)
        return session.extended(self.more(session))

    def more(self, session: Session) -> Sequence[str]:
        """Learn what was said, and choose a few others."""
        few = min(AT_ONCE, session.lacks)
        passed_over = set(session.waiting)
        found = self._news.teachable(few + len(passed_over))
        return [item.id for item in found if item.id not in passed_over][:few]
