"""What implicit feedback brings: filters that get a verdict on a tenth of the articles, with and without it.

XXX
    python -m benchmarks.implicit_evidence [--folder FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from math import nan
from pathlib import Path

import numpy as np

from benchmarks.reading_rates import ratings, rates, seconds
from benchmarks.resampling import auc, f05, of_mean
from benchmarks.streams import italian_reader, rows, yow
from benchmarks.streams.yow import EVERYBODY
from extractors.arrays import Bools, Floats
from extractors.article_features import AnalysedArticle, AnalysedBatch
from extractors.text.terms import TermBatch
from iscore.evaluation.replay.feature_cache import LIKED, NO_VERDICT, FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features, new_model
from iscore.evaluation.replay.stream import write_stream
from iscore.filtering.decision.changes import DeliveryVerdict
from iscore.filtering.decision.decide import can_rank
from iscore.filtering.decision.evidence import NO_INTEREST, Articles, Evidence, Implicit, Labelled, evidence_of
from iscore.filtering.decision.implicit_feedback import Counts, Sign, count, weights
from iscore.filtering.decision.implicit_feedback import signs as signs_of
from iscore.filtering.decision.ranking import score
from iscore.filtering.decision.probability import Level
from iscore.filtering.decision.decide import rescored
from iscore.core.settings import Settings

CLASSIFIER = Settings().classifier
Rates = Mapping[Sign, tuple[float, float]]


@dataclass(slots=True)
class Past:
    """What a filter knows of one reader: a ``DecisionLog``."""

    rates: Rates | None
    own: bool
    articles: list[AnalysedArticle] = field(default_factory=list)
    votes: list[float] = field(default_factory=list)
    liked: list[float] = field(default_factory=list)
    """1 or 0 by the verdict; NaN without one."""
    shown: list[bool] = field(default_factory=list)
    signs: list[frozenset[Sign]] = field(default_factory=list)
    margins: list[tuple[float, bool]] = field(default_factory=list)

    def history(self) -> Sequence[DeliveryVerdict]:
        return []

    def _of(self, places: Sequence[int]) -> Articles:
        return Articles(
            TermBatch.of([self.articles[p].terms for p in places]), np.array([self.votes[p] for p in places])
        )

    def labelled(self, newest: int, after: int) -> Labelled:
        likes, dislikes = ([p for p, l in enumerate(self.liked) if l == k][-newest:] for k in (1.0, 0.0))
        places = [*likes, *dislikes]
        n = len(places)
        return Labelled(
            terms=self._of(places).terms,
            liked=np.arange(n) < len(likes),
            weights=np.ones(n),
            examples=np.zeros(n, dtype=np.bool_),
            interests=np.full(n, NO_INTEREST),
        )

    def verdicts(self, after: int) -> tuple[int, int]:
        return self.liked.count(1.0), self.liked.count(0.0)

    def undelivered(self, sample: int, newest: int) -> tuple[TermBatch, int]:
        found = [
            p
            for p, s in enumerate(self.shown)
            if not s and np.isnan(self.liked[p]) and (self.rates is None or Sign.OPENED not in self.signs[p])
        ][-newest:]
        return self._of(found[-sample:]).terms, len(found)

    def pool(self, newest: int) -> tuple[Articles, Floats]:
        first = max(len(self.articles) - newest, 0)
        return self._of(range(first, len(self.articles))), np.array(self.liked[first:])

    def deliveries(self, newest: int) -> Sequence[tuple[float, bool]]:
        return self.margins[-newest:]

    def implicit(self, newest: int, after: int) -> Implicit:
        if self.rates is None:
            return Implicit.none()
        own = Counts()
        if self.own:
            own = count([(s, l == 1.0) for s, l in zip(self.signs, self.liked, strict=True) if not np.isnan(l)])
        places = [p for p, l in enumerate(self.liked) if np.isnan(l) and self.signs[p]]
        found = weights([self.signs[p] for p in places], own, self.rates)
        keep = np.sort(
            np.concatenate([np.flatnonzero(found > 0.02)[-newest:], np.flatnonzero(found < -0.02)[-newest:]])
        )
        return Implicit(self._of([places[k] for k in keep]), found[keep])


def gets_verdict(name: str, draw: int, one_in: int) -> bool:
    return int.from_bytes(blake2b(f"{draw} {name}".encode(), digest_size=8).digest()) % one_in == 0


def run(
    cache: FeatureCache,
    reader: str,
    signs: Mapping[str, frozenset[Sign]],
    past: Past,
    draw: int,
    one_in: int,
    every: int,
):
    labels = cache.labels(reader)
    model = new_model(cache, CLASSIFIER, seed=0, follow_changes=False)
    articles = [a for chunk in cache.chunks() for a in (chunk.articles[i] for i in range(len(chunk.leaders)))]
    scores = np.zeros(len(articles))
    out = np.zeros(len(articles), dtype=bool)
    for start in range(0, len(articles), every):
        new = articles[start : start + every]
        batch = Articles.new(AnalysedBatch.of(new), model)
        ev = evidence_of(past, cache.basis_at(start), model)
        margins = [nan] * len(new)
        if can_rank(ev):
            found = score(batch, ev)
            margins = found.articles.tolist()
            now = rescored(batch, np.ones(len(new), dtype=bool), ev, days=1e6)
            scores[start : start + len(new)] = now.scores
            out[start : start + len(new)] = now.scores >= now.threshold
        for i, a in enumerate(new):
            p = start + i
            name = a.metadata.id
            labelled = labels[p] != NO_VERDICT
            says = labelled and gets_verdict(name, draw, one_in)
            past.articles.append(a)
            past.votes.append(float(batch.votes[i]))
            past.shown.append(bool(labelled))
            past.signs.append(signs.get(name, frozenset()))
            past.liked.append(float(labels[p] == LIKED) if says else nan)
            if says:
                model.learn(a, bool(labels[p] == LIKED))
                if margins[i] == margins[i]:
                    past.margins.append((margins[i], bool(labels[p] == LIKED)))
    m = labels != NO_VERDICT
    # judged: those without verdict
    judged = m & np.isnan(np.array(past.liked))
    y = labels[judged] == LIKED
    return (
        float(auc(scores[judged], y)),
        float(f05(out[judged], y)),
        float(auc(scores[m], labels[m] == LIKED)),
        out[judged].mean(),
    )
