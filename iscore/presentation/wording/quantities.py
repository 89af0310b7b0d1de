"""Numbers, rates and counts in words; also what hubs do for feeds, and what the filter learns from reading."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from iscore.core.translation import decimal, gettext, ngettext

if TYPE_CHECKING:
    from iscore.services.views.feeds import HubView
    from iscore.services.views.history import ReadingView


FEW = 5
"""Lines of a list that is not what somebody asked for."""


def signed(number: float) -> str:
    """Return log-odds with their sign and two decimals, with a minus sign: ``+1.25``, ``−0.40``."""
    return decimal(f"{number:+.2f}".replace("-", "−"))


def likelihood(log_odds: float) -> str:
    """Return how likely it is that an article is liked, as a whole per cent from 1 to 99: ``71 % likely``."""
    rate = min(max(1.0 / (1.0 + math.exp(-log_odds)) if log_odds > -50.0 else 0.0, 0.01), 0.99)
    return gettext("%(percent)s likely", percent=percent(rate))


def percent(rate: float | None) -> str:
    """Return a rate between 0 and 1 as whole per cent, or a dash if undefined."""
    return "–" if rate is None else f"{rate:.0%}".replace("%", " %")


def two_decimals(number: float | None) -> str:
    """Return a figure with two decimals, or a dash if undefined."""
    return "–" if number is None else decimal(f"{number:.2f}")


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 verdict``, ``7 verdicts``, ``1,200 stories``, for outputs that are always English."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def joined(words: Sequence[str]) -> str:
    """Return ``a and b`` of two or more; empty of none."""
    if len(words) < 2:
        return "".join(words)
    return gettext("%(first)s and %(last)s", first=joined(words[:-1]), last=words[-1])


def file_size(size: int) -> str:
    """Return the size of a file: ``640 bytes``, ``12 kB``, ``3.4 MB``, ``1.2 GB``."""
    if size < 1000:
        return ngettext("%(count)s byte", "%(count)s bytes", size)
    if size < 1_000_000:
        return f"{size / 1000:.0f} kB"
    return decimal(f"{size / 1e6:.1f} MB" if size < 1_000_000_000 else f"{size / 1e9:.1f} GB")


def first_few(lines: Sequence[str], instead: str) -> list[str]:
    """Return the first five lines and, if there are more, a line with their number and the command that shows all."""
    more = len(lines) - FEW
    if more <= 0:
        return [*lines]
    return [
        *lines[:FEW],
        ngettext("and %(count)s more: %(command)s", "and %(count)s more: %(command)s", more, command=f"`{instead}`"),
    ]


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
