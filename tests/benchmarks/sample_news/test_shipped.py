"""The news that iScore ships are those that the generator makes."""

from __future__ import annotations

import json
import lzma
from datetime import timedelta
from pathlib import Path

import pytest

import iscore.evaluation
from benchmarks.sample_news.news import News
from benchmarks.sample_news.reader import Reader
from benchmarks.sample_news.shipped import DAYS, START, shipped
from iscore.evaluation.demo import NEWS_FILE, SampleNews

pytestmark = pytest.mark.long


def test_the_file_is_what_the_generator_writes() -> None:
    packed = Path(iscore.evaluation.__file__).with_name(NEWS_FILE).read_bytes()
    assert json.loads(lzma.decompress(packed)) == shipped(), "run `python -m benchmarks.sample_news`"
    assert len(packed) < 300_000


def test_every_feed_is_served_byte_for_byte_as_the_generator_does() -> None:
    made, loaded = News(start=START, days=DAYS + 1), SampleNews.load()
    assert set(loaded.feeds) == {source.path for source in made.sources}
    for source in made.sources:
        for at in (START + timedelta(days=days, hours=8) for days in (1, 9, DAYS)):
            document = loaded.document(source.path, at)
            assert document is not None
            assert (document.body, document.content_type) == made.feed_document(source, at)
    assert loaded.document("/nothing.xml", START) is None


def test_the_user_likes_what_the_simulated_reader_likes() -> None:
    made, loaded, reader = News(start=START, days=DAYS + 1), SampleNews.load(), Reader()
    verdicts = [(loaded.likes(article.url), made.article_at(article.url)) for article in made.articles]
    assert all(article is not None and reader.verdict(article) == liked for liked, article in verdicts)
    assert 0.05 < sum(liked for liked, _ in verdicts) / len(verdicts) < 0.5
    assert not loaded.likes("https://northwire.example/nothing")
