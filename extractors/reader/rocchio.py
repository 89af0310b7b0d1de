"""How close an article is to the mean of what the user liked, and how far from the mean of what they did not.

Rocchio (1971), "Relevance feedback in information retrieval"; keeping the two sums instead of the profile makes it
incremental, as in Pon et al. (2007), "iScore: measuring the interestingness of articles in a limited user environment".
"""

from __future__ import annotations

from collections.abc import Mapping
from math import sqrt
from typing import ClassVar, NamedTuple

import numpy as np

from extractors.arrays import Bools, Floats, State, array
from extractors.article_features import AnalysedBatch
from extractors.base import BatchReaderExtractor, Context, Verdicts
from extractors.numba_kernel import compiled, inner
from extractors.reader.term_table import TermTable
from extractors.text.terms import TermRows

BETA = 1.0
"""Weight of the liked articles' mean."""
GAMMA = 0.25
"""Weight of the disliked articles' mean: disliked articles have less in common than liked ones (Buckley, Salton & Allan
1994 use the same four to one)."""


class Sums(NamedTuple):
    """What is learned; column 0 is of disliked, column 1 of liked articles."""

    terms: Floats
    """Sums of the articles' weights by row of the table of terms, shape (rows, 2)."""
    weights: Floats
    """Sums of the verdicts' weights, shape (2,)."""
    products: Floats
    """Products of the two sums with themselves and each other, which give the profile's length; shape (2, 2)."""


class Rocchio(BatchReaderExtractor):
    """cos(d, β·mean(I) − γ·mean(N)) for liked articles I and disliked articles N, weighted; in [−1, 1].

    Missing before the first verdict, and for an article without terms.

    >>> from datetime import UTC, datetime
    >>> from extractors import AnalysedArticle, Article
    >>> now = datetime(2026, 3, 2, tzinfo=UTC)
    >>> ferry, tram = (AnalysedArticle.of(Article(id=t, arrived=now, title=t, text="")) for t in ("Ferry", "Tram"))
    >>> extractor = Rocchio()
    >>> extractor.learn(ferry, True, 1.0)
    >>> extractor.learn(tram, False, 1.0)
    >>> [round(extractor.extract(article)[0], 3) for article in (ferry, tram)]
    [0.97, -0.243]
    """

    features: ClassVar[tuple[str, ...]] = ("rocchio",)
    meanings: ClassVar[Mapping[str, str]] = {"rocchio": "similar to what you liked"}
    low_value_meanings: ClassVar[Mapping[str, str]] = {"rocchio": "similar to what you disliked"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"rocchio": (-0.1, 0.15)}
    families: ClassVar[Mapping[str, str]] = {"rocchio": "topic relevance"}

    def __init__(self, context: Context | None = None) -> None:
        super().__init__(context)
        self._table = TermTable(2, np.float64)
        self._weights, self._products = np.zeros(2), np.zeros((2, 2))

    @property
    def _sums(self) -> Sums:
        return Sums(self._table.numbers, self._weights, self._products)

    def extract_many(self, articles: AnalysedBatch) -> Floats:
        cosines = np.full((len(articles), 1), np.nan)
        disliked, liked = _profile(self._sums)
        if disliked != 0.0 or liked != 0.0:
            terms = articles.terms
            known = np.diff(terms.indptr) > 0
            sums = self._table.numbers[self._table.find(terms.vocabulary.terms)]
            cosines[known, 0] = terms.sums(terms.weights, disliked * sums[:, 0] + liked * sums[:, 1])[known]
        return cosines

    def extract_and_learn(self, articles: AnalysedBatch, verdicts: Verdicts) -> Floats:
        cosines = np.full((len(articles), 1), np.nan)
        rows = articles.terms.rows()
        rows = rows._replace(ids=self._table.claim(rows.ids))
        _extract_and_learn(rows, verdicts.interesting, verdicts.weights, self._sums, cosines[:, 0])
        return cosines

    def state(self) -> State:
        ids, sums = self._table.touched()
        return {"ids": ids, "sums": sums, "weights": self._weights.copy(), "products": self._products.copy()}

    def restore(self, state: State) -> None:
        self._table = TermTable.of(array(state, "ids", np.int32), array(state, "sums", np.float64), np.float64)
        self._weights, self._products = array(state, "weights", np.float64), array(state, "products", np.float64)


@inner
def _profile(sums: Sums) -> tuple[float, float]:
    """Return the factors of the two sums in the profile of length 1; 0 and 0 when there is none."""
    weights, products = sums.weights, sums.products
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
def _extract_and_learn(rows: TermRows, interesting: Bools, amounts: Floats, learned: Sums, cosines: Floats) -> None:
    """``rows`` have rows of the table instead of terms."""
    sums, products = learned.terms, learned.products
    for row in range(len(amounts)):
        begin, end = rows.indptr[row], rows.indptr[row + 1]
        disliked, liked = _profile(learned)
        if begin < end and (disliked != 0.0 or liked != 0.0):
            total = 0.0
            for entry in range(begin, end):
                term = rows.ids[entry]
                total += rows.weights[entry] * (disliked * sums[term, 0] + liked * sums[term, 1])
            cosines[row] = total
        label = 1 if interesting[row] else 0
        for entry in range(begin, end):
            addition = amounts[row] * rows.weights[entry]
            own, other = sums[rows.ids[entry], label], sums[rows.ids[entry], 1 - label]
            products[label, label] += addition * (2.0 * own + addition)
            products[0, 1] += addition * other
            products[1, 0] += addition * other
            sums[rows.ids[entry], label] = own + addition
        learned.weights[label] += amounts[row]
