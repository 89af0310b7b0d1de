"""``iscore init``: make a home."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder
from iscore.cli.terminal.output import say, tell
from iscore.presentation.wording.quantities import counted


def init(
    ctx: typer.Context,
    feeds: Annotated[
        Path | None,
        typer.Option(
            help="Begin with this feeds.yaml; without it, with a good selection of real feeds.",
            metavar="FILE",
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make the home: a folder with config.toml, feeds.yaml and the database.

    [dim]iscore init[/dim]

    [dim]iscore --home ~/news init --feeds my-feeds.yaml[/dim]
    """
    from iscore.services.news_filter import NewsFilter  # `--help` does without the database

    home = data_folder(ctx)
    with NewsFilter.create(home, feeds) as news:
        following = len(news.subscriptions.feeds())
    if as_json:
        print_json({"home": home, "feeds": following})
        return
    say(f"Made {home}, following {counted(following, 'feed')}.")
    tell("Next: `iscore poll` fetches the news, `iscore inbox` shows it.")
