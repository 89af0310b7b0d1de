"""What a user does while they read, recorded if they agreed, and what the filter makes of it.

    open, read, save, leave ─► reading events ─► implicit feedback ─► a part of a like or of a dislike

Events are recorded only while the user's switch is on. They are never verdicts: what they are worth is in
``filtering.ranking.implicit_feedback``. Nothing here loads numbers unless it is asked for figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from iscore.core.errors import IscoreError
from iscore.services.session.user_session import UserSession, find_article
from iscore.services.views.history import ReadingView
from storage.engine.transaction import Transaction
from storage.log import marks, reading_events
from storage.people import users
from storage.records.reading_events import Act, ReadingEvent
from storage.stream.visibility import leads

KEPT = timedelta(days=180)
"""After the last event on a story, its events are summed and deleted."""
LONGEST_VISIT = 1800.0
"""Seconds of one visit that count: nobody reads an article for longer."""
AN_HOUR = 3000
"""Events of a user in an hour; the hastiest reader makes a tenth of them."""
SENT_BY_PAGES = (Act.READ, Act.ORIGINAL, Act.PASSED)
"""What a page's script reports; the server sees the others itself."""


class TooManyEventsError(IscoreError):
    """A client sent more events than any reader makes."""

    def __init__(self) -> None:
        super().__init__(f"more than {AN_HOUR:,} reading events in an hour; nothing was recorded")


@dataclass(frozen=True, slots=True)
class Done:
    """What a page says that its user did."""

    act: Act
    """One of ``SENT_BY_PAGES``."""
    article_id: str
    seconds: float = 0.0
    """Of ``Act.READ``: with the article before them in this visit so far."""


class ReadingEvents:
    """One user's reading events."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._user_id = session.context.user_id

    @property
    def on(self) -> bool:
        """Whether the user lets the filter learn from what they do while they read."""
        with self._database.read() as tx:
            return reading_events.is_on(tx, self._user_id)

    def switch(self, *, on: bool) -> None:
        """Record from now on, or no longer. While it is off, what was recorded before does not count either."""
        with self._database.write(self._user_id, durable=True) as tx:
            reading_events.switch(tx, self._user_id, on=on)

    def opened(self, article_id: str) -> None:
        """Record once a day that the user opened an article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        at = self._context.clock()
        with self._database.write(self._user_id) as tx:
            seq = find_article(tx, self._user_id, article_id)
            record(tx, self._user_id, Act.OPENED, [seq], at, visit=f"{at:%Y-%m-%d}")

    def record(self, visit: str, done: Sequence[Done]) -> None:
        """Record what a page reports of a visit, all or nothing; nothing if the switch is off.

        The same report sent twice counts once; of the seconds of a visit the most count. Raises
        ``UnknownArticleError``, ``AmbiguousIdError``, ``TooManyEventsError``.
        """
        at, user = self._context.clock(), self._user_id
        with self._database.write(self._user_id) as tx:
            if not reading_events.is_on(tx, user):
                return
            if reading_events.count_since(tx, user, at - timedelta(hours=1)) + len(done) > AN_HOUR:
                raise TooManyEventsError
            found = [(each, find_article(tx, user, each.article_id)) for each in done]
            stories = _stories(tx, user, [seq for _, seq in found])
            reading_events.append(
                tx,
                [
                    _event(user, stories[seq], each.act, at, visit, min(max(each.seconds, 0.0), LONGEST_VISIT))
                    for each, seq in found
                    if seq in stories
                ],
            )

    def sum_old(self) -> None:
        """Sum the events on stories of which the last is older than ``KEPT``, and delete them."""
        before = self._context.clock() - KEPT
        with self._database.read() as tx:
            left = reading_events.count_before(tx, self._user_id, before)
        while left:
            with self._database.write(self._user_id) as tx:
                left = reading_events.sum_before(tx, self._user_id, before)

    def view(self) -> ReadingView:
        """Return the switch, and how much the recorded events count as."""
        from iscore.services.learning.stored_log import NEWEST_READ, StoredLog

        with self._database.read() as tx:
            found = reading_events.newest(tx, self._user_id, NEWEST_READ)
            weights = [weight for _, weight in StoredLog(tx, users.get(tx, self._user_id)).counted_readings()]
            return ReadingView(
                on=reading_events.is_on(tx, self._user_id),
                stories=len(found),
                opened=sum(each.opened or each.seconds > 0 for each in found),
                minutes=sum(each.seconds for each in found) / 60.0,
                saved=sum(each.saved for each in found),
                as_likes=sum(weight for weight in weights if weight > 0.0),
                as_dislikes=-sum(weight for weight in weights if weight < 0.0),
            )


def record(tx: Transaction, user_id: int, act: Act, seqs: Iterable[int], at: datetime, *, visit: str = "") -> None:
    """Record that the user did the same with the stories of some articles, if their switch is on.

    What was done in the same ``visit`` counts once.
    """
    if not reading_events.is_on(tx, user_id):
        return
    stories = sorted(set(_stories(tx, user_id, list(seqs)).values()))
    reading_events.append(tx, [_event(user_id, story, act, at, visit, 0.0) for story in stories])


def _stories(tx: Transaction, user_id: int, seqs: Sequence[int]) -> dict[int, int]:
    """Return the leading articles of stories, by article; those that have no story yet are left out."""
    return leads(tx, user_id, list(marks.stories(tx, user_id, seqs)))


def _event(user_id: int, story: int, act: Act, at: datetime, visit: str, seconds: float) -> ReadingEvent:
    what = f"{seconds:.0f}" if act is Act.READ else ""
    name = f"{act} {story} {visit or at.isoformat()} {what}".rstrip()
    return ReadingEvent(name, user_id, story, act, at, visit, seconds)
