"""Whether the reader likes what shouts."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from extractors.arrays import State, array
from extractors.article_features import AnalysedArticle
from extractors.base import ReaderExtractor


class Excitement(ReaderExtractor):
    """The share of liked articles among those judged that shout as this one does, or keep quiet as it does.

    (liked + 1)/(judged + 2), in (0, 1). It goes by the feature ``exclamations``, and is missing where that is: for
    articles that arrived before this package was installed. What it knows are four numbers.
    """

    features: ClassVar[tuple[str, ...]] = ("excitement",)
    meanings: ClassVar[Mapping[str, str]] = {"excitement": "as loud as what you often like"}
    limits: ClassVar[Mapping[str, tuple[float, float]]] = {"excitement": (0.25, 0.75)}

    def __init__(self) -> None:
        self._judged = np.zeros((2, 2))
        """Weight of the verdicts: a row for quiet, one for loud; disliked, liked."""

    def extract(self, article: AnalysedArticle) -> Sequence[float]:
        marks = article.value("exclamations")
        if math.isnan(marks):
            return [math.nan]
        disliked, liked = self._judged[int(marks > 0)]
        return [(liked + 1) / (liked + disliked + 2)]

    def learn(self, article: AnalysedArticle, interesting: bool, weight: float) -> None:
        marks = article.value("exclamations")
        if not math.isnan(marks):
            self._judged[int(marks > 0), int(interesting)] += weight

    def state(self) -> State:
        return {"judged": self._judged.copy()}

    def restore(self, state: State) -> None:
        self._judged = array(state, "judged", np.float64)
