"""``iscore poll``: fetch the feeds that are due."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import NO_FEEDS, NOTHING_SAID, global_options, opened, present
from iscore.cli.terminal.output import message, problem_lines, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import until

if TYPE_CHECKING:
    from iscore.services.views.feeds import PollView


def poll(
    ctx: typer.Context,
    force: Annotated[bool, typer.Option("--force", help="Include feeds that are not due yet.")] = False,
    as_json: AsJson = False,
) -> None:
    """Fetch the feeds that are due, and score new articles.

    A feed is requested at most once an hour, or less often if it asks for that. Fails only if every feed failed.
    Where several people share the data folder, new articles are scored for each; with --user for one of them only.

        iscore poll
    """
    with progress_bar() as progress:
        if progress is not None:
            progress(0, 0, "starting")
        from iscore.services.shared_polling import poll_for_all  # takes a second to load

        with opened(ctx) as news:
            if global_options(ctx).user:
                view = news.poll(force=force, progress=progress)
            else:
                view = poll_for_all(news, force=force, progress=progress)
            now, following = present(), view.feeds or len(news.subscriptions.feeds())
            starting = view.new_articles and news.verdicts.none_yet()
    for warning in view.warnings:
        message(f"iscore: {warning}")
    for problems in (view.problems, view.moved, view.page_problems):
        for line in problem_lines(problems):
            message(f"iscore: {line}")
    if as_json:
        print_json(view)
    else:
        write(summary(view, following, now))
        if starting:
            message(f"Next: {NOTHING_SAID}")
    if view.feeds and view.failed == view.feeds:
        raise typer.Exit(1)


def summary(view: PollView, following: int, now: datetime) -> str:
    """Return the result of a poll, and what to do next. ``following``: the number of feeds, due or not."""
    if not following:
        return NO_FEEDS
    due = f"The next feed is due {until(view.next_due, now)}." if view.next_due else ""
    if not view.feeds and view.cooling:
        return f"{counted(view.cooling, 'feed')} polled a moment ago, so not requested again. {due}".rstrip()
    if not view.feeds:
        force = "`iscore poll --force` requests all that were not polled in the last minute."
        return f"No feed is due. {due} {force}".replace("  ", " ")
    recommended = f"{view.recommended} recommended"
    if view.recommended_older:
        older = counted(view.recommended_older, "older one")
        recommended = f"{view.recommended - view.recommended_older} of them recommended, {older} too"
    lines = [
        f"Requested {counted(view.feeds, 'feed')} in {view.seconds:.1f} s: {view.changed} changed, "
        f"{view.unchanged} unchanged, {view.failed} failed.",
        f"{counted(view.pages_fetched, 'article page')} fetched for the full text, {view.pages_failed} failed."
        if view.pages_fetched or view.pages_failed
        else "",
        f"{counted(view.new_articles, 'new article')}, {recommended}, {view.explored} to explore.",
        due,
    ]
    return "\n".join(text for text in lines if text)
