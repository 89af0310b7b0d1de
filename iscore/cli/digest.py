"""``iscore digest``: the day's edition, as text or as a page."""

from __future__ import annotations

import errno
import os
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.home import opened
from iscore.cli.terminal import paragraphs, say, tell

if TYPE_CHECKING:
    from iscore.views import DigestView


class Format(StrEnum):
    """How a digest is written."""

    TEXT = "text"
    HTML = "html"


def digest(
    ctx: typer.Context,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="An earlier day's digest. Today's by default."),
    ] = None,
    format_: Annotated[
        Format | None,
        typer.Option("--format", help="text or html; by default html if FILE ends so, else text.", show_default=False),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it there.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the day's recommended stories, a few to explore, and how the filter is doing.

    Each article appears in one digest only; asking for the same day again gives the same digest again.
    Its numbers can be used for verdicts: [dim]iscore like --digest 3 7[/dim].

    [dim]iscore digest[/dim]

    [dim]iscore digest --output today.html[/dim]
    """
    if output is not None and not output.parent.is_dir():
        # Said before the digest is made, for what it holds then counts as delivered.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(output))
    with opened(ctx) as news:
        view = news.digest(date.date() if date else None)
    if output is not None:
        by_name = Format.HTML if output.suffix.lower() in {".html", ".htm"} else Format.TEXT
        output.write_text(rendered(view, format_ or by_name), encoding="utf-8")
        tell(f"wrote {output}")
    if as_json:
        print_json(view)
    elif output is None:
        say(rendered(view, format_ or Format.TEXT).rstrip("\n"))


def rendered(view: DigestView, format_: Format) -> str:
    """Return the digest as text safe for a terminal, or as a page; times are the machine's local ones."""
    from iscore.digest.edition import edition

    worded = edition(view, zone=None)
    if format_ is Format.HTML:
        from iscore.digest.render_html import render_html  # loads the template engine

        return render_html(worded)
    from iscore.digest.render_text import render_text

    return paragraphs(render_text(worded))
