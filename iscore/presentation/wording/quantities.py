"""Numbers, rates and counts in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from iscore.core.translation import decimal, gettext, ngettext

if TYPE_CHECKING:
    pass

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
