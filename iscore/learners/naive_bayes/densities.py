"""Class-conditional densities of every feature, learned one vector at a time: on a grid, or exactly.

Both keep per class and feature the weight of the values seen and their range, from which bandwidths and floors
follow; they differ in how they keep the values themselves. Arrays are of shape (2, n_features), the class first,
unless said otherwise. Vectors come in already rounded (``resolution.resolved``), NaN is missing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from iscore.learners.naive_bayes import kernel_grid, kernel_sums
from iscore.learners.naive_bayes.bandwidth import RULES, Rule, smoothing
from iscore.learners.naive_bayes.precision import finest_spacing

Floats = npt.NDArray[np.float64]


class Densities(ABC):
    """What both kinds share: weights, ranges and the bandwidths that follow."""

    def __init__(self, precision: Floats, rule: Rule, floor: float) -> None:
        """``precision`` has shape (n_features,); ``floor`` is in examples (see ``bandwidth.smoothing``)."""
        n = len(precision)
        self.precision = precision
        self.rule = RULES.index(rule)
        self._floor = floor
        self._weight: Floats = np.zeros((2, n))
        self._low: Floats = np.full((2, n), np.inf)
        self._high: Floats = np.full((2, n), -np.inf)
        self._smoothing: Floats = np.zeros((2, 2, n))

    @abstractmethod
    def add(self, x: Floats, label: int, amount: float) -> None:
        """Let the vector ``x`` (n,) of class ``label`` join with weight ``amount`` > 0."""

    @abstractmethod
    def log_ratios(self, X: Floats) -> Floats:
        """Return log p(f|1) - log p(f|0) for the rows of ``X``, shape (m, n); 0 where nothing can be said."""

    def smooth(self, scale: float) -> None:
        """Bring bandwidths and floors up to date, where a present weight of 1 counts as ``scale``."""
        self._smoothing = smoothing(self._weight, self._low, self._high, self.precision, scale, self.rule, self._floor)

    def rescale(self, factor: float) -> None:
        """Multiply all weights."""
        self._weight *= factor

    def state(self) -> dict[str, Any]:
        """Return a copy of everything learned."""
        return {"weight": self._weight.copy(), "low": self._low.copy(), "high": self._high.copy()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become the densities that returned ``state``; ``smooth`` is still to be called."""
        self._weight = np.array(state["weight"])
        self._low = np.array(state["low"])
        self._high = np.array(state["high"])


class GridDensities(Densities):
    """Kernel estimates on a grid: constant cost and memory."""

    def __init__(self, precision: Floats, rule: Rule, floor: float, n_nodes: int) -> None:
        """``n_nodes`` cells, a power of two, in the finest grid of each class and feature."""
        super().__init__(precision, rule, floor)
        self._n_nodes = n_nodes
        self._rings: Floats = np.zeros((2, len(precision), kernel_grid.pyramid_length(n_nodes)))
        self._spacing: Floats = np.array([finest_spacing(precision)] * 2)

    def add(self, x: Floats, label: int, amount: float) -> None:
        """See ``Densities``."""
        kernel_grid.add(
            x,
            label,
            amount,
            self._weight,
            self._low,
            self._high,
            self._rings,
            self._spacing,
            self._n_nodes,
        )

    def log_ratios(self, X: Floats) -> Floats:
        """See ``Densities``."""
        return kernel_grid.log_ratios(
            X,
            self._weight,
            self._low,
            self._high,
            self._smoothing,
            self._rings,
            self._spacing,
            self._n_nodes,
        )

    def arrays(self) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        """Return weight, low, high, smoothing, rings and spacing, to be modified by a kernel that does it all."""
        return self._weight, self._low, self._high, self._smoothing, self._rings, self._spacing

    def rescale(self, factor: float) -> None:
        """See ``Densities``."""
        super().rescale(factor)
        self._rings *= factor

    def state(self) -> dict[str, Any]:
        """See ``Densities``. Only occupied cells are listed."""
        cells = np.flatnonzero(self._rings)
        return super().state() | {
            "spacing": self._spacing.copy(),
            "cells": cells.astype(np.int32),
            "amounts": self._rings.ravel()[cells],
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Densities``."""
        super().restore(state)
        self._spacing = np.array(state["spacing"])
        self._rings = np.zeros_like(self._rings)
        self._rings.ravel()[state["cells"]] = state["amounts"]


class ExactDensities(Densities):
    """Kernel estimates as sums over all values of the past: cost and memory grow with history."""

    def __init__(self, precision: Floats, rule: Rule, floor: float) -> None:
        """Start without examples."""
        super().__init__(precision, rule, floor)
        self._n_examples = 0
        self._past: Floats = np.zeros((16, len(precision)))
        self._labels = np.zeros(16, dtype=np.int64)
        self._amounts: Floats = np.zeros(16)

    def add(self, x: Floats, label: int, amount: float) -> None:
        """See ``Densities``."""
        kernel_sums.widen(x, label, amount, self._weight, self._low, self._high)
        if self._n_examples == len(self._amounts):
            self._past = np.concatenate([self._past, np.zeros_like(self._past)])
            self._labels = np.concatenate([self._labels, np.zeros_like(self._labels)])
            self._amounts = np.concatenate([self._amounts, np.zeros_like(self._amounts)])
        self._past[self._n_examples] = x
        self._labels[self._n_examples] = label
        self._amounts[self._n_examples] = amount
        self._n_examples += 1

    def log_ratios(self, X: Floats) -> Floats:
        """See ``Densities``."""
        n = self._n_examples
        return kernel_sums.log_ratios(
            X, self._weight, self._smoothing, self._past[:n], self._labels[:n], self._amounts[:n]
        )

    def rescale(self, factor: float) -> None:
        """See ``Densities``."""
        super().rescale(factor)
        self._amounts *= factor

    def state(self) -> dict[str, Any]:
        """See ``Densities``."""
        n = self._n_examples
        return super().state() | {
            "past": self._past[:n].copy(),
            "labels": self._labels[:n].copy(),
            "amounts": self._amounts[:n].copy(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``Densities``."""
        super().restore(state)
        self._past = np.array(state["past"])
        self._labels = np.array(state["labels"])
        self._amounts = np.array(state["amounts"])
        self._n_examples = len(self._amounts)
