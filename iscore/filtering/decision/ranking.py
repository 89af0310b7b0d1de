"""The score of articles for one reader: three votes, each calibrated, added up by what their past scores were worth.

    verdicts, examples, undelivered ─► Rocchio ─────────► line ─┐
                                    ─► regression ──────► line ─┴─► rankers ─┐
    verdicts ────────────────────────► feature classifier ─► line ──────────┴─► log-odds

Early on Rocchio is better, with many verdicts regression; averaging calibrated log-odds is better than either. The
feature classifier knows what vectors of words do not: sources, authors, style, freshness. Its share is the one that
would have predicted the newest verdicts best.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.article_features import AnalysedBatch
from extractors.text.terms import TermBatch
from iscore.filtering.decision.calibration import Line, fit_line, log_loss, sigmoid
from iscore.filtering.decision.evidence import Evidence
from iscore.filtering.decision.rankers import Ranker, Training, regression, rocchio
from iscore.filtering.decision.vectors import Vectors

ROCCHIO_VERDICTS = 30
"""Verdicts and examples at which both rankers count alike."""
LEAST_SHARE = 0.1
"""With a smaller share Rocchio no longer counts."""
EXAMPLE_WEIGHT = 0.5
"""Weight of an example in the calibration: it was not found among the articles of this stream."""
ROCCHIO_MIDDLE, REGRESSION_MIDDLE, CLASSIFIER_MIDDLE = 0.35, 0.5, 0.5
"""Quantiles of the left-out scores of liked articles that are even odds before there is evidence."""
LIKELY_SHARE = 0.005
"""With a single like the middle is where this share of the undelivered articles scores higher."""
SHARES = np.linspace(0.0, 1.0, 21)
SHARE_COST = 3.0
"""What the classifier must have predicted better to have the whole vote, in nats: it has seen deliveries only."""
LIKELIEST = 500
"""Articles of the pool that the classifier scores, the likeliest by the rankers: the others are never delivered."""
SHIFT_VARIANCE = 2.0
LARGEST_SHIFT = 8.0


@dataclass(frozen=True, slots=True, eq=False)
class Articles:
    """Articles to be scored."""

    terms: TermBatch
    features: Callable[[], AnalysedBatch]
    """Returns the same articles with their features, for the classifier."""

    @classmethod
    def of(cls, articles: AnalysedBatch) -> Articles:
        """Make them of articles with features."""
        return cls(articles.terms, lambda: articles)


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Scores in log-odds."""

    articles: Floats
    pool: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Vote:
    """Log-odds of the articles, of the pool, and, left out, of what has a verdict or is an example."""

    articles: Floats
    pool: Floats
    labelled: Floats


def score(articles: Articles, evidence: Evidence) -> Scored:
    """Score articles, and the pool, by what is known. There must be a like or an example."""
    rankers = _rankers(articles.terms, evidence)
    line, share = _classifier(rankers.labelled, evidence)
    shift = _shift(evidence)
    if share == 0.0:
        return Scored(rankers.articles + shift, rankers.pool + shift)
    likeliest = np.sort(np.argsort(-rankers.pool, kind="stable")[:LIKELIEST])
    pool = rankers.pool.copy()
    votes = line.log_odds(evidence.model.score_many(evidence.pool_features(likeliest)))
    pool[likeliest] = (1.0 - share) * pool[likeliest] + share * votes
    votes = line.log_odds(evidence.model.score_many(articles.features()))
    return Scored((1.0 - share) * rankers.articles + share * votes + shift, pool + shift)


def _rankers(articles: TermBatch, evidence: Evidence) -> _Vote:
    labelled = evidence.labelled
    batches = (labelled.terms, evidence.undelivered, evidence.pool, articles)
    starts = np.cumsum([0, *(len(batch) for batch in batches)]).tolist()
    places = [np.arange(*span) for span in pairwise(starts)]
    vectors = Vectors.of(TermBatch.joined(batches), evidence.basis)
    training = Training(
        vectors,
        labelled=places[0],
        liked=labelled.liked,
        weights=labelled.weights,
        undelivered=places[1],
        represented=evidence.n_undelivered / max(len(places[1]), 1),
    )
    share = ROCCHIO_VERDICTS / (ROCCHIO_VERDICTS + len(labelled.liked))
    share = share if share >= LEAST_SHARE else 0.0
    wanted = np.concatenate(places[2:])
    total, left_out = np.zeros(len(wanted)), np.zeros(len(labelled.liked))
    for fit, part, middle in ((rocchio, share, ROCCHIO_MIDDLE), (regression, 1.0 - share, REGRESSION_MIDDLE)):
        if part > 0.0:
            ranker = fit(training)
            line = _calibrated(ranker, training, labelled.examples, middle)
            total += part * line.log_odds(ranker.scores(vectors, wanted))
            left_out += part * line.log_odds(ranker.left_out)
    return _Vote(total[len(places[2]) :], total[: len(places[2])], left_out)


def _calibrated(ranker: Ranker, training: Training, examples: Bools, quantile: float) -> Line:
    weights = np.where(examples, EXAMPLE_WEIGHT, 1.0) * training.weights
    liked = training.liked
    if np.count_nonzero(liked) > 1:
        middle = float(np.quantile(ranker.left_out[liked], quantile))
        return fit_line(ranker.left_out, liked, weights, middle)
    # A single like has no left-out score.
    background = np.sort(ranker.scores(training.vectors, training.undelivered))[::-1]
    above = min(max(int(LIKELY_SHARE * len(background)), 3), max(len(background) // 5, 1))
    middle = float(background[above - 1]) if len(background) else 0.0
    return fit_line(ranker.left_out[~liked], liked[~liked], weights[~liked], middle)


def _classifier(rankers: Floats, evidence: Evidence) -> tuple[Line, float]:
    """Return the line of the feature classifier's scores, and its share: the one that predicts verdicts best."""
    known = ~np.isnan(evidence.left_out)
    scores, liked = evidence.left_out[known], evidence.labelled.liked[known]
    if np.count_nonzero(liked) < 2 or not evidence.model.trained:
        return Line(), 0.0
    line = fit_line(scores, liked, np.ones(len(scores)), float(np.quantile(scores[liked], CLASSIFIER_MIDDLE)))
    votes, others = line.log_odds(scores), rankers[known]
    losses = [float(log_loss((1.0 - s) * others + s * votes, liked).sum()) + SHARE_COST * s for s in SHARES.tolist()]
    return line, float(SHARES[int(np.argmin(losses))])


def _shift(evidence: Evidence) -> float:
    """Return by how much the log-odds of deliveries were too low, given their verdicts; never negative."""
    if not evidence.deliveries:
        return 0.0
    scores = np.array([score for score, _ in evidence.deliveries])
    signs = np.array([1.0 if liked else -1.0 for _, liked in evidence.deliveries])

    def slope(shift: float) -> float:
        return float((signs * sigmoid(-signs * (scores + shift))).sum()) - shift / SHIFT_VARIANCE

    low, high = 0.0, LARGEST_SHIFT
    if slope(low) <= 0.0:
        return 0.0
    for _ in range(30):
        shift = 0.5 * (low + high)
        low, high = (shift, high) if slope(shift) > 0.0 else (low, shift)
    return low
