"""``iscore connect``: score and label what another reader server has, such as FreshRSS."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import line, message, write
from iscore.cli.terminal.progress import progress_bar
from iscore.presentation.wording.quantities import counted
from iscore.presentation.wording.times import ago, until

if TYPE_CHECKING:
    from iscore.services.views.other_programs import ConnectionView, SyncView

app = typer.Typer(help="Score and label what another reader server has: FreshRSS, Miniflux and others.")

VARIABLE = "ISCORE_CONNECT_PASSWORD"
NAMES = {"freshrss": "FreshRSS", "miniflux": "Miniflux", "greader": "the server"}
PLAIN = "iscore: without HTTPS, others in the network can read the password of this account"


class Hidden(StrEnum):
    """What happens there to stories below the threshold."""

    LABEL = "label"
    READ = "read"


Url = Annotated[str, typer.Argument(metavar="URL", help="The server's address, as in a browser.", show_default=False)]
Login = Annotated[
    str, typer.Option("--login", metavar="NAME", help="Your name there. Asked for if missing.", show_default=False)
]
File = Annotated[
    Path | None,
    typer.Option("--password-file", metavar="FILE", help="Read the password from the first line.", show_default=False),
]
Command = Annotated[
    str,
    typer.Option(
        "--password-command",
        metavar="COMMAND",
        help="Store this command, which prints it.",
        show_default=False,
    ),
]
HiddenChoice = Annotated[
    Hidden,
    typer.Option("--hidden", metavar="label|read", help="`read` also marks hidden stories as read there."),
]
HiddenRead = Annotated[
    Hidden | None,
    typer.Option(
        "--hidden", help="`read` marks hidden stories as read there; `label` does nothing.", show_default=False
    ),
]
StarSaves = Annotated[bool, typer.Option("--star-only-saves", help="A star there is no like.")]
UnstarUndoes = Annotated[
    bool, typer.Option("--unstar-undoes", help="Removing a star undoes its like, however old it is.")
]


@app.command()
def freshrss(
    ctx: typer.Context,
    url: Url,
    login: Login = "",
    password_file: File = None,
    password_command: Command = "",
    hidden: HiddenChoice = Hidden.LABEL,
    star_only_saves: StarSaves = False,
    unstar_undoes: UnstarUndoes = False,
    as_json: AsJson = False,
) -> None:
    """Connect a FreshRSS, and synchronise it for the first time.

    The password is the API password of your profile there. ISCORE_CONNECT_PASSWORD can have it, too.

        iscore connect freshrss https://rss.example.org --login anna
    """
    options = _options(hidden, star_only_saves=star_only_saves, unstar_undoes=unstar_undoes)
    _connect(ctx, "freshrss", url, login, password_file, password_command, options, as_json=as_json)


@app.command()
def miniflux(
    ctx: typer.Context,
    url: Url,
    login: Login = "",
    password_file: File = None,
    password_command: Command = "",
    hidden: HiddenRead = None,
    star_only_saves: StarSaves = False,
    unstar_undoes: UnstarUndoes = False,
    as_json: AsJson = False,
) -> None:
    """Connect a Miniflux, and synchronise it for the first time. It has no labels, so hidden stories can be marked as
    read; your recommendations come as a feed (`iscore serve`, page Account).

    Name and password are those of its integration Google Reader. ISCORE_CONNECT_PASSWORD can have the password, too.

        iscore connect miniflux https://reader.example.org --login anna --hidden read
    """
    if hidden is None:
        message(
            "iscore: Miniflux has no labels for stories, so nothing will be marked there; `--hidden read` marks hidden "
            "ones as read"
        )
    options = _options(hidden or Hidden.LABEL, star_only_saves=star_only_saves, unstar_undoes=unstar_undoes)
    _connect(ctx, "miniflux", url, login, password_file, password_command, options, as_json=as_json)


@app.command()
def greader(
    ctx: typer.Context,
    url: Url,
    login: Login = "",
    password_file: File = None,
    password_command: Command = "",
    hidden: HiddenChoice = Hidden.LABEL,
    star_only_saves: StarSaves = False,
    unstar_undoes: UnstarUndoes = False,
    as_json: AsJson = False,
) -> None:
    """Connect any other server with the Google Reader API, and synchronise it for the first time.

    URL is where the API begins. ISCORE_CONNECT_PASSWORD can have the password, too.

        iscore connect greader https://reader.example.org --login anna
    """
    options = _options(hidden, star_only_saves=star_only_saves, unstar_undoes=unstar_undoes)
    _connect(ctx, "greader", url, login, password_file, password_command, options, as_json=as_json)


@app.command()
def status(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show the connection and how it is doing.

    iscore connect status
    """
    with opened(ctx) as news:
        view = news.connections.view()
    if as_json:
        print_json(view)
    else:
        _show(view)


