"""The facade: all that a person can ask of their news filter.

    feeds.yaml ─► poll ─► Article ─► features F(d) ─► score I(d) ─► decision ─► inbox, digest
                                        ▲               ▲              ▲            │
                                        └───────────────┴──────────────┴── feedback ◄┘

Learning is deferred: a verdict is one row in the log, and whoever shows scores next learns the rows that have come
since. Modules that are heavy to load are imported by the methods that need them, so that a verdict stays instant.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from iscore.core.clock import Clock, system_clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import AmbiguousIdError, UnknownArticleError
from iscore.jobs.mail.sender import MailSender
from iscore.services import verdicts
from iscore.services.container import Composition
from iscore.services.digests import Digests
from iscore.services.history import History
from iscore.services.imports.service import Imports
from iscore.services.inbox import Reading
from iscore.services.review_queue import ReviewQueue
from iscore.services.rule_application import Rulebook
from iscore.services.rules import Rules
from iscore.services.subscriptions import Subscriptions
from iscore.services.view_builders import article_view, inbox_item, moved
from iscore.services.views import articles as views
from storage import articles, decisions, features, snapshots
from storage import feedback as feedback_log
from storage.database import Database, open_database
from storage.records import Kind
from storage.transaction import Transaction

if TYPE_CHECKING:
    from iscore.evaluation.replay.run import Replayed, Workers
    from iscore.feeds.poll_report import PollReport
    from iscore.services.model_store import LoadedModel
    from iscore.services.views.digests import DigestView

Progress = Callable[[int, int, str], None]

TRIED = 100
"""Articles on which extractors are tried."""


class NewsFilter:
    """One person's news filter. Use as a context manager; it holds the database open."""

    def __init__(self, home: DataFolder, database: Database, clock: Clock) -> None:
        self._home = home
        self._database = database
        self._clock = clock
        self._parts = Composition(home, database)
        self.subscriptions = Subscriptions(home, database, self._parts, clock)
        """The feeds that the person follows."""
        self.imports = Imports(database, self._parts, clock, self._measured)
        """What the person liked elsewhere, brought along."""
        self._rulebook = Rulebook(home.rules, database, self._parts, clock)
        self.rules = Rules(database, self._parts, clock, self._rulebook)
        """The person's own rules."""
        self.history = History(
            database, self._parts, clock, catch_up=self._measured, statistics=self.subscriptions.statistics
        )
        """How the filter has come to know its reader."""
        self.digests = Digests(database, self._parts, clock, lambda: self._learned().model, self.status)
        """The daily digests."""
        self.mail = MailSender(home, database, self._parts, clock, self.digests.of)
        """The digest by mail."""
        self.reading = Reading(database, self._parts, clock, self._learned, self._rulebook.bring_up_to_date)
        """Reading and voting on the same page."""
        self.review_queue = ReviewQueue(home, database, self._parts, clock, self._caught_up)
        """What there is to go through, one by one."""

    @classmethod
    def create(cls, home: Path, feeds_file: Path | None = None, *, clock: Clock | None = None) -> Self:
        """Make a home with settings, subscriptions and an empty database.

        Raises ``DataFolderError``, ``SubscriptionsError`` when ``feeds_file`` is no list of feeds, ``StorageError``.
        """
        from iscore.feeds.subscriptions.editing import load

        where = DataFolder(home)
        if feeds_file is not None:
            load(feeds_file)
        where.make(feeds_file)
        database = open_database(where.database, create=True)
        return cls(where, database, clock or system_clock())

    @classmethod
    def open(cls, home: Path, *, clock: Clock | None = None) -> Self:
        """Open a home. Raises ``DataFolderError``, ``ConfigError``, ``StorageError``."""
        where = DataFolder(home)
        where.require()
        return cls(where, open_database(where.database), clock or system_clock())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._database.close()

    # The round

    def poll(self, *, force: bool = False, progress: Progress | None = None) -> views.PollView:
        """Poll what is due, measure and judge what is new, learn what was said since, renew what is undecided."""
        import asyncio

        from iscore.services.imports.store import recognise
        from iscore.services.scoring import judge_new

        started = time.perf_counter()
        self.subscriptions.follow()
        report = asyncio.run(self._polled(force, progress))
        kept = self._learned(progress)
        recognise(self._database, self._parts.user.id)
        judged = judge_new(
            self._database,
            self._parts.user,
            kept.model,
            self._parts.article_feature_names,
            explore_share=self._parts.settings.explore_share,
            window=self._parts.window,
            now=self._clock(),
            rule=self._rulebook.rule,
        )
        known = self.subscriptions.known()
        advice = {number: feed.advice for number, feed in known.items()}
        dues = [feed.next_due for feed in known.values() if feed.enabled and feed.next_due is not None]
        return views.PollView(
            feeds=report.feeds,
            changed=report.changed,
            unchanged=report.unchanged,
            failed=report.failed,
            cooling=report.cooling,
            new_articles=report.new_articles,
            updated_articles=report.updated_articles,
            judged=judged.judged,
            recommended=judged.recommended,
            explored=judged.explored,
            seconds=time.perf_counter() - started,
            problems=tuple(
                views.FeedProblem(outcome.url, outcome.title, outcome.error, advice.get(outcome.feed_id, ""))
                for outcome in report.outcomes
                if outcome.error
            ),
            next_due=min(dues, default=None),
            pages_fetched=report.pages_fetched,
            pages_failed=report.pages_failed,
            page_problems=tuple(
                views.FeedProblem(outcome.url, outcome.title, outcome.pages_problem)
                for outcome in report.outcomes
                if outcome.pages_problem
            ),
            warnings=(*report.warnings, *self.rules.problems()),
            extractor_problems=self.extractor_problems(),
            moved=moved([known[each.feed_id] for each in report.outcomes if each.moved_to and each.feed_id in known]),
        )

    async def _polled(self, force: bool, progress: Progress | None) -> PollReport:
        from iscore.feeds.parsing.parser_pool import ParserPool
        from iscore.feeds.poll import poll

        settings = self._parts.settings
        async with ParserPool(settings.parse_processes, cpu_seconds=settings.parse_timeout) as pool:
            return await poll(
                self._database,
                pool=pool,
                settings=self._parts.poll_settings,
                clock=self._clock,
                force=force,
                progress=progress,
            )

    # Reading

    def inbox(self, *, everything: bool = False, limit: int | None = 30) -> views.InboxView:
        """List what waits, the best first; with ``everything`` also what was held back."""
        self._caught_up()
        return self.reading.waiting(everything=everything, limit=limit)

    def show(self, article_id: str) -> views.ArticleView:
        """Return one article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        with self._database.read() as tx:
            return article_view(tx, self._parts.user.id, self._found(tx, article_id))

    def why(self, article_id: str) -> views.WhyView:
        """Explain today's score of one article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        from iscore.services.explanations import why

        with self._database.read() as tx:
            seq = self._found(tx, article_id)
        self._measured()
        self._rulebook.bring_up_to_date()
        model = self._parts.keeper.load().model  # not saved: judging all that waits again takes seconds among many
        with self._database.read() as tx:
            return why(tx, self._parts.user.id, seq, model, self._parts.article_feature_names, self._parts.meanings)

    # Verdicts

    def give(self, kind: Kind, article_ids: Sequence[str]) -> list[views.VerdictView]:
        """Record verdicts, all or none; when this returns they are on disk.

        Raises ``UnknownArticleError``, ``AmbiguousIdError`` with nothing recorded.
        """
        with self._database.read() as tx:
            seqs = [self._found(tx, article_id) for article_id in article_ids]
            known = {article.seq: article for article in articles.get(tx, seqs)}
        outcomes = verdicts.give(self._database, self._parts.user.id, kind, seqs, at=self._clock())
        return [
            views.VerdictView(
                id=known[seq].id,
                title=known[seq].title,
                accepted=previous != kind and not (kind is Kind.UNDO and previous is None),
                verdict=kind,
                previous=previous,
            )
            for seq, (_, previous) in zip(seqs, outcomes, strict=True)
        ]

    def teachable(self, count: int) -> list[views.InboxItem]:
        """List the undecided articles, held back or not, whose verdicts would teach most; at most ``count``."""
        from extractors.text.terms import TermVector
        from iscore.filtering.decision.active_learning import most_informative

        self._caught_up()
        user, since = self._parts.user.id, self._clock() - self._parts.window
        with self._database.read() as tx:
            standings = decisions.waiting(tx, user, since)
            seqs = [standing.seq for standing in standings]
            terms = {each.seq: TermVector.from_bytes(each.terms) for each in features.arrived(tx, user, seqs)}
            return [inbox_item(row) for row in decisions.rows(tx, user, most_informative(standings, terms, count))]

    # Looking back

    def numbered(self, numbers: Sequence[int]) -> list[str]:
        """Return the article ids behind numbers of the last digest. Raises ``DigestError``."""
        return self.digests.numbered(numbers)

    def digest(self, on: date | None = None) -> DigestView:
        """Return the digest of a day; see ``Digests.of``."""
        return self.digests.of(on)

    def status(self) -> views.StatusView:
        """Say how the filter is doing. Learns nothing."""
        from iscore.services.status import status

        self._measured(None)  # the model is asked about verdicts, and those need features
        overview = [*self.subscriptions.known().values()]
        with self._database.read() as tx:
            to_learn = self._to_learn(tx)
        model = self._parts.keeper.load().model
        with self._database.read() as tx:
            found = status(tx, self._parts.user.id, model, overview, to_learn=to_learn)
        return replace(found, extractor_problems=self.extractor_problems(), mail_problem=self.mail.problem())

    def extractor_problems(self) -> tuple[views.ExtractorProblem, ...]:
        """List the extractors that were left out or have failed since this was opened. Loads nothing."""
        return tuple(views.ExtractorProblem(name, reason) for name, reason in self._parts.failures().items())

    def try_extractors(self) -> tuple[views.ExtractorProblem, ...]:
        """Measure the newest articles as if they arrived now, and list what is left out or fails. Stores nothing."""
        from iscore.services.ingestion import Ingestion

        with self._database.read() as tx:
            newest = articles.last_seq(tx)
            tried = articles.get(tx, range(max(newest - TRIED, 0) + 1, newest + 1))
        arrivals = Ingestion(self._database, self._parts.make_extractors)
        arrivals.analyse_apart(tried)
        self._parts.note_failures(arrivals.failures)
        return self.extractor_problems()

    def rebuild(self, *, check: bool = False, progress: Progress | None = None) -> views.RebuildView:
        """Learn everything anew from the log; with ``check`` only compare that with what is saved."""
        from iscore.filtering.serialization import pack

        started = time.perf_counter()
        self._measured(progress)
        replayed = self._parts.keeper.replay(progress)
        equal: bool | None = None
        if check:
            equal = pack(self._parts.keeper.load().model.state()) == pack(replayed.model.state())
        else:
            self._renew(replayed)
        return views.RebuildView(verdicts=replayed.learned, equal=equal, seconds=time.perf_counter() - started)

    def replay(
        self,
        classifiers: Sequence[str],
        *,
        follow_changes: bool = False,
        report: Path | None = None,
        workers: Workers | None = None,
        progress: Progress | None = None,
    ) -> Replayed:
        """Tell what each of these classifiers would have done with the articles that have a verdict.

        Changes of interest are followed as the settings say, or if ``follow_changes``.

        Raises ``ReplayError`` for a classifier that there is not, and while there are no verdicts.
        """
        from iscore.evaluation.replay.own_history import replay_own
        from iscore.evaluation.replay.run import Workers

        self._measured(progress)
        return replay_own(
            self._database,
            self._parts.user,
            self._parts.article_feature_names,
            classifiers=classifiers,
            follow_changes=follow_changes or self._parts.settings.follow_changes,
            report=report,
            about={"replayed": f"{self._clock():%Y-%m-%d}"},
            workers=workers or Workers(),
            progress=progress,
        )

    # Learning what was said since

    def _caught_up(self) -> None:
        """Learn what was said since, if anything was, and follow the rules of now; else load nothing heavy."""
        self._rulebook.bring_up_to_date()
        with self._database.read() as tx:
            if not self._to_learn(tx):
                return
        self._learned()

    def _to_learn(self, tx: Transaction) -> int:
        """Count the verdicts that the standings do not know yet; a correction of an older one counts as one."""
        row = snapshots.newest_sequence(tx, self._parts.user.id) or 0
        entries = feedback_log.effective(tx, self._parts.user.id, after_row=row)
        teaching = sum(entry.kind in feedback_log.TEACHING for entry in entries)
        corrected = feedback_log.superseded_after(tx, self._parts.user.id, row) is not None
        return max(teaching, int(corrected))

    def _learned(self, progress: Progress | None = None) -> LoadedModel:
        """Return the model after every verdict; save it and renew the standings if it has changed."""
        self._measured(progress)
        self._rulebook.bring_up_to_date()
        kept = self._parts.keeper.load(progress)
        if kept.changed:
            self._renew(kept)
        return kept

    def _renew(self, kept: LoadedModel) -> None:
        """Save a model, and what it thinks of all that is undecided."""
        from iscore.services.scoring import judge_again

        since = self._clock() - self._parts.window
        standings = judge_again(
            self._database, self._parts.user, kept.model, self._parts.article_feature_names, since=since
        )
        with self._database.write() as tx:
            self._parts.keeper.save(tx, kept)
            decisions.rescore(tx, self._parts.user.id, standings)

    def _measured(self, progress: Progress | None = None) -> None:
        """Measure what was stored but not measured, of this round or of one that was cut off."""
        with self._database.read() as tx:
            if not articles.unassessed(tx, 1):
                return
        from iscore.services.ingestion import Ingestion

        arrivals = Ingestion(self._database, self._parts.make_extractors)
        arrivals.measure(progress)
        self._parts.note_failures(arrivals.failures)

    def _found(self, tx: Transaction, article_id: str) -> int:
        matches = articles.find(tx, article_id)
        if not matches:
            raise UnknownArticleError(article_id)
        if len(matches) > 1:
            raise AmbiguousIdError(article_id, len(matches))
        return matches[0]
