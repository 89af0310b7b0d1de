"""What hubs do for feeds, and what the filter learns from what the user reads, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iscore.core.translation import gettext
from iscore.presentation.wording.quantities import counted

if TYPE_CHECKING:
    from iscore.services.views.feeds import HubView
    from iscore.services.views.history import ReadingView


def hub_text(view: HubView) -> str:
    """Say whether a hub pushes the new articles of a feed, a sentence or two."""
    named = {"hub": view.host}
    if view.state == "pushes":
        return gettext("%(hub)s pushes its new articles.", **named)
    if view.state == "misses":
        return gettext("%(hub)s has missed articles of it, so it is polled as usual.", **named)
    if view.error:
        return gettext("%(hub)s does not push it: %(error)s.", error=view.error, **named)
    return gettext("%(hub)s has been asked to push its new articles.", **named)


def reading_words(view: ReadingView) -> str:
    """Return what was recorded, and how much it counts as.

    >>> from iscore.services.views.history import ReadingView
    >>> reading_words(ReadingView(on=True, stories=80, opened=40, minutes=95.0, saved=1, as_likes=6.24, as_dislikes=3))
    '40 stories opened, 95 minutes read, 1 saved; without a verdict they count as 6.2 likes and 3.0 dislikes.'
    """
    done = f"{counted(view.opened, 'story', 'stories')} opened, {view.minutes:,.0f} minutes read, {view.saved:,} saved"
    return f"{done}; without a verdict they count as {view.as_likes:.1f} likes and {view.as_dislikes:.1f} dislikes."
