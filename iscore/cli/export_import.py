"""``iscore export`` and ``iscore import``: your data as JSON Lines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder, global_options, present
from iscore.cli.terminal.output import message, write
from iscore.presentation.wording.quantities import counted

STANDARD = "-"


def export(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, or - for standard output.")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite FILE if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export your data as JSON Lines: feeds, settings, rules, verdicts, and their articles.

    The guide describes each line.

        iscore export iscore.jsonl
        iscore export - | grep '"verdict": "like"'
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.export import export as write
    from iscore.jobs.maintenance.export import export_to_file

    folder, user = DataFolder(data_folder(ctx)), global_options(ctx).user
    if file == STANDARD:
        if as_json:
            raise typer.BadParameter("--json needs a FILE, since the export itself goes to standard output")
        sys.stdout.flush()
        view = write(folder, sys.stdout.buffer, at=present(), user=user)
    else:
        view = export_to_file(folder, Path(file), at=present(), user=user, replace=replace)
    if as_json:
        print_json(view)
        return
    content = f"{counted(view.subscriptions, 'subscription')}, {_rules(view.rules)}{counted(view.verdicts, 'verdict')}"
    message(f"Exported {content} and {counted(view.articles, 'article')}.")


def _rules(number: int) -> str:
    return f"{counted(number, 'rule')}, " if number else ""


def import_(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file written by `iscore export`, or - for standard input.")
    ],
    as_json: AsJson = False,
) -> None:
    """Import subscriptions, rules and verdicts of an export. Creates the data folder if needed.

    What is already here stays: an article with a verdict keeps it. Settings are not imported.

        iscore import iscore.jsonl
        iscore --home ~/other import iscore.jsonl
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.import_export import import_lines

    folder, user = DataFolder(data_folder(ctx)), global_options(ctx).user
    if file == STANDARD:
        view = import_lines(folder, sys.stdin.buffer, "standard input", user=user)
    else:
        with Path(file).open("rb") as lines:
            view = import_lines(folder, lines, file, user=user)
    if as_json:
        print_json(view)
        return
    verdicts, articles = counted(view.verdicts, "verdict"), counted(view.articles, "article")
    write(f"Imported {counted(view.subscriptions, 'subscription')}, {_rules(view.rules)}{verdicts} and {articles}.")
    if view.left_out:
        names = ", ".join(view.left_out)
        message(f"Settings are not imported. The export has {names}; set what you want in {folder.config}.")
    if view.known:
        message(f"{counted(view.known, 'verdict')} left out: the articles already have a verdict here.")
    if view.verdicts:
        message("The next poll or inbox learns from them.")
