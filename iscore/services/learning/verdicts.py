"""Verdicts: a verdict is one row in the log. The model learns it later, with the next poll, inbox or digest.

Nothing here loads numbers or models, so that a verdict is recorded at once.
"""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Sequence

from iscore.services.session.article_ids import find_article
from iscore.services.session.user_context import UserContext
from iscore.services.views.stories import VerdictView
from storage.engine.transaction import Transaction
from storage.log import feedback, marks
from storage.opening.database import Database
from storage.records.users import Kind, RecentVerdict, Verdict
from storage.stream import articles
from storage.stream.visibility import leads


class Verdicts:
    """One user's verdicts."""

    def __init__(self, database: Database, context: UserContext) -> None:
        self._database = database
        self._context = context

    def record(self, kind: Kind, article_ids: Sequence[str], *, request: str = "") -> list[VerdictView]:
        """Record the same verdict on each article; see ``record_all``."""
        return self.record_all([(kind, article_id) for article_id in article_ids], request=request)

    def record_all(self, wanted: Sequence[tuple[Kind, str]], *, request: str = "") -> list[VerdictView]:
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
        kinds = [kind for kind, _ in wanted]
        with self._database.read() as tx:
            seqs = [find_article(tx, self._context.user_id, article_id) for _, article_id in wanted]
            known = {article.seq: article for article in articles.get(tx, seqs)}
        batch = request or uuid.uuid4().hex
        ids = [f"{batch}/{number}" for number in range(len(seqs))] if len(seqs) > 1 else [batch]
        given = [Verdict(name, user, seq, kind, at) for name, seq, kind in zip(ids, seqs, kinds, strict=False)]
        with self._database.write(user, durable=True) as tx:
            outcomes = feedback.append(tx, given)
            rated = [seq for seq, kind in zip(seqs, kinds, strict=True) if kind is not Kind.UNDO]
            marks.read(tx, user, [*marks.stories(tx, user, rated).values()], at)
            undone = [seq for seq, kind in zip(seqs, kinds, strict=True) if kind is Kind.UNDO]
            marks.unread(tx, user, self._read_by_verdict(tx, undone))
        return [
            VerdictView(
                id=known[seq].id,
                title=known[seq].title,
                accepted=previous != kind and not (kind is Kind.UNDO and previous is None),
                verdict=kind,
                previous=previous,
            )
            for seq, kind, (_, previous) in zip(seqs, kinds, outcomes, strict=True)
        ]

    def _read_by_verdict(self, tx: Transaction, seqs: Sequence[int]) -> list[int]:
        """Return those of the articles' stories that a verdict marked as read: at the time of the verdict."""
        user = self._context.user_id
        leading, stories = leads(tx, user, seqs), marks.stories(tx, user, seqs)
        given, marked = feedback.times(tx, user, list(leading.values())), marks.get(tx, user, list(stories.values()))
        return [
            story for seq, story in stories.items() if story in marked and marked[story].read_at in given[leading[seq]]
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
        return self.record(Kind.UNDO, ids) if ids else []

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
