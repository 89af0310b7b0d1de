"""``iscore feeds``: add, remove, list and check subscriptions; import and export OPML."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import NO_FEEDS, opened, present
from iscore.cli.options import feed_addresses
from iscore.cli.reading.digest import write_whole
from iscore.cli.terminal.output import line, message, render, rows, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted, hub_text
from iscore.presentation.wording.times import ago, until

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.feeds import AddedFeeds, FeedView

FULL = 10_000
"""Columns of a list that goes into a pipe or a file: an address has 2,000 characters at most."""

COLOURS = {"gone": "red", "dead": "red", "failing": "red", "moved": "yellow", "silent": "yellow"}
"""By state."""

app = typer.Typer()

Failing = Annotated[bool, typer.Option("--failing", help="Only feeds that could not be fetched.")]
Urls = Annotated[
    list[str],
    typer.Argument(
        metavar="URL",
        help="Addresses of RSS, Atom or JSON feeds; - reads standard input.",
        show_default=False,
        autocompletion=feed_addresses,
    ),
]
Pages = Annotated[
    list[str],
    typer.Argument(
        metavar="URL",
        help="Addresses of feeds, or of web pages that have one; - reads standard input.",
        show_default=False,
    ),
]


@app.command()
def add(
    ctx: typer.Context,
    urls: Pages,
    no_discovery: Annotated[
        bool, typer.Option("--no-discovery", help="Follow the addresses as given, without requesting them.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Follow feeds. For a web page, iScore finds its feed; if it has several, you choose.

    iscore feeds add https://example.org/feed.xml
    iscore feeds add example.org
    """
    urls = _addresses(urls)
    with opened(ctx) as news, progress_bar() as progress:
        view = news.subscriptions.add(urls, discover=not no_discovery, progress=progress)
    if as_json:
        print_json(view)
    else:
        _print_added(view, len(urls))
    if view.choices or view.refused:
        raise typer.Exit(1)


def _addresses(urls: list[str]) -> list[str]:
    """Replace a dash with the lines of standard input."""
    from iscore.feeds.urls import without_password

    if any(without_password(url) != url for url in urls):
        message(
            "iscore: other users could see this password in the list of processes, and your shell history keeps it; "
            "`iscore feeds add -` reads addresses from standard input"
        )
    given = ([url] if url != "-" else sys.stdin.read().splitlines() for url in urls)
    return [url.strip() for lines in given for url in lines if url.strip()]


def _print_added(view: AddedFeeds, given: int) -> None:
    for feed in view.feeds:
        name = f"{line(feed.title)} ({feed.url})" if feed.title else feed.url
        write(f"Following {name}" + ("" if feed.articles is None else f": {counted(feed.articles, 'article')}"))
    if view.already_there:
        which = "this feed" if given == 1 else f"{view.already_there} of these {given} feeds"
        message(f"You already follow {which}.")
    for each in view.refused:
        again = f"`iscore feeds add --no-discovery {quote(each.url)}`"
        message(f"iscore: {each.url}: {each.reason}; {again} adds it anyway")
    for choice in view.choices:
        message(f"iscore: {choice.page} has {len(choice.feeds)} feeds. Choose:")
        for found in choice.feeds:
            write(
                f"  iscore feeds add {quote(found.url)}" + (f"   # {quote(line(found.title))}" if found.title else "")
            )
    if view.added:
        message("Next: `iscore poll` fetches the news.")


@app.command()
def remove(ctx: typer.Context, urls: Urls, as_json: AsJson = False) -> None:
    """Unfollow feeds. Their articles and your verdicts stay.

    iscore feeds remove https://example.org/feed.xml
    """
    urls = _addresses(urls)
    with opened(ctx) as news:
        removed = news.subscriptions.remove(urls)
    missing = len(urls) - len(removed)
    if as_json:
        print_json({"removed": removed, "not_there": missing})
    else:
        for url in removed:
            write(f"Unfollowed {url}")
    if missing:
        which = urls[0] if len(urls) == 1 else f"{missing} of these {len(urls)} addresses"
        message(f"iscore: not in your list: {which}; `iscore feeds list` shows your feeds")
        raise typer.Exit(1)


@app.command(name="import")
def import_(
    ctx: typer.Context,
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="An OPML file, as feed readers export it; - reads standard input."),
    ],
    as_json: AsJson = False,
) -> None:
    """Follow the feeds of an OPML file from another feed reader. Folders become tags.

    Feeds that you already follow do not change.

        iscore feeds import subscriptions.opml
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.subscriptions.import_opml(file, progress=progress)
    if as_json:
        print_json(view)
        return
    refused = len(view.refused) + view.more_refused
    write(f"{counted(len(view.added), 'feed')} added, {view.already_there:,} already there, {refused:,} refused.")
    for each in view.refused:
        message(f"iscore: {each.url or 'a feed without a name'}: {each.reason}")
    if view.more_refused:
        message(f"iscore: and {view.more_refused:,} more that cannot be added")
    if view.left_out:
        message(
            f"iscore: {view.left_out:,} more were left out, since an import is limited to 10,000 feeds; "
            "add the ones you need with `iscore feeds add`"
        )
    if view.added:
        message("Next: `iscore poll` fetches the news.")


@app.command()
def export(
    ctx: typer.Context,
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The file to write or replace. Standard output by default.", show_default=False
        ),
    ] = None,
    with_passwords: Annotated[
        bool, typer.Option("--with-passwords", help="Include user names and passwords in addresses.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Export the feeds that you follow as OPML. Tags become folders.

    iscore feeds export subscriptions.opml
    """
    with opened(ctx) as news:
        view = news.subscriptions.export_opml(with_passwords=with_passwords)
    if file is not None:
        write_whole(file, view.opml)
    if as_json:
        print_json(view)
    elif file is None:
        write(view.opml.rstrip("\n"))
    else:
        write(f"Wrote {counted(view.feeds, 'feed')} to {file}.")
    if view.without_password:
        message(
            f"{counted(view.without_password, 'address', 'addresses')} exported without user name and password; "
            "`--with-passwords` includes them."
        )


