"""What a report keeps of an outcome: a few kilobytes, however long the stream.

Outcomes are read one by one and can be dropped as soon as their finding is made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from iscore.evaluation.replay.metrics import Summary, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.score_metrics import Reliability, precision_at_recalls, reliability
from iscore.evaluation.replay.windows import WINDOW, Window, trailing_f, windows

Floats = npt.NDArray[np.float64]
Positions = npt.NDArray[np.int64]

SHORT_WINDOW = 500
"""The trailing window of short streams."""
LONG_STREAM = 2 * WINDOW
"""Articles from which a stream has the long trailing window."""


@dataclass(frozen=True, slots=True, eq=False)
class Finding:
    """One reader and one classifier."""

    summary: Summary
    windows: list[Window]
    """Consecutive windows of ``WINDOW`` articles."""
    positions: Positions
    """Positions at which trailing F0.5 is given: ``grid`` up to the end of the stream, shape (positions,)."""
    trailing: Floats
    """F0.5 over the last ``WINDOW`` articles there; NaN where it is undefined."""
    trailing_short: Floats
    """The same over the last ``SHORT_WINDOW``."""
    precision: Floats
    """Precision at each of ``score_metrics.RECALLS``, over fixed thresholds."""
    reliability: Reliability
    """Over the articles that the classifier scored."""


def finding(outcome: Outcome) -> Finding:
    """Make the finding of an outcome."""
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
    """Return the positions, 1 … n, of curves over time: a few hundred, the same for all readers, wider apart later."""
    steps = [np.arange(50, 2000, 50), np.arange(2000, 20_000, 250)]
    start = 20_000
    while start <= n:
        steps.append(np.arange(start, start * 10, start // 40))
        start *= 10
    positions = np.concatenate(steps)
    return positions[positions <= n]
