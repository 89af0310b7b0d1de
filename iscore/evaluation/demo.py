"""The demo: four simulated weeks of sample news, filtered by the real program.

    SampleNews ─► FeedServer (HTTP on the loopback) ─► poll ─► inbox ─► the simulated user's verdicts ─► next day

Only the news, the user and the calendar are simulated: feeds are fetched, parsed in child processes, scored and stored
as usual, and verdicts exist only for what the inbox showed. The figures compare each article's first decision with the
user's taste, whether the article was shown or not. News and taste were fixed before anything was tuned. They are no
evidence of quality; ``benchmarks/`` has real readers.

Every run gives the same figures: feeds are fetched one at a time, so that articles arrive in the same order, and from
the same address, from which articles get their IDs, unless another program uses its port.
"""

from __future__ import annotations

import json
import lzma
import shutil
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.resources import files
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import numpy as np

from iscore.core.errors import DataFolderError
from iscore.core.timings import Progress
from iscore.evaluation.feed_server import Document, FeedServer
from iscore.presentation.charts.figure import Figure, Panel, Table, whole
from iscore.presentation.charts.line_chart import Axis, Line, line_chart
from iscore.presentation.charts.marks import key
from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render import render_html, render_text
from iscore.presentation.html import render
from iscore.presentation.report.history import history_page
from iscore.services.news_filter import NewsFilter
from iscore.services.views.stories import StoryView
from storage.records.users import Kind

NEWS_FILE = "sample_news.json.xz"
"""Four weeks of articles from twelve feeds, and which of them the simulated user likes. ``python -m
benchmarks.sample_news`` writes it, and explains the news and the user; every word is made up."""


@dataclass(frozen=True, slots=True)
class SampleFeed:
    """A feed over the whole time; a document is ``head``, some of ``entries``, newest first, and ``tail``."""

    content_type: str
    encoding: str
    head: str
    """``{updated}`` in it is replaced by the time of the newest entry, as in ``updated``."""
    tail: str
    separator: str
    """Between two entries."""
    published: tuple[datetime, ...]
    """In ascending order; of each entry."""
    updated: tuple[str, ...]
    """The same times in the format of the feed."""
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SampleNews:
    """Feeds by path, such as ``/northwire.xml``, and the taste of the simulated user."""

    start: datetime
    days: int
    entries_per_feed: int
    feeds: dict[str, SampleFeed]
    liked: frozenset[str]
    """Paths of the articles' addresses. All other articles are disliked."""
    change_after_day: int
    """The number of days after which the user's taste changes."""

    @classmethod
    def load(cls) -> Self:
        """Read the news that come with iScore."""
        packed = files("iscore.evaluation").joinpath(NEWS_FILE).read_bytes()
        return cls.from_json(json.loads(lzma.decompress(packed)))

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Return the news that ``python -m benchmarks.sample_news`` writes."""
        feeds = {path: _feed(**feed) for path, feed in data["feeds"].items()}
        start = datetime.fromisoformat(data["start"])
        return cls(
            start, data["days"], data["entries_per_feed"], feeds, frozenset(data["liked"]), data["change_after_day"]
        )

    def document(self, path: str, at: datetime) -> Document | None:
        """Return a feed as it is at ``at``: the last entries that are published by then, newest first."""
        feed = self.feeds.get(path)
        if feed is None:
            return None
        last = bisect_right(feed.published, at)
        shown = slice(max(0, last - self.entries_per_feed), last)
        entries = feed.separator.join(reversed(feed.entries[shown]))
        head = feed.head.replace("{updated}", feed.updated[last - 1] if last else "", 1)
        # A character that the encoding lacks becomes a reference.
        body = (head + entries + feed.tail).encode(feed.encoding, "xmlcharrefreplace")
        return Document(body, feed.content_type, feed.published[last - 1] if last else self.start)

    def likes(self, url: str) -> bool:
        """Return whether the user likes the article at ``url``, whatever its query is."""
        return urlsplit(url).path in self.liked


def _feed(published: list[str], updated: list[str], entries: list[str], **rest: str) -> SampleFeed:
    times = tuple(datetime.fromisoformat(time) for time in published)
    return SampleFeed(**rest, published=times, updated=tuple(updated), entries=tuple(entries))


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
    """The number of days after which the user begins to like railways."""
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


ADDRESS = ("127.0.0.1", 18641)
"""Where the feeds are served if the port is free."""
READ_PER_DAY = 30
"""How many articles the user reads in a day, the best first."""
MARK = "made-by-iscore-demo"
"""The name of an empty file in the demo's data folder: only a folder that contains it is ever deleted."""


