"""Reading and voting on the same page, which must not wait for learning.

    verdict ─► log          waiting, held_back, listed ─► what the database holds now, the person's own rules in force
                 └─► reasons (heavy: learns what was said since, then explains)

Only ``reasons`` learns; it must not be called from two threads at a time. Everything else may, and loads no numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.core.errors import UnknownArticleError
from iscore.services.container import Composition
from iscore.services.view_builders import inbox_item, learning, reading_minutes, story_source_views
from iscore.services.views.articles import InboxView, StorySourceView
from iscore.services.views.inbox import ListedStory, RecentVerdictView
from storage import articles, decisions, feeds
from storage import feedback as feedback_log
from storage import verdict_queries as stored
from storage.database import Database
from storage.records import Kind, RecentVerdict, Verdict

if TYPE_CHECKING:
    from iscore.services.model_store import LoadedModel


class Reading:
    """What waits, as it stands, and what was said of it."""

    def __init__(
        self,
        database: Database,
        parts: Composition,
        clock: Clock,
        learned: Callable[[], LoadedModel],
        obey: Callable[[], None],
    ) -> None:
        self._database = database
        self._parts = parts
        self._clock = clock
        self._learned = learned
        self._obey = obey

    @property
    def zone(self) -> tzinfo | None:
        """Where the person's day begins; None is the machine's own."""
        return self._parts.zone

    def waiting(self, *, everything: bool = False, limit: int | None = 30) -> InboxView:
        """List what waits, the best first; with ``everything`` also what was held back. Learns nothing.

        Raises ``RulesError`` when the person's own rules are not in order: no list is shown that would not follow them.
        """
        self._obey()
        user, since = self._parts.user.id, self._clock() - self._parts.window
        with self._database.read() as tx:
            rows = decisions.inbox(tx, user, since, everything=everything, limit=limit)
            waiting = decisions.inbox_count(tx, user, since)
            undecided = decisions.inbox_count(tx, user, since, everything=True)
            return InboxView(
                items=tuple(inbox_item(row) for row in rows),
                waiting=undecided if everything else waiting,
                held_back=undecided - waiting,
                feeds=len(feeds.overview(tx, user)),
                articles=articles.count(tx),
                learning=learning(feedback_log.tally(tx, user)),
            )

    def held_back(self, limit: int) -> list[str]:
        """List the ids of what waits below the threshold, the nearest to it first."""
        user, since = self._parts.user.id, self._clock() - self._parts.window
        with self._database.read() as tx:
            seqs = stored.held_back(tx, user, since, limit)
            return [article.id for article in articles.get(tx, seqs)]

    def listed(self, ids: Sequence[str]) -> list[ListedStory]:
        """Give these stories, by the whole ids of the articles that lead them, in this order; unknown ones left out."""
        user = self._parts.user.id
        with self._database.read() as tx:
            places = stored.numbers(tx, ids)
            seqs = [places[each] for each in ids if each in places]
            verdicts = stored.verdicts(tx, user, seqs)
            told = articles.story_carriers(tx, seqs)
            lengths = articles.text_lengths(tx, seqs)
            return [
                ListedStory(
                    item=inbox_item(row),
                    verdict=verdicts.get(row.article.seq),
                    carriers=story_source_views(told.get(row.article.seq, ())),
                    reading_minutes=reading_minutes(lengths.get(row.article.seq, 0)),
                )
                for row in decisions.rows(tx, user, seqs)
            ]

    def carriers(self, article_id: str) -> tuple[StorySourceView, ...]:
        """Name every feed that carried the story of an article. Raises ``UnknownArticleError``."""
        with self._database.read() as tx:
            seq = self._place(stored.numbers(tx, [article_id]), article_id)
            story = feedback_log.story(tx, seq)
            told = articles.story_carriers(tx, [story]).get(story, ())
        return story_source_views(told)

    def say(self, kind: Kind, article_id: str, verdict_id: str) -> RecentVerdictView:
        """Record a verdict; when this returns it is on disk. An id that was used before changes nothing.

        Tells what was said under that id, and what holds now. Raises ``UnknownArticleError``.
        """
        user = self._parts.user.id
        with self._database.write(durable=True) as tx:
            seq = self._place(stored.numbers(tx, [article_id]), article_id)
            feedback_log.append(tx, [Verdict(verdict_id, user, seq, kind, self._clock())])
            spoken = stored.spoken(tx, user, verdict_id)
        assert spoken is not None  # noqa: S101 -- it was appended, now or before
        return _told(spoken)

    def spoken(self, verdict_id: str) -> RecentVerdictView | None:
        """Find what was said under an id; None when nothing was."""
        with self._database.read() as tx:
            found = stored.spoken(tx, self._parts.user.id, verdict_id)
        return None if found is None else _told(found)

    def lately(self, limit: int) -> list[RecentVerdictView]:
        """List the verdicts that hold and were given last, the newest first."""
        with self._database.read() as tx:
            return [_told(each) for each in stored.lately(tx, self._parts.user.id, limit)]

    def reasons(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Learn what was said since, and return the two or three reasons of each of these stories.

        Heavy: it loads the reader's model.
        """
        from iscore.services.explanations import reasons_for

        model = self._learned().model
        user = self._parts.user.id
        with self._database.read() as tx:
            places = stored.numbers(tx, ids)
        seqs = sorted(places.values())
        told = reasons_for(self._database, user, seqs, model, self._parts.article_feature_names, self._parts.meanings)
        return {each: told[seq] for each, seq in places.items() if seq in told}

    @staticmethod
    def _place(found: dict[str, int], article_id: str) -> int:
        if article_id not in found:
            raise UnknownArticleError(article_id)
        return found[article_id]


def _told(spoken: RecentVerdict) -> RecentVerdictView:
    return RecentVerdictView(
        id=spoken.id,
        article_id=spoken.article,
        title=spoken.title,
        kind=spoken.kind,
        holds=spoken.holds,
        stands=spoken.stands,
        at=spoken.at,
    )
