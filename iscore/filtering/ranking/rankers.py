"""Two rankers that are good from the first like: Rocchio early, logistic regression late.

Both score an article by a linear function of its vector (``vectors``), and both also return *left-out* scores of the
articles that they have learned from, as if these were new: only such scores can be calibrated.

What was never delivered has no verdict. It counts as weakly disliked, since nearly all of it is; a sample of it stands
for the rest. Without it a ranker fitted to deliveries alone has never seen what most articles are like.

Sources: Rocchio 1971; Zhang 2004, "Using Bayesian priors to combine classifiers for adaptive filtering" (Rocchio
early, regression late).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from extractors.arrays import Bools, Floats, Int64s
from iscore.filtering.ranking.regression import minimum
from iscore.filtering.ranking.vectors import Vectors, Weights

DISLIKED = 0.25
"""Weight of the disliked articles' mean in Rocchio, where the liked ones' is 1 (Buckley, Salton, Allan 1994)."""
ROCCHIO_SCALE = 30.0
"""Brings products with means, of some hundredths, to the size of log-odds, so that ``calibration`` can begin at 1."""

COST = 5.0
"""Cost of an error in logistic regression, where half the squared length of the weights costs 1."""
UNDELIVERED_COST = 0.1
"""The same for an article that was not delivered, as a part of that for one with a verdict."""
FEW_LIKES, FOLDS_OF_FEW, FOLDS = 10, 5, 3
"""With up to ``FEW_LIKES`` likes each left-out part must be small, or too few are left to learn from."""


@dataclass(frozen=True, slots=True, eq=False)
class Training:
    """What a ranker is fitted to, as places in ``vectors``."""

    vectors: Vectors
    labelled: Int64s
    """Articles with a verdict, and examples."""
    liked: Bools
    """Of each labelled article."""
    weights: Floats
    """Of each labelled article: 1 for a verdict."""
    undelivered: Int64s
    """The sample of what was not delivered."""
    represented: float
    """How many undelivered articles each of the sample represents; at least 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranker:
    """A fitted ranker."""

    weights: Weights
    bias: float
    left_out: Floats
    """Score of each labelled article by a ranker that has not learned from it."""

    def scores(self, vectors: Vectors, places: Int64s) -> Floats:
        """Return the score of each of these articles; shape (places,)."""
        return vectors.products(places, self.weights) + self.bias


def rocchio(training: Training) -> Ranker:
    """Fit  30 · x · (mean of liked − mean of undelivered − 0.25 · mean of disliked).

    Left-out scores are exact: the article is taken out of its own mean. A single liked article cannot be left out.
    """
    vectors, labelled, liked = training.vectors, training.labelled, training.liked
    undelivered = vectors.sum(training.undelivered, np.ones(len(training.undelivered)))
    background = -1.0 / max(len(training.undelivered), 1)
    squares = vectors.squares[labelled]
    left_out = background * vectors.products(labelled, undelivered)
    words, stream = background * undelivered.words, background * undelivered.stream
    for mine, factor in ((liked, 1.0), (~liked, -DISLIKED)):
        amounts = np.where(mine, training.weights, 0.0)
        total = float(amounts.sum())
        if total == 0.0:
            continue
        added = vectors.sum(labelled, amounts)
        words += factor / total * added.words
        stream += factor / total * added.stream
        rest = np.maximum(total - amounts, 0.0)
        alone = rest < 1e-9
        own = vectors.products(labelled, added)
        left_out += factor * np.where(alone, 0.0, (own - amounts * squares) / np.where(alone, 1.0, rest))
    scaled = Weights(ROCCHIO_SCALE * words, ROCCHIO_SCALE * stream)
    return Ranker(scaled, 0.0, ROCCHIO_SCALE * left_out)


def regression(training: Training) -> Ranker:
    """Fit logistic regression: least |w|²/2 + Σ cost · ln(1 + e^−margin), with a bias that is one more feature.

    Left-out scores are those of a fit without a fold of the labelled articles; the folds take turns in order of time.
    """
    vectors, liked = training.vectors, training.liked
    places = np.concatenate([training.labelled, training.undelivered])
    signs = np.concatenate([np.where(liked, 1.0, -1.0), np.full(len(training.undelivered), -1.0)])
    weak = UNDELIVERED_COST * training.represented
    costs = COST * np.concatenate([training.weights, np.full(len(training.undelivered), weak)])
    n_likes = int(np.count_nonzero(liked))
    folds = FOLDS_OF_FEW if n_likes <= FEW_LIKES else FOLDS
    turn = np.empty(len(liked), dtype=np.int64)
    for mine in (liked, ~liked):
        turn[mine] = np.arange(np.count_nonzero(mine)) % folds
    left = [np.flatnonzero(turn == fold) for fold in range(folds)]
    of_fits = np.tile(costs, (1 + folds, 1))
    for without, own in zip(of_fits[1:], left, strict=True):
        without[own] = 0.0
    found, *others = minimum(vectors, places, signs, of_fits)
    left_out = np.zeros(len(liked))
    for own, other in zip(left, others, strict=True):
        left_out[own] = vectors.products(training.labelled[own], other.weights) + other.bias
    return Ranker(found.weights, found.bias, left_out)
