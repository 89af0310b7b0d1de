"""Figures 3, 4 and 5 of Pon, Cardenas and Buttler 2008, from outcomes: overall, over time, precision against recall."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from iscore.evaluation.replay.metrics import RECALLS, mean, pinned_scores, precision_at_recalls, summary
from iscore.evaluation.replay.outcome import Outcome
from iscore.evaluation.replay.windows import windows

COLOURS = {
    "naive Bayes": "#b2182b",
    "with selection, calibrated": "#1b7837",
    "with selection": "#2166ac",
    "default": "#1a1a1a",
}
"""By how the filter's name begins; Weka's densities are drawn with dashes."""


def draw(lives: Sequence[Outcome], path: Path) -> None:
    """Draw the means over readers of every filter on the paper's features, and of the default, as SVG."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    plt.rcParams.update({"svg.hashsalt": "iscore", "font.size": 9})
    names = [name for name in dict.fromkeys(each.classifier for each in lives) if "all features" not in name]
    by_name = {name: [each for each in lives if each.classifier == name] for name in names}
    figure, (overall, course, curve) = plt.subplots(1, 3, figsize=(12.0, 4.4), layout="constrained")
    for place, (name, found) in enumerate(by_name.items()):
        style = _style(name)
        means = mean([summary(each) for each in found])
        values = [means["f05"] or 0.0, means["precision"] or 0.0, means["recall"] or 0.0]
        overall.plot(values, [2 - i + 0.12 * (2 - place) for i in range(3)], linestyle="", **_dots(style))
        course.plot(*_course(found), **style)
        curve.plot(RECALLS, np.nanmean([_precision(each) for each in found], axis=0), label=name, **style)
    overall.set_yticks([2, 1, 0], ["F0.5", "precision", "recall"])
    overall.set_xlim(0, 1)
    overall.set_title("Figure 3: all articles", fontsize=9)
    course.set_ylim(0, 1)
    course.set_xlabel("articles judged")
    course.set_ylabel("F0.5 of the 5,000 before")
    course.set_title("Figure 4: over time", fontsize=9)
    curve.set_ylim(0, 1)
    curve.set_xlabel("recall")
    curve.set_ylabel("precision, one static threshold")
    curve.set_title("Figure 5: precision and recall", fontsize=9)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def _style(name: str) -> dict[str, Any]:
    colour = next(colour for start, colour in COLOURS.items() if name.startswith(start))
    return {"color": colour, "linestyle": "--" if "Weka" in name else "-", "linewidth": 1.3}


def _dots(style: dict[str, Any]) -> dict[str, Any]:
    dashed = style["linestyle"] == "--"
    return {"marker": "o", "color": style["color"], "markerfacecolor": "white" if dashed else style["color"]}


def _course(found: Sequence[Outcome]) -> tuple[list[int], list[float]]:
    """Return where each window ends and the mean F0.5 in it; a reader who likes nothing there does not count."""
    in_windows = zip(*(windows(each.delivered, each.liked) for each in found), strict=True)
    ends, values = [], []
    for same in in_windows:
        f05 = [f for window in same if (f := window.counts.f_beta()) is not None]
        ends.append(same[0].last)
        values.append(float(np.mean(f05)))
    return ends, values


def _precision(outcome: Outcome) -> np.ndarray[Any, np.dtype[np.float64]]:
    return precision_at_recalls(pinned_scores(outcome), outcome.liked)