@app.command()
def sync(
    ctx: typer.Context,
    now: Annotated[bool, typer.Option("--now", help="Also if the server asked to wait, or failed just now.")] = False,
    as_json: AsJson = False,
) -> None:
    """Synchronise now. `iscore run` and `iscore serve` do it every 15 minutes.

    iscore connect sync
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.connections.sync(progress, insist=now)
    _answer(view, as_json=as_json)


@app.command()
def remove(
    ctx: typer.Context,
    leave_labels: Annotated[
        bool, typer.Option("--leave-labels", help="Do not ask the server: iScore's labels stay there.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Disconnect: remove iScore's labels from the server, and forget account and password.

    Articles stay, and so does what was learned.

        iscore connect remove
    """
    with opened(ctx) as news, progress_bar() as progress:
        view = news.connections.remove(leave_labels=leave_labels, progress=progress)
    if as_json:
        print_json(view)
        return
    labels = f"Left there: {counted(view.left, 'label')}." if view.left else f"Removed {counted(view.sent, 'label')}."
    write(f"Disconnected {line(view.address)}. {labels}")


@app.callback(invoke_without_command=True)
def _status_by_default(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        status(ctx)


def _options(hidden: Hidden, *, star_only_saves: bool, unstar_undoes: bool) -> list[str]:
    given = {"hidden-read": hidden is Hidden.READ, "star-only-saves": star_only_saves, "unstar-undoes": unstar_undoes}
    return [name for name, chosen in given.items() if chosen]


def _connect(
    ctx: typer.Context,
    kind: str,
    url: str,
    login: str,
    password_file: Path | None,
    command: str,
    options: list[str],
    *,
    as_json: bool,
) -> None:
    from iscore.services.connections.passwords import Secret  # `--help` needs no database
    from storage.records.connections import ConnectionOption, ReaderKind

    name = login or str(typer.prompt("Your name there", err=True))
    secret = Secret(command=command) if command else Secret(_password(password_file))
    if url.lower().startswith("http://"):
        message(PLAIN)
    with opened(ctx) as news:
        chosen = tuple(map(ConnectionOption, options))
        connected = news.connections.connect(ReaderKind(kind), url, name, secret, chosen)
        if not as_json:
            write(f"Connected {NAMES[kind]} at {line(connected.address)}.")
        with progress_bar() as progress:
            view = news.connections.sync(progress, insist=True)
    _answer(view, as_json=as_json)


def _password(file: Path | None) -> str:
    """Return the password: from a file, the environment, or the terminal; without one, from standard input."""
    if file is not None:
        return file.read_text(encoding="utf-8").partition("\n")[0].rstrip("\r")
    if given := os.environ.get(VARIABLE):
        return given
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("Password there", hide_input=True, err=True))


def _answer(view: SyncView, *, as_json: bool) -> None:
    if as_json:
        print_json(view)
        return
    counts = [
        counted(view.new, "new article"),
        f"{view.recommended} recommended",
        counted(view.verdicts + view.imported, "verdict") + " learned",
        f"{view.read} read there",
        counted(view.sent, "change") + " made there",
    ]
    write(f"{', '.join(counts)}.")
    if view.note:
        write(f"Left out: {view.note}")


def _show(view: ConnectionView) -> None:
    now = present()
    write(f"{line(view.address)}, as {line(view.name)} ({', '.join((view.kind, *view.options))})")
    write(f"Synchronised {ago(view.synced, now) if view.synced else 'not yet'}: {counted(view.feeds, 'feed')}, "
          f"{counted(view.items, 'item')}")  # fmt: skip
    if view.waiting or view.refused:
        refused = f"; the server refuses {view.refused}" if view.refused else ""
        write(f"{counted(view.waiting, 'change')} to be made there{refused}")
    if view.error:
        write(f"{'The last attempt failed' if view.failures else 'Left out'}: {line(view.error)}")
    if view.next_due:
        write(f"Next: {until(view.next_due, now)}, while `iscore run` or `iscore serve` is running")
