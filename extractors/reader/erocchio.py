"""How close an article is to what the reader likes, by the one of many Rocchio profiles that has filtered best so far.

What to make of dislikes, and how long to remember, differs from reader to reader and cannot be known before. So a bank
of settings is kept, each a filter with a cut of its own; all are judged by every verdict, and the best one speaks. Pon,
Cardenas & Buttler 2008, "Online selection of parameters in the Rocchio algorithm for identifying interesting news
articles" (eRocchio).
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import ClassVar, Final

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.numba_kernel import compiled
from extractors.reader.profile_sums import DISLIKED, LIKED, ProfileSums, Sums, find_directions, join, multiply
from extractors.state import State, array, number

HALF_LIVES: Final = (float("inf"), 500.0)
"""Verdicts after which an article counts half in a profile: one that never forgets, and one for interests that
change."""
GAMMAS: Final = np.array([0.0, 0.25, 0.5, 1.0, 2.0])
"""Weight of the disliked articles' mean against the liked articles'. Only the direction of a profile matters, so that
β = 1 loses nothing."""
START: Final = 3
"""The setting that speaks until another has proved better: γ = 1 without forgetting."""
MEMORY: Final = 2000.0
"""Verdicts after which a hit or a miss counts half in a setting's F0.5: who was best once need not be best now."""
LEAD: Final = 0.02
"""By so much another setting's F0.5 has to be better to take over, so that it does not change all the time."""

BINS: Final = 64
_LOWEST: Final = -0.25
_PER_UNIT: Final = BINS / 1.25
"""Cosines are counted in bins between −0.25 and 1."""

_DOUBTS: Final = 5.0
_SPREAD: Final = 0.05
_SQUARED: Final = _DOUBTS * _SPREAD**2
"""Before there is evidence disliked articles are expected at cosine 0 ± 0.05, as firmly as if five had been seen."""


class ERocchio(ReaderExtractor):
    """(c − mean)/deviation: c is the article's cosine with the profile mean(I) − γ·mean(N) of the best setting so far,
    and mean and deviation are those of the disliked articles' cosines, as that setting gave them before it learned
    them. Any size; 0 is a usual disliked article.

    A setting's F0.5 comes from its own decisions: each article is first decided by the cut that would have been best
    for the earlier ones, then learned. Profiles of different γ lie at different distances from everything; measured in
    deviations of the disliked, their values go together in one feature when the best setting changes. Missing before
    the first like, and for an article without terms.

    Memory: that of ``profile_sums.py`` with two half-lives, and 11 KB.
    """

    features: ClassVar[tuple[str, ...]] = ("erocchio",)
    meanings: ClassVar[Mapping[str, str]] = {"erocchio": "closer to what you like than what you do not"}

    def __init__(self) -> None:
        n = len(HALF_LIVES) * len(GAMMAS)
        self._sums = ProfileSums(HALF_LIVES)
        self._counts = np.zeros((n, 2, BINS))
        self._disliked = np.zeros((n, 3))  # how many, sum and sum of squares of their cosines
        self._cuts = np.full(n, BINS, dtype=np.int64)
        self._decided = np.zeros((n, 3))  # wrongly delivered, rightly delivered, liked
        self._best = START
        self._directions = self._sums.directions(GAMMAS)

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        which, g = divmod(self._best, len(GAMMAS))
        direction = self._directions[which, g]
        mean, deviation = _usual(self._disliked[self._best])
        cosines = self._sums.project(articles.terms, which, direction)
        distances: npt.NDArray[np.float64] = (cosines - mean) / deviation
        return distances.reshape(len(articles), 1)

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        if len(article.terms) == 0:
            return
        _judge(
            self._sums.products(article.terms),
            self._directions,
            int(interesting),
            float(weight),
            self._counts,
            self._disliked,
            self._cuts,
            self._decided,
        )
        self._best = _choose(self._decided, self._best)
        self._sums.add(article.terms, interesting, weight)
        self._directions = self._sums.directions(GAMMAS)

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        terms = articles.terms
        self._sums.make_room(len(terms.vocabulary))
        distances = np.full((len(articles), 1), np.nan)
        self._best = _follow(
            terms.indptr,
            terms.ids,
            terms.weights,
            verdicts.interesting,
            verdicts.weights,
            GAMMAS,
            self._sums.arrays(),
            self._directions,
            self._counts,
            self._disliked,
            self._cuts,
            self._decided,
            self._best,
            distances,
        )
        return distances

    def state(self) -> State:
        return {
            "sums": self._sums.state(),
            "counts": self._counts.copy(),
            "disliked": self._disliked.copy(),
            "cuts": self._cuts.copy(),
            "decided": self._decided.copy(),
            "best": self._best,
        }

    def restore(self, state: State) -> None:
        sums = state["sums"]
        if not isinstance(sums, Mapping):
            raise TypeError("sums are not a state")
        self._sums.restore(sums)
        self._counts = array(state, "counts", np.float64)
        self._disliked = array(state, "disliked", np.float64)
        self._cuts = array(state, "cuts", np.int64)
        self._decided = array(state, "decided", np.float64)
        self._best = int(number(state, "best"))
        self._directions = self._sums.directions(GAMMAS)


