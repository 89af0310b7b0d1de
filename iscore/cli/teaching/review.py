"""``iscore review``: decide on articles one by one with single keys."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.reading.inbox import heading
from iscore.cli.terminal.output import render, write
from iscore.cli.terminal.progress import progress_bar
from iscore.core.file_access import shell_umask

if TYPE_CHECKING:
    from iscore.cli.review.queues import Queue
    from iscore.services.news_filter import NewsFilter


def review(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Include hidden articles.")] = False,
    by_digest: Annotated[bool, typer.Option("--digest", help="Review the last digest.")] = False,
    teaching: Annotated[bool, typer.Option("--teach", help="Review the articles that teach the filter most.")] = False,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="With --teach: ask about at most N articles.")] = 15,
    plain: Annotated[bool, typer.Option("--plain", help="Ask line by line, for pipes and screen readers.")] = False,
    as_json: AsJson = False,
) -> None:
    """Review the inbox one article at a time: l like, d dislike, s skip, n next, ? for all keys.

    Each verdict is saved at once, so you can stop at any time and continue later. Postponed articles come last.
    --teach asks about articles that the filter is least sure about, each unlike the others, above and below the
    threshold. With --json the articles are only listed.

        iscore review
        iscore review --digest
        iscore review --teach --count 5
    """
    if sum((everything, by_digest, teaching)) > 1:
        raise typer.BadParameter("use only one of --all, --digest and --teach")
    with opened(ctx) as news:
        from iscore.cli.review.queues import DigestQueue, InboxQueue, TeachingQueue

        command, nothing = "iscore review", ""
        if not by_digest:
            learn(news)
        if by_digest:
            queue: Queue = DigestQueue(news)
            command += " --digest"
            nothing = "You have rated every article of the last digest. `iscore review` reviews the inbox."
        elif teaching:
            queue = TeachingQueue(news, count)
            command += " --teach"
            nothing = "No undecided articles. `iscore poll` fetches news."
        else:
            queue = InboxQueue(news, everything=everything)
            command += " --all" * everything
        if as_json:
            from iscore.services.views import story_json

            inbox = news.current_inbox
            found = inbox.most_informative(count) if teaching else inbox.stories(list(queue.begin().undecided))
            print_json([*map(story_json.listed, found)])
        elif not run_review(news, queue, command, plain=plain):
            if nothing:
                write(nothing)
            else:
                render(heading(news.inbox(everything=everything, limit=1)))


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


def has_browser() -> bool:
    """Whether there is likely a browser: on a graphical desktop, or named by ``BROWSER``."""
    if os.environ.get("BROWSER") or sys.platform in ("darwin", "win32"):
        return True
    # Without a display, `webbrowser` would start a text browser that nobody asked for.
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def browse(url: str, suspend: Callable[[], AbstractContextManager[object]]) -> str:
    """Open a web address and return a message about the outcome.

    ``suspend`` gives the terminal to the browser: ``BROWSER`` may name a text browser.
    """
    import webbrowser

    if not has_browser():
        return "No browser found. Open the address above, or set BROWSER."
    try:
        with suspend(), shell_umask():
            opened = webbrowser.open(url)
    except (webbrowser.Error, OSError, subprocess.SubprocessError) as error:
        return f"Cannot start the browser: {error}"
    return "Opened in the browser." if opened else f"The browser did not open {url}"
