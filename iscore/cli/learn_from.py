"""``iscore learn-from``: things liked elsewhere; and ``iscore seeds``, what was learned from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import line, say, show, styled, tell
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago

if TYPE_CHECKING:
    from iscore.services.views.imports import ImportedItemsView

app = typer.Typer(help="What was learned from things that you liked elsewhere.")

Sources = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[SOURCE]…",
        help="Addresses of pages that you liked; files of bookmarks, starred articles, addresses or keywords; an "
        "OPML; or - for standard input.",
        show_default=False,
    ),
]

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="As `iscore seeds list` gives it.")]


def learn_from(
    ctx: typer.Context,
    sources: Sources = None,
    keywords: Annotated[str, typer.Option(metavar="WORDS", help="What you like in words, with commas between.")] = "",
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Read files as links, keywords, html, csv, json or opml, instead of going by their content.",
        ),
    ] = "",
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch the pages of links without a text, politely, and learn from those.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Learn from the newest N at most.")] = 1000,
    as_json: AsJson = False,
) -> None:
    """Learn from what you liked elsewhere, so that the first inbox is no lottery.

    Nothing of it is shown to you again, and none of it counts as a verdict.

    [dim]iscore learn-from bookmarks.html[/dim]

    [dim]iscore learn-from --keywords "solar power, chess"[/dim]
    """
    if not sources and not keywords:
        raise typer.BadParameter("name an address, a file or --keywords", param_hint="'SOURCE'")
    with opened(ctx) as news, progress_bar() as progress:
        view = news.imports.learn(
            sources or [], keywords=keywords, format_name=format_name, fetch=fetch, limit=limit, progress=progress
        )
    if as_json:
        print_json(view)
        return
    say(told(view))
    if view.page_problem:
        tell(view.page_problem)
    if view.number is not None:
        tell(f"The next poll or inbox learns it; `iscore seeds undo {view.number}` takes it back.")


def told(view: ImportedItemsView) -> str:
    """Say what became of an import, in one line."""
    parts = [f"{counted(view.learned, 'new seed')} of {view.found:,}"]
    if view.known:
        parts.append(f"{view.known:,} of them stored before")
    if view.old:
        parts.append(f"{view.old:,} known before")
    if view.left_out:
        parts.append(f"{view.left_out:,} older ones left out")
    if view.pages_fetched or view.pages_failed:
        parts.append(f"{counted(view.pages_fetched, 'page')} read, {view.pages_failed} failed")
    return ", ".join(parts)


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List what was learned from, and how much of it still teaches.

    [dim]iscore seeds list[/dim]
    """
    with opened(ctx) as news:
        found, now = news.imports.list(), present()
    if as_json:
        print_json(found)
    elif not found:
        say("Nothing was brought along yet. `iscore learn-from` learns from bookmarks, starred articles and keywords.")
    else:
        show(
            *(
                styled(f"{each.number}  {each.name} · {ago(each.at, now)} · {each.standing:,} of {each.seeds:,} teach")
                for each in found
            )
        )


@app.command(name="show")
def show_(ctx: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Show the seeds of an import: ID, title or address, and what was known of each.

    [dim]iscore seeds show 1[/dim]
    """
    with opened(ctx) as news:
        found = news.imports.items(number)
    if as_json:
        print_json(found)
        return
    for each in found:
        taken_back = "" if each.standing else ", teaches no more"
        say(f"{each.id}  {line(each.title or each.url)} · {each.form}{taken_back}")


@app.command()
def undo(ctx: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Take an import back as a whole; what was learned from it is unlearned.

    [dim]iscore seeds undo 1[/dim]
    """
    with opened(ctx) as news:
        taken_back = news.imports.undo(number)
    if as_json:
        print_json({"taken_back": taken_back})
    else:
        say(f"took back {counted(taken_back, 'seed')}")
