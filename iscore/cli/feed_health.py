"""``iscore feeds check`` and ``iscore feeds stats``: how each feed is doing, and what it has brought."""

from __future__ import annotations

from collections import Counter
from datetime import datetime
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import say, show, styled
from iscore.presentation.wording.quantities import counted, percent
from iscore.presentation.wording.times import ago, until

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.feeds import FeedStatistics, FeedView

NOTHING = "You follow no feeds yet. `iscore feeds add URL` follows one."
_COLOURS = {"gone": "red", "dead": "red", "failing": "red", "moved": "yellow", "silent": "yellow"}


def check(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also list the feeds that are well.")] = False,
    as_json: AsJson = False,
) -> None:
    """Tell how each feed is doing: last success, error, pace, when it is due, and what you may do.

    It goes by what polling has found, and asks nobody. Lists what is not well.

    [dim]iscore feeds check[/dim]
    """
    with opened(ctx) as news:
        views, now = news.subscriptions.feeds(), present()
    if as_json:
        print_json(views)
        return
    if not views:
        say(NOTHING)
        return
    shown = [view for view in views if everything or view.state != "well"]
    if shown:
        show(health_table(shown, now))
    counts = Counter(view.state for view in views)
    say(f"{counted(len(views), 'feed')}: " + ", ".join(f"{number} {state}" for state, number in counts.most_common()))


def health_table(views: list[FeedView], now: datetime) -> Table:
    """Lay out how feeds are doing: state, title, address, error and advice on the left, times on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for view in views:
        left = [
            Text.assemble(
                styled(view.state, _COLOURS.get(view.state, "dim")), "  ", styled(view.title or view.url, "bold")
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
        table.add_row(Text("\n").join(left), "\n".join(_times(view, now)))
    return table


def _times(view: FeedView, now: datetime) -> list[str]:
    lines = [f"fetched {ago(view.last_success, now)}" if view.last_success else "never fetched"]
    if view.failures:
        lines.append(f"{counted(view.failures, 'failure')} since")
    lines.append("pace not known yet" if view.per_week is None else f"{view.per_week:.3g} a week")
    if view.enabled:
        lines.append(f"due {until(view.next_due, now)}" if view.next_due else "due now")
    return lines


def stats(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Tell what each feed has brought: articles, recommended, likes, dislikes, and how much of it you like.

    The best liked come first. Where enough of your verdicts say so, there is a hint to stop following.

    [dim]iscore feeds stats[/dim]
    """
    with opened(ctx) as news:
        rows = news.subscriptions.statistics()
    if as_json:
        print_json(rows)
    elif rows:
        show(statistics_table(rows), *hints(rows))
    else:
        say(NOTHING)


def statistics_table(rows: list[FeedStatistics]) -> Table:
    """Lay out what feeds have brought, the best liked first, then by likes and articles."""
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
    """Name under a heading the feeds that one might stop following, each with the reason; nothing without any."""
    found = [
        styled(f"– {row.title or row.url}: {row.hint}; `iscore feeds remove {quote(row.url)}` stops following it")
        for row in rows
        if row.hint
    ]
    return [styled(""), styled("Perhaps not for you", "bold"), *found] if found else []
