"""The services of one user, each made when it is first needed: most commands need few, and loading all takes long."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.services.database_cache import DatabaseCache
from iscore.services.extractors import ExtractorFactory
from iscore.services.user_context import UserContext
from storage.database import Database
from storage.records import LOCAL_USER

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
    from iscore.services.inbox import Inbox
    from iscore.services.ingestion import Ingestion
    from iscore.services.interests import Interests
    from iscore.services.model_store import ModelStore
    from iscore.services.people import People
    from iscore.services.personal_feeds import PersonalFeeds
    from iscore.services.personal_settings import PersonalSettings
    from iscore.services.polling import Polling
    from iscore.services.reader import Reader
    from iscore.services.reading_events import ReadingEvents
    from iscore.services.removals import Removals
    from iscore.services.review_queue import ReviewQueue
    from iscore.services.round_check import RoundCheck
    from iscore.services.rule_application import RuleApplication
    from iscore.services.rules import Rules
    from iscore.services.search import Search
    from iscore.services.status import Status
    from iscore.services.subscriptions import Subscriptions
    from iscore.services.verdicts import Verdicts


class Services:
    """One user's services."""

    def __init__(self, folder: DataFolder, database: Database, clock: Clock, user_id: int = LOCAL_USER) -> None:
        self.database = database
        context = self.context = UserContext(folder, database, clock, user_id)
        """The user's settings, time zone and clock."""
        self.extractors = ExtractorFactory(context)
        self._cache = DatabaseCache(database, user_id)

    @cached_property
    def ingestion(self) -> Ingestion:
        """Features and stories of new articles."""
        from iscore.services.ingestion import Ingestion

        return Ingestion(self.database, self.extractors)

    @cached_property
    def rule_application(self) -> RuleApplication:
        """What the user's rules make of stories."""
        from iscore.services.rule_application import RuleApplication

        return RuleApplication(self.database, self.context, self._cache)

    @cached_property
    def models(self) -> ModelStore:
        """The model of the user's interests."""
        from iscore.services.model_store import ModelStore

        return ModelStore(self.database, self.context, self.extractors, self.ingestion, self.rule_application)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """The feeds that the user follows."""
        from iscore.services.subscriptions import Subscriptions

        return Subscriptions(self.database, self.context)

    @cached_property
    def rules(self) -> Rules:
        """The user's rules: what to show always, never, or with a boost."""
        from iscore.services.rules import Rules

        return Rules(self.database, self.context, self.rule_application)

    @cached_property
    def verdicts(self) -> Verdicts:
        """Likes, dislikes and skips."""
        from iscore.services.verdicts import Verdicts

        return Verdicts(self.database, self.context)

    @cached_property
    def current_inbox(self) -> Inbox:
        """The inbox as the database has it now, without learning first."""
        from iscore.services.inbox import Inbox

        application = self.rule_application
        return Inbox(self.database, self.context, self.extractors, self.models, application, self._cache)

    @cached_property
    def _status(self) -> Status:
        from iscore.services.status import Status

        ingestion, models = self.ingestion, self.models
        return Status(self.database, self.context, self.extractors, ingestion, models, self.subscriptions)

    @cached_property
    def polling(self) -> Polling:
        """Fetching what is due, and deciding about what arrived."""
        from iscore.services.polling import Polling

        models, followed, application = self.models, self.subscriptions, self.rule_application
        return Polling(self.database, self.context, self.extractors, models, followed, self.rules, application)

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

        return PersonalFeeds(self.database, self.context, self.client_apps, self.search)

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
