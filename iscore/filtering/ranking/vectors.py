"""Articles as vectors for the rankers: tf-idf of their words, of length 1, beside their stream vector, of length 1/2.

The words tell articles apart that share a topic; stream vectors find those on a topic that share no word. Where most
articles have a meaning (the extra ``semantic``) it comes before the stream vector, of length 1, less the mean of the
newest. Everything about a round is laid out in one batch, so that a ranker's weights are arrays over the few thousand
words that occur in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from extractors.arrays import Float32s, Floats, Int8s, Int32s, Int64s
from extractors.numba_kernel import compiled
from extractors.stream.word_vectors import DIMENSIONS, Basis
from extractors.text.terms import TermBatch

STREAM_LENGTH = 0.5
"""Length of the stream vector, where that of the words is 1."""
MOST = 0.5
"""Share of the newest articles with a meaning from which meanings count."""
CAUTION = 10
"""Articles without a meaning that are added to the mean of the newest: a few are no mean."""


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
    """Shape (dimensions of meanings and stream vectors,)."""


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """The vectors of some articles."""

    rows: Rows
    squares: Floats
    """Squared length of each; shape (articles,)."""
    vocabulary: int
    """Number of different words."""
    centre: Floats | None = None
    """The mean of meanings; None where these do not count."""

    def __len__(self) -> int:
        return len(self.squares)

    @classmethod
    def of(cls, terms: TermBatch, basis: Basis | None, newest: Int64s | None = None) -> Vectors:
        """Make the vectors of articles; without a basis their stream vectors are 0.

        ``newest`` are places of those over which meanings have their mean; without any meanings do not count.
        """
        found = terms.vocabulary
        centre = None if terms.meanings is None or newest is None else _centre(terms.meanings[newest])
        stream = np.zeros((len(terms), DIMENSIONS)) if basis is None else STREAM_LENGTH * basis.project(terms)
        if terms.meanings is not None and centre is not None:
            stream = np.hstack([meant(terms.meanings, centre), stream])
        rows = Rows(terms.indptr, found.places, terms.weights, stream)
        squares = np.empty(len(terms))
        _squares(rows, squares)
        return cls(rows, squares, len(found), centre)

    def zero(self) -> Weights:
        """Return the function that is 0 everywhere."""
        return Weights(np.zeros(self.vocabulary), np.zeros(self.rows.stream.shape[1]))

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


def meant(meanings: Int8s, centre: Floats) -> Floats:
    """Return what meanings add to vectors: rows of length 1, or 0 for articles without a meaning."""
    known = meanings.any(axis=1, keepdims=True)
    return _of_length_one(np.where(known, _of_length_one(meanings.astype(np.float64)) - centre, 0.0))


def _centre(newest: Int8s) -> Floats | None:
    """Return the mean of the newest meanings; None if fewer than ``MOST`` articles have one."""
    known = np.count_nonzero(newest.any(axis=1))
    if known == 0 or known < MOST * len(newest):
        return None
    total: Floats = _of_length_one(newest.astype(np.float64)).sum(axis=0)
    return total / (known + CAUTION)


def _of_length_one(rows: Floats) -> Floats:
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    found: Floats = np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0.0)
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
