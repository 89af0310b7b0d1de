"""``iscore init`` and ``iscore demo``: create a data folder, or watch everything on sample news, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import compile_in_background, data_folder
from iscore.cli.terminal.output import message, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted

ENCODER_BRINGS = (
    "The extra `semantic` also finds stories on a subject that share no word with it (32 MB, 120 MB of memory)"
)


def init(
    ctx: typer.Context,
    feeds: Annotated[
        Path | None,
        typer.Option(
            help="Start with this feeds.yaml instead of the selection that comes with iScore.",
            metavar="FILE",
        ),
    ] = None,
    empty: Annotated[
        bool, typer.Option("--empty", help="Follow no feeds yet: the pages of `iscore serve` ask.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Create the data folder with config.toml, feeds.yaml and the database.

    iscore init
    iscore --home ~/news init --feeds my-feeds.yaml
    """
    from iscore.services.news_filter import NewsFilter  # `--help` needs no database
    from iscore.services.session.extractors import has_encoder

    if empty and feeds is not None:
        raise typer.BadParameter("--empty and --feeds exclude each other")
    folder = data_folder(ctx)
    with NewsFilter.create(folder, feeds, empty=empty) as news:
        following = len(news.subscriptions.feeds())
    compiling = compile_in_background() is not None
    if as_json:
        print_json({"home": folder, "feeds": following})
        return
    write(f"Created {folder}. You follow {counted(following, 'feed')}.")
    if compiling:
        message(
            "iScore compiles its formulas in the background, once per version; the first poll waits for a part of it."
        )
    if not has_encoder():
        message(f"{ENCODER_BRINGS}; the guide says how to install it.")
    if empty:
        message("Next: choose what to read in your browser with `iscore serve --open`.")
    else:
        message("Next: say what you like with `iscore interests add WORDS`, and fetch the news with `iscore poll`.")


def demo(
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="DIR", help="Folder for the demo's data, digest and pages."),
    ] = Path("demo"),
    as_json: AsJson = False,
) -> None:
    """Watch iScore learn from four weeks of sample news and a simulated reader, offline.

    iscore demo --output demo
    """
    from iscore.evaluation.demo import run  # loads everything

    message(f"Simulating one reader over four weeks of sample news; all files go to {output}.")
    with progress_bar() as progress:
        result = run(output, progress)
    if as_json:
        print_json(result)
    else:
        write(result.text())
