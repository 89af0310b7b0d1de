"""The full protocol: score an article, then learn its verdict, one after the other.

Every verdict is known here, so reader features do not depend on the classifier: they are computed once and shared by
all classifiers, and one computation serves scoring and learning, since nothing happens in between.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from extractors.base import Verdicts
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, Chunk, FeatureCache, Labelling
from iscore.evaluation.replay.feature_cache_build import load_stream_extractors
from iscore.evaluation.replay.outcome import FeatureCorrelations, Flags, Outcome, ReaderOutcomes
from iscore.evaluation.replay.protocol import OnProgress, Protocol, ignore_progress
from iscore.filtering.delivery.limits import is_trained
from iscore.filtering.features.computation import ReaderFeatures
from iscore.filtering.model_factory import make_classifier
from iscore.filtering.paper import THRESHOLDERS, ColdStart, usual_thresholder
from iscore.learners.naive_bayes import correlation

Floats = npt.NDArray[np.float64]

FULL = Protocol()


def run_full(
    cache: FeatureCache,
    reader: str,
    classifiers: Sequence[str],
    *,
    protocol: Protocol = FULL,
    on_progress: OnProgress = ignore_progress,
) -> ReaderOutcomes:
    """Replay a stream for one reader with each of the classifiers."""
    features = ReaderFeatures(load_stream_extractors(texts=cache.texts, seed=protocol.seed).extractors)
    names = (*cache.names, *features.names)
    labels = cache.labels(reader)
    liked = labels[labels != NO_VERDICT] == LIKED
    runs = [_ClassifierRun(classifier, protocol.thresholder, names, len(liked)) for classifier in classifiers]
    moments = np.zeros((correlation.N_MOMENTS, len(names)))
    shared = 0.0
    for chunk in cache.chunks():
        mine = labels[chunk.start : chunk.start + len(chunk.articles)]
        rows = np.flatnonzero(mine != NO_VERDICT)
        start = time.process_time()
        vectors = _vectors(features, chunk, rows, mine)
        shared += time.process_time() - start
        for run in runs:
            run.score_and_learn(vectors, mine[rows] == LIKED, chunk.weights[rows])
        for vector, like in zip(vectors, (mine[rows] == LIKED).tolist(), strict=True):
            correlation.update(moments, vector, float(like), 1.0)
        on_progress(len(chunk.articles) * len(runs))
    outcomes = [
        _outcome(cache, reader, run.classifier, liked, (run.scores, run.thresholds, run.trained), shared + run.seconds)
        for run in runs
    ]
    return ReaderOutcomes(
        tuple(outcomes),
        dict(features.failures.reasons),
        FeatureCorrelations.of_moments(cache.stream, reader, names, moments),
    )


def _outcome(
    cache: FeatureCache,
    reader: str,
    classifier: str,
    liked: Flags,
    columns: tuple[Floats, Floats, Flags],
    seconds: float,
) -> Outcome:
    scores, thresholds, trained = columns
    return Outcome(
        stream=cache.stream,
        reader=reader,
        classifier=classifier,
        protocol="full",
        liked=liked,
        scores=scores,
        thresholds=thresholds,
        recommended=scores >= thresholds,
        explored=np.zeros(len(liked), dtype=np.bool_),
        trained=trained,
        verdicts=len(liked),
        seconds=seconds,
    )


def _vectors(features: ReaderFeatures, chunk: Chunk, rows: npt.NDArray[np.intp], labels: Labelling) -> Floats:
    """Return the full vectors of these articles, each as it was before its verdict; shape (rows, features)."""
    articles = chunk.articles if len(rows) == len(chunk.articles) else chunk.articles.at(rows)
    verdicts = Verdicts(labels[rows] == LIKED, chunk.weights[rows])
    return np.hstack([articles.values, features.extract_and_learn(articles, verdicts)])


class _ClassifierRun:
    """One classifier with its thresholder, doing with vectors what ``ReaderModel`` does with articles."""

    def __init__(self, classifier: str, thresholder: str, names: Sequence[str], n_verdicts: int) -> None:
        self.classifier = classifier
        self.scores = np.empty(n_verdicts)
        self.thresholds = np.empty(n_verdicts)
        self.trained = np.empty(n_verdicts, dtype=np.bool_)
        self.seconds = 0.0
        self._classifier = make_classifier(classifier, names)
        self._thresholder = THRESHOLDERS[thresholder or usual_thresholder(classifier)]()
        self._cold_start = ColdStart(names)
        self._likes = 0
        self._done = 0

    def score_and_learn(self, vectors: Floats, liked: Flags, weights: Floats) -> None:
        start = time.process_time()
        # A learner returns the score that it gave just before it learned.
        scores = self._classifier.learn_many(vectors, liked, weights)
        for vector, score, like, weight in zip(vectors, scores.tolist(), liked.tolist(), weights.tolist(), strict=True):
            number, likes = self._done, self._likes
            trained = is_trained(likes, number - likes)
            self.trained[number] = trained
            self.thresholds[number] = self._thresholder.threshold if trained else 0.0
            self._thresholder.learn(score, like, weight)
            if not trained:
                score = float(self._cold_start.score_many(vector[np.newaxis], likes, number - likes)[0])  # noqa: PLW2901 -- an untrained model scores by similarity
            self.scores[number] = score
            self._likes += like
            self._done += 1
        self.seconds += time.process_time() - start
