"""A reader's model: what one user's verdicts have taught the reader features, the classifier and the thresholder.

    AnalysedArticle ─► ReaderFeatures ─► classifier ─► thresholder ─► Judgement
                          ▲                ▲             ▲
                          └────────────────┴─────────────┴── verdict

Everything in it is a deterministic function of the order of the verdicts. No I/O.
"""

from __future__ import annotations

import math
import warnings
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Extractor, Verdicts
from iscore.filtering.decision.cold_start import ColdStart
from iscore.filtering.decision.labelled import RANKERS
from iscore.filtering.decision.trained import is_trained
from iscore.filtering.features.computation import ReaderFeatures
from iscore.learners import Learner

LEFT_OUT = 150
"""Newest verdicts of each kind for which the score before learning is remembered."""

Floats = npt.NDArray[np.float64]
Articles = AnalysedBatch | Sequence[AnalysedArticle]


class Thresholder(Protocol):
    """Decides from a score, and learns the threshold from verdicts."""

    @property
    def threshold(self) -> float:
        """The threshold, on the scale of the scores."""

    def decide(self, score: float) -> bool:
        """Whether an article of this score is interesting."""

    def learn(self, score: float, interesting: bool, weight: float = 1.0) -> None:
        """Learn the verdict on an article of this score."""

    def state(self) -> dict[str, Any]:
        """Return everything learned."""

    def restore(self, state: dict[str, Any]) -> None:
        """Restore what ``state()`` returned."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """An article's score and the decision by the learned threshold, at one moment."""

    names: tuple[str, ...]
    features: Floats
    """One per name; NaN is missing."""
    score: float
    """Log-odds or margin, neutral 0."""
    threshold: float
    interesting: bool
    """Score at or above threshold."""
    trained: bool
    """Whether the score is the classifier's; False while there are too few verdicts (``decision.cold_start``)."""
    at: datetime | None = None

    @property
    def posterior(self) -> float:
        """Probability of interest, for display: 1 / (1 + exp(-score))."""
        return 0.5 * (1.0 + math.tanh(self.score / 2))

    @property
    def warm(self) -> bool:
        """Deprecated: the former name of ``trained``."""
        warnings.warn("Judgement.warm is now called trained", DeprecationWarning, stacklevel=2)
        return self.trained


class ReaderModel:
    """Reader features, classifier and thresholder of one user."""

    def __init__(
        self,
        article_feature_names: Sequence[str],
        extractors: Mapping[str, Extractor],
        classifier: Learner,
        thresholder: Thresholder,
    ) -> None:
        self.features = ReaderFeatures(extractors)
        self.classifier = classifier
        self.thresholder = thresholder
        self.names = (*article_feature_names, *self.features.names)
        self.likes = 0
        self.dislikes = 0
        self.imported = 0
        """Imported items that the reader features have learned."""
        self.rankers = RANKERS[0]
        """What ranks the articles that may be delivered, one of ``decision.labelled.RANKERS``."""
        self._cold_start = ColdStart(self.names)
        self._left_out: dict[bool, deque[float]] = {liked: deque(maxlen=LEFT_OUT) for liked in (True, False)}

    @property
    def trained(self) -> bool:
        """Whether there are enough verdicts for the classifier to score."""
        return is_trained(self.likes, self.dislikes)

    @property
    def threshold(self) -> float:
        """The learned threshold, 0 until the classifier scores.

        What is delivered depends on more than that: see ``decision.decide``.
        """
        return self.thresholder.threshold if self.trained else 0.0

    def judge(self, article: AnalysedArticle, *, at: datetime | None = None) -> Judgement:
        """Score one article and compare it with the learned threshold; changes nothing."""
        vector = self.vector(article)
        score = float(self.classifier.score_one(vector) if self.trained else self._scores(vector[np.newaxis])[0])
        threshold = self.threshold
        return Judgement(self.names, vector, score, threshold, score >= threshold, self.trained, at)

    def score_many(self, articles: Articles) -> Floats:
        """Return the score of each article, shape (articles,), equal bit for bit to those of ``judge``."""
        return self._scores(self.vectors(articles)) if len(articles) else np.empty(0)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """Learn one verdict; return the score that the classifier gave just before.

        The reader features are computed now, from the state without this verdict, so that its own label cannot leak
        into them; document and stream features are those of the article's arrival.
        """
        verdict = Verdicts.single(interesting, weight)
        features = self.features.extract_and_learn(AnalysedBatch.of([article]), verdict)[0]
        score = self.classifier.learn_one(np.concatenate([article.values, features]), interesting, weight)
        self._left_out[interesting].append(score if self.trained else math.nan)
        self.thresholder.learn(score, interesting, weight)
        self.likes += interesting
        self.dislikes += not interesting
        return score

    def learn_many(self, articles: Articles, verdicts: Verdicts) -> Floats:
        """Learn each verdict in turn, stage by stage; return the scores as ``learn`` does, shape (articles,)."""
        batch = AnalysedBatch.of(articles)
        vectors = np.hstack([batch.values, self.features.extract_and_learn(batch, verdicts)])
        scores = self.classifier.learn_many(vectors, verdicts.interesting, verdicts.weights)
        rows = zip(scores.tolist(), verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for score, interesting, weight in rows:
            self._left_out[interesting].append(score if self.trained else math.nan)
            self.thresholder.learn(score, interesting, weight)
            self.likes += interesting
            self.dislikes += not interesting
        return scores

    def learn_imported(self, article: AnalysedArticle, *, weight: float = 1.0) -> None:
        """Teach the reader features an imported item that the user liked: its words and its source.

        Its own features count as missing, and classifier and thresholder do not learn it: it does not look like news
        from feeds, and it was never delivered.
        """
        without_values = replace(article, values=np.full(len(article.values), np.nan))
        self.features.learn(without_values, True, weight)
        self.imported += 1

    def left_out(self, *, liked: bool) -> Floats:
        """Return the classifier's scores of the newest liked or disliked articles just before it learned from them.

        At most ``LEFT_OUT``, in order; NaN where there were too few verdicts to score.
        """
        return np.array(self._left_out[liked])

    def vector(self, article: AnalysedArticle) -> Floats:
        """Return the article's full feature vector as of now, one value per name."""
        return np.concatenate([article.values, self.features.extract(article)])

    def vectors(self, articles: Articles) -> Floats:
        """Return the full vector of each article as of now, shape (articles, names)."""
        batch = AnalysedBatch.of(articles)
        return np.ascontiguousarray(np.hstack([batch.values, self.features.extract_many(batch)]))

    def state(self) -> dict[str, Any]:
        """Return everything learned."""
        return {
            "likes": self.likes,
            "dislikes": self.dislikes,
            "imported": self.imported,
            "left_out_likes": self.left_out(liked=True),
            "left_out_dislikes": self.left_out(liked=False),
            "features": self.features.state(),
            "classifier": self.classifier.state(),
            "thresholder": self.thresholder.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Restore what ``state()`` returned."""
        self.likes = state["likes"]
        self.dislikes = state["dislikes"]
        self.imported = state["imported"]
        for liked, name in ((True, "left_out_likes"), (False, "left_out_dislikes")):
            self._left_out[liked] = deque(state[name].tolist(), maxlen=LEFT_OUT)
        self.features.restore(state["features"])
        self.classifier.restore(state["classifier"])
        self.thresholder.restore(state["thresholder"])

    def _scores(self, vectors: Floats) -> Floats:
        if self.trained:
            return self.classifier.score_many(vectors)
        return self._cold_start.score_many(vectors, self.likes, self.dislikes, imported=self.imported > 0)
