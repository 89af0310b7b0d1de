"""Subjectivity: how much of an article is opinion."""

from __future__ import annotations

from extractors.document.attitudes import Attitudes, Floats


def subjectivity(sentences: Attitudes) -> Floats:
    """Return the mean of p(subjective) over the body's sentences, in [0, 1], NaN without sentences; shape (articles,).

    The classifier's idea of the two kinds is Pang & Lee's (2004, "A sentimental education", section 3): judgements
    out of reviews against retellings of plots.
    """
    return sentences.means(sentences.subjective)
