"""The inbox as the database has it now: reading it waits for no learning.

Only ``reasons`` learns and loads numbers; it must not be called from two threads at a time. Everything else may be.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from iscore.services.learning.model_store import ModelStore
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.views.stories import InboxView, StoryView
from iscore.services.views.view_builders import learning, listed_stories, story_view
from storage.engine.errors import DatabaseBusy, DatabaseReadOnly
from storage.log import history
from storage.records.decisions import RecommendationChange
from storage.stories import due_users, inbox, story_query
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stories.story_query import Section, StoryQuery
from storage.stream import articles, features, feeds

if TYPE_CHECKING:
    from iscore.services.learning.explanations import Reasons

EXPLAINED = timedelta(days=1)
"""How long the inbox explains a change of the number of recommendations."""


class Inbox:
    """One user's inbox."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._extractors = session.service(ExtractorFactory)
        self._models = session.service(ModelStore)
        self._rules = session.service(RuleApplication)
        self._cache = session.cache

    @cached_property
    def _reasons(self) -> Reasons:
        from iscore.services.learning.explanations import Reasons

        return Reasons(self._database, self._context.user, self._extractors.article_feature_names)

    def view(self, *, everything: bool = False, only: ArticleFilter = EVERYTHING, limit: int | None = 30) -> InboxView:
        """List the inbox, best first; with ``everything`` also the articles below the threshold. Learns nothing.

        Raises ``RulesError`` when rules.yaml is invalid: no list is shown that does not follow the rules;
        ``StorageError`` for a filter with an unknown name.
        """
        self._rules.apply()
        query = self._query(only, Section.ALL if everything else Section.LISTED, limit)
        key = ("inbox", replace(query, limit=None))
        counted = self._cache.get(key, lambda: self._counted(query), marks=only != EVERYTHING)
        change = counted.change
        if change is not None and self._context.clock() - change.at > EXPLAINED:
            counted = replace(counted, change=None)
        if limit == 0:
            return counted
        with self._database.read() as tx:
            rows = inbox.rows(tx, query.user_id, story_query.seqs(tx, query))
            return replace(counted, items=tuple(map(story_view, rows)))

    def change_shown(self, change: RecommendationChange) -> None:
        """Remember that a change was explained, unless it is not the last one any more."""
        user = self._context.user_id
        # Where nothing can be written, it is explained again.
        with suppress(DatabaseReadOnly, DatabaseBusy), self._database.write(user) as tx:
            if history.last_change(tx, user) == change:
                history.save_change(tx, user, replace(change, shown=True))

    def _query(self, only: ArticleFilter, section: Section = Section.LISTED, limit: int | None = None) -> StoryQuery:
        return StoryQuery(self._context.user_id, self._context.inbox_start(), section, only, limit=limit)

    def _counted(self, query: StoryQuery) -> InboxView:
        """Count the inbox: a view without items, with the last change, however old that is."""
        user = query.user_id
        with self._database.read() as tx:
            counts = inbox.counts(tx, query)
            return InboxView(
                items=(),
                waiting=counts.all if query.section is Section.ALL else counts.listed,
                hidden=counts.all - counts.listed - counts.archive,
                archive=counts.archive,
                change=history.last_change(tx, user),
                feeds=feeds.count_followed(tx, user),
                has_articles=articles.has_any(tx, user),
                learning=learning(history.tally(tx, user)),
            )

    def count_unscored(self) -> int:
        """Count the articles that wait to be scored, and so are in no list yet."""
        with self._database.read() as tx:
            return due_users.count_unscored(tx, self._context.user_id)

    def ids(self, only: ArticleFilter = EVERYTHING) -> list[str]:
        """List the ids of the recommended and explored articles, best first. Raises as ``view`` does."""
        self._rules.apply()
        with self._database.read() as tx:
            return story_query.ids(tx, self._query(only))

    def stories(self, ids: Sequence[str]) -> list[StoryView]:
        """Return stories, in the inbox or not, by the full ids of their leading articles, in this order.

        Unknown ids are left out.
        """
        user = self._context.user_id
        with self._database.read() as tx:
            places = articles.seqs(tx, self._context.user_id, ids)
            seqs = [places[each] for each in ids if each in places]
            return [*listed_stories(tx, user, seqs).values()]

    def reasons(self, ids: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """Learn new verdicts, and return the two or three reasons of each of these stories."""
        loaded = self._models.up_to_date()
        with self._database.read() as tx:
            places = articles.seqs(tx, self._context.user_id, ids)
        found = self._reasons.of(sorted(places.values()), loaded)
        return {each: found[seq] for each, seq in places.items() if seq in found}

    def most_informative(self, count: int) -> list[StoryView]:
        """List at most ``count`` articles whose verdicts would teach the model most. Learns new verdicts first."""
        from extractors.text.terms import TermVector
        from iscore.filtering.delivery.selection import most_informative

        self._models.catch_up()
        user = self._context.user_id
        with self._database.read() as tx:
            scores = inbox.scores(tx, user, self._context.inbox_start())
            seqs = [score.seq for score in scores]
            known = features.ingested(tx, user, seqs)
            terms = {each.seq: TermVector.from_bytes(each.terms) for each in known}
            sources = {each.seq: each.source for each in known}
            distances = {each.seq: abs(each.score - each.threshold) for each in scores}
            asked = most_informative(distances, terms, sources, count)
            return [*map(story_view, inbox.rows(tx, user, asked))]
