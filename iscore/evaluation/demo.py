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

import shutil
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from iscore.core.errors import DataFolderError
from iscore.core.progress import Progress
from iscore.evaluation.demo_result import DemoResult, Learned, Period, learning_page, total
from iscore.evaluation.feed_server import FeedServer
from iscore.evaluation.sample_news import SampleNews
from iscore.presentation.digest.layout import build_digest
from iscore.presentation.digest.render_html import render_html
from iscore.presentation.digest.render_text import render_text
from iscore.presentation.history_report.page import page
from iscore.services.news_filter import NewsFilter
from iscore.services.views.stories import StoryView
from storage.records.users import Kind

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
        report = page(news_filter.history.view(zone=UTC), zone=UTC)
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
