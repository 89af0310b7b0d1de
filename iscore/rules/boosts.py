"""How much a score is raised or lowered, in words that a user understands."""

from __future__ import annotations

import math

from iscore.core.errors import RuleError
from iscore.core.translation import gettext

WORDS = {"slightly": 0.7, "clearly": 1.4, "strongly": 2.1}
"""Log-odds: the odds doubled, four times and eight times as high."""
DEFAULT_BOOST = WORDS["clearly"]
MOST = 10.0
"""Log-odds of one rule: beyond, it is an always or a never."""


def read_boost(text: str) -> float:
    """Return log-odds for ``strongly``, ``slightly down``, ``+0.5`` … Raises ``RuleError``."""
    name, _, direction = text.strip().lower().partition(" ")
    if name in WORDS and direction.strip() in ("", "up", "down"):
        return -WORDS[name] if direction.strip() == "down" else WORDS[name]
    try:
        return checked_boost(float(text))
    except ValueError:
        names = ", ".join(WORDS)
        raise RuleError(f"{text!r} is not a boost; use {names}, each with `down` to lower, or a number") from None


def checked_boost(boost: float) -> float:
    """Return the boost if it is one. Raises ``RuleError``."""
    if not math.isfinite(boost) or boost == 0 or abs(boost) > MOST:
        raise RuleError(gettext("a boost is a number between -%(most)s and %(most)s, and not 0", most=f"{MOST:g}"))
    return boost


def boost_words(boost: float) -> str:
    """Return ``strongly``, ``slightly down``, ``by +0.5`` …; what ``read_boost`` reads, but for the ``by``."""
    for name, size in WORDS.items():
        if abs(boost) == size:
            return name if boost > 0 else f"{name} down"
    return f"by {boost:+}"


def boost_yaml(boost: float) -> str:
    """Return a boost as it is written in rules.yaml."""
    return boost_words(boost).removeprefix("by ")
