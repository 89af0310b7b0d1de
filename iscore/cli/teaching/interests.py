"""``iscore interests``: say what you like, in words, by examples, or by choosing headlines."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import NOTHING_SAID, opened, present
from iscore.cli.terminal.output import line, message, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted, percent
from iscore.presentation.wording.scores import unmet_words
from iscore.presentation.wording.times import age_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from rich.table import Table
    from rich.text import Text

    from iscore.services.news_filter import NewsFilter
    from iscore.services.views.interests import HeadlineView, InterestChangeView, InterestView
    from iscore.services.views.stories import VerdictView

app = typer.Typer()

SHOWN = 5
"""Examples of an interest in the list."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="The interest, or the beginning of its name.")]


@app.callback(invoke_without_command=True)
def overview(ctx: typer.Context, as_json: AsJson = False) -> None:
    """What you like, by name: in words, by examples, or by choosing headlines.

    Without a command it lists your interests.
    """
    if ctx.invoked_subcommand is None:
        list_(ctx, as_json)


@app.command()
def add(
    ctx: typer.Context,
    texts: Annotated[
        list[str],
        typer.Argument(metavar="TEXT", help="Words, a phrase or sentences; one interest each.", show_default=False),
    ],
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="Add the text as an example to the interest of this name.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Add interests in your own words. The inbox uses them at once.

    iscore interests add "offshore wind in the North Sea" "battery storage"
    iscore interests add "tidal power stations" --name "renewable energy"
    """
    if name and len(texts) > 1:
        raise typer.BadParameter("--name takes one text; put quotes around it", param_hint="'TEXT'")
    with opened(ctx) as news, progress_bar() as news.context.progress:
        views = news.interests.add(texts, name)
        unmet = [] if as_json else [each for each in news.inbox(limit=0).unmet if each in {view.name for view in views}]
        days = news.context.settings.inbox_days
    if as_json:
        print_json(views)
        return
    for view in views:
        write(f"Added {line(view.name)}{_examples(view)}." if view.changed else f"Known already: {line(view.name)}.")
    if any(view.changed for view in views):
        message("`iscore inbox` is about them now; `iscore interests undo NAME` takes one back.")
    if unmet:
        message(unmet_words(unmet, days))


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List your interests with their examples.

    iscore interests list
    """
    with opened(ctx) as news:
        views = news.interests.list()
    if as_json:
        print_json(views)
    elif not views:
        write(f"No interests yet. {NOTHING_SAID}")
    else:
        render(*(row for view in views for row in _rows(view)))


@app.command()
def weaken(ctx: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Halve the weight of an interest.

    iscore interests weaken "battery storage"
    """
    with opened(ctx) as news:
        view = news.interests.weaken(name)
    if as_json:
        print_json(view)
    else:
        write(f"Weakened {line(view.name)} to {percent(view.weight)} of its weight.")


@app.command()
def remove(ctx: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Remove an interest. The filter unlearns its examples; likes of articles stay.

    iscore interests remove "battery storage"
    """
    with opened(ctx) as news:
        view = news.interests.remove(name)
    if as_json:
        print_json(view)
    else:
        write(f"Removed {line(view.name)}.")
        message("`iscore interests undo NAME` brings it back.")


@app.command()
def undo(ctx: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Undo the last change of an interest, whether it was added, weakened or removed.

    Each further undo goes back by one change.

        iscore interests undo "battery storage"
    """
    with opened(ctx) as news:
        view = news.interests.undo(name)
    if as_json:
        print_json(view)
    elif view.changed:
        now = f"now {_given(view.phrases, view.examples)}, {percent(view.weight)} of its weight"
        write(f"Undid the last change of {line(view.name)}: {now if view.examples else 'it is removed now'}.")
    else:
        write(f"Nothing to undo for {line(view.name)}.")


Like = Annotated[
    str | None,
    typer.Option(
        "--like",
        metavar="NUMBERS",
        help="Like these headlines of the list shown last, and dislike its others: 3,7,12; 0 for none.",
        show_default=False,
    ),
]


@app.command()
def headlines(ctx: typer.Context, like: Like = None, as_json: AsJson = False) -> None:
    """Choose what you like from sixty headlines: the quickest start.

    What you choose counts as liked, the others as disliked. `iscore undo --last` undoes it.

        iscore interests headlines
        iscore interests headlines --like 3,7,12
    """
    _choose(ctx, like, check=False, as_json=as_json)


@app.command()
def check(ctx: typer.Context, like: Like = None, as_json: AsJson = False) -> None:
    """Check ten hidden stories, drawn at random: how many would you have liked?

    What you choose counts as liked, the others as disliked. `iscore status` says what all checks together tell of
    hidden stories. The same ten are shown all day, until you answer.

        iscore interests check
        iscore interests check --like 0
    """
    _choose(ctx, like, check=True, as_json=as_json)


def _choose(ctx: typer.Context, like: str | None, *, check: bool, as_json: bool) -> None:
    """Show headlines, or hidden stories, and ask which the user likes; or record the answer ``like``."""
    if like is not None:
        with opened(ctx) as news:
            views = news.headlines.answer_last(_numbers(like), check=check)
        _confirm_answer(views, as_json=as_json)
        return
    with opened(ctx) as news:
        found, now = news.headlines.show(check=check), present()
        if as_json:
            print_json(found)
        elif not found:
            write("Nothing is hidden." if check else "No headlines to choose from. `iscore poll` fetches news.")
        else:
            render(_headlines(found, now))
            _ask(news, found, "check" if check else "headlines")


def _ask(news: NewsFilter, found: Sequence[HeadlineView], command: str) -> None:
    """Ask for numbers on a terminal, and record the answer after a confirmation."""
    if not sys.stdin.isatty():
        message(f"`iscore interests {command} --like 3,7` answers: these become likes, the others dislikes.")
        return
    while True:
        typed = typer.prompt("Numbers of those you like, 0 for none, Enter to stop", "", show_default=False, err=True)
        if not typed.strip():
            message("Nothing recorded.")
            return
        try:
            liked = _numbers(typed)
            if not all(1 <= number <= len(found) for number in liked):
                raise typer.BadParameter(f"the numbers are 1 to {len(found)}")
        except typer.BadParameter as error:
            message(str(error.message))
            continue
        break
    others = len(found) - len(liked)
    if typer.confirm(f"Record {counted(len(liked), 'like')} and {counted(others, 'dislike')}?", err=True):
        _confirm_answer(news.headlines.answer_last(liked, check=command == "check"), as_json=False)
    else:
        message("Nothing recorded.")


def _confirm_answer(views: Sequence[VerdictView], *, as_json: bool) -> None:
    if as_json:
        print_json(views)
        return
    likes = sum(view.verdict == "like" for view in views)
    write(f"Recorded {counted(likes, 'like')} and {counted(len(views) - likes, 'dislike')}.")
    message("`iscore undo --last` undoes them; `iscore inbox` uses them.")


def _numbers(typed: str) -> list[int]:
    """Return the numbers in a list like ``3, 7 12``, each once; 0 stands for none."""
    words = re.findall(r"[^\s,;]+", typed)
    wrong = next((word for word in words if not re.fullmatch("[0-9]{1,4}", word)), None)
    if wrong is not None or not words:
        raise typer.BadParameter(f"{wrong or typed!r} is not a number; write them like 3,7,12", param_hint="'--like'")
    return sorted({int(word) for word in words} - {0})


def _headlines(found: Sequence[HeadlineView], now: datetime) -> Table:
    """Lay out headlines: number, and title with source and age."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0), expand=True)
    table.add_column(justify="right", no_wrap=True)
    table.add_column(ratio=1, overflow="fold")
    for each in found:
        about = styled(f"{each.source} · {age_of(each.published, now)}", "dim")
        table.add_row(styled(str(each.number), "cyan"), styled(each.title).append(" — ").append_text(about))
    return table


def _rows(view: InterestView) -> list[Text]:
    phrases = sum(each.form == "keywords" for each in view.examples)
    parts = [view.name, _given(phrases, len(view.examples))]
    if view.weight != 1.0:
        parts.append(f"{percent(view.weight)} of its weight")
    titles = [each.title or each.url for each in view.examples if each.title.casefold() != view.name.casefold()]
    more = [f"and {len(titles) - SHOWN:,} more"] if len(titles) > SHOWN else []
    return [styled(" · ".join(parts)), *(styled(text, "dim", indent="    ") for text in [*titles[:SHOWN], *more])]


def _examples(view: InterestChangeView) -> str:
    return f", now {_given(view.phrases, view.examples)}" if view.examples > 1 else ""


def _given(phrases: int, examples: int) -> str:
    """Return how an interest was given, in words or by examples, of which ``phrases`` are words."""
    words = "in words" if phrases == 1 else f"in {phrases:,} phrases"
    others = counted(examples - phrases, "example")
    return ", ".join([words] * bool(phrases) + [others] * (examples > phrases))
