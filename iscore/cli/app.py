"""The program ``iscore``: global options and commands."""

from __future__ import annotations

import os
from copy import copy
from pathlib import Path
from typing import Annotated

import typer
from typer.main import get_command_name
from typer.models import CommandInfo

from iscore.cli import usage
from iscore.cli.context import GlobalOptions
from iscore.cli.insight import model, replay, stats, status
from iscore.cli.operating import (
    connect,
    feeds,
    init_demo,
    mail,
    maintenance,
    poll,
    run,
    schedule,
    serve,
    settings,
    users,
)
from iscore.cli.reading import digest, inbox, search, show, why
from iscore.cli.teaching import imports, interests, reading_events, review, rules, verdicts

app = typer.Typer(
    name="iscore",
    help="A private news filter that learns what you find interesting.",
    epilog=usage.PROGRAM,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from iscore import __version__

        typer.echo(f"iscore {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _global_options(
    ctx: typer.Context,
    home: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            envvar="ISCORE_HOME",
            help="The data folder, with config.toml, feeds.yaml and iscore.db. By default in your user data folder.",
            show_default=False,
        ),
    ] = None,
    user: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            envvar="ISCORE_USER",
            help="The user, where several share the data folder. By default the first.",
            show_default=False,
        ),
    ] = "",
    database: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            envvar="ISCORE_DATABASE",
            help="A database on a PostgreSQL server, postgresql://USER@HOST/DATABASE, instead of iscore.db.",
            show_default=False,
        ),
    ] = None,
    version: Annotated[  # noqa: ARG001 -- its callback does everything
        bool, typer.Option("--version", "-V", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if database is not None:
        os.environ["ISCORE_DATABASE"] = database  # for everything that opens it, other processes too
    ctx.obj = GlobalOptions(home, user)
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help())


_EVERY_DAY, _TEACHING, _SETTING_UP, _INSIGHT = "Every day", "Teaching", "Setting up", "Insight"
_MAINTENANCE = "Maintenance"

app.command(rich_help_panel=_EVERY_DAY)(poll.poll)
app.command(rich_help_panel=_EVERY_DAY)(inbox.inbox)
app.command(rich_help_panel=_EVERY_DAY)(review.review)
app.command(rich_help_panel=_EVERY_DAY)(digest.digest)
app.command(rich_help_panel=_EVERY_DAY)(search.search)
app.command(rich_help_panel=_EVERY_DAY)(show.show)
app.command(rich_help_panel=_EVERY_DAY)(run.run)
app.add_typer(mail.app, name="mail", rich_help_panel=_EVERY_DAY)
app.command(rich_help_panel=_EVERY_DAY)(serve.serve)
app.command(rich_help_panel=_TEACHING)(verdicts.like)
app.command(rich_help_panel=_TEACHING)(verdicts.dislike)
app.command(rich_help_panel=_TEACHING)(verdicts.skip)
app.command(rich_help_panel=_TEACHING)(verdicts.undo)
app.command(rich_help_panel=_TEACHING)(reading_events.reading)
interests.app.command(name="learn-from")(imports.learn_from)
interests.app.add_typer(imports.app, name="imported")
app.add_typer(interests.app, name="interests", rich_help_panel=_TEACHING)
app.add_typer(rules.app, name="rules", rich_help_panel=_TEACHING)
app.command(rich_help_panel=_SETTING_UP)(init_demo.init)
app.add_typer(feeds.app, name="feeds", rich_help_panel=_SETTING_UP)
app.command(rich_help_panel=_SETTING_UP)(settings.edit)
app.add_typer(connect.app, name="connect", rich_help_panel=_SETTING_UP)
app.add_typer(settings.app, name="settings", rich_help_panel=_SETTING_UP)
app.add_typer(users.app, name="users", rich_help_panel=_SETTING_UP)
app.command(rich_help_panel=_SETTING_UP)(schedule.schedule)
app.command(rich_help_panel=_SETTING_UP)(init_demo.demo)
app.command(rich_help_panel=_INSIGHT)(why.why)
app.command(rich_help_panel=_INSIGHT)(status.status)
app.command(rich_help_panel=_INSIGHT)(stats.stats)
app.add_typer(model.app, name="model", rich_help_panel=_INSIGHT)
app.command(rich_help_panel=_INSIGHT)(replay.replay)
app.command(rich_help_panel=_MAINTENANCE)(run.worker)
app.command(rich_help_panel=_MAINTENANCE)(maintenance.doctor)
app.command(rich_help_panel=_MAINTENANCE)(maintenance.backup)
app.command(rich_help_panel=_MAINTENANCE)(maintenance.restore)
app.command(rich_help_panel=_MAINTENANCE)(maintenance.prune)
app.command(rich_help_panel=_MAINTENANCE)(maintenance.migrate_database)
app.command(rich_help_panel=_MAINTENANCE)(maintenance.export)
app.command(name="import", rich_help_panel=_MAINTENANCE)(maintenance.import_)

usage.apply(app, usage.EPILOGS)


def with_only(program: typer.Typer, name: str) -> typer.Typer:
    """Return a program with one of the commands or groups alone, or the program itself if there is none of that name.

    All commands with their options take 50 ms to build.
    """
    found = copy(program)
    found.registered_groups = [group for group in program.registered_groups if group.name == name]
    found.registered_commands = [command for command in program.registered_commands if name_of(command) == name]
    return found if found.registered_groups or found.registered_commands else program


def name_of(command: CommandInfo) -> str:
    """Return what users type for a command."""
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))
