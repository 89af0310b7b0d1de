"""What the database holds, as plain frozen values. Nothing here knows SQL.

Times are aware and in UTC. ``seq`` is the order of arrival: 1, 2, 3 … over all articles, never reused.
Personal records carry ``user_id``. ``None`` means "not known" or "never", an empty string "none given".
"""

from __future__ import annotations

from storage.records.accounts import AppOption, AppPassword, BrowserSession, Invitation, LoginAttempt
from storage.records.articles import Article, Features, IngestedArticle, NewArticle, StoredBasis, StorySource
from storage.records.connections import (
    Connection,
    ConnectionOption,
    ReaderKind,
    RemoteFeed,
    RemoteItem,
    RemoteTag,
)
from storage.records.contents import NO_CONTENT, Content, Enclosure, FeedOrigin
from storage.records.decisions import (
    CurrentScore,
    Decision,
    DecisionCounts,
    DecisionRound,
    InboxRow,
    RecommendationChange,
)
from storage.records.deliveries import Candidate, Delivery, Mailing, MailState
from storage.records.feeds import Feed, FeedArrivals, FeedOverview, FetchRecord, Folder, Priority, Stored, Subscription
from storage.records.hubs import Hub, HubSubscription, PushedDocument
from storage.records.marks import Mark
from storage.records.reading_events import Act, ReadingEvent, StoryReading
from storage.records.removals import Removal, RemovalKind
from storage.records.rules import Action, RuleInput, RuleOutcome, RuleSource
from storage.records.server import BrokenFeed, HostState, ServerCounts
from storage.records.users import (
    LOCAL_USER,
    CurrentVerdict,
    FeedVerdicts,
    Kind,
    LogEntry,
    RecentVerdict,
    Role,
    Snapshot,
    Tally,
    User,
    Verdict,
)
from storage.records.work import Claim, DueWork, Queue, SetAside, Task

__all__ = [
    "LOCAL_USER",
    "NO_CONTENT",
    "Act",
    "Action",
    "AppOption",
    "AppPassword",
    "Article",
    "BrokenFeed",
    "BrowserSession",
    "Candidate",
    "Claim",
    "Connection",
    "ConnectionOption",
    "Content",
    "CurrentScore",
    "CurrentVerdict",
    "Decision",
    "DecisionCounts",
    "DecisionRound",
    "Delivery",
    "DueWork",
    "Enclosure",
    "Features",
    "Feed",
    "FeedArrivals",
    "FeedOrigin",
    "FeedOverview",
    "FeedVerdicts",
    "FetchRecord",
    "Folder",
    "HostState",
    "Hub",
    "HubSubscription",
    "InboxRow",
    "IngestedArticle",
    "Invitation",
    "Kind",
    "LogEntry",
    "LoginAttempt",
    "MailState",
    "Mailing",
    "Mark",
    "NewArticle",
    "Priority",
    "PushedDocument",
    "Queue",
    "ReaderKind",
    "ReadingEvent",
    "RecentVerdict",
    "RecommendationChange",
    "RemoteFeed",
    "RemoteItem",
    "RemoteTag",
    "Removal",
    "RemovalKind",
    "Role",
    "RuleInput",
    "RuleOutcome",
    "RuleSource",
    "ServerCounts",
    "SetAside",
    "Snapshot",
    "Stored",
    "StoredBasis",
    "StoryReading",
    "StorySource",
    "Subscription",
    "Tally",
    "Task",
    "User",
    "Verdict",
]
