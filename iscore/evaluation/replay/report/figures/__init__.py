"""The figures of a report, one subject per file."""

from iscore.evaluation.replay.report.content import Content
from iscore.evaluation.replay.report.figures.curves import calibration, precision_recall
from iscore.evaluation.replay.report.figures.features import correlations
from iscore.evaluation.replay.report.figures.over_time import each_reader, over_time
from iscore.evaluation.replay.report.figures.overall import performance, thresholds
from iscore.evaluation.replay.report.figures.readers import spread
from iscore.presentation.charts.figure import Figure

__all__ = ["figures"]


def figures(content: Content) -> list[Figure]:
    """Return the figures that the outcomes allow, in the order of the page; none without outcomes."""
    if not content.findings:
        return []
    makers = (performance, thresholds, over_time, precision_recall, each_reader, calibration, spread, correlations)
    return [figure for maker in makers if (figure := maker(content)) is not None]
