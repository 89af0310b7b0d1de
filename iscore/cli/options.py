"""Options and arguments that several commands share: durations, filters of a list, and what a shell completes.

A shell completes IDs of articles, and names of feeds and tags. For that nothing is printed and nothing is learned;
without a data folder there is nothing to complete.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.context import data_folder, present

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter
    from storage.stories.article_filter import ArticleFilter

Pairs = list[tuple[str, str]]
"""Completions: what can be typed, and an explanation of it."""
MOST = 200
"""Most articles to offer: a shell lists all of them."""
_UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_FORM = re.compile(r"(\d{1,6})\s*([smhdw])")


def duration(text: str) -> timedelta:
    """Return a duration. Raises ``typer.BadParameter`` for anything else."""
    found = _FORM.fullmatch(text.strip().lower())
    if found is None:
        if text.strip() == "0":
            return timedelta(0)
        raise typer.BadParameter(f"{text!r} is not a duration; write it like 30m, 6h, 30d or 4w")
    return timedelta(**{_UNITS[found[2]]: int(found[1])})


def interval(text: str) -> timedelta | int:
    """Return the time between batches, or the number of articles of a batch.

    Raises ``typer.BadParameter`` for anything else, and for zero.
    """
    length = int(text) if re.fullmatch(r"\d{1,9}", text.strip()) else duration(text)
    if not length:
        raise typer.BadParameter("must be more than zero")
    return length


def moment(text: str, now: datetime, zone: tzinfo | None) -> datetime:
    """Return the time that a date, or a duration before ``now``, stands for. Raises ``typer.BadParameter``.

    A date begins at midnight in ``zone``, None for the machine's.
    """
    try:
        day = date.fromisoformat(text.strip())
    except ValueError:
        try:
            return now - duration(text)
        except typer.BadParameter as error:
            raise typer.BadParameter(
                f"{text!r} is neither a date nor a duration; write 2026-03-01, 3d or 12h"
            ) from error
    midnight = datetime(day.year, day.month, day.day, tzinfo=zone)
    return midnight.astimezone(UTC)  # without a zone it is the machine's


def article_ids(ctx: typer.Context, incomplete: str) -> Pairs:
    """Complete the IDs of the inbox."""
    return _offered(ctx, incomplete, _listed)


def rated_ids(ctx: typer.Context, incomplete: str) -> Pairs:
    """Complete the IDs of the last verdicts."""
    return _offered(
        ctx, incomplete, lambda news: [(each.article_id, each.title) for each in news.verdicts.recent(MOST)]
    )


def feed_names(ctx: typer.Context, incomplete: str) -> Pairs:
    """Complete the names of feeds."""
    return _offered(
        ctx,
        incomplete,
        lambda news: [(each.title or each.url, each.url) for each in news.subscriptions.known().values()],
    )


def feed_addresses(ctx: typer.Context, incomplete: str) -> Pairs:
    """Complete the addresses of feeds."""
    return _offered(
        ctx, incomplete, lambda news: [(each.url, each.title) for each in news.subscriptions.known().values()]
    )


def tags(ctx: typer.Context, incomplete: str) -> Pairs:
    """Complete the user's tags."""
    return _offered(
        ctx,
        incomplete,
        lambda news: sorted({(tag, "") for each in news.subscriptions.known().values() for tag in each.tags}),
    )


def _listed(news: NewsFilter) -> Iterable[tuple[str, str]]:
    return [(item.id, item.title) for item in news.inbox(limit=MOST, learn=False).items]


def _offered(ctx: typer.Context, incomplete: str, find: Callable[[NewsFilter], Iterable[tuple[str, str]]]) -> Pairs:
    from iscore.core.errors import IscoreError
    from iscore.services.news_filter import NewsFilter
    from storage.engine.errors import StorageError

    given = ctx.find_root().params
    home, user = given.get("home"), given.get("user")
    start = incomplete.casefold()
    try:
        with NewsFilter.open(
            home if isinstance(home, Path) else data_folder(ctx), user=user if isinstance(user, str) else ""
        ) as news:
            return [(text, about) for text, about in find(news) if text.casefold().startswith(start)]
    except (IscoreError, StorageError, OSError):
        return []


Source = Annotated[
    str,
    typer.Option(
        "--source",
        metavar="NAME",
        help="Only articles of this feed: its name or part of it.",
        show_default=False,
        autocompletion=feed_names,
    ),
]
Tag = Annotated[
    str,
    typer.Option(
        "--tag",
        metavar="TAG",
        help="Only articles of feeds with this tag.",
        show_default=False,
        autocompletion=tags,
    ),
]
Since = Annotated[
    str,
    typer.Option(
        "--since", metavar="TIME", help="Only articles published since: 2026-03-01, 3d or 12h.", show_default=False
    ),
]
Language = Annotated[
    str, typer.Option("--language", metavar="CODE", help="Only articles in this language: en, de.", show_default=False)
]


def article_filter(
    news: NewsFilter, *, source: str = "", tag: str = "", since: str = "", before: str = "", language: str = ""
) -> ArticleFilter:
    """Return the filter that options ask for. Raises ``typer.BadParameter`` for an invalid time."""
    from storage.stories.article_filter import ArticleFilter  # `--help` needs no database

    now, zone = present(), news.context.zone if since or before else None
    return ArticleFilter(
        source=source.strip(),
        tag=tag.strip(),
        since=moment(since, now, zone) if since else None,
        before=moment(before, now, zone) if before else None,
        language=language.strip(),
    )
