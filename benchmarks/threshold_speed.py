"""Time of the adaptive threshold per verdict, against sorting all past scores anew, over growing histories.

A step is what a verdict costs: learn it, which finds the best cut over the whole past, then decide about the next
article. The baseline does the same exactly, with numpy: the scores so far are sorted, F-beta is computed at each, the
best is taken. Both see the same scores: likes are normal around 1.5, dislikes around -1.5, one like in five.

    python -m benchmarks.threshold_speed
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from benchmarks.results import Cell, write
from iscore.filtering.paper import AdaptiveThreshold

HISTORIES = (1_000, 10_000, 100_000, 1_000_000)
BLOCK = 500
ROUNDS = 9
BETA = 0.5

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


def stream(count: int, seed: int) -> tuple[Floats, Bools]:
    """Return scores and whether the article was liked."""
    random = np.random.default_rng(seed)
    liked = random.random(count) < 0.2
    return random.normal(np.where(liked, 1.5, -1.5), 1.5), liked


def best_cut(scores: Floats, liked: Bools) -> float:
    """Return the cut that would have given the best F-beta: the baseline."""
    order = np.argsort(-scores)
    hits = np.cumsum(liked[order])
    f = (1 + BETA**2) * hits / (np.arange(1, len(scores) + 1) + BETA**2 * hits[-1])
    return float(scores[order[np.argmax(f)]])


def baseline(scores: Floats, liked: Bools) -> Callable[[int], None]:
    """Sort everything anew at every verdict. The arrays hold the history, and behind it a block to learn."""
    history = len(scores) - BLOCK

    def step(number: int) -> None:
        end = history + number % BLOCK + 1
        best_cut(scores[:end], liked[:end])

    return step


def ours(scores: Floats, liked: Bools) -> Callable[[int], None]:
    """The adaptive threshold after the history."""
    threshold = AdaptiveThreshold(BETA)
    history = len(scores) - BLOCK
    for score, interesting in zip(scores[:history].tolist(), liked[:history].tolist(), strict=True):
        threshold.learn(score, interesting)
    rest = list(zip(scores[history:].tolist(), liked[history:].tolist(), strict=True))

    def step(number: int) -> None:
        score, interesting = rest[number % BLOCK]
        threshold.learn(score, interesting)
        threshold.decide(score)

    return step


def microseconds(step: Callable[[int], None], steps: int, rounds: int) -> float:
    """Return the median time of a step over rounds."""
    found = []
    for _ in range(rounds):
        began = time.perf_counter()
        for number in range(steps):
            step(number)
        found.append((time.perf_counter() - began) / steps * 1e6)
    return statistics.median(found)


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="short histories only")
    histories = HISTORIES[:2] if parser.parse_args().quick else HISTORIES
    rows: list[tuple[Cell, ...]] = []
    for history in histories:
        scores, liked = stream(history + BLOCK, seed=history)
        fast = microseconds(ours(scores, liked), BLOCK, ROUNDS)
        # A step of the baseline takes up to a third of a second.
        slow = microseconds(baseline(scores, liked), max(1, min(BLOCK, 200_000 // history)), 3)
        rows.append((history, round(fast, 2), round(slow, 1), round(slow / fast, 1)))
    write(
        "threshold_speed",
        "Adaptive threshold: time to learn a verdict and decide",
        ("verdicts before", "AdaptiveThreshold, µs", "sorting anew with numpy, µs", "times as fast"),
        rows,
        notes="Target: at most 20 µs, flat in history. Medians over rounds.",
    )


if __name__ == "__main__":
    main()
