"""The whole loop on one screen: an article's way from document to judgement, and a verdict's way back. No I/O.

    Document ─► ArticleFeatures ─► AnalysedArticle ─► ReaderFeatures ─► classifier ─► thresholder ─► Judgement
                (stream, shared)                        ▲                ▲             ▲
                                                        └────────────────┴─────────────┴── verdict

``ReaderModel`` is the part that belongs to one person; everything in it is a deterministic function of the order of
their verdicts. ``Pipeline`` is both parts for one stream and one person, as the papers have it and as a library's user
wants it.
"""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from extractors.article import Document
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.extractor import Extractor, Verdicts
from iscore.filtering.decision.cold_start import ColdStart
from iscore.filtering.decision.trained import is_trained
from iscore.filtering.features.computation import ArticleFeatures, ReaderFeatures
from iscore.learners import Learner

Floats = npt.NDArray[np.float64]
Articles = AnalysedBatch | Sequence[AnalysedArticle]

REMEMBERED = 100_000
"""Judged articles whose frozen features a ``Pipeline`` keeps for their verdicts."""


class Thresholder(Protocol):
    """Decides from a score, and learns from verdicts where to cut."""

    @property
    def threshold(self) -> float:
        """The cut, on the scale of the scores."""

    def decide(self, score: float) -> bool:
        """Whether an article of this score is interesting."""

    def learn(self, score: float, interesting: bool, weight: float = 1.0) -> None:
        """Take in the verdict on an article of this score."""

    def state(self) -> dict[str, Any]:
        """Return everything remembered."""

    def restore(self, state: dict[str, Any]) -> None:
        """Become what ``state`` was taken from."""


@dataclass(frozen=True, slots=True, eq=False)
class Judgement:
    """What the filter thinks of one article at one moment."""

    names: tuple[str, ...]
    features: Floats
    """One per name; NaN is missing."""
    score: float
    """Log-odds or margin, neutral 0."""
    threshold: float
    interesting: bool
    """Score at or above threshold."""
    warm: bool
    """Whether the classifier judged; False while there are too few verdicts (``decision.cold_start``)."""
    at: datetime | None = None

    @property
    def posterior(self) -> float:
        """Probability of interest, for display: 1 / (1 + exp(-score))."""
        return 0.5 * (1.0 + math.tanh(self.score / 2))


