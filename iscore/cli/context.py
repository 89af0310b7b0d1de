"""Which home a command works on, the door from there to the facade, and the time that ages are told from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from iscore.cli.terminal.output import tell

if TYPE_CHECKING:
    from iscore.services.news_filter import NewsFilter


def place(ctx: typer.Context, home: Path | None) -> None:
    """Remember the home that the global option names; None is the default."""
    ctx.obj = home


def home_of(ctx: typer.Context) -> Path:
    """Return the home that the command works on. It need not exist."""
    if isinstance(ctx.obj, Path):
        return ctx.obj
    import platformdirs  # only who gives no home needs it

    return platformdirs.user_data_path("iscore", appauthor=False)


@contextmanager
def opened(ctx: typer.Context) -> Iterator[NewsFilter]:
    """Open the news filter of the command's home, and at the end name the extractors that failed.

    Raises what ``NewsFilter.open`` raises.
    """
    from iscore.services.news_filter import NewsFilter  # `--help` does without the database

    with NewsFilter.open(home_of(ctx)) as news:
        try:
            yield news
        finally:
            for problem in news.extractor_problems():
                tell(f"iscore: extractor {problem.name}: {problem.reason}; its features are missing")


def present() -> datetime:
    """Return the time of the same clock that the news filter goes by."""
    from iscore.core.clock import system_clock

    return system_clock()()
