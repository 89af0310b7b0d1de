"""``iscore mail``: mail the digest, test the settings, confirm the address, list sent digests."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened, present
from iscore.cli.terminal.output import line, message, render, styled, write
from iscore.cli.terminal.progress import progress_bar
from iscore.core.errors import ConfigError
from iscore.presentation.wording.times import ago, until

if TYPE_CHECKING:
    from rich.table import Table

    from iscore.jobs.mail.sender import MailSender
    from iscore.services.news_filter import NewsFilter
    from iscore.services.views.digests import MailingView

app = typer.Typer(help="The digest by mail: send it, test the settings, confirm the address, list sent digests.")

_STATES = {
    "confirmed": "digests are mailed there.",
    "waiting": "not confirmed; a code will be mailed there. Until it is entered, no digest is mailed.",
    "no server": "not confirmed, and no code can be mailed: mail_host is missing.",
    "sent": "not confirmed; a code was mailed there. Until it is entered, no digest is mailed.",
    "lapsed": "not confirmed, and no code is valid; `iscore mail confirm` mails one.",
}
"""What each state of the address means."""


def _sender(news: NewsFilter) -> MailSender:
    from iscore.jobs.mail.sender import MailSender  # `--help` needs no database

    return MailSender.of(news)


@app.command()
def send(
    ctx: typer.Context,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day of the digest. Today by default."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Send again what was or may have been sent.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mail the digest of a day now.

    What was sent, or may have been sent, is sent again only with `--again`.

        iscore mail send
    """
    with opened(ctx) as news, progress_bar() as news.context.progress:
        view = _sender(news).send(date.date() if date else None, again=again)
    if as_json:
        print_json(view)
    else:
        write(f"Sent the digest of {view.digest} to {view.recipient}.")


@app.command(name="test")
def try_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Send a short test message. An error says what failed and what may help.

    iscore mail test
    """
    with opened(ctx) as news:
        if not as_json:
            _sender(news).require_account()
            message("Asking the server …")
        view = _sender(news).test()
    if as_json:
        print_json(view)
        return
    write(f"{view.server} accepted a test message from {view.sender} to {view.recipient} ({view.security}).")
    write("If it does not arrive within a few minutes, check your spam folder.")


@app.command()
def confirm(
    ctx: typer.Context,
    code: Annotated[str, typer.Argument(metavar="CODE", help="The code from the mail.", show_default=False)] = "",
    as_json: AsJson = False,
) -> None:
    """Confirm your address for the digest by the code that was mailed to it. Without a code, one is mailed now.

    Only where several people share the data folder.

        iscore mail confirm
        iscore --user Anna mail confirm ABCD-EFGH-IJKL-MNOP
    """
    with opened(ctx) as news:
        address, sender = news.mail_address, _sender(news)
        if code and not address.enter(code):
            raise ConfigError("mail_to", "this is not the code, or it is not valid any more; nothing is confirmed")
        if not code:
            address.ask()
            sender.confirm()
        view = address.state()
    if as_json:
        print_json(view)
    elif view is None:
        raise ConfigError("mail_to", "there is no mail address; `iscore settings set mail_to` sets one")
    else:
        write(f"{line(view.address)}: {_STATES[view.state]}")
        if view.ask_from:
            write(f"Another code can be sent {until(view.ask_from, present())}.")


@app.command(name="list")
def list_(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000, metavar="N", help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """List the mail of the last digests.

    iscore mail list
    """
    with opened(ctx) as news:
        views, now = _sender(news).mailings(limit), present()
    if as_json:
        print_json(views)
    elif views:
        render(mailings_table(views, now))
    else:
        write("No digest mailed yet. `iscore mail test` tests the settings, `iscore mail send` mails today's digest.")


def mailings_table(views: Sequence[MailingView], now: datetime) -> Table:
    """Lay out the mail of each digest, with its error and advice below."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(style="bold", no_wrap=True)
    table.add_column(overflow="fold")
    for view in views:
        if view.state == "empty":
            table.add_row(view.digest, styled(f"empty, not mailed ({ago(view.at, now)})"))
            continue
        retry = f", next try {until(view.next_attempt, now)}" if view.next_attempt else ""
        attempts = f", {view.attempts} attempts" if view.attempts > 1 else ""
        table.add_row(view.digest, styled(f"{view.state} {ago(view.at, now)}, to {view.recipient}{attempts}{retry}"))
        if view.error:
            table.add_row("", styled(view.error, "red"))
        if view.advice:
            table.add_row("", styled(f"→ {view.advice}"))
    return table
