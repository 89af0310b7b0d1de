"""What the database tells of the clock: the newest moment of each kind that was written down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select

from storage.schema import articles, decisions, feedback, feeds
from storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Newest:
    """The newest moments by our own clock; None when there is none of a kind."""

    attempt: datetime | None
    """A feed was asked."""
    arrival: datetime | None
    decision: datetime | None
    verdict: datetime | None

    def latest(self) -> datetime | None:
        """Give the newest of all."""
        known = (self.attempt, self.arrival, self.decision, self.verdict)
        return max((moment for moment in known if moment is not None), default=None)


def newest(tx: Transaction) -> Newest:
    """Find when something was last done, whoever did it."""
    columns = (feeds.c.last_attempt, articles.c.arrived, decisions.c.at, feedback.c.at)
    return Newest(*(tx.connection.execute(select(func.max(each, type_=each.type))).scalar_one() for each in columns))


def published_after(tx: Transaction, moment: datetime) -> int:
    """Count the articles that say they were published after a moment."""
    query = select(func.count()).select_from(articles).where(articles.c.published > moment)
    return int(tx.connection.execute(query).scalar_one())
