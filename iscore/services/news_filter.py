"""The facade: everything that a user can do with their news filter.

    feeds.yaml ─► poll ─► Article ─► features F(d) ─► score I(d) ─► decision ─► inbox, digest
                                        ▲               ▲              ▲            │
                                        └───────────────┴──────────────┴── feedback ◄┘

``NewsFilter`` is the composition root. It makes the services (``services.py``) when they are first needed.
Learning is deferred: a verdict is one row in the log, and the next command that shows scores learns the new rows.
Modules that are heavy to load are imported by the functions that need them, so that recording a verdict stays fast.

Scores are log-odds with neutral 0. ``1 / (1 + exp(-score))`` is a probability of interest, for display only. Times are
aware and in UTC.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from iscore.core.clock import Clock, system_clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import DataFolderError, UnknownUserError
from iscore.core.timings import Progress
from iscore.services.services import Services
from storage.opening.database import create_on_server, open_database
from storage.people import users
from storage.stories.article_filter import EVERYTHING, ArticleFilter

if TYPE_CHECKING:
    from iscore.services.views.digests import DigestView
    from iscore.services.views.feeds import ExtractorProblem, PollView
    from iscore.services.views.status import StatusView
    from iscore.services.views.stories import InboxView, StoryView, VerdictView, WhyView
    from storage.records.users import Kind


class NewsFilter(Services):
    """One user's news filter. A context manager: it holds the database open."""

    @classmethod
    def create(
        cls, folder: Path, feeds_file: Path | None = None, *, empty: bool = False, clock: Clock | None = None
    ) -> Self:
        """Make a data folder with settings, subscriptions and an empty database, and open it.

        ``empty``: without ``feeds_file``, follow nothing instead of the selection that comes with iScore.
        Raises ``DataFolderError``, ``SubscriptionsError`` when ``feeds_file`` is no list of feeds, ``StorageError``.
        """
        from iscore.feeds.subscriptions.editing import load

        where = DataFolder(folder)
        if feeds_file is not None:
            load(feeds_file)
        # The server first: without it nothing changes.
        if where.database_address and not create_on_server(where.database_address) and where.feeds.exists():
            raise DataFolderError(where.path, "already a data folder whose database has iScore's tables")
        where.create(feeds_file, empty=empty)
        database = open_database(where.database_place, create=not where.database_address)
        return cls(where, database, clock or system_clock())

    @classmethod
    def open(
        cls, folder: Path, *, user: str = "", clock: Clock | None = None, progress: Progress | None = None
    ) -> Self:
        """Open a data folder for the user of this name, or the first. Raises ``DataFolderError``,
        ``UnknownUserError``, ``ConfigError``, ``StorageError``.

        ``progress`` is called with ``(done, total, what)`` while the database of an older version is upgraded.
        """
        where = DataFolder(folder)
        where.require()
        database = open_database(where.database_place, progress=progress)
        try:
            with database.read() as tx:
                found = users.find(tx, user) if user else users.first(tx)
                if found is None:
                    raise UnknownUserError(user, [each.name for each in users.list_users(tx)])
        except BaseException:
            database.close()
            raise
        return cls(where, database, clock or system_clock(), found.id)

    def for_user(self, user_id: int) -> NewsFilter:
        """Return the news filter of a user of this data folder; it shares the open database, and is not closed."""
        if user_id == self.context.user_id:
            return self
        other = NewsFilter(self.context.folder, self.database, self.context.clock, user_id)
        other.extractors.before_loading = self.extractors.before_loading
        return other

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def poll(self, *, force: bool = False, progress: Progress | None = None) -> PollView:
        """Poll the feeds that are due, or with ``force`` all; then rescore the inbox and decide about new stories.

        ``progress`` is called with ``(done, total, what)``.
        """
        started = time.perf_counter()
        duplicates = self.polling.follow()
        report = self.polling.fetch(force=force, progress=progress)
        return self.polling.finish(report, duplicates, started, progress)

    def inbox(
        self,
        *,
        everything: bool = False,
        only: ArticleFilter = EVERYTHING,
        limit: int | None = 30,
        learn: bool = True,
    ) -> InboxView:
        """List the inbox, best first; with ``everything`` also the articles below the threshold.

        Learns new verdicts first, unless ``learn`` is false; then it is the inbox as the database has it now. Raises
        ``RulesError`` when rules.yaml is invalid: no list is shown that does not follow the rules; ``StorageError``
        for a filter with an unknown name.
        """
        if learn:
            self.models.catch_up()
        return self.current_inbox.view(everything=everything, only=only, limit=limit)

    def show(self, article_id: str) -> StoryView:
        """Return one article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        from iscore.services.session.user_session import find_article
        from iscore.services.views.view_builders import article_view

        with self.database.read() as tx:
            return article_view(tx, self.context.user_id, find_article(tx, self.context.user_id, article_id))

    def why(self, article_id: str) -> WhyView:
        """Explain today's score of one article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        from iscore.services.learning.explanations import why
        from iscore.services.session.user_session import find_article

        with self.database.read() as tx:
            seq = find_article(tx, self.context.user_id, article_id)
        self.ingestion.catch_up(self.context.progress)
        self.rule_application.apply()
        model = self.models.load().model  # not saved: rescoring a large inbox takes seconds
        with self.database.read() as tx:
            names, beta = self.extractors.article_feature_names, self.context.settings.beta
            return why(tx, self.context.user, seq, model, names, beta)

    def give(self, kind: Kind, article_ids: Sequence[str], *, request: str = "") -> list[VerdictView]:
        """Record the same verdict on each article; see ``Verdicts.record``."""
        return self.verdicts.record([(kind, each) for each in article_ids], request=request)

    def digest(self, on: date | None = None, *, only: ArticleFilter = EVERYTHING) -> DigestView:
        """Return the digest of a day, today's by default; see ``Digests.get``."""
        return self.digests.get(on, only=only)

    def status(self, *, details: bool = True) -> StatusView:
        """Return the status: feeds, verdicts, decisions, threshold; with ``details`` features. Saves nothing."""
        return self._status.view(details=details)

    def recommendations_a_day(self, betas: Sequence[float]) -> list[float]:
        """Return how many recommendations a day each value of the setting ``beta`` would give. Saves nothing."""
        return self._status.recommendations_a_day(betas)

    def extractor_problems(self) -> tuple[ExtractorProblem, ...]:
        """List the extractors that were left out or have failed since this was opened. Loads nothing."""
        return self._status.extractor_problems()

    def try_extractors(self) -> tuple[ExtractorProblem, ...]:
        """Run every extractor on the newest articles, and list what is left out or fails. Stores nothing."""
        self.ingestion.try_extractors()
        return self.extractor_problems()
