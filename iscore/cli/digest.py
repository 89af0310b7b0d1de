"""``iscore digest``: the day's edition, as text, as a page, or with those before it as a feed."""

from __future__ import annotations

import errno
import os
import stat
from datetime import datetime, tzinfo
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import paragraphs, say, tell

if TYPE_CHECKING:
    from iscore.services.views.digests import DigestListView, DigestView


class Format(StrEnum):
    """How a digest is written."""

    TEXT = "text"
    HTML = "html"
    ATOM = "atom"
    JSON_FEED = "json-feed"


FEEDS = frozenset({Format.ATOM, Format.JSON_FEED})
"""Formats that hold the last editions."""
ENDINGS = {
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".atom": Format.ATOM,
    ".xml": Format.ATOM,
    ".json": Format.JSON_FEED,
}
"""What is written into a file of such a name, if nothing else is asked for."""


def digest(
    ctx: typer.Context,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="An earlier day's digest. Today's by default."),
    ] = None,
    format_: Annotated[
        Format | None,
        typer.Option(
            "--format",
            help="text, html, atom or json-feed; by default what FILE ends in (.html, .xml, .atom, .json), else text.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write it there.", show_default=False),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Print the day's recommended stories, a few to explore, what nearly passed, and how the filter is doing.

    Each article appears in one digest only; asking for the same day again gives the same digest again.
    Its numbers can be used for verdicts: [dim]iscore like --digest 3 7[/dim].

    [dim]iscore digest[/dim]

    [dim]iscore digest --output today.html[/dim]

    [dim]iscore digest --output recommended.atom[/dim]
    """
    if output is not None and not output.parent.is_dir():
        # Said before the digest is made, for what it holds then counts as delivered.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(output))
    wanted = format_ or (ENDINGS.get(output.suffix.lower(), Format.TEXT) if output else Format.TEXT)
    with opened(ctx) as news:
        view = news.digest(date.date() if date else None)
        zone = news.context.zone
        if as_json and output is None:
            written = ""
        elif wanted in FEEDS:
            written = as_feed(news.digests.last(until=view.date), wanted, zone=zone)
        else:
            written = rendered(view, wanted, zone=zone)
    if output is not None:
        write_whole(output, written)
        tell(f"wrote {output}")
    if as_json:
        print_json(view)
    elif output is None:
        say(written.rstrip("\n"))


def rendered(view: DigestView, format_: Format, *, zone: tzinfo | None = None) -> str:
    """Return the digest as text safe for a terminal, or as a page, with times in ``zone`` (None: the machine's)."""
    from iscore.presentation.digest.layout import build_digest

    worded = build_digest(view, zone=zone)
    if format_ is Format.HTML:
        from iscore.presentation.digest.render_html import render_html  # loads the template engine

        return render_html(worded)
    from iscore.presentation.digest.render_text import render_text

    return paragraphs(render_text(worded))


def as_feed(editions: DigestListView, format_: Format, *, zone: tzinfo | None = None) -> str:
    """Return the last digests as a feed."""
    from iscore.presentation.digest.feed_items import feed_of

    feed = feed_of(editions, zone=zone)
    if format_ is Format.ATOM:
        from iscore.presentation.digest.render_atom import render_atom

        return render_atom(feed)
    from iscore.presentation.digest.render_json_feed import render_json_feed

    return render_json_feed(feed)


def write_whole(file: Path, text: str) -> None:
    """Write a file so that whoever reads it meanwhile, as another reader its feed, has the old or the new one whole."""
    target = file.resolve()
    if target.exists() and not target.is_file():  # a pipe, a terminal
        target.write_text(text, encoding="utf-8")
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        unfinished.write_text(text, encoding="utf-8")
        if target.exists():
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        unfinished.replace(target)
    finally:
        unfinished.unlink(missing_ok=True)
