"""A home of the first version, opened by this one."""

from __future__ import annotations

import lzma
from datetime import UTC, datetime
from pathlib import Path

import pytest

from iscore.services.news_filter import NewsFilter
from storage.records.users import Kind

OLD = Path(__file__).parents[2] / "storage" / "schema-0001.db.xz"
NOW = datetime(2026, 3, 4, 1, tzinfo=UTC)


def test_a_home_of_the_first_version_goes_on(tmp_path: Path) -> None:
    (tmp_path / "iscore.db").write_bytes(lzma.decompress(OLD.read_bytes()))
    (tmp_path / "feeds.yaml").write_text("feeds: []\n")
    with NewsFilter.open(tmp_path, clock=lambda: NOW) as news:
        status = news.status()
        assert (status.articles, status.likes, status.dislikes, status.skips) == (23, 10, 7, 1)
        assert status.extractor_problems == ()
        # What was learned under other features is learned anew; verdicts of then say nothing about tags of now.
        items = news.inbox(everything=True, limit=None).items
        assert len(items) == 23 - 18
        features = {feature.name: feature for feature in news.why(items[0].id).features}
        assert features["tag_reputation"].value == pytest.approx((10 + 1) / (10 + 7 + 2))
        assert features["words_nb"].value is not None
        news.give(Kind.LIKE, [items[0].id])
        assert len(news.inbox(everything=True, limit=None).items) == 4
        assert news.models.rebuild(check=True).equal is True
        assert news.status().likes == 11
