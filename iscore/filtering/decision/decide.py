"""Decide which articles of a batch are delivered.

    scores ─► threshold ─┬─► at or above: recommended
                         └─► below: a few are explored, the others hidden

Until there are enough verdicts (``trained``), the best articles by ``cold_start`` are recommended, and a diverse
selection is explored instead of a random one. Nothing here reads or writes anything: the product and the replays call
the same function with the past that each has counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedBatch
from extractors.text.terms import TermBatch
from iscore.filtering.decision.cold_start import (
    best_threshold,
    diverse_at_most,
    imported_threshold,
    recommended_at_most,
)
from iscore.filtering.decision.diverse_selection import diverse_selection
from iscore.filtering.decision.exploration import Draw, explore
from iscore.filtering.decision.past import Past
from iscore.filtering.decision.threshold_floor import floored_threshold, likeable_share

BATCH = 5000
"""Articles decided at a time; the decisions on one batch are part of the past of the next."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """New articles, in order of arrival. Archive (``iscore.feeds.archive``) is never among them."""

    ids: Sequence[str]
    scores: Floats
    """Log-odds, shape (articles,)."""
    terms: TermBatch
    sources: Sequence[str]
    ruled_scores: Floats | None = None
    """The scores as the user's rules change them: infinite for an article that is always shown, minus infinite for one
    that never is. None without rules."""

    @classmethod
    def of(cls, articles: AnalysedBatch, scores: Floats, ruled_scores: Floats | None = None) -> Batch:
        """Make a batch of articles and their scores."""
        sources = [article.source for article in articles.metadata]
        return cls([article.id for article in articles.metadata], scores, articles.terms, sources, ruled_scores)


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done with one article."""

    score: float
    threshold: float
    interesting: bool
    """Score at or above threshold: recommended."""
    explore: bool
    """Delivered although it is below the threshold."""
    probability: float
    """Probability with which it was delivered, given its score."""


def decide(batch: Batch, past: Past, *, explore_share: float, seed: int, now: datetime) -> list[Decision]:
    """Decide about each article of a batch.

    A threshold that rules override does not count: an article whose decision they reverse, or that they mute, is
    neither recommended nor explored here.

    Parameters
    ----------
    explore_share
        Largest part of explored articles among all deliveries, in [0, 1). The diverse selection is not limited by it.
    seed
        The user's; with the article's id it decides the draws.
    now
        The time of the decisions.
    """
    scores = batch.scores
    ruled = scores if batch.ruled_scores is None else batch.ruled_scores
    threshold = _threshold(scores[ruled > -np.inf], scores, past, already=past.today.recommended)
    interesting = scores >= threshold
    counted = (interesting == (ruled >= threshold)) & (ruled > -np.inf)
    recommended = np.flatnonzero(interesting & counted).tolist()
    below = np.flatnonzero(~interesting & counted).tolist()
    sources = [batch.sources[row] for row in below]
    if past.model.trained or past.model.imported:
        distances = [(batch.ids[row], threshold - float(scores[row])) for row in below]
        draws = explore(
            distances,
            sources,
            recommended=len(recommended),
            recent=past.recent,
            share=explore_share,
            seed=seed,
            now=now,
        )
    else:
        count = diverse_at_most(past.model.likes, past.model.likes + past.model.dislikes, past.today.explored)
        shown = [*past.shown, *(batch.terms[row] for row in recommended)]
        chosen = diverse_selection([batch.terms[row] for row in below], sources, shown, count)
        draws = [Draw(explore=False, probability=0.0)] * len(below)
        for place in chosen:
            draws[place] = Draw(explore=True, probability=1.0)
    drawn = dict(zip(below, draws, strict=True))
    decisions = []
    for row, (score, passes) in enumerate(zip(scores.tolist(), interesting.tolist(), strict=True)):
        draw = drawn.get(row)
        explored, probability = (draw.explore, draw.probability) if draw else (False, 1.0 if passes else 0.0)
        decisions.append(Decision(score, threshold, passes, explored, probability))
    return decisions


def current_threshold(scores: Floats, past: Past, muted: Sequence[int] = ()) -> float:
    """Return the threshold for all articles of the window, which were decided about before.

    ``scores`` are their current ones, used instead of ``past.scores``; rules never show the places ``muted``.
    """
    past = replace(past, scores=np.empty(0))
    return _threshold(np.delete(scores, list(muted)), scores, past, days=past.days)


def _threshold(shown: Floats, scores: Floats, past: Past, *, already: int = 0, days: float = 1.0) -> float:
    """Return the threshold for articles of these scores.

    Parameters
    ----------
    shown
        The scores without those of muted articles, which take no place among the best.
    scores
        All of them.
    already
        Articles recommended today.
    days
        Number of days over which the articles arrived.
    """
    model = past.model
    if not model.trained and model.imported:
        return imported_threshold(shown, model.likes, model.dislikes)
    likeable = likeable_share(past.verdicts)
    if not model.trained:
        return best_threshold(shown, recommended_at_most(model.likes, likeable, len(shown), already))
    threshold = floored_threshold(model.threshold, np.concatenate([scores, past.scores]), past)
    if not model.imported:
        most = recommended_at_most(model.likes, likeable, len(shown), already, trained=True, days=days)
        if most < len(shown):
            threshold = max(threshold, best_threshold(shown, most))
    return threshold
