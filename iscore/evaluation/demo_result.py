"""What the demo found: its decisions against the simulated user's taste, as text and as a page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from iscore.presentation.charts.figure import Figure, Panel, Table, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.html import render

WINDOW = 5
"""Days over which each point of the chart is averaged."""


@dataclass(frozen=True, slots=True)
class Period:
    """Decisions against the user's taste over some days."""

    first_day: int
    last_day: int
    articles: int
    delivered: int
    """Recommended; explored articles are not counted, since they are shown in order to learn from them."""
    liked: int
    """Articles that the user would like, delivered or not."""
    hits: int
    """Delivered and liked."""

    @property
    def precision(self) -> float:
        """Share of the delivered articles that the user likes; 0 when none was delivered."""
        return self.hits / self.delivered if self.delivered else 0.0

    @property
    def recall(self) -> float:
        """Share of the articles that the user would like that was delivered; 0 when there was none."""
        return self.hits / self.liked if self.liked else 0.0

    @property
    def f05(self) -> float:
        """F-beta with beta = 0.5."""
        return 1.25 * self.hits / (self.delivered + 0.25 * self.liked) if self.liked else 0.0


@dataclass(frozen=True, slots=True)
class Learned:
    """F0.5 at the beginning and at the end."""

    first_third: float
    last_third: float


@dataclass(frozen=True, slots=True)
class DemoResult:
    """The outcome of the demo."""

    f05: Learned
    articles: int
    verdicts: int
    days: tuple[Period, ...]
    change_after_day: int
    """After so many days the user begins to like railways."""
    home: str
    """The data folder that it used, to look around in."""
    digest: str
    """The last day's digest as text."""
    files: tuple[str, ...]

    def text(self) -> str:
        """Return all of it for a terminal."""
        weeks = [total(self.days[first : first + 7]) for first in range(0, len(self.days), 7)]
        lines = [
            self.digest.rstrip(),
            "",
            f"{self.articles:,} articles, {self.verdicts:,} verdicts. Recommendations and the reader's taste:",
            "",
            "  days     articles  recommended  of these liked  precision  recall  F0.5",
        ]
        lines += [
            f"  {week.first_day:2}–{week.last_day:<2}  {week.articles:10}  {week.delivered:11}  {week.hits:14}"
            f"  {week.precision:9.2f}  {week.recall:6.2f}  {week.f05:4.2f}  {bar(week.f05)}"
            for week in weeks
        ]
        lines += ["", "Precision: the share of the recommended articles that the reader likes. Recall: the share"]
        lines += ["of the articles the reader would like that was recommended. F0.5 combines both; precision"]
        lines += ["counts double."]
        if self.days[-1].last_day > self.change_after_day:
            lines += [
                "",
                f"From day {self.change_after_day + 1} on, the reader also likes railways. A filter that gets",
            ]
            lines += ["verdicts only on what it shows takes a while to notice."]
        lines += [
            "",
            f"F0.5 in the first third of the days: {self.f05.first_third:.2f}; in the last: {self.f05.last_third:.2f}.",
            "",
            *(f"wrote {name}" for name in self.files),
            f"Look around with `iscore --home {self.home} stats` or any other command.",
        ]
        return "\n".join(lines)


def total(days: Sequence[Period]) -> Period:
    """Add up consecutive days."""
    return Period(
        first_day=days[0].first_day,
        last_day=days[-1].last_day,
        articles=sum(day.articles for day in days),
        delivered=sum(day.delivered for day in days),
        liked=sum(day.liked for day in days),
        hits=sum(day.hits for day in days),
    )


def bar(share: float, width: int = 20) -> str:
    """Draw a share, 0 to 1, as a bar of at most ``width`` characters."""
    return "█" * round(share * width)


def learning_page(days: Sequence[Period]) -> str:
    """Return a page with one figure: precision, recall and F0.5 over the days, averaged over the last five."""
    periods = [total(days[max(0, last - WINDOW + 1) : last + 1]) for last in range(len(days))]
    x = np.array([period.last_day for period in periods], dtype=np.float64)
    series = {
        "F0.5": [period.f05 for period in periods],
        "precision": [period.precision for period in periods],
        "recall": [period.recall for period in periods],
    }
    chart = line_chart(
        [Line(style, x, np.array(values)) for style, values in enumerate(series.values(), start=1)],
        Axis("day", 1.0, float(max(2, len(days)))),
        Axis("", 0.0, 1.0),
        f"Precision, recall and F0.5 over {len(days)} days",
        width=620,
        height=320,
    )
    rows = [
        [str(period.last_day), whole(period.articles), *(f"{values[place]:.2f}" for values in series.values())]
        for place, period in enumerate(periods)
    ]
    figure = Figure(
        name="learning",
        heading="Recommendations compared with the reader’s taste",
        source="",
        summary=f"F0.5 over the last {WINDOW} days is {periods[-1].f05:.2f} at the end.",
        panels=[Panel("", chart)],
        layout="one",
        legend=[(key(style, lined=True), name) for style, name in enumerate(series, start=1)],
        caption=f"Each point is over the last {WINDOW} days, or as many as there are.",
        table=Table(f"Over the last {WINDOW} days", ("day", "articles", *series), rows),
    )
    return render("iscore.evaluation", "learning.html", figure=figure)