def run(output: Path, progress: Progress | None = None, *, days: int | None = None) -> DemoResult:
    """Simulate some days, four weeks by default, and write data folder, digest, report and chart into ``output``.

    Raises ``DataFolderError`` when ``output`` contains a data folder that was not made by the demo.
    """
    news = SampleNews.load()
    days = news.days if days is None else days
    now = news.start
    results: list[Period] = []
    verdicts = 0
    with (
        FeedServer(lambda path: news.document(path, now), lambda: now, ADDRESS) as server,
        _new_home(output, [server.url + path for path in news.feeds], lambda: now) as news_filter,
    ):
        for day in range(1, days + 1):
            if progress is not None:
                progress(day - 1, days, f"day {day}")
            now = news.start + timedelta(days=day)
            news_filter.poll()
            new = [item for item in news_filter.inbox(everything=True, limit=None).items if item.arrived == now]
            results.append(_compare(news, new, day))
            if day == days:
                break  # the articles of the last day are left for the digest
            for item in news_filter.inbox(limit=READ_PER_DAY).items:
                news_filter.give(Kind.LIKE if news.likes(item.url) else Kind.DISLIKE, [item.id])
                verdicts += 1
        now += timedelta(hours=8)
        news_filter.poll()
        digest = build_digest(news_filter.digest(), zone=UTC)
        report = history_page(news_filter.history.view(zone=UTC), zone=UTC)
    if progress is not None:
        progress(days, days, "done")
    pages = {"digest.html": render_html(digest), "report.html": report, "learning.html": learning_page(results)}
    for name, content in pages.items():
        (output / name).write_text(content, encoding="utf-8")
    third = max(1, days // 3)
    return DemoResult(
        f05=Learned(round(total(results[:third]).f05, 3), round(total(results[-third:]).f05, 3)),
        articles=sum(day.articles for day in results),
        verdicts=verdicts,
        days=tuple(results),
        change_after_day=news.change_after_day,
        home=str(output / "home"),
        digest=render_text(digest),
        files=tuple(str(output / name) for name in pages),
    )


def _new_home(output: Path, feeds: Sequence[str], clock: Callable[[], datetime]) -> NewsFilter:
    home = output / "home"
    if home.exists():
        if not (home / MARK).exists():
            raise DataFolderError(home, "was not made by the demo; choose another folder with --output")
        shutil.rmtree(home)
    home.mkdir(parents=True, mode=0o700)
    (home / MARK).touch()
    (home / "config.toml").write_text(
        "# The sample news comes from this machine.\n"
        "allow_private_networks = true\n"
        "host_spacing = 0\n"
        "# One feed after the other, so that articles arrive in the same order in every run.\n"
        "fetch_at_once = 1\n"
    )
    (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in feeds))
    return NewsFilter.create(home, clock=clock)


def _compare(news: SampleNews, items: Sequence[StoryView], day: int) -> Period:
    liked = [news.likes(item.url) for item in items]
    return Period(
        first_day=day,
        last_day=day,
        articles=len(items),
        delivered=sum(bool(item.interesting) for item in items),
        liked=sum(liked),
        hits=sum(bool(item.interesting and like) for item, like in zip(items, liked, strict=True)),
    )
