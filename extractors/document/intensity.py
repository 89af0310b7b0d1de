"""Intensity: how strong an article's feelings are, for or against."""

from __future__ import annotations

import numpy as np

from extractors.document.attitudes import Attitudes, Floats


def intensity(sentences: Attitudes) -> Floats:
    """Return the mean of sᵢ|vᵢ| over the body's sentences, sᵢ being p(subjective) and vᵢ being p(positive) −
    p(negative); in [0, 1] and at most the subjectivity, NaN without sentences; shape (articles,)."""
    return sentences.means(sentences.subjective * np.abs(sentences.positive))
