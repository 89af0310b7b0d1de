"""Every rival over every reader of a stream, in the full protocol: scores before the verdict is learned, then cuts.

What was measured can be kept in a file, so that a run that was ended goes on where it stood.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from benchmarks.feature_vectors import freeze
from benchmarks.rival_learners import from_river, linear, multinomial, rocchio, support_vectors
from benchmarks.rival_learners.cuts import CUTS, f05
from benchmarks.rival_learners.words import Words, words_of
from extractors.article_features import AnalysedArticle
from iscore.evaluation.replay.stream_format import LabelledArticle
from iscore.filtering.features.factory import make_extractors
from iscore.filtering.model_factory import make_reader
from iscore.filtering.paper import THRESHOLDERS, PaperFilter, usual_thresholder
from iscore.learners import LEARNERS
from iscore.learners.linear.linear_classifier import LinearClassifier

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

PARTS = {"whole": None, "first 5,000": 5000, "first 1,000": 1000}
"""Stretches of a stream, by how many articles they hold."""

ISCORE = "iScore"
DEFAULT = next(iter(LEARNERS))
AS_IT_IS = "its own"
"""The only cut of iScore: what it recommends."""
FIRST_OPINION = "iScore, all features without the opinion of words"
OURS = {ISCORE: DEFAULT, FIRST_OPINION: "weighted-naive-bayes"}
"""What is ours by the name of its classifier."""


@dataclass(frozen=True, slots=True)
class Result:
    """One rival with one reader."""

    stream: str
    reader: str
    rival: str
    f05: dict[str, dict[str, float]]
    """Cut → part → F0.5."""
    auc: float
    """Of the scores over the articles that have one; NaN where these are of one kind."""
    microseconds: float
    """Per article, of the processor: scoring and learning, without words and cuts; NaN where it was not taken."""


@dataclass(slots=True)
class Kept:
    """Results so far, and the file where they are kept, if any."""

    path: Path | None
    results: list[Result] = field(default_factory=list)

    @classmethod
    def at(cls, path: Path | None) -> Self:
        """Go on with what the file holds."""
        lines = path.read_text(encoding="utf-8").splitlines() if path and path.exists() else []
        return cls(path, [Result(**json.loads(line)) for line in lines])

    def has(self, stream: str, reader: str, rival: str) -> bool:
        """Whether this was measured."""
        return any((r.stream, r.reader, r.rival) == (stream, reader, rival) for r in self.results)

    def add(self, result: Result) -> None:
        """Take a result in."""
        self.results.append(result)
        print(result.stream, result.reader, result.rival, result.f05, sep="\t", file=sys.stderr, flush=True)
        if self.path:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(result)) + "\n")


Scorer = Callable[[Words, Bools], Floats]


def rivals() -> dict[str, Scorer]:
    """Return by name what scores a reader's articles (m,), each before its verdict is learned."""
    found: dict[str, Scorer] = {
        "Rocchio, β = 4γ": lambda words, liked: rocchio.scores(words.tfidf, liked),
        "Rocchio, β = γ": lambda words, liked: rocchio.scores(words.tfidf, liked, gamma=1.0),
        "multinomial naive Bayes, α = 1": lambda words, liked: multinomial.scores(words.counts, liked),
        "multinomial naive Bayes, α = 0.1": lambda words, liked: multinomial.scores(words.counts, liked, alpha=0.1),
    }
    for name, learner in linear.over_words().items():
        found[f"{name} on words"] = partial(_by_learner, learner)
    for name, model in from_river.ON_COUNTS.items():
        found[name] = partial(_on_counts, model)
    for name, model in from_river.ON_TFIDF.items():
        found[name] = partial(_on_tfidf, model)
    return found


def _by_learner(learner: LinearClassifier, words: Words, liked: Bools) -> Floats:
    return linear.scores(learner, words.tfidf, liked)


def _on_counts(make: Callable[[], Any], words: Words, liked: Bools) -> Floats:
    return from_river.scores(make(), words.counts, liked)


