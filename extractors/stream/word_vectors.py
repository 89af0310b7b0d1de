"""Stream vectors: words as points in a space that is learned from the stream itself, and articles as sums of words.

Words that stand beside the same words point in similar directions, so two articles about one subject are near each
other even when they share no word. A word is described by its positive pointwise mutual information with the words that
articles have beside it, reduced to ``DIMENSIONS`` by a singular value decomposition (Bullinaria & Levy 2007,
"Extracting semantic representations from word co-occurrence statistics"; Levy, Goldberg & Dagan 2015, "Improving
distributional similarity with lessons learned from word embeddings"). What all articles have in common says nothing of
any: their mean and their first component are taken out of the words (Mu & Viswanath 2018, "All-but-the-top").

A ``Basis`` has a vector for each frequent term. The first is learned when ``FIRST`` articles have been ingested, and
another one at each doubling. A basis never changes. Vectors of different bases have nothing to do with each other:
compare only what one basis has projected.

Learning uses BLAS, so another processor, or more threads, may give other bits: store a basis, and never learn it again.
Projecting is a compiled loop in a fixed order, so the same basis gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from extractors.arrays import Float32s, Floats, Int32s, Int64s
from extractors.numba_kernel import compiled
from extractors.text.terms import N_TERMS, TermBatch

if TYPE_CHECKING:
    from scipy.sparse import csr_array

DIMENSIONS = 128
FIRST = 500
"""Articles before the first basis: with fewer, most terms are too rare to have a vector."""
NEWEST = 20_000
"""Maximum number of articles that are learned from, the newest."""
MAX_TERMS = 10_000
"""Maximum vocabulary: the terms with the highest document frequency."""
MIN_ARTICLES = 3
"""Minimum number of articles that have a term, for it to have a vector."""
MOST = 0.2
"""A term of a larger share of the articles says nothing of their subjects."""
HEAVIEST = 28
"""Only the heaviest terms of an article make pairs: it bounds time and memory, whatever a feed writes."""
POWER = 0.75
"""Of how frequent a term is beside others: rare terms would have the largest information with everything."""

LONG, TOPICS = 20, 64
"""Terms of the median article from which half of its vector is latent semantic analysis (Deerwester et al. 1990,
"Indexing by latent semantic analysis"), and the dimensions of that: articles with enough words of their own to tell a
subject, and not headlines, where the few long ones would rule it."""

_OVERSAMPLING = 16
_POWER_ITERATIONS = 2
_WIDTH = DIMENSIONS + _OVERSAMPLING
"""Columns of all tall matrices."""
_SEED = 0
_SMALLEST = 1e-6
"""Directions whose singular value is a smaller share of the largest are rounding errors, and left out."""
_SHORTEST = 1e-3
"""A word of which no more is left without the common directions has no vector, where its length was 1."""


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

    The vectors of words are U √S of the matrix of their information, scaled to length 1, less what articles have in
    common.
    """
    known = _frequent(terms.ids, len(terms))
    matrix = terms.to_csr()
    words = _scaled(_decomposed(_information(_pairs(terms, known))))
    articles = matrix[:, known[words.any(axis=1)]]
    known, words = known[words.any(axis=1)], words[words.any(axis=1)]
    if len(known):
        words -= (articles @ words).sum(axis=0) / articles.sum()
        seen = _scaled(articles @ words)
        common = np.linalg.eigh(seen.T @ seen)[1][:, -1]
        words -= np.outer(words @ common, common)
        if np.median(np.diff(terms.indptr)) >= LONG:
            words = _with_topics(words, articles)
    left = np.square(words).sum(axis=1) > _SHORTEST**2
    return Basis(number, articles_for(number), known[left], words[left].astype(np.float32))


def _with_topics(words: Floats, articles: csr_array) -> Floats:
    """Let half of an article's vector be that of latent semantic analysis, in as many dimensions as before.

    The vectors of words there are V / √S of the articles U S Vᵀ: less flat than V S⁻¹, where a direction counts as much
    as the first, and less steep than V.
    """
    topics = _decomposed(articles.T, -0.5)[:, :TOPICS]
    ratio = np.sqrt(np.square(articles @ words).sum() / np.square(articles @ topics).sum())
    both = np.hstack([words, ratio * topics])
    seen = _scaled(articles @ both)
    return both @ np.linalg.eigh(seen.T @ seen)[1][:, -DIMENSIONS:]


