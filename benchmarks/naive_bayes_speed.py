"""Time per article of a full step of naive Bayes, against river's Gaussian naive Bayes, side by side.

A full step scores an article (densities of all features in both classes, their sum) and learns
its verdict (the weights of all features; or all nested subsets with their decisions and calibration, ranking and
choice; and every statistic).
``learn_one`` does it all: it returns the score it gave just before. In life the verdict comes later, and the score has
been computed before with ``score_one``: that is the row "apart". River's step is ``predict_proba_one`` and
``learn_one``; it neither smooths with kernels nor selects.

    python -m benchmarks.naive_bayes_speed
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from river.naive_bayes import GaussianNB

from benchmarks.results import Cell, write
from iscore.learners import KernelNaiveBayes, SubsetNaiveBayes, WeightedNaiveBayes

N_FEATURES = 32
HISTORIES = (1_000, 10_000, 100_000, 1_000_000)
BLOCK = 400
ROUNDS = 15
RIVER_HISTORY = 2_000
BACKLOG = 10_000
Floats = npt.NDArray[np.float64]
Step = Callable[[int], None]


def stream(n_examples: int, seed: int) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return vectors of smooth, skewed, clipped and binary features, 5 % missing, and one like in five."""
    random = np.random.default_rng(seed)
    y = random.random(n_examples) < 0.2
    X = random.normal(size=(n_examples, N_FEATURES))
    X[:, :6] += 0.8 * y[:, np.newaxis]
    X[:, 8:16] = np.exp(X[:, 8:16])
    X[:, 16:24] = np.clip(0.5 + 0.4 * X[:, 16:24], 0.0, 1.0)
    X[:, 24:28] = X[:, 24:28] > 0.5
    X[random.random(X.shape) < 0.05] = np.nan
    return X, y


def trained(learner: KernelNaiveBayes, history: int) -> KernelNaiveBayes:
    """Return the learner after ``history`` examples, whose range has grown all along (four skewed features double)."""
    for start in range(0, history, 50_000):
        X, y = stream(min(50_000, history - start), seed=start)
        X[:, 12:16] *= 1.0 + start / 50_000
        for x, interesting in zip(X, y, strict=True):
            learner.learn_one(x, bool(interesting))
    return learner


def growing(X: Floats) -> Floats:
    """Let four features reach new extremes during the measurement too, now and then a thousandfold."""
    X = X.copy()
    X[::100, 12] = 100.0 * (1.0 + np.arange(len(X[::100])))
    X[:: len(X) // 4, 13] = 1e3 * (1.0 + np.arange(4))
    return X


def full_step(learner: KernelNaiveBayes, X: Floats, y: npt.NDArray[np.bool_]) -> Step:
    """Return one step of one of our learners on row ``i``: it is scored and learned."""

    def step(i: int) -> None:
        learner.learn_one(X[i], bool(y[i]))

    return step


def apart(learner: KernelNaiveBayes, X: Floats, y: npt.NDArray[np.bool_]) -> Step:
    """Return the same in two calls, as when the verdict comes later."""

    def step(i: int) -> None:
        learner.score_one(X[i])
        learner.learn_one(X[i], bool(y[i]))

    return step


def river(X: Floats, y: npt.NDArray[np.bool_]) -> Step:
    """Return one step of river's learner, its rows made into dicts beforehand, missing values left out."""
    rows = [{i: float(v) for i, v in enumerate(x) if not np.isnan(v)} for x in X]
    model = GaussianNB()
    past, past_y = stream(RIVER_HISTORY, seed=99)
    for x, interesting in zip(past, past_y, strict=True):
        model.learn_one({i: float(v) for i, v in enumerate(x) if not np.isnan(v)}, bool(interesting))

    def step(i: int) -> None:
        model.predict_proba_one(rows[i])
        model.learn_one(rows[i], bool(y[i]))

    return step


def side_by_side(steps: dict[str, Step]) -> dict[str, float]:
    """Return the median time of a step in µs, the contestants taking turns block by block."""
    times: dict[str, list[float]] = {name: [] for name in steps}
    for turn in range(ROUNDS):
        for name, step in steps.items():
            begin = time.perf_counter()
            for i in range(turn * BLOCK, (turn + 1) * BLOCK):
                step(i)
            times[name].append((time.perf_counter() - begin) / BLOCK * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def backlog(learner: KernelNaiveBayes) -> float:
    """Return the time in s of scoring a backlog of 10,000."""
    X, _ = stream(BACKLOG, seed=5)
    learner.score_many(X)
    begin = time.perf_counter()
    learner.score_many(X)
    return time.perf_counter() - begin


def main() -> None:
    """Measure and write."""
    X, y = stream(BLOCK * ROUNDS, seed=7)
    wide = growing(X)
    steps: dict[str, Step] = {"river": river(X, y)}
    learners: dict[str, KernelNaiveBayes] = {}
    for history in HISTORIES:
        print(f"learning {history:,} examples three times …", file=sys.stderr)
        for kind in (WeightedNaiveBayes, SubsetNaiveBayes, KernelNaiveBayes):
            learners[f"{kind.__name__} {history}"] = learner = trained(kind(), history)
            steps[f"{kind.__name__} {history}"] = full_step(learner, wide, y)
        # Its own learner, so that each contestant learns the measured examples once.
        name = f"SubsetNaiveBayes-apart {history}"
        learners[name] = trained(SubsetNaiveBayes(), history)
        steps[name] = apart(learners[name], wide, y)
    measured = side_by_side(steps)
    gaussian = measured.pop("river")
    rows: list[tuple[Cell, ...]] = [("river GaussianNB", RIVER_HISTORY, gaussian, 1.0, 1.0, "")]
    for name, microseconds in measured.items():
        kind_name, history_text = name.split()
        rows.append(
            (
                kind_name,
                int(history_text),
                microseconds,
                gaussian / microseconds,
                microseconds / measured[f"{kind_name} {HISTORIES[0]}"],
                f"{backlog(learners[name]):.3f}",
            )
        )
    write(
        "naive_bayes_speed",
        "Naive Bayes: time per article, score and learn",
        ["learner", "history", "µs per step", "× faster than river", "× own first", "s per 10,000 scored"],
        rows,
        notes=(
            f"{N_FEATURES} features, 5 % missing; medians of {ROUNDS} blocks of {BLOCK} steps, all contestants taking "
            "turns. The ranges of four features grow in history and go on growing, by jumps, while measured. "
            "A full step returns the score and learns the verdict; SubsetNaiveBayes-apart scores first and learns in a "
            "second call, and so computes all densities twice. The factors against river differ between machines."
        ),
    )


if __name__ == "__main__":
    main()
