"""Decide which articles are delivered: new ones, and those of the last days that were not.

    evidence ─► scores ─► probabilities ─► threshold ─┬─► reached: recommended, up to a number a day
                                                      └─► below: hidden; a few of the best are explored

Articles that were not delivered get another look as long as they would be in the inbox: what is learned from the first
likes finds the articles that came before them.

Until the first like or example nothing can be ranked, and a diverse selection is explored. So it is, beside the best
article a day, when interests seem to have changed (``changes``).

Nothing here reads or writes anything: the product and the replays call the same functions with the past that each has
collected.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.text.terms import TermVector
from iscore.filtering.delivery.limits import UNKNOWN_THRESHOLD, Today, explored, least, most
from iscore.filtering.delivery.selection import diverse_selection, first_fair
from iscore.filtering.delivery.threshold import reached_by_at_most, threshold_of
from iscore.filtering.delivery.tuning import A_DAY, FIRST_DAY, OLD_MARGIN, UNKNOWN_SCORE
from iscore.filtering.ranking.calibration import probability_of
from iscore.filtering.ranking.evidence import Evidence
from iscore.filtering.ranking.labelled import NO_INTEREST, Articles
from iscore.filtering.ranking.ranking import Fitted, Scored, fitted, score

NO_DAY = Today()
"""Nothing was delivered, and no limit follows from the days before."""


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Articles that may be delivered, in order of arrival. Archive (``iscore.feeds.archive``) is never among them."""

    articles: Articles
    sources: Sequence[str]
    earlier: int
    """How many of them, the first, were not delivered at an earlier time."""
    boosts: Floats
    """What the user's rules add to each score: infinite for an article that is always shown, minus infinite for one
    that never is, 0 without a rule."""
    old: int = 0
    """How many, the first, were not delivered for longer than ``OLD``."""

    @property
    def new(self) -> int:
        """How many of them are new."""
        return len(self.sources) - self.earlier


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Articles that a round may deliver, in order of arrival."""

    numbers: Sequence[int]
    """By which the log knows them."""
    articles: Articles
    sources: Sequence[str]
    boosts: Floats
    """As of ``Batch``."""

    def __len__(self) -> int:
        return len(self.numbers)

    @classmethod
    def joined(cls, *several: Candidates) -> Candidates:
        """Concatenate candidates."""
        return cls(
            [number for each in several for number in each.numbers],
            Articles.joined(*(each.articles for each in several)),
            [source for each in several for source in each.sources],
            np.concatenate([each.boosts for each in several]),
        )

    def as_batch(self, earlier: int, old: int = 0) -> Batch:
        """Return them as a batch of which the first ``earlier`` were hidden before, and the first ``old`` long ago."""
        return Batch(self.articles, self.sources, earlier, self.boosts, old)


class Decision(NamedTuple):
    """What is done with one article."""

    score: float
    """True log-odds: what people are shown."""
    margin: float
    """Log-odds before they were made true, from which later decisions learn which likes were expected; NaN before the
    first like or example."""
    threshold: float
    interesting: bool
    """Score at or above threshold: recommended."""
    explore: bool
    """Delivered although it is below the threshold."""
    names: tuple[str, ...] = ()
    """Of the features; only in the library, as the next two."""
    features: Floats | None = None
    """One per name, at the article's arrival; NaN is missing."""
    at: datetime | None = None

    @property
    def delivered(self) -> bool:
        """Whether the user is shown it."""
        return self.interesting or self.explore

    @property
    def posterior(self) -> float:
        """Probability of interest, for display: 1 / (1 + exp(-score))."""
        return probability_of(self.score)

    @property
    def probability(self) -> float:
        """Chance with which it was delivered: nothing is left to chance."""
        return float(self.delivered)


def decide(
    batch: Batch, evidence: Evidence, today: Today, shown: Sequence[TermVector], *, scored: Scored | None = None
) -> list[Decision]:
    """Decide about each article of a batch. Its new ones are those of the evidence.

    A threshold that rules override does not count: an article whose decision they reverse, or that they mute, is
    neither recommended nor explored here.

    Parameters
    ----------
    shown
        The newest deliveries, which the diverse selection need not represent again; only if ``is_diverse``.
    scored
        What ``score`` returned for these articles and this evidence, if it was called before.
    """
    if not evidence.can_rank:
        return _diverse(batch, evidence, today, shown)
    scored = scored or score(batch.articles, evidence)
    scores = scored.offsets.log_odds(scored.articles)
    left = max(_left(evidence, today) - today.explored, 0)
    best = _best_threshold(scored, scores, batch.boosts > -np.inf, evidence)
    margin_of_old = OLD_MARGIN * (np.arange(len(scores)) < batch.old)
    reach = scores - margin_of_old
    allowed = reach[batch.boosts > -np.inf]
    threshold = reached_by_at_most(left, allowed, best)
    if evidence.searching:  # the best article of a day, wherever the threshold is
        best_score = float(allowed.max()) if len(allowed) else best
        threshold = math.nextafter(best_score, math.inf) if today.recommended else best_score
    interesting = reach >= threshold
    counted = (interesting == (reach + batch.boosts >= threshold)) & (batch.boosts > -np.inf)
    recommended = int(np.count_nonzero(interesting & counted))
    arrived, recommended_today = today.arrived + batch.new, today.recommended + recommended
    wanted = least(evidence.likes, arrived, examples=evidence.has_examples) - recommended_today - today.explored
    wanted = max(wanted, min(explored(arrived, recommended_today) - today.explored, left - recommended))
    below = np.flatnonzero(~interesting & counted)
    # Of equal scores none reaches the threshold if all are more than the limit: the newest of them are explored.
    equals = int(np.count_nonzero(reach[below] >= best))
    wanted = max(wanted, min(equals, left - recommended))
    order = below[np.lexsort((-below, -reach[below]))].tolist()
    groups: Sequence[Hashable] = batch.sources
    if evidence.labelled.only_words and (scored.interests[below] != NO_INTEREST).any():  # each interest has its part
        groups, order = scored.interests.tolist(), [row for row in order if scored.interests[row] != NO_INTEREST]
    chosen = set(first_fair(order, groups, max(wanted, 0)))
    if evidence.searching:
        chosen = _representatives(batch, shown, A_DAY - today.explored) & set(below.tolist())
    margins = scored.articles.copy()
    if evidence.labelled.only_words:
        # They are of another scale than those after the first like, and say nothing about them.
        margins[batch.earlier :] = math.nan
    thresholds = threshold + margin_of_old
    rows = zip(scores.tolist(), margins.tolist(), thresholds.tolist(), interesting.tolist(), strict=True)
    return [Decision(*each, row in chosen) for row, each in enumerate(rows)]


