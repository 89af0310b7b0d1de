"""Scores, times and rates in the words that people read, the same on the terminal and on every page.

Nothing here reads the clock or the machine's time zone: both are arguments.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime, tzinfo

from iscore.views import Learning, StatusView

STRENGTHS = 5
"""How many steps a score's strength has."""

_WORDS = (
    "far below your threshold",
    "just below your threshold",
    "worth a look",
    "likely for you",
    "a strong match",
)
_STEPS = (-2.0, 0.0, 1.0, 3.0)
"""Margins over the threshold, in log-odds, at which the next step begins: 1 is a factor of e in the odds."""
_UNKNOWN = 1e-6
"""Less than this below the threshold lies what nothing is known of: before any verdict all scores are the same."""

_MINUTE, _HOUR, _DAY = 60, 3600, 86400

_UNSHOWN = re.compile(
    "[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f"  # controls; those that break lines are white space
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # marks, embeddings, overrides and isolates of direction
    "\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"  # invisible: byte order mark, annotations, tags
)
_IMPOSSIBLE = re.compile("[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")
"""Halves of characters, and what is none: no encoding, and no XML, can hold them."""


def strength(score: float, threshold: float) -> int:
    """Return 1 to ``STRENGTHS``; what passes the threshold has 3 or more."""
    return 1 + sum(score - threshold >= step for step in _STEPS)


def strength_words(score: float, threshold: float) -> str:
    """Return the strength of a score in words, for instance ``likely for you``."""
    if 0.0 < threshold - score < _UNKNOWN:
        return "not known yet"
    return _WORDS[strength(score, threshold) - 1]


def explore_words(learning: Learning) -> str:
    """Return what it is that is to be explored."""
    what = (
        "Held back by your threshold and drawn by lot." if learning.warm else "Chosen for variety, to get to know you."
    )
    return f"{what} A verdict here teaches most."


def signed(number: float) -> str:
    """Return log-odds with their sign and two decimals, with a true minus: ``+1.25``, ``−0.40``."""
    return f"{number:+.2f}".replace("-", "−")


def percent(rate: float | None) -> str:
    """Return a rate between 0 and 1 as whole per cent, or a dash while it is undefined."""
    return "–" if rate is None else f"{rate:.0%}".replace("%", " %")


def two_decimals(number: float | None) -> str:
    """Return a figure with two decimals, or a dash while it is undefined."""
    return "–" if number is None else f"{number:.2f}"


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 verdict``, ``7 verdicts``, ``1,200 stories``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def age(moment: datetime, now: datetime) -> str:
    """Return how long ago ``moment`` was: ``now``, ``5 min``, ``3 h``, ``2 days``. What lies ahead is now."""
    seconds = int((now - moment).total_seconds())
    if seconds < _MINUTE:
        return "now"
    if seconds < _HOUR:
        return f"{seconds // _MINUTE} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR} h"
    return f"{seconds // _DAY:,} days"


def ago(moment: datetime, now: datetime) -> str:
    """Return when something happened: ``just now``, ``5 min ago``, ``2 days ago``."""
    distance = age(moment, now)
    return "just now" if distance == "now" else f"{distance} ago"


def until(moment: datetime, now: datetime) -> str:
    """Return how long it takes to ``moment``: ``now``, ``in 5 min``, ``in 3 h``, ``in 2 days``."""
    distance = age(now, moment)
    return distance if distance == "now" else f"in {distance}"


def clock_time(moment: datetime, zone: tzinfo | None) -> str:
    """Return day and time in ``zone`` (None: the machine's own): ``Mon 6 Oct, 14:05``."""
    local = moment.astimezone(zone)
    return f"{local:%a} {local.day} {local:%b, %H:%M}"


def one_line(text: str) -> str:
    """Return the text with every run of white space, line breaks included, as one blank."""
    return " ".join(text.split())


def plain_line(text: str, longest: int | None = None) -> str:
    """Return foreign text as one line without anything that steers what shows it, cut after ``longest`` characters."""
    return shortened(one_line(_IMPOSSIBLE.sub("\ufffd", _UNSHOWN.sub("", text))), longest)


def shortened(text: str, longest: int | None) -> str:
    """Return one line of text, cut at a blank if that is near, with an ellipsis when something is missing."""
    if longest is None or len(text) <= longest:
        return text
    cut = text[: longest - 1]
    blank = cut.rfind(" ", longest * 3 // 4)
    return (cut if blank < 0 else cut[:blank]).rstrip(" .,;:–-") + "…"


def from_sources(sources: Sequence[str]) -> str:
    """Return who carried a story: ``Energy Wire``, ``A and B``, ``A, B and 3 more``."""
    names = [one_line(source) for source in sources]
    if len(names) > 3:
        return f"{names[0]}, {names[1]} and {len(names) - 2} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def learning_words(learning: Learning) -> str:
    """Return how far the filter has got to know its reader, or nothing once it has."""
    if learning.warm:
        return ""
    seeds = f", {counted(learning.seeds, 'seed')}" if learning.seeds else ""
    return f"learning: {counted(learning.likes + learning.dislikes, 'verdict')} so far{seeds}"


def wanted_words(learning: Learning, *, needed: int = 5) -> str:
    """Return what the filter lacks to judge on its own: ``3 more likes and 1 more dislike``, or nothing."""
    wanted = [
        counted(needed - given, f"more {noun}", f"more {noun}s")
        for given, noun in ((learning.likes, "like"), (learning.dislikes, "dislike"))
        if given < needed
    ]
    return " and ".join(wanted)


def verdict_words(status: StatusView) -> str:
    """Return the verdicts so far: ``12 likes, 30 dislikes, 4 skips``."""
    return ", ".join(
        counted(number, noun)
        for number, noun in ((status.likes, "like"), (status.dislikes, "dislike"), (status.skips, "skip"))
    )
