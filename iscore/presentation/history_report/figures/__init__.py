"""The figures of the report, one subject per file."""

from collections.abc import Callable
from datetime import tzinfo

from iscore.presentation.charts.figure import Figure
from iscore.presentation.history_report.figures.delays import delays
from iscore.presentation.history_report.figures.features import features
from iscore.presentation.history_report.figures.performance import course, missed
from iscore.presentation.history_report.figures.scores import calibration, spread
from iscore.presentation.history_report.figures.sources import sources
from iscore.presentation.history_report.figures.threshold import threshold
from iscore.presentation.history_report.figures.volume import volume
from iscore.presentation.history_report.figures.words import words
from iscore.services.views.history import HistoryView

__all__ = ["figures"]

_MAKERS: tuple[Callable[[HistoryView, tzinfo | None], Figure], ...] = (
    course,
    missed,
    volume,
    threshold,
    delays,
    features,
    sources,
    words,
    calibration,
    spread,
)


def figures(view: HistoryView, zone: tzinfo | None) -> list[Figure]:
    """Return all figures in page order."""
    return [make(view, zone) for make in _MAKERS]