def is_diverse(evidence: Evidence) -> bool:
    """Whether a diverse selection is explored."""
    return evidence.searching or not evidence.can_rank


class Rescored(NamedTuple):
    """What is thought now of articles that were decided about before."""

    scores: Floats
    thresholds: Floats
    interests: list[str]
    """The name of the interest that each belongs to; empty if it belongs to none."""


def rescored(
    articles: Articles, evidence: Evidence, *, hidden: Bools, old: Bools, today: Today, fit: Fitted | None = None
) -> Rescored:
    """Return what is thought now of articles that were decided about before.

    Parameters
    ----------
    hidden
        Whether each of them may be shown, but was not: of these no more are recommended than are left of the day.
    old
        Whether each of them has been hidden for longer than ``OLD``.
    today
        As it was at the newest round.
    fit
        What ``fitted`` returned for the same articles and evidence, if it was called before.
    """
    n = len(articles.terms)
    if not evidence.can_rank:
        return Rescored(np.full(n, UNKNOWN_SCORE), np.full(n, UNKNOWN_THRESHOLD), [""] * n)
    fit = fit or fitted(articles, evidence)
    scored = fit.scored(articles.votes, evidence)
    scores = scored.offsets.log_odds(scored.articles)
    best, margin_of_old = _best_threshold(scored, scores, hidden, evidence), OLD_MARGIN * old
    threshold = reached_by_at_most(_left(evidence, today), (scores - margin_of_old)[hidden], best)
    names = dict(enumerate(evidence.labelled.names)) | {NO_INTEREST: ""}
    thresholds = np.where(hidden, threshold, best) + margin_of_old
    return Rescored(scores, thresholds, [names[number] for number in scored.interests.tolist()])


def recommended_a_day(
    articles: Articles, listed: Bools, evidence: Evidence, *, days: float, betas: Sequence[float]
) -> list[float]:
    """Return how many articles a day each beta would recommend among articles that were decided about before.

    There are none while nothing can be ranked.

    Parameters
    ----------
    listed
        Whether each of them may be shown: it is neither archive nor hidden by a rule.
    days
        Number of days over which they arrived.
    """
    if not evidence.can_rank:
        return [0.0] * len(betas)
    scored = score(articles, evidence)
    shown = scored.offsets.log_odds(scored.articles)[listed]
    count = int(days * _most(evidence, NO_DAY))
    best = (threshold_of(scored, replace(evidence, beta=beta)) for beta in betas)
    thresholds = (reached_by_at_most(count, shown, each) for each in best)
    return [float(np.count_nonzero(shown >= threshold)) / days for threshold in thresholds]


def _diverse(batch: Batch, evidence: Evidence, today: Today, shown: Sequence[TermVector]) -> list[Decision]:
    """Explore articles that represent the others; nothing can be ranked."""
    explored = _representatives(batch, shown, (FIRST_DAY if evidence.dislikes == 0 else A_DAY) - today.explored)
    rows = range(len(batch.sources))
    return [
        Decision(UNKNOWN_SCORE, math.nan, UNKNOWN_THRESHOLD, interesting=False, explore=row in explored) for row in rows
    ]


def _representatives(batch: Batch, shown: Sequence[TermVector], count: int) -> set[int]:
    """Return at most ``count`` of the new articles, those that represent the others best."""
    terms, sources = batch.articles.terms, batch.sources
    free = [row for row in range(batch.earlier, len(sources)) if batch.boosts[row] == 0.0]
    chosen = diverse_selection([terms[row] for row in free], [sources[row] for row in free], shown, max(count, 0))
    return {free[place] for place in chosen}


def _best_threshold(scored: Scored, scores: Floats, allowed: Bools, evidence: Evidence) -> float:
    """Return the threshold, or a lower one that ``FIRST_DAY`` of the allowed articles about an interest reach.

    The lower one is for users who have said nothing else yet: from their verdicts on these most is learned.
    """
    best = threshold_of(scored, evidence)
    fitting = np.sort(scores[allowed & (scored.interests != NO_INTEREST)])[-FIRST_DAY:]
    return min(best, float(fitting[0])) if _is_first_day(evidence) and len(fitting) else best


def _is_first_day(evidence: Evidence) -> bool:
    """Return whether interests in words are all that is known."""
    return evidence.labelled.only_words and evidence.dislikes == 0


def _most(evidence: Evidence, today: Today) -> int:
    """Return how many articles a day are recommended at most."""
    if evidence.searching:
        return 1
    if _is_first_day(evidence):
        return FIRST_DAY
    return most(evidence.likes, today.before)


def _left(evidence: Evidence, today: Today) -> int:
    """Return how many more articles may be recommended today."""
    return max(_most(evidence, today) - today.recommended, 0)
