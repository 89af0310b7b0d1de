"""``iscore report``: an HTML page about what the filter learned."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.digest import write_whole
from iscore.cli.terminal.output import write
from iscore.cli.terminal.progress import progress_bar


def report(
    ctx: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = Path(
        "report.html"
    ),
    as_json: AsJson = False,
) -> None:
    """Write an HTML report on the filter: precision and recall, threshold, features, sources, words.

    A single file without scripts that loads nothing from elsewhere.

        iscore report
        iscore report --output ~/report.html
    """
    from iscore.presentation.report.history import history_page
    from iscore.services.views.history import ReportView

    if not output.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(output))
    with opened(ctx) as news, progress_bar() as news.context.progress:
        view = news.history.view()
        content = history_page(view, zone=None)
    write_whole(output, content)
    if as_json:
        print_json(ReportView(output, view.missing))
    else:
        write(f"Wrote {output}.")
