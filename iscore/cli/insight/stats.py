"""``iscore stats``: what the filter learned over time, on one screen or one page; how much of each feed you like."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import NO_FEEDS, opened
from iscore.cli.reading.digest import write_whole
from iscore.cli.terminal.output import console, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.cli.terminal.sparklines import ASCII, BLOCKS, Pen
from iscore.presentation.wording.quantities import counted, percent, reading_words, signed, two_decimals
from iscore.presentation.wording.scores import checked_words, share_words

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.feeds import FeedStatistics
    from iscore.services.views.history import FeatureHistory, HistoryView, SourceOpinion, WordOpinion

_SOURCES = 4
"""Sources to list from the top, and from the bottom."""
_FEATURES = 10
_COMMON = 5
_CLEAR = 0.1
"""Smallest correlation with your verdicts that is worth naming."""
_WORDS = 12


def stats(
    ctx: typer.Context,
    learned: Annotated[
        bool, typer.Option("--learned", help="Include what it has learned of your taste; takes a little longer.")
    ] = False,
    details: Annotated[bool, typer.Option("--details", help="Include figures of the filter.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            "--html", metavar="FILE", help="Write all of it as a page with charts into this file.", show_default=False
        ),
    ] = None,
    by_feed: Annotated[bool, typer.Option("--feeds", help="Show how much of each feed you like, instead.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show how well the filter has predicted your verdicts over time, and which sources you like.

    The page of --html is a single file without scripts that loads nothing from elsewhere. --feeds lists the feeds that
    you like most first; with enough verdicts, it suggests feeds to unfollow.

        iscore stats
        iscore stats --learned
        iscore stats --html ~/report.html
        iscore stats --feeds
    """
    if by_feed:
        if learned or details or html is not None:
            raise typer.BadParameter("--feeds goes with no other option than --json", param_hint="'--feeds'")
        _feeds(ctx, as_json=as_json)
        return
    if html is not None and not html.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(html))
    with opened(ctx) as news, progress_bar() as news.context.progress:
        view = news.history.view(learned=learned or html is not None)
        if html is not None:
            from iscore.presentation.report.history import history_page  # takes long to load

            write_whole(html, history_page(view, zone=None))
    if as_json:
        print_json(view)
    elif html is not None:
        write(f"Wrote {html}.")
    else:
        out = console()
        blocks = out.is_terminal and out.encoding.lower().startswith("utf")
        render(*report(view, BLOCKS if blocks else ASCII, details=details))


def _feeds(ctx: typer.Context, *, as_json: bool) -> None:
    """Show how much of each feed the user likes."""
    with opened(ctx) as news:
        rows = news.subscriptions.statistics()
    if as_json:
        print_json(rows)
    elif rows:
        render(feeds_table(rows), *hints(rows))
    else:
        write(NO_FEEDS)


def report(view: HistoryView, pen: Pen, *, details: bool = False) -> list[RenderableType]:
    """Lay out all parts under headings; empty parts are left out."""
    from iscore.presentation.report.parts import hours  # `--help` needs no database

    parts: list[RenderableType] = [styled(headline(view))]

    def part(heading: str, *renderables: RenderableType) -> None:
        parts.extend([styled(""), styled(heading, "bold"), *renderables])

    if view.periods:
        parts += [styled(""), _course(view, pen, details=details)]
    if details and view.calibration.verdicts:
        part("Predicted and actual likes", _calibration(view, pen))
    if view.sources:
        part("Sources, most liked first", _sources(view.sources, pen))
    if view.features is not None and view.features.changes:
        if details:
            part("Features, by correlation with your verdicts", _features(view.features))
        else:
            for heading, sign in (("likes", 1), ("dislikes", -1)):
                common = [
                    each.meaning
                    for each in view.features.changes
                    if each.scope != "reader" and sign * each.now > _CLEAR
                ][:_COMMON]
                if common:
                    part(f"What your {heading} have in common", *(styled(f"– {meaning}") for meaning in common))
    for heading, line in _words(view):
        part(heading, styled(line))
    if view.delays.median is not None:
        parts += [
            styled(""),
            styled(f"Half of your verdicts come within {hours(view.delays.median)} of the article's arrival."),
        ]
    if view.missing:
        part("Not enough data yet", *(styled(f"– {each.words}") for each in view.missing))
    return parts


def _words(view: HistoryView) -> Iterator[tuple[str, str]]:
    """Yield headings with what was learned of words, and from what the user reads."""
    for heading, words in (
        ("Words in your likes (liked:disliked articles)", view.words_liked),
        ("Words in your dislikes", view.words_disliked),
    ):
        if words:
            yield heading, ", ".join(_word(word) for word in words[:_WORDS])
    if view.reading is not None:
        yield "Learning from what you read", reading_words(view.reading)


