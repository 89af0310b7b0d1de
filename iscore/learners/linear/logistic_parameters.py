"""How ``OnlineLogisticRegression`` stores its parameters, and the moments of its features.

A parameter is stored as factor × (start + difference), with one factor each for all w, all α and all β, so that
shrinking all of them towards 0 is one multiplication, and an example costs what its own features cost. The sums for the
mean likewise: Σ of a parameter = (Σ of factors) × (start + difference) + rest.
"""

from __future__ import annotations

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Model
from iscore.learners.linear.rows import Coordinates

NONE, STANDARD, FS, FS_1, FS_2, FS_3 = range(6)
LEARNED = np.array(((1, 0, 0), (1, 0, 0), (1, 1, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)))
"""Which of w, α, β each of them learns; what is fixed is not shrunk either."""

MOST = 1e100
"""Bound of all parameters; larger values of features count as missing. So every score can be computed."""

LEAST_FACTOR = 1e-6
"""A factor below this is multiplied into the differences, and starts at 1 again; sums lose no more digits than that."""

# Columns of the table: for each of w, α, β the difference and the rest of the sum; or w's, then the running moments.
W, ALPHA, BETA = range(3)
MEAN, SQUARES, COUNT = 2, 3, 4

# Beside the table: the bias, its sum, the number of examples, then three numbers each for w, α, β.
BIAS, BIAS_SUM, EXAMPLES, FACTOR, FACTOR_SUM, START, START_SUM, KEPT = 0, 1, 2, 3, 6, 9, 12, 15


@inner
def parameter(model: Model, j: int, which: int, mean: bool) -> float:
    """Return w_j, α_j or β_j, or its mean over the examples."""
    table, kept = model
    shifted = kept[START + which] + table[j, 2 * which]
    if mean:
        rest = kept[START_SUM + which] + table[j, 2 * which + 1]
        return float((kept[FACTOR_SUM + which] * shifted + rest) / kept[EXAMPLES])
    return float(kept[FACTOR + which] * shifted)


@inner
def scaled_value(table: Floats, j: int, x: float, examples: float, whole: bool) -> float:
    """Return x scaled by the mean and deviation of its feature so far, 0 where there is none."""
    count, mean, squares = table[j, COUNT], table[j, MEAN], table[j, SQUARES]
    if whole:
        x -= mean
    else:
        # As many zeros more as there were examples without the feature.
        squares += mean * mean * count * (examples - count) / max(examples, 1.0)
        count = examples
    if count < 2.0 or not squares > 0.0:
        return 0.0
    return float(min(max(x / np.sqrt(squares / (count - 1.0)), -MOST), MOST))


@compiled
def parameters(numbers: Floats, kept: Floats, which: int, mean: bool) -> Floats:
    """Return w, α or β at rows of the table, or their means; shape (k,)."""
    found = np.empty(len(numbers))
    for j in range(len(numbers)):
        found[j] = parameter(Model(numbers, kept), j, which, mean)
    return found


@compiled
def scaled_values(numbers: Floats, x: Floats, examples: float, whole: bool) -> Floats:
    """Return values scaled by the mean and deviation of their features, at rows of the table; shape (k,)."""
    scaled = np.empty(len(x))
    for j in range(len(x)):
        scaled[j] = scaled_value(numbers, j, x[j], examples, whole)
    return scaled


@inner
def move(model: Model, j: int, which: int, step: float, average: bool) -> None:
    """Add ``step`` to w_j, α_j or β_j."""
    table, kept = model
    factor, start = kept[FACTOR + which], kept[START + which]
    before = table[j, 2 * which]
    after = before + step / factor
    if not abs(factor * (start + after)) <= MOST:
        after = (MOST if step > 0.0 else -MOST) / factor - start
    table[j, 2 * which] = after
    if average:
        table[j, 2 * which + 1] -= kept[FACTOR_SUM + which] * (after - before)


@inner
def multiply_in(model: Model, average: bool) -> None:
    """Start again at 1 with factors that have become small, and at 0 with their sums."""
    table, kept = model
    for which in range(3):
        factor = kept[FACTOR + which]
        if factor < LEAST_FACTOR:
            total = kept[FACTOR_SUM + which]
            for j in range(len(table)):
                if average:
                    table[j, 2 * which + 1] += total * table[j, 2 * which]
                table[j, 2 * which] *= factor
            kept[START_SUM + which] += total * kept[START + which]
            kept[START + which] *= factor
            kept[FACTOR_SUM + which] = 0.0
            kept[FACTOR + which] = 1.0


@inner
def update_moments(
    table: Floats, coordinates: Coordinates, values: Floats, scaled: Floats, examples: float, whole: bool
) -> None:
    """Add the values to the means and deviations of their features, and scale them by those."""
    for i in range(len(values)):
        j, x = coordinates[i], values[i]
        table[j, COUNT] += 1.0
        distance = x - table[j, MEAN]
        table[j, MEAN] += distance / table[j, COUNT]
        table[j, SQUARES] += distance * (x - table[j, MEAN])
        scaled[i] = scaled_value(table, j, x, examples, whole)
