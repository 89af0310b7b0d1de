"""A progress bar on standard error, only if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from iscore.cli.terminal.output import console, line

Progress = Callable[[int, int, str], None]
"""``progress(done, total, what)``; ``what`` describes the current item and may be untrusted text."""

_WHAT_WIDTH = 32


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Yield a progress callback, or None without a terminal. The bar disappears at the end."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=28),
        MofNCompleteColumn(),
    )
    # Standard output is for results only.
    with Bar(*columns, console=console(error=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None)

        def advance(done: int, total: int, what: str) -> None:
            bar.update(task, completed=done, total=total, description=line(what)[:_WHAT_WIDTH].ljust(_WHAT_WIDTH))

        yield advance


@contextmanager
def upgrade_progress() -> Iterator[Progress]:
    """Yield a progress callback whose bar appears with the first call, for what is hardly ever to be done."""
    with ExitStack() as stack:
        bars: list[Progress | None] = []

        def advance(done: int, total: int, what: str) -> None:
            if not bars:
                bars.append(stack.enter_context(progress_bar()))
            if bars[0] is not None:
                bars[0](done, total, what)

        yield advance
