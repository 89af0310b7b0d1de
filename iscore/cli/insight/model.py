"""``iscore model``: the learned model."""

from __future__ import annotations

from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted

app = typer.Typer(help="What the filter has learned.")


@app.callback()
def _group() -> None:
    """Keep ``rebuild`` a subcommand, although it is the only one."""


@app.command()
def rebuild(
    ctx: typer.Context,
    check: Annotated[
        bool,
        typer.Option("--check", help="Change nothing; compare the saved model with a replay."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Learn everything again from all your verdicts.

    With --check, exits with 1 if the saved model differs from the replay.

        iscore model rebuild --check
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.models.rebuild(check=check, progress=progress)
    if as_json:
        print_json(view)
    else:
        replayed = f"replayed {counted(view.verdicts, 'verdict')} in {view.seconds:.1f} s"
        result = {
            None: "rebuilt the model",
            True: "equal to the saved model",
            False: "NOT equal to the saved model",
        }
        write(f"{replayed}: {result[view.equal]}")
    if view.equal is False:
        raise typer.Exit(1)