@app.command()
def check(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Include feeds without problems.")] = False,
    details: Annotated[bool, typer.Option("--details", help="Include address, frequency, next poll, and hub.")] = False,
    as_json: AsJson = False,
) -> None:
    """List feeds with problems, a line for each: last success, error, and what to do.

    Uses the results of earlier polls and makes no requests.

        iscore feeds check
        iscore feeds check --details
    """
    with opened(ctx) as news:
        views, now = news.subscriptions.feeds(), present()
    if as_json:
        print_json(views)
        return
    if not views:
        write(NO_FEEDS)
        return
    shown = [view for view in views if everything or view.state != "well"]
    if shown and details:
        render(health_table(shown, now))
    elif shown:
        _print(shown, lambda views, full: problems_table(views, now, full=full))
    counts = Counter(view.state for view in views)
    write(f"{counted(len(views), 'feed')}: " + ", ".join(f"{number} {state}" for state, number in counts.most_common()))


def _print(views: list[FeedView], table: Callable[[list[FeedView], bool], Table]) -> None:
    """Print a table. Without a terminal nothing wraps or is cut."""
    if sys.stdout.isatty():
        render(table(views, False))
    else:
        write("\n".join(rows(FULL, table(views, True))))


def _worst_first(views: list[FeedView]) -> list[FeedView]:
    from iscore.feeds.subscriptions.health import ORDER

    return sorted(views, key=lambda view: [*map(str, ORDER)].index(view.state))


def problems_table(views: list[FeedView], now: datetime, *, full: bool = False) -> Table:
    """Lay out feeds, a line for each, the worst first: state, name, last success, and what is wrong and what to do."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=not full)
    for ratio in (None, 2, None, 5):
        table.add_column(no_wrap=True, overflow="ellipsis", ratio=None if full else ratio)
    for view in _worst_first(views):
        told = (view.error, f"now at {view.moved_to}" if view.moved_to else "", view.advice)
        table.add_row(
            styled(view.state, COLOURS.get(view.state, "dim")),
            styled(view.name, "bold"),
            styled(ago(view.last_success, now) if view.last_success else "never", "dim"),
            styled("; ".join(filter(None, told))),
        )
    return table


def health_table(views: list[FeedView], now: datetime) -> Table:
    """Lay out feeds: state, title, address, error and advice on the left, times on the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(ratio=1, overflow="fold")
    table.add_column(justify="right", no_wrap=True)
    for view in views:
        left = [Text.assemble(styled(view.state, COLOURS.get(view.state, "dim")), "  ", styled(view.name, "bold"))]
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


@app.callback(invoke_without_command=True)
def overview(
    ctx: typer.Context,
    failing: Failing = False,
    as_json: AsJson = False,
) -> None:
    """The feeds that you follow. You can also edit feeds.yaml.

    Without a command it lists them, a line for each.
    """
    if ctx.invoked_subcommand is None:
        list_(ctx, failing, as_json)


@app.command(name="list")
def list_(ctx: typer.Context, failing: Failing = False, as_json: AsJson = False) -> None:
    """List the feeds that you follow, a line for each, those in trouble first.

    `iscore feeds check` says what to do about a problem.

        iscore feeds list
        iscore feeds list --failing
    """
    with opened(ctx) as news:
        views, now = news.subscriptions.feeds(), present()
    shown = [view for view in views if not failing or view.error]
    if as_json:
        print_json(shown)
    elif shown:
        _print(shown, lambda views, full: feeds_table(views, now, full=full))
    else:
        write("No feed is failing." if views else NO_FEEDS)


def feeds_table(views: list[FeedView], now: datetime, *, full: bool = False) -> Table:
    """Lay out the feeds, the worst first: state, name, articles, last success, address, and the error if there is one.

    A line for each; that of a feed with an error wraps. With ``full`` nothing wraps or is cut.
    """
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=not full)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True, overflow="ellipsis", ratio=None if full else 2)
    table.add_column(no_wrap=True, justify="right")
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold", ratio=None if full else 3)
    table.add_row(*(styled(name, "dim") for name in ("state", "feed", "articles", "last success", "address")))
    for view in _worst_first(views):
        table.add_row(
            styled(view.state, COLOURS.get(view.state, "dim")),
            styled(view.name, "bold" if view.enabled else "dim"),
            f"{view.articles:,}",
            ago(view.last_success, now) if view.last_success else "never",
            _address(view, full=full),
        )
    return table


def _address(view: FeedView, *, full: bool) -> Text:
    """Return a feed's address behind its error; without one it is cut to a line."""
    if view.error:
        return styled(view.error, "red").append(" " if full else "\n").append_text(styled(view.url, "dim"))
    address = styled(view.url, "dim")
    address.no_wrap, address.overflow = True, "ellipsis"
    return address
