"""Look after the data folder: check, back up, restore and prune it; move its database; export and import your data."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import compile_in_background, data_folder, global_options, present
from iscore.cli.terminal.output import line, message, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.core.translation import ended
from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.jobs.maintenance.backup import BackupView
    from iscore.jobs.maintenance.checks import CheckupView
    from iscore.jobs.maintenance.restore import RestoreView

STANDARD = "-"

ReadingEvents = Annotated[
    bool,
    typer.Option(
        "--reading",
        help="Also import what was opened and how long it was read. It counts only while `iscore reading` is on.",
    ),
]

LONGEST_VALUE = 200
"""Characters of a setting that a user can be asked about."""


def doctor(
    ctx: typer.Context,
    quick: Annotated[bool, typer.Option("--quick", help="Skip the replay of all verdicts.")] = False,
    as_json: AsJson = False,
) -> None:
    """Check the data folder: one line per check, with what to do about a problem.

    Exits with 1 if something is broken, and with 0 if something only needs attention.

        iscore doctor
        iscore doctor --quick --json
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.checks import State
    from iscore.jobs.maintenance.doctor import examine

    with progress_bar() as progress:
        wait = None if quick else compile_in_background()
        view = examine(DataFolder(data_folder(ctx)), now=present(), quick=quick, progress=progress, before_loading=wait)
    if as_json:
        print_json(view)
    else:
        render(checkup_table(view))
    if view.state is State.BROKEN:
        raise typer.Exit(1)


def checkup_table(view: CheckupView) -> Table:
    """Lay out the checks: state, name and result, with what to do below."""
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
        typer.Argument(metavar="FILE", help="The file to write, or a folder: then the file name is the time."),
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Overwrite FILE if it exists.")] = False,
    as_json: AsJson = False,
) -> None:
    """Back up database, feeds, rules and settings into one file. Other commands may run meanwhile.

    The file is read back and checked before the command ends.

        iscore backup ~/backups/
        iscore backup iscore.zip --replace
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.backup import back_up

    view = back_up(DataFolder(data_folder(ctx)), file, at=present(), replace=replace)
    if as_json:
        print_json(view)
        return
    content = _content(view)
    write(f"Wrote and checked {view.file}: {content}, {view.bytes / 1e6:,.1f} MB.")
    message(f"`iscore restore {view.file.name}` restores it. Keep it where only you can read it.")


def _content(view: BackupView | RestoreView) -> str:
    """Say what a backup contains. The log of verdicts also has undone ones, skips and imported items."""
    entries = counted(view.verdicts, "entry", "entries")
    return f"{counted(view.articles, 'article')}, {entries} in the log of verdicts, {counted(view.feeds, 'feed')}"


def restore(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A file written by `iscore backup`.")],
    as_json: AsJson = False,
) -> None:
    """Restore a backup. The replaced files are kept as *.before-restore-TIME.

    The backup is checked before anything changes. No other iScore command may run meanwhile. Settings that run a
    command, send mail or open your network are taken over only if you agree to each; without a terminal they are not.

        iscore restore ~/backups/iscore-2026-03-01-070000.zip
        iscore --home ~/other restore iscore.zip
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.restore import restore as restore_backup

    folder = DataFolder(data_folder(ctx))
    ask = not as_json and sys.stdin.isatty() and sys.stderr.isatty()
    view = restore_backup(folder, file, at=present(), agree=_agreed if ask else lambda _name, _value: False)
    if as_json:
        print_json(view)
        return
    content = _content(view)
    write(f"Restored {view.home} as of {view.made:%Y-%m-%d %H:%M} UTC: {content}.")
    for digest in view.uncertain:
        again = f"`iscore mail send --date {digest} --again`"
        message(
            f"The digest of {digest} may have been mailed already, so iScore will not mail it. If it was not: {again}."
        )
    if view.switched_on:
        message(f"Switched on: {', '.join(view.switched_on)}.")
    if view.left_out:
        message(
            f"Not switched on: {', '.join(view.left_out)}. They are comments in {folder.config}; "
            "remove the # of those that you want."
        )
    if view.settings_problem:
        message(f"The settings were not restored: the backup's config.toml {ended(view.settings_problem)}")
    for path in view.kept:
        message(f"The replaced file is {path}. Delete it when you no longer need it.")


