"""The score of articles for one reader: three votes, each calibrated, added up by what their past scores were worth.

    verdicts, examples, undelivered ─► Rocchio ─────────► line ─┐
                                    ─► regression ──────► line ─┴─► rankers ─┐
    verdicts ────────────────────────► feature classifier ─► line ──────────┴─► log-odds

Early on Rocchio is better, with many verdicts regression; averaging calibrated log-odds is better than either. The
feature classifier knows what vectors of words do not: sources, authors, style, freshness. Its share is the one that
would have predicted the newest verdicts best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from math import log

import numpy as np

from extractors.arrays import Bools, Floats
from extractors.text.terms import TermBatch
from iscore.filtering.decision.calibration import Line, fit_line, log_loss, sigmoid
from iscore.filtering.decision.evidence import Articles, Evidence
from iscore.filtering.decision.rankers import Ranker, Training, regression, rocchio
from iscore.filtering.decision.vectors import Vectors

ROCCHIO_VERDICTS = 30
"""Verdicts and examples at which both rankers count alike."""
LEAST_SHARE = 0.1
"""With a smaller share Rocchio no longer counts."""
EXAMPLE_WEIGHT = 0.5
"""Weight of an example in the calibration: it was not found among the articles of this stream."""
HIDDEN_WEIGHT = 3.0
"""Weight of all undelivered articles together in the calibration, as dislikes: until something is disliked there is
nothing else that tells how far likes are from the rest."""
ROCCHIO_MIDDLE, REGRESSION_MIDDLE, CLASSIFIER_MIDDLE = 0.35, 0.5, 0.5
"""Quantiles of the left-out scores of liked articles that are even odds before there is evidence."""
LIKELY_SHARE = 0.005
"""With a single like the middle is where this share of the undelivered articles scores higher."""
SHARES = np.linspace(0.01, 0.99, 99)
USUAL_SHARE, SHARE_STRENGTH = 1 / 3, 10.0
"""The classifier is one of three votes; its share moves away from that as by evidence of so many verdicts."""
FEWEST_VOTES = 300
"""Articles of the pool with a vote that are needed to tell its level."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """Margins: log-odds that are right in order and rather high, since they were fitted to deliveries."""

    articles: Floats
    pool: Floats


@dataclass(frozen=True, slots=True, eq=False)
class _Vote:
    """Log-odds of the articles, of the pool, and, left out, of what has a verdict or is an example."""

    articles: Floats
    pool: Floats
    labelled: Floats


@dataclass(frozen=True, slots=True)
class _Classifier:
    """How the feature classifier's vote counts."""

    share: float = 0.0
    line: Line = field(default_factory=Line)
    level: Line = field(default_factory=Line)

    def sums(self, rankers: Floats, votes: Floats) -> Floats:
        """Add votes to the rankers'."""
        return (1.0 - self.share) * rankers + self.share * self.line.log_odds(votes)

    def added(self, rankers: Floats, votes: Floats) -> Floats:
        """Return the log-odds by all votes; those of the rankers where the classifier has none."""
        if self.share == 0.0:
            return rankers
        return np.where(np.isnan(votes), rankers, self.level.log_odds(self.sums(rankers, votes)))


def score(articles: Articles, evidence: Evidence) -> Scored:
    """Score articles, and the pool, by what is known. There must be a like or an example."""
    rankers = _rankers(articles.terms, evidence)
    vote = _classifier(rankers, evidence)
    return Scored(vote.added(rankers.articles, articles.votes), vote.added(rankers.pool, evidence.pool.votes))


def _rankers(articles: TermBatch, evidence: Evidence) -> _Vote:
    labelled = evidence.labelled
    batches = (labelled.terms, evidence.undelivered, evidence.pool.terms, articles)
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
    background = np.sort(ranker.scores(training.vectors, training.undelivered))[::-1]
    if np.count_nonzero(liked) > 1:
        middle = float(np.quantile(ranker.left_out[liked], quantile))
        hidden = np.full(len(background), HIDDEN_WEIGHT / max(len(background), 1))
        return fit_line(
            np.concatenate([ranker.left_out, background]),
            np.concatenate([liked, np.zeros(len(background), dtype=np.bool_)]),
            np.concatenate([weights, hidden]),
            middle,
        )
    # A single like has no left-out score.
    above = min(max(int(LIKELY_SHARE * len(background)), 3), max(len(background) // 5, 1))
    middle = float(background[above - 1]) if len(background) else 0.0
    return fit_line(ranker.left_out[~liked], liked[~liked], weights[~liked], middle)


def _classifier(rankers: _Vote, evidence: Evidence) -> _Classifier:
    """Return how the feature classifier's vote counts.

    Its share predicts verdicts best, given that it is one of three votes. But it has learned from deliveries only, and
    takes other articles for likelier than they are: so the level of the sum is fitted to verdicts and, for what was
    not delivered, to what the rankers say.
    """
    known, voted = ~np.isnan(evidence.left_out), ~np.isnan(evidence.pool.votes)
    scores, liked = evidence.left_out[known], evidence.labelled.liked[known]
    if np.count_nonzero(liked) < 2 or np.count_nonzero(voted) < FEWEST_VOTES:
        return _Classifier()
    line = fit_line(scores, liked, np.ones(len(scores)), float(np.quantile(scores[liked], CLASSIFIER_MIDDLE)))
    votes, others = line.log_odds(scores), rankers.labelled[known]
    losses = [
        float(log_loss((1.0 - share) * others + share * votes, liked).sum())
        - SHARE_STRENGTH * (USUAL_SHARE * log(share) + (1.0 - USUAL_SHARE) * log(1.0 - share))
        for share in SHARES.tolist()
    ]
    share = float(SHARES[int(np.argmin(losses))])
    hidden = voted & np.isnan(evidence.known)
    sums = _Classifier(share, line).sums(rankers.pool[hidden], evidence.pool.votes[hidden])
    scores = np.concatenate([(1.0 - share) * others + share * votes, sums])
    targets = np.concatenate([liked.astype(np.float64), sigmoid(rankers.pool[hidden])])
    return _Classifier(share, line, fit_line(scores, targets, np.ones(len(scores)), 0.0))
