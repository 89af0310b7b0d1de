"""Class-conditional densities of every feature, learned one vector at a time: on a grid, or exactly.

Both keep per class and feature the weight of the values seen and their range, from which bandwidths and floors
follow; they differ in how they keep the values themselves. Vectors come in already rounded (``precision.resolved``),
NaN is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from iscore.learners.learner import Floats
from iscore.learners.naive_bayes import kernel_grid, kernel_sums
from iscore.learners.naive_bayes.bandwidth import RULES, Rule, smooth
from iscore.learners.naive_bayes.kernel_grid import Grid
from iscore.learners.naive_bayes.kernel_sums import Past
from iscore.learners.naive_bayes.precision import finest_spacing

SUMMARY = "weight", "low", "high"
"""Arrays that both kinds have in their states."""


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
        kernel_sums.widen(self._room, x, label, amount)
        n = self._n_examples
        if n == len(self._room.amounts):
            self._room = self._with(lambda array: np.concatenate([array, np.zeros_like(array)]))
        self._room.values[n], self._room.labels[n], self._room.amounts[n] = x, label, amount
        self._n_examples = n + 1

    def log_ratios(self, X: Floats) -> Floats:
        """See ``GridDensities``."""
        return kernel_sums.log_ratios(self._past, X)

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
