"""Whether earlier decisions can be made again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RoundsView:
    """What came of making the decisions of the newest rounds again."""

    equal: int
    """Rounds with the same decisions, to the bit."""
    different: str
    """The first difference, in words; empty when there is none. Later rounds were not looked at then."""
    not_reproducible: Mapping[str, int]
    """Why rounds were not compared, and how many."""
    rounds: int
    """All that are recorded."""
    decided_before: int
    """First decisions of former versions, which recorded no rounds."""
