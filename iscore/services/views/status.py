"""The status of the filter, and of a server as its admins see it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from iscore.services.views.feeds import ExtractorProblem, FeedProblem
from iscore.services.views.stories import Learning
from storage.records.decisions import RecommendationChange
from storage.records.server import HostState, ServerCounts
from storage.records.work import Task


@dataclass(frozen=True, slots=True)
class HiddenCheck:
    """How many hidden stories that were drawn at random and checked the user likes."""

    checked: int = 0
    liked: int = 0
    low: float = 0.0
    """Ends of the 95 % interval of the share of all hidden stories that they like; 0 and 1 without a check."""
    high: float = 1.0


@dataclass(frozen=True, slots=True)
class StatusView:
    """How the filter is doing. Rates are None while they are undefined."""

    feeds: int
    articles: int
    decided: int
    recommended: int
    explored: int
    likes: int
    dislikes: int
    skips: int
    f05: float | None
    """Of decisions against verdicts, like precision; what was delivered late counts as it was then. It knows only what
    the user saw."""
    precision: float | None
    threshold: float
    subset_size: int
    """Features in use. Without details this and the next two are 0 and empty."""
    n_features: int
    best_features: tuple[tuple[str, float], ...]
    """Name and correlation of the features that the classifier uses, most useful first."""
    learning: Learning
    problems: tuple[FeedProblem, ...]
    last_poll: datetime | None
    to_learn: int
    """Verdicts that the next poll, inbox or digest will learn from."""
    extractor_problems: tuple[ExtractorProblem, ...] = ()
    encoder: str = ""
    """The sentence encoder that is installed; empty without one, or details."""
    with_meaning: int = 0
    """Articles with a meaning by it."""
    moved: tuple[FeedProblem, ...] = ()
    """Feeds that work at another address than the one in feeds.yaml."""
    mail_problem: str = ""
    """What keeps the digest from being mailed, and what to do; empty when nothing does."""
    waiting: int | None = None
    """Articles in the inbox now, and below the threshold; both are None if rules.yaml cannot be read."""
    hidden: int | None = None
    file_problems: tuple[str, ...] = ()
    """What is wrong with feeds.yaml, so that nothing is polled, or with rules.yaml, so that nothing is scored."""
    checked: HiddenCheck = HiddenCheck()
    change: RecommendationChange | None = None
    """The last change of the number of recommendations by more than a third."""


@dataclass(frozen=True, slots=True)
class RebuildView:
    verdicts: int
    equal: bool | None
    """With check: whether the saved model equals the replay (the same verdicts, scores within 1e-6); None without."""
    seconds: float


@dataclass(frozen=True, slots=True)
class SetAsideView:
    """Work that has failed too often."""

    task: Task
    key: str
    """The host, or the number of the user; may be empty."""
    user: str
    """The name of the user whose it is; empty if it is everybody's."""
    since: datetime
    reason: str


@dataclass(frozen=True, slots=True)
class BrokenFeedView:
    """A feed whose last fetch failed, or that is gone."""

    url: str
    """Without user, password and what may be a secret."""
    error: str
    """As it is stored, in English; empty if it is gone."""
    failures: int
    """In a row."""
    last_success: datetime | None


@dataclass(frozen=True, slots=True)
class ServerView:
    """The state of a server. Counts are those of all people together."""

    database: str
    """The file, or its address without user and password."""
    size: int
    """Bytes."""
    counts: ServerCounts
    set_aside: tuple[SetAsideView, ...]
    hosts: tuple[HostState, ...]
    """First those with most broken feeds, then by name."""
    broken: tuple[BrokenFeedView, ...]
    """At most ``MOST_FEEDS``, first those that have failed most often."""
