"""``iscore migrate-database``: to a server, or back."""

from __future__ import annotations

from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import compile_in_background, data_folder, present
from iscore.cli.terminal.output import message, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted


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
