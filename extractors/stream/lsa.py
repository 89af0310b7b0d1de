"""Stream vectors: articles as points in a space that is learned from the stream itself (latent semantic analysis).

Words that occur in the same articles point in similar directions, so two articles about one subject are near each other
even when they share no word (Deerwester et al. 1990, "Indexing by latent semantic analysis"). A ``Basis`` has a vector
for each frequent term. The first is learned when ``FIRST`` articles have been ingested, and another one at each
doubling. A basis never changes. Vectors of different bases have nothing to do with each other: compare only what one
basis has projected.

Learning uses BLAS, so another processor, or more threads, may give other bits: store a basis, and never learn it again.
Projecting is a compiled loop in a fixed order, so the same basis gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from extractors.arrays import Float32s, Floats, Int32s, Int64s
from extractors.numba_kernel import compiled
from extractors.text.terms import N_TERMS, TermBatch

DIMENSIONS = 64
FIRST = 500
"""Articles before the first basis: with fewer, most terms are too rare to have a vector."""
NEWEST = 20_000
"""Maximum number of articles that are learned from, the newest: it takes two seconds at most."""
MAX_TERMS = 30_000
"""Maximum vocabulary: the terms with the highest document frequency; 8 MB."""
MIN_ARTICLES = 3
"""Minimum number of articles that have a term, for it to have a vector."""

_OVERSAMPLING = 16
_POWER_ITERATIONS = 4
_WIDTH = DIMENSIONS + _OVERSAMPLING
"""Columns of all tall matrices."""
_SEED = 0
_SMALLEST = 1e-6
"""Directions whose singular value is a smaller share of the largest are rounding errors, and left out."""


def due(articles: int) -> int:
    """Return the number of the basis that is in force after ``articles`` articles; 0 before the first."""
    return (articles // FIRST).bit_length()


def articles_for(number: int) -> int:
    """Return after how many articles a basis is due."""
    return FIRST << (number - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A vector for each frequent term."""

    number: int
    """1 for the first of an installation; each later one is learned from twice as many articles."""
    articles: int
    """How many articles had been ingested; it is learned from the newest ``NEWEST`` of them."""
    terms: Int32s
    """The buckets of the terms, ascending."""
    vectors: Float32s
    """Shape (terms, ``DIMENSIONS``)."""

    def project(self, terms: TermBatch) -> Floats:
        """Return the vectors of articles: rows of Euclidean length 1, or 0 for articles without a known term.

        An article's vector is Σ tf-idf weight · vector over its terms; shape (articles, ``DIMENSIONS``).
        """
        places = np.full(N_TERMS, -1, dtype=np.int32)
        places[self.terms] = np.arange(len(self.terms), dtype=np.int32)
        found = terms.vocabulary
        projected = np.zeros((len(terms), DIMENSIONS))
        _project(terms.indptr, found.places, terms.weights, places[found.terms], self.vectors, projected)
        return projected

    def to_bytes(self) -> bytes:
        """Return terms and vectors as little-endian 4-byte numbers, one array after the other."""
        return self.terms.astype("<i4", copy=False).tobytes() + self.vectors.astype("<f4", copy=False).tobytes()

    @classmethod
    def from_bytes(cls, number: int, articles: int, data: bytes) -> Self:
        """Read what ``to_bytes`` wrote. Raises ``ValueError`` when it is cut off."""
        size, rest = divmod(len(data), 4 * (1 + DIMENSIONS))
        if rest:
            raise ValueError(f"a basis has {4 * (1 + DIMENSIONS)} bytes a term; {len(data)} bytes were given")
        # Writable: compiled code is made anew for arrays that are not.
        stored = bytearray(data)
        terms = np.frombuffer(stored, dtype="<i4", count=size)
        vectors = np.frombuffer(stored, dtype="<f4", offset=4 * size).reshape(size, DIMENSIONS)
        return cls(number, articles, terms, vectors)


def fit(terms: TermBatch, number: int) -> Basis:
    """Learn basis ``number`` from the term vectors of the newest articles, of which more than ``NEWEST`` are too many.

    The tf-idf matrix X (articles × terms) is about U S Vᵀ, by a randomised singular value decomposition (Halko,
    Martinsson and Tropp 2011, algorithms 4.4 and 5.1). The vectors of the terms are V / √S: less flat than V S⁻¹, where
    a direction counts as much as the first, and less steep than V. Directions that the articles do not have are 0.
    """
    known = _frequent(terms.ids)
    matrix = terms.to_csr()[:, known]
    span = matrix @ np.random.default_rng(_SEED).standard_normal((len(known), _WIDTH))
    for _ in range(_POWER_ITERATIONS):
        span = matrix @ (matrix.T @ _orthonormal(span)[0])
    right, singular = _orthonormal(matrix.T @ _orthonormal(span)[0])
    found = min(np.count_nonzero(singular), DIMENSIONS)
    vectors = np.zeros((len(known), DIMENSIONS), dtype=np.float32)
    vectors[:, :found] = right[:, :found] / np.sqrt(singular[:found])
    return Basis(number, articles_for(number), known, vectors)


def _orthonormal(columns: Floats) -> tuple[Floats, Floats]:
    """Return the left singular vectors of a tall matrix as columns, and its singular values, the largest first.

    By the eigenvectors of its small square. What would be rounding errors only is 0.
    """
    squares, rotation = np.linalg.eigh(columns.T @ columns)
    singular = np.sqrt(np.where(squares > _SMALLEST**2 * squares.max(), squares, 0.0))
    scale = np.divide(1.0, singular, out=np.zeros(_WIDTH), where=singular > 0.0)
    return (columns @ (rotation * scale))[:, ::-1], singular[::-1]


def _frequent(ids: Int32s) -> Int32s:
    """Return the terms that get a vector, ascending; an article has a term once."""
    articles = np.bincount(ids, minlength=1)
    frequent = np.flatnonzero(articles >= MIN_ARTICLES)
    most = np.argsort(-articles[frequent], kind="stable")[:MAX_TERMS]
    return np.sort(frequent[most]).astype(np.int32)


@compiled
def _project(
    indptr: Int64s, words: Int32s, weights: Float32s, places: Int32s, vectors: Float32s, projected: Floats
) -> None:
    # The number of dimensions is a constant, so that the loops over them are compiled to vector instructions.
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            place = places[words[entry]]
            if place >= 0:
                weight, known = weights[entry], np.uint32(place)
                for dimension in range(DIMENSIONS):
                    projected[row, dimension] += weight * vectors[known, dimension]
        squares = 0.0
        for dimension in range(DIMENSIONS):
            squares += projected[row, dimension] ** 2
        if squares > 0.0:
            length = np.sqrt(squares)
            for dimension in range(DIMENSIONS):
                projected[row, dimension] /= length
