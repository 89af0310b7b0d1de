"""What living through a stream gives."""

from __future__ import annotations

from dataclasses import dataclass

from iscore.evaluation.replay.correlations import FeatureCorrelations
from iscore.evaluation.replay.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Lived:
    """One reader's outcomes, one per classifier."""

    outcomes: tuple[Outcome, ...]
    problems: dict[str, str]
    """Why extractors failed, by name: their features were missing then."""
    correlations: FeatureCorrelations | None = None
    """How features go with interest; None in the delivered protocol, where what is measured depends on who judges."""
