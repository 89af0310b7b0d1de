"""The services of one user, each made when it is first needed: most commands need few, and loading all takes long."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.services.session.database_cache import DatabaseCache
from iscore.services.session.extractors import ExtractorFactory
from iscore.services.session.user_context import UserContext
from storage.opening.database import Database
from storage.records.users import LOCAL_USER

if TYPE_CHECKING:
    from iscore.services.apps.client_apps import ClientApps
    from iscore.services.apps.client_folders import ClientFolders
    from iscore.services.apps.personal_feeds import PersonalFeeds
    from iscore.services.connections.service import Connections
    from iscore.services.digests.digests import Digests
    from iscore.services.insight.history import History
    from iscore.services.insight.status import Status
    from iscore.services.interests.imports import Imports
    from iscore.services.interests.interests import Interests
    from iscore.services.learning.ingestion import Ingestion
    from iscore.services.learning.model_store import ModelStore
    from iscore.services.learning.reading_events import ReadingEvents
    from iscore.services.learning.verdicts import Verdicts
    from iscore.services.people.people import People
    from iscore.services.polling.polling import Polling
    from iscore.services.reading.contents import Contents
    from iscore.services.reading.full_text import FullTexts
    from iscore.services.reading.headlines import Headlines
    from iscore.services.reading.inbox import Inbox
    from iscore.services.reading.reader import Reader
    from iscore.services.reading.review_queue import ReviewQueue
    from iscore.services.reading.search import Search
    from iscore.services.rules.removals import Removals
    from iscore.services.rules.rule_application import RuleApplication
    from iscore.services.rules.rules import Rules
    from iscore.services.session.personal_settings import PersonalSettings
    from iscore.services.subscriptions.subscriptions import Subscriptions


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
        from iscore.services.learning.ingestion import Ingestion

        return Ingestion(self.database, self.extractors)

    @cached_property
    def rule_application(self) -> RuleApplication:
        """What the user's rules make of stories."""
        from iscore.services.rules.rule_application import RuleApplication

        return RuleApplication(self.database, self.context, self._cache)

    @cached_property
    def models(self) -> ModelStore:
        """The model of the user's interests."""
        from iscore.services.learning.model_store import ModelStore

        return ModelStore(self.database, self.context, self.extractors, self.ingestion, self.rule_application)

    @cached_property
    def subscriptions(self) -> Subscriptions:
        """The feeds that the user follows."""
        from iscore.services.subscriptions.subscriptions import Subscriptions

        return Subscriptions(self.database, self.context)

    @cached_property
    def rules(self) -> Rules:
        """The user's rules: what to show always, never, or with a boost."""
        from iscore.services.rules.rules import Rules

        return Rules(self.database, self.context, self.rule_application)

    @cached_property
    def verdicts(self) -> Verdicts:
        """Likes, dislikes and skips."""
        from iscore.services.learning.verdicts import Verdicts

        return Verdicts(self.database, self.context)

    @cached_property
    def current_inbox(self) -> Inbox:
        """The inbox as the database has it now, without learning first."""
        from iscore.services.reading.inbox import Inbox

        application = self.rule_application
        return Inbox(self.database, self.context, self.extractors, self.models, application, self._cache)

    @cached_property
    def _status(self) -> Status:
        from iscore.services.insight.status import Status

        ingestion, models = self.ingestion, self.models
        return Status(self.database, self.context, self.extractors, ingestion, models, self.subscriptions)

    @cached_property
    def polling(self) -> Polling:
        """Fetching what is due, and deciding about what arrived."""
        from iscore.services.polling.polling import Polling

        models, followed, application = self.models, self.subscriptions, self.rule_application
        return Polling(self.database, self.context, self.extractors, models, followed, self.rules, application)

    @cached_property
    def people(self) -> People:
        """Those who share the data folder."""
        from iscore.services.people.people import People

        return People(self.context.folder, self.database, self.context.clock)

    @cached_property
    def imports(self) -> Imports:
        """Articles, links and keywords that the user liked elsewhere."""
        from iscore.services.interests.imports import Imports

        return Imports(self.database, self.context, self.ingestion)

    @cached_property
    def settings(self) -> PersonalSettings:
        """The user's own settings."""
        from iscore.services.session.personal_settings import PersonalSettings

        return PersonalSettings(self.database, self.context)

    @cached_property
    def removals(self) -> Removals:
        """Feeds and rules that the user removed and can bring back."""
        from iscore.services.rules.removals import Removals

        return Removals(self.database, self.context, self.subscriptions, self.rules)

    @cached_property
    def headlines(self) -> Headlines:
        """Headlines to choose from at the start."""
        from iscore.services.reading.headlines import Headlines

        return Headlines(self.database, self.context, self.verdicts)

    @cached_property
    def contents(self) -> Contents:
        """What pages show of articles beside their texts."""
        from iscore.services.reading.contents import Contents

        return Contents(self.database, self.context)

    @cached_property
    def full_texts(self) -> FullTexts:
        """Articles' own pages, fetched when the user asks for it."""
        from iscore.services.reading.full_text import FullTexts

        return FullTexts(self.database, self.context)

    @cached_property
    def search(self) -> Search:
        """Search over all articles."""
        from iscore.services.reading.search import Search

        return Search(self.database, self.context)

    @cached_property
    def reading_events(self) -> ReadingEvents:
        """What the user does while they read, if they agreed."""
        from iscore.services.learning.reading_events import ReadingEvents

        return ReadingEvents(self.database, self.context)

    @cached_property
    def reader(self) -> Reader:
        """Lists of stories, and what the user marks on them: read, saved, labels."""
        from iscore.services.reading.reader import Reader

        return Reader(self.database, self.context, self.rule_application, self._cache)

    @cached_property
    def client_apps(self) -> ClientApps:
        """What client apps read and mark."""
        from iscore.services.apps.client_apps import ClientApps

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
        from iscore.services.apps.client_folders import ClientFolders

        return ClientFolders(self.database, self.context, self.client_apps, self.subscriptions)

    @cached_property
    def personal_feeds(self) -> PersonalFeeds:
        """What the filter chooses, as feeds."""
        from iscore.services.apps.personal_feeds import PersonalFeeds

        return PersonalFeeds(self.database, self.context, self.client_apps, self.search)

    @cached_property
    def review_queue(self) -> ReviewQueue:
        """Articles to go through one by one."""
        from iscore.services.reading.review_queue import ReviewQueue

        return ReviewQueue(self.database, self.context, self.models)

    @cached_property
    def digests(self) -> Digests:
        """The daily digests."""
        from iscore.services.digests.digests import Digests

        return Digests(self.database, self.context, self.extractors, self.models, self._status)

    @cached_property
    def history(self) -> History:
        """What the filter has learned over time, and how well it decided."""
        from iscore.services.insight.history import History

        return History(self.database, self.context, self.extractors, self.ingestion, self.models, self.subscriptions)

    @cached_property
    def interests(self) -> Interests:
        """What the user says that they like, by name."""
        from iscore.services.interests.interests import Interests  # loads the parser of HTML

        return Interests(self.database, self.context, self.imports)
