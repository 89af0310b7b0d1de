"""What a report keeps of an outcome: some kilobytes, however long the stream was.

So outcomes can come one by one, from a file or another process, and are forgotten as soon as they are measured.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iscore.evaluation.replay.metrics import Summary, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.ranking import precision_at_recalls
from iscore.evaluation.replay.reliability import Reliability, reliability
from iscore.evaluation.replay.windows import WINDOW, Window, trailing_f, windows

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

SHORT_WINDOW = 500
"""The trailing window of streams in which 5,000 articles are too much of the whole."""
LONG_STREAM = 2 * WINDOW
"""Articles from which a stream is followed with the long window."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One reader under one classifier."""

    summary: Summary
    windows: list[Window]
    """Consecutive windows of ``WINDOW`` articles."""
    positions: Positions
    """Where F0.5 was taken on the way: ``grid`` up to the end of the stream, shape (positions,)."""
    trailing: Floats
    """F0.5 over the last ``WINDOW`` articles there; NaN where it is undefined."""
    trailing_short: Floats
    """The same over the last ``SHORT_WINDOW``."""
    precision: Floats
    """Precision at each of ``ranking.RECALLS``, over static thresholds."""
    reliability: Reliability
    """Over what the classifier judged."""


def finding(outcome: Outcome) -> Finding:
    """Measure an outcome."""
    liked, delivered = outcome.liked, outcome.delivered
    positions = grid(len(liked))
    return Finding(
        summary=summary(outcome),
        windows=windows(delivered, liked),
        positions=positions,
        trailing=trailing_f(delivered, liked, positions),
        trailing_short=trailing_f(delivered, liked, positions, size=SHORT_WINDOW),
        precision=precision_at_recalls(outcome.scores, liked),
        reliability=reliability(outcome.scores[outcome.trained], liked[outcome.trained]),
    )


def grid(n: int) -> Positions:
    """Return positions, 1 … n, at which the course of a replay is taken: the same for all readers, wider apart the
    longer the stream, so that there are some hundreds at the most."""
    steps = [np.arange(50, 2000, 50), np.arange(2000, 20_000, 250)]
    start = 20_000
    while start <= n:
        steps.append(np.arange(start, start * 10, start // 40))
        start *= 10
    positions = np.concatenate(steps)
    return positions[positions <= n]
