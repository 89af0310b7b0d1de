"""Where a review gets its articles: the inbox, the last digest, or the articles that would teach most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from iscore.cli.review.session import Session, start
from iscore.services.news_filter import NewsFilter

BATCH = 5
"""Questions that are chosen together; the filter learns from the answers before it chooses more."""


class Queue(Protocol):
    """Articles to review. ``begin`` and ``more`` first learn from earlier verdicts."""

    def begin(self) -> Session:
        """Return a new session."""

    def more(self, session: Session) -> Sequence[str]:
        """Return up to ``session.missing`` more articles."""


class InboxQueue:
    """The inbox, best first; with ``everything`` also articles below the threshold."""

    def __init__(self, news: NewsFilter, *, everything: bool = False) -> None:
        self._news = news
        self._everything = everything

    def begin(self) -> Session:
        """Start with the best article that was not postponed before."""
        queue = self._news.review_queue.inbox(everything=self._everything)
        notice = f"Articles you postponed come last: {queue.postponed:,}." if queue.postponed else ""
        return start(queue.ids, queue.verdicts, notice=notice)

    def more(self, session: Session) -> Sequence[str]:  # noqa: ARG002 -- the protocol's
        """Return nothing: the session starts with all articles."""
        return ()


class DigestQueue:
    """The last digest, in its order."""

    def __init__(self, news: NewsFilter) -> None:
        self._news = news

    def begin(self) -> Session:
        """Start with the first article without a verdict. Raises ``DigestError`` without a digest."""
        queue = self._news.review_queue.digest()
        return start(queue.ids, queue.verdicts, notice=f"Digest of {queue.name}.")

    def more(self, session: Session) -> Sequence[str]:  # noqa: ARG002 -- the protocol's
        """Return nothing: a digest does not change."""
        return ()


class TeachingQueue:
    """Up to ``count`` articles whose verdicts would teach most."""

    def __init__(self, news: NewsFilter, count: int) -> None:
        self._news = news
        self._count = count

    def begin(self) -> Session:
        """Start with the first few."""
        session = start((), {}, target=self._count)
        return session.extended(self.more(session))

    def more(self, session: Session) -> Sequence[str]:
        """Learn from the answers and choose a few more."""
        few = min(BATCH, session.missing)
        undecided = set(session.undecided)
        found = self._news.current_inbox.most_informative(few + len(undecided))
        return [item.id for item in found if item.id not in undecided][:few]
