"""How close an article is to what the user likes, by the one of ten Rocchio profiles that has filtered best so far.

How to use dislikes, and how long to remember, differs from user to user and is not known in advance. So there is a bank
of settings, each a filter with a threshold of its own; every verdict updates the F0.5 of all, and the best one gives
the feature. Pon, Cardenas & Buttler 2008, "Online selection of parameters in the Rocchio algorithm for identifying
interesting news articles" (eRocchio).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import ClassVar, Final, NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats, Int64s, State, array, nested, number
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.numba_kernel import compiled, inner
from extractors.reader.profile_sums import DISLIKED, LIKED, ProfileSums, Sums, add_article, find_directions, multiply
from extractors.text.terms import TermRows

HALF_LIVES: Final = (float("inf"), 500.0)
"""Verdicts after which an article counts half in a profile: one that never forgets, and one for interests that
change."""
GAMMAS: Final = np.array([0.0, 0.25, 0.5, 1.0, 2.0])
"""Weight of the disliked articles' mean against the liked articles'. Only the direction of a profile matters, so β = 1
loses nothing."""
START: Final = 3
"""The first setting in use: γ = 1 without forgetting."""
MEMORY: Final = 2000.0
"""Verdicts after which a hit or a miss counts half in a setting's F0.5, since the best setting may change."""
LEAD: Final = 0.02
"""Lead in F0.5 that another setting needs to take over, so that the setting does not change all the time."""

BINS: Final = 64
_LOWEST: Final = -0.25
_PER_UNIT: Final = BINS / 1.25
"""Cosines are counted in bins between −0.25 and 1."""

_PRIOR_COUNT: Final = 5.0
_PRIOR_DEVIATION: Final = 0.05
_PRIOR_SQUARES: Final = _PRIOR_COUNT * _PRIOR_DEVIATION**2
"""Prior: disliked articles at cosine 0 ± 0.05, worth five of them."""


class Bank(NamedTuple):
    """What is known of each setting, as compiled functions take it; n is their number."""

    counts: Floats
    """Disliked and liked articles by bin, shape (n, 2, BINS)."""
    disliked: Floats
    """Number, sum and sum of squares of the disliked articles' cosines, shape (n, 3)."""
    thresholds: Int64s
    """The lowest bin that is delivered, shape (n,)."""
    decided: Floats
    """Articles delivered wrongly, delivered rightly, and liked; shape (n, 3)."""


