"""The benchmarks over single people: what their rivals and features know, and when."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from benchmarks.italian_reader import by_category, retrained
from benchmarks.yow_study import vectors
from iscore.evaluation.replay.stream_format import LabelledArticle

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def article(number: int, category: str, *, liked: bool = True, **ratings: float) -> LabelledArticle:
    text = "goal match team" if liked else "vote party law"
    return LabelledArticle(
        id=str(number),
        arrived=NOON,
        title=text,
        text="",
        labels={"reader": liked},
        source=category,
        categories=(category,),
        features=ratings,
    )


def test_a_category_has_the_share_of_its_past_verdicts() -> None:
    articles = [article(n, category) for n, category in enumerate("aab")]
    liked = np.array([True, False, True])
    # Of all, one pseudo-verdict of each kind: 1/2, then 2/3, then 2/4; two of these beside those of the category.
    shares = np.array([0.5, (1 + 2 * 2 / 3) / 3, 0.5])
    assert by_category(articles, liked) == pytest.approx(np.log(shares / (1 - shares)))


@pytest.mark.long
def test_logistic_regression_is_retrained_from_the_past_alone() -> None:
    liked = np.random.default_rng(7).random(40) < 0.5
    articles = [article(n, "x", liked=bool(verdict)) for n, verdict in enumerate(liked)]
    scores = retrained(articles, liked, C=10.0)
    other = liked.copy()
    other[30:] = ~other[30:]
    np.testing.assert_array_equal(retrained(articles, other, C=10.0)[:31], scores[:31])
    known = 1 + max(int(np.argmax(liked)), int(np.argmax(~liked)))
    assert not scores[:known].any()
    assert ((scores > 0) == liked)[known:].all()


def test_a_feed_is_known_by_earlier_verdicts_and_ratings_not_given_are_missing() -> None:
    articles = [article(0, "a", novelty=5.0), article(1, "a", liked=False), article(2, "b", novelty=2.0)]
    X, liked = vectors(articles, "reader", ("novelty",))
    assert liked.tolist() == [True, False, True]
    # (liked + 4·p0)/(judged + 4), p0 the share of all with one pseudo-verdict of each kind.
    assert X[:, 0] == pytest.approx([1 / 2, (1 + 4 * 2 / 3) / 5, 2 / 4])
    np.testing.assert_array_equal(X[:, 1], [5.0, np.nan, 2.0])
    assert vectors(articles, "nobody", ("novelty",))[1].size == 0
