"""What a decision depends on besides the scores: the verdicts and decisions so far.

The product counts them in its database, a replay in memory. Both implement ``DecisionLog``; ``past_of`` asks either
for the same periods.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np
import numpy.typing as npt

from extractors.text.terms import TermVector
from iscore.filtering.decision.trained import is_trained

TODAY = timedelta(hours=20)
"""Less than a day, because nobody opens their inbox at the same minute each day."""
SHOWN = 500
"""Newest deliveries that the diverse selection compares new articles with."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """What a reader's model has learned so far."""

    likes: int = 0
    dislikes: int = 0
    imported: int = 0
    """Imported items, which the user liked before they used this filter."""
    threshold: float = 0.0
    """Learned from the verdicts, in log-odds."""

    @property
    def trained(self) -> bool:
        """Whether the classifier scores."""
        return is_trained(self.likes, self.dislikes)


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Verdicts so far, by what had been decided about the article."""

    recommended_liked: int = 0
    recommended_disliked: int = 0
    explored: Sequence[tuple[bool, float]] = ()
    """For each verdict on an explored article: whether it was liked, and the probability with which it was drawn, which
    is 1 for an article of the diverse selection."""


@dataclass(frozen=True, slots=True)
class DecisionCounts:
    """First decisions of some period, by what became of the article."""

    recommended: int = 0
    explored: int = 0
    hidden: int = 0
    """Below the threshold and not explored."""
    muted: int = 0
    """Never shown because of a rule."""
    last_explored: datetime | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Past:
    """Verdicts and decisions before the present batch."""

    model: ModelSummary = ModelSummary()
    verdicts: VerdictCounts = VerdictCounts()
    ever: DecisionCounts = DecisionCounts()
    days: float = 1.0
    """Days from the first to the last decision of the window, plus one."""
    recent: DecisionCounts = DecisionCounts()
    """Decisions of the window."""
    today: DecisionCounts = DecisionCounts()
    """Decisions of the last ``TODAY``."""
    scores: Floats = field(default_factory=lambda: np.empty(0))
    """Current scores of the window's articles."""
    shown: Sequence[TermVector] = ()
    """The newest deliveries; empty once the classifier scores."""


class DecisionLog(Protocol):
    """Where verdicts and decisions are counted. ``since`` None means all."""

    def verdicts(self) -> VerdictCounts:
        """Count all verdicts."""

    def counts(self, since: datetime | None) -> DecisionCounts:
        """Count the first decisions made since then."""

    def span(self, since: datetime) -> tuple[datetime, datetime] | None:
        """Return the times of the first and the last decision made since then; None when there is none."""

    def scores(self, since: datetime) -> Floats:
        """Return the current scores of articles since then."""

    def shown(self, limit: int) -> Sequence[TermVector]:
        """Return the terms of the ``limit`` newest deliveries, in order of arrival."""


def past_of(log: DecisionLog, model: ModelSummary, *, now: datetime, window: timedelta) -> Past:
    """Collect what ``decide`` needs; ``window`` is how long an article stays in the inbox."""
    since = now - window
    return replace(
        past_for_rescoring(log, model, since),
        recent=log.counts(since),
        today=log.counts(now - TODAY),
        scores=log.scores(since),
        shown=() if model.trained else log.shown(SHOWN),
    )


def past_for_rescoring(log: DecisionLog, model: ModelSummary, since: datetime) -> Past:
    """Collect what ``decide.current_threshold`` needs for the articles that arrived ``since``."""
    span = log.span(since)
    days = 1.0 if span is None else 1.0 + (span[1] - span[0]) / timedelta(days=1)
    return Past(model, log.verdicts(), log.counts(None), days)
