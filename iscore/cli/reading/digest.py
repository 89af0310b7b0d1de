"""``iscore digest``: the digest of a day as text or HTML, or the last digests as a feed."""

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
from iscore.cli.options import Language, Since, Source, Tag, article_filter
from iscore.cli.terminal.output import message, paragraphs, write
from iscore.cli.terminal.progress import progress_bar
from iscore.core.file_access import errors_about
from iscore.core.translation import use_language

if TYPE_CHECKING:
    from iscore.services.views.digests import DigestListView, DigestView


class Format(StrEnum):
    """How a digest is written."""

    TEXT = "text"
    HTML = "html"
    ATOM = "atom"
    JSON_FEED = "json-feed"


FEEDS = frozenset({Format.ATOM, Format.JSON_FEED})
"""Formats that hold the last digests."""
ENDINGS = {
    ".html": Format.HTML,
    ".htm": Format.HTML,
    ".atom": Format.ATOM,
    ".xml": Format.ATOM,
    ".json": Format.JSON_FEED,
}
"""The format of a file by its suffix."""


def digest(
    ctx: typer.Context,
    date: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%d"], metavar="YYYY-MM-DD", help="The day of the digest. Today by default."),
    ] = None,
    format_: Annotated[
        Format | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="text, html, atom or json-feed. By default chosen by the suffix of FILE, else text.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write into FILE.", show_default=False),
    ] = None,
    source: Source = "",
    tag: Tag = "",
    since: Since = "",
    language: Language = "",
    as_json: AsJson = False,
) -> None:
    """Print the digest: recommended stories, a few to explore, near misses, and the state of the filter.

    Each article appears in one digest only. The digest of a day stays the same, but leaves out what you have rated.
    Use its numbers for verdicts: `iscore like --digest 3 7`.

        iscore digest
        iscore digest --output today.html
        iscore digest --output recommended.atom
    """
    if output is not None and not output.parent.is_dir():
        # Checked first, since the articles of a digest count as delivered once it is made.
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(output))
    wanted = format_ or (ENDINGS.get(output.suffix.lower(), Format.TEXT) if output else Format.TEXT)
    with opened(ctx) as news, progress_bar() as news.context.progress:
        only = article_filter(news, source=source, tag=tag, since=since, language=language)
        view = news.digest(date.date() if date else None, only=only)
        zone = news.context.zone
        if as_json and output is None:
            written = ""
        elif wanted in FEEDS:
            with use_language(news.context.settings.language):
                written = as_feed(news.digests.last(until=view.date, only=only), wanted, zone=zone)
        elif wanted is Format.HTML:
            with use_language(news.context.settings.language):
                written = rendered(view, wanted, zone=zone)
        else:  # what commands print is English
            written = rendered(view, wanted, zone=zone)
    if output is not None:
        write_whole(output, written)
        message(f"Wrote {output}.")
    if as_json:
        from iscore.services.views import story_json

        print_json(story_json.digest(view))
    elif output is None:
        write(written.rstrip("\n"))


def rendered(view: DigestView, format_: Format, *, zone: tzinfo | None = None) -> str:
    """Return the digest as clean text or as HTML, with times in ``zone`` (None: the system's)."""
    from iscore.presentation.digest.layout import build_digest

    worded = build_digest(view, zone=zone)
    if format_ is Format.HTML:
        from iscore.presentation.digest.render import render_html  # loads the template engine

        return render_html(worded)
    from iscore.presentation.digest.render import render_text

    return paragraphs(render_text(worded))


def as_feed(digests: DigestListView, format_: Format, *, zone: tzinfo | None = None) -> str:
    """Return the last digests as a feed."""
    from iscore.presentation.digest.feed_items import feed_of

    feed = feed_of(digests, zone=zone)
    if format_ is Format.ATOM:
        from iscore.presentation.digest.feed_items import render_atom

        return render_atom(feed)
    from iscore.presentation.digest.feed_items import render_json_feed

    return render_json_feed(feed)


def write_whole(file: Path, text: str) -> None:
    """Write a file atomically: a feed reader that reads it meanwhile gets the old or the new file."""
    target = file.resolve()
    if target.exists() and not target.is_file():  # a pipe, a terminal
        target.write_text(text, encoding="utf-8")
        return
    unfinished = target.with_name(f".{target.name}.{os.getpid()}")
    with errors_about(file):
        try:
            unfinished.write_text(text, encoding="utf-8")
            if target.exists():
                unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