def _agreed(name: str, value: object) -> bool:
    """Ask whether to take over a setting; what cannot be shown on a line is not."""
    shown = "(a password)" if name in ("mail_password", "metrics_password", "database") else line(str(value))
    if len(shown) > LONGEST_VALUE:
        return False
    return typer.confirm(f"Set {name} to {shown}, as in the backup?", default=False, err=True)


def prune(
    ctx: typer.Context,
    keep_days: Annotated[
        int, typer.Option("--keep-days", min=1, metavar="N", help="Keep the texts of the last N days.")
    ] = 90,
    pictures: Annotated[bool, typer.Option("--pictures", help="Delete the cached pictures of articles, too.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be deleted.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete the texts of old articles and shrink the database.

    Your verdicts, what the filter learned, and the texts of articles that you liked or disliked stay.

        iscore prune --dry-run
        iscore prune --keep-days 30
    """
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.prune import prune_folder

    view = prune_folder(
        DataFolder(data_folder(ctx)), now=present(), keep_days=keep_days, dry_run=dry_run, pictures=pictures
    )
    if as_json:
        print_json(view)
        return
    what = f"{counted(view.texts, 'text')} from before {view.before:%Y-%m-%d} ({view.text_bytes / 1e6:,.1f} MB)"
    if dry_run and not view.texts:
        before = f"{view.before.day} {view.before:%B %Y}"
        kept = f"; {counted(view.kept, 'text')} of stories that you liked or disliked would stay" if view.kept else ""
        write(f"Nothing to prune before {before}{kept}.")
    elif dry_run:
        write(f"Would delete {what}; {view.kept:,} texts of stories that you liked or disliked would stay.")
    else:
        shrank = view.bytes_after < view.bytes_before
        sizes = f"from {view.bytes_before / 1e6:,.1f} to {view.bytes_after / 1e6:,.1f} MB"
        write(f"Deleted {what}; {view.kept:,} texts of stories that you liked or disliked stay.")
        write(f"The database shrank {sizes}." if shrank else "A server uses the room again; the database has its size.")
    if view.picture_bytes:
        write(f"{'Would delete' if dry_run else 'Deleted'} {view.picture_bytes / 1e6:,.1f} MB of pictures.")


def migrate_database(
    ctx: typer.Context,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="ADDRESS|file",
            help="An empty database on a PostgreSQL server, postgresql://USER@HOST/DATABASE; or `file`: iscore.db.",
            show_default=False,
        ),
    ],
    as_json: AsJson = False,
) -> None:
    """Move the database to a PostgreSQL server, or from there back into the data folder.

    Stop `iscore run` and `iscore serve` before. Everybody's articles, verdicts, models, accounts and mail move; every
    row and every model is compared before config.toml changes. The files of the data folder stay, and so does the old
    database, under another name if it is a file. Use ~/.pgpass or PGPASSWORD for the password.

        iscore migrate-database --to postgresql://iscore@localhost/news
        iscore migrate-database --to file
    """
    from iscore.core.data_folder import DATABASE_VARIABLE, DataFolder
    from iscore.jobs.maintenance.migrate_database import migrate_database as migrate

    folder = DataFolder(data_folder(ctx))
    with progress_bar() as progress:
        view = migrate(folder, to, at=present(), progress=progress, before_loading=compile_in_background())
    if as_json:
        print_json(view)
        return
    content = f"{counted(view.users, 'user')}, {counted(view.articles, 'article')}, {counted(view.verdicts, 'verdict')}"
    write(f"Moved the database from {view.source} to {view.target}: {content}.")
    write(
        f"All {view.rows:,} rows are the same, and every model equals a replay of its log "
        f"({counted(view.learned, 'entry', 'entries')})."
    )
    message(f"{folder.config} says where it is now. Feeds, rules, settings and passwords stay in {view.folder}.")
    if view.variable:
        message(f"{DATABASE_VARIABLE} comes before config.toml: set it to the new place, or remove it.")
    if view.kept is None:
        message(f"{view.source} is as it was. Drop it when you no longer need it.")
    else:
        message(f"The old database is {view.kept}. Delete it when you no longer need it.")


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
    verdicts = counted(view.verdicts, "verdict, interest or example", "verdicts, interests and examples")
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
