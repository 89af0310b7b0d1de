"""``iscore demo``: everything on sample news, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.terminal.output import message, write
from iscore.cli.terminal.progress import progress_bar


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
