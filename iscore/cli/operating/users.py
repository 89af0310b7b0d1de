"""``iscore users``: those who share the data folder."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder, opened
from iscore.cli.operating.maintenance import ReadingEvents
from iscore.cli.terminal.output import line, message, write
from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from iscore.services.views.people import AddedPerson, PersonView

app = typer.Typer(help="The users who share the data folder.")

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of a user, in any case.", show_default=False)]
NewName = Annotated[str, typer.Argument(metavar="NAME", help="The name of the new user.", show_default=False)]


class RoleName(StrEnum):
    """The role of a user: what they may do."""

    ADMIN = "admin"
    READER = "reader"


GivenRole = Annotated[RoleName, typer.Argument(metavar="admin|reader", help="What they may do.", show_default=False)]


@app.command()
def add(
    ctx: typer.Context,
    name: NewName,
    admin: Annotated[bool, typer.Option("--admin", help="Give them the role admin instead of reader.")] = False,
    time_zone: Annotated[
        str, typer.Option("--time-zone", metavar="ZONE", help="Such as Europe/Rome. By default that of their settings.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Add a user with feeds, rules, settings and a filter of their own.

    The first user that you add moves feeds.yaml and rules.yaml into the database, and your own settings.

        iscore users add Anna --time-zone Europe/Rome
        iscore --user Anna feeds add https://example.org/feed.xml
    """
    from storage.records.users import Role  # `--help` needs no database

    with opened(ctx) as news:
        view = news.people.add(name, role=Role.ADMIN if admin else Role.READER, time_zone=time_zone)
    if as_json:
        print_json(view)
        return
    _say_what_moved(view)
    write(f"Added {line(view.person.name)}. Commands act for them with --user {_word(view.person.name)}.")


@app.command()
def invite(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Proposed to the guest, who can change it.", show_default=False)
    ] = "",
    admin: Annotated[bool, typer.Option("--admin", help="Give them the role admin instead of reader.")] = False,
    as_json: AsJson = False,
) -> None:
    """Print a link with which somebody becomes a user in the browser. It works once, for seven days.

    The first invitation moves feeds.yaml and rules.yaml into the database, and your own settings.

        iscore users invite Anna
    """
    from iscore.services.people.accounts import Accounts
    from storage.records.users import Role  # `--help` needs no database

    with opened(ctx) as news:
        accounts, settings = Accounts(news.database, news.context.clock), news.context.settings
        role = Role.ADMIN if admin else Role.READER
        token = accounts.invite(news.context.user_id, name, role)
        for copy in news.people.move_documents():
            message(f"iscore: moved into the database; a copy is {copy}")
    address = settings.serve_address.rstrip("/") or f"http://{settings.serve_host}:{settings.serve_port}"
    link = f"{address}/join?key={token}"
    if as_json:
        print_json({"link": link})
    else:
        write(link)


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the users, with their roles.

    iscore users list
    """
    with opened(ctx) as news:
        people = news.people.list()
    if as_json:
        print_json(people)
        return
    for each in people:
        parts = [each.role, counted(each.feeds, "feed"), each.time_zone, "" if each.has_password else "no password"]
        write(f"{line(each.name)}: {', '.join(part for part in parts if part)}")


@app.command()
def password(ctx: typer.Context, name: Name, as_json: AsJson = False) -> None:
    """Set the password of a user for the browser. Asks for it twice; without a terminal, reads one line.

    iscore users password Anna
    """
    with opened(ctx) as news:
        view = news.people.set_password(name, ask_password())
    _answer(view, f"Password of {line(view.name)} set.", as_json=as_json)


@app.command()
def role(ctx: typer.Context, name: Name, role: GivenRole, as_json: AsJson = False) -> None:
    """Make a user an admin or a reader. There is always an admin.

    iscore users role Anna admin
    """
    from storage.records.users import Role  # `--help` needs no database

    with opened(ctx) as news:
        view = news.people.set_role(name, Role(role))
    _answer(view, f"{line(view.name)} is {'an admin' if role is RoleName.ADMIN else 'a reader'} now.", as_json=as_json)


@app.command()
def rename(
    ctx: typer.Context,
    name: Name,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Their new name.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Give a user another name.

    iscore users rename local Bert
    """
    with opened(ctx) as news:
        view = news.people.rename(name, new)
    _answer(view, f"{line(name)} is called {line(view.name)} now.", as_json=as_json)


@app.command()
def remove(
    ctx: typer.Context,
    name: Name,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete a user with feeds, rules, verdicts, digests and filter. There is no way back; other users keep theirs.

    iscore users remove Anna
    """
    if as_json and not yes:
        raise typer.BadParameter("--json does not ask: add --yes")
    question = f"Delete {line(name)} with feeds, rules, verdicts and digests?"
    if not yes and not typer.confirm(question, default=False, err=True):
        raise typer.Exit(1)
    with opened(ctx) as news:
        view = news.people.remove(name)
    _answer(
        view,
        f"Deleted {line(view.name)} and all that was theirs. Backups that you made still have it.",
        as_json=as_json,
    )


@app.command(name="import")
def import_(
    ctx: typer.Context,
    name: NewName,
    source: Annotated[
        Path,
        typer.Argument(metavar="FILE|FOLDER", help="An export, or another data folder.", show_default=False),
    ],
    reading: ReadingEvents = False,
    as_json: AsJson = False,
) -> None:
    """Add a user with the feeds, rules, verdicts, marks and settings of another data folder, or of an export of it.

    iscore users import Anna /home/anna/.local/share/iscore
    iscore users import Carla carla.jsonl
    """
    from iscore.core.clock import system_clock
    from iscore.core.data_folder import DataFolder
    from iscore.jobs.maintenance.import_person import import_person

    view = import_person(DataFolder(data_folder(ctx)), name, source, system_clock(), reading_events=reading)
    if as_json:
        print_json(view)
        return
    _say_what_moved(view.added)
    brought = [
        counted(view.imported.subscriptions, "feed"),
        counted(view.imported.rules, "rule"),
        counted(view.imported.verdicts, "verdict"),
        counted(view.imported.marks, "marked story", "marked stories"),
        counted(len(view.settings), "setting"),
    ]
    write(f"Added {line(view.added.person.name)} with {', '.join(brought)}.")
    if view.left_out:
        message(f"Not taken over: {line(', '.join(view.left_out))}. Settings of the server are in config.toml.")


@app.callback(invoke_without_command=True)
def _list_by_default(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        list_(ctx)


def ask_password() -> str:
    """Ask for a password twice; without a terminal, read one line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("New password", hide_input=True, confirmation_prompt="Repeat", err=True))


def _answer(view: PersonView, text: str, *, as_json: bool) -> None:
    if as_json:
        print_json(view)
    else:
        write(text)


def _say_what_moved(view: AddedPerson) -> None:
    if view.moved:
        message(
            "Feeds, rules and your own settings are in the database now, since each user has their own. Copies of the "
            f"files: {', '.join(each.name for each in view.moved)}."
        )


def _word(name: str) -> str:
    from shlex import quote

    return line(quote(name))
