"""``iscore settings`` and ``iscore edit``: a user's own settings, feeds and rules."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import line, message, write

app = typer.Typer(help="Your own settings.")


class Text(StrEnum):
    """What can be edited."""

    FEEDS = "feeds"
    RULES = "rules"


@app.command(name="list")
def list_(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List the settings that are yours, where several share the data folder. The guide describes all settings.

    iscore settings list
    """
    with opened(ctx) as news:
        settings = news.settings.list()
    if as_json:
        print_json(settings)
        return
    for each in settings:
        value = each.value if isinstance(each.value, str) else f"{each.value}".lower()
        note = f"   (by {each.variable})" if each.variable else "" if each.value != each.default else "   (default)"
        write(f"{each.name} = {line(value)}{note}")


@app.command(name="set")
def set_(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The setting.", show_default=False)],
    value: Annotated[str, typer.Argument(metavar="VALUE", help="Its new value.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Change a setting of yours. Comments in config.toml stay.

    iscore settings set beta 1
    iscore --user Anna settings set digest_at 06:30
    """
    with opened(ctx) as news:
        news.settings.change({name: value})
        (now,) = (each for each in news.settings.list() if each.name == name)
        address = news.mail_address.state() if name == "mail_to" else None
    if as_json:
        print_json(now)
        return
    if now.variable:
        message(f"iscore: {now.variable} in the environment overrides it")
    write(f"Set {name}.")
    if address is not None and address.state != "confirmed":
        message("Until the address is confirmed, no digest is mailed: `iscore mail confirm` mails a code to it.")


@app.callback(invoke_without_command=True)
def _list_by_default(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        list_(ctx)


def edit(
    ctx: typer.Context,
    what: Annotated[Text, typer.Argument(metavar="feeds|rules", help="What to edit.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Edit feeds.yaml or rules.yaml in your editor, also where they are in the database. A mistake changes nothing.

    Without a terminal the new text is read from standard input.

        iscore edit feeds
    """
    with opened(ctx) as news:
        text = news.subscriptions.text if what is Text.FEEDS else news.rules.text
        before = text.read()
        after = _in_editor(before) if sys.stdin.isatty() else sys.stdin.read()
        if after != before:
            text.replace(after, before)
    if as_json:
        print_json({"changed": after != before})
    elif after == before:
        message("Nothing was changed.")
    else:
        write(f"Changed {what}.yaml.")


def _in_editor(text: str) -> str:
    """Let the user edit a text in their editor; return the new one. Ends the program if the editor fails."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or ("notepad" if os.name == "nt" else "vi")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "edited.yaml"
        file.write_text(text, encoding="utf-8")
        try:
            subprocess.run([*shlex.split(editor), str(file)], check=True)  # noqa: S603 -- the user's own editor
        except (OSError, ValueError, subprocess.CalledProcessError) as error:
            message(f"iscore: the editor {line(editor)} failed ({line(str(error))}); nothing was changed")
            raise typer.Exit(1) from error
        return file.read_text(encoding="utf-8", errors="replace")
