"""What linear learners share: all the faces through which they learn and score.

A subclass is a kernel that learns rows, and a kernel that scores them unless that of ``margins`` will do. Dense
matrices, sparse ones and single rows all come to the kernels as ``Rows``: one example costs what its values cost, and
gives the same bits by every way. NaN is missing, which for a linear learner is 0.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.learner import Explanation
from iscore.learners.linear import rows as rows_
from iscore.learners.linear.linear_hypothesis import LinearHypothesis
from iscore.learners.linear.margins import scores_of
from iscore.learners.linear.rows import Data, Ends, Ints, Rows
from iscore.learners.linear.weight_table import Space

Floats = npt.NDArray[np.float64]

_LIKED, _DULL, _WHOLE = np.array((1.0,)), np.array((-1.0,)), np.array((1.0,))
"""A row's sign and its usual weight. Nobody writes to them."""


class LinearClassifier(LinearHypothesis):
    """Base of the linear learners.

    Every subclass takes these parameters beside its own:

    n_features
        The size of the space, up to 2³¹ - 1, known before the first example as hashed words need it; None, the
        default, takes it from the first matrix or vector.
    grow
        Whether vectors and coordinates may be of any size at any time; what was never learned is ignored in scoring.
        False is the default.

    Until examples of both classes have been learned all scores are 0. A score that cannot be computed, of values
    near the end of what a float can hold, is 0 too, and such an example is not learned.
    """

    @abstractmethod
    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        """Learn rows of sign 1 or -1 in order; return how many changed the model.

        ``scores`` takes the score that each row had just before. Weights are finite and not negative; a row of
        weight 0 is scored only.
        """

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        """Put the scores of rows into ``scores``."""
        scores_of(table, self._bias, *rows, scores, self.COLUMNS)

    # One example at a time

    def score_one(self, x: Any) -> float:
        """See ``Learner``. ``x`` is a vector of length n_features or a sparse matrix of one row."""
        self._need_two()
        self._check_width(x)
        return self._scores(rows_.of_vector(x)).item()

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``. ``x`` is a vector of length n_features or a sparse matrix of one row."""
        rows = rows_.of_vector(x)
        return self._learn_single(self._admitted(x), rows, interesting, weight)

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``. ``x`` is a vector of length n_features; ranks are by the size of the weights."""
        self._need_two()
        rows = rows_.of_vector(x)
        self._check_width(x)
        n = len(rows.data)
        prior, contributions, weights = 0.0, np.zeros(n), np.zeros(n)
        if self._space is not None and self._knows_enough:
            numbers = self._space.table[self._space.found(rows).indices]
            values = np.where(np.isfinite(rows.data), rows.data, 0.0).astype(np.float64)
            weights = self._weights(numbers)
            prior, contributions = self._parts(values, numbers)
        ranks = np.empty(n, dtype=np.int64)
        ranks[np.argsort(-np.abs(weights), kind="stable")] = np.arange(n)
        return Explanation(
            score=self.score_one(x),
            prior=prior,
            contributions=contributions,
            chosen=np.ones(n, dtype=bool),
            correlations=np.zeros(n),
            ranks=ranks,
            subset_size=n,
        )

    # Many

    def score_many(self, X: Any) -> Floats:
        """See ``Learner``. ``X`` is a dense or sparse matrix of shape (m, n_features)."""
        self._check_width(X)
        return self._scores(rows_.of_matrix(X))

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """Learn the rows of ``X`` (m, n_features) in order; return the score that each had just before, shape (m,).

        Equal bit for bit to ``learn_one`` of each. ``interesting`` (m,) is of booleans. Raises ``ValueError`` as
        that does, before anything is learned.
        """
        rows = rows_.of_matrix(X)
        liked = np.asarray(interesting, dtype=bool)
        amounts = np.ones(rows.size) if weights is None else np.array(weights, dtype=np.float64)
        if liked.shape != (rows.size,) or amounts.shape != (rows.size,):
            raise ValueError(f"each of the {rows.size} rows needs one label and one weight")
        if not ((amounts >= 0.0) & (amounts < math.inf)).all():
            raise ValueError("weights must be finite and not negative")
        return self._learn_all(self._admitted(X), rows, liked, amounts)

    # Rows of a hashed space

    def score_rows(self, indptr: Ends, indices: Ints, data: Data) -> Floats:
        """Return the scores of the m rows of a CSR matrix, given by its arrays: shapes (m + 1,), (k,), (k,).

        Coordinates must differ within a row. Raises ``ValueError`` for arrays that do not belong together, and for
        coordinates outside of the space, unless it grows.
        """
        return self._scores(rows_.of_csr(indptr, indices, data))

    def score_words(self, vocabulary: Ints, indptr: Ends, places: Ints, data: Data) -> Floats:
        """Do as ``score_rows`` with rows whose coordinates are ``vocabulary[places]``, shape (k,).

        Each coordinate of the vocabulary is looked up once, however many rows have it. Raises ``ValueError`` also for
        places outside of the vocabulary.
        """
        rows = rows_.of_csr(indptr, places, data)
        if not rows_.within(rows.indices, len(vocabulary)):
            raise ValueError(f"there are places outside of the {len(vocabulary)} coordinates of the vocabulary")
        scores = np.zeros(rows.size)
        if self._space is not None:
            numbers = self._space.numbers(vocabulary)
            if self._knows_enough:
                self._score(numbers, rows, scores)
        return scores

    def learn_row(self, indices: Ints, data: Data, positive: bool, weight: float = 1.0) -> None:
        """Learn one example from its k coordinates, all different, and their k values; as ``learn_one``.

        Raises ``ValueError`` also for coordinates outside of the space, unless it grows, and when nobody has said
        how large it is.
        """
        rows = rows_.of_entries(indices, data)
        self._learn_single(self._sized(), rows, positive, weight)

    def learn_rows(
        self, indptr: Ends, indices: Ints, data: Data, positive: npt.NDArray[np.bool_], weights: Floats
    ) -> Floats:
        """Learn the m rows of a CSR matrix in order; return the score that each had just before, shape (m,).

        Equal bit for bit to ``score_rows`` and ``learn_row`` of each. Raises ``ValueError`` as ``learn_row``.
        """
        return self._learn_all(self._sized(), rows_.of_csr(indptr, indices, data), positive, weights)

    def learn_parts(
        self, indptr: Ends, indices: Ints, data: Data, positive: npt.NDArray[np.bool_], weights: Floats
    ) -> Floats:
        """Learn n rows in order that are made of k parts each, one behind the other; ``indptr`` has n·k + 1 ends.

        Return what each part scored by itself just before its row was learned, and what a row of nothing did, shape
        (n, k + 1); equal bit for bit to ``score_rows`` and ``learn_row``. Raises ``ValueError`` as ``learn_row``.
        """
        parts = rows_.of_csr(indptr, indices, data)
        n = len(weights)
        k, rest = divmod(parts.size, n) if n else (1, parts.size)
        if rest or k == 0:
            raise ValueError(f"{parts.size} parts cannot make {n} rows")
        space = self._sized()
        parts = space.claimed(parts)
        scores = np.empty((n, k + 1))
        known = self._known_before(positive, weights)
        self._learn_divided(space.table, parts, np.where(positive, 1.0, -1.0), weights, scores)
        scores[~known] = 0.0
        return scores

    # Learning and scoring, by whatever way

    def _sized(self) -> Space:
        """Return the space for hashed rows. Raises ``ValueError`` when nobody has said how large it is."""
        if self._space is None and self.n_features is None and not self.grow:
            raise ValueError("rows cannot be learned before the space has a size: give n_features or grow=True")
        return self._space or self._begin(None)

    def _learn_divided(self, table: Floats, parts: Rows, signs: Floats, weights: Floats, scores: Floats) -> None:
        """Score the parts of each row, and nothing, into ``scores`` (n, k + 1), then learn the row; one by one."""
        indptr, indices, data, shared = parts
        k, whole = scores.shape[1] - 1, np.empty(1)
        for row in range(len(signs)):
            ends = indptr[row * k : (row + 1) * k + 1]
            self._score(table, Rows(ends, indices, data, shared), scores[row, :k])
            self._score(table, Rows(ends[[0, 0]], indices, data, shared), scores[row, k:])
            one = slice(row, row + 1)
            self._learn(table, Rows(ends[[0, -1]], indices, data, shared), signs[one], weights[one], whole)

    def _known_before(self, positive: npt.NDArray[np.bool_], weights: Floats) -> npt.NDArray[np.bool_]:
        """Count rows that are learned; return before which of them examples of both classes were known."""
        # Shape (m + 1, 2): how many of each class were known before each row, and after the last.
        taken = np.column_stack([~positive, positive]) & (weights > 0.0)[:, np.newaxis]
        counts = np.vstack([self._seen, self._seen + np.cumsum(taken, axis=0)])
        self._count((int(counts[-1, 0]), int(counts[-1, 1])))
        return np.asarray(counts[:-1].all(axis=1))

    def _check_width(self, X: Any) -> None:
        """Raise ``ValueError`` when ``X`` is not as wide as what was learned."""
        if self._space is not None:
            self._space.check_width(X)

    def _admitted(self, X: Any) -> Space:
        """Return the space, ready to learn ``X``. Raises ``ValueError`` when that has another width."""
        space = self._space or self._begin(np.shape(X)[-1])
        space.check_width(X)
        return space

    def _scores(self, rows: Rows) -> Floats:
        scores = np.zeros(len(rows[0]) - 1)
        space = self._space
        if space is not None:
            rows = space.found(rows)
            if self._knows_enough:
                self._score(space.table, rows, scores)
        return scores

    def _learn_single(self, space: Space, rows: Rows, interesting: bool, weight: float) -> float:
        if not 0.0 <= weight < math.inf:
            raise ValueError(f"weight must be finite and not negative, not {weight}")
        self._need_two()
        rows = space.claimed(rows)
        score = np.empty(1)
        weights = _WHOLE if weight == 1.0 else np.array((weight,), dtype=np.float64)
        self._learn(space.table, rows, _LIKED if interesting else _DULL, weights, score)
        known = self._knows_enough
        if weight > 0.0:
            dull, liked = self._seen
            self._seen = (dull, liked + 1) if interesting else (dull + 1, liked)
            if not known:
                self._count(self._seen)
        return score.item() if known else 0.0

    def _learn_all(self, space: Space, rows: Rows, interesting: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        scores = np.empty(rows.size)
        rows = space.claimed(rows)
        self._learn(space.table, rows, np.where(interesting, 1.0, -1.0), weights, scores)
        scores[~self._known_before(interesting, weights)] = 0.0
        return scores
