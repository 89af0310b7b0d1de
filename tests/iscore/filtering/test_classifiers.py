"""A classifier of each kind, by its name in config.toml: from verdicts to scores with reasons, through the facade."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pytest

from iscore.services.learning.article_features import analysed_batch
from iscore.services.news_filter import NewsFilter
from storage.records.users import LOCAL_USER, Kind
from storage.stream import features

AT = datetime(2026, 1, 20, tzinfo=UTC)


KINDS = (
    *("stacking", "weighted-naive-bayes", "kernel-naive-bayes", "subset-naive-bayes"),
    *("passive-aggressive", "v-mbw", "averaged-logistic-regression"),
)
"""One classifier of each kind; ``tests/iscore/learners/test_contract.py`` has all of them."""


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.long] * (each != "stacking")) for each in KINDS]
)
def test_every_kind_of_classifier_learns_to_prefer_long_articles_and_explains_it(filled, name: str) -> None:
    filled.home.config.write_text(f'classifier = "{name}"\n')
    articles = filled.leaders()
    middle = np.median([len(article.text) for article in articles])
    filled.tell([(Kind.LIKE if len(each.text) > middle else Kind.DISLIKE, each.seq) for each in articles[:40]])
    asked = articles[40::3]
    with NewsFilter.open(filled.home.path, clock=lambda: AT) as news:
        news.inbox()  # which saves what it learned, so that no reason has to learn it again
        views = {article.seq: news.why(article.id) for article in asked}
        best = [feature for feature, _ in news.status().best_features]
        assert news.models.rebuild(check=True).equal is True
        with news.database.read() as tx:
            found = features.ingested(tx, LOCAL_USER, [article.story for article in asked])
        names = news.extractors.article_feature_names
        votes = dict(zip(views, news.models.load().model.score_many(analysed_batch(found, names)), strict=True))
    liked = np.array([views[article.seq].score for article in asked if len(article.text) > middle])
    others = np.array([views[article.seq].score for article in asked if len(article.text) <= middle])
    assert (liked[:, np.newaxis] > others).mean() > 0.6
    for seq, view in views.items():
        assert view.prior + sum(part.contribution for part in view.features) == pytest.approx(votes[seq], abs=1e-9)
        assert view.interesting == (view.score >= view.threshold)
        assert all(part.contribution == 0.0 for part in view.features if part.value is None)
    assert all(view.reasons for view in views.values())
    assert "length" in best[:8]
