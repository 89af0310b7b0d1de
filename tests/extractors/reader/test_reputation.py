"""Reputations by hand."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest

from extractors.article_features import AnalysedArticle
from extractors.reader import reputation
from extractors.reader.reputation import (
    AuthorReputation,
    CategoryReputation,
    SiteReputation,
    SourceReputation,
    TagReputation,
)
from extractors.text.terms import TermVector

NOTHING = TermVector(np.empty(0, np.int32), np.empty(0, np.float32), np.empty(0, np.float32))


def test_a_name_s_share_is_drawn_towards_the_reader_s_own(piece) -> None:
    source = SourceReputation()
    assert source.extract(AnalysedArticle(piece(), NOTHING)) == [0.5]
    source.learn(AnalysedArticle(piece(source="A"), NOTHING), True, 2.0)
    source.learn(AnalysedArticle(piece(source="A"), NOTHING), False, 1.0)
    source.learn(AnalysedArticle(piece(source="B"), NOTHING), False, 3.0)
    prior = (2 + 1) / (6 + 2)
    assert source.extract(AnalysedArticle(piece(source="A"), NOTHING))[0] == pytest.approx((2 + 4 * prior) / (3 + 4))
    assert source.extract(AnalysedArticle(piece(source="B"), NOTHING))[0] == pytest.approx(4 * prior / (3 + 4))
    assert source.extract(AnalysedArticle(piece(source="new"), NOTHING))[0] == pytest.approx(prior)


def test_several_categories_have_the_mean_and_count_once_in_any_case(piece) -> None:
    category = CategoryReputation()
    category.learn(AnalysedArticle(piece(categories=("Sport", " sport ")), NOTHING), True, 1.0)
    prior = 2 / 3
    liked = (1 + 4 * prior) / 5
    assert category.extract(AnalysedArticle(piece(categories=("SPORT", "new")), NOTHING))[0] == pytest.approx(
        (liked + prior) / 2
    )


@pytest.mark.parametrize(
    ("extractor", "unknown", "one", "other"),
    [
        (SourceReputation, {"source": ""}, {"source": "A"}, {"source": "B"}),
        (SiteReputation, {"site": ""}, {"site": "a.example"}, {"site": "b.example"}),
        (AuthorReputation, {"author": "  "}, {"author": "Ada"}, {"author": "Bea"}),
        (CategoryReputation, {"categories": ("",)}, {"categories": ("x",)}, {"categories": ("y",)}),
        (TagReputation, {"tags": (" ",)}, {"tags": ("x",)}, {"tags": ("y",)}),
    ],
)
def test_each_looks_at_its_own_name_and_is_missing_without(extractor, unknown, one, other, piece) -> None:
    learned = extractor()
    assert isnan(learned.extract(AnalysedArticle(piece(**unknown), NOTHING))[0])
    learned.learn(AnalysedArticle(piece(**unknown), NOTHING), True, 1.0)
    learned.learn(AnalysedArticle(piece(**one), NOTHING), True, 1.0)
    learned.learn(AnalysedArticle(piece(**other), NOTHING), False, 1.0)
    assert learned.extract(AnalysedArticle(piece(**one), NOTHING)) > learned.extract(
        AnalysedArticle(piece(**other), NOTHING)
    )
    assert isnan(learned.extract(AnalysedArticle(piece(**unknown), NOTHING))[0])


def test_the_name_judged_longest_ago_is_forgotten_first(piece, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reputation, "MAX_NAMES", 2)
    source = SourceReputation()
    for name in ("A", "B", "A", "C"):
        source.learn(AnalysedArticle(piece(source=name), NOTHING), True, 1.0)
    assert source.state()["names"] == ["A", "C"]
