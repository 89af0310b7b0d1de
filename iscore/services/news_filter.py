"""The facade: everything that a user can do with their news filter.

    feeds.yaml ─► poll ─► Article ─► features F(d) ─► score I(d) ─► decision ─► inbox, digest
                                        ▲               ▲              ▲            │
                                        └───────────────┴──────────────┴── feedback ◄┘

``NewsFilter`` is the composition root: it makes the services, those that few commands use when they are first needed.
Learning is deferred: a verdict is one row in the log, and the next command that shows scores learns the new rows.
Modules that are heavy to load are imported by the functions that need them, so that recording a verdict stays fast.

Scores are log-odds with neutral 0. ``1 / (1 + exp(-score))`` is a probability of interest, for display only. Times are
aware and in UTC.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from iscore.core.clock import Clock, system_clock
from iscore.core.data_folder import DataFolder
from iscore.core.errors import DataFolderError, UnknownUserError
from iscore.core.progress import Progress
from iscore.services.article_ids import find_article
from iscore.services.database_cache import DatabaseCache
from iscore.services.extractors import ExtractorFactory
from iscore.services.inbox import Inbox
from iscore.services.ingestion import Ingestion
from iscore.services.model_store import ModelStore
from iscore.services.polling import Polling
from iscore.services.rule_application import RuleApplication
from iscore.services.rules import Rules
from iscore.services.status import Status
from iscore.services.subscriptions import Subscriptions
from iscore.services.user_context import UserContext
from iscore.services.verdicts import Verdicts
from iscore.services.view_builders import article_view
from iscore.services.views.articles import ArticleView, WhyView
from iscore.services.views.feeds import ExtractorProblem, PollView
from iscore.services.views.inbox import InboxView
from iscore.services.views.review import VerdictView
from iscore.services.views.status import StatusView
from storage import users
from storage.article_filter import EVERYTHING, ArticleFilter
from storage.database import Database, create_on_server, open_database
from storage.records import LOCAL_USER, Kind

if TYPE_CHECKING:
    from iscore.services.client_apps import ClientApps
    from iscore.services.client_folders import ClientFolders
    from iscore.services.connections.service import Connections
    from iscore.services.contents import Contents
    from iscore.services.digests import Digests
    from iscore.services.full_text import FullTexts
    from iscore.services.headlines import Headlines
    from iscore.services.history import History
    from iscore.services.imports.service import Imports
    from iscore.services.interests import Interests
    from iscore.services.people import People
    from iscore.services.personal_feeds import PersonalFeeds
    from iscore.services.personal_settings import PersonalSettings
    from iscore.services.reader import Reader
    from iscore.services.reading_events import ReadingEvents
    from iscore.services.removals import Removals
    from iscore.services.review_queue import ReviewQueue
    from iscore.services.round_check import RoundCheck
    from iscore.services.search import Search
    from iscore.services.views.digests import DigestView


class NewsFilter:
    """One user's news filter. A context manager: it holds the database open."""

    def __init__(self, folder: DataFolder, database: Database, clock: Clock, user_id: int = LOCAL_USER) -> None:
        self.database = database
        context = self.context = UserContext(folder, database, clock, user_id)
        """The user's settings, time zone and clock."""
        extractors = self.extractors = ExtractorFactory(context)
        ingestion = self.ingestion = Ingestion(database, extractors)
        """Features and stories of new articles."""
        cache = self._cache = DatabaseCache(database, user_id)
        application = self.rule_application = RuleApplication(database, context, cache)
        models = self.models = ModelStore(database, context, extractors, ingestion, application)
        """The model of the user's interests."""
        self.subscriptions = Subscriptions(database, context)
        """The feeds that the user follows."""
        self.rules = Rules(database, context, application)
        """The user's rules: what to show always, never, or with a boost."""
        self.verdicts = Verdicts(database, context)
        """Likes, dislikes and skips."""
        self.current_inbox = Inbox(database, context, extractors, models, application, cache)
        """The inbox as the database has it now, without learning first."""
        self._status = Status(database, context, extractors, ingestion, models, self.subscriptions)
        self.polling = Polling(database, context, extractors, models, self.subscriptions, self.rules, application)

    @classmethod
    def create(cls, folder: Path, feeds_file: Path | None = None, *, clock: Clock | None = None) -> Self:
        """Make a data folder with settings, subscriptions and an empty database, and open it.

        Raises ``DataFolderError``, ``SubscriptionsError`` when ``feeds_file`` is no list of feeds, ``StorageError``.
        """
        from iscore.feeds.subscriptions.editing import load

        where = DataFolder(folder)
        if feeds_file is not None:
            load(feeds_file)
        # The server first: without it nothing changes.
        if where.database_address and not create_on_server(where.database_address) and where.feeds.exists():
            raise DataFolderError(where.path, "already a data folder whose database has iScore's tables")
        where.create(feeds_file)
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

    @cached_property
    def round_check(self) -> RoundCheck:
        """Whether earlier decisions can be made again."""
        from iscore.services.round_check import RoundCheck

        return RoundCheck(self.database, self.context, self.extractors, self.models)

    @cached_property
    def people(self) -> People:
        """Those who share the data folder."""
        from iscore.services.people import People

        return People(self.context.folder, self.database, self.context.clock)

    @cached_property
    def imports(self) -> Imports:
        """Articles, links and keywords that the user liked elsewhere."""
        from iscore.services.imports.service import Imports

        return Imports(self.database, self.context, self.ingestion)

    @cached_property
    def settings(self) -> PersonalSettings:
        """The user's own settings."""
        from iscore.services.personal_settings import PersonalSettings

        return PersonalSettings(self.database, self.context)

    @cached_property
    def removals(self) -> Removals:
        """Feeds and rules that the user removed and can bring back."""
        from iscore.services.removals import Removals

        return Removals(self.database, self.context, self.subscriptions, self.rules)

    @cached_property
    def headlines(self) -> Headlines:
        """Headlines to choose from at the start."""
        from iscore.services.headlines import Headlines

        return Headlines(self.database, self.context, self.verdicts)

    @cached_property
    def contents(self) -> Contents:
        """What pages show of articles beside their texts."""
        from iscore.services.contents import Contents

        return Contents(self.database, self.context)

    @cached_property
    def full_texts(self) -> FullTexts:
        """Articles' own pages, fetched when the user asks for it."""
        from iscore.services.full_text import FullTexts

        return FullTexts(self.database, self.context)

    @cached_property
    def search(self) -> Search:
        """Search over all articles."""
        from iscore.services.search import Search

        return Search(self.database, self.context)

    @cached_property
    def reading_events(self) -> ReadingEvents:
        """What the user does while they read, if they agreed."""
        from iscore.services.reading_events import ReadingEvents

        return ReadingEvents(self.database, self.context)

    @cached_property
    def reader(self) -> Reader:
        """Lists of stories, and what the user marks on them: read, saved, labels."""
        from iscore.services.reader import Reader

        return Reader(self.database, self.context, self.rule_application, self._cache)

    @cached_property
    def client_apps(self) -> ClientApps:
        """What client apps read and mark."""
        from iscore.services.client_apps import ClientApps

        return ClientApps(self.database, self.context, self.rule_application)

    @cached_property
    def connections(self) -> Connections:
        """The user's account on another reader server."""
        from iscore.services.connections.service import Connections

        application = self.rule_application
        return Connections(self.database, self.context, self.polling, self.models, self.imports, application)

    @cached_property
    def client_folders(self) -> ClientFolders:
        """Folders of feeds, for client apps that know them by numbers."""
        from iscore.services.client_folders import ClientFolders

        return ClientFolders(self.database, self.context, self.client_apps, self.subscriptions)

    @cached_property
    def personal_feeds(self) -> PersonalFeeds:
        """What the filter chooses, as feeds."""
        from iscore.services.personal_feeds import PersonalFeeds

        return PersonalFeeds(self.database, self.context, self.client_apps, self.search, self.verdicts)

    @cached_property
    def review_queue(self) -> ReviewQueue:
        """Articles to go through one by one."""
        from iscore.services.review_queue import ReviewQueue

        return ReviewQueue(self.database, self.context, self.models)

    @cached_property
    def digests(self) -> Digests:
        """The daily digests."""
        from iscore.services.digests import Digests

        return Digests(self.database, self.context, self.extractors, self.models, self._status)

    @cached_property
    def history(self) -> History:
        """What the filter has learned over time, and how well it decided."""
        from iscore.services.history import History

        return History(self.database, self.context, self.extractors, self.ingestion, self.models, self.subscriptions)

    @cached_property
    def interests(self) -> Interests:
        """What the user says that they like, by name."""
        from iscore.services.interests import Interests  # loads the parser of HTML

        return Interests(self.database, self.context, self.imports)

    def close(self) -> None:
        """Close the database."""
        self.database.close()

    def poll(self, *, force: bool = False, progress: Progress | None = None) -> PollView:
        """Poll the feeds that are due, or with ``force`` all; then rescore the inbox and decide about new stories.

        ``progress`` is called with ``(done, total, what)``.
        """
        return self.polling.poll(force=force, progress=progress)

    def inbox(self, *, everything: bool = False, only: ArticleFilter = EVERYTHING, limit: int | None = 30) -> InboxView:
        """List the inbox, best first; with ``everything`` also the articles below the threshold.

        Learns new verdicts first.
        """
        self.models.catch_up()
        return self.current_inbox.view(everything=everything, only=only, limit=limit)

    def show(self, article_id: str) -> ArticleView:
        """Return one article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        with self.database.read() as tx:
            return article_view(tx, self.context.user_id, find_article(tx, self.context.user_id, article_id))

    def why(self, article_id: str) -> WhyView:
        """Explain today's score of one article. Raises ``UnknownArticleError``, ``AmbiguousIdError``."""
        from iscore.services.explanations import why

        with self.database.read() as tx:
            seq = find_article(tx, self.context.user_id, article_id)
        self.ingestion.catch_up(self.context.progress)
        self.rule_application.apply()
        model = self.models.load().model  # not saved: rescoring a large inbox takes seconds
        with self.database.read() as tx:
            names, beta = self.extractors.article_feature_names, self.context.settings.beta
            return why(tx, self.context.user, seq, model, names, beta)

    def give(self, kind: Kind, article_ids: Sequence[str]) -> list[VerdictView]:
        """Record a verdict on each article; see ``Verdicts.record``."""
        return self.verdicts.record(kind, article_ids)

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
