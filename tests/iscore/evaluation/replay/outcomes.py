"""Outcomes made by hand or drawn at random, for the tests of metrics and reports."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from iscore.evaluation.replay.outcome import FeatureCorrelations, Outcome
from iscore.learners.naive_bayes import correlation


def outcome(liked: str, delivered: str = "", scores: list[float] | None = None, **others: Any) -> Outcome:
    """Make an outcome of marks: in ``liked`` x is liked; in ``delivered`` x is recommended, e explored."""
    n = len(liked)
    delivered = delivered or "." * n
    plain = Outcome(
        stream="wire",
        reader="ines",
        classifier="naive-bayes",
        protocol="full",
        liked=np.array([mark == "x" for mark in liked], dtype=bool),
        scores=np.array(scores if scores is not None else [0.0] * n),
        thresholds=np.zeros(n),
        recommended=np.array([mark == "x" for mark in delivered], dtype=bool),
        explored=np.array([mark == "e" for mark in delivered], dtype=bool),
        trained=np.ones(n, dtype=bool),
        verdicts=n,
        seconds=0.5,
    )
    return replace(plain, **others)


def simulated(n: int, *, seed: int, skill: float = 1.5, share: float = 0.2, **others: Any) -> Outcome:
    """Draw an outcome of a filter whose scores are log-odds for articles that differ by ``skill``; 20 cold articles."""
    chance = np.random.default_rng(seed)
    liked = chance.random(n) < share
    scores = chance.normal(np.where(liked, skill, -skill), np.sqrt(2 * skill)) + np.log(share / (1 - share))
    trained = np.arange(n) >= 20
    recommended = trained & (scores >= 0)
    blank = outcome("." * n)
    return replace(
        blank,
        liked=liked,
        scores=scores,
        recommended=recommended,
        explored=~recommended & (chance.random(n) < 0.01),
        trained=trained,
        **others,
    )


def of_vectors(
    stream: str, reader: str, names: list[str], vectors: np.ndarray, liked: np.ndarray
) -> FeatureCorrelations:
    """Correlate ``vectors`` (n, features), NaN where missing, with ``liked`` (n,)."""
    moments = np.zeros((correlation.N_MOMENTS, len(names)))
    for x, interesting in zip(vectors, liked.tolist(), strict=True):
        correlation.update(moments, x, float(interesting), 1.0)
    return FeatureCorrelations.of_moments(stream, reader, names, moments)
