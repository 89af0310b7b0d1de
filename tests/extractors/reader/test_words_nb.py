"""Naive Bayes over words against the formula."""

from __future__ import annotations

from math import isnan, log

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.reader.words_nb import WordsNaiveBayes
from extractors.text.terms import TermVector


def _vector(counts: np.ndarray) -> TermVector:
    ids = np.flatnonzero(counts).astype(np.int32)
    return TermVector(ids, counts[ids].astype(np.float32), np.zeros(len(ids), dtype=np.float32))


def test_it_is_the_log_odds_without_prior_by_word(piece) -> None:
    rng = np.random.default_rng(6)
    counts = rng.poisson(0.8, size=(60, 15))
    counts[:, 0] += 1
    labels, weights = rng.random(60) < 0.4, rng.integers(1, 4, size=60).astype(float)
    words = WordsNaiveBayes()
    for row, label, weight in zip(counts, labels, weights, strict=True):
        words.learn(AnalysedArticle(piece(), _vector(row)), bool(label), float(weight))
    disliked, liked = (1.0 + (weights * (labels == label)) @ counts for label in (False, True))
    odds = counts @ np.log((liked / liked.sum()) / (disliked / disliked.sum())) / counts.sum(axis=1)
    assert [words.extract(AnalysedArticle(piece(), _vector(row)))[0] for row in counts] == pytest.approx(
        odds, abs=1e-12
    )


def test_unknown_words_count_as_neutral(piece) -> None:
    words = WordsNaiveBayes()
    words.learn(AnalysedArticle(piece(), _vector(np.array([3, 1]))), True, 1.0)
    words.learn(AnalysedArticle(piece(), _vector(np.array([1, 1]))), False, 1.0)
    # p(0 | liked) = 4/6, p(0 | disliked) = 2/4; the second word of the article is in no judged article.
    assert words.extract(AnalysedArticle(piece(), _vector(np.array([1, 0, 1]))))[0] == pytest.approx(
        log((4 / 6) / (2 / 4)) / 2
    )
    assert words.extract(AnalysedArticle(piece(), _vector(np.array([0, 0, 1]))))[0] == 0.0


def test_it_is_missing_until_there_are_verdicts_of_both_kinds_and_without_words(piece) -> None:
    words, some = WordsNaiveBayes(), _vector(np.array([1, 1]))
    words.learn(AnalysedArticle(piece(), some), True, 1.0)
    assert isnan(words.extract(AnalysedArticle(piece(), some))[0])
    words.learn(AnalysedArticle(piece(), some), False, 1.0)
    assert words.extract(AnalysedArticle(piece(), some))[0] == 0.0
    assert isnan(words.extract(AnalysedArticle(piece(), _vector(np.zeros(2))))[0])


def test_the_evidence_of_the_terms_adds_up_to_the_value(piece) -> None:
    words = WordsNaiveBayes()
    words.learn(AnalysedArticle(piece(), _vector(np.array([3, 1]))), True, 1.0)
    words.learn(AnalysedArticle(piece(), _vector(np.array([1, 1]))), False, 1.0)
    article = _vector(np.array([2, 1, 1]))
    evidence = words.evidence(article)
    assert evidence[2] == 0.0
    assert float(evidence @ article.counts) / 4 == pytest.approx(words.extract(AnalysedArticle(piece(), article))[0])
