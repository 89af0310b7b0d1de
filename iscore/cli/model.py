"""``iscore model``: what was learned, as a function of the log."""

from __future__ import annotations

from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import say
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted

app = typer.Typer(help="What the filter has learned.")


@app.callback()
def _group() -> None:
    """Keep ``rebuild`` a command of its own, although it is the only one so far."""


@app.command()
def rebuild(
    ctx: typer.Context,
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; tell whether the saved state equals the replay, bit for bit."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn everything anew from the log of verdicts.

    With --check, fails if the saved state differs from the replay.

    [dim]iscore model rebuild --check[/dim]
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.models.rebuild(check=check, progress=progress)
    if as_json:
        print_json(view)
    else:
        replayed = f"replayed {counted(view.verdicts, 'verdict')} in {view.seconds:.1f} s"
        result = {
            None: "the model is rebuilt",
            True: "equal, bit for bit",
            False: "NOT equal to the saved state",
        }
        say(f"{replayed}: {result[view.equal]}")
    if view.equal is False:
        raise typer.Exit(1)
