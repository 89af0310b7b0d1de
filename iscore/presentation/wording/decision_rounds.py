"""In words: whether earlier decisions can be made again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.presentation.wording.quantities import counted

REMEDY = "something other than iScore has changed the database: restore a backup, or report it as an error of iScore"

if TYPE_CHECKING:
    from iscore.services.views.history import RoundsView


def round_lines(view: RoundsView) -> list[str]:
    """Return what was compared, what could not be, and the first difference with what to do about it.

    >>> round_lines(RoundsView(2, "", {}, 3, 0))
    ['decided 2 rounds of 3 again: equal, bit for bit']
    """
    lines = []
    if view.equal:
        lines.append(f"decided {counted(view.equal, 'round')} of {view.rounds:,} again: equal, bit for bit")
    lines += [f"{counted(count, 'round')} not compared: {reason}" for reason, count in view.not_reproducible.items()]
    if view.decided_before:
        lines.append(f"{counted(view.decided_before, 'decision')} recorded by an earlier version, without rounds")
    if view.different:
        lines.append(f"NOT equal: {view.different}; {REMEDY}")
    return lines
