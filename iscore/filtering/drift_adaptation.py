"""A reader whose interests may change: when they seem to, other memories stand by, and who foretells best speaks.

    verdict ─► memory ─► drift detector ─► rings: a *second* memory begins, which knows nothing of what was liked,
                                           and all of how measures speak for liking;
                                           and the first is *kept* as it is now, and learns nothing more
            ─► first and second learn ─► the one with the smallest loss speaks ─► after ``TRIAL`` verdicts the others go

An old interest sticks in the profiles that reader features keep of what was liked, not in the classifier: "close to
what you liked" is good news whatever it was that you liked. So the second memory has fresh reader features and a fresh
threshold, and a copy of the classifier. Nothing is lost by a false alarm, because the first memory goes on learning and
speaks until the second has foretold better. As long as it speaks the detector goes on watching, and when it rings again
the second begins again: a change soon after a false alarm is followed like any other.

Verdicts that contradict all that was known may also be wrong: a child at the keys, or a hand that slipped through a
whole list. Then the old interests hold again, and the memory that was kept foretells better than those that have
learned the wrong verdicts; from then on it learns. What stood in between is lost with them, right or wrong.

A deterministic function of the order of the verdicts, like the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from extractors.article_features import AnalysedArticle
from extractors.extractor import Extractor, Verdicts
from iscore.filtering.drift import DriftDetector, log_loss
from iscore.filtering.pipeline import Articles, Floats, ReaderModel, Thresholder
from iscore.learners import Learner

TRIAL: Final = 2000
"""Verdicts for which there are other memories, and learning costs more than twice."""
LARGEST_LEAD: Final = 10.0
"""In nats. So little is remembered of who used to be better: two or three verdicts turn it. What is kept begins so far
behind: that of two memories which know nearly the same the one speaks that learns."""

Role = Literal["first", "second", "kept"]


class TurningReader(ReaderModel):
    """A ``ReaderModel`` that follows changes of interest. ``features``, ``classifier`` and ``thresholder`` are those of
    the memory that speaks.

    Parameters
    ----------
    article_feature_names
        As of ``ReaderModel``.
    make_extractors, make_classifier, make_thresholder
        Make what has seen nothing; asked again when a second memory begins.
    """

    def __init__(
        self,
        article_feature_names: Sequence[str],
        make_extractors: Callable[[], Mapping[str, Extractor]],
        make_classifier: Callable[[], Learner],
        make_thresholder: Callable[[], Thresholder],
    ) -> None:
        super().__init__(article_feature_names, make_extractors(), make_classifier(), make_thresholder())

        def make() -> ReaderModel:
            return ReaderModel(article_feature_names, make_extractors(), make_classifier(), make_thresholder())

        self._make = make
        self._detector = DriftDetector()
        self._speaks: Role = "first"
        self._others: dict[Role, ReaderModel] = {}
        self._leads: dict[Role, float] = {}  # of the memory that speaks over each of the others, in nats
        self._trial = 0  # verdicts since it rang

    @property
    def torn(self) -> bool:
        """Whether interests seem to have changed, so that there is more than one memory."""
        return bool(self._others)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """See ``ReaderModel``."""
        score = super().learn(article, interesting, weight=weight)
        # A second memory that has not foretold better yet is no answer to a change: it began with the old interest.
        rings = self._detector.learn(score, interesting, watching=self._speaks != "second")
        if rings:
            self._others.pop("second", None)
        self._compare(article, interesting, weight, log_loss(score, interesting))
        if rings:
            self._begin()
        elif self._others:
            self._trial += 1
            if self._trial == TRIAL:
                self._speaks, self._others = "first", {}
        return score

    def learn_many(self, articles: Articles, verdicts: Verdicts) -> Floats:
        """See ``ReaderModel``. One by one: which memory speaks may change with each verdict."""
        scores = np.empty(len(verdicts))
        said = zip(verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for row, (interesting, weight) in enumerate(said):
            scores[row] = self.learn(articles[row], interesting, weight=weight)
        return scores

    def seed(self, article: AnalysedArticle, *, weight: float = 1.0) -> None:
        """See ``ReaderModel``."""
        super().seed(article, weight=weight)
        for other in self._others.values():
            other.seed(article, weight=weight)

    def state(self) -> dict[str, Any]:
        """See ``ReaderModel``."""
        return super().state() | {
            "detector": self._detector.state(),
            "speaks": self._speaks,
            "others": {role: other.state() for role, other in self._others.items()},
            "leads": {role: self._leads[role] for role in self._others},
            "trial": self._trial,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``ReaderModel``."""
        super().restore(state)
        self._detector.restore(state["detector"])
        self._speaks = state["speaks"]
        self._others = {}
        for role, known in state["others"].items():
            self._others[role] = self._make()
            self._others[role].restore(known)
        self._leads = dict(state["leads"])
        self._trial = state["trial"]

    def _begin(self) -> None:
        self._trial = 0
        second = self._others["second"] = self._make()
        second.classifier.restore(self.classifier.state())
        # Where the kept one speaks, verdicts were wrong before.
        self._leads["second"] = LARGEST_LEAD if self._speaks == "kept" else 0.0
        # What was kept at an earlier alarm has learned less of what may be wrong.
        if self._speaks != "kept" and "kept" not in self._others:
            kept = self._others["kept"] = self._make()
            kept.restore(super().state())
            self._leads["kept"] = LARGEST_LEAD

    def _compare(self, article: AnalysedArticle, interesting: bool, weight: float, loss: float) -> None:
        """Let the others foretell the verdict, and learn it; and the one speak that has foretold best."""
        for role, other in self._others.items():
            score = other.judge(article).score if role == "kept" else other.learn(article, interesting, weight=weight)
            self._leads[role] = min(self._leads[role] + log_loss(score, interesting) - loss, LARGEST_LEAD)
        best = min(self._others, key=lambda role: self._leads[role], default=self._speaks)
        if best != self._speaks and self._leads[best] < 0.0:
            self._let_speak(best)

    def _let_speak(self, role: Role) -> None:
        other, behind = self._others.pop(role), -self._leads[role]
        self.features, other.features = other.features, self.features
        self.classifier, other.classifier = other.classifier, self.classifier
        self.thresholder, other.thresholder = other.thresholder, self.thresholder
        self._others[self._speaks] = other
        self._leads[self._speaks] = 0.0
        for each in self._others:
            self._leads[each] = min(self._leads[each] + behind, LARGEST_LEAD)
        self._speaks = role