class ReaderModel:
    """All that is learned of one person: reader features, classifier, thresholder."""

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
        self.seeds = 0
        """Things liked elsewhere that reader features know of."""
        self._cold = ColdStart(self.names)

    @property
    def warm(self) -> bool:
        """Whether there have been enough verdicts for the classifier to judge."""
        return is_trained(self.likes, self.dislikes)

    @property
    def threshold(self) -> float:
        """The cut in force: 0 until the classifier judges."""
        return self.thresholder.threshold if self.warm else 0.0

    def judge(self, article: AnalysedArticle, *, at: datetime | None = None) -> Judgement:
        """Judge one article; changes nothing."""
        vector = self.vector(article)
        score = self._scores(vector[np.newaxis])[0] if not self.warm else self.classifier.score_one(vector)
        return self._judgement(vector, float(score), at)

    def judge_many(self, articles: Articles, *, at: datetime | None = None) -> list[Judgement]:
        """Judge a batch; the same as ``judge`` one by one."""
        vectors = self.vectors(articles)
        scores = self._scores(vectors).tolist() if len(vectors) else []
        return [self._judgement(vector, score, at) for vector, score in zip(vectors, scores, strict=True)]

    def score_many(self, articles: Articles) -> Floats:
        """Return the scores that ``judge_many`` gives, shape (articles,)."""
        return self._scores(self.vectors(articles)) if len(articles) else np.empty(0)

    def learn(self, article: AnalysedArticle, interesting: bool, *, weight: float = 1.0) -> float:
        """Teach all stages one verdict; return the score that the classifier gave just before.

        The reader features are computed now, from the state without this verdict, so that its own label cannot leak
        into them; document and stream features are taken as frozen at arrival.
        """
        vector = self.vector(article)
        score = self.classifier.learn_one(vector, interesting, weight)
        self.thresholder.learn(score, interesting, weight)
        self.features.learn(article, interesting, weight)
        self.likes += interesting
        self.dislikes += not interesting
        return score

    def learn_many(self, articles: Articles, verdicts: Verdicts) -> Floats:
        """Do as ``learn`` of each in turn, stage by stage; return the scores, shape (articles,)."""
        batch = AnalysedBatch.of(articles)
        vectors = np.hstack([batch.values, self.features.follow(batch, verdicts)])
        scores = self.classifier.learn_many(vectors, verdicts.interesting, verdicts.weights)
        said = zip(scores.tolist(), verdicts.interesting.tolist(), verdicts.weights.tolist(), strict=True)
        for score, interesting, weight in said:
            self.thresholder.learn(score, interesting, weight)
        likes = int(np.count_nonzero(verdicts.interesting))
        self.likes += likes
        self.dislikes += len(verdicts) - likes
        return scores

    def seed(self, article: AnalysedArticle, *, weight: float = 1.0) -> None:
        """Teach reader features something liked elsewhere: its words, and where it comes from.

        Its own features count as missing, and classifier and thresholder learn nothing of it: its form is not that of
        news from feeds, and it was never delivered.
        """
        formless = replace(article, values=np.full(len(article.values), np.nan))
        self.features.learn(formless, True, weight)
        self.seeds += 1

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
            "seeds": self.seeds,
            "features": self.features.state(),
            "classifier": self.classifier.state(),
            "thresholder": self.thresholder.state(),
        }

    def restore(self, state: Mapping[str, Any]) -> None:
        """Become what ``state`` was taken from."""
        self.likes = state["likes"]
        self.dislikes = state["dislikes"]
        self.seeds = state["seeds"]
        self.features.restore(state["features"])
        self.classifier.restore(state["classifier"])
        self.thresholder.restore(state["thresholder"])

    def _scores(self, vectors: Floats) -> Floats:
        if self.warm:
            return self.classifier.score_many(vectors)
        return self._cold.score_many(vectors, self.likes, self.dislikes, seeded=self.seeds > 0)

    def _judgement(self, vector: Floats, score: float, at: datetime | None) -> Judgement:
        threshold = self.threshold
        return Judgement(self.names, vector, score, threshold, score >= threshold, self.warm, at)


class Pipeline:
    """One stream and one reader: judge every article as it arrives, learn from every verdict.

    Parameters
    ----------
    extractors
        By name, as ``extractors.registry()`` has them, made.
    classifier
        One of ``iscore.learners.LEARNERS``.
    thresholder
        Usually ``iscore.filtering.decision.threshold.AdaptiveThreshold()``.
    """

    def __init__(self, extractors: Mapping[str, Extractor], classifier: Learner, thresholder: Thresholder) -> None:
        self.arrivals = ArticleFeatures(extractors)
        self.reader = ReaderModel(self.arrivals.names, extractors, classifier, thresholder)
        self._judged: OrderedDict[str, AnalysedArticle] = OrderedDict()

    def judge(self, document: Document, *, at: datetime) -> Judgement:
        """Judge an article at its arrival; it joins the stream. Judging it again does not let it arrive twice."""
        return self.reader.judge(self._arrived(document), at=at)

    def learn(
        self,
        document: Document,
        interesting: bool,
        *,
        at: datetime,  # noqa: ARG002 -- part of the protocol: learners that forget will want it
        weight: float = 1.0,
    ) -> None:
        """Learn from a verdict, sooner or later after the article was judged."""
        self.reader.learn(self._arrived(document), interesting, weight=weight)

    def _arrived(self, document: Document) -> AnalysedArticle:
        article = self._judged.get(document.id)
        if article is None:
            article = self._judged[document.id] = self.arrivals.analyse(document)
            if len(self._judged) > REMEMBERED:
                self._judged.popitem(last=False)
        return article
