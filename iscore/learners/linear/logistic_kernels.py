"""The kernels of ``OnlineLogisticRegression``, which has the equations, and how it stores its parameters.

A parameter is stored as factor × (start + difference), with one factor each for all w, all α and all β, so that
shrinking all of them towards 0 is one multiplication, and an example costs what its own features cost. The sums for the
mean likewise: Σ of a parameter = (Σ of factors) × (start + difference) + rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Batch, Model, Packed
from iscore.learners.linear.rows import Coordinates, Ends, Row, Rows, raw_row

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


# Scoring and learning

MOST_REPEATS = 1000
"""An example of more weight counts as that many."""


class Parameters(NamedTuple):
    """What the kernels need."""

    scaling: int
    whole: bool
    """Whether every example has all features."""
    average: bool
    eta0: float
    N: float
    strengths: Floats
    """λ/N, μ/N, ν/N."""


class Features(NamedTuple):
    """The features of one example that count."""

    indices: Coordinates
    values: Floats
    scaled: Floats
    """Room for what the scaling makes of the values."""


@inner
def _gather(given: Row, width: int, whole: bool, room: Features) -> Features:
    """Return the features of a row that count, as parts of ``room``."""
    indices, values = room.indices, room.values
    count = 0
    if whole:
        values[:width] = 0.0
        for i in range(len(given.values)):
            values[given.indices[i]] = given.values[i]
        for j in range(width):
            x = values[j]
            if abs(x) <= MOST:
                indices[count] = j
                values[count] = x
                count += 1
    else:
        for i in range(len(given.values)):
            x = np.float64(given.values[i])
            if x != 0.0 and abs(x) <= MOST:
                indices[count] = given.indices[i]
                values[count] = x
                count += 1
    return Features(indices[:count], values[:count], room.scaled[:count])


@inner
def _room(indptr: Ends, width: int, whole: bool) -> Features:
    """Return room for as many features as a row can have."""
    size = width if whole else 0
    if not whole:
        for row in range(len(indptr) - 1):
            size = max(size, indptr[row + 1] - indptr[row])
    return Features(np.empty(size, np.uint32), np.empty(size), np.empty(size))


@inner
def _sigmoid(score: float) -> float:
    if score >= 0.0:
        return float(1.0 / (1.0 + math.exp(-score)))
    odds = math.exp(score)
    return float(odds / (1.0 + odds))


@inner
def _scale(model: Model, x: Features, whole: bool) -> None:
    """Scale the values by the running moments."""
    for i in range(len(x.values)):
        x.scaled[i] = scaled_value(model.table, x.indices[i], x.values[i], model.bias[EXAMPLES], whole)


@inner
def _score_of(model: Model, features: Features, scaling: int, mean: bool) -> float:
    """Return the score of an example. With supervised forms its values are scaled here, under "standard" before."""
    table, kept = model
    coordinates, values, scaled = features
    bias = kept[BIAS_SUM] / kept[EXAMPLES] if mean else kept[BIAS]
    score = 0.0
    if scaling in (NONE, STANDARD):
        x = values if scaling == NONE else scaled
        start, total, rest = kept[START], kept[FACTOR_SUM], kept[START_SUM]
        if mean:
            for i in range(len(x)):
                j = coordinates[i]
                score += (total * (start + table[j, 0]) + rest + table[j, 1]) * x[i]
            return float(bias + score / kept[EXAMPLES])
        for i in range(len(x)):
            score += (start + table[coordinates[i], 0]) * x[i]
        return float(bias + kept[FACTOR] * score)
    for i in range(len(values)):
        j = coordinates[i]
        w = parameter(model, j, W, mean)
        alpha = parameter(model, j, ALPHA, mean)
        beta = parameter(model, j, BETA, mean)
        if scaling in (FS, FS_1):
            scaled[i] = _sigmoid(alpha * values[i] - beta)
        else:
            scaled[i] = alpha * values[i] + beta
        score += w * scaled[i]
    return float(bias + score)


@compiled
def score(packed: Packed, packed_rows: Packed, scores: Floats, parameters: Packed) -> None:
    """See ``UpdateRule``."""
    model, rows, p = Model(*packed), Rows(*packed_rows), Parameters(*parameters)
    width = len(model.table)
    room = _room(rows.indptr, width, p.whole)
    for i in range(len(scores)):
        x = _gather(raw_row(rows, i), width, p.whole, room)
        if p.scaling == STANDARD:
            _scale(model, x, p.whole)
        scores[i] = _score_of(model, x, p.scaling, p.average)


@inner
def _step_of_weights(model: Model, coordinates: Coordinates, x: Floats, average: bool, step: float) -> None:
    """Add ``step``·x to the weights, which are all that is learned."""
    table, kept = model
    factor, start, total = kept[FACTOR], kept[START], kept[FACTOR_SUM]
    step /= factor
    for i in range(len(x)):
        j = coordinates[i]
        before = table[j, 0]
        after = before + step * x[i]
        if not abs(factor * (start + after)) <= MOST:
            after = (MOST if step * x[i] > 0.0 else -MOST) / factor - start
        table[j, 0] = after
        if average:
            table[j, 1] -= total * (after - before)


@inner
def _step_of_all(model: Model, features: Features, factors: Floats, scaling: int, average: bool, step: float) -> None:
    """Add ``step`` times the derivatives to w, α and β, which had ``factors`` until now and gave the scaled values."""
    table, kept = model
    coordinates, values, scaled = features
    for i in range(len(values)):
        j, x = coordinates[i], values[i]
        w = factors[W] * (kept[START + W] + table[j, 2 * W])
        sigma = scaled[i]
        if scaling in (FS, FS_1):
            slope = step * w * sigma * (1.0 - sigma)
            move(model, j, W, step * sigma, average)
            if scaling == FS:
                move(model, j, ALPHA, slope * x, average)
            move(model, j, BETA, -slope, average)
        else:
            if scaling == FS_2:
                move(model, j, W, step * sigma, average)
            move(model, j, ALPHA, step * w * x, average)
            move(model, j, BETA, step * w, average)


@compiled
def learn(packed: Packed, packed_rows: Packed, packed_batch: Packed, parameters: Packed) -> None:
    """See ``UpdateRule``."""
    model, rows, (labels, weights, scores) = Model(*packed), Rows(*packed_rows), Batch(*packed_batch)
    p = Parameters(*parameters)
    kept = model.bias
    width = len(model.table)
    room = _room(rows.indptr, width, p.whole)
    factors = np.empty(3)
    for i in range(len(labels)):
        x = _gather(raw_row(rows, i), width, p.whole, room)
        examples = kept[EXAMPLES]
        if p.scaling == STANDARD:
            _scale(model, x, p.whole)
        mean = p.average and examples > 0.0
        score = _score_of(model, x, p.scaling, mean)
        scores[i] = score
        left = min(weights[i], np.float64(MOST_REPEATS))
        if not left > 0.0:
            continue
        if p.scaling == STANDARD:
            update_moments(model.table, x.indices, x.values, x.scaled, examples + 1.0, p.whole)
        stale = mean or p.scaling == STANDARD
        eta = p.eta0 / (1.0 + examples / p.N)
        t = 1.0 if labels[i] > 0.0 else 0.0
        while left > 0.0:
            part = min(left, 1.0)
            left -= part
            if stale:
                score = _score_of(model, x, p.scaling, False)
            stale = True
            step = eta * part * (t - _sigmoid(score))
            for which in range(3):
                factors[which] = kept[FACTOR + which]
                kept[FACTOR + which] *= 1.0 - 2.0 * p.strengths[which] * eta * part
            kept[BIAS] += step
            if p.scaling in (NONE, STANDARD):
                _step_of_weights(model, x.indices, x.values if p.scaling == NONE else x.scaled, p.average, step)
            else:
                _step_of_all(model, x, factors, p.scaling, p.average, step)
        kept[EXAMPLES] += 1.0
        kept[BIAS_SUM] += kept[BIAS]
        for which in range(3):
            kept[FACTOR_SUM + which] += kept[FACTOR + which]
        multiply_in(model, p.average)
