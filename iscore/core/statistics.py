"""Confidence intervals of shares, and the hint that a feed may not be worth a subscription.

The share of likes among the verdicts on a feed is compared with that among all other verdicts, p. The hint is given
when the upper end of the 95 % Wilson interval of the feed's share,

    (k + z²/2 + z √(k (n − k) / n + z²/4)) / (n + z²),   z = 1.96, k likes of n verdicts,

is below p/2: when the feed is almost certainly liked less than half as often as the rest. (Wilson,
"Probable Inference, the Law of Succession, and Statistical Inference", JASA 22, 1927.)
"""

from __future__ import annotations

import math

MIN_VERDICTS = 20
"""Verdicts on other feeds that a comparison needs. For the feed's own the interval is enough."""
_Z = 1.96


def share_interval(likes: float, verdicts: float) -> tuple[float, float]:
    """Return both ends of the 95 % interval of a share; 0 and 1 without verdicts."""
    return max(0.0, 1.0 - upper_share(verdicts - likes, verdicts)), upper_share(likes, verdicts)


def upper_share(likes: float, verdicts: float) -> float:
    """Return the upper end of the 95 % interval of a share; 1 without verdicts."""
    if not verdicts:
        return 1.0
    spread = math.sqrt(max(0.0, likes * (verdicts - likes)) / verdicts + _Z * _Z / 4)
    return (likes + _Z * _Z / 2 + _Z * spread) / (verdicts + _Z * _Z)


def hint(likes: int, verdicts: int, likes_elsewhere: int, verdicts_elsewhere: int) -> str:
    """Return why the user may want to unsubscribe; empty without a reason, or when too little is known."""
    if verdicts_elsewhere < MIN_VERDICTS or not likes_elsewhere:
        return ""
    elsewhere = likes_elsewhere / verdicts_elsewhere
    if upper_share(likes, verdicts) >= elsewhere / 2:
        return ""
    return f"you like {likes} of {verdicts} here, and {elsewhere:.0%} elsewhere".replace("%", " %")
