"""Polarity: whether an article's opinions are favourable."""

from __future__ import annotations

import numpy as np

from extractors.document.attitudes import Attitudes, Floats

NEUTRAL = 1.0
"""One neutral sentence of opinion is added, lest an article without opinions is as decided as its likeliest one."""


def polarity(sentences: Attitudes) -> Floats:
    """Return Σ sᵢvᵢ/(``NEUTRAL`` + Σ sᵢ) over the body's sentences, sᵢ being p(subjective) and vᵢ being p(positive) −
    p(negative); in (−1, 1), NaN without sentences; shape (articles,).

    Weighted by subjectivity because the classifier of polarity learned from opinions only and its answer to a fact
    means nothing (Pang & Lee 2004, section 2: leave out what is objective, then judge the rest).
    """
    feelings = sentences.sums(sentences.subjective * sentences.positive)
    return np.where(sentences.counts > 0, feelings / (NEUTRAL + sentences.sums(sentences.subjective)), np.nan)
