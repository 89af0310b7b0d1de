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

ReadingEvents = Annotated[
    bool,
    typer.Option(
        "--reading",
        help="Also import what was opened and how long it was read. It counts only while `iscore reading` is on.",
    ),
]


def export(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, or - for standard output.")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite FILE if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Export your data as JSON Lines: feeds, settings, rules, verdicts with their articles, marks, reading events.

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
    subscriptions, articles = counted(view.subscriptions, "subscription"), counted(view.articles, "article")
    rules, read = _some(view.rules, "rule"), _some(view.reading_events, "reading event")
    entries, marks = counted(view.verdicts, "entry", "entries"), _some(view.marks, "marked story", "marked stories")
    message(f"Exported {subscriptions}, {rules}{marks}{read}{entries} in the log of verdicts and {articles}.")


def _some(number: int, noun: str, plural: str = "") -> str:
    return f"{counted(number, noun, plural)}, " if number else ""


def import_(
    ctx: typer.Context,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="A file written by `iscore export`, or - for standard input.")
    ],
    reading: ReadingEvents = False,
    as_json: AsJson = False,
) -> None:
    """Import subscriptions, rules, verdicts and marks of an export. Creates the data folder if needed.

    What is already here stays: an article with a verdict keeps it. Settings are not imported.

        iscore import iscore.jsonl
        iscore --home ~/other import iscore.jsonl
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.import_export import import_lines

    folder, user = DataFolder(data_folder(ctx)), global_options(ctx).user
    if file == STANDARD:
        view = import_lines(folder, sys.stdin.buffer, "standard input", user=user, reading_events=reading)
    else:
        with Path(file).open("rb") as lines:
            view = import_lines(folder, lines, file, user=user, reading_events=reading)
    if as_json:
        print_json(view)
        return
    # The log has no other kinds that are imported: what was undone is left out.
    verdicts = counted(view.verdicts, "verdict or imported item", "verdicts and imported items")
    articles = counted(view.articles, "article")
    rules, read = _some(view.rules, "rule"), _some(view.reading_events, "reading event")
    marks = _some(view.marks, "marked story", "marked stories")
    subscriptions = counted(view.subscriptions, "subscription")
    write(f"Imported {subscriptions}, {rules}{marks}{read}{verdicts} and {articles}.")
    if view.left_out:
        names = ", ".join(view.left_out)
        message(f"Settings are not imported. The export has {names}; set what you want in {folder.config}.")
    if view.known:
        message(f"{counted(view.known, 'verdict')} left out: the articles already have a verdict here.")
    if view.marks_left_out:
        left = counted(view.marks_left_out, "marked story", "marked stories")
        message(f"{left} left out: no feed has brought them here. Poll, then import again.")
    if view.verdicts:
        message("The next poll or inbox learns from them.")
