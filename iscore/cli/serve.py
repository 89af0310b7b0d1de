"""``iscore serve``: read and vote in a browser."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import data_folder, opened
from iscore.cli.terminal.output import message, write
from iscore.core.errors import IscoreError
from iscore.core.file_permissions import shell_umask

MISSING = 'iscore serve needs the web extra: pip install "iscore-news[web]"'


def serve(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="The address to listen on. By default the setting serve_host.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            min=0, max=65535, metavar="N", help="The port. By default the setting serve_port; 0: any free port."
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in your browser.")] = False,
    set_password: Annotated[bool, typer.Option("--set-password", help="Ask for a new password and exit.")] = False,
    as_json: AsJson = False,
) -> None:
    """Serve your news for a browser, on this machine only unless you choose another address.

    Stop it with Ctrl+C.

    [dim]iscore serve --open[/dim]
    """
    try:
        from iscore.web.server import serve as serve_pages
    except ModuleNotFoundError as error:
        if str(error.name).partition(".")[0] in ("iscore", "storage", "extractors"):
            raise
        raise IscoreError(MISSING) from error
    if set_password:
        _set_password(ctx, as_json)
        return
    from iscore.core.clock import system_clock
    from iscore.core.data_folder import DataFolder
    from iscore.core.settings import load_settings

    folder = data_folder(ctx)
    settings = load_settings(DataFolder(folder).config)

    def ready(address: str) -> None:
        if as_json:
            print_json({"address": address})
            sys.stdout.flush()
        else:
            message(f"Your news is at {address} (stop with Ctrl+C).")
        if open_browser:
            _open(address)

    with opened(ctx) as news:
        serve_pages(
            news,
            folder,
            clock=system_clock(),
            host=host or settings.serve_host,
            port=settings.serve_port if port is None else port,
            address=settings.serve_address,
            ready=ready,
            log=lambda line: message(f"iscore: {line}"),
        )


def _open(address: str) -> None:
    """Open a page in the browser without waiting for it."""
    import threading
    import webbrowser

    def open_it() -> None:
        with shell_umask():
            found = webbrowser.open(address)
        if not found:
            message(f"iscore: no browser found; open {address} yourself")

    threading.Thread(target=open_it, daemon=True).start()


def _set_password(ctx: typer.Context, as_json: bool) -> None:
    from iscore.core.data_folder import DataFolder
    from iscore.web.security.credentials import CredentialStore
    from iscore.web.security.passwords import hash_password

    folder = DataFolder(data_folder(ctx))
    folder.require()
    CredentialStore(folder.path).set_password(hash_password(_ask_password()))
    if as_json:
        print_json({"password": "set"})
    else:
        write("Password set; all sessions are signed out. To remove it, delete serve.json in the data folder.")


def _ask_password() -> str:
    """Ask for a password twice; without a terminal, read one line."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    return str(typer.prompt("New password", hide_input=True, confirmation_prompt="Repeat", err=True))
