"""``iscore mail``: the digest by mail, sent now; a test; what became of the last ones."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.home import opened, present
from iscore.cli.terminal import say, show, styled, tell
from iscore.digest.wording import ago, until

if TYPE_CHECKING:
    from rich.console import RenderableType

    from iscore.mail_views import MailingView

app = typer.Typer(help="The digest by mail: send it now, try the settings, see what became of the last ones.")


@app.command()
def send(
    ctx: typer.Context,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="An earlier day's digest. Today's by default."),
    ] = None,
    again: Annotated[bool, typer.Option("--again", help="Once more, though it was or may have been sent.")] = False,
    as_json: AsJson = False,
) -> None:
    """Mail the day's digest now, unless it was mailed before.

    What was sent, or may have been, is sent again only with [dim]--again[/dim].

    [dim]iscore mail send[/dim]
    """
    with opened(ctx) as news:
        view = news.mail.send(date.date() if date else None, again=again)
    if as_json:
        print_json(view)
    else:
        say(f"The digest of {view.edition} is on its way to {view.recipient}.")


@app.command(name="test")
def try_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Send a short message, to try the settings of mail. If it fails, it says where and what may help.

    [dim]iscore mail test[/dim]
    """
    with opened(ctx) as news:
        if not as_json:
            tell("asking the server …")
        view = news.mail.test()
    if as_json:
        print_json(view)
        return
    say(f"{view.server} has accepted a test message from {view.sender} to {view.recipient} ({view.security}).")
    say("If it does not arrive within minutes, look among the unwanted mail.")


@app.command(name="list")
def list_(
    ctx: typer.Context,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Tell what became of the mail of the last digests.

    [dim]iscore mail list[/dim]
    """
    with opened(ctx) as news:
        views, now = news.mail.mailings(limit), present()
    if as_json:
        print_json(views)
    elif views:
        show(*(row for view in views for row in mailing_rows(view, now)))
    else:
        say("No digest has been mailed yet. `iscore mail test` tries the settings, `iscore mail send` mails today's.")


def mailing_rows(view: MailingView, now: datetime) -> list[RenderableType]:
    """Lay out what became of one digest's mail: a line, and below it what is wrong and what to do."""
    again = f", again {until(view.next_attempt, now)}" if view.next_attempt else ""
    attempts = f", {view.attempts} attempts" if view.attempts > 1 else ""
    rows: list[RenderableType] = [
        styled(f"{view.edition}  {view.state} {ago(view.at, now)}, to {view.recipient}{attempts}{again}")
    ]
    if view.error:
        rows.append(styled(view.error, "red", indent="            "))
    if view.advice:
        rows.append(styled(f"→ {view.advice}", indent="            "))
    return rows
