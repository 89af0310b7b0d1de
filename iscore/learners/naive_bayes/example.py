"""One example, as the kernels of naive Bayes learn it."""

from __future__ import annotations

from typing import NamedTuple


class Example(NamedTuple):
    """What is known of an example besides its values."""

    interesting: bool
    amount: float
    """Its weight times ``scale``, positive."""
    scale: float
    """What a weight of 1 counts as now: weights grow instead of old ones shrinking."""
    keep: float
    """The part of what was known that is still believed, in (0, 1]; 1 forgets nothing."""
    prior: float
    """log P(1)/P(0) before the example."""
