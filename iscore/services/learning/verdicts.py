"""Verdicts: a verdict is one row in the log. The model learns it later, with the next poll, inbox or digest.

    commands, pages ─► Verdicts.record ─┐
    links in feeds, client apps,        ├─► record ─► the log (``feedback.append``)
    other servers ──────────────────────┘

Nothing here loads numbers or models, so that a verdict is recorded at once.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from iscore.services.session.user_session import UserSession, find_article
from iscore.services.views.stories import VerdictView
from storage.engine.base_database import Transaction
from storage.log import feedback, marks
from storage.records.users import Kind, RecentVerdict, Verdict
from storage.stream import articles
from storage.stream.headings import heading
from storage.stream.visibility import leads


class Verdicts:
    """One user's verdicts."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context

    def record(self, wanted: Sequence[tuple[Kind, str]], *, request: str = "") -> list[VerdictView]:
        """Record verdicts on articles as one batch, all or none; when this returns they are on disk.

        A verdict marks its story as read. An undo makes it unread again, unless it was read before.

        Parameters
        ----------
        wanted
            Verdicts, each with the id of its article, which may be abbreviated.
        request
            An id of the client's for this batch. A batch sent again under the same id changes nothing.

        Raises ``UnknownArticleError``, ``AmbiguousIdError`` with nothing recorded.
        """
        user, at = self._context.user_id, self._context.clock()
        with self._database.read() as tx:
            given = [(kind, find_article(tx, user, article_id)) for kind, article_id in wanted]
            known = {article.seq: article for article in articles.get(tx, [seq for _, seq in given])}
        with self._database.write(user, durable=True) as tx:
            outcomes = record(tx, user, given, at, request=request or uuid.uuid4().hex)
        return [
            VerdictView(
                id=known[seq].id,
                title=heading(known[seq].title, known[seq].text),
                accepted=previous != kind and not (kind is Kind.UNDO and previous is None),
                verdict=kind,
                previous=previous,
            )
            for (kind, seq), previous in zip(given, outcomes, strict=True)
        ]

    def none_yet(self) -> bool:
        """Whether the log is empty: the user has given neither verdicts nor interests yet."""
        with self._database.read() as tx:
            return feedback.last_row(tx, self._context.user_id) == 0

    def last(self) -> list[str]:
        """List the ids of the articles of the last command that gave verdicts, as far as these are still valid."""
        with self._database.read() as tx:
            return [article.id for article in articles.get(tx, feedback.last_batch(tx, self._context.user_id))]

    def undo_batch(self, request: str) -> list[VerdictView]:
        """Undo the verdicts that were recorded under ``request``, as far as these are still valid."""
        with self._database.read() as tx:
            seqs = [seq for seq, _ in feedback.batch(tx, self._context.user_id, request)]
            ids = [article.id for article in articles.get(tx, seqs)]
        return self.record([(Kind.UNDO, each) for each in ids]) if ids else []

    def count_batch(self, request: str) -> Counter[Kind]:
        """Count the verdicts that were recorded under ``request`` and are still valid, by kind."""
        with self._database.read() as tx:
            return Counter(kind for _, kind in feedback.batch(tx, self._context.user_id, request))

    def get(self, verdict_id: str) -> RecentVerdict | None:
        """Return the verdict that was sent under an id; None when there is none."""
        with self._database.read() as tx:
            return feedback.recent_verdict(tx, self._context.user_id, verdict_id)

    def recent(self, limit: int) -> list[RecentVerdict]:
        """List the newest valid verdicts, newest first."""
        with self._database.read() as tx:
            return feedback.recent_verdicts(tx, self._context.user_id, limit)


def record(
    tx: Transaction,
    user_id: int,
    wanted: Sequence[tuple[Kind, int]],
    at: datetime,
    *,
    request: str = "",
    origin: str = "",
    marks_read: bool = True,
) -> list[Kind | None]:
    """Record a user's verdicts on articles, all or none, and return the verdict on each story before.

    Parameters
    ----------
    tx
        A durable transaction, in which callers may change more: when it ends, the verdicts are on disk.
    wanted
        Verdicts, each with the ``seq`` of its article.
    request
        An id of the client's for all of them as one batch; one that the user has used before changes nothing. Without
        it, each verdict has a new id of its own, which begins with ``origin``.
    marks_read
        Whether a verdict marks its story as read, and an undo makes it unread again, unless it was read before.

    Raises ``UnknownArticle`` before anything is written.
    """
    several = len(wanted) > 1
    given = [
        Verdict(_id(request, number if several else None) or origin + uuid.uuid4().hex, user_id, seq, kind, at)
        for number, (kind, seq) in enumerate(wanted)
    ]
    outcomes = feedback.append(tx, given)
    if marks_read:
        rated = [seq for kind, seq in wanted if kind is not Kind.UNDO]
        marks.read(tx, user_id, [*marks.stories(tx, user_id, rated).values()], at)
        undone = [seq for kind, seq in wanted if kind is Kind.UNDO]
        marks.unread(tx, user_id, _read_by_verdict(tx, user_id, undone))
    return [previous for _, previous in outcomes]


def _id(request: str, number: int | None) -> str:
    return f"{request}/{number}" if request and number is not None else request


def _read_by_verdict(tx: Transaction, user_id: int, seqs: Sequence[int]) -> list[int]:
    """Return those of the articles' stories that a verdict marked as read: at the time of the verdict."""
    leading, stories = leads(tx, user_id, seqs), marks.stories(tx, user_id, seqs)
    given, marked = feedback.times(tx, user_id, [*leading.values()]), marks.get(tx, user_id, [*stories.values()])
    return [story for seq, story in stories.items() if story in marked and marked[story].read_at in given[leading[seq]]]
