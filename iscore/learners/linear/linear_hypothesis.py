"""What a linear learner has learned: numbers for each coordinate of a space, and for the bias.

A learner keeps ``COLUMNS`` numbers for each coordinate, and as many for the bias, a coordinate whose value is 1 in
every example. The state holds the touched coordinates only (``space``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from iscore.learners.linear.hash_table import LARGEST
from iscore.learners.linear.rows import Ints
from iscore.learners.linear.sparse_classifier import SparseClassifier
from iscore.learners.linear.weight_table import Space

Floats = npt.NDArray[np.float64]


class LinearHypothesis(SparseClassifier):
    """Base of ``LinearClassifier``: the numbers, what they mean, and how they are saved and restored."""

    COLUMNS: ClassVar[int]
    """Numbers kept for each coordinate, unless it is averaged."""

    CAN_BE_AVERAGED: ClassVar[bool] = False
    """Whether the kernels keep what ``Voted`` asks for."""

    n_features: int | None
    grow: bool

    _space: Space | None = None
    """The numbers of each coordinate; None before the first example."""
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

    # State

    def state(self) -> dict[str, Any]:
        """See ``Learner``. The touched coordinates and their numbers; empty before the first example."""
        if self._space is None or not any(self._seen):
            return {}
        coordinates, numbers = self._space.touched()
        return {
            "parameters": self._parameters(),
            "width": self._space.width or 0,
            "coordinates": coordinates,
            "numbers": numbers,
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
        space = self._begin(int(state["width"]) or None)
        space.put(np.array(state["coordinates"], dtype=np.int32), state["numbers"])
        self._bias = np.array(state["bias"], dtype=np.float64)
        self._count(tuple(int(count) for count in state["seen"]))

    # What was learned of each coordinate

    def importances(self) -> tuple[Ints, Floats]:
        """Return the k coordinates of the model, ascending, and the sizes |w| of their weights; both of shape (k,).

        Raises ``ValueError`` for more than two classes.
        """
        self._need_two()
        state = self.state()
        if not state:
            return np.empty(0, dtype=np.int32), np.empty(0)
        return state["coordinates"], np.abs(self._weights(state["numbers"]))

    def keep(self, coordinates: Ints) -> None:
        """Forget what was learned of all other coordinates; examples that have them may bring them back."""
        state = self.state()
        if state:
            kept = np.isin(state["coordinates"], coordinates)
            self.restore(state | {name: state[name][kept] for name in ("coordinates", "numbers")})

    def _forget(self) -> None:
        self._space = None

    def _begin(self, width: int | None) -> Space:
        """Set up an empty space for examples of that many features, and return it."""
        if self.n_features is not None and not 0 < self.n_features <= LARGEST:
            raise ValueError(f"n_features must be from 1 to {LARGEST}, not {self.n_features}")
        self._bias = np.concatenate([self._start(), np.zeros(3 if self._averaged else 0)])
        self._count((0, 0))
        width = None if self.grow else self.n_features or width
        self._space = Space(width, self._columns(), dense=self._has_all_rows())
        return self._space

    def _has_all_rows(self) -> bool:
        """Return whether the table has a row for each coordinate, however large the space is."""
        return self.n_features is None

    def _parameters(self) -> dict[str, Any]:
        """Return the parameters, which must be equal for a state to mean the same."""
        return {name: np.asarray(value).tolist() for name, value in self.get_params().items()}

    def _need_two(self) -> None:
        """Raise ``ValueError`` when there are more than two classes."""
        if self._n_classes != 2:
            raise ValueError(f"there are {self._n_classes} classes: use score_classes and learn_class")

    def _count(self, seen: tuple[int, ...]) -> None:
        """Take note of how many examples of each class have been learned."""
        self._seen = seen
        self._knows_enough = sum(count > 0 for count in seen) > 1
