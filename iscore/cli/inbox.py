"""``iscore inbox``: what waits to be read."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import linked, show, styled, tell
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.scores import STRENGTHS, learning_words, strength
from iscore.presentation.wording.story import UNTITLED, from_sources
from iscore.presentation.wording.times import age

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

    from iscore.services.views.inbox import InboxItem, InboxView


def inbox(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also what was held back.")] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Show at most N.")] = 30,
    as_json: AsJson = False,
) -> None:
    """Show what is recommended or to be explored, unseen, of the last 7 days, best first.

    Every article begins with its ID, which the other commands take.

    [dim]iscore inbox --limit 10[/dim]

    [dim]iscore inbox --all --json | jq -r '.\\[].title'[/dim]
    """
    with opened(ctx) as news:
        view, now = news.inbox(everything=everything, limit=limit), present()
        for problem in news.rules.problems():
            tell(f"iscore: {problem}")
    if as_json:
        print_json(view.items)
        return
    show(heading(view), *([items_table(view, now)] if view.items else []))
    if view.items and not view.learning.warm and not (view.learning.likes or view.learning.seeds or everything):
        tell("These stand for many others, to get to know you; `iscore inbox --all` lists the rest.")
    if view.items:
        first = view.items[0].id
        tell(f"`iscore like {first}` or `iscore dislike {first}` teaches; `iscore why {first}` tells why.")


def heading(view: InboxView) -> Text:
    """Say how much waits, how far learning is, and, when there is nothing, what to do next."""
    if not view.feeds and not view.articles:
        return styled("You follow no feeds yet. `iscore feeds add URL` follows one, `iscore poll` fetches its news.")
    if not view.articles:
        return styled("No news has been fetched yet. `iscore poll` fetches it.")
    parts = [_waiting(view), learning_words(view.learning)]
    if not view.items:
        held_back = f"{counted(view.held_back, 'article')} held back: `iscore inbox --all` lists them"
        parts += [held_back if view.held_back else "`iscore poll` looks for more"]
    return styled(" · ".join(part for part in parts if part), "bold" if view.items else "")


def _waiting(view: InboxView) -> str:
    if not view.items:
        return "Nothing waits for you"
    if len(view.items) < view.waiting:
        return f"The best {len(view.items):,} of {view.waiting:,} articles"
    return counted(view.waiting, "article")


def items_table(view: InboxView, now: datetime) -> Table:
    """Lay out what waits."""
    return stories_table(view.items, now)


def stories_table(items: Sequence[InboxItem], now: datetime) -> Table:
    """Lay out articles: ID, strength as dots, and the title above source and age."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for item in items:
        table.add_row(styled(item.id, "cyan"), dots(item), _story(item, now))
    return table


def dots(item: InboxItem) -> Text:
    """Lay out the strength of a recommendation."""
    filled = strength(item.score, item.threshold)
    return styled("●" * filled, "green").append("○" * (STRENGTHS - filled), "dim")


def _story(item: InboxItem, now: datetime) -> Text:
    kind = "explore" if item.explore else "" if item.interesting else "held back"
    about = (
        from_sources(item.sources or (item.source,)),
        age(item.published or item.arrived, now),
        kind,
        item.ruling,
    )
    title = linked(item.title or UNTITLED, item.url, "bold")
    return title.append("\n").append_text(styled(" · ".join(part for part in about if part), "not bold dim"))
