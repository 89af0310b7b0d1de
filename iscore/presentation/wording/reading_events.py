"""What the filter learns from what the user reads, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from iscore.services.views.history import ReadingView


def reading_words(view: ReadingView) -> str:
    """Return what was recorded, and how much it counts as.

    >>> from iscore.services.views.history import ReadingView
    >>> reading_words(ReadingView(on=True, stories=80, opened=40, minutes=95.0, saved=1, as_likes=6.24, as_dislikes=3))
    '40 stories opened, 95 minutes read, 1 saved; without a verdict they count as 6.2 likes and 3.0 dislikes.'
    """
    done = f"{counted(view.opened, 'story', 'stories')} opened, {view.minutes:,.0f} minutes read, {view.saved:,} saved"
    return f"{done}; without a verdict they count as {view.as_likes:.1f} likes and {view.as_dislikes:.1f} dislikes."
