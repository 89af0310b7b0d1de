"""``iscore schedule``: print a systemd unit that keeps iScore running."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder
from iscore.cli.terminal.output import message, write
from iscore.core import file_access

MODE = 0o644
"""Permissions of a unit: it has no secret, and systemd complains about units that not everybody may read."""


class Way(StrEnum):
    """The command that the unit runs."""

    SERVE = "serve"
    RUN = "run"


def schedule(
    ctx: typer.Context,
    way: Annotated[
        Way,
        typer.Argument(
            metavar="serve|run",
            help="What systemd runs: `iscore serve`, or `iscore run`, which has no pages.",
            show_default=False,
        ),
    ] = Way.SERVE,
    system: Annotated[
        bool,
        typer.Option("--system", help="A system service that runs as the data folder's owner, not a user service."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write the unit into this folder.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print a systemd unit that keeps `iscore serve` running, which polls, mails the digest and shows pages.

    The guide's page on scheduling shows how to use a timer or cron instead.

        iscore schedule --output ~/.config/systemd/user
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.scheduler.unit_files import NAME, service_unit

    folder = data_folder(ctx).absolute()
    DataFolder(folder).require()
    unit = service_unit(program(), folder, way.value, user=folder.owner() if system else "")
    if output is not None:
        file = output.expanduser() / NAME
        file.parent.mkdir(parents=True, exist_ok=True)
        file_access.write(file, unit.content.encode())
        file.chmod(MODE)
        message(f"Wrote {file}.")
    if as_json:
        print_json({"files": {NAME: unit.content}, "folder": unit.folder, "then": unit.then})
        return
    if output is None:
        message(f"{unit.folder}/{NAME}:")
        write(unit.content.rstrip("\n"))
    message(f"Then run: {', '.join(f'`{command}`' for command in unit.then)}")


def program() -> list[str]:
    """Return the words that start this program from any folder."""
    called = Path(sys.argv[0])
    if called.name == "iscore" and called.is_file():
        return [str(called.absolute())]
    return [sys.executable, "-m", "iscore"]
