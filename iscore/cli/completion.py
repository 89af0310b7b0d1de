"""What a shell completes beside commands and options: IDs of articles, and names of feeds and tags.

Nothing is printed and nothing is learned; without a data folder there is nothing to complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from iscore.cli.context import data_folder

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter

Pairs = list[tuple[str, str]]
"""What can be typed, each with its explanation."""
MOST = 200
"""Articles offered: a shell lists them all."""


def article_ids(ctx: typer.Context, incomplete: str) -> Pairs:
    """Complete the IDs of the inbox."""
    return _offered(ctx, incomplete, _listed)


def judged_ids(ctx: typer.Context, incomplete: str) -> Pairs:
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
