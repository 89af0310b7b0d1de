"""A reader's model: what one user's verdicts have taught the reader features and the classifier.

    AnalysedArticle ─► ReaderFeatures ─► classifier ─► score
                          ▲                ▲
                          └────────────────┴── verdict

Everything in it is a deterministic function of the order of the verdicts. No I/O.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.base import Extractor, Verdicts
from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.features.computation import ReaderFeatures
from iscore.filtering.ranking.labelled import RANKERS
from iscore.learners import Learner

LEFT_OUT = 150
"""Newest verdicts of each kind for which the score before learning is remembered."""

Floats = npt.NDArray[np.float64]
Articles = AnalysedBatch | Sequence[AnalysedArticle]


class ColdStarter(Protocol):
    """Scores articles while there are too few verdicts for the classifier."""

    def score_many(self, vectors: Floats, likes: int, dislikes: int, *, imported: bool = False) -> Floats:
        """Return log-odds for vectors of shape (articles, features)."""


class ReaderModel:
    """Reader features and classifier of one user."""

    def __init__(
        self, article_feature_names: Sequence[str], extractors: Mapping[str, Extractor], classifier: Learner
    ) -> None:
        self.features = ReaderFeatures(extractors)
        self.classifier = classifier
        self.names = (*article_feature_names, *self.features.names)
        self.likes = 0
        self.dislikes = 0
        self.imported = 0
        """Imported items that the reader features have learned."""
        self.rankers = RANKERS[0]
        """What ranks the articles that may be delivered, one of ``ranking.labelled.RANKERS``."""
        self.cold_start: ColdStarter | None = None
        """What scores while there are too few verdicts; None for no scores (NaN) until then."""
        self._left_out: dict[bool, deque[float]] = {liked: deque(maxlen=LEFT_OUT) for liked in (True, False)}

    @property
    def trained(self) -> bool:
        """Whether there are enough verdicts for the classifier to score."""
        return is_trained(self.likes, self.dislikes)

    def score_many(self, articles: Articles) -> Floats:
        """Return the score of each article; shape (articles,). NaN while nothing can score."""
        if not len(articles) or not (self.trained or self.cold_start):
            return np.full(len(articles), np.nan)
        return self.score_vectors(self.vectors(articles))

    def score_vectors(self, vectors: Floats) -> Floats:
        """Return the same from full vectors, shape (articles, names)."""
        if self.trained:
            return self.classifier.score_many(vectors)
        if self.cold_start is None:
            return np.full(len(vectors), np.nan)
        return self.cold_start.score_many(vectors, self.likes, self.dislikes, imported=self.imported > 0)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """Learn one verdict; return the score that the classifier gave just before.

        The reader features are computed now, from the state without this verdict, so that its own label cannot leak
        into them; document and stream features are those of the article's arrival.
        """
        verdict = Verdicts.single(interesting, weight)
        features = self.features.extract_and_learn(AnalysedBatch.of([article]), verdict)[0]
        score = self.classifier.learn_one(np.concatenate([article.values, features]), interesting, weight)
        self._left_out[interesting].append(score if self.trained else math.nan)
        self.likes += interesting
        self.dislikes += not interesting
        return score

    def learn_many(self, articles: Articles, verdicts: Verdicts) -> Floats:
        """Learn each verdict in turn, stage by stage; return the scores as ``learn`` does, shape (articles,)."""
        batch = AnalysedBatch.of(articles)
        vectors = np.hstack([batch.values, self.features.extract_and_learn(batch, verdicts)])
        scores = self.classifier.learn_many(vectors, verdicts.interesting, verdicts.weights)
        for score, interesting in zip(scores.tolist(), verdicts.interesting.tolist(), strict=True):
            self._left_out[interesting].append(score if self.trained else math.nan)
            self.likes += interesting
            self.dislikes += not interesting
        return scores

    def learn_imported(self, article: AnalysedArticle, *, weight: float = 1.0) -> None:
        """Teach the reader features an imported item that the user liked: its words and its source.

        Its own features count as missing, and the classifier does not learn it: it does not look like news from feeds,
        and it was never delivered.
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
