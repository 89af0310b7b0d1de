"""``iscore like``, ``dislike``, ``skip`` and ``undo``: append verdicts to the log."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Annotated

import typer

from iscore.cli.as_json import AsJson, print_json
from iscore.cli.context import opened
from iscore.cli.options import article_filter, article_ids, feed_names, rated_ids
from iscore.cli.terminal.output import line, write
from iscore.core.translation import UNTITLED
from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from iscore.services.views.stories import VerdictView

FEW = 10
"""Most articles to skip without asking, and to list one by one."""

_IDS = typer.Argument(
    metavar="ID",
    help="IDs of articles, or the start of them.",
    show_default=False,
    autocompletion=article_ids,
)
Ids = Annotated[list[str], _IDS]
OptionalIds = Annotated[list[str] | None, _IDS]
RatedIds = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="ID",
        help="IDs of articles, or the start of them.",
        show_default=False,
        autocompletion=rated_ids,
    ),
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

        iscore like k3f9a2 m81xqd
        iscore like --digest 3 7
        iscore like --date 2026-03-29 4
    """
    _give(ctx, "like", ids, by_digest, date, as_json)


def dislike(
    ctx: typer.Context, ids: Ids, by_digest: ByDigest = False, date: OfDay = None, as_json: AsJson = False
) -> None:
    """Mark articles as not interesting.

    iscore dislike k3f9a2
    iscore dislike --digest 1 2
    """
    _give(ctx, "dislike", ids, by_digest, date, as_json)


def skip(
    ctx: typer.Context,
    ids: OptionalIds = None,
    by_digest: ByDigest = False,
    date: OfDay = None,
    everything: Annotated[bool, typer.Option("--all", help="Skip everything that `iscore inbox` lists.")] = False,
    older_than: Annotated[
        str,
        typer.Option(
            "--older-than",
            metavar="TIME",
            help="Skip what was published earlier in the inbox: 3d, 12h or 2026-03-01.",
            show_default=False,
        ),
    ] = "",
    source: Annotated[
        str,
        typer.Option(
            "--source",
            metavar="NAME",
            help="Skip what the inbox has of this feed: its name or part of it.",
            show_default=False,
            autocompletion=feed_names,
        ),
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Skip many without asking.")] = False,
    as_json: AsJson = False,
) -> None:
    """Remove articles from the inbox without a verdict. The filter learns nothing.

    Asks before it skips more than ten at once. `iscore undo --last` brings them back.

        iscore skip k3f9a2
        iscore skip --older-than 3d
        iscore skip --all --yes
    """
    several = everything or bool(older_than or source)
    if several == bool(ids):
        problem = "give either IDs or what to skip" if several else "give IDs, or --all, --older-than or --source"
        raise typer.BadParameter(problem, param_hint="'ID'")
    if not several:
        _give(ctx, "skip", ids or [], by_digest, date, as_json)
        return
    from storage.records.users import Kind  # `--help` needs no database

    with opened(ctx) as news:
        listed = news.current_inbox.ids(article_filter(news, source=source, before=older_than))
        if len(listed) > FEW and not yes:
            _confirm(f"Skip {counted(len(listed), 'article')}?")
        views = news.give(Kind.SKIP, listed) if listed else []
    if as_json:
        print_json(views)
    elif views:
        write(f"Skipped {counted(len(views), 'article')}. `iscore undo --last` brings them back.")
    else:
        write("Nothing to skip.")


def undo(
    ctx: typer.Context,
    ids: RatedIds = None,
    by_digest: ByDigest = False,
    date: OfDay = None,
    last: Annotated[bool, typer.Option("--last", help="Undo everything that your last verdict command did.")] = False,
    as_json: AsJson = False,
) -> None:
    """Undo your verdicts on articles. The filter unlearns them.

    iscore undo k3f9a2
    iscore undo --last
    """
    if last == bool(ids):
        raise typer.BadParameter("give either IDs or --last", param_hint="'ID'")
    if not last:
        _give(ctx, "undo", ids or [], by_digest, date, as_json)
        return
    from storage.records.users import Kind  # `--help` needs no database

    with opened(ctx) as news:
        given = news.verdicts.last()
        views = news.give(Kind.UNDO, given) if given else []
    if as_json:
        print_json(views)
    elif len(views) > FEW:
        write(f"Undid {counted(len(views), 'verdict')}.")
    elif views:
        for view in views:
            write(outcome(view))
    else:
        write("Nothing to undo.")


def _confirm(question: str) -> None:
    """Ask on the terminal. Raises ``typer.BadParameter`` without one, ``typer.Exit`` for no."""
    if not sys.stdin.isatty():
        raise typer.BadParameter(f"{question} Add --yes", param_hint="'--yes'")
    if not typer.confirm(question, err=True):
        raise typer.Exit(1)


def _give(ctx: typer.Context, kind: str, ids: list[str], by_digest: bool, date: datetime | None, as_json: bool) -> None:
    by_digest = by_digest or date is not None
    numbers = _numbers(ids) if by_digest else []
    on = date.date() if date else None
    from storage.records.users import Kind  # `--help` needs no database

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
        undone = "import" if view.previous == "imported" else view.previous
        words = f"undid {undone}" if view.accepted and undone else "nothing to undo"
    elif not view.accepted:
        words = f"{view.verdict} (as before)"
    else:
        words = f"{view.verdict} (was {view.previous})" if view.previous else f"{view.verdict}"
    return f"{words}: {line(view.title) or UNTITLED} [{view.id}]"
