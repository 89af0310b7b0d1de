"""A reader whose interests may change: when they seem to, a second memory begins, and who foretells better speaks.

    verdict ─► memory ─► drift detector ─► rings: a second memory begins, which knows nothing of what was liked,
                                           and all of how measures speak for liking
            ─► both memories learn ─► the one with the smaller loss speaks ─► after ``TRIAL`` verdicts the other goes

An old interest sticks in the profiles that reader features keep of what was liked, not in the classifier: "close to
what you liked" is good news whatever it was that you liked. So the second memory has fresh reader features and a fresh
threshold, and a copy of the classifier. Nothing is lost by a false alarm, because the first memory goes on learning and
speaks until the second has foretold better; and a series of verdicts given the wrong way round, after which the old
interests hold again, does not cost them.

A deterministic function of the order of the verdicts, like the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from extractors.extractor import Extractor, Verdicts
from extractors.frozen import FrozenArticle
from iscore.drift import DriftDetector, log_loss
from iscore.learners import Learner
from iscore.pipeline import Articles, Floats, ReaderModel, Thresholder

TRIAL: Final = 2000
"""Verdicts for which there are two memories, and learning costs twice."""
LARGEST_LEAD: Final = 10.0
"""In nats. So little is remembered of who used to be better: two or three verdicts turn it."""


class TurningReader(ReaderModel):
    """A ``ReaderModel`` that follows changes of interest. ``features``, ``classifier`` and ``thresholder`` are those of
    the memory that speaks.

    Parameters
    ----------
    arrival_names
        As of ``ReaderModel``.
    make_extractors, make_classifier, make_thresholder
        Make what has seen nothing; asked again when a second memory begins.
    """

    def __init__(
        self,
        arrival_names: Sequence[str],
        make_extractors: Callable[[], Mapping[str, Extractor]],
        make_classifier: Callable[[], Learner],
        make_thresholder: Callable[[], Thresholder],
    ) -> None:
        super().__init__(arrival_names, make_extractors(), make_classifier(), make_thresholder())

        def make() -> ReaderModel:
            return ReaderModel(arrival_names, make_extractors(), make_classifier(), make_thresholder())

        self._make = make
        self._detector = DriftDetector()
        self._other: ReaderModel | None = None
        self._lead = 0.0  # of the memory that speaks, in nats
        self._trial = 0  # verdicts since there are two memories

    @property
    def torn(self) -> bool:
        """Whether interests seem to have changed, so that there are two memories."""
        return self._other is not None

    def learn(self, article: FrozenArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """See ``ReaderModel``."""
        score = super().learn(article, interesting, weight=weight)
        if self._detector.learn(score, interesting, watching=self._other is None):
            self._other = self._begun()
            self._lead = 0.0
            self._trial = 0
        elif self._other is not None:
            others = self._other.learn(article, interesting, weight=weight)
            lead = self._lead + log_loss(others, interesting) - log_loss(score, interesting)
            self._lead = min(max(lead, -LARGEST_LEAD), LARGEST_LEAD)
            if self._lead < 0.0:
                self._change_places(self._other)
                self._lead = -self._lead
            self._trial += 1
            if self._trial == TRIAL:
                self._other = None
        return score

    def learn_many(self, articles: Articles, verdicts: Verdicts) -> Floats:
        """See ``ReaderModel``. One by one: which memory speaks may change with each verdict."""
        scores = np.empty(len(verdicts))
        said = zip(verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for row, (interesting, weight) in enumerate(said):
            scores[row] = self.learn(articles[row], interesting, weight=weight)
        return scores

    def seed(self, article: FrozenArticle, *, weight: float = 1.0) -> None:
        """See ``ReaderModel``."""
        super().seed(article, weight=weight)
        if self._other is not None:
            self._other.seed(article, weight=weight)

    def state(self) -> dict[str, Any]:
        """See ``ReaderModel``."""
        return super().state() | {
            "detector": self._detector.state(),
            "other": None if self._other is None else self._other.state(),
            "lead": self._lead,
            "trial": self._trial,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``ReaderModel``."""
        super().restore(state)
        self._detector.restore(state["detector"])
        self._other = None
        if state["other"] is not None:
            self._other = self._make()
            self._other.restore(state["other"])
        self._lead = state["lead"]
        self._trial = state["trial"]

    def _begun(self) -> ReaderModel:
        other = self._make()
        other.classifier.restore(self.classifier.state())
        return other

    def _change_places(self, other: ReaderModel) -> None:
        self.features, other.features = other.features, self.features
        self.classifier, other.classifier = other.classifier, self.classifier
        self.thresholder, other.thresholder = other.thresholder, self.thresholder
