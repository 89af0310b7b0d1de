"""Makes the model of a reader: the one place that says of what it consists, for the product and for replays alike."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from extractors.extractor import Extractor
from iscore.decision import AdaptiveThreshold
from iscore.learners import LEARNERS
from iscore.pipeline import ReaderModel
from iscore.turning import TurningReader


def make_reader(
    arrival_names: Sequence[str],
    make_extractors: Callable[[], Mapping[str, Extractor]],
    classifier: str,
    *,
    follow_changes: bool = False,
) -> ReaderModel:
    """Return a model that has learned nothing.

    Parameters
    ----------
    arrival_names
        Names of the features that are frozen at arrival, in order.
    make_extractors
        Makes extractors that have seen nothing, by registered name.
    classifier
        One of ``LEARNERS``. Raises ``KeyError`` for any other.
    follow_changes
        Whether a second memory begins when interests seem to change (``iscore.turning``).
    """
    if follow_changes:
        return TurningReader(arrival_names, make_extractors, LEARNERS[classifier], AdaptiveThreshold)
    return ReaderModel(arrival_names, make_extractors(), LEARNERS[classifier](), AdaptiveThreshold())
