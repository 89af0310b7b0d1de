"""What the database holds, as plain frozen values. Nothing here knows SQL.

Times are aware and in UTC. ``seq`` is the order of arrival: 1, 2, 3 … over all articles, never reused.
Personal records carry ``user_id``. ``None`` means "not known" or "never", an empty string "none given".
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from storage.records.accounts import AppOption as AppOption
    from storage.records.accounts import AppPassword as AppPassword
    from storage.records.accounts import BrowserSession as BrowserSession
    from storage.records.accounts import Identity as Identity
    from storage.records.accounts import Invitation as Invitation
    from storage.records.accounts import LoginAttempt as LoginAttempt
    from storage.records.articles import Article as Article
    from storage.records.articles import Features as Features
    from storage.records.articles import IngestedArticle as IngestedArticle
    from storage.records.articles import NewArticle as NewArticle
    from storage.records.articles import StoredBasis as StoredBasis
    from storage.records.articles import StorySource as StorySource
    from storage.records.connections import Connection as Connection
    from storage.records.connections import ConnectionOption as ConnectionOption
    from storage.records.connections import ReaderKind as ReaderKind
    from storage.records.connections import RemoteFeed as RemoteFeed
    from storage.records.connections import RemoteItem as RemoteItem
    from storage.records.connections import RemoteTag as RemoteTag
    from storage.records.contents import NO_CONTENT as NO_CONTENT
    from storage.records.contents import Content as Content
    from storage.records.contents import Enclosure as Enclosure
    from storage.records.contents import FeedOrigin as FeedOrigin
    from storage.records.decisions import CurrentScore as CurrentScore
    from storage.records.decisions import Decision as Decision
    from storage.records.decisions import DecisionCounts as DecisionCounts
    from storage.records.decisions import DecisionRound as DecisionRound
    from storage.records.decisions import InboxRow as InboxRow
    from storage.records.decisions import RecommendationChange as RecommendationChange
    from storage.records.deliveries import Candidate as Candidate
    from storage.records.deliveries import Delivery as Delivery
    from storage.records.deliveries import Mailing as Mailing
    from storage.records.deliveries import MailState as MailState
    from storage.records.feeds import Feed as Feed
    from storage.records.feeds import FeedArrivals as FeedArrivals
    from storage.records.feeds import FeedOverview as FeedOverview
    from storage.records.feeds import FetchRecord as FetchRecord
    from storage.records.feeds import Folder as Folder
    from storage.records.feeds import Priority as Priority
    from storage.records.feeds import Stored as Stored
    from storage.records.feeds import Subscription as Subscription
    from storage.records.hubs import Hub as Hub
    from storage.records.hubs import HubSubscription as HubSubscription
    from storage.records.hubs import PushedDocument as PushedDocument
    from storage.records.marks import Mark as Mark
    from storage.records.reading_events import Act as Act
    from storage.records.reading_events import ReadingEvent as ReadingEvent
    from storage.records.reading_events import StoryReading as StoryReading
    from storage.records.removals import Removal as Removal
    from storage.records.removals import RemovalKind as RemovalKind
    from storage.records.rules import Action as Action
    from storage.records.rules import RuleInput as RuleInput
    from storage.records.rules import RuleOutcome as RuleOutcome
    from storage.records.rules import RuleSource as RuleSource
    from storage.records.server import BrokenFeed as BrokenFeed
    from storage.records.server import HostState as HostState
    from storage.records.server import ServerCounts as ServerCounts
    from storage.records.users import LOCAL_USER as LOCAL_USER
    from storage.records.users import CurrentVerdict as CurrentVerdict
    from storage.records.users import FeedVerdicts as FeedVerdicts
    from storage.records.users import Kind as Kind
    from storage.records.users import LogEntry as LogEntry
    from storage.records.users import RecentVerdict as RecentVerdict
    from storage.records.users import Role as Role
    from storage.records.users import Snapshot as Snapshot
    from storage.records.users import Tally as Tally
    from storage.records.users import User as User
    from storage.records.users import Verdict as Verdict
    from storage.records.work import Claim as Claim
    from storage.records.work import DueWork as DueWork
    from storage.records.work import Queue as Queue
    from storage.records.work import SetAside as SetAside
    from storage.records.work import Task as Task

_MODULES = {
    "Act": "reading_events",
    "Action": "rules",
    "AppOption": "accounts",
    "AppPassword": "accounts",
    "Article": "articles",
    "BrokenFeed": "server",
    "BrowserSession": "accounts",
    "Candidate": "deliveries",
    "Claim": "work",
    "Connection": "connections",
    "ConnectionOption": "connections",
    "Content": "contents",
    "CurrentScore": "decisions",
    "CurrentVerdict": "users",
    "Decision": "decisions",
    "DecisionCounts": "decisions",
    "DecisionRound": "decisions",
    "Delivery": "deliveries",
    "DueWork": "work",
    "Enclosure": "contents",
    "Features": "articles",
    "Feed": "feeds",
    "FeedArrivals": "feeds",
    "FeedOrigin": "contents",
    "FeedOverview": "feeds",
    "FeedVerdicts": "users",
    "FetchRecord": "feeds",
    "Folder": "feeds",
    "HostState": "server",
    "Hub": "hubs",
    "HubSubscription": "hubs",
    "Identity": "accounts",
    "InboxRow": "decisions",
    "IngestedArticle": "articles",
    "Invitation": "accounts",
    "Kind": "users",
    "LOCAL_USER": "users",
    "LogEntry": "users",
    "LoginAttempt": "accounts",
    "MailState": "deliveries",
    "Mailing": "deliveries",
    "Mark": "marks",
    "NO_CONTENT": "contents",
    "NewArticle": "articles",
    "Priority": "feeds",
    "PushedDocument": "hubs",
    "Queue": "work",
    "ReaderKind": "connections",
    "ReadingEvent": "reading_events",
    "RecentVerdict": "users",
    "RecommendationChange": "decisions",
    "RemoteFeed": "connections",
    "RemoteItem": "connections",
    "RemoteTag": "connections",
    "Removal": "removals",
    "RemovalKind": "removals",
    "Role": "users",
    "RuleInput": "rules",
    "RuleOutcome": "rules",
    "RuleSource": "rules",
    "ServerCounts": "server",
    "SetAside": "work",
    "Snapshot": "users",
    "Stored": "feeds",
    "StoredBasis": "articles",
    "StoryReading": "reading_events",
    "StorySource": "articles",
    "Subscription": "feeds",
    "Tally": "users",
    "Task": "work",
    "User": "users",
    "Verdict": "users",
}
"""The module of each record."""

__all__ = [*_MODULES]  # noqa: PLE0604 -- the names are those of the table


def __getattr__(name: str) -> Any:
    """Import a record when it is first used (PEP 562): a process that parses needs three of them, and all take longer
    to define than most documents to parse."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"storage.records.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES})
