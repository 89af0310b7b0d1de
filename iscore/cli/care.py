"""``iscore doctor``, ``backup``, ``restore`` and ``prune``: is the home well, copies of it, and what may leave it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder, present
from iscore.cli.terminal.output import say, show, styled, tell
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.jobs.maintenance.check import CheckupView


def doctor(
    ctx: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="Do not replay the log of verdicts.")] = False,
    as_json: AsJson = False,
) -> None:
    """See whether all is well: one line for each thing that can be wrong, and what to do.

    Fails if something is broken; what only wants attention is no failure.

    [dim]iscore doctor[/dim]

    [dim]iscore doctor --quick --json[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.check import State
    from iscore.jobs.maintenance.doctor import examine

    with progress_bar() as progress:
        view = examine(DataFolder(data_folder(ctx)), now=present(), quick=quick, progress=progress)
    if as_json:
        print_json(view)
    else:
        show(checkup_table(view))
    if view.state is State.BROKEN:
        raise typer.Exit(1)


def checkup_table(view: CheckupView) -> Table:
    """Lay out the lines: state, name, what was found, and below what to do."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in view.checks:
        table.add_row(check.state, check.name, styled(check.found))
        if check.next:
            table.add_row("", "", styled(f"→ {check.next}"))
    return table


def backup(
    ctx: typer.Context,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="The file to write, or a folder for a file with the time in its name."),
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite FILE when it is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Copy everything into one file: database, feeds and settings. Others may go on working.

    The file is read again and checked before this says that it is there.

    [dim]iscore backup ~/backups/[/dim]

    [dim]iscore backup iscore.zip --replace[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.backup import back_up

    view = back_up(DataFolder(data_folder(ctx)), file, at=present(), replace=replace)
    if as_json:
        print_json(view)
        return
    held = f"{counted(view.articles, 'article')}, {counted(view.verdicts, 'verdict')}, {counted(view.feeds, 'feed')}"
    say(f"Wrote and checked {view.file}: {held}, {view.bytes / 1e6:,.1f} MB.")
    tell(f"`iscore restore {view.file.name}` brings it back; keep it where only you can read it.")


def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `iscore backup` wrote.")],
    as_json: AsJson = False,
) -> None:
    """Bring a backup back; what it replaces stays beside it as *.before-restore-TIME.

    The backup is checked before anything is touched. No other iScore command may run meanwhile.

    [dim]iscore restore ~/backups/iscore-2026-03-01-070000.zip[/dim]

    [dim]iscore --home ~/other restore iscore.zip[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.restore import restore as bring_back

    view = bring_back(DataFolder(data_folder(ctx)), file, at=present())
    if as_json:
        print_json(view)
        return
    held = f"{counted(view.articles, 'article')}, {counted(view.verdicts, 'verdict')}, {counted(view.feeds, 'feed')}"
    say(f"Restored {view.home} as of {view.made:%Y-%m-%d %H:%M} UTC: {held}.")
    for edition in view.uncertain:
        again = f"`iscore mail send --date {edition} --again`"
        tell(
            f"The digest of {edition} may have been mailed already and is not mailed by itself; if it was not, {again}."
        )
    for path in view.kept:
        tell(f"What was there before is {path}; delete it when you are sure.")


def prune(
    ctx: typer.Context,
    keep_days: Annotated[
        int, typer.Option("--keep-days", min=1, metavar="N", help="Keep the texts of the last N days.")
    ] = 90,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would leave.")] = False,
    as_json: AsJson = False,
) -> None:
    """Let the texts of old articles leave, and make the database smaller.

    Your verdicts, what they taught, and the texts of what you liked or disliked stay.

    [dim]iscore prune --dry-run[/dim]

    [dim]iscore prune --keep-days 30[/dim]
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.prune import prune_home

    view = prune_home(DataFolder(data_folder(ctx)), now=present(), keep_days=keep_days, dry_run=dry_run)
    if as_json:
        print_json(view)
        return
    what = f"{counted(view.texts, 'text')} from before {view.before:%Y-%m-%d} ({view.text_bytes / 1e6:,.1f} MB)"
    if dry_run and not view.texts:
        say(f"There is nothing to remove: from before {view.before:%Y-%m-%d} are only texts that stay ({view.kept:,}).")
    elif dry_run:
        say(f"Would remove {what}; {view.kept:,} as old would stay, of stories that you judged.")
    else:
        sizes = f"{view.bytes_before / 1e6:,.1f} MB, now {view.bytes_after / 1e6:,.1f} MB"
        say(f"Removed {what}; {view.kept:,} as old stay, of stories that you judged. The database had {sizes}.")
