"""``iscore feeds``: add, remove and list subscriptions; bring them from another reader, and take them there."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli import feed_health
from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import line, say, show, styled, tell
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago, until

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.services.views.feeds import AddedFeeds, FeedView

app = typer.Typer(help="The feeds that you follow; they stand in feeds.yaml, which you may also edit.")
app.command()(feed_health.check)
app.command()(feed_health.stats)

Urls = Annotated[
    list[str],
    typer.Argument(
        metavar="URL",
        help="Addresses of RSS, Atom or JSON feeds; - reads them from standard input.",
        show_default=False,
    ),
]
Pages = Annotated[
    list[str],
    typer.Argument(
        metavar="URL",
        help="Addresses of RSS, Atom or JSON feeds, or of pages that have one; - reads them from standard input.",
        show_default=False,
    ),
]


@app.command()
def add(
    ctx: typer.Context,
    urls: Pages,
    no_discovery: Annotated[
        bool, typer.Option("--no-discovery", help="Follow the addresses as they are, without asking for them.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Follow feeds. Of a page the feed is looked for; if it has several, you choose.

    [dim]iscore feeds add https://example.org/feed.xml[/dim]

    [dim]iscore feeds add https://example.org[/dim]
    """
    urls = _spelled(urls)
    with opened(ctx) as news, progress_bar() as progress:
        view = news.subscriptions.add(urls, discover=not no_discovery, progress=progress)
    if as_json:
        print_json(view)
    else:
        _tell_added(view, len(urls))
    if view.choices or view.refused:
        raise typer.Exit(1)


def _spelled(urls: list[str]) -> list[str]:
    """Put the lines of standard input in the place of a dash."""
    from iscore.feeds.urls import without_password

    if any(without_password(url) != url for url in urls):
        tell(
            "iscore: whoever lists the processes of this machine could see that password, and your shell remembers it; "
            "`iscore feeds add -` reads addresses from standard input"
        )
    given = ([url] if url != "-" else sys.stdin.read().splitlines() for url in urls)
    return [url.strip() for lines in given for url in lines if url.strip()]


def _tell_added(view: AddedFeeds, given: int) -> None:
    for url in view.added:
        say(f"following {url}")
    if view.already_there:
        tell(f"{view.already_there} of {counted(given, 'feed')} you follow already.")
    for each in view.unseen:
        tell(f"iscore: {each.url} could not be looked at: {each.reason}; it is followed as it is.")
    for each in view.refused:
        again = f"`iscore feeds add --no-discovery {quote(each.url)}`"
        tell(f"iscore: {each.url}: {each.reason}; {again} follows it all the same")
    for choice in view.choices:
        tell(f"iscore: {choice.page} has {len(choice.feeds)} feeds; follow one, or several:")
        for feed in choice.feeds:
            say(f"  iscore feeds add {quote(feed.url)}" + (f"   # {quote(line(feed.title))}" if feed.title else ""))
    if view.added:
        tell("Next: `iscore poll` fetches the news.")


@app.command()
def remove(ctx: typer.Context, urls: Urls, as_json: AsJson = False) -> None:
    """Stop following feeds; their articles and your verdicts stay.

    [dim]iscore feeds remove https://example.org/feed.xml[/dim]
    """
    urls = _spelled(urls)
    with opened(ctx) as news:
        removed = news.subscriptions.remove(urls)
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


@app.command(name="import")
def import_(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="An OPML file, as feed readers export it; - is standard input."),
    ],
    as_json: AsJson = False,
) -> None:
    """Follow the feeds of another reader, out of its OPML export. Folders become tags.

    What you follow already stays as it is, so importing twice does no harm.

    [dim]iscore feeds import subscriptions.opml[/dim]
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.subscriptions.import_opml(file, progress=progress)
    if as_json:
        print_json(view)
        return
    refused = len(view.refused) + view.more_refused
    say(f"{counted(len(view.added), 'feed')} added, {view.already_there:,} already there, {refused:,} refused.")
    for each in view.refused:
        tell(f"iscore: {each.url or 'a feed without a name'}: {each.reason}")
    if view.more_refused:
        tell(f"iscore: and {view.more_refused:,} more that cannot be followed")
    if view.left_out:
        tell(
            f"iscore: {view.left_out:,} more were left out: lists are taken over up to 10,000 feeds; "
            "follow what you miss by `iscore feeds add`"
        )
    if view.added:
        tell("Next: `iscore poll` fetches the news.")


@app.command()
def export(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="Where to write; by default standard output.", show_default=False),
    ] = None,
    with_passwords: Annotated[
        bool, typer.Option("--with-passwords", help="Keep user names and passwords in addresses.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Write the feeds that you follow as OPML, for other readers. Tags become folders.

    [dim]iscore feeds export subscriptions.opml[/dim]
    """
    with opened(ctx) as news:
        view = news.subscriptions.export_opml(with_passwords=with_passwords)
    if file is not None:
        file.write_text(view.opml, encoding="utf-8")
    if as_json:
        print_json(view)
    elif file is None:
        say(view.opml.rstrip("\n"))
    else:
        say(f"wrote {counted(view.feeds, 'feed')} to {file}")
    if view.without_password:
        tell(
            f"{counted(view.without_password, 'address', 'addresses')} written without user name and password; "
            "`--with-passwords` keeps them."
        )


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the feeds, how they are doing and when they are due.

    [dim]iscore feeds list[/dim]
    """
    with opened(ctx) as news:
        views, now = news.subscriptions.feeds(), present()
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
