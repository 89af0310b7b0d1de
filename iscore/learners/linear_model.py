"""What linear learners share: a table of numbers for each coordinate, and all the faces through which it learns.

A learner keeps ``COLUMNS`` numbers for each coordinate, and as many for the bias, a coordinate whose value is 1 in
every example. All numbers of a coordinate are 0 until an example has changed it, whatever the paper starts from; the
state holds the touched coordinates only. In a space whose size is given beforehand, or which grows, the table too has
rows only for coordinates that were learned (``places``).

A subclass is a kernel that learns rows, and a kernel that scores them unless ``scores_of`` will do. Dense matrices,
sparse ones and single rows all come to the kernels as ``Rows``: one example costs what its values cost, and gives the
same bits by every way. NaN is missing, which for a linear learner is 0.

A learner that can be averaged (``Voted``) keeps two more numbers for each coordinate, and for the bias: ``total``, the
sum of its weight over the examples that were right, up to ``last``, the count of them when the weight last changed.
The count itself, C, is the last number of the bias. So the mean weight, (total + (C - last)·w) / C, costs nothing
until the weight changes.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import _check_sample_weight, check_array, check_is_fitted, validate_data

from extractors.compiled import compiled
from iscore.learners import places as places_
from iscore.learners import rows as rows_
from iscore.learners.learner import Explanation
from iscore.learners.online_classifier import OnlineClassifier
from iscore.learners.places import Places
from iscore.learners.rows import Data, Rows

Floats = npt.NDArray[np.float64]

_LIKED, _DULL, _WHOLE = np.array((1.0,)), np.array((-1.0,)), np.array((1.0,))
"""A row's sign and its usual weight. Nobody writes to them."""


