"""``iscore poll``: one round of what is due."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import problem_line, say, tell
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import until

if TYPE_CHECKING:
    from iscore.services.views.feeds import PollView


def poll(
    ctx: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Also ask feeds that are not due yet.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch the feeds that are due, and judge what is new.

    Feeds are asked once an hour at most, or as rarely as they wish. Fails only if none could be read.

    [dim]iscore poll[/dim]
    """
    with opened(ctx) as news:
        with progress_bar() as progress:
            view = news.poll(force=force, progress=progress)
        now, following = present(), view.feeds or len(news.subscriptions.feeds())
    for warning in view.warnings:
        tell(f"iscore: {warning}")
    for problem in (*view.problems, *view.moved, *view.page_problems):
        tell(f"iscore: {problem_line(problem)}")
    if as_json:
        print_json(view)
    else:
        say(summary(view, following, now))
    if view.feeds and view.failed == view.feeds:
        raise typer.Exit(1)


def summary(view: PollView, following: int, now: datetime) -> str:
    """Say what a round did, and what to do next. ``following``: how many feeds there are, due or not."""
    if not following:
        return "You follow no feeds yet. `iscore feeds add URL` follows one."
    due = f"The next feed is due {until(view.next_due, now)}." if view.next_due else ""
    if not view.feeds and view.cooling:
        return f"{counted(view.cooling, 'feed')} had been asked a moment ago and were left alone. {due}".rstrip()
    if not view.feeds:
        return f"No feed is due. {due} `iscore poll --force` asks them all.".replace("  ", " ")
    lines = [
        f"{counted(view.feeds, 'feed')} asked in {view.seconds:.1f} s: {view.changed} changed, "
        f"{view.unchanged} unchanged, {view.failed} failed.",
        f"{counted(view.pages_fetched, 'article page')} read for the full text, {view.pages_failed} failed."
        if view.pages_fetched or view.pages_failed
        else "",
        f"{counted(view.new_articles, 'new article')}, {view.recommended} recommended, {view.explored} to explore.",
        due,
    ]
    return "\n".join(text for text in lines if text)
