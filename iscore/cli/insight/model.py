"""``iscore model``: the learned model."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.decision_rounds import round_lines
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
        typer.Option("--check", help="Change nothing; compare model and past decisions with a replay, bit for bit."),
    ] = False,
    rounds: Annotated[
        int,
        typer.Option(help="With --check: how many of the newest rounds of decisions to make again.", min=0),
    ] = 50,
    as_json: AsJson = False,
) -> None:
    """Learn everything again from all your verdicts.

    With --check, exits with 1 if the saved model or an earlier decision differs from the replay.

        iscore model rebuild --check
        iscore model rebuild --check --rounds 1000
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.models.rebuild(check=check, progress=progress)
        if check:
            view = replace(view, rounds=news.round_check.run(rounds, progress))
    if as_json:
        print_json(view)
    else:
        replayed = f"replayed {counted(view.verdicts, 'verdict')} in {view.seconds:.1f} s"
        result = {
            None: "rebuilt the model",
            True: "equal, bit for bit",
            False: "NOT equal to the saved model",
        }
        write(f"{replayed}: {result[view.equal]}")
        for line in [] if view.rounds is None else round_lines(view.rounds):
            write(line)
    if view.equal is False or (view.rounds is not None and view.rounds.different):
        raise typer.Exit(1)
