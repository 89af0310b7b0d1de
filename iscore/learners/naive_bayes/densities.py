"""Class-conditional densities of every feature, learned one vector at a time: on a grid, or exactly.

Both keep per class and feature the weight of the values seen and their range, from which bandwidths and floors
follow; they differ in how they keep the values themselves. Vectors come in already rounded (``precision.resolved``),
NaN is missing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import kernel_grid
from iscore.learners.naive_bayes.bandwidth import RULES, Rule, finest_spacing, smooth
from iscore.learners.naive_bayes.kernel_grid import ROOT_TWO_PI, Grid

SUMMARY = "weight", "low", "high"
"""Arrays that both kinds have in their states."""


class Past(NamedTuple):
    """Values of n features, one by one, of m examples. The first seven are those of ``Grid``."""

    weight: Floats
    low: Floats
    high: Floats
    smooth: Floats
    precision: Floats
    rule: int
    floor: float
    values: Floats
    """Shape (m, n)."""
    labels: npt.NDArray[np.int64]
    """Shape (m,)."""
    amounts: Floats
    """The weights of the examples, shape (m,)."""


@compiled
def _widen(past: Past, x: Floats, label: int, amount: float) -> None:
    """Add the values ``x`` (n,) of class ``label`` to the weights and ranges."""
    for i in range(len(x)):
        if not math.isnan(x[i]):
            past.weight[label, i] += amount
            past.low[label, i] = min(past.low[label, i], x[i])
            past.high[label, i] = max(past.high[label, i], x[i])


@compiled
def _exact_log_ratios(past: Past, X: Floats) -> Floats:
    """Return log p(f|1) - log p(f|0) for the rows of ``X`` (m, n), shape (m, n).

    0 where the value is missing or a class has never had one.
    """
    weight, smooth = past.weight, past.smooth
    ratios = np.zeros(X.shape)
    for row in range(X.shape[0]):
        for i in range(X.shape[1]):
            x = X[row, i]
            if math.isnan(x) or weight[0, i] <= 0.0 or weight[1, i] <= 0.0:
                continue
            total = np.zeros(2)
            for example in range(len(past.amounts)):
                value = past.values[example, i]
                if not math.isnan(value):
                    c = past.labels[example]
                    u = (x - value) / smooth[0, c, i]
                    total[c] += past.amounts[example] * math.exp(-0.5 * u * u)
            for c in range(2):
                total[c] = max(smooth[1, c, i], total[c] / (weight[c, i] * smooth[0, c, i] * ROOT_TWO_PI))
            ratios[row, i] = math.log(total[1] / total[0])
    return ratios


class GridDensities:
    """Kernel estimates on a grid: constant cost and memory."""

    def __init__(self, precision: Floats, rule: Rule, floor: float, n_nodes: int) -> None:
        """``n_nodes`` cells, a power of two, in the finest grid of each class and feature; else see ``Grid``."""
        finest = finest_spacing(precision)
        rings = np.zeros((2, len(precision), kernel_grid.pyramid_length(n_nodes)))
        self._finest = rings[:, :, :n_nodes]
        binned: Any = rings, np.array([finest] * 2), finest
        self.grid = Grid(*_summary_of_nothing(precision, rule, floor), *binned)
        self.packed = tuple(self.grid)
        """For kernels, which change the arrays; no array is ever replaced."""

    def log_ratios(self, X: Floats) -> Floats:
        """Return log p(f|1) - log p(f|0) for the rows of ``X``, shape (m, n); 0 where nothing is known."""
        return kernel_grid.log_ratios(self.grid, X)

    def smooth(self, scale: float) -> None:
        """Bring bandwidths and floors up to date, where a present weight of 1 counts as ``scale``."""
        smooth(self.grid, scale)

    def rescale(self, factor: float) -> None:
        """Multiply all weights."""
        self.grid.weight[:] *= factor
        self._finest[:] *= factor
        kernel_grid.fill(self.grid)

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned. Only occupied cells of the finest grids are listed."""
        cells = np.flatnonzero(self._finest)
        return _summary(self.grid) | {
            "spacing": self.grid.spacing.copy(),
            "cells": cells.astype(np.int32),
            "amounts": self._finest.ravel()[cells],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the densities that returned ``state``; ``smooth`` is still to be called."""
        for name in (*SUMMARY, "spacing"):
            getattr(self.grid, name)[:] = state[name]
        self._finest.fill(0.0)
        pyramids, nodes = np.divmod(state["cells"], self._finest.shape[2])
        self.grid.rings.reshape(-1, self.grid.rings.shape[2])[pyramids, nodes] = state["amounts"]
        kernel_grid.fill(self.grid)


class ExactDensities:
    """Kernel estimates as sums over all values of the past: cost and memory grow with history."""

    def __init__(self, precision: Floats, rule: Rule, floor: float) -> None:
        """See ``Past``."""
        n = len(precision)
        room: Any = np.zeros((16, n)), np.zeros(16, dtype=np.int64), np.zeros(16)
        self._n_examples = 0
        self._room = Past(*_summary_of_nothing(precision, rule, floor), *room)

    def add(self, x: Floats, label: int, amount: float) -> None:
        """Add the vector ``x`` (n,) of class ``label`` with weight ``amount`` > 0."""
        _widen(self._room, x, label, amount)
        n = self._n_examples
        if n == len(self._room.amounts):
            self._room = self._with(lambda array: np.concatenate([array, np.zeros_like(array)]))
        self._room.values[n], self._room.labels[n], self._room.amounts[n] = x, label, amount
        self._n_examples = n + 1

    def log_ratios(self, X: Floats) -> Floats:
        """See ``GridDensities``."""
        return _exact_log_ratios(self._past, X)

    def smooth(self, scale: float) -> None:
        """See ``GridDensities``."""
        smooth(self._room, scale)

    def rescale(self, factor: float) -> None:
        """See ``GridDensities``."""
        self._room.weight[:] *= factor
        self._room.amounts[:] *= factor

    def state(self) -> dict[str, Any]:
        """See ``GridDensities``."""
        past = self._past
        examples = {"past": past.values.copy(), "labels": past.labels.copy(), "amounts": past.amounts.copy()}
        return _summary(past) | examples

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``GridDensities``."""
        for name in SUMMARY:
            getattr(self._room, name)[:] = state[name]
        values, labels, amounts = (np.array(state[name]) for name in ("past", "labels", "amounts"))
        self._room = self._room._replace(values=values, labels=labels, amounts=amounts)
        self._n_examples = len(amounts)

    @property
    def _past(self) -> Past:
        """The examples without the room for more."""
        return self._with(lambda array: array[: self._n_examples])

    def _with(self, change: Callable[[Any], Any]) -> Past:
        room = self._room
        return room._replace(values=change(room.values), labels=change(room.labels), amounts=change(room.amounts))


def _summary_of_nothing(precision: Floats, rule: Rule, floor: float) -> Any:
    """Return the first seven fields of ``Grid`` and ``Past`` before any example; ``floor`` is in examples."""
    shape = (2, len(precision))
    ranges = np.zeros(shape), np.full(shape, np.inf), np.full(shape, -np.inf)
    return *ranges, np.zeros((2, *shape)), precision, RULES.index(rule), float(floor)


def _summary(values: Grid | Past) -> dict[str, Any]:
    return {name: getattr(values, name).copy() for name in SUMMARY}
