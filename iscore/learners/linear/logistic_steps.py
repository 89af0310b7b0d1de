"""The compiled steps of ``OnlineLogisticRegression``, whose equations stand there."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.numba_kernel import compiled
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
    multiplied_in,
    parameter,
    standardised_value,
    take_in,
)
from iscore.learners.linear.rows import Coordinates, Data, Ends, Ints, raw_entries

Floats = npt.NDArray[np.float64]

MOST_REPEATS = 1000
"""An example of more weight counts as that many."""


@compiled
def _gathered(
    width: int,
    given: Coordinates,
    data: Data,
    whole: bool,
    coordinates: Coordinates,
    values: Floats,
) -> tuple[Coordinates, Floats]:
    """Return the features of a row that count, as parts of ``coordinates`` and ``values``, which they are put into."""
    count = 0
    if whole:
        values[:width] = 0.0
        for i in range(len(data)):
            values[given[i]] = data[i]
        for j in range(width):
            x = values[j]
            if abs(x) <= MOST:
                coordinates[count] = j
                values[count] = x
                count += 1
    else:
        for i in range(len(data)):
            x = np.float64(data[i])
            if x != 0.0 and abs(x) <= MOST:
                coordinates[count] = given[i]
                values[count] = x
                count += 1
    return coordinates[:count], values[:count]


@compiled
def _room(indptr: Ends, width: int, whole: bool) -> int:
    """Return how many features a row can have."""
    if whole:
        return width
    room = 0
    for row in range(len(indptr) - 1):
        room = max(room, indptr[row + 1] - indptr[row])
    return room


@compiled
def _sigmoid(score: float) -> float:
    if score >= 0.0:
        return float(1.0 / (1.0 + math.exp(-score)))
    odds = math.exp(score)
    return float(odds / (1.0 + odds))


@compiled
def _score_of(
    table: Floats,
    kept: Floats,
    coordinates: Coordinates,
    values: Floats,
    scaled: Floats,
    scaling: int,
    mean: bool,
) -> float:
    """Return the score of the features that were gathered.

    ``scaled`` are their values under "standard"; with supervised forms it takes them.
    """
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
        w = parameter(table, kept, j, W, mean)
        alpha = parameter(table, kept, j, ALPHA, mean)
        beta = parameter(table, kept, j, BETA, mean)
        if scaling in (FS, FS_1):
            scaled[i] = _sigmoid(alpha * values[i] - beta)
        else:
            scaled[i] = alpha * values[i] + beta
        score += w * scaled[i]
    return float(bias + score)


@compiled
def scores_of(
    table: Floats,
    kept: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    scores: Floats,
    scaling: int,
    whole: bool,
    average: bool,
) -> None:
    room = _room(indptr, len(table), whole)
    places, room_for_values, room_for_scaled = np.empty(room, np.uint32), np.empty(room), np.empty(room)
    for row in range(len(scores)):
        given, numbers = raw_entries(indptr, indices, data, shared, row)
        coordinates, values = _gathered(len(table), given, numbers, whole, places, room_for_values)
        scaled = room_for_scaled[: len(values)]
        if scaling == STANDARD:
            for i in range(len(values)):
                scaled[i] = standardised_value(table, coordinates[i], values[i], kept[EXAMPLES], whole)
        scores[row] = _score_of(table, kept, coordinates, values, scaled, scaling, average)


@compiled
def _step_of_weights(
    table: Floats, kept: Floats, coordinates: Coordinates, x: Floats, average: bool, step: float
) -> None:
    """Add ``step``·x to the weights, which are all that is learned."""
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


@compiled
def _step_of_all(
    table: Floats,
    kept: Floats,
    factors: Floats,
    coordinates: Coordinates,
    values: Floats,
    scaled: Floats,
    scaling: int,
    average: bool,
    step: float,
) -> None:
    """Add ``step`` times the derivatives to w, α and β, which had ``factors`` until now and gave ``scaled``."""
    for i in range(len(values)):
        j, x = coordinates[i], values[i]
        w = factors[W] * (kept[START + W] + table[j, 2 * W])
        sigma = scaled[i]
        if scaling in (FS, FS_1):
            slope = step * w * sigma * (1.0 - sigma)
            move(table, kept, j, W, step * sigma, average)
            if scaling == FS:
                move(table, kept, j, ALPHA, slope * x, average)
            move(table, kept, j, BETA, -slope, average)
        else:
            if scaling == FS_2:
                move(table, kept, j, W, step * sigma, average)
            move(table, kept, j, ALPHA, step * w * x, average)
            move(table, kept, j, BETA, step * w, average)


@compiled
def learn(
    table: Floats,
    kept: Floats,
    indptr: Ends,
    indices: Ints,
    data: Data,
    shared: bool,
    signs: Floats,
    weights: Floats,
    scores: Floats,
    scaling: int,
    whole: bool,
    average: bool,
    eta0: float,
    n_examples: float,
    strengths: Floats,
) -> int:
    room = _room(indptr, len(table), whole)
    places, room_for_values, room_for_scaled = np.empty(room, np.uint32), np.empty(room), np.empty(room)
    factors = np.empty(3)
    changed = 0
    for row in range(len(signs)):
        given, numbers = raw_entries(indptr, indices, data, shared, row)
        coordinates, values = _gathered(len(table), given, numbers, whole, places, room_for_values)
        scaled = room_for_scaled[: len(values)]
        examples = kept[EXAMPLES]
        if scaling == STANDARD:
            for i in range(len(values)):
                scaled[i] = standardised_value(table, coordinates[i], values[i], examples, whole)
        mean = average and examples > 0.0
        score = _score_of(table, kept, coordinates, values, scaled, scaling, mean)
        scores[row] = score
        left = min(weights[row], np.float64(MOST_REPEATS))
        if not left > 0.0:
            continue
        changed += 1
        if scaling == STANDARD:
            take_in(table, coordinates, values, scaled, examples + 1.0, whole)
        stale = mean or scaling == STANDARD
        eta = eta0 / (1.0 + examples / n_examples)
        t = 1.0 if signs[row] > 0.0 else 0.0
        while left > 0.0:
            part = min(left, 1.0)
            left -= part
            if stale:
                score = _score_of(table, kept, coordinates, values, scaled, scaling, False)
            stale = True
            step = eta * part * (t - _sigmoid(score))
            for which in range(3):
                factors[which] = kept[FACTOR + which]
                kept[FACTOR + which] *= 1.0 - 2.0 * strengths[which] * eta * part
            kept[BIAS] += step
            if scaling in (NONE, STANDARD):
                x = values if scaling == NONE else scaled
                _step_of_weights(table, kept, coordinates, x, average, step)
            else:
                _step_of_all(table, kept, factors, coordinates, values, scaled, scaling, average, step)
        kept[EXAMPLES] += 1.0
        kept[BIAS_SUM] += kept[BIAS]
        for which in range(3):
            kept[FACTOR_SUM + which] += kept[FACTOR + which]
        multiplied_in(table, kept, average)
    return changed
