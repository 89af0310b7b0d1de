"""Calibration of probabilities; distribution of scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import tzinfo

import numpy as np

from iscore.presentation.charts.figure import Figure, Panel, Table
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS, key
from iscore.presentation.history_report.figures.missing_data import lacking
from iscore.presentation.history_report.wording import signed, two
from iscore.services.views.history import MAX_SCORE, CalibrationBin, HistoryView, ScoreBin

MIN_IN_BIN = 5
"""Verdicts in a bin that is drawn."""
_KINDS = {"liked": 1, "disliked": 2, "unjudged": OTHERS}


def calibration(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """Predicted probability against the share of likes."""
    heading = "Calibration"
    bins = view.calibration.bins
    if not view.calibration.verdicts:
        return lacking(view, "calibration", heading)
    drawn = [each for each in bins if each.verdicts >= MIN_IN_BIN]
    line = Line(1, np.array([each.predicted for each in drawn]), np.array([each.liked for each in drawn]), marked=True)
    chart = line_chart(
        [line],
        Axis("predicted", 0.0, 1.0),
        Axis("liked", 0.0, 1.0),
        "Share of liked articles against predicted probability of interest",
        diagonal=True,
    )
    return Figure(
        name="calibration",
        heading=heading,
        source="",
        summary=(
            f"Over {view.calibration.verdicts:,} verdicts, predicted and actual shares of likes differ by "
            f"{two(view.calibration.error)} on average."
        ),
        panels=[Panel("", chart)],
        layout="one",
        legend=(),
        caption=(
            "Predicted probability of interest on arrival, in ten bins, against the share that you liked; bins with "
            f"fewer than {MIN_IN_BIN} verdicts are left out. On the dashed line predictions are right: of articles at "
            "80\u00a0%, you like eight in ten. Above it they are too low, below it too high. Counts articles that "
            "were recommended on arrival or explored."
        ),
        table=Table(
            "Predicted and liked",
            ["predicted", "verdicts", "mean prediction", "liked"],
            [[_percents(each), f"{each.verdicts:,}", two(each.predicted), two(each.liked)] for each in bins],
        ),
    )


def spread(view: HistoryView, _zone: tzinfo | None) -> Figure:
    """Distribution of scores of liked, disliked and other stories."""
    heading = "Scores"
    bins = view.scores or ()
    if not bins:
        return lacking(view, "scores", heading)
    totals = {kind: sum(getattr(each, kind) for each in bins) for kind in _KINDS}
    middles = np.array([(each.low + each.high) / 2 for each in bins])
    shares = {
        kind: np.array([100 * getattr(each, kind) / totals[kind] for each in bins]) for kind in _KINDS if totals[kind]
    }
    high = max(float(values.max()) for values in shares.values())
    left, right = bins[0].low, bins[-1].high
    chart = line_chart(
        [Line(_KINDS[kind], middles, values) for kind, values in shares.items()],
        Axis("score, log-odds", left, right),
        Axis("% of each", 0.0, max(10.0, math.ceil(high / 10) * 10)),
        "Scores of liked, disliked and other stories",
        upright=view.threshold if left <= view.threshold <= right else None,
    )
    return Figure(
        name="scores",
        heading=heading,
        source="",
        summary=(
            f"{totals['liked']:,} liked, {totals['disliked']:,} disliked and {totals['unjudged']:,} stories "
            f"without a verdict, by their first score. {_halves(bins)}"
        ).rstrip(),
        panels=[Panel("", chart)],
        layout="one",
        legend=[(key(_KINDS[kind], lined=True), kind) for kind in shares],
        caption=(
            "Each line is the distribution of one group; the farther apart the lines, the better the filter separates "
            "them. The dashed line is today’s threshold. Counts stories scored by the trained filter."
        ),
        table=Table(
            "Stories by score",
            ["score", "liked", "disliked", "unjudged"],
            [[_range(each), *(f"{getattr(each, kind):,}" for kind in _KINDS)] for each in bins],
        ),
    )


def _halves(bins: Sequence[ScoreBin]) -> str:
    """Return the median scores of liked and disliked stories, by bins."""
    above, below = _median(bins[::-1], "liked"), _median(bins, "disliked")
    if above is None or below is None:
        return ""
    return f"Half of the liked have {signed(above.low)} or more, half of the disliked less than {signed(below.high)}."


def _median(bins: Sequence[ScoreBin], kind: str) -> ScoreBin | None:
    """Return the bin of the median; None without stories."""
    total, so_far = sum(getattr(each, kind) for each in bins), 0
    for each in bins:
        so_far += getattr(each, kind)
        if total and 2 * so_far >= total:
            return each
    return None


def _percents(each: CalibrationBin) -> str:
    return f"{100 * each.low:.0f}–{100 * each.high:.0f}\u00a0%"


def _range(each: ScoreBin) -> str:
    if each.low <= -MAX_SCORE:
        return f"less than {signed(each.high)}"
    if each.high >= MAX_SCORE:
        return f"{signed(each.low)} or more"
    return f"{signed(each.low)} to {signed(each.high)}"
