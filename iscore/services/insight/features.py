"""How features go with the verdicts, now and a month ago, and how many the classifier uses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

import numpy as np

from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.model import ReaderModel
from iscore.learners.learner import Explanation
from iscore.services.views.history import FeatureChange, FeatureHistory, FeaturesInUse

MOST = 24
"""Features shown: those with the largest correlation now or a month ago."""


def explained(model: ReaderModel) -> Explanation:
    """Return the classifier's explanation of its features, which does not depend on the article."""
    return model.classifier.explain_one(np.full(len(model.names), np.nan))


def correlations(model: ReaderModel) -> dict[str, float] | None:
    """Return each feature's correlation with the verdicts; None while the classifier is untrained."""
    return dict(zip(model.names, explained(model).correlations.tolist(), strict=True)) if model.trained else None


def in_use(saved: Iterable[tuple[int, Mapping[str, Any]]], spare: ReaderModel) -> Iterator[tuple[int, int]]:
    """Return the row and the number of features in use of each saved state in which the classifier judges.

    ``saved`` are states of models like ``spare``, which is used up.
    """
    for row, state in saved:
        if is_trained(state["likes"], state["dislikes"]):
            spare.classifier.restore(state["classifier"])
            yield row, explained(spare).subset_size


def feature_history(
    now: ReaderModel,
    then: ReaderModel | None,
    *,
    before: datetime | None,
    used: Sequence[FeaturesInUse],
) -> FeatureHistory:
    """Lay today's model beside that of a month ago, if there was one."""
    today = correlations(now) or {}
    earlier = None if then is None else correlations(then)
    weight = {name: max(abs(value), abs((earlier or {}).get(name, 0.0))) for name, value in today.items()}
    shown = sorted((name for name in weight if weight[name] > 0.0), key=lambda name: -weight[name])[:MOST]
    return FeatureHistory(
        n_features=len(now.names),
        in_use=tuple(used),
        changes=tuple(
            FeatureChange(
                name=name,
                meaning=now.features.extractor_of[name].meanings[name],
                now=today[name],
                before=None if earlier is None else earlier.get(name, 0.0),
                scope=now.features.extractor_of[name].scope,
            )
            for name in shown
        ),
        before=before,
    )
