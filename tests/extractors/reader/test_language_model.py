"""The language models, worked by hand."""

from __future__ import annotations

from math import isnan, log, sqrt

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.reader.language_model import BACKGROUND, N_PAIRS, LanguageModel
from extractors.text.terms import TermVector


def _article(piece, counts: list[int], pairs: tuple[int, ...] = ()) -> AnalysedArticle:
    ids = np.flatnonzero(counts).astype(np.int32)
    terms = TermVector(ids, np.array(counts)[ids].astype(np.float32), np.zeros(len(ids), dtype=np.float32))
    return AnalysedArticle(piece(), terms, np.array(pairs, dtype=np.int32))


def _ratio(liked: float, disliked: float, n_liked: float, n_disliked: float) -> float:
    everything = BACKGROUND * (liked + disliked) / (n_liked + n_disliked)
    return log(
        ((1 - BACKGROUND) * liked / n_liked + everything) / ((1 - BACKGROUND) * disliked / n_disliked + everything)
    )


def test_words_and_pairs_worked_by_hand(piece) -> None:
    model = LanguageModel()
    model.learn(_article(piece, [3, 1], (7, 9)), True, 2.0)  # 8 words and 4 pairs liked
    model.learn(_article(piece, [1, 3], (9,)), False, 1.0)  # 4 words and 1 pair disliked
    words, pairs = model.extract(_article(piece, [2, 1, 1], (7, 9, 11)))
    assert words == pytest.approx((2 * _ratio(6, 1, 8, 4) + _ratio(2, 3, 8, 4)) / sqrt(4), abs=1e-12)
    assert pairs == pytest.approx((_ratio(2, 0, 4, 1) + _ratio(2, 1, 4, 1)) / sqrt(3), abs=1e-12)
    assert _ratio(6, 1, 8, 4) > 0 > _ratio(2, 3, 8, 4)


def test_no_word_says_more_than_its_bound(piece) -> None:
    model = LanguageModel()
    model.learn(_article(piece, [1, 0, 1]), True, 1.0)
    model.learn(_article(piece, [0, 9, 9]), False, 50.0)
    share = 2 / (2 + 900)
    bound = log(1 + (1 - BACKGROUND) / (BACKGROUND * share))
    assert model.extract(_article(piece, [1]))[0] == pytest.approx(bound, abs=1e-12)
    rare = log(1 + (1 - BACKGROUND) / (BACKGROUND * (1 - share)))
    assert model.extract(_article(piece, [0, 1]))[0] == pytest.approx(-rare, abs=1e-12)


def test_pairs_share_buckets(piece) -> None:
    model = LanguageModel()
    model.learn(_article(piece, [1], (5,)), True, 1.0)
    model.learn(_article(piece, [1], (6,)), False, 1.0)
    asked = [model.extract(_article(piece, [1], (pair,)))[1] for pair in (5, 5 + N_PAIRS, 6 + 2 * N_PAIRS, 7)]
    assert asked[0] == asked[1] > 0 > asked[2]
    assert asked[3] == 0.0


def test_it_is_missing_until_there_are_verdicts_of_both_kinds_and_without_words_or_pairs(piece) -> None:
    model, some = LanguageModel(), _article(piece, [1, 1], (3,))
    model.learn(some, True, 1.0)
    assert all(map(isnan, model.extract(some)))
    model.learn(_article(piece, [1, 1]), False, 1.0)
    words, pairs = model.extract(some)
    assert words == 0.0
    assert isnan(pairs)
    model.learn(some, False, 1.0)
    assert model.extract(some)[1] == 0.0
    assert isnan(model.extract(_article(piece, [1]))[1])
    assert all(map(isnan, model.extract(_article(piece, []))))
