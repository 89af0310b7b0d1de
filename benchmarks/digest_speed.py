"""What a digest costs that is chosen from 10,000 stories: making it, and writing it in each format.

    python -m benchmarks.digest_speed [--candidates 10000] [--repeats 7]

Commands are real processes on a home whose articles, with full texts, arrived in the last 7 days and wait undecided;
figures are medians. Inside one process that is warm, choosing, reasons and keeping are measured together, through the
facade and in the database; and each renderer, from what the facade answers to the text that is written. The feeds hold
14 digests of full length.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

from benchmarks import cpu, homes
from benchmarks.daily_commands import median
from benchmarks.results import Cell, write
from iscore.presentation.digest.feed_items import Feed, feed_of, render_atom, render_json_feed
from iscore.presentation.digest.layout import Digest, build_digest
from iscore.presentation.digest.render import render_html, render_mail, render_text
from iscore.services.digests.digests import IN_FEED
from iscore.services.news_filter import NewsFilter
from iscore.services.views.digests import DigestListView, DigestView
from iscore.services.views.stories import StoryView

DAYS = 6.9
VERDICTS = 300
CANDIDATES = 10_000
TARGET = "1"
SETTINGS = {"ISCORE_NOW": homes.NOW.isoformat()}
PAGES: dict[str, Callable[[Digest], str]] = {"text": render_text, "HTML": render_html, "mail": render_mail}
FEEDS: dict[str, Callable[[Feed], str]] = {"Atom": render_atom, "JSON Feed": render_json_feed}

Row = tuple[Cell, ...]


def commands(home: Path, repeats: int) -> list[Row]:
    """Processor seconds of whole processes: making today's digest, and asking for it again in each format."""

    def iscore(*arguments: str) -> float:
        return cpu.of_command([cpu.program(), "--home", str(home), "digest", *arguments], SETTINGS)[0]

    def anew() -> float:
        unmake(home)
        return iscore()

    rows: list[Row] = [("`iscore digest`, made", median(anew, repeats), "")]
    rows.append(("`iscore digest`, asked again", median(iscore, repeats), TARGET))
    for name in ("html", "atom", "json-feed"):
        spent = median(partial(iscore, "--format", name), repeats)
        rows.append((f"`iscore digest --format {name}`, asked again", spent, TARGET))
    return rows


def inside(home: Path, repeats: int) -> list[Row]:
    """Processor seconds of making a digest and of rendering it, in a process that is warm."""
    with NewsFilter.open(home, clock=lambda: homes.NOW) as news:

        def made() -> float:
            unmake(home)
            return timed(news.digest)

        rows: list[Row] = [("choose, tell why, keep", median(made, repeats), TARGET)]
        view = news.digest()
        assert view.considered > 0.9 * (CANDIDATES - VERDICTS) or "--quick" in sys.argv, view.considered
        assert len(view.numbered) >= 30, len(view.numbered)
        rows.append(("read what was kept", median(lambda: timed(news.digest), repeats), TARGET))
        for name, page in PAGES.items():
            spent = median(partial(_rendered, page, view), repeats)
            rows.append((f"word and render {name}", spent, TARGET))
        listed = replace(news.digests.last(), digests=digests(view))
        for name, render in FEEDS.items():
            spent = median(partial(_in_feed, render, listed), repeats)
            rows.append((f"word and render {name}, {IN_FEED} digests", spent, TARGET))
    return rows


def _rendered(page: Callable[[Digest], str], view: DigestView) -> float:
    return timed(lambda: page(build_digest(view)))


def _in_feed(render: Callable[[Feed], str], listed: DigestListView) -> float:
    return timed(lambda: render(feed_of(listed)))


def digests(view: DigestView) -> tuple[DigestView, ...]:
    """Return as many digests as a feed holds, each as long as this one and of articles of its own."""

    def of(day: int) -> DigestView:
        def own(items: tuple[StoryView, ...]) -> tuple[StoryView, ...]:
            return tuple(replace(each, id=f"{each.id}{day}") for each in items)

        return replace(
            view,
            date=view.date - timedelta(days=day),
            recommended=own(view.recommended),
            by_interest=own(view.by_interest),
            stories=own(view.stories),
            rare=own(view.rare),
            explore=own(view.explore),
        )

    return tuple(of(day) for day in range(IN_FEED))


def follow(home: Path) -> None:
    """Follow the feeds that brought everything, so that their paces are counted as in life."""
    urls = [f"https://past{number}.example/feed" for number in range(homes.PAST_FEEDS)]
    (home / "feeds.yaml").write_text("feeds:\n" + "".join(f"  - url: {url}\n" for url in urls))
    with NewsFilter.open(home, clock=lambda: homes.NOW) as news:
        assert len(news.subscriptions.feeds()) == homes.PAST_FEEDS
        assert news.status().articles > 0


def unmake(home: Path) -> None:
    """Forget every digest, so that the next is made anew."""
    with homes.opened(home) as (database, _), database.write() as tx:
        tx.connection.exec_driver_sql("DELETE FROM deliveries")
        tx.connection.exec_driver_sql("DELETE FROM digests")


def timed(work: Callable[[], object]) -> float:
    """Return the processor seconds that some work takes."""
    began = cpu.spent()
    work()
    return cpu.spent() - began


def main() -> None:
    """Measure and write the results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--candidates", type=int, default=CANDIDATES)
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--home", type=Path, help="a folder to make the home in, or with the home of an earlier run")
    parser.add_argument("--quick", action="store_true", help="fewer stories, each work twice")
    options = parser.parse_args()
    many, repeats = (2000, 2) if options.quick else (options.candidates, options.repeats)
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder) / "home"
        if not (home / "iscore.db").exists():
            homes.make(home, "full", many, days=DAYS, verdicts=VERDICTS)
        follow(home)
        rows = [*commands(home, repeats), *inside(home, repeats)]
        shutil.rmtree(folder, ignore_errors=True)
    write(
        "digest_speed",
        "A digest chosen from 10,000 stories: processor time",
        ("work", "CPU seconds", "target"),
        [(work, round(float(seconds), 3), target) for work, seconds, target in rows],
        notes=(
            f"Medians of {repeats} runs, children included. {many:,} articles with full texts arrived in 7 days and "
            f"wait but for {VERDICTS} that were judged. `iscore …` are whole processes, in which loading the program "
            "and the model is most of it; the rest runs inside one that is warm."
        ),
    )


if __name__ == "__main__":
    main()
