"""``iscore schedule``: what the system needs to start iScore by itself."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import home_of
from iscore.cli.terminal.output import say, tell

UNIT = 0o644
"""Rights of a unit: it holds no secret, and systemd complains of those that not everybody may read."""


class Way(StrEnum):
    """Who starts it."""

    SERVICE = "service"
    TIMER = "timer"
    CRON = "cron"


def schedule(
    ctx: typer.Context,
    way: Annotated[Way, typer.Argument(metavar="WAY", help="service, timer (both by systemd) or cron.")],
    system: Annotated[
        bool,
        typer.Option("--system", help="For the system's manager, running as the home's owner, instead of your own."),
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="DIR", help="Write the files there.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print what your system needs to keep iScore running: a service, a timer, or a line for cron.

    A service is best where there is systemd: it looks every minute. The others do what is due each quarter of an hour.

    [dim]iscore schedule service --output ~/.config/systemd/user[/dim]

    [dim]iscore schedule cron[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.scheduler.unit_files import starter

    home = home_of(ctx).absolute()
    DataFolder(home).require()
    made = starter(way.value, program(), home, user=home.owner() if system else "")
    if output is not None:
        output = output.expanduser()
        output.mkdir(parents=True, exist_ok=True)
        for name, content in made.files.items():
            (output / name).write_text(content, encoding="utf-8")
            (output / name).chmod(UNIT)
            tell(f"wrote {output / name}")
    if as_json:
        print_json({"files": made.files, "folder": made.folder, "then": made.then})
        return
    if output is None:
        for name, content in made.files.items():
            if made.folder:
                tell(f"{made.folder}/{name}:")
            say(content.rstrip("\n"))
    tell(f"Then: {', '.join(f'`{command}`' for command in made.then)}")


def program() -> list[str]:
    """Return how this program is called from anywhere."""
    called = Path(sys.argv[0])
    if called.name == "iscore" and called.is_file():
        return [str(called.absolute())]
    return [sys.executable, "-m", "iscore"]
