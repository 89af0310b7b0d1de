"""The kernels of ``OnlineLogisticRegression``, which has the equations."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from extractors.numba_kernel import compiled, inner
from iscore.learners.learner import Floats
from iscore.learners.linear.kernels import Batch, Model, Packed
from iscore.learners.linear.logistic_parameters import (
    ALPHA,
    BETA,
    BIAS,
    BIAS_SUM,
    EXAMPLES,
    FACTOR,
    FACTOR_SUM,
    FS,
    FS_1,
    FS_2,
    MOST,
    NONE,
    STANDARD,
    START,
    START_SUM,
    W,
    move,
    multiply_in,
    parameter,
    scaled_value,
    update_moments,
)
from iscore.learners.linear.rows import Coordinates, Ends, Row, Rows, raw_row

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
