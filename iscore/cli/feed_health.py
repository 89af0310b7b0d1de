"""``iscore feeds check`` and ``iscore feeds stats``: the health of each feed, and how much of it you like."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import render, styled, write
from iscore.presentation.wording.quantities import counted, percent
from iscore.presentation.wording.status import hub_text
from iscore.presentation.wording.times import ago, until

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.feeds import FeedStatistics, FeedView

NOTHING = "You follow no feeds yet. Add one with `iscore feeds add URL`."
COLOURS = {"gone": "red", "dead": "red", "failing": "red", "moved": "yellow", "silent": "yellow"}
"""By state."""


def check(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Include feeds without problems.")] = False,
    as_json: AsJson = False,
) -> None:
    """List feeds with problems: last success, error, frequency, next poll, and what to do.

    Uses the results of earlier polls and makes no requests.

        iscore feeds check
    """
    with opened(ctx) as news:
        views, now = news.subscriptions.feeds(), present()
    if as_json:
        print_json(views)
        return
    if not views:
        write(NOTHING)
        return
    shown = [view for view in views if everything or view.state != "well"]
    if shown:
        render(health_table(shown, now))
    counts = Counter(view.state for view in views)
    write(f"{counted(len(views), 'feed')}: " + ", ".join(f"{number} {state}" for state, number in counts.most_common()))


def health_table(views: list[FeedView], now: datetime) -> Table:
    """Lay out feeds: state, title, address, error and advice on the left, times on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for view in views:
        left = [
            Text.assemble(
                styled(view.state, COLOURS.get(view.state, "dim")), "  ", styled(view.title or view.url, "bold")
            )
        ]
        if view.title:
            left.append(styled(view.url, "dim"))
        if view.error:
            left.append(styled(view.error, "red"))
        if view.moved_to:
            left.append(styled(f"now at {view.moved_to}"))
        if view.advice:
            left.append(styled(view.advice))
        if view.hub:
            left.append(styled(hub_text(view.hub), "dim"))
        table.add_row(Text("\n").join(left), "\n".join(_times(view, now)))
    return table


def _times(view: FeedView, now: datetime) -> list[str]:
    lines = [f"fetched {ago(view.last_success, now)}" if view.last_success else "never fetched"]
    if view.failures:
        lines.append(counted(view.failures, "failure") + (" since" if view.last_success else ""))
    lines.append("frequency unknown" if view.per_week is None else f"{view.per_week:.3g} a week")
    if view.enabled:
        lines.append(f"due {until(view.next_due, now)}" if view.next_due else "due now")
    return lines


def stats(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how much of each feed you like: articles, recommended, likes, dislikes.

    Feeds that you like most come first. With enough verdicts, it suggests feeds to unfollow.

        iscore feeds stats
    """
    with opened(ctx) as news:
        rows = news.subscriptions.statistics()
    if as_json:
        print_json(rows)
    elif rows:
        render(statistics_table(rows), *hints(rows))
    else:
        write(NOTHING)


def statistics_table(rows: list[FeedStatistics]) -> Table:
    """Lay out the statistics of feeds, most liked first."""
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0), expand=True, header_style="dim")
    table.add_column("feed", ratio=1, overflow="fold")
    for name in ("articles", "recommended", "likes", "dislikes", "liked"):
        table.add_column(name, justify="right", no_wrap=True)
    unknown = -1.0
    for row in sorted(rows, key=lambda row: (unknown if row.share is None else row.share, row.likes), reverse=True):
        figures = (row.articles, row.recommended, row.likes, row.dislikes)
        table.add_row(styled(row.title or row.url), *(f"{number:,}" for number in figures), percent(row.share))
    return table


def hints(rows: list[FeedStatistics]) -> list[Text]:
    """List the feeds that the user could unfollow, with reasons, under a heading; empty without any."""
    found = [
        styled(f"– {row.title or row.url}: {row.hint}; `iscore feeds remove {quote(row.url)}` stops following it")
        for row in rows
        if row.hint
    ]
    return [styled(""), styled("Rarely liked", "bold"), *found] if found else []
