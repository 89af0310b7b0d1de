"""The compiled steps of ``OnlineLogisticRegression``, whose equations stand there.

Parameters are kept as factor × (start + difference), one factor each for all w, all α and all β, so that drawing all
of them towards 0 is one multiplication, and an example costs what its own features cost. So with the sums for the
mean: Σ of a parameter = (Σ of factors) × (start + difference) + rest.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from extractors.compiled import compiled
from iscore.learners.rows import Data

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

NONE, STANDARD, FS, FS_1, FS_2, FS_3 = range(6)
LEARNED = np.array(((1, 0, 0), (1, 0, 0), (1, 1, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)))
"""Which of w, α, β each of them learns; what is fixed is not drawn towards 0 either."""

MOST = 1e100
"""Bound of all parameters; larger values of features are missing. So every score can be computed."""

MOST_REPEATS = 1000
"""An example of more weight counts as that many."""

LEAST_FACTOR = 1e-6
"""A factor below this is multiplied into the differences, and begins at 1 again; sums lose no more digits than that."""

# Columns of the table: for each of w, α, β the difference and the rest of the sum; or w's, then the running moments.
W, ALPHA, BETA = range(3)
MEAN, SQUARES, COUNT = 2, 3, 4

# What is kept beside the table: the bias, its sum, the number of examples, then three numbers each for w, α, β.
BIAS, BIAS_SUM, EXAMPLES, FACTOR, FACTOR_SUM, START, START_SUM, KEPT = 0, 1, 2, 3, 6, 9, 12, 15


@compiled
def _gathered(
    width: int,
    begin: int,
    end: int,
    indices: Ints,
    data: Data,
    shared: bool,
    whole: bool,
    coordinates: Ints,
    values: Floats,
) -> int:
    """Put the features of a row that count into ``coordinates`` and ``values``; return how many they are."""
    shift = begin if shared else 0
    count = 0
    if whole:
        values[:width] = 0.0
        for k in range(begin, end):
            values[indices[k - shift]] = data[k]
        for j in range(width):
            x = values[j]
            if abs(x) <= MOST:
                coordinates[count] = j
                values[count] = x
                count += 1
        return count
    for k in range(begin, end):
        x = np.float64(data[k])
        if x != 0.0 and abs(x) <= MOST:
            coordinates[count] = indices[k - shift]
            values[count] = x
            count += 1
    return count


@compiled
def _room(indptr: npt.NDArray[np.int64], width: int, whole: bool) -> int:
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
def _parameter(table: Floats, kept: Floats, j: int, which: int, mean: bool) -> float:
    """Return w_j, α_j or β_j, or its mean over the examples."""
    shifted = kept[START + which] + table[j, 2 * which]
    if mean:
        rest = kept[START_SUM + which] + table[j, 2 * which + 1]
        return float((kept[FACTOR_SUM + which] * shifted + rest) / kept[EXAMPLES])
    return float(kept[FACTOR + which] * shifted)


@compiled
def _standardised(table: Floats, j: int, x: float, examples: float, whole: bool) -> float:
    """Return x by the mean and deviation of its feature so far, 0 where there is none."""
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
        found[j] = _parameter(numbers, kept, j, which, mean)
    return found


@compiled
def standardised(numbers: Floats, x: Floats, examples: float, whole: bool) -> Floats:
    """Return values by the mean and deviation of their features, at rows of the table; shape (k,)."""
    scaled = np.empty(len(x))
    for j in range(len(x)):
        scaled[j] = _standardised(numbers, j, x[j], examples, whole)
    return scaled


@compiled
def _score_of(
    table: Floats,
    kept: Floats,
    coordinates: Ints,
    values: Floats,
    scaled: Floats,
    count: int,
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
            for i in range(count):
                j = coordinates[i]
                score += (total * (start + table[j, 0]) + rest + table[j, 1]) * x[i]
            return float(bias + score / kept[EXAMPLES])
        for i in range(count):
            score += (start + table[coordinates[i], 0]) * x[i]
        return float(bias + kept[FACTOR] * score)
    for i in range(count):
        j = coordinates[i]
        w = _parameter(table, kept, j, W, mean)
        alpha = _parameter(table, kept, j, ALPHA, mean)
        beta = _parameter(table, kept, j, BETA, mean)
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
    indptr: npt.NDArray[np.int64],
    indices: Ints,
    data: Data,
    shared: bool,
    scores: Floats,
    scaling: int,
    whole: bool,
    average: bool,
) -> None:
    room = _room(indptr, len(table), whole)
    coordinates, values, scaled = np.empty(room, np.int32), np.empty(room), np.empty(room)
    for row in range(len(scores)):
        begin, end = indptr[row], indptr[row + 1]
        count = _gathered(len(table), begin, end, indices, data, shared, whole, coordinates, values)
        if scaling == STANDARD:
            for i in range(count):
                scaled[i] = _standardised(table, coordinates[i], values[i], kept[EXAMPLES], whole)
        scores[row] = _score_of(table, kept, coordinates, values, scaled, count, scaling, average)


@compiled
def _move(table: Floats, kept: Floats, j: int, which: int, step: float, average: bool) -> None:
    """Add ``step`` to w_j, α_j or β_j."""
    factor, start = kept[FACTOR + which], kept[START + which]
    before = table[j, 2 * which]
    after = before + step / factor
    if not abs(factor * (start + after)) <= MOST:
        after = (MOST if step > 0.0 else -MOST) / factor - start
    table[j, 2 * which] = after
    if average:
        table[j, 2 * which + 1] -= kept[FACTOR_SUM + which] * (after - before)


@compiled
def _step_of_weights(
    table: Floats, kept: Floats, coordinates: Ints, x: Floats, count: int, average: bool, step: float
) -> None:
    """Add ``step``·x to the weights, which are all that is learned."""
    factor, start, total = kept[FACTOR], kept[START], kept[FACTOR_SUM]
    step /= factor
    for i in range(count):
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
    coordinates: Ints,
    values: Floats,
    scaled: Floats,
    count: int,
    scaling: int,
    average: bool,
    step: float,
) -> None:
    """Add ``step`` times the derivatives to w, α and β, which had ``factors`` until now and gave ``scaled``."""
    for i in range(count):
        j, x = coordinates[i], values[i]
        w = factors[W] * (kept[START + W] + table[j, 2 * W])
        sigma = scaled[i]
        if scaling in (FS, FS_1):
            slope = step * w * sigma * (1.0 - sigma)
            _move(table, kept, j, W, step * sigma, average)
            if scaling == FS:
                _move(table, kept, j, ALPHA, slope * x, average)
            _move(table, kept, j, BETA, -slope, average)
        else:
            if scaling == FS_2:
                _move(table, kept, j, W, step * sigma, average)
            _move(table, kept, j, ALPHA, step * w * x, average)
            _move(table, kept, j, BETA, step * w, average)


@compiled
def _multiplied_in(table: Floats, kept: Floats, average: bool) -> None:
    """Begin again at 1 with factors that have become small, and at 0 with their sums."""
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


@compiled
def _take_in(
    table: Floats, coordinates: Ints, values: Floats, scaled: Floats, count: int, examples: float, whole: bool
) -> None:
    """Let the values count in the means and deviations of their features, and scale them by those."""
    for i in range(count):
        j, x = coordinates[i], values[i]
        table[j, COUNT] += 1.0
        distance = x - table[j, MEAN]
        table[j, MEAN] += distance / table[j, COUNT]
        table[j, SQUARES] += distance * (x - table[j, MEAN])
        scaled[i] = _standardised(table, j, x, examples, whole)


@compiled
def learn(
    table: Floats,
    kept: Floats,
    indptr: npt.NDArray[np.int64],
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
    coordinates, values, scaled = np.empty(room, np.int32), np.empty(room), np.empty(room)
    factors = np.empty(3)
    changed = 0
    for row in range(len(signs)):
        begin, end = indptr[row], indptr[row + 1]
        count = _gathered(len(table), begin, end, indices, data, shared, whole, coordinates, values)
        examples = kept[EXAMPLES]
        if scaling == STANDARD:
            for i in range(count):
                scaled[i] = _standardised(table, coordinates[i], values[i], examples, whole)
        mean = average and examples > 0.0
        score = _score_of(table, kept, coordinates, values, scaled, count, scaling, mean)
        scores[row] = score
        left = min(weights[row], np.float64(MOST_REPEATS))
        if not left > 0.0:
            continue
        changed += 1
        if scaling == STANDARD:
            _take_in(table, coordinates, values, scaled, count, examples + 1.0, whole)
        stale = mean or scaling == STANDARD
        eta = eta0 / (1.0 + examples / n_examples)
        t = 1.0 if signs[row] > 0.0 else 0.0
        while left > 0.0:
            part = min(left, 1.0)
            left -= part
            if stale:
                score = _score_of(table, kept, coordinates, values, scaled, count, scaling, False)
            stale = True
            step = eta * part * (t - _sigmoid(score))
            for which in range(3):
                factors[which] = kept[FACTOR + which]
                kept[FACTOR + which] *= 1.0 - 2.0 * strengths[which] * eta * part
            kept[BIAS] += step
            if scaling in (NONE, STANDARD):
                x = values if scaling == NONE else scaled
                _step_of_weights(table, kept, coordinates, x, count, average, step)
            else:
                _step_of_all(table, kept, factors, coordinates, values, scaled, count, scaling, average, step)
        kept[EXAMPLES] += 1.0
        kept[BIAS_SUM] += kept[BIAS]
        for which in range(3):
            kept[FACTOR_SUM + which] += kept[FACTOR + which]
        _multiplied_in(table, kept, average)
    return changed
