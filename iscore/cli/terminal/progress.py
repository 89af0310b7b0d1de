"""A progress bar on standard error, only if that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from iscore.cli.terminal.output import console, line
from iscore.core.timings import Progress

_WHAT_WIDTH = 32

_open: list[Progress] = []
"""The bar on the screen; there is one at most."""


@contextmanager
def progress_bar() -> Iterator[Progress | None]:
    """Yield a progress callback, or None without a terminal.

    The bar appears with the first call and disappears at the end. Within another bar it is the same one.
    """
    if not sys.stderr.isatty():
        yield None
        return
    if _open:
        yield _open[-1]
        return
    with ExitStack() as screen:
        show: Progress | None = None

        def advance(done: int, total: int, what: str) -> None:
            nonlocal show
            if show is None:
                show = screen.enter_context(_bar())
            show(done, total, what)

        _open.append(advance)
        try:
            yield advance
        finally:
            _open.remove(advance)


@contextmanager
def _bar() -> Iterator[Progress]:
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
            description = line(what)[:_WHAT_WIDTH].ljust(_WHAT_WIDTH)
            bar.update(task, completed=done, total=total or None, description=description)

        yield advance
