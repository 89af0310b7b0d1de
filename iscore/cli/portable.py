"""``iscore export`` and ``iscore import``: everything personal in a form that any program can read."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder, present
from iscore.cli.terminal.output import say, tell
from iscore.presentation.wording.quantities import counted

STANDARD = "-"

_SETTINGS = {
    "none": "",
    "taken": "; your settings",
    "kept": "; this home's own settings stay",
    "refused": "; the settings cannot be used by this iScore and were left out",
}


def export(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The file to write, or - for standard output.")],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite FILE when it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Write everything personal as JSON Lines: feeds, settings, rules, verdicts, and the articles they are about.

    The guide says what each line holds.

    [dim]iscore export iscore.jsonl[/dim]

    [dim]iscore export - | grep '"verdict": "like"'[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.export import export as write
    from iscore.jobs.maintenance.export import export_to_file

    home = DataFolder(data_folder(ctx))
    if file == STANDARD:
        if as_json:
            raise typer.BadParameter("an export to standard output is all that is written there; name a file")
        sys.stdout.flush()
        view = write(home, sys.stdout.buffer, at=present())
    else:
        view = export_to_file(home, Path(file), at=present(), replace=replace)
    if as_json:
        print_json(view)
        return
    held = f"{counted(view.subscriptions, 'subscription')}, {_rules(view.rules)}{counted(view.verdicts, 'verdict')}"
    tell(f"Exported {held} and {counted(view.articles, 'article')}.")


def _rules(number: int) -> str:
    return f"{counted(number, 'rule')}, " if number else ""


def import_(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `iscore export` wrote, or - for standard input.")],
    as_json: AsJson = False,
) -> None:
    """Add an export to this home, which is made if there is none. Importing it again changes nothing.

    The later word on a story counts; subscriptions, rules and settings that are here stay.

    [dim]iscore import iscore.jsonl[/dim]

    [dim]iscore --home ~/other import iscore.jsonl[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.import_export import merge

    home = DataFolder(data_folder(ctx))
    if file == STANDARD:
        view = merge(home, sys.stdin.buffer, "standard input")
    else:
        with Path(file).open("rb") as lines:
            view = merge(home, lines, file)
    if as_json:
        print_json(view)
        return
    say(
        f"Imported {counted(view.subscriptions, 'subscription')}, {_rules(view.rules)}"
        f"{counted(view.verdicts, 'verdict')} and "
        f"{counted(view.articles, 'article')}{_SETTINGS[view.settings]}."
    )
    if view.known or view.older:
        tell(
            f"{counted(view.known, 'verdict')} known here already, {view.older:,} older than what you said here since."
        )
    if view.verdicts:
        tell("The next poll or inbox learns from them.")
