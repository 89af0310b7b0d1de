"""``iscore teach``: asks for the verdicts that teach most, one line an answer. It works over a pipe, too."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.home import opened, present
from iscore.cli.terminal import line, say
from iscore.digest.wording import age, counted, from_sources
from iscore.views import InboxItem
from storage.records import Kind

ANSWERS = {"l": Kind.LIKE, "d": Kind.DISLIKE, "s": Kind.SKIP}
QUIT = "q"
AT_ONCE = 5
"""Questions that are chosen together; then the filter learns from the answers before it chooses more."""
_SUMMARY = 200
"""Characters of the text that a question shows."""


def teach(
    ctx: typer.Context,
    count: Annotated[int, typer.Option(min=1, metavar="N", help="Ask about at most N articles.")] = 15,
    as_json: AsJson = False,
) -> None:
    """Answer for the articles that would teach the filter most: l like, d dislike, s skip, q quit.

    They are such as it is least sure of, unlike one another, from the inbox and from what was held back. Each answer
    counts at once, so that you may stop at any time. With --json the questions are listed and not asked.

    [dim]iscore teach --count 5[/dim]
    """
    if as_json:
        with opened(ctx) as news:
            print_json(news.teachable(count))
        return
    given: dict[Kind, int] = {}
    asked = 0
    with opened(ctx) as news:
        open_ = True
        while open_ and asked < count:
            questions = news.teachable(min(AT_ONCE, count - asked))
            if not questions:
                break
            for item in questions:
                asked += 1
                kind = _answer(item, f"{asked} of {count}", present())
                if kind is None:
                    open_ = False
                    break
                news.give(kind, [item.id])
                given[kind] = given.get(kind, 0) + 1
    if not asked:
        say("There is nothing to ask about: no undecided article waits. `iscore poll` fetches news.")
        return
    words = [counted(number, str(kind)) for kind, number in given.items()]
    say(f"{', '.join(words) or 'No answers'}. `iscore inbox` shows what they change.")


def _answer(item: InboxItem, place: str, now: datetime) -> Kind | None:
    """Ask until there is an answer; None to quit, or when there is nobody left to answer."""
    say(question(item, place, now))
    while True:
        print("like, dislike, skip, quit? [l/d/s/q] ", end="", flush=True)
        said = sys.stdin.readline()
        if not sys.stdin.isatty():
            print()  # what a terminal shows by itself
        answer = said.strip().lower()[:1]
        if not said or answer == QUIT:
            return None
        if answer in ANSWERS:
            return ANSWERS[answer]


def question(item: InboxItem, place: str, now: datetime) -> str:
    """Lay out an article in a few plain lines."""
    about = (from_sources(item.sources or (item.source,)), age(item.published or item.arrived, now), item.id)
    summary = line(item.summary)
    shown = summary if len(summary) <= _SUMMARY else summary[:_SUMMARY].rsplit(" ", 1)[0] + " …"
    rows = [f"{place}  {line(item.title) or '(untitled)'}", " · ".join(line(part) for part in about if part), shown]
    return "\n" + "\n".join(row for row in (*rows, line(item.url)) if row)
