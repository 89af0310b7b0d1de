"""Articles as vectors for the rankers: tf-idf of their words, of length 1, beside their stream vector, of length 1/2.

The words tell articles apart that share a topic; stream vectors find those on a topic that share no word. Everything
about a round is laid out in one batch, so that a ranker's weights are arrays over the few thousand words that occur in
it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from extractors.arrays import Float32s, Floats, Int32s, Int64s
from extractors.numba_kernel import compiled
from extractors.stream.word_vectors import DIMENSIONS, Basis
from extractors.text.terms import TermBatch

STREAM_LENGTH = 0.5
"""Length of the stream vector, where that of the words is 1."""


class Rows(NamedTuple):
    """The arrays of ``Vectors``, as compiled functions take them."""

    indptr: Int64s
    words: Int32s
    """Places in the vocabulary of the batch."""
    weights: Float32s
    stream: Floats


class Weights(NamedTuple):
    """A linear function of an article's vector."""

    words: Floats
    """Shape (vocabulary of the batch,)."""
    stream: Floats
    """Shape (DIMENSIONS,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """The vectors of some articles."""

    rows: Rows
    squares: Floats
    """Squared length of each; shape (articles,)."""
    vocabulary: int
    """Number of different words."""

    def __len__(self) -> int:
        return len(self.squares)

    @classmethod
    def of(cls, terms: TermBatch, basis: Basis | None) -> Vectors:
        """Make the vectors of articles; without a basis their stream vectors are 0."""
        found = terms.vocabulary
        stream = np.zeros((len(terms), DIMENSIONS)) if basis is None else STREAM_LENGTH * basis.project(terms)
        rows = Rows(terms.indptr, found.places, terms.weights, stream)
        squares = np.empty(len(terms))
        _squares(rows, squares)
        return cls(rows, squares, len(found))

    def zero(self) -> Weights:
        """Return the function that is 0 everywhere."""
        return Weights(np.zeros(self.vocabulary), np.zeros(DIMENSIONS))

    def sum(self, places: Int64s, amounts: Floats) -> Weights:
        """Return Σ amount · vector over these articles."""
        total = self.zero()
        add_rows(self.rows, places, amounts, total)
        return total

    def products(self, places: Int64s, weights: Weights) -> Floats:
        """Return the product of each of these articles' vectors with ``weights``; shape (places,)."""
        found = np.empty(len(places))
        multiply(self.rows, places, weights, found)
        return found


@compiled
def _squares(rows: Rows, squares: Floats) -> None:
    for row in range(len(rows.indptr) - 1):
        total = 0.0
        for entry in range(rows.indptr[row], rows.indptr[row + 1]):
            weight = np.float64(rows.weights[entry])
            total += weight * weight
        for dimension in range(rows.stream.shape[1]):
            total += rows.stream[row, dimension] * rows.stream[row, dimension]
        squares[row] = total


@compiled
def add_rows(rows: Rows, places: Int64s, amounts: Floats, total: Weights) -> None:
    """Add ``amount`` times the vector of each of these articles to ``total``."""
    for i in range(len(places)):
        row = places[i]
        for entry in range(rows.indptr[row], rows.indptr[row + 1]):
            total.words[rows.words[entry]] += amounts[i] * rows.weights[entry]
        for dimension in range(rows.stream.shape[1]):
            total.stream[dimension] += amounts[i] * rows.stream[row, dimension]


@compiled
def multiply(rows: Rows, places: Int64s, weights: Weights, found: Floats) -> None:
    """Write the product of each of these articles' vectors with ``weights`` into ``found``."""
    for i in range(len(places)):
        row = places[i]
        total = 0.0
        for entry in range(rows.indptr[row], rows.indptr[row + 1]):
            total += rows.weights[entry] * weights.words[rows.words[entry]]
        for dimension in range(rows.stream.shape[1]):
            total += rows.stream[row, dimension] * weights.stream[dimension]
        found[i] = total