def _frequent(ids: Int32s, articles: int) -> Int32s:
    """Return the terms that get a vector, ascending; an article has a term once."""
    having = np.bincount(ids, minlength=1)
    frequent = np.flatnonzero((having >= MIN_ARTICLES) & (having <= MOST * articles))
    most = np.argsort(-having[frequent], kind="stable")[:MAX_TERMS]
    return np.sort(frequent[most]).astype(np.int32)


def _pairs(terms: TermBatch, known: Int32s) -> csr_array:
    """Return how often known terms are in one article: one of n terms adds 1 / (n − 1) to each pair of them."""
    from scipy.sparse import csr_array

    places = np.full(N_TERMS, -1, dtype=np.int32)
    places[known] = np.arange(len(known), dtype=np.int32)
    entries = np.flatnonzero(places[terms.ids] >= 0)
    rows = np.repeat(np.arange(len(terms)), np.diff(terms.indptr))[entries]
    entries = entries[np.lexsort((-terms.weights[entries], rows))]
    sizes = np.bincount(rows, minlength=len(terms))
    ends = np.cumsum(sizes)
    chosen = np.arange(len(entries)) - np.repeat(ends - sizes, sizes) < HEAVIEST
    sizes = np.minimum(sizes, HEAVIEST)
    share = np.repeat(1.0 / np.maximum(sizes - 1, 1), sizes).astype(np.float32)
    indptr = np.concatenate([np.zeros(1, dtype=np.int32), np.cumsum(sizes, dtype=np.int32)])
    columns, shape = places[terms.ids[entries[chosen]]], (len(terms), len(known))
    ones = csr_array((np.ones_like(share), columns, indptr), shape=shape)
    return (ones.T @ csr_array((share, columns, indptr), shape=shape)).tocsr()


def _information(pairs: csr_array) -> csr_array:
    """Return the positive pointwise mutual information of different terms, in the arrays of ``pairs``."""
    rows = np.repeat(np.arange(len(pairs.indptr) - 1, dtype=np.int32), np.diff(pairs.indptr))
    found = pairs.data
    found[rows == pairs.indices] = 0.0
    sums = pairs.sum(axis=1)
    contexts = sums**POWER
    found /= np.maximum(sums, _SMALLEST)[rows]
    found *= (contexts.sum() / np.maximum(contexts, _SMALLEST))[pairs.indices]
    np.log(np.maximum(found, 1.0, out=found), out=found)
    pairs.eliminate_zeros()
    return pairs


def _decomposed(matrix: csr_array, power: float = 0.5) -> Floats:
    """Return U S^power of a matrix U S Vᵀ, each row the vector of one of its rows; shape (rows, ``DIMENSIONS``).

    By a randomised singular value decomposition (Halko, Martinsson and Tropp 2011, algorithms 4.4 and 5.1). Directions
    that the matrix does not have are 0.
    """
    start = np.random.default_rng(_SEED).standard_normal((matrix.shape[1], _WIDTH), dtype=np.float32)
    span = matrix.T @ (matrix @ start)
    for _ in range(_POWER_ITERATIONS):
        span = matrix.T @ (matrix @ _orthonormal(span)[0])
    left, singular = _orthonormal(matrix @ _orthonormal(span)[0])
    scale = np.power(singular, power, out=np.zeros(_WIDTH), where=singular > 0.0)
    return (left * scale)[:, :DIMENSIONS]


def _orthonormal(columns: Float32s) -> tuple[Float32s, Floats]:
    """Return the left singular vectors of a tall matrix as columns, and its singular values, the largest first.

    By the eigenvectors of its small square. What would be rounding errors only is 0.
    """
    exact = columns.astype(np.float64)
    squares, rotation = np.linalg.eigh(exact.T @ exact)
    singular = np.sqrt(np.where(squares > _SMALLEST**2 * squares.max(), squares, 0.0))
    scale = np.divide(1.0, singular, out=np.zeros(_WIDTH), where=singular > 0.0)
    return (exact @ (rotation * scale)).astype(np.float32)[:, ::-1], singular[::-1]


def _scaled(rows: Floats) -> Floats:
    """Return rows of length 1, or 0 where they are 0."""
    lengths = np.sqrt(np.square(rows).sum(axis=1, keepdims=True))
    return np.divide(rows, lengths, out=np.zeros_like(rows), where=lengths > 0.0)


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
