"""``iscore review`` and ``iscore teach``: decide on articles one by one with single keys."""

from __future__ import annotations

import os
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.inbox import heading
from iscore.cli.terminal.browser import browse
from iscore.cli.terminal.output import render, write
from iscore.cli.terminal.progress import progress_bar

if TYPE_CHECKING:
    from iscore.cli.review.queues import Queue
    from iscore.services.news_filter import NewsFilter

Plain = Annotated[bool, typer.Option("--plain", help="Ask line by line, for pipes and screen readers.")]
_QUESTIONS = 15


def review(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Include hidden articles.")] = False,
    by_digest: Annotated[bool, typer.Option("--digest", help="Review the last digest.")] = False,
    teaching: Annotated[bool, typer.Option("--teach", help="Review the articles that teach the filter most.")] = False,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Review the inbox one article at a time: l like, d dislike, s skip, n next, ? for all keys.

    Each verdict is saved at once, so you can stop at any time and continue later. Postponed articles come last.
    With --json the articles are only listed.

        iscore review
        iscore review --digest
    """
    if sum((everything, by_digest, teaching)) > 1:
        raise typer.BadParameter("use only one of --all, --digest and --teach")
    if teaching:
        teach(ctx, plain=plain, as_json=as_json)
        return
    with opened(ctx) as news:
        from iscore.cli.review.queues import DigestQueue, InboxQueue

        command = "iscore review"
        if by_digest:
            queue: Queue = DigestQueue(news)
            command += " --digest"
            nothing = "You have rated every article of the last digest. `iscore review` reviews the inbox."
        else:
            learn(news)
            queue, nothing = InboxQueue(news, everything=everything), ""
            command += " --all" * everything
        if as_json:
            from iscore.services.views import story_json

            print_json([*map(story_json.listed, news.current_inbox.stories(list(queue.begin().undecided)))])
        elif not run_review(news, queue, command, plain=plain):
            if nothing:
                write(nothing)
            else:
                render(heading(news.inbox(everything=everything, limit=1)))


def teach(
    ctx: typer.Context,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="Ask about at most N articles.")] = _QUESTIONS,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Review the articles that teach the filter most.

    These are articles it is least sure about, each unlike the others, above and below the threshold. Each verdict is
    saved at once, so you can stop at any time. With --json the articles are only listed.

        iscore teach --count 5
    """
    with opened(ctx) as news:
        from iscore.cli.review.queues import TeachingQueue

        learn(news)

        if as_json:
            from iscore.services.views import story_json

            print_json([*map(story_json.listed, news.current_inbox.most_informative(count))])
        elif not run_review(news, TeachingQueue(news, count), "iscore teach", plain=plain):
            write("No undecided articles. `iscore poll` fetches news.")


def learn(news: NewsFilter) -> None:
    """Learn new verdicts under a progress bar, before the review takes the screen."""
    with progress_bar() as progress:
        news.models.catch_up(progress)


def run_review(news: NewsFilter, queue: Queue, command: str, *, plain: bool) -> bool:
    """Review a queue, on a full screen if there is one, and print a summary; return whether it had any article.

    ``command`` continues the review.
    """
    from iscore.cli.review.controller import Controller
    from iscore.cli.review.layout import summary_lines
    from iscore.cli.review.plain import LineReview

    screen = None
    if not plain and has_screen():
        from iscore.cli.review.screen import ScreenReview

        screen = ScreenReview(news, present)
    controller = Controller(news, queue, lambda url: browse(url, screen.suspended if screen else nullcontext))
    try:
        if screen is None:
            LineReview(controller, news, present).run()
        else:
            screen.run(controller)
    finally:
        if controller.had_articles:
            for each in summary_lines(controller.summary(), command):
                write(each)
    return controller.had_articles


def has_screen() -> bool:
    """Whether standard input and output are a terminal that supports full screens."""
    dumb = sys.platform != "win32" and os.environ.get("TERM", "") in ("", "dumb", "unknown")
    return sys.stdin.isatty() and sys.stdout.isatty() and not dumb
