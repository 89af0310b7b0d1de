"""The history of the filter.

Verdicts are the current ones. They are compared with the first decision about their story. Rates are None while they
are undefined; shares are in [0, 1]; days are those of the user's time zone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from iscore.services.views.status import HiddenCheck

MIN_DELAYS = 5
"""Verdicts and skips, below which no delays are shown."""
MIN_SOURCE_VERDICTS = 3
"""Likes and dislikes of a feed's stories, below which the feed is left out."""
MAX_SCORE = 10.0
"""Log-odds from which on, up or down, scores are in the outermost bins: odds of 22,000 to 1."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """First decisions against likes and dislikes."""

    recommended_liked: int
    recommended_disliked: int
    hidden_liked: int
    """Not recommended when first decided, but explored, recommended later or looked up."""
    hidden_disliked: int
    f05: float | None
    """As in ``StatusView``, like the next two."""
    precision: float | None


@dataclass(frozen=True, slots=True)
class Missed:
    """What is known of what was below the threshold."""

    liked_explored: int
    """Liked, not recommended, and shown by exploring."""
    liked_later: int
    """Liked, not recommended at first, but when it was scored again, or looked up by the user."""
    checked: HiddenCheck
    """What is known of the others."""


@dataclass(frozen=True, slots=True)
class Period:
    """A day, a week or a month."""

    first: date
    last: date
    arrived: int
    """Articles that arrived from feeds."""
    recommended: int
    """Stories found interesting when they were first decided, in this time."""
    explored: int
    read: int
    """Stories liked, disliked or skipped in this time."""
    verdicts: int
    """Of these, likes and dislikes."""
    agreement: Agreement
    """Of the decisions of this period, by the verdicts of today."""
    threshold: float | None
    """The last in this time, in log-odds; None without a decision by the classifier."""


@dataclass(frozen=True, slots=True)
class CoursePoint:
    """Rates over the newest verdicts at some moment, verdicts in the order of the decisions that they are about."""

    at: datetime
    """When the newest of these articles was first decided."""
    verdicts: int
    """How many there were so far."""
    f05: float | None
    precision: float | None


@dataclass(frozen=True, slots=True)
class FeatureChange:
    """How a feature goes with the verdicts."""

    name: str
    meaning: str
    now: float
    """Correlation as the classifier keeps it, -1 to 1; 0 where nothing is known."""
    before: float | None
    """The same a month ago; None when the filter knew too little then."""
    scope: str = "document"
    """``document`` or ``stream``, or ``reader`` for a feature that comes from the user's verdicts."""


@dataclass(frozen=True, slots=True)
class FeaturesInUse:
    """How many features the classifier chose at some place of the log."""

    at: datetime
    row: int
    size: int


@dataclass(frozen=True, slots=True)
class FeatureHistory:
    """Which features matter, and how many are in use."""

    n_features: int
    in_use: tuple[FeaturesInUse, ...]
    """At the places of which there is a saved state, the oldest first, and now."""
    changes: tuple[FeatureChange, ...]
    """The most correlated first, now or a month ago."""
    before: datetime | None
    """When a month ago was; None while the log is younger."""


@dataclass(frozen=True, slots=True)
class SourceOpinion:
    """The user's verdicts on one feed's stories."""

    title: str
    url: str
    likes: int
    dislikes: int
    share: float
    """Of likes among both."""
    low: float
    """Bounds of the 95 % interval of the share (Wilson's)."""
    high: float
    hint: str
    """As in ``FeedStatistics``: why one might stop following it; mostly empty."""


@dataclass(frozen=True, slots=True)
class WordOpinion:
    """A word that goes with likes or with dislikes."""

    word: str
    liked: int
    """Liked stories that have it."""
    disliked: int
    log_odds: float
    """By how much it is more usual in liked stories: positive in likes, negative in dislikes."""


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Articles to which the classifier gave about the same probability."""

    low: float
    high: float
    verdicts: int
    predicted: float | None
    """Mean probability of interest; None without verdicts, like the next."""
    liked: float | None
    """Share that was liked."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """Whether probabilities are right, over verdicts on what the classifier recommended at once or explored."""

    bins: tuple[CalibrationBin, ...]
    verdicts: int
    error: float | None
    """Distance of predicted and liked, averaged over bins by their verdicts."""


@dataclass(frozen=True, slots=True)
class ScoreBin:
    """Stories that the classifier first gave a score from ``low`` to below ``high``; the outermost are open."""

    low: float
    high: float
    liked: int
    disliked: int
    unjudged: int
    """Without a verdict."""


@dataclass(frozen=True, slots=True)
class DelayBin:
    """Verdicts, skips included, that came within this many hours of the article, but not within fewer."""

    hours: float | None
    """None: later than all others."""
    verdicts: int


@dataclass(frozen=True, slots=True)
class Delays:
    """How long after an article's arrival its verdict is given."""

    bins: tuple[DelayBin, ...]
    median: float | None
    """In hours."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A figure that has too little to go by."""

    figure: str
    words: str
    """What it needs, and when that will be there."""


@dataclass(frozen=True, slots=True)
class HistoryView:
    """How the filter has come to know its reader."""

    at: datetime
    since: datetime | None
    """First decision; None when there is none."""
    articles: int
    decided: int
    recommended: int
    explored: int
    likes: int
    dislikes: int
    skips: int
    trained_since: datetime | None
    """When there were enough likes and dislikes to train the classifier."""
    overall: Agreement
    missed: Missed
    scale: str
    """``day``, ``week`` or ``month``."""
    periods: tuple[Period, ...]
    """From the first decision to now; the last may not be over."""
    window: int
    """Verdicts over which the course is taken; 0 while there are too few."""
    course: tuple[CoursePoint, ...]
    threshold: float
    """Today's."""
    features: FeatureHistory | None
    """None where it was not asked for, like the words and the scores."""
    sources: tuple[SourceOpinion, ...]
    """The best liked first, by the lower bound."""
    words_liked: tuple[WordOpinion, ...] | None
    """The surest first."""
    words_disliked: tuple[WordOpinion, ...] | None
    calibration: Calibration
    scores: tuple[ScoreBin, ...] | None
    delays: Delays
    missing: tuple[Missing, ...]
    reading: ReadingView | None = None
    """What the filter learns from what the user reads; None while that is off."""


@dataclass(frozen=True, slots=True)
class ReadingView:
    """The switch, and how much the recorded events count as."""

    on: bool
    """Whether reading is recorded, and counts."""
    stories: int
    """Stories with events, at most the 2,000 of the newest."""
    opened: int
    minutes: float
    """Spent reading."""
    saved: int
    as_likes: float
    """All parts of likes together, before they are limited to what all likes weigh; 0 while it is off."""
    as_dislikes: float
    """The same of dislikes."""


@dataclass(frozen=True, slots=True)
class RoundsView:
    """What came of making the decisions of the newest rounds again."""

    equal: int
    """Rounds with the same decisions, to the bit."""
    different: str
    """The first difference, in words; empty when there is none. Later rounds were not looked at then."""
    not_reproducible: Mapping[str, int]
    """Why rounds were not compared, and how many."""
    rounds: int
    """All that are recorded."""
    decided_before: int
    """First decisions of former versions, which recorded no rounds."""
