"""The parts of a poll (``NewsFilter.poll``), in order.

follow the list of feeds ─► fetch those that are due ─► ingest, learn new verdicts, decide about new stories
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from iscore.core.timings import Progress
from iscore.services.learning.model_store import ModelStore
from iscore.services.learning.reading_events import ReadingEvents
from iscore.services.rules.rule_application import RuleApplication
from iscore.services.rules.rules import Rules
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_session import UserSession
from iscore.services.subscriptions.subscriptions import Subscriptions
from iscore.services.views.feeds import ExtractorProblem, FeedProblem, PollView
from iscore.services.views.view_builders import moved
from storage.log import decisions

if TYPE_CHECKING:
    from iscore.feeds.poll import ClaimedHosts
    from iscore.feeds.recorder import FeedOutcome, PollReport
    from iscore.services.learning.scoring import Scored


class Polling:
    """What a poll does for one user."""

    def __init__(self, session: UserSession) -> None:
        self._database = session.database
        self._context = session.context
        self._extractors = session.service(ExtractorFactory)
        self._models = session.service(ModelStore)
        self._subscriptions = session.service(Subscriptions)
        self._rules = session.service(Rules)
        self._rule_application = session.service(RuleApplication)
        self._reading_events = session.service(ReadingEvents)

    def follow(self) -> tuple[str, ...]:
        """Update the database's list of the user's feeds, and check their settings; return warnings."""
        self._context.settings  # noqa: B018 -- reads them
        return self._subscriptions.follow()

    def fetch(
        self, *, force: bool = False, hosts: ClaimedHosts | None = None, progress: Progress | None = None
    ) -> PollReport:
        """Fetch and store what is due of the feeds of all users; with ``hosts`` only of these."""
        import asyncio

        return asyncio.run(self._fetch(force, hosts, progress))

    def finish(
        self, report: PollReport, duplicates: tuple[str, ...], started: float, progress: Progress | None
    ) -> PollView:
        """Decide about what is new for the user, and show the poll with the feeds that they follow."""
        with self._database.read() as tx:
            last_round = decisions.last_round(tx, self._context.user_id)
        decided = self.decide(progress)
        known = self._subscriptions.known()
        mine = [outcome for outcome in report.outcomes if outcome.feed_id in known]

        def problem(outcome: FeedOutcome, words: str, *, advise: bool) -> FeedProblem:
            feed = known.get(outcome.feed_id)
            title = (feed.title if feed else "") or outcome.title
            return FeedProblem(outcome.url, title, words, feed.advice if feed and advise else "")

        dues = [feed.next_due for feed in known.values() if feed.enabled and feed.next_due is not None]
        return PollView(
            feeds=report.feeds,
            changed=report.changed,
            unchanged=report.unchanged,
            failed=report.failed,
            cooling=report.cooling,
            new_articles=report.new_articles,
            updated_articles=report.updated_articles,
            decided=decided.scored,
            recommended=decided.recommended,
            recommended_older=min(self.recommended_older(last_round), decided.recommended),
            explored=decided.explored,
            seconds=time.perf_counter() - started,
            problems=tuple(problem(outcome, outcome.error, advise=True) for outcome in mine if outcome.error),
            next_due=min(dues, default=None),
            pages_fetched=report.pages_fetched,
            pages_failed=report.pages_failed,
            page_problems=tuple(
                problem(outcome, outcome.pages_problem, advise=False) for outcome in mine if outcome.pages_problem
            ),
            warnings=(*duplicates, *report.warnings, *self._rules.problems()),
            extractor_problems=tuple(ExtractorProblem(*each) for each in self._extractors.problems().items()),
            moved=moved([known[each.feed_id] for each in mine if each.moved_to]),
        )

    def recommended_older(self, last_round: int) -> int:
        """Count what the rounds after ``last_round`` recommend of the stories that were hidden before."""
        user = self._context.user_id
        with self._database.read() as tx:
            rounds = range(last_round + 1, decisions.last_round(tx, user) + 1)
            late = [each for number in rounds for each in decisions.late_of_round(tx, user, number).values()]
        return sum(each.interesting for each in late)

    def decide(self, progress: Progress | None = None, *, ingest: bool = True) -> Scored:
        """Learn new verdicts, rescore the inbox, and decide about the articles that are stored and new.

        ``ingest``: compute their features first; otherwise, about those that have theirs.
        """
        from iscore.services.interests.import_store import mark_arrived
        from iscore.services.learning.scoring import score_new

        self._reading_events.sum_old()
        loaded = self._models.learned(progress, ingest=ingest)
        mark_arrived(self._database, self._context.user_id)
        return score_new(
            self._database,
            self._context.user,
            loaded,
            self._extractors.article_feature_names,
            now=self._context.clock(),
            apply_rules=self._rule_application.outcomes,
            load=self._models.load,
            save=self._models.save,
            progress=progress,
        )

    async def _fetch(self, force: bool, hosts: ClaimedHosts | None, progress: Progress | None) -> PollReport:
        from iscore.feeds.parsing.parser_pool import ParserPool
        from iscore.feeds.poll import poll

        settings = self._context.settings
        async with ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout) as pool:
            return await poll(
                self._database,
                pool=pool,
                settings=self._context.poll_settings,
                clock=self._context.clock,
                force=force,
                hosts=hosts,
                progress=progress,
            )
