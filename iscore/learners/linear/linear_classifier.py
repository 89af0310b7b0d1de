"""The linear learners' machinery: an update rule and a weight store, and all ways to learn and score with them.

Dense matrices, sparse ones and single rows all reach the kernels as ``Rows``: one example costs what its values cost,
and gives the same bits in every form. NaN is missing, which for a linear learner is 0.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from extractors.hash_table import LARGEST, within
from iscore.learners.learner import Bools, Explanation, Floats, ranks_by_size
from iscore.learners.linear import rows as rows_
from iscore.learners.linear.rows import Data, Ends, Ints, Rows
from iscore.learners.linear.update_rule import UpdateRule
from iscore.learners.linear.weight_store import WeightStore
from iscore.learners.online_classifier import Accepts, OnlineClassifier, check_weight, checked_weights

_POSITIVE, _NEGATIVE, _ONE = np.array((1.0,)), np.array((-1.0,)), np.array((1.0,))
"""The sign and the usual weight of a single row. Nobody writes to them."""


@dataclass(kw_only=True, eq=False, repr=False)
class LinearClassifier(OnlineClassifier):
    """Base of the linear learners: each defines an ``UpdateRule``, and has its parameters beside those here as fields.

    All scores are 0 until examples of two classes have been learned. An overflowing score is 0, too.

    Some learners take more than two classes: K is known from ``fit``, ``partial_fit`` or ``expect``. Then an example
    is learned with the number of its class, 0 to K - 1 (``learn_class``, ``learn_many``), and scores have the shape
    (K,) or (m, K).
    """

    NON_NEGATIVE: ClassVar[bool] = False
    """Whether ``fit`` refuses values below 0."""
    MANY_CLASSES: ClassVar[bool] = False
    """Whether there may be more than two classes."""

    n_features: int | None = None
    """The size of the space, up to 2³¹ - 1, which hashed words need; None takes it from the first matrix or vector."""
    grow: bool = False
    """Whether examples may have any coordinates at any time; scoring ignores those never learned."""

    _averaged = False
    """Whether scores are those of the mean of all hypotheses."""
    _store: WeightStore | None = field(default=None, init=False)
    """None before the first example."""
    _update: UpdateRule = field(init=False)
    _seen: tuple[int, ...] = field(default=(0, 0), init=False)
    """How many examples of each class were learned; of two, the second is the interesting one."""
    _knows_two: bool = field(default=False, init=False)
    """Whether examples of two classes were learned."""
    _n_classes: int = field(default=2, init=False)

    @abstractmethod
    def _update_rule(self) -> UpdateRule:
        """Return the update with its parameters. Raises ``ValueError`` for unusable ones."""

    @property
    def accepts(self) -> Accepts:
        """See ``OnlineClassifier``."""
        return Accepts(True, not self.NON_NEGATIVE, self.grow, self.MANY_CLASSES)

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
        if self._store is not None and self._knows_two:
            model = self._store.model
            numbers = self._store.table[self._store.found(rows).indices]
            weights = self._update.weights(model, numbers)
            prior, contributions = self._update.parts(model, rows.data.astype(np.float64), numbers)
        everything, ranks = np.ones(n, dtype=bool), ranks_by_size(weights)
        return Explanation(self.score_one(x), prior, contributions, everything, np.zeros(n), ranks, n)

    def score_classes(self, x: Any) -> Floats:
        """Return the score of each class for one example, shape (K,); ``x`` is as for ``score_one``."""
        self._need_two(many=True)
        self._check_width(x)
        scores: Floats = self._scores(rows_.of_vector(x))[0]
        return scores

    def learn_class(self, x: Any, number: int, weight: float = 1.0) -> Floats:
        """Learn one example of the class of that number; return the scores that it had just before, shape (K,)."""
        self._need_two(many=True)
        rows = rows_.of_vector(x)
        labels, weights = _class_numbers([number], self._n_classes), checked_weights(1, (1,), [weight])
        before: Floats = self._learn_rows(self._admitted(x), rows, labels, weights)[0]
        return before

    def expect(self, n_classes: int) -> Self:
        """Forget everything, and be ready for that many classes.

        Raises ``ValueError`` for fewer than two, and ``TypeError`` for more with a learner of two.
        """
        if n_classes < 2:
            raise ValueError(f"there must be two classes or more, not {n_classes}")
        if n_classes > 2 and not self.accepts.many_classes:
            raise TypeError(f"{type(self).__name__} is for two classes")
        self._forget()
        self._n_classes = n_classes
        return self

    # Many

    def score_many(self, X: Any) -> Floats:
        """See ``Learner``. ``X`` is a dense or sparse matrix of shape (m, n_features)."""
        self._check_width(X)
        return self._scores(rows_.of_matrix(X))

    def learn_many(self, X: Any, interesting: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> Floats:
        """See ``OnlineClassifier``. Of more than two classes ``interesting`` (m,) has the numbers of the classes.

        Raises ``ValueError`` before anything is learned.
        """
        rows = rows_.of_matrix(X)
        amounts = checked_weights(rows.size, np.shape(interesting), weights)
        labels = (
            np.asarray(interesting, dtype=bool)
            if self._n_classes == 2
            else _class_numbers(interesting, self._n_classes)
        )
        return self._learn_rows(self._admitted(X), rows, labels, amounts)

    # Rows of a hashed space

    def score_rows(self, indptr: Ends, indices: Ints, data: Data) -> Floats:
        """Return the scores of the m rows of a CSR matrix, given by its arrays: shapes (m + 1,), (k,), (k,).

        Coordinates must differ within a row. Raises ``ValueError`` for arrays that do not belong together.
        """
        return self._scores(rows_.of_csr(indptr, indices, data))

    def score_words(self, vocabulary: Ints, indptr: Ends, places: Ints, data: Data) -> Floats:
        """Return what ``score_rows`` returns for rows whose coordinates are ``vocabulary[places]``, shape (k,).

        Each coordinate of the vocabulary is looked up once, however many rows have it. Raises ``ValueError`` also for
        places outside of the vocabulary.
        """
        rows = rows_.of_csr(indptr, places, data)
        if not within(rows.indices, len(vocabulary)):
            raise ValueError(f"there are places outside of the {len(vocabulary)} coordinates of the vocabulary")
        scores = np.zeros(rows.size)
        if self._store is not None:
            numbers = self._store.numbers(vocabulary)
            if self._knows_two:
                self._update.score((numbers, self._store.bias), rows, scores)
        return scores

    def learn_row(self, indices: Ints, data: Data, positive: bool, weight: float = 1.0) -> None:
        """Learn one example from its k coordinates, all different, and their k values; as ``learn_one``.

        Raises ``ValueError`` also for coordinates outside of a space, and when its size is not known.
        """
        rows = rows_.of_entries(indices, data)
        self._learn_single(self._sized(), rows, positive, weight)

    def learn_rows(self, indptr: Ends, indices: Ints, data: Data, positive: Bools, weights: Floats) -> Floats:
        """Learn the m rows of a CSR matrix in order; return the score that each had just before, shape (m,).

        Raises ``ValueError`` as ``learn_row``.
        """
        return self._learn_rows(self._sized(), rows_.of_csr(indptr, indices, data), positive, weights)

    def learn_parts(self, indptr: Ends, indices: Ints, data: Data, positive: Bools, weights: Floats) -> Floats:
        """Learn n rows in order that have k parts each, concatenated; ``indptr`` has n·k + 1 ends.

        Return the score of each part just before its row was learned, and that of an empty row, shape (n, k + 1).
        Raises ``ValueError`` as ``learn_row``.
        """
        parts = rows_.of_csr(indptr, indices, data)
        n = len(weights)
        k, rest = divmod(parts.size, n) if n else (1, parts.size)
        if rest or k == 0:
            raise ValueError(f"{parts.size} parts cannot make {n} rows")
        store = self._sized()
        parts = store.claimed(parts)
        scores = np.empty((n, k + 1))
        known = self._known_before(positive, weights)
        self._update.learn_parts(store.model, parts, (np.where(positive, 1.0, -1.0), weights, scores))
        scores[~known] = 0.0
        return scores

    # State

    def state(self) -> dict[str, Any]:
        """See ``Learner``. The touched coordinates and their numbers; empty before the first example."""
        if self._store is None or not any(self._seen):
            return {}
        seen = np.array(self._seen, dtype=np.int64)
        return {"parameters": self._state_parameters(), **self._store.state(), "seen": seen}

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Learner``. The number of classes comes with the state."""
        self._forget()
        if not state:
            return
        if state["parameters"] != self._state_parameters():
            raise ValueError(f"the state is of {state['parameters']}, not of {self._state_parameters()}")
        self._n_classes = len(state["seen"])
        self._begin(int(state["width"]) or None).restore(state)
        self._count(tuple(int(count) for count in state["seen"]))

    def importances(self) -> tuple[Ints, Floats]:
        """Return the k coordinates of the model, ascending, and the sizes |w| of their weights; of two classes."""
        self._need_two()
        if self._store is None or not any(self._seen):
            return np.empty(0, dtype=np.int32), np.empty(0)
        coordinates, numbers = self._store.touched()
        return coordinates, np.abs(self._update.weights(self._store.model, numbers))

    def keep(self, coordinates: Ints) -> None:
        """Forget what was learned of all other coordinates; examples that have them may bring them back."""
        if self._store is None:
            return
        known, numbers = self._store.touched()
        kept = np.isin(known, coordinates)
        store = self._new_store(self._store.width, self._store.bias)
        store.put(known[kept], numbers[kept])
        self._store = store

    def _state_parameters(self) -> dict[str, Any]:
        """Return the parameters, which must be equal for a state to mean the same."""
        return {name: np.asarray(value).tolist() for name, value in self.get_params().items()}

    # Learning and scoring in any form

    def _forget(self) -> None:
        self._store = None

    def _begin(self, width: int | None) -> WeightStore:
        """Set up an empty store for examples of that many features, and return it."""
        if self.n_features is not None and not 0 < self.n_features <= LARGEST:
            raise ValueError(f"n_features must be from 1 to {LARGEST}, not {self.n_features}")
        self._update = rule = self._update_rule()
        k = self._n_classes
        start = rule.start if k == 2 else np.repeat(rule.start[: rule.columns], k)
        averaging = (3 if k == 2 else 2 * k + 1) if self._averaged else 0
        bias = np.concatenate([start, np.zeros(averaging)])
        self._count((0,) * k)
        self._store = self._new_store(None if self.grow else self.n_features or width, bias)
        return self._store

    def _new_store(self, width: int | None, bias: Floats) -> WeightStore:
        columns = self._update.columns + (2 if self._averaged else 0)
        dense = self._update.has_all_rows or self.n_features is None
        return WeightStore(width, columns * (1 if self._n_classes == 2 else self._n_classes), bias, dense=dense)

    def _take_classes(self, classes: npt.NDArray[Any]) -> None:
        super()._take_classes(classes)
        if len(classes) != self._n_classes:
            self.expect(len(classes))

    def _sized(self) -> WeightStore:
        """Return the store for hashed rows. Raises ``ValueError`` when nobody has given the size of the space."""
        if self._store is None and self.n_features is None and not self.grow:
            raise ValueError("rows cannot be learned before the space has a size: give n_features or grow=True")
        return self._store or self._begin(None)

    def _check_width(self, X: Any) -> None:
        """Raise ``ValueError`` when ``X`` is not as wide as what was learned."""
        if self._store is not None:
            self._store.check_width(X)

    def _admitted(self, X: Any) -> WeightStore:
        """Return the store, ready to learn ``X``. Raises ``ValueError`` when that has another width."""
        store = self._store or self._begin(np.shape(X)[-1])
        store.check_width(X)
        return store

    def _scores(self, rows: Rows) -> Floats:
        k = self._n_classes
        scores = np.zeros(rows.size if k == 2 else (rows.size, k))
        store = self._store
        if store is not None:
            rows = store.found(rows)
            if self._knows_two:
                (self._update.score if k == 2 else self._update.score_classes)(store.model, rows, scores)
        return scores

    def _learn_single(self, store: WeightStore, rows: Rows, interesting: bool, weight: float) -> float:
        check_weight(weight)
        self._need_two()
        rows = store.claimed(rows)
        score = np.empty(1)
        weights = _ONE if weight == 1.0 else np.array((weight,), dtype=np.float64)
        self._update.learn(store.model, rows, (_POSITIVE if interesting else _NEGATIVE, weights, score))
        known = self._knows_two
        if weight > 0.0:
            others, liked = self._seen
            self._seen = (others, liked + 1) if interesting else (others + 1, liked)
            if not known:
                self._count(self._seen)
        return score.item() if known else 0.0

    def _learn_rows(self, store: WeightStore, rows: Rows, labels: npt.NDArray[Any], weights: Floats) -> Floats:
        """Learn rows whose labels are booleans or, of more than two classes, their numbers."""
        rows = store.claimed(rows)
        if self._n_classes == 2:
            scores = np.empty(rows.size)
            self._update.learn(store.model, rows, (np.where(labels, 1.0, -1.0), weights, scores))
        else:
            scores = np.empty((rows.size, self._n_classes))
            self._update.learn_classes(store.model, rows, (labels, weights, scores))
        scores[~self._known_before(labels, weights)] = 0.0
        return scores

    def _known_before(self, labels: npt.NDArray[Any], weights: Floats) -> Bools:
        """Count rows that are learned; return before which of them examples of two classes were known."""
        seen, known = _known_before(self._seen, labels, weights)
        self._count(seen)
        return known

    def _need_two(self, *, many: bool = False) -> None:
        """Raise ``ValueError`` unless there are two classes, or with ``many`` if there are."""
        if (self._n_classes == 2) is many:
            methods = "score_one and learn_one" if many else "score_classes and learn_class"
            raise ValueError(f"there are {'two' if many else self._n_classes} classes: use {methods}")

    def _count(self, seen: tuple[int, ...]) -> None:
        """Set how many examples of each class have been learned."""
        self._seen = seen
        self._knows_two = sum(count > 0 for count in seen) > 1


def _class_numbers(labels: npt.ArrayLike, n_classes: int) -> npt.NDArray[np.int64]:
    """Return the numbers of classes as an array. Raises ``ValueError`` for numbers that no class has."""
    numbers = np.array(labels, dtype=np.int64)
    if not ((numbers >= 0) & (numbers < n_classes)).all():
        raise ValueError(f"classes have the numbers 0 to {n_classes - 1}")
    return numbers


def _known_before(seen: tuple[int, ...], labels: npt.NDArray[Any], weights: Floats) -> tuple[tuple[int, ...], Bools]:
    """Count m rows, those of weight 0 excepted; return the counts, and before which rows two classes were known.

    ``seen`` has the counts of K classes before, ``labels`` (m,) booleans or their numbers.
    """
    # Shape (m + 1, K): how many of each class were known before each row, and after the last.
    taken = (labels[:, np.newaxis] == np.arange(len(seen))) & (weights > 0.0)[:, np.newaxis]
    counts = np.vstack([seen, seen + np.cumsum(taken, axis=0)])
    return tuple(counts[-1].tolist()), np.asarray((counts[:-1] > 0).sum(axis=1) > 1)