class ERocchio(BatchReaderExtractor):
    """(c − mean)/deviation: c is the article's cosine with the profile mean(I) − γ·mean(N) of the best setting so far,
    and mean and deviation are those of the disliked articles' cosines under that setting before it learned them. Any
    size; 0 is a typical disliked article.

    A setting's F0.5 comes from its own decisions: each article is first decided by the threshold that would have been
    best for the earlier ones, then learned. Profiles of different γ have different distances from all articles; in
    units of the deviation their values stay comparable when the best setting changes. Missing before the first like,
    and for an article without terms.

    Memory: that of ``profile_sums.py`` with two half-lives, and 11 KB.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> extractor = ERocchio()
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> extractor.extract(ferry)[0] > extractor.extract(tram)[0]
    True
    """

    features: ClassVar[tuple[str, ...]] = ("erocchio",)
    meanings: ClassVar[Mapping[str, str]] = {"erocchio": "overall closer to your likes"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"erocchio": "no closer to your likes than a typical dislike"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"erocchio": (0.0, 1.5)}
    families: ClassVar[Mapping[str, str]] = {"erocchio": "topic relevance"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        n = len(HALF_LIVES) * len(GAMMAS)
        self._sums = ProfileSums(HALF_LIVES)
        self._bank = Bank(np.zeros((n, 2, BINS)), np.zeros((n, 3)), np.full(n, BINS, dtype=np.int64), np.zeros((n, 3)))
        self._best = START
        self._directions = self._sums.directions(GAMMAS)

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        which, g = divmod(self._best, len(GAMMAS))
        mean, deviation = _mean_and_deviation(self._bank.disliked[self._best])
        cosines = self._sums.project(articles.terms, which, self._directions[which, g])
        distances: Floats = (cosines - mean) / deviation
        return distances.reshape(len(articles), 1)

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        distances = np.full((len(articles), 1), np.nan)
        rows, labels, weights = articles.terms.rows(), verdicts.interesting, verdicts.weights
        rows = rows._replace(ids=self._sums.claim(rows.ids))
        learned = self._sums.arrays, GAMMAS, self._directions, self._bank, self._best
        self._best = _extract_and_learn(rows, labels, weights, *learned, distances[:, 0])
        return distances

    def state(self) -> State:
        return {
            "sums": self._sums.state(),
            "counts": self._bank.counts.copy(),
            "disliked": self._bank.disliked.copy(),
            "cuts": self._bank.thresholds.copy(),
            "decided": self._bank.decided.copy(),
            "best": self._best,
        }

    def restore(self, state: State) -> None:
        self._sums.restore(nested(state, "sums"))
        self._bank = Bank(
            array(state, "counts", np.float64),
            array(state, "disliked", np.float64),
            array(state, "cuts", np.int64),
            array(state, "decided", np.float64),
        )
        self._best = int(number(state, "best"))
        self._directions = self._sums.directions(GAMMAS)


_FADE: Final = 0.5 ** (1.0 / MEMORY)
_FADES: Final = np.array([0.5 ** (1.0 / half_life) for half_life in HALF_LIVES])


@inner
def _update(products: Floats, directions: Floats, label: int, weight: float, bank: Bank) -> None:
    """Let each setting decide on an article, whose products with the sums are given, and learn the verdict."""
    counts, disliked, thresholds, decided = bank
    n_gammas = directions.shape[1]
    for setting in range(len(thresholds)):
        which, g = setting // n_gammas, setting % n_gammas
        cosine = products[which, 0] * directions[which, g, 0] + products[which, 1] * directions[which, g, 1]
        known = not np.isnan(cosine)
        place = min(max(int((cosine - _LOWEST) * _PER_UNIT), 0), BINS - 1) if known else -1
        for kind in range(3):
            decided[setting, kind] *= _FADE
        if place >= thresholds[setting]:
            decided[setting, label] += weight
        decided[setting, 2] += weight * label
        if not known:
            continue
        if label == 0:
            disliked[setting, 0] = disliked[setting, 0] * _FADES[which] + weight
            disliked[setting, 1] = disliked[setting, 1] * _FADES[which] + weight * cosine
            disliked[setting, 2] = disliked[setting, 2] * _FADES[which] + weight * cosine * cosine
        all_liked = 0.0
        for b in range(BINS):
            counts[setting, 0, b] *= _FADES[which]
            counts[setting, 1, b] *= _FADES[which]
            all_liked += counts[setting, 1, b]
        counts[setting, label, place] += weight
        all_liked += weight * label
        right = wrong = best_right = 0.0
        best_all = 1.0
        for b in range(BINS - 1, -1, -1):
            right += counts[setting, 1, b]
            wrong += counts[setting, 0, b]
            # F0.5 is 1.25 right / all: compared crosswise, and only where a lower threshold delivers a liked article.
            if counts[setting, 1, b] > 0.0 and right * best_all > best_right * (right + wrong + 0.25 * all_liked):
                best_right, best_all = right, right + wrong + 0.25 * all_liked
                thresholds[setting] = b


@inner
def _choose(decided: Floats, best: int) -> int:
    """Return the setting to use from now on."""
    leader, highest, own = best, 0.0, 0.0
    for setting in range(len(decided)):
        wrong, right, liked = decided[setting, 0], decided[setting, 1], decided[setting, 2]
        f05 = 1.25 * right / (right + wrong + 0.25 * liked) if right > 0.0 else 0.0
        if f05 > highest:
            leader, highest = setting, f05
        if setting == best:
            own = f05
    return leader if highest > own + LEAD else best


@inner
def _mean_and_deviation(disliked: Floats) -> tuple[float, float]:
    """Return mean and deviation of the disliked articles' cosines."""
    many = disliked[0] + _PRIOR_COUNT
    mean = disliked[1] / many
    return mean, sqrt((disliked[2] + _PRIOR_SQUARES) / many - mean * mean)


@compiled
def _extract_and_learn(
    rows: TermRows,
    interesting: Bools,
    amounts: Floats,
    sums: Sums,
    gammas: Floats,
    directions: Floats,
    bank: Bank,
    best: int,
    distances: Floats,
) -> int:
    """Return the best setting at the end. ``rows`` have places in ``sums`` instead of terms."""
    products = np.empty((len(sums.scales), 2))
    for row in range(len(amounts)):
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        if begin == end:
            continue
        places, weights = rows.ids[begin:end], rows.weights[begin:end]
        which, g = best // len(gammas), best % len(gammas)
        cosine = 0.0
        for i in range(len(places)):
            at = places[i] - 1
            if 0 <= at < sums.used[0]:
                against = directions[which, g, DISLIKED] * sums.sums[at, 2 * which + DISLIKED]
                cosine += weights[i] * (against + directions[which, g, LIKED] * sums.sums[at, 2 * which + LIKED])
        mean, deviation = _mean_and_deviation(bank.disliked[best])
        distances[row] = (cosine - mean) / deviation
        label = 1 if interesting[row] else 0
        products[:] = 0.0
        multiply(places, weights, sums, products)
        _update(products, directions, label, amounts[row], bank)
        best = _choose(bank.decided, best)
        add_article(places, weights, label, amounts[row], sums)
        find_directions(sums, gammas, directions)
    return best
