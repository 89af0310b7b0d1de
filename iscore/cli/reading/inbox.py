"""``iscore inbox``: the articles to read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.options import Language, Since, Source, Tag, article_filter
from iscore.cli.terminal.output import linked, message, render, styled
from iscore.cli.terminal.progress import progress_bar
from iscore.core.translation import UNTITLED
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.scores import (
    STRENGTHS,
    change_words,
    interest_words,
    learning_words,
    strength,
    unmet_words,
)
from iscore.presentation.wording.story import from_sources
from iscore.presentation.wording.times import age_of

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.stories import InboxView, StoryView


def inbox(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Include hidden articles.")] = False,
    source: Source = "",
    tag: Tag = "",
    since: Since = "",
    language: Language = "",
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N.")] = 30,
    as_json: AsJson = False,
) -> None:
    """List recommended articles and a few to explore, best first.

    Articles leave the inbox with your verdict, or after inbox_days. Each line starts with the ID for other commands.

        iscore inbox --limit 10
        iscore inbox --all --json | jq -r '.[].title'
    """
    with opened(ctx) as news, progress_bar() as news.context.progress:
        only = article_filter(news, source=source, tag=tag, since=since, language=language)
        view, now = news.inbox(everything=everything, only=only, limit=limit), present()
        days = news.context.settings.inbox_days
        for problem in news.rules.problems():
            message(f"iscore: {problem}")
        change = None if as_json or view.change is None or view.change.shown else view.change
        if change is not None:
            news.current_inbox.change_shown(change)
    if as_json:
        from iscore.services.views import story_json

        print_json([*map(story_json.listed, view.items)])
        return
    render(
        heading(view, filtered=bool(source or tag or since or language)),
        *([articles_table(view.items, now)] if view.items else []),
    )
    if change is not None:
        message(change_words(change))
    if view.unmet:
        message(unmet_words(view.unmet, days))
    if view.items and not view.learning.trained and not (view.learning.likes or view.learning.imported or everything):
        message("A varied sample to get started; `iscore inbox --all` lists all articles.")
    if view.items:
        first = view.items[0].id
        message(
            f"`iscore like {first}` or `iscore dislike {first}` rates an article; `iscore why {first}` explains it."
        )


def heading(view: InboxView, *, filtered: bool = False) -> Text:
    """Return the number of articles and the progress of learning; for an empty inbox what to do next."""
    if not view.feeds and not view.has_articles:
        return styled("You follow no feeds yet. Add one with `iscore feeds add URL`, then run `iscore poll`.")
    if not view.has_articles:
        return styled("No articles yet. `iscore poll` fetches them.")
    parts = [_waiting(view), learning_words(view.learning)]
    if filtered and not view.items:
        parts = ["Nothing in your inbox fits"]
    if not view.items:
        below = f"{counted(view.hidden, 'hidden article')}: `iscore inbox --all` lists them"
        parts += [below if view.hidden else "" if filtered else "`iscore poll` fetches more"]
    return styled(" · ".join(part for part in parts if part), "bold" if view.items else "")


def _waiting(view: InboxView) -> str:
    if not view.items:
        return "Your inbox is empty"
    if len(view.items) < view.waiting:
        return f"The best {len(view.items):,} of {view.waiting:,} articles"
    return counted(view.waiting, "article")


def articles_table(items: Sequence[StoryView], now: datetime) -> Table:
    """Lay out articles: ID, strength as dots, and the title above source and age."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for item in items:
        table.add_row(styled(item.id, "cyan"), dots(item), _story(item, now))
    return table


def dots(item: StoryView) -> Text:
    """Draw the strength of a recommendation as dots."""
    filled = strength(item.score, item.threshold)
    return styled("●" * filled, "green").append("○" * (STRENGTHS - filled), "dim")


def _story(item: StoryView, now: datetime) -> Text:
    kind = "archive" if item.archive else "explore" if item.explore else "" if item.interesting else "hidden"
    about = (
        from_sources(item.source_names),
        age_of(item.published, now),
        kind,
        interest_words(item.interest),
        item.rule_outcome,
    )
    title = linked(item.title or UNTITLED, item.url, "bold")
    return title.append("\n").append_text(styled(" · ".join(part for part in about if part), "not bold dim"))
