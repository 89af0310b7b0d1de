"""How close an article is to the middle of what the reader liked, and how far from the middle of what they
did not.

Rocchio (1971), "Relevance feedback in information retrieval"; with the two sums kept instead of the profile
it is learned one verdict at a time, as the iScore papers have it (Pon et al. 2007, "iScore: measuring the
interestingness of articles in a limited user environment").
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import ReaderExtractor, Verdicts
from extractors.numba_kernel import compiled
from extractors.state import State, array, filled
from extractors.text.terms import N_TERMS

BETA = 1.0
"""Weight of the liked articles' mean."""
GAMMA = 0.25
"""Weight of the disliked articles' mean: what is disliked has less in common than what is liked (Buckley,
Salton & Allan 1994 use the same four to one)."""


class Rocchio(ReaderExtractor):
    """cos(d, β·mean(I) − γ·mean(N)) for liked articles I and disliked articles N, weighted; in [−1, 1].

    Missing before the first verdict, and for an article without terms.
    """

    features: ClassVar[tuple[str, ...]] = ("rocchio",)
    meanings: ClassVar[Mapping[str, str]] = {"rocchio": "close to what you liked"}

    def __init__(self) -> None:
        self._sums = np.zeros((N_TERMS, 2), dtype=np.float64)
        self._weights = np.zeros(2, dtype=np.float64)
        # Products of the two sums with themselves and each other, by which the profile's length is known
        # without going through all its terms.
        self._products = np.zeros((2, 2), dtype=np.float64)

    def extract_many(self, articles: AnalysedBatch) -> npt.NDArray[np.float64]:
        cosines = np.full((len(articles), 1), np.nan)
        disliked, liked = _profile(self._weights, self._products)
        if disliked != 0.0 or liked != 0.0:
            terms = articles.terms
            known = np.diff(terms.indptr) > 0
            profile = disliked * self._sums[terms.vocabulary.terms, 0] + liked * self._sums[terms.vocabulary.terms, 1]
            cosines[known, 0] = terms.sums(terms.weights, profile)[known]
        return cosines

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        _add(article.terms.ids, article.terms.weights, int(interesting), float(weight), self._sums, self._products)
        self._weights[int(interesting)] += weight

    def follow(self, articles: AnalysedBatch, verdicts: Verdicts) -> npt.NDArray[np.float64]:
        terms = articles.terms
        cosines = np.full((len(articles), 1), np.nan)
        _follow(
            *(terms.indptr, terms.ids, terms.weights, verdicts.interesting, verdicts.weights),
            *(self._sums, self._weights, self._products, cosines),
        )
        return cosines

    def state(self) -> State:
        ids = filled(self._sums).astype(np.int32)
        return {
            "ids": ids,
            "sums": self._sums[ids],
            "weights": self._weights.copy(),
            "products": self._products.copy(),
        }

    def restore(self, state: State) -> None:
        self._sums = np.zeros((N_TERMS, 2), dtype=np.float64)
        self._sums[array(state, "ids", np.int32)] = array(state, "sums", np.float64)
        self._weights = array(state, "weights", np.float64)
        self._products = array(state, "products", np.float64)


@compiled
def _profile(weights: npt.NDArray[np.float64], products: npt.NDArray[np.float64]) -> tuple[float, float]:
    """Return what either sum is multiplied by in the profile of length 1; 0 and 0 when there is none."""
    disliked = -GAMMA / weights[0] if weights[0] > 0.0 else 0.0
    liked = BETA / weights[1] if weights[1] > 0.0 else 0.0
    length_squared = (
        disliked * disliked * products[0, 0] + 2.0 * disliked * liked * products[0, 1] + liked * liked * products[1, 1]
    )
    if length_squared <= 0.0:
        return 0.0, 0.0
    scale = 1.0 / sqrt(length_squared)
    return disliked * scale, liked * scale


@compiled
def _add(
    ids: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    label: int,
    weight: float,
    sums: npt.NDArray[np.float64],
    products: npt.NDArray[np.float64],
) -> None:
    for i in range(len(ids)):
        addition = weight * weights[i]
        own, other = sums[ids[i], label], sums[ids[i], 1 - label]
        products[label, label] += addition * (2.0 * own + addition)
        products[0, 1] += addition * other
        products[1, 0] += addition * other
        sums[ids[i], label] = own + addition


@compiled
def _follow(
    indptr: npt.NDArray[np.int64],
    ids: npt.NDArray[np.int32],
    values: npt.NDArray[np.float32],
    interesting: npt.NDArray[np.bool_],
    amounts: npt.NDArray[np.float64],
    sums: npt.NDArray[np.float64],
    weights: npt.NDArray[np.float64],
    products: npt.NDArray[np.float64],
    cosines: npt.NDArray[np.float64],
) -> None:
    for row in range(len(amounts)):
        begin, end = indptr[row], indptr[row + 1]
        label = 1 if interesting[row] else 0
        disliked, liked = _profile(weights, products)
        if begin < end and (disliked != 0.0 or liked != 0.0):
            total = 0.0
            for entry in range(begin, end):
                term = ids[entry]
                total += values[entry] * (disliked * sums[term, 0] + liked * sums[term, 1])
            cosines[row, 0] = total
        _add(ids[begin:end], values[begin:end], label, amounts[row], sums, products)
        weights[label] += amounts[row]
