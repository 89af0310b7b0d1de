"""Options that restrict a list of articles, the same for every command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli import completion
from iscore.cli.context import present
from iscore.cli.durations import moment

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter
    from storage.stories.article_filter import ArticleFilter

Source = Annotated[
    str,
    typer.Option(
        "--source",
        metavar="NAME",
        help="Only articles of this feed: its name or part of it.",
        show_default=False,
        autocompletion=completion.feed_names,
    ),
]
Tag = Annotated[
    str,
    typer.Option(
        "--tag",
        metavar="TAG",
        help="Only articles of feeds with this tag.",
        show_default=False,
        autocompletion=completion.tags,
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
    """Return the filter that options ask for. Raises ``typer.BadParameter`` for what is no time."""
    from storage.stories.article_filter import ArticleFilter  # `--help` needs no database

    now, zone = present(), news.context.zone if since or before else None
    return ArticleFilter(
        source=source.strip(),
        tag=tag.strip(),
        since=moment(since, now, zone) if since else None,
        before=moment(before, now, zone) if before else None,
        language=language.strip(),
    )
