"""The demonstration: four simulated weeks of sample news, lived through with the real program.

    News ─► NewsServer (HTTP on the loopback) ─► poll ─► inbox ─► the simulated reader's verdicts ─► next day

Nothing is faked but the news, the reader and the calendar: feeds are fetched, parsed in child processes, measured,
judged and stored as ever, and verdicts exist only for what the inbox showed. The figures compare each article's first
decision with what the reader would have said of it, shown or not. News and taste were fixed before anything was tuned,
and they are no evidence of quality; ``benchmarks/`` has real readers.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from iscore.core.errors import DataFolderError
from iscore.presentation.digest.layout import edition
from iscore.presentation.digest.render_html import render_html
from iscore.presentation.digest.render_text import render_text
from iscore.sample import News, NewsServer, Reader
from iscore.sample.reader import RAIL_FROM_DAY
from iscore.services.news_filter import NewsFilter
from iscore.services.views.articles import InboxItem
from storage.records import Kind

START = datetime(2026, 3, 2, tzinfo=UTC)
DAYS = 28
READ_A_DAY = 30
"""What the reader gets through of an inbox in a day, the best first."""
MARK = "made-by-iscore-demo"
"""The name of an empty file in the demonstration's home: only a folder that holds it is ever thrown away."""

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Stretch:
    """Decisions against the reader's mind, over some days."""

    first_day: int
    last_day: int
    articles: int
    delivered: int
    """Recommended; explored articles are not counted, they are there to learn from."""
    liked: int
    """Articles that the reader would like, delivered or not."""
    hits: int
    """Delivered and liked."""

    @property
    def precision(self) -> float:
        """Share of what was delivered that was liked; 0 when nothing was."""
        return self.hits / self.delivered if self.delivered else 0.0

    @property
    def recall(self) -> float:
        """Share of what would be liked that was delivered; 0 when there was nothing."""
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
    """What the demonstration came to."""

    f05: Learned
    articles: int
    verdicts: int
    days: tuple[Stretch, ...]
    home: str
    """What was lived through, to look around in."""
    digest: str
    """The last day's digest as text."""
    files: tuple[str, ...]

    def told(self) -> str:
        """Return all of it for a terminal."""
        weeks = [joined(self.days[first : first + 7]) for first in range(0, len(self.days), 7)]
        lines = [
            self.digest.rstrip(),
            "",
            f"{self.articles:,} articles, {self.verdicts:,} verdicts. What was recommended, against the reader's mind:",
            "",
            "  days     articles  recommended  of these liked  precision  recall  F0.5",
        ]
        lines += [
            f"  {week.first_day:2}–{week.last_day:<2}  {week.articles:10}  {week.delivered:11}  {week.hits:14}"
            f"  {week.precision:9.2f}  {week.recall:6.2f}  {week.f05:4.2f}  {bar(week.f05)}"
            for week in weeks
        ]
        lines += [
            "",
            "Precision: how much of what was recommended the reader likes. Recall: how much",
            "of all that they would like was recommended, shown or not; what was never shown",
            "has no verdict, so that no filter can know its own.",
            *_change_of_mind(self.days[-1].last_day),
            "",
            f"F0.5 in the first third of the days: {self.f05.first_third:.2f}; in the last: {self.f05.last_third:.2f}.",
            "",
            *(f"wrote {name}" for name in self.files),
            f"Look around: `iscore --home {self.home} stats`, or another command for its home.",
        ]
        return "\n".join(lines)


