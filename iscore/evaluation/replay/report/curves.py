"""Figures with curves: F0.5 over time (the paper's Figure 4), precision at each recall (Figure 5), and calibration."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from iscore.evaluation.replay.metrics import RECALLS, mean
from iscore.evaluation.replay.report.content import (
    Content,
    Course,
    Finding,
    course,
    mean_precision,
    pooled_reliability,
    trailing,
)
from iscore.presentation.charts.figure import Figure, Panel, Table, three, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS
from iscore.presentation.report.parts import calibration_chart

MOST_READERS = 24
"""Largest number of readers with a chart each."""


def over_time(content: Content) -> Figure | None:
    """Mean F0.5 over the last articles, one chart per stream; ``None`` if no stream is long enough."""
    streams = {stream: _courses(found, content.windows[stream]) for stream, found in content.by_stream.items()}
    streams = {stream: courses for stream, courses in streams.items() if courses}
    if not streams:
        return None
    panels = [
        Panel(stream if len(content.by_stream) > 1 else "", _drawing(content, courses, stream))
        for stream, courses in streams.items()
    ]
    windows = {next(iter(courses.values())).window for courses in streams.values()}
    window = " or, in short streams, ".join(f"{size:,}" for size in sorted(windows, reverse=True))
    first = next(iter(streams))
    return Figure(
        name="time",
        heading="F0.5 over time",
        source="Figure 4",
        summary=_summary(content, streams[first], first if len(streams) > 1 else ""),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=content.legend(list(content.by_classifier)),
        caption=f"F0.5 over the last {window} articles, fewer at the beginning; mean over the readers of a stream.",
        file="over_time.csv",
        table=_table(streams[first], first),
    )


def each_reader(content: Content) -> Figure | None:
    """The same for each reader; ``None`` for one reader or more than ``MOST_READERS``, or without long streams."""
    readers = [found for found in content.by_reader.values() if any(len(f.positions) > 1 for f in found.values())]
    if not 1 < len(readers) <= MOST_READERS:
        return None
    panels = []
    for who, found in content.by_reader.items():
        reader = content.reader_names[who]
        lines = [
            Line(content.styles[name], f.positions.astype(float), trailing(f, content.windows[who[0]]))
            for name in content.by_classifier
            if (f := found.get(name)) is not None and content.styles[name] != OTHERS
        ]
        last = max((f.positions[-1] for f in found.values() if len(f.positions)), default=0)
        x, y = Axis("", 0.0, float(last), 2), Axis("", 0.0, 1.0, 2)
        drawn = line_chart(lines, x, y, f"F0.5 of {reader} over the articles", width=190, height=120)
        panels.append(Panel(reader, drawn))
    return Figure(
        name="courses",
        heading="F0.5 of each reader over time",
        source="",
        summary=(
            f"{len(panels)} readers with different interests: a line that starts low and climbs shows learning; a dip "
            "shows a change of the news or of the interest."
        ),
        panels=panels,
        layout="many",
        legend=content.legend(_styled(content)),
        caption="Vertical: F0.5 over the last articles. Horizontal: articles. A gap: nothing was liked in the window.",
        file="courses.csv",
    )


def _courses(classifiers: dict[str, list[Finding]], window: int) -> dict[str, Course]:
    courses = {name: course(findings, window) for name, findings in classifiers.items()}
    return {name: found for name, found in courses.items() if len(found.positions) > 1}


def _drawing(content: Content, courses: dict[str, Course], stream: str) -> Markup:
    lines = [
        Line(content.styles[name], found.positions.astype(float), found.f05)
        for name in content.by_classifier
        if (found := courses.get(name)) is not None
    ]
    lines.sort(key=lambda line: line.style == OTHERS)
    last = max(found.positions[-1] for found in courses.values())
    described = f"Mean F0.5 of each classifier over the articles of {stream}"
    return line_chart(lines, Axis("articles", 0.0, float(last)), Axis("F0.5", 0.0, 1.0), described)


def _summary(content: Content, courses: dict[str, Course], stream: str) -> str:
    best = next(name for name in content.by_classifier if name in courses)
    early, late = _at(courses[best], 1000), courses[best].f05[-1]
    words = f"{best} goes from {three(early)} after 1,000 articles to {three(late)} at the end"
    if content.baseline != best and content.baseline in courses:
        other = courses[content.baseline]
        words += f", {content.baseline} from {three(_at(other, 1000))} to {three(other.f05[-1])}"
    return f"{words}{f' ({stream})' if stream else ''}."


def _table(courses: dict[str, Course], stream: str) -> Table:
    longest = max(courses.values(), key=lambda found: len(found.positions)).positions
    shown = longest[np.unique(np.linspace(0, len(longest) - 1, 10).astype(int))]
    return Table(
        caption=f"F0.5 over the last articles of {stream}",
        columns=["articles", *courses],
        rows=[[whole(int(at)), *(three(_at(found, int(at))) for found in courses.values())] for at in shown],
    )


def _at(found: Course, position: int) -> float:
    (place,) = np.nonzero(found.positions == position)
    return float(found.f05[place[0]]) if len(place) else float("nan")


def _styled(content: Content) -> list[str]:
    return [name for name, style in content.styles.items() if style != OTHERS]


_LEVELS = (10, 25, 50, 75, 90, 100)
FEWEST_IN_A_BIN = 10
"""Smallest number of articles in a bin that is drawn."""


def precision_recall(content: Content) -> Figure | None:
    """Mean precision of fixed thresholds at each recall, one chart per stream; ``None`` if nothing is liked."""
    panels, first = [], None
    for stream, classifiers in content.by_stream.items():
        curves = {name: mean_precision(findings) for name, findings in classifiers.items()}
        if all(np.isnan(curve).all() for curve in curves.values()):
            continue
        lines = [Line(content.styles[name], RECALLS, curve) for name, curve in curves.items()]
        lines.sort(key=lambda line: line.style == OTHERS)
        described = f"Mean precision of each classifier at each recall, {stream}"
        drawn = line_chart(lines, Axis("recall", 0.0, 1.0), Axis("precision", 0.0, 1.0), described)
        panels.append(Panel(stream if len(content.by_stream) > 1 else "", drawn))
        first = first or (stream, curves)
    if first is None:
        return None
    stream, curves = first
    best = next(name for name in content.by_classifier if name in curves)
    found = f"At a recall of 50\u00a0% the scores of {best} reach a precision of {three(curves[best][49])}"
    if content.baseline != best and content.baseline in curves:
        found += f", those of {content.baseline} {three(curves[content.baseline][49])}"
    return Figure(
        name="recall",
        heading="Precision at each recall",
        source="Figure 5",
        summary=f"{found}{f' ({stream})' if len(panels) > 1 else ''}.",
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=content.legend(list(content.by_classifier)),
        caption=(
            "For each reader and recall, the precision of the highest fixed threshold that reaches that recall, on the "
            "scores at arrival; averaged over readers. Nothing is interpolated."
        ),
        file="precision_recall.csv",
        table=Table(
            caption=f"Precision at some levels of recall, {stream}",
            columns=["recall", *curves],
            rows=[[f"{level} %", *(three(curve[level - 1]) for curve in curves.values())] for level in _LEVELS],
        ),
    )


def calibration(content: Content) -> Figure | None:
    """Share of liked articles against posterior, one chart per classifier; ``None`` if no classifier ever scored."""
    panels, rows = [], []
    for name, findings in content.by_classifier.items():
        articles, posterior, liked = pooled_reliability(findings)
        if not articles.sum() or content.styles[name] == OTHERS:
            continue
        enough = articles >= FEWEST_IN_A_BIN
        drawn = calibration_chart(
            content.styles[name],
            posterior[enough],
            liked[enough],
            ("posterior", "share liked"),
            f"Share of liked articles against posterior, {name}",
            size=(300, 240),
        )
        panels.append(Panel(name, drawn))
        rows += [
            [f"{name}, {number * 10}–{number * 10 + 10} %", whole(int(n)), three(p), three(share)]
            for number, (n, p, share) in enumerate(zip(articles, posterior, liked, strict=True))
        ]
    if not panels:
        return None
    best = next(iter(content.by_classifier))
    means = mean([each.summary for each in content.by_classifier[best]])
    return Figure(
        name="calibration",
        heading="Calibration of posteriors",
        source="",
        summary=(
            f"For {best}, posterior and share of liked articles differ by {three(means['calibration_error'])} on "
            f"average (Brier score {three(means['brier'])}, log-loss {three(means['log_loss'])})."
        ),
        panels=panels,
        layout="one" if len(panels) == 1 else "two",
        legend=(),
        caption=(
            "Articles of all readers that the classifier scored, in ten bins by posterior; bins with fewer than "
            f"{FEWEST_IN_A_BIN} articles are not drawn. On the dashed line posteriors are exact: of the articles with "
            "80 %, eight in ten are liked. Above it the posteriors are too low, below it too high."
        ),
        file="calibration.csv",
        table=Table("Posteriors in bins", ["classifier and bin", "articles", "mean posterior", "share liked"], rows),
    )