_FADE: Final = 0.5 ** (1.0 / MEMORY)
_FADES: Final = np.array([0.5 ** (1.0 / half_life) for half_life in HALF_LIVES])


@compiled
def _judge(
    products: npt.NDArray[np.float64],
    directions: npt.NDArray[np.float64],
    label: int,
    weight: float,
    counts: npt.NDArray[np.float64],
    disliked: npt.NDArray[np.float64],
    cuts: npt.NDArray[np.int64],
    decided: npt.NDArray[np.float64],
) -> None:
    n_gammas = directions.shape[1]
    for setting in range(len(cuts)):
        which, g = setting // n_gammas, setting % n_gammas
        cosine = products[which, 0] * directions[which, g, 0] + products[which, 1] * directions[which, g, 1]
        known = not np.isnan(cosine)
        place = min(max(int((cosine - _LOWEST) * _PER_UNIT), 0), BINS - 1) if known else -1
        for kind in range(3):
            decided[setting, kind] *= _FADE
        if place >= cuts[setting]:
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
            # F0.5 is 1.25 right / all: compared crosswise, only where a cut lets something liked in.
            if counts[setting, 1, b] > 0.0 and right * best_all > best_right * (right + wrong + 0.25 * all_liked):
                best_right, best_all = right, right + wrong + 0.25 * all_liked
                cuts[setting] = b


@compiled
def _choose(decided: npt.NDArray[np.float64], best: int) -> int:
    leader, highest, own = best, 0.0, 0.0
    for setting in range(len(decided)):
        wrong, right, liked = decided[setting]
        f05 = 1.25 * right / (right + wrong + 0.25 * liked) if right > 0.0 else 0.0
        if f05 > highest:
            leader, highest = setting, f05
        if setting == best:
            own = f05
    return leader if highest > own + LEAD else best


@compiled
def _usual(disliked: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return mean and deviation of the cosines of disliked articles."""
    many = disliked[0] + _DOUBTS
    mean = disliked[1] / many
    return mean, sqrt((disliked[2] + _SQUARED) / many - mean * mean)


@compiled
def _follow(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    interesting: npt.NDArray[np.bool_],
    amounts: npt.NDArray[np.float64],
    gammas: npt.NDArray[np.float64],
    sums: Sums,
    directions: npt.NDArray[np.float64],
    counts: npt.NDArray[np.float64],
    disliked: npt.NDArray[np.float64],
    cuts: npt.NDArray[np.int64],
    decided: npt.NDArray[np.float64],
    best: int,
    distances: npt.NDArray[np.float64],
) -> int:
    # Returns which setting speaks at the end.
    products = np.empty((len(sums.scales), 2))
    for row in range(len(amounts)):
        begin, end = indptr[row], indptr[row + 1]
        if begin == end:
            continue
        terms, heavy = ids[begin:end], weights[begin:end]
        which, g = best // len(gammas), best % len(gammas)
        cosine = 0.0
        for i in range(len(terms)):
            at = sums.rows[terms[i]] - 1
            if at >= 0:
                against = directions[which, g, DISLIKED] * sums.sums[at, 2 * which + DISLIKED]
                cosine += heavy[i] * (against + directions[which, g, LIKED] * sums.sums[at, 2 * which + LIKED])
        mean, deviation = _usual(disliked[best])
        distances[row, 0] = (cosine - mean) / deviation
        label = 1 if interesting[row] else 0
        products[:] = 0.0
        multiply(terms, heavy, sums.rows, sums.sums, products)
        _judge(products, directions, label, amounts[row], counts, disliked, cuts, decided)
        best = _choose(decided, best)
        join(terms, heavy, label, amounts[row], sums)
        find_directions(sums.weights, sums.products, gammas, directions)
    return best
