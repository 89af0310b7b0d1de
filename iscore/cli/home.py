"""Which home a command works on, the door from there to the facade, and the time that ages are told from."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from iscore.news_filter import NewsFilter


def place(ctx: typer.Context, home: Path | None) -> None:
    """Remember the home that the global option names; None is the default."""
    ctx.obj = home


def home_of(ctx: typer.Context) -> Path:
    """Return the home that the command works on. It need not exist."""
    if isinstance(ctx.obj, Path):
        return ctx.obj
    import platformdirs  # only who gives no home needs it

    return platformdirs.user_data_path("iscore", appauthor=False)


def opened(ctx: typer.Context) -> NewsFilter:
    """Open the news filter of the command's home. Raises what ``NewsFilter.open`` raises."""
    from iscore.news_filter import NewsFilter  # `--help` does without the database

    return NewsFilter.open(home_of(ctx))


def present() -> datetime:
    """Return the time of the same clock that the news filter goes by."""
    from iscore.clock import system_clock

    return system_clock()()
