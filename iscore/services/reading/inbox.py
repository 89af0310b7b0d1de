"""The inbox as the database has it now, and the review queue: the articles to go through one by one.

Reading waits for no learning. Only ``Inbox.reasons`` learns and loads numbers; it must not be called from two threads
at a time. Everything else may be.

The queue holds ids only. An article is read when it is shown (``Inbox.stories``), so that going through fifty thousand
begins at once.

Postponed articles are in a file with one id a line, the last postponed last. It only says what the queue shows last: if
it is lost, the order changes and nothing else. Lines are only appended, so that an interrupted write loses no earlier
line.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from iscore.core.errors import DigestError
from iscore.core.file_access import private_opener, write
from iscore.services.learning.imported_item import Form
from iscore.services.learning.model_store import ModelStore
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.views.feeds import FetchProgress
from iscore.services.views.stories import InboxView, Outlook, ReviewQueueView, StoryView
from iscore.services.views.view_builders import learning, listed_stories, story_view
from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseBusy, DatabaseReadOnly
from storage.log import decisions, feedback, history, interests, rule_outcomes
from storage.people import deliveries
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
            counts, tally = inbox.counts(tx, query), history.tally(tx, user)
            return InboxView(
                items=(),
                waiting=counts.all if query.section is Section.ALL else counts.listed,
                hidden=counts.all - counts.listed - counts.archive,
                archive=counts.archive,
                change=history.last_change(tx, user),
                feeds=feeds.count_followed(tx, user),
                has_articles=articles.has_any(tx, user),
                learning=learning(tally),
                unmet=self._unmet(tx) if tally.interests else (),
            )

    def _unmet(self, tx: Transaction) -> tuple[str, ...]:
        """Return the interests in words that no scored article is about; none before they have been learned."""
        user, start = self._context.user_id, self._context.inbox_start()
        if due_users.unlearned(tx, user) or not articles.has_any(tx, user) or due_users.count_unscored(tx, user):
            return ()
        found = inbox.interests(tx, user, start)
        in_words = (each.example for each in interests.in_use(tx, user))
        names = dict.fromkeys(each.interest for each in in_words if each.item.form == Form.KEYWORDS)
        return tuple(name for name in names if name not in found)

    def count_unscored(self) -> int:
        """Count the articles that wait to be scored, and so are in no list yet."""
        with self._database.read() as tx:
            return due_users.count_unscored(tx, self._context.user_id)

    def progress(self) -> FetchProgress:
        """Return how far the user's feeds have been fetched; articles are counted until the first decision."""
        user = self._context.user_id
        with self._database.read() as tx:
            counts, first = feeds.fetched(tx, user), decisions.last_round(tx, user) == 0
            return FetchProgress(counts, first, articles.count(tx, user) if first else 0)

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
