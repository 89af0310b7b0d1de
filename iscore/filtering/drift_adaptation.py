"""A reader's model that adapts to changes of interest: after an alarm, several models compete by their predictions.

    verdict ─► model ─► drift detector ─► alarm: a *second* model begins, with fresh reader features and threshold and a
                                          copy of the classifier;
                                          a frozen copy of the first is *kept*, and learns nothing more
            ─► first and second learn ─► the one with the smallest loss is active ─► after ``TRIAL`` verdicts the
                                                                                      others are dropped

An old interest persists in the profiles that the reader features have of liked articles, not in the classifier: "close
to what you liked" is good news whatever it was that you liked. That is why the second model has fresh reader features,
and a copy of the classifier. A false alarm loses nothing, because the first model goes on learning and remains active
until the second has predicted better. Until then the detector goes on watching, and at another alarm the second begins
again: a change soon after a false alarm is detected like any other.

Verdicts that contradict everything known may also be wrong: a child at the keyboard, or a whole list rejected by
mistake. Then the old interests are right again, and the kept copy predicts better than the models that have learned the
wrong verdicts; from then on it learns. The verdicts in between are lost with those models, right or wrong.

A deterministic function of the order of the verdicts, like the model itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal

import numpy as np

from extractors.article_features import AnalysedArticle
from extractors.base import Extractor, Verdicts
from iscore.filtering.drift import DriftDetector, log_loss
from iscore.filtering.model import Articles, Floats, ReaderModel, Thresholder
from iscore.learners import Learner

TRIAL: Final = 2000
"""Verdicts during which there are other models, and learning costs more than twice."""
LARGEST_LEAD: Final = 10.0
"""In nats. It bounds how long a former advantage counts: two or three verdicts reverse it. The kept copy begins so far
behind: of two models that know nearly the same, the one that learns is active."""

Role = Literal["first", "second", "kept"]


class DriftAdaptiveModel(ReaderModel):
    """A ``ReaderModel`` that adapts to changes of interest.

    ``features``, ``classifier`` and ``thresholder`` are those of the active model.

    Parameters
    ----------
    article_feature_names
        As of ``ReaderModel``.
    make_extractors, make_classifier, make_thresholder
        Make parts that have learned nothing; called again when a second model begins.
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
        self._active: Role = "first"
        self._others: dict[Role, ReaderModel] = {}
        self._leads: dict[Role, float] = {}  # of the active model over each of the others, in nats
        self._trial = 0  # verdicts since the alarm

    @property
    def adapting(self) -> bool:
        """Whether interests seem to have changed, so that several models compete."""
        return bool(self._others)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """See ``ReaderModel``."""
        score = super().learn(article, interesting, weight=weight)
        # A second model that has not predicted better yet is no answer to a change: it began with the old interest.
        alarm = self._detector.learn(score, interesting, watching=self._active != "second")
        if alarm:
            self._others.pop("second", None)
        self._compare(article, interesting, weight, log_loss(score, interesting))
        if alarm:
            self._begin_trial()
        elif self._others:
            self._trial += 1
            if self._trial == TRIAL:
                self._active, self._others = "first", {}
        return score

    def learn_many(self, articles: Articles, verdicts: Verdicts) -> Floats:
        """See ``ReaderModel``. One by one: which model is active may change with each verdict."""
        scores = np.empty(len(verdicts))
        labels = zip(verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for row, (interesting, weight) in enumerate(labels):
            scores[row] = self.learn(articles[row], interesting, weight=weight)
        return scores

    def learn_imported(self, article: AnalysedArticle, *, weight: float = 1.0) -> None:
        """See ``ReaderModel``."""
        super().learn_imported(article, weight=weight)
        for other in self._others.values():
            other.learn_imported(article, weight=weight)

    def state(self) -> dict[str, Any]:
        """See ``ReaderModel``."""
        return super().state() | {
            "detector": self._detector.state(),
            "speaks": self._active,
            "others": {role: other.state() for role, other in self._others.items()},
            "leads": {role: self._leads[role] for role in self._others},
            "trial": self._trial,
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """See ``ReaderModel``."""
        super().restore(state)
        self._detector.restore(state["detector"])
        self._active = state["speaks"]
        self._others = {}
        for role, saved in state["others"].items():
            self._others[role] = self._make()
            self._others[role].restore(saved)
        self._leads = dict(state["leads"])
        self._trial = state["trial"]

    def _begin_trial(self) -> None:
        self._trial = 0
        second = self._others["second"] = self._make()
        second.classifier.restore(self.classifier.state())
        # When the kept copy is active, verdicts were wrong before.
        self._leads["second"] = LARGEST_LEAD if self._active == "kept" else 0.0
        # A copy kept at an earlier alarm has learned fewer verdicts that may be wrong.
        if self._active != "kept" and "kept" not in self._others:
            kept = self._others["kept"] = self._make()
            kept.restore(super().state())
            self._leads["kept"] = LARGEST_LEAD

    def _compare(self, article: AnalysedArticle, interesting: bool, weight: float, loss: float) -> None:
        """Let the other models predict the verdict and learn it, and activate the one that has predicted best."""
        for role, other in self._others.items():
            score = other.judge(article).score if role == "kept" else other.learn(article, interesting, weight=weight)
            self._leads[role] = min(self._leads[role] + log_loss(score, interesting) - loss, LARGEST_LEAD)
        best = min(self._others, key=lambda role: self._leads[role], default=self._active)
        if best != self._active and self._leads[best] < 0.0:
            self._activate(best)

    def _activate(self, role: Role) -> None:
        other, behind = self._others.pop(role), -self._leads[role]
        self.features, other.features = other.features, self.features
        self.classifier, other.classifier = other.classifier, self.classifier
        self.thresholder, other.thresholder = other.thresholder, self.thresholder
        self._others[self._active] = other
        self._leads[self._active] = 0.0
        for each in self._others:
            self._leads[each] = min(self._leads[each] + behind, LARGEST_LEAD)
        self._active = role
