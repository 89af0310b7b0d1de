"""What the database holds, as plain frozen values. Nothing here knows SQL.

Times are aware and in UTC. ``seq`` is the order of arrival: 1, 2, 3 … over all articles, never reused.
Personal records carry ``user_id``. ``None`` means "not known" or "never", an empty string "none given".
"""

from __future__ import annotations

from storage.records.articles import Arrived, Article, Carrier, Features, NewArticle
from storage.records.decisions import Action, Carried, Decision, DecisionCounts, InboxRow, Ruled, Ruling, Standing
from storage.records.deliveries import Candidate, Delivery, Mailing, MailState
from storage.records.feeds import Arrivals, Feed, FeedOverview, FetchRecord, Stored, Subscription
from storage.records.people import LOCAL_USER, Kind, LogEntry, Opinions, Snapshot, Spoken, Tally, User, Verdict

__all__ = [
    "LOCAL_USER",
    "Action",
    "Arrivals",
    "Arrived",
    "Article",
    "Candidate",
    "Carried",
    "Carrier",
    "Decision",
    "DecisionCounts",
    "Delivery",
    "Features",
    "Feed",
    "FeedOverview",
    "FetchRecord",
    "InboxRow",
    "Kind",
    "LogEntry",
    "MailState",
    "Mailing",
    "NewArticle",
    "Opinions",
    "Ruled",
    "Ruling",
    "Snapshot",
    "Spoken",
    "Standing",
    "Stored",
    "Subscription",
    "Tally",
    "User",
    "Verdict",
]
