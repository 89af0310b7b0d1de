"""``iscore like``, ``dislike``, ``skip`` and ``undo``: append verdicts to the log."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.terminal.output import line, write

if TYPE_CHECKING:
    from iscore.services.views.review import VerdictView

Ids = Annotated[
    list[str],
    typer.Argument(metavar="ID", help="IDs of articles, or the start of them.", show_default=False),
]
ByDigest = Annotated[bool, typer.Option("--digest", help="Use numbers of the last digest instead of IDs.")]
OfDay = Annotated[
    datetime | None,
    typer.Option(
        "--date",
        formats=["%Y-%m-%d"],
        metavar="YYYY-MM-DD",
        help="Use numbers of that day's digest.",
        show_default=False,
    ),
]


def like(
    ctx: typer.Context, ids: Ids, by_digest: ByDigest = False, date: OfDay = None, as_json: AsJson = False
) -> None:
    """Mark articles as interesting.

    The last verdict on a story counts. The next poll, inbox or digest learns from it.

    [dim]iscore like k3f9a2 m81xqd[/dim]

    [dim]iscore like --digest 3 7[/dim]

    [dim]iscore like --date 2026-03-29 4[/dim]
    """
    _give(ctx, "like", ids, by_digest, date, as_json)


def dislike(
    ctx: typer.Context, ids: Ids, by_digest: ByDigest = False, date: OfDay = None, as_json: AsJson = False
) -> None:
    """Mark articles as not interesting.

    [dim]iscore dislike k3f9a2[/dim]

    [dim]iscore dislike --digest 1 2[/dim]
    """
    _give(ctx, "dislike", ids, by_digest, date, as_json)


def skip(
    ctx: typer.Context, ids: Ids, by_digest: ByDigest = False, date: OfDay = None, as_json: AsJson = False
) -> None:
    """Remove articles from the inbox without a verdict. Teaches nothing.

    [dim]iscore skip k3f9a2[/dim]
    """
    _give(ctx, "skip", ids, by_digest, date, as_json)


def undo(
    ctx: typer.Context, ids: Ids, by_digest: ByDigest = False, date: OfDay = None, as_json: AsJson = False
) -> None:
    """Undo your verdicts on articles. The filter unlearns them.

    [dim]iscore undo k3f9a2[/dim]
    """
    _give(ctx, "undo", ids, by_digest, date, as_json)


def _give(ctx: typer.Context, kind: str, ids: list[str], by_digest: bool, date: datetime | None, as_json: bool) -> None:
    by_digest = by_digest or date is not None
    numbers = _numbers(ids) if by_digest else []
    on = date.date() if date else None
    from storage.records import Kind  # `--help` needs no database

    with opened(ctx) as news:
        views = news.give(Kind(kind), news.digests.numbered(numbers, on) if by_digest else ids)
    if as_json:
        print_json(views)
        return
    for view in views:
        write(outcome(view))


def _numbers(words: list[str]) -> list[int]:
    for word in words:
        if not (word.isascii() and word.isdigit()):
            raise typer.BadParameter(f"{word!r} is not a number of a digest", param_hint="'ID'")
    return [int(word) for word in words]


def outcome(view: VerdictView) -> str:
    """Return the outcome of a verdict in one line."""
    if view.verdict == "undo":
        undone = "import" if view.previous == "seed" else view.previous
        words = f"undid {undone}" if view.accepted and undone else "nothing to undo"
    elif not view.accepted:
        words = f"{view.verdict} (as before)"
    else:
        words = f"{view.verdict} (was {view.previous})" if view.previous else f"{view.verdict}"
    return f"{words}: {line(view.title) or '(untitled)'} [{view.id}]"