def headline(view: HistoryView) -> str:
    """Return since when the filter has scored articles, how many, and the number of verdicts."""
    if view.since is None:
        return "No articles scored yet."
    since = view.since.astimezone()
    return (
        f"Since {since.day} {since:%B %Y}: {counted(view.articles, 'article')}, {view.recommended:,} recommended, "
        f"{view.explored:,} explored; {counted(view.likes, 'like')}, {counted(view.dislikes, 'dislike')}, "
        f"{counted(view.skips, 'skip')}."
    )


def _course(view: HistoryView, pen: Pen, *, details: bool) -> Table:
    from rich.text import Text

    table = _grid("bold", 4, right=1)
    for name, value, line, words in _rates(view, pen, details=details):
        table.add_row(styled(name), styled(value), Text(line), styled(words))
    for kind in ("arrived", "recommended", "explored", "read"):
        counts = [float(getattr(period, kind)) for period in view.periods]
        mean = sum(counts) / len(counts)
        table.add_row(styled(kind), styled(f"{mean:,.0f}"), Text(pen.line(counts, 0.0)), styled(f"a {view.scale}"))
    return table


def _rates(view: HistoryView, pen: Pen, *, details: bool) -> Iterator[tuple[str, str, str, str]]:
    overall, course, missed = view.overall, view.course, view.missed
    line = pen.line([each.precision for each in course], 0.0, 1.0)
    yield "liked", percent(overall.precision), line, "of what was recommended on arrival"
    yield "missed", share_words(missed.checked), "", checked_words(missed.checked)
    if details:
        line = pen.line([each.f05 for each in course], 0.0, 1.0)
        yield "F0.5", two_decimals(overall.f05), line, "agreement on what you saw"
    if details and any(period.threshold is not None for period in view.periods):
        line = pen.line([period.threshold for period in view.periods])
        yield "threshold", signed(view.threshold), line, "log-odds"


def _calibration(view: HistoryView, pen: Pen) -> Table:
    table = _grid("dim", 3)
    for each in view.calibration.bins:
        if each.liked is not None:
            bin_ = f"{100 * each.low:.0f}–{100 * each.high:.0f} %"
            liked = f"{percent(each.liked)} of {each.verdicts:,}"
            table.add_row(styled(bin_), styled(pen.bar(each.liked, 20)), styled(liked))
    return table


def _sources(found: tuple[SourceOpinion, ...], pen: Pen) -> Table:
    table = _grid("", 3, right=1)
    shown = found if len(found) <= 2 * _SOURCES + 1 else (*found[:_SOURCES], None, *found[-_SOURCES:])
    for each in shown:
        if each is None:
            table.add_row("", "", styled("…", "dim"))
            continue
        named = styled(each.title or each.url)
        if each.hint:
            named.append_text(styled(f"consider unfollowing: {each.hint}", "dim", indent="  "))
        share = f"{each.likes} of {each.likes + each.dislikes}"
        table.add_row(styled(pen.bar(each.share)), styled(share), named)
    return table


def _features(found: FeatureHistory) -> Table:
    table = _grid("", 4, right=1)
    compared = found.before is not None
    if compared:
        table.add_row(styled(""), styled("now", "dim"), styled("a month ago", "dim"), styled(""))
    for each in found.changes[:_FEATURES]:
        before = signed(each.before) if each.before is not None else ""
        table.add_row(styled(each.name), styled(signed(each.now)), styled(before), styled(each.meaning, "dim"))
    size = found.in_use[-1].size if found.in_use else 0
    table.add_row(styled(""), styled(f"{size:,}", "dim"), styled(""), styled(f"of {found.n_features} in use", "dim"))
    return table


def _word(word: WordOpinion) -> str:
    return f"{word.word} ({word.liked}:{word.disliked})"


def _grid(first: str, columns: int, *, right: int | None = None) -> Table:
    """Return a table in which only the last column wraps."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style=first, no_wrap=True)
    for number in range(1, columns):
        justify: Literal["left", "right"] = "right" if number == right else "left"
        table.add_column(justify=justify, no_wrap=number < columns - 1, overflow="fold")
    return table


def feeds_table(rows: list[FeedStatistics]) -> Table:
    """Lay out the statistics of feeds, most liked first."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), expand=True, header_style="dim")
    table.add_column("feed", ratio=1, overflow="fold")
    for name in ("articles", "recommended", "likes", "dislikes", "liked"):
        table.add_column(name, justify="right", no_wrap=True)
    unknown = -1.0
    for row in sorted(rows, key=lambda row: (unknown if row.share is None else row.share, row.likes), reverse=True):
        figures = (row.articles, row.recommended, row.likes, row.dislikes)
        table.add_row(styled(row.name or row.url), *(f"{number:,}" for number in figures), percent(row.share))
    return table


def hints(rows: list[FeedStatistics]) -> list[Text]:
    """List the feeds that the user could unfollow, with reasons, under a heading; empty without any."""
    found = [
        styled(f"– {row.name or row.url}: {row.hint}; `iscore feeds remove {quote(row.url)}` stops following it")
        for row in rows
        if row.hint
    ]
    return [styled(""), styled("Rarely liked", "bold"), *found] if found else []