def _on_tfidf(make: Callable[[], Any], words: Words, liked: Bools) -> Floats:
    return from_river.scores(make(), words.tfidf, liked)


MACHINES: dict[str, Callable[[csr_matrix, dict[str, Bools]], dict[str, Floats]]] = {
    "SVM every 500, C = 1": support_vectors.scores,
    "SVM every 500, C = 4": partial(support_vectors.scores, C=4.0),
}
"""Rivals that score all readers of a stream together, since they share what costs most."""


def run(stream: str, articles: Sequence[LabelledArticle], kept: Kept) -> None:
    """Measure iScore and all rivals for all readers of a stream, but for what was measured before."""
    readers = list(dict.fromkeys(reader for article in articles for reader in article.labels))
    has_label = {reader: np.array([reader in article.labels for article in articles]) for reader in readers}
    liked = {reader: np.array([a.labels[reader] for a in articles if reader in a.labels]) for reader in readers}
    words = words_of(articles)
    missing = [(reader, ours) for reader in readers for ours in OURS if not kept.has(stream, reader, ours)]
    if missing:
        frozen, names = freeze(articles)
        for reader, ours in missing:
            mine = [article for article, there in zip(frozen, has_label[reader], strict=True) if there]
            kept.add(_iscore(stream, reader, ours, mine, names, liked[reader]))
    _machines(stream, words, has_label, liked, kept)
    for rival, score in rivals().items():
        for reader in readers:
            if not kept.has(stream, reader, rival):
                of_reader = words.only(has_label[reader])
                began = time.process_time()
                scores = score(of_reader, liked[reader])
                kept.add(_result(stream, reader, rival, scores, liked[reader], time.process_time() - began))


def _machines(stream: str, words: Words, has_label: dict[str, Bools], liked: dict[str, Bools], kept: Kept) -> None:
    for rival, machine in MACHINES.items():
        missing = {reader: liked[reader] for reader in liked if not kept.has(stream, reader, rival)}
        if missing:
            # Readers of one stream have a verdict on the same articles.
            rows = next(iter(has_label.values()))
            began = time.process_time()
            found = machine(words.counts[rows], missing)
            each = (time.process_time() - began) / len(missing)
            for reader, scores in found.items():
                kept.add(_result(stream, reader, rival, scores, liked[reader], each))


def _result(stream: str, reader: str, rival: str, scores: Floats, liked: Bools, seconds: float) -> Result:
    from sklearn.metrics import roc_auc_score

    delivered = {name: cut(scores, liked) for name, cut in CUTS.items()}
    there = ~np.isnan(scores)
    both = len(np.unique(liked[there])) == 2
    return Result(
        stream,
        reader,
        rival,
        {name: _parts(chosen, liked) for name, chosen in delivered.items()},
        float(roc_auc_score(liked[there], scores[there])) if both else math.nan,
        seconds / len(liked) * 1e6,
    )


def _iscore(
    stream: str, reader: str, ours: str, articles: Sequence[AnalysedArticle], names: Sequence[str], liked: Bools
) -> Result:
    from sklearn.metrics import roc_auc_score

    trained = make_reader(names, make_extractors(), OURS[ours])
    model = PaperFilter(trained, THRESHOLDERS[usual_thresholder(OURS[ours])]())
    scores, delivered = np.zeros(len(articles)), np.zeros(len(articles), dtype=bool)
    began = time.process_time()
    for place, (article, verdict) in enumerate(zip(articles, liked.tolist(), strict=True)):
        decision = model.decide(article)
        scores[place], delivered[place] = decision.score, decision.interesting
        model.learn(article, verdict)
    seconds = time.process_time() - began
    cuts = {AS_IT_IS: _parts(delivered, liked)}
    return Result(stream, reader, ours, cuts, float(roc_auc_score(liked, scores)), seconds / len(liked) * 1e6)


def _parts(delivered: Bools, liked: Bools) -> dict[str, float]:
    return {part: f05(delivered[:size], liked[:size]) for part, size in PARTS.items()}
