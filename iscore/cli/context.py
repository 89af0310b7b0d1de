"""What commands share: the data folder, the news filter on it, and the current time."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from iscore.cli.terminal.output import message
from iscore.cli.terminal.progress import progress_bar

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter


NOTHING_SAID = "`iscore interests headlines` shows headlines to choose from, `iscore interests add WORDS` takes words."
"""How to start: a hint for a user who has given neither verdicts nor interests yet."""
NO_FEEDS = "You follow no feeds yet. Add one with `iscore feeds add URL`."


@dataclass(frozen=True, slots=True)
class GlobalOptions:
    """The options before every command."""

    home: Path | None = None
    user: str = ""
    """The name of a user; empty: the first."""


def global_options(ctx: typer.Context) -> GlobalOptions:
    """Return the options of this call."""
    return ctx.obj if isinstance(ctx.obj, GlobalOptions) else GlobalOptions()


def data_folder(ctx: typer.Context) -> Path:
    """Return the data folder of this call: that of ``--home``, or the default. It may not exist."""
    home = global_options(ctx).home
    if home is not None:
        return home
    import platformdirs  # not needed with --home

    return platformdirs.user_data_path("iscore", appauthor=False)


@contextmanager
def opened(ctx: typer.Context) -> Iterator[NewsFilter]:
    """Open the news filter, and at the end name the extractors that failed. Raises what ``NewsFilter.open`` raises."""
    from iscore.services.news_filter import NewsFilter  # `--help` needs no database

    with progress_bar() as progress:
        opening = NewsFilter.open(data_folder(ctx), user=global_options(ctx).user, progress=progress)
    with opening as news:
        news.extractors.before_loading = compile_in_background(lambda: _stages(news))
        try:
            yield news
            if not news.database.writable:
                message(f"iscore: {news.database.name} cannot be written; this is what it had after the last command")
        finally:
            for name, reason in news.extractors.problems().items():
                message(f"iscore: extractor {name}: {reason}; its features are missing")


def compile_in_background(stages: Callable[[], int | None] = lambda: None) -> Callable[[], None] | None:
    """Start to compile what scoring needs, and return what waits for that; None if there is nothing to do.

    Only on a terminal, for the sake of the bar: elsewhere kernels are compiled when they are called. ``stages``
    returns how many stages to wait for; None for all.
    """
    if not sys.stderr.isatty():
        return None
    from iscore.services import compilation

    if not compilation.pending():
        return None
    child = compilation.start()

    def wait() -> None:
        with progress_bar() as progress:
            if progress is not None:
                compilation.wait(child, progress, stages())

    return wait


def _stages(news: NewsFilter) -> int | None:
    """Return how many stages of compiling are needed: few before anybody has given a verdict."""
    from iscore.services.compilation import TO_INGEST

    nothing_to_learn = all(news.for_user(number).verdicts.none_yet() for number in news.people.names())
    return TO_INGEST if nothing_to_learn else None


def present() -> datetime:
    """Return the current time, by the same clock as the news filter."""
    from iscore.core.clock import system_clock

    return system_clock()()