def run(output: Path, progress: Progress | None = None, *, days: int = DAYS) -> DemoResult:
    """Live through some days, four weeks by default, and write home, digest, report and picture into
    ``output``.

    Raises ``DataFolderError`` when ``output`` holds a home that no demonstration made.
    """
    news = News(start=START, days=days + 1)  # the last morning brings news too
    reader = Reader()
    now = START
    lived: list[Stretch] = []
    verdicts = 0
    with NewsServer(news, at=START) as server, _new_home(output, server, lambda: now) as news_filter:
        for day in range(1, days + 1):
            if progress is not None:
                progress(day - 1, days, f"day {day}")
            now = server.at = START + timedelta(days=day)
            news_filter.poll()
            fresh = [item for item in news_filter.inbox(everything=True, limit=None).items if item.arrived == now]
            lived.append(_against(reader, news, fresh, day))
            if day == days:
                break  # what came on the last day is left for the digest
            for item in news_filter.inbox(limit=READ_A_DAY).items:
                liked = _verdict(reader, news, item)
                news_filter.give(Kind.LIKE if liked else Kind.DISLIKE, [item.id])
                verdicts += 1
        now += timedelta(hours=8)
        server.at = now
        news_filter.poll()
        worded = edition(news_filter.digest(), zone=UTC)
        report = news_filter.history.page(news_filter.history.view(zone=UTC), zone=UTC)
    if progress is not None:
        progress(days, days, "done")
    pages = {"digest.html": render_html(worded), "report.html": report}
    for name, page in pages.items():
        (output / name).write_text(page, encoding="utf-8")
    third = max(1, days // 3)
    return DemoResult(
        f05=Learned(round(joined(lived[:third]).f05, 3), round(joined(lived[-third:]).f05, 3)),
        articles=sum(day.articles for day in lived),
        verdicts=verdicts,
        days=tuple(lived),
        home=str(output / "home"),
        digest=render_text(worded),
        files=(*(str(output / name) for name in pages), *_picture(lived, output)),
    )


def _change_of_mind(last_day: int) -> list[str]:
    if last_day <= RAIL_FROM_DAY:
        return []
    return [
        "",
        f"From day {RAIL_FROM_DAY + 1} on this reader likes railways as well. Who hears verdicts only on what",
        "was shown takes long to find out such a thing.",
    ]


def joined(days: Sequence[Stretch]) -> Stretch:
    """Add up consecutive days."""
    return Stretch(
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


def _new_home(output: Path, server: NewsServer, clock: Callable[[], datetime]) -> NewsFilter:
    home = output / "home"
    if home.exists():
        if not (home / MARK).exists():
            raise DataFolderError(home, "was not made by the demonstration; give it another folder with --output")
        shutil.rmtree(home)
    home.mkdir(parents=True, mode=0o700)
    (home / MARK).touch()
    (home / "config.toml").write_text("# The sample news comes from this machine.\nallow_private_networks = true\n")
    listed = "".join(f"  - url: {url}\n" for url in server.urls.values())
    (home / "feeds.yaml").write_text(f"feeds:\n{listed}")
    return NewsFilter.create(home, clock=clock)


def _verdict(reader: Reader, news: News, item: InboxItem) -> bool:
    article = news.article_at(item.url)
    return article is not None and reader.verdict(article)


def _against(reader: Reader, news: News, items: Sequence[InboxItem], day: int) -> Stretch:
    liked = [_verdict(reader, news, item) for item in items]
    return Stretch(
        first_day=day,
        last_day=day,
        articles=len(items),
        delivered=sum(item.interesting for item in items),
        liked=sum(liked),
        hits=sum(item.interesting and like for item, like in zip(items, liked, strict=True)),
    )


def _picture(days: Sequence[Stretch], output: Path) -> tuple[str, ...]:
    """Draw F0.5, precision and recall over the days; nothing when matplotlib is not installed."""
    try:
        import matplotlib as mpl
    except ImportError:
        return ()
    mpl.use("agg")
    from matplotlib import pyplot as plt

    window = 5
    stretches = [joined(days[max(0, last - window + 1) : last + 1]) for last in range(len(days))]
    figure, axes = plt.subplots(figsize=(8, 4.5), layout="constrained")
    numbers = [stretch.last_day for stretch in stretches]
    axes.plot(numbers, [s.precision for s in stretches], color="#8a8a8a", linestyle="--", label="precision")
    axes.plot(numbers, [s.recall for s in stretches], color="#8a8a8a", linestyle=":", label="recall")
    axes.plot(numbers, [s.f05 for s in stretches], color="#0b5fa5", linewidth=2.5, label="F0.5")
    axes.set(xlabel="day", ylabel=f"over the last {window} days", ylim=(0, 1), xlim=(1, len(days)))
    axes.set_title("What was recommended, against the reader's mind")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right", frameon=False)
    file = output / "learning.png"
    figure.savefig(file, dpi=144)
    plt.close(figure)
    return (str(file),)
