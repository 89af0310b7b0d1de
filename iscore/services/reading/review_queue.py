"""The review queue: the articles to go through one by one, and in which order.

The queue holds ids only. An article is read when it is shown (``Inbox.stories``), so that going through fifty thousand
begins at once.

Postponed articles are in a file with one id a line, the last postponed last. It only says what the queue shows last: if
it is lost, the order changes and nothing else. Lines are only appended, so that an interrupted write loses no earlier
line.
"""

from __future__ import annotations

from pathlib import Path

from iscore.core.errors import DigestError
from iscore.core.file_access import private_opener, write
from iscore.services.learning.model_store import ModelStore
from iscore.services.session.user_session import UserSession
from iscore.services.views.stories import Outlook, ReviewQueueView
from iscore.services.views.view_builders import learning
from storage.log import feedback, history, rule_outcomes
from storage.people import deliveries
from storage.stories import story_query
from storage.stories.story_query import Section, StoryQuery
from storage.stream import articles

MOST_POSTPONED = 10_000
"""Lines from which on the older half is dropped; far more than anyone postpones in a week."""


class ReviewQueue:
    """One user's review queue."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._models = session.service(ModelStore)
        self._file = session.context.postponed

    def inbox(self, *, everything: bool = False) -> ReviewQueueView:
        """List the inbox, best first and postponed articles last; with ``everything`` also what is below the threshold.

        Learns new verdicts first.
        """
        self._models.catch_up()
        truncate_postponed(self._file)
        section = Section.NEWS if everything else Section.LISTED
        with self._database.read() as tx:
            ids = story_query.ids(tx, self._query(section))
        queue = dict.fromkeys(ids)
        last = [each for each in read_postponed(self._file) if each in queue]
        for each in last:
            del queue[each]
        return ReviewQueueView((*queue, *last), {}, len(last), "")

    def digest(self) -> ReviewQueueView:
        """List the newest digest by number, with the verdicts on it. Raises ``DigestError`` without any digest."""
        user = self._context.user_id
        with self._database.read() as tx:
            newest = deliveries.newest_digest(tx, user)
            if newest is None:
                raise DigestError("no digest yet; `iscore digest` makes one")
            known = articles.get(tx, [each.seq for each in deliveries.digest(tx, user, newest)])
            verdicts = feedback.verdicts(tx, user, [each.seq for each in known])
        given = {each.id: verdicts[each.seq] for each in known if each.seq in verdicts}
        return ReviewQueueView(tuple(each.id for each in known), given, 0, newest)

    def postpone(self, article_id: str) -> None:
        """Show an article last the next time. Raises ``OSError``."""
        add_postponed(self._file, article_id)

    def outlook(self) -> Outlook:
        """Count what is in the inbox, and the verdicts so far. Learns nothing."""
        with self._database.read() as tx:
            waiting = story_query.count(tx, self._query(Section.LISTED))
            return Outlook(waiting, learning(history.tally(tx, self._context.user_id)))

    def hidden_by_rules(self) -> frozenset[str]:
        """Return the ids of the articles that a rule never shows."""
        with self._database.read() as tx:
            return rule_outcomes.muted_ids(tx, self._context.user_id)

    def _query(self, section: Section) -> StoryQuery:
        return StoryQuery(self._context.user_id, self._context.inbox_start(), section)


def read_postponed(file: Path) -> list[str]:
    """List the ids, each once, ordered by when they were postponed last; empty when there is no such file."""
    try:
        lines = file.read_text(encoding="ascii", errors="replace").split()
    except OSError:
        return []
    return list(dict.fromkeys(reversed(lines)))[::-1]


def add_postponed(file: Path, article_id: str) -> None:
    """Append an id. Raises ``OSError``."""
    with open(file, "a", encoding="ascii", opener=private_opener) as opened:
        opened.write(f"{article_id}\n")


def truncate_postponed(file: Path) -> None:
    """Drop the older half of a file that is too long."""
    known = read_postponed(file)
    if len(known) > MOST_POSTPONED:
        unfinished = file.with_name(f"{file.name}.unfinished-new")
        write(unfinished, "".join(f"{each}\n" for each in known[-MOST_POSTPONED // 2 :]).encode())
        unfinished.replace(file)
