"""``iscore review`` and ``iscore teach``: articles one by one, each with a single key."""

from __future__ import annotations

import os
import signal
from contextlib import nullcontext
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.inbox import heading
from iscore.cli.terminal.browser import browse
from iscore.cli.terminal.output import say, show

if TYPE_CHECKING:
    from iscore.cli.full_screen import FullScreen
    from iscore.cli.review.controller import Desk
    from iscore.cli.review.queues import Queue
    from iscore.services.news_filter import NewsFilter

Plain = Annotated[bool, typer.Option("--plain", help="Ask line by line, as for pipes and screen readers.")]
_QUESTIONS = 15


def review(
    ctx: typer.Context,
    everything: Annotated[bool, typer.Option("--all", help="Also what was held back.")] = False,
    by_digest: Annotated[bool, typer.Option("--digest", help="Go through the last digest.")] = False,
    teaching: Annotated[bool, typer.Option("--teach", help="Go through what would teach most.")] = False,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Go through the inbox one by one, with single keys: l like, d dislike, s skip, n next, ? for all others.

    What you say counts at once, so that you may stop at any time and go on later. What you leave for later comes last.
    With --json the articles are listed and not asked about.

    [dim]iscore review[/dim]

    [dim]iscore review --digest[/dim]
    """
    if sum((everything, by_digest, teaching)) > 1:
        raise typer.BadParameter("only one of --all, --digest and --teach makes sense")
    if teaching:
        teach(ctx, plain=plain, as_json=as_json)
        return
    with opened(ctx) as news:
        from iscore.cli.review.queues import DigestQueue, InboxQueue

        command = "iscore review"
        if by_digest:
            queue: Queue = DigestQueue(news)
            command += " --digest"
            nothing = "All of the last digest has your verdict. `iscore review` goes through the inbox."
        else:
            queue, nothing = InboxQueue(news, everything=everything), ""
            command += " --all" * everything
        if as_json:
            print_json([story.item for story in news.reading.listed(list(queue.begin().waiting))])
        elif not go_through(news, queue, command, plain=plain):
            if nothing:
                say(nothing)
            else:
                show(heading(news.inbox(everything=everything, limit=1)))


def teach(
    ctx: typer.Context,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="Ask about at most N articles.")] = _QUESTIONS,
    plain: Plain = False,
    as_json: AsJson = False,
) -> None:
    """Go through the articles that would teach the filter most, as `iscore review` does.

    They are such as it is least sure of, unlike one another, from the inbox and from what was held back. Each answer
    counts at once, so that you may stop at any time. With --json the questions are listed and not asked.

    [dim]iscore teach --count 5[/dim]
    """
    with opened(ctx) as news:
        from iscore.cli.review.queues import TeachingQueue

        if as_json:
            print_json(news.teachable(count))
        elif not go_through(news, TeachingQueue(news, count), "iscore teach", plain=plain):
            say("There is nothing to ask about: no undecided article waits. `iscore poll` fetches news.")


def go_through(news: NewsFilter, queue: Queue, command: str, *, plain: bool) -> bool:
    """Go through a queue, on the screen if there is one, and say what came of it; return whether there was anything.

    ``command`` goes on with it.
    """
    from iscore.cli.review.controller import Desk
    from iscore.cli.review.layout import told
    from iscore.cli.review.plain import Lines

    screen = None if plain else full_screen()
    desk = Desk(news, queue, lambda url: browse(url, screen.lent if screen else nullcontext))
    try:
        if screen is None:
            Lines(desk, news, present).run()
        else:
            _on_screen(screen, desk, news)
    finally:
        if desk.had_any:
            for each in told(desk.summary(), command):
                say(each)
    return desk.had_any


def full_screen() -> FullScreen | None:
    """Return the whole terminal, not yet taken; None where there is none that could be."""
    try:
        from iscore.cli.full_screen import FullScreen, can_show_screens
    except ImportError:  # Windows has no such terminals
        return None
    return FullScreen() if can_show_screens() else None


def _on_screen(screen: FullScreen, desk: Desk, news: NewsFilter) -> None:
    from iscore.cli.full_screen import Ended
    from iscore.cli.review.screen import Screen

    try:
        with screen:
            Screen(screen, desk, news, present).run()
    except Ended as ended:
        # Whoever asked shall see that it was done. All that was said is on disk.
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
