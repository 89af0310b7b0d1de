"""``iscore search``: find articles by their words."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.options import Language, Since, Source, Tag, article_filter
from iscore.cli.terminal.output import linked, render, styled, write
from iscore.core.translation import UNTITLED
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.story import text_below
from iscore.presentation.wording.times import age_of

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.stories import SearchView, StoryView

_VERDICTS = {"like": "liked", "dislike": "disliked", "skip": "skipped", "imported": "imported"}


def search(
    ctx: typer.Context,
    words: Annotated[
        list[str],
        typer.Argument(metavar="WORD", help='Words, "phrases", or the start of a word and a star.', show_default=False),
    ],
    source: Source = "",
    tag: Tag = "",
    since: Since = "",
    language: Language = "",
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Search all articles, newest first: in title, text, author and source.

    An article has to have all the words. Texts that `iscore prune` removed are not searched, but their titles are.

        iscore search climate summit
        iscore search '"climate summit"' --since 30d
        iscore search electri* --language en
        iscore search tide is:saved author:carson before:2026-03-01
    """
    # A shell has removed the quotes of "two words", which make them a phrase.
    query = " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)
    with opened(ctx) as news:
        only = article_filter(news, source=source, tag=tag, since=since, language=language)
        view, now = news.search.find(query, only=only, limit=limit), present()
    if as_json:
        from iscore.services.views import story_json

        print_json([*map(story_json.found, view.items)])
    elif view.items:
        render(styled(heading(view), "bold"), found_table(view, now))
    else:
        write("Nothing found.")


def heading(view: SearchView) -> str:
    """Return how many articles were found, and how many of them are shown."""
    matches = f"more than {view.matches - 1:,} articles" if view.more else counted(view.matches, "article")
    return matches if len(view.items) >= view.matches else f"The newest {len(view.items):,} of {matches}"


def found_table(view: SearchView, now: datetime) -> Table:
    """Lay out what was found: ID, and title above source, age and verdict, above the text around the match."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for item in view.items:
        table.add_row(styled(item.id, "cyan"), _lines(item, now))
    return table


def _lines(item: StoryView, now: datetime) -> Text:
    about = (item.source, item.author, age_of(item.published, now), _VERDICTS.get(item.verdict or "", ""))
    lines = linked(item.title or UNTITLED, item.url, "bold")
    lines.append("\n").append_text(styled(" · ".join(part for part in about if part), "not bold dim"))
    if text := text_below(item):
        lines.append("\n").append_text(styled(text, "not bold"))
    return lines