class LinearClassifier(OnlineClassifier):
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

    COLUMNS: ClassVar[int]
    """Numbers kept for each coordinate, unless it is averaged."""

    CAN_BE_AVERAGED: ClassVar[bool] = False
    """Whether the kernels keep what ``Voted`` asks for."""

    n_features: int | None
    grow: bool

    _table: Floats | None = None
    """Shape (width, columns), or with places at least (1 + places, columns); row 0 then stays 0."""
    _places: Places | None
    """Which row of the table a coordinate has, if not that of its own number."""
    _width: int | None
    """How many features an example must have; None for any number."""
    _bias: Floats
    """The bias' numbers, then those of the model as a whole, if a learner has any, then what averaging adds."""
    _seen: tuple[int, ...] = (0, 0)
    """How many examples of each class were learned; of two, the second is the interesting one."""
    _knows_enough: bool = False
    """Whether examples of two classes were learned, so that there is something to judge by."""
    _n_classes: int = 2
    """K; more than two only in ``ManyClasses``."""
    _averaged: bool = False
    """Whether scores are those of the mean of all hypotheses."""

    @abstractmethod
    def _start(self) -> Floats:
        """Return what the bias starts from, and other numbers of the model as a whole, shape (COLUMNS or more,).

        Raises ``ValueError`` for unusable parameters.
        """

    def _columns(self) -> int:
        """Return how many numbers a row of the table has; with some learners it depends on the parameters."""
        return self.COLUMNS + (2 if self._averaged else 0)

    @abstractmethod
    def _learn(self, table: Floats, rows: Rows, signs: Floats, weights: Floats, scores: Floats) -> int:
        """Learn rows of sign 1 or -1 in order; return how many changed the model.

        ``scores`` takes the score that each row had just before. Weights are finite and not negative; a row of
        weight 0 is scored only.
        """

    def _score(self, table: Floats, rows: Rows, scores: Floats) -> None:
        """Put the scores of rows into ``scores``."""
        if self._averaged:
            mean_scores_of(table, self._bias, *rows, scores, self.COLUMNS)
        else:
            scores_of(table, self._bias, *rows, scores)

    def _weights(self, numbers: Floats) -> Floats:
        """Return the weights with which rows of the table score, shape (k,)."""
        right = self._bias[-1]
        if not self._averaged or not right > 0.0:
            return self._newest(numbers)
        total, last = numbers[:, self.COLUMNS], numbers[:, self.COLUMNS + 1]
        means: Floats = (total + (right - last) * self._newest(numbers)) / right
        return means

    def _newest(self, numbers: Floats) -> Floats:
        """Return the weights of the newest hypothesis at rows of the table, shape (k,)."""
        return numbers[:, 0]

    def _parts(self, x: Floats, numbers: Floats) -> tuple[float, Floats]:
        """Return the part of the score that no value of ``x`` has, and that of each, given their rows of the table."""
        return self._bias_weight(), x * self._weights(numbers)

    def _bias_weight(self) -> float:
        """Return what the bias adds to a score."""
        return float(self._weights(self._bias[np.newaxis])[0])

    def keep_means(self) -> None:
        """Forget everything, and judge by the mean of all hypotheses from now on. ``Voted`` is the public door."""
        self._forget()
        self._averaged = True

    # One example at a time

    def score_one(self, x: Any) -> float:
        """See ``Learner``. ``x`` is a vector of length n_features or a sparse matrix of one row."""
        self._need_two()
        self._check_width(x)
        return self._scores(rows_.of_vector(x)).item()

    def learn_one(self, x: Any, interesting: bool, weight: float = 1.0) -> float:
        """See ``Learner``. ``x`` is a vector of length n_features or a sparse matrix of one row."""
        rows = rows_.of_vector(x)
        self._admit(x)
        return self._learn_single(rows, interesting, weight)

    def explain_one(self, x: Any) -> Explanation:
        """See ``Learner``. ``x`` is a vector of length n_features; ranks are by the size of the weights."""
        self._need_two()
        rows = rows_.of_vector(x)
        self._check_width(x)
        n = len(rows.data)
        prior, contributions, weights = 0.0, np.zeros(n), np.zeros(n)
        if self._table is not None and self._knows_enough:
            numbers = self._table[self._found(self._table, rows).indices]
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
        self._admit(X)
        return self._learn_all(rows, liked, amounts)

    # Rows of a hashed space

    def score_rows(self, indptr: npt.NDArray[np.int64], indices: npt.NDArray[np.int32], data: Data) -> Floats:
        """Return the scores of the m rows of a CSR matrix, given by its arrays: shapes (m + 1,), (k,), (k,).

        Coordinates must differ within a row. Raises ``ValueError`` for arrays that do not belong together, and for
        coordinates outside of the space, unless it grows.
        """
        return self._scores(rows_.of_csr(indptr, indices, data))

    def learn_row(self, indices: npt.NDArray[np.int32], data: Data, positive: bool, weight: float = 1.0) -> None:
        """Learn one example from its k coordinates, all different, and their k values; as ``learn_one``.

        Raises ``ValueError`` also for coordinates outside of the space, unless it grows, and when nobody has said
        how large it is.
        """
        rows = rows_.of_entries(indices, data)
        if self._table is None:
            if self.n_features is None and not self.grow:
                raise ValueError("rows cannot be learned before the space has a size: give n_features or grow=True")
            self._begin(None)
        self._learn_single(rows, positive, weight)

    # scikit-learn's face

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the rows of ``X``, shape (m,); above 0 means the second class."""
        check_is_fitted(self, "classes_")
        return self.score_many(self._validated_rows(X))

    # State

    def state(self) -> dict[str, Any]:
        """See ``Learner``. The touched coordinates and their numbers; empty before the first example."""
        if self._table is None or not any(self._seen):
            return {}
        touched = np.flatnonzero(self._table.any(axis=1))
        coordinates = touched if self._places is None else self._places.coordinates[touched - 1]
        ascending = np.argsort(coordinates)
        return {
            "parameters": self._parameters(),
            "width": self._width or 0,
            "coordinates": coordinates[ascending].astype(np.int32),
            "numbers": self._table[touched[ascending]],
            "bias": self._bias.copy(),
            "seen": np.array(self._seen, dtype=np.int64),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``."""
        if not state:
            self._forget()
            return
        if state["parameters"] != self._parameters():
            raise ValueError(f"the state is of {state['parameters']}, not of {self._parameters()}")
        self._begin(int(state["width"]) or None)
        coordinates = np.array(state["coordinates"], dtype=np.int32)
        table, rows = self._claimed(rows_.of_entries(coordinates, np.empty(len(coordinates))))
        table[rows.indices] = state["numbers"]
        self._bias = np.array(state["bias"], dtype=np.float64)
        self._count(tuple(int(count) for count in state["seen"]))

    # What was learned of each coordinate

    def importances(self) -> tuple[npt.NDArray[np.int32], Floats]:
        """Return the k coordinates of the model, ascending, and the sizes |w| of their weights; both of shape (k,).

        Raises ``ValueError`` for more than two classes.
        """
        self._need_two()
        state = self.state()
        if not state:
            return np.empty(0, dtype=np.int32), np.empty(0)
        return state["coordinates"], np.abs(self._weights(state["numbers"]))

    def keep(self, coordinates: npt.NDArray[np.int32]) -> None:
        """Forget what was learned of all other coordinates; examples that have them may bring them back."""
        state = self.state()
        if state:
            kept = np.isin(state["coordinates"], coordinates)
            self.restore(state | {name: state[name][kept] for name in ("coordinates", "numbers")})

    def _forget(self) -> None:
        self._table = None

    def _begin(self, width: int | None) -> None:
        """Set up an empty table for examples of that many features."""
        self._bias = np.concatenate([self._start(), np.zeros(3 if self._averaged else 0)])
        self._count((0, 0))
        self._width = None if self.grow else self.n_features or width
        if self.n_features is not None and not 0 < self.n_features <= places_.LARGEST:
            raise ValueError(f"n_features must be from 1 to {places_.LARGEST}, not {self.n_features}")
        if self.grow or self.n_features is not None:
            self._places = Places(self._width or places_.LARGEST)
            self._table = np.zeros((1, self._columns()))
        else:
            self._places = None
            self._table = np.zeros((self._width or 0, self._columns()))

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters, which must be equal for a state to mean the same."""
        return {name: np.asarray(value).tolist() for name, value in self.get_params().items()}

    # The space

    def _check_width(self, X: Any) -> None:
        """Raise ``ValueError`` when ``X`` is not as wide as what was learned."""
        if self._table is None or self._width is None:
            return
        shape = X.shape if isinstance(X, np.ndarray) else np.shape(X)
        if not shape or shape[-1] != self._width:
            raise ValueError(f"there are {self._width} features, and an array of shape {shape} was given")

    def _admit(self, X: Any) -> None:
        """Be ready to learn ``X``. Raises ``ValueError`` when it has another width."""
        if self._table is None:
            self._begin(np.shape(X)[-1])
        self._check_width(X)

    def _claimed(self, rows: Rows) -> tuple[Floats, Rows]:
        """Return the table, with room for the coordinates of the rows, and the rows with where those stand in it.

        Raises ``ValueError`` for coordinates outside of the space.
        """
        table = self._table
        assert table is not None  # noqa: S101 - whoever learns has begun
        if self._places is None:
            self._check_coordinates(table, rows)
            return table, rows
        places = self._places.claim(rows.indices)
        count = self._places.count
        if count >= len(table):
            wider = np.zeros((1 << count.bit_length(), table.shape[1]))
            wider[: len(table)] = table
            self._table = table = wider
        return table, rows.at(places)

    def _found(self, table: Floats, rows: Rows) -> Rows:
        """Return the rows with where their coordinates stand in the table. Raises ``ValueError`` as ``_claimed``."""
        if self._places is None:
            self._check_coordinates(table, rows)
            return rows
        return rows.at(self._places.find(rows.indices))

    def _check_coordinates(self, table: Floats, rows: Rows) -> None:
        # Those of dense rows are as many as the width, which has been looked at.
        if rows.shared:
            return
        low, high = rows_.extent(rows.indices)
        if low < 0 or high >= len(table):
            raise ValueError(f"coordinates from {low} to {high} are outside of the {len(table)} features")

    # Learning and scoring, by whatever way

    def _need_two(self) -> None:
        """Raise ``ValueError`` when there are more than two classes."""
        if self._n_classes != 2:
            raise ValueError(f"there are {self._n_classes} classes: use score_classes and learn_class")

    def _count(self, seen: tuple[int, ...]) -> None:
        """Take note of how many examples of each class have been learned."""
        self._seen = seen
        self._knows_enough = sum(count > 0 for count in seen) > 1

    def _scores(self, rows: Rows) -> Floats:
        scores = np.zeros(rows.size)
        if self._table is not None and self._knows_enough:
            self._score(self._table, self._found(self._table, rows), scores)
        elif self._table is not None:
            self._found(self._table, rows)
        return scores

    def _learn_single(self, rows: Rows, interesting: bool, weight: float) -> float:
        if not 0.0 <= weight < math.inf:
            raise ValueError(f"weight must be finite and not negative, not {weight}")
        self._need_two()
        table, rows = self._claimed(rows)
        score = np.empty(1)
        weights = _WHOLE if weight == 1.0 else np.array((weight,), dtype=np.float64)
        self._learn(table, rows, _LIKED if interesting else _DULL, weights, score)
        known = self._knows_enough
        if weight > 0.0:
            dull, liked = self._seen
            self._seen = (dull, liked + 1) if interesting else (dull + 1, liked)
            if not known:
                self._count(self._seen)
        return score.item() if known else 0.0

    def _learn_all(self, rows: Rows, interesting: npt.NDArray[np.bool_], weights: Floats) -> Floats:
        scores = np.empty(rows.size)
        table, rows = self._claimed(rows)
        self._learn(table, rows, np.where(interesting, 1.0, -1.0), weights, scores)
        # Shape (m + 1, 2): how many of each class were known before each row, and after the last.
        taken = np.column_stack([~interesting, interesting]) & (weights > 0.0)[:, np.newaxis]
        known = np.vstack([self._seen, self._seen + np.cumsum(taken, axis=0)])
        self._count((int(known[-1, 0]), int(known[-1, 1])))
        scores[~known[:-1].all(axis=1)] = 0.0
        return scores

    # What the estimator asks

    def _validated(self, X: Any, y: npt.ArrayLike, *, reset: bool) -> tuple[Any, npt.NDArray[Any]]:
        return super()._validated(X, y, reset=reset or self.grow)

    def _validated_rows(self, X: Any) -> Any:
        if self.grow:
            return check_array(X, **self._input_options())
        return validate_data(self, X, reset=False, **self._input_options())

    def _input_options(self) -> dict[str, Any]:
        return super()._input_options() | {"accept_sparse": "csr", "dtype": (np.float64, np.float32)}

    def _check_values(self, X: Any) -> None:
        """Raise ``ValueError`` for values in a matrix that a learner does not take from scikit-learn's face."""

    def _learn_rows(self, X: Any, y: npt.NDArray[Any], sample_weight: npt.ArrayLike | None) -> Self:
        self._check_values(X)
        weights = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self.learn_many(X, y == self.classes_[1], weights)
        return self

    def __sklearn_tags__(self) -> Any:
        """Say that sparse matrices are welcome too."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@compiled
def scores_of(
    table: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: Data,
    shared: bool,
    scores: Floats,
) -> None:
    """Put ⟨x, w⟩ + b of each row into ``scores``; w is the table's first column, b the bias' first number."""
    for row in range(len(scores)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        score = bias[0]
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                score += x * table[indices[k - shift], 0]
        scores[row] = score if np.isfinite(score) else 0.0


@compiled
def mean_scores_of(
    table: Floats,
    bias: Floats,
    indptr: npt.NDArray[np.int64],
    indices: npt.NDArray[np.int32],
    data: Data,
    shared: bool,
    scores: Floats,
    column: int,
) -> None:
    """Do as ``scores_of`` with the mean weights, where ``total`` is in that column and ``last`` in the next."""
    right = bias[column + 2]
    for row in range(len(scores)):
        begin, end = indptr[row], indptr[row + 1]
        shift = begin if shared else 0
        score = bias[0]
        total = bias[column] + (right - bias[column + 1]) * bias[0]
        for k in range(begin, end):
            x = np.float64(data[k])
            if np.isfinite(x):
                j = indices[k - shift]
                score += x * table[j, 0]
                total += x * (table[j, column] + (right - table[j, column + 1]) * table[j, 0])
        if right > 0.0:
            score = total / right
        scores[row] = score if np.isfinite(score) else 0.0
