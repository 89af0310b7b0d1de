"""F0.5 over time: the paper's Figure 4, and the same for each reader."""

from __future__ import annotations

import numpy as np
from markupsafe import Markup

from iscore.evaluation.replay.report.content import Content, Course, Finding, course, trailing
from iscore.presentation.charts.figure import Figure, Panel, Table, three, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import OTHERS

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
