"""``iscore feeds``: add, remove and list subscriptions."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.home import opened, present
from iscore.cli.terminal import say, show, styled, tell
from iscore.digest.wording import ago, counted, until

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.views import FeedView

app = typer.Typer(help="The feeds that you follow; they stand in feeds.yaml, which you may also edit.")

Urls = Annotated[
    list[str],
    typer.Argument(metavar="URL", help="Addresses of RSS, Atom or JSON feeds.", show_default=False),
]


@app.command()
def add(ctx: typer.Context, urls: Urls, as_json: AsJson = False) -> None:
    """Follow feeds.

    [dim]iscore feeds add https://example.org/feed.xml[/dim]
    """
    with opened(ctx) as news:
        added = news.add_feeds(urls)
    if as_json:
        print_json({"added": added, "already_there": len(urls) - len(added)})
        return
    for url in added:
        say(f"following {url}")
    if len(added) < len(urls):
        tell(f"{len(urls) - len(added)} of {counted(len(urls), 'feed')} you follow already.")
    if added:
        tell("Next: `iscore poll` fetches their news.")


@app.command()
def remove(ctx: typer.Context, urls: Urls, as_json: AsJson = False) -> None:
    """Stop following feeds; their articles and your verdicts stay.

    [dim]iscore feeds remove https://example.org/feed.xml[/dim]
    """
    with opened(ctx) as news:
        removed = news.remove_feeds(urls)
    missing = len(urls) - len(removed)
    if as_json:
        print_json({"removed": removed, "not_there": missing})
    else:
        for url in removed:
            say(f"no longer following {url}")
    if missing:
        tell(
            f"iscore: {missing} of {counted(len(urls), 'feed')} you did not follow; "
            "`iscore feeds list` shows the addresses"
        )
        raise typer.Exit(1)


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the feeds, how they are doing and when they are due.

    [dim]iscore feeds list[/dim]
    """
    with opened(ctx) as news:
        views, now = news.feeds(), present()
    if as_json:
        print_json(views)
    elif views:
        show(feeds_table(views, now))
    else:
        say("You follow no feeds yet. `iscore feeds add URL` follows one.")


def feeds_table(views: list[FeedView], now: datetime) -> Table:
    """Lay out the feeds: title, address and error on the left, figures on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for view in views:
        left = [styled(view.title or view.url, "bold" if view.enabled else "dim")]
        if view.title:
            left.append(styled(view.url, "dim"))
        if view.error:
            left.append(styled(view.error, "red"))
        table.add_row(Text("\n").join(left), _figures(view, now))
    return table


def _figures(view: FeedView, now: datetime) -> str:
    fetched = f"fetched {ago(view.last_success, now)}" if view.last_success else "never fetched"
    due = f"due {until(view.next_due, now)}" if view.next_due else "due now"
    return f"{counted(view.articles, 'article')}\n{fetched}\n{due if view.enabled else 'switched off'}"
