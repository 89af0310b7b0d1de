"""The full protocol: judge an article, then learn its verdict, one after the other.

What the reader's verdicts say about an article does not depend on the classifier here, since each verdict is known:
reader features are computed once and shared by all classifiers. One computation of them serves both verbs, since
nothing happens between an article's judgement and its verdict. Where changes of interest are followed, this does not
hold: then each classifier's model lives by itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from extractors.extractor import Verdicts
from iscore.evaluation.replay.correlations import of_moments
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, Chunk, Labelling, Measured
from iscore.evaluation.replay.feature_cache_build import made_extractors, new_reader
from iscore.evaluation.replay.outcome import Flags, Outcome
from iscore.evaluation.replay.progress_line import Lived
from iscore.evaluation.replay.protocol import Protocol
from iscore.filtering.decision.cold_start import ColdStart
from iscore.filtering.decision.threshold import AdaptiveThreshold
from iscore.filtering.decision.trained import is_trained
from iscore.filtering.features.computation import ReaderFeatures
from iscore.filtering.model import ReaderModel
from iscore.filtering.model_factory import make_classifier
from iscore.learners.naive_bayes import correlation

Floats = npt.NDArray[np.float64]
Advanced = Callable[[int], None]
"""Told how many articles have been lived through since it was told last."""

PLAIN = Protocol()


def run_full(
    measured: Measured,
    reader: str,
    classifiers: Sequence[str],
    *,
    protocol: Protocol = PLAIN,
    advanced: Advanced = lambda _: None,
) -> Lived:
    """Send one reader's articles through the filter, with each of the classifiers."""
    if protocol.follow_changes:
        models = {c: new_reader(measured, c, seed=protocol.seed, follow_changes=True) for c in classifiers}
        return run_by_model(measured, reader, models, advanced=advanced)
    features = ReaderFeatures(made_extractors(texts=measured.texts, seed=protocol.seed).extractors)
    names = (*measured.names, *features.names)
    labels = measured.labels(reader)
    n_verdicts = int(np.count_nonzero(labels != NO_VERDICT))
    judges = [_Judge(classifier, names, n_verdicts) for classifier in classifiers]
    moments = np.zeros((correlation.N_MOMENTS, len(names)))
    shared = 0.0
    for chunk in measured.chunks():
        mine = labels[chunk.start : chunk.start + len(chunk.articles)]
        rows = np.flatnonzero(mine != NO_VERDICT)
        start = time.process_time()
        vectors = _vectors(features, chunk, rows, mine)
        shared += time.process_time() - start
        liked = mine[rows] == LIKED
        for judge in judges:
            judge.live(vectors, liked, chunk.weights[rows])
        for vector, like in zip(vectors, liked.tolist(), strict=True):
            correlation.update(moments, vector, float(like), 1.0)
        advanced(len(chunk.articles) * len(judges))
    outcomes = tuple(judge.outcome(measured.stream, reader, labels, shared) for judge in judges)
    return Lived(outcomes, dict(features.failures.reasons), of_moments(measured.stream, reader, names, moments))


def run_by_model(
    measured: Measured, reader: str, models: Mapping[str, ReaderModel], *, advanced: Advanced = lambda _: None
) -> Lived:
    """Send one reader's articles through models, by the names of their classifiers; all is asked of the model."""
    labels = measured.labels(reader)
    liked = labels[labels != NO_VERDICT] == LIKED
    outcomes = []
    problems: dict[str, str] = {}
    for classifier, model in models.items():
        n = len(liked)
        scores, thresholds, trained = np.empty(n), np.empty(n), np.empty(n, dtype=np.bool_)
        done, seconds = 0, 0.0
        for chunk in measured.chunks():
            mine = labels[chunk.start : chunk.start + len(chunk.articles)]
            start = time.process_time()
            for row in np.flatnonzero(mine != NO_VERDICT).tolist():
                article = chunk.articles[row]
                judgement = model.judge(article)
                scores[done], thresholds[done], trained[done] = judgement.score, judgement.threshold, judgement.trained
                model.learn(article, bool(mine[row] == LIKED), weight=float(chunk.weights[row]))
                done += 1
            seconds += time.process_time() - start
            advanced(len(chunk.articles))
        outcomes.append(_outcome(measured.stream, reader, classifier, liked, scores, thresholds, trained, seconds))
        problems |= model.features.failures.reasons
    return Lived(tuple(outcomes), problems)


def _outcome(
    stream: str,
    reader: str,
    classifier: str,
    liked: Flags,
    scores: Floats,
    thresholds: Floats,
    trained: Flags,
    seconds: float,
) -> Outcome:
    return Outcome(
        stream=stream,
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
    return np.hstack([articles.values, features.follow(articles, verdicts)])


class _Judge:
    """One classifier with its thresholder, living through vectors."""

    def __init__(self, classifier: str, names: Sequence[str], n_verdicts: int) -> None:
        self._name = classifier
        self._classifier = make_classifier(classifier, names)
        self._thresholder = AdaptiveThreshold()
        self._cold_start = ColdStart(names)
        self._likes = 0
        self._done = 0
        self._seconds = 0.0
        self._scores = np.empty(n_verdicts)
        self._thresholds = np.empty(n_verdicts)
        self._trained = np.empty(n_verdicts, dtype=np.bool_)

    def live(self, vectors: Floats, liked: npt.NDArray[np.bool_], weights: Floats) -> None:
        """Judge and learn the next articles, as ``ReaderModel`` does."""
        start = time.process_time()
        # A learner answers with the score that it gave just before it learned.
        scores = self._classifier.learn_many(vectors, liked, weights)
        said = zip(vectors, scores.tolist(), liked.tolist(), weights.tolist(), strict=True)
        for vector, score, like, weight in said:
            number, likes = self._done, self._likes
            trained = is_trained(likes, number - likes)
            self._trained[number] = trained
            self._thresholds[number] = self._thresholder.threshold if trained else 0.0
            self._thresholder.learn(score, like, weight)
            cold = 0.0 if trained else float(self._cold_start.score_many(vector[np.newaxis], likes, number - likes)[0])
            self._scores[number] = score if trained else cold
            self._likes += like
            self._done += 1
        self._seconds += time.process_time() - start

    def outcome(self, stream: str, reader: str, labels: Labelling, shared_seconds: float) -> Outcome:
        """Return what became of the reader's articles."""
        liked = labels[labels != NO_VERDICT] == LIKED
        seconds = shared_seconds + self._seconds
        return _outcome(stream, reader, self._name, liked, self._scores, self._thresholds, self._trained, seconds)
