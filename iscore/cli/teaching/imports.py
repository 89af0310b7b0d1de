"""``iscore interests learn-from`` and ``imported``: import items that you liked elsewhere, list and undo imports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import line, message, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago

if TYPE_CHECKING:
    from iscore.services.views.interests import ImportedItemsView, ImportView

app = typer.Typer(help="What you imported with learn-from.")

Number = Annotated[int, typer.Argument(metavar="NUMBER", help="The number in `iscore interests imported list`.")]


def learn_from(
    ctx: typer.Context,
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="SOURCE",
            help="Addresses of pages that you liked; files with bookmarks, starred articles, addresses or keywords; "
            "an OPML file; or - for standard input.",
            show_default=False,
        ),
    ] = None,
    keywords: Annotated[str, typer.Option(metavar="WORDS", help="What you like, in words, separated by commas.")] = "",
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="The interest that they are examples of.")
    ] = "imported",
    format_name: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="Read files as links, keywords, text, html, csv, json, opml, ris or xml instead of guessing by "
            "content.",
        ),
    ] = "",
    fetch: Annotated[
        bool, typer.Option("--fetch", help="Fetch the pages of links that have no text, and learn from them.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="Import at most the newest N items.")] = 1000,
    save: Annotated[
        bool, typer.Option(help="Also save what is starred or unread there, so that it is in Saved.")
    ] = True,
    as_json: AsJson = False,
) -> None:
    """Learn from items that you liked elsewhere, so that your first inbox is not random.

    Imported items do not appear in your inbox and do not count as verdicts.

        iscore interests learn-from bookmarks.html --name "renewable energy"
        iscore interests learn-from --keywords "solar power, chess"
    """
    if not sources and not keywords:
        raise typer.BadParameter("name an address, a file or --keywords", param_hint="'SOURCE'")
    with opened(ctx) as news, progress_bar() as news.context.progress:
        view = news.interests.learn_from(
            sources or [], keywords=keywords, name=name, format_name=format_name, fetch=fetch, limit=limit, save=save
        )
    if as_json:
        print_json(view)
        return
    write(outcome(view))
    if view.saved:
        write(f"{counted(view.saved, 'article')} saved. The list Saved of `iscore serve` has them.")
    if view.rules:
        write(f"{counted(view.rules, 'new rule')}. `iscore rules list` lists them.")
    for problem in filter(None, (*view.problems, view.page_problem)):
        message(problem)
    if view.number is not None:
        undo_it = f"`iscore interests imported undo {view.number}`"
        message(f"The next poll or inbox learns from them; {undo_it} undoes the import.")


def outcome(view: ImportedItemsView) -> str:
    """Return the outcome of an import in one line."""
    parts = [f"{counted(view.learned, 'new item')} of {view.found:,}"]
    if view.known:
        parts.append(f"{view.known:,} of them already articles here")
    if view.old:
        parts.append(f"{view.old:,} with a verdict or imported before")
    if view.left_out:
        parts.append(f"{view.left_out:,} older ones left out")
    if view.without_words:
        parts.append(f"{view.without_words:,} without words that iScore compares")
    if view.skipped:
        parts.append(f"{counted(view.skipped, 'entry', 'entries')} passed over")
    if view.pages_fetched or view.pages_failed:
        parts.append(f"{counted(view.pages_fetched, 'page')} fetched, {view.pages_failed} failed")
    return ", ".join(parts)


@app.callback(invoke_without_command=True)
def _list_by_default(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        list_(ctx)


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List imports, and how many of their items are still in use.

    iscore interests imported list
    """
    with opened(ctx) as news:
        found, now = news.imports.list(), present()
    if as_json:
        print_json(found)
    elif not found:
        write("No imports yet. `iscore interests learn-from` imports bookmarks, starred articles and keywords.")
    else:
        render(*(styled(f"{each.number}  {each.name} · {ago(each.at, now)} · {in_use(each)}") for each in found))


def in_use(view: ImportView) -> str:
    """Return what an import still does, in words."""
    saved = f", {view.saved:,} saved" if view.saved else ""
    return f"{view.in_use:,} of {view.items:,} in use{saved}"


@app.command(name="show")
def show_(ctx: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """List the items of an import: ID, title or address, and what was known of each.

    iscore interests imported show 1
    """
    with opened(ctx) as news:
        found = news.imports.items(number)
    if as_json:
        print_json(found)
        return
    for each in found:
        taken_back = "" if each.in_use else ", undone"
        write(f"{each.id}  {line(each.title or each.url)} · {each.form}{taken_back}")


@app.command()
def undo(ctx: typer.Context, number: Number, as_json: AsJson = False) -> None:
    """Undo an import. The filter unlearns its items.

    iscore interests imported undo 1
    """
    with opened(ctx) as news:
        taken_back = news.imports.undo(number)
    if as_json:
        print_json({"taken_back": taken_back})
    else:
        write(f"Undid {counted(taken_back, 'item')}.")
