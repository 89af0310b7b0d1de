"""The services of one user, each made when it is first needed: most commands need few, and loading all takes long."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, overload

from iscore.core.clock import Clock
from iscore.core.data_folder import DataFolder
from iscore.services.session.user_session import UserSession
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
    from iscore.services.people.mail_address import MailAddress
    from iscore.services.people.people import People
    from iscore.services.polling import Polling
    from iscore.services.reading.contents import Contents
    from iscore.services.reading.full_text import FullTexts
    from iscore.services.reading.headlines import Headlines
    from iscore.services.reading.icons import Icons
    from iscore.services.reading.inbox import Inbox, ReviewQueue
    from iscore.services.reading.list_views import ListViews
    from iscore.services.reading.reader import Reader
    from iscore.services.reading.search import Search
    from iscore.services.rules.rule_application import RuleApplication
    from iscore.services.rules.rules import Removals, Rules
    from iscore.services.session.extractors import ExtractorFactory
    from iscore.services.session.personal_settings import PersonalSettings
    from iscore.services.subscriptions.subscriptions import Subscriptions

T = TypeVar("T")


class Service(Generic[T]):
    """An attribute with a service: its module is loaded, and the service made, when it is first asked for."""

    def __init__(self, place: str) -> None:
        self.place = place
        """The module below ``iscore.services``, and its class: ``reading.search:Search``."""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: Services, owner: type) -> T: ...
    def __get__(self, instance: Services | None, owner: type) -> Any:
        if instance is None:
            return self
        module, _, kind = self.place.partition(":")
        made = instance.session.service(getattr(import_module(f"iscore.services.{module}"), kind))
        return instance.__dict__.setdefault(self._name, made)


class Services:
    """One user's services."""

    def __init__(self, folder: DataFolder, database: Database, clock: Clock, user_id: int = LOCAL_USER) -> None:
        self.session = UserSession.of(folder, database, clock, user_id)
        self.database = database
        self.context = self.session.context
        """The user's settings, time zone and clock."""

    # What is learned
    extractors: Service[ExtractorFactory] = Service("session.extractors:ExtractorFactory")
    """New extractors, and what went wrong with them."""
    ingestion: Service[Ingestion] = Service("learning.ingestion:Ingestion")
    """Features and stories of new articles."""
    models: Service[ModelStore] = Service("learning.model_store:ModelStore")
    """The model of the user's interests."""
    verdicts: Service[Verdicts] = Service("learning.verdicts:Verdicts")
    """Likes, dislikes and skips."""
    reading_events: Service[ReadingEvents] = Service("learning.reading_events:ReadingEvents")
    """What the user does while they read, if they agreed."""
    interests: Service[Interests] = Service("interests.interests:Interests")  # loads the parser of HTML
    """What the user says that they like, by name."""
    imports: Service[Imports] = Service("interests.imports:Imports")
    """Articles, links and keywords that the user liked elsewhere."""

    # What is chosen
    polling: Service[Polling] = Service("polling:Polling")
    """Fetching what is due, and deciding about what arrived."""
    subscriptions: Service[Subscriptions] = Service("subscriptions.subscriptions:Subscriptions")
    """The feeds that the user follows."""
    rules: Service[Rules] = Service("rules.rules:Rules")
    """The user's rules: what to show always, never, or with a boost."""
    rule_application: Service[RuleApplication] = Service("rules.rule_application:RuleApplication")
    """What the user's rules make of stories."""
    removals: Service[Removals] = Service("rules.rules:Removals")
    """Feeds and rules that the user removed and can bring back."""

    # What is read
    current_inbox: Service[Inbox] = Service("reading.inbox:Inbox")
    """The inbox as the database has it now, without learning first."""
    digests: Service[Digests] = Service("digests.digests:Digests")
    """The daily digests."""
    reader: Service[Reader] = Service("reading.reader:Reader")
    """Lists of stories, and what the user marks on them: read, saved, labels."""
    list_views: Service[ListViews] = Service("reading.list_views:ListViews")
    """How lists are shown."""
    headlines: Service[Headlines] = Service("reading.headlines:Headlines")
    """Headlines to choose from at the start."""
    review_queue: Service[ReviewQueue] = Service("reading.inbox:ReviewQueue")
    """Articles to go through one by one."""
    contents: Service[Contents] = Service("reading.contents:Contents")
    """What pages show of articles beside their texts."""
    icons: Service[Icons] = Service("reading.icons:Icons")
    """Icons of feeds."""
    full_texts: Service[FullTexts] = Service("reading.full_text:FullTexts")
    """Articles' own pages, fetched when the user asks for it."""
    search: Service[Search] = Service("reading.search:Search")
    """Search over all articles."""

    # What other programs read
    client_apps: Service[ClientApps] = Service("apps.client_apps:ClientApps")
    """What client apps read and mark."""
    client_folders: Service[ClientFolders] = Service("apps.client_folders:ClientFolders")
    """Folders of feeds, for client apps that know them by numbers."""
    personal_feeds: Service[PersonalFeeds] = Service("apps.personal_feeds:PersonalFeeds")
    """What the filter chooses, as feeds."""
    connections: Service[Connections] = Service("connections.service:Connections")
    """The user's account on another reader server."""

    # How it is doing, and whose it is
    _status: Service[Status] = Service("insight.status:Status")
    history: Service[History] = Service("insight.history:History")
    """What the filter has learned over time, and how well it decided."""
    settings: Service[PersonalSettings] = Service("session.personal_settings:PersonalSettings")
    """The user's own settings."""
    mail_address: Service[MailAddress] = Service("people.mail_address:MailAddress")
    """Whether the address for the digest is the user's."""
    people: Service[People] = Service("people.people:People")
    """Those who share the data folder."""
