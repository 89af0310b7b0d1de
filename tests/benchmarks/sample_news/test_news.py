from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from benchmarks.sample_news import Article, News

START = datetime(2025, 3, 3, tzinfo=UTC)

FINGERPRINT = """
from datetime import UTC, datetime
from hashlib import blake2b
from benchmarks.sample_news import News
news = News(seed=5, start=datetime(2025, 3, 3, tzinfo=UTC), days=3)
print(blake2b(repr(news.articles).encode(), digest_size=16).hexdigest())
"""


def shingles(article: Article) -> set[tuple[str, ...]]:
    words = article.text.split()
    return {tuple(words[place : place + 3]) for place in range(len(words) - 2)}


def similarity(one: Article, other: Article) -> float:
    """Jaccard similarity of the sets of three words in a row."""
    a, b = shingles(one), shingles(other)
    return len(a & b) / len(a | b)


def test_the_world_is_the_same_in_every_process() -> None:
    def fingerprint(hash_seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        command = [sys.executable, "-c", FINGERPRINT]
        return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout

    assert fingerprint("1") == fingerprint("2") != ""


def test_another_seed_is_another_world() -> None:
    one, other = (News(seed=seed, start=START, days=2) for seed in (1, 2))
    shared = {article.text for article in one.articles} & {article.text for article in other.articles}
    assert not shared


def test_four_weeks_bring_sixty_to_eighty_articles_a_day_in_order(news: News) -> None:
    assert 60 <= len(news.articles) / 28 <= 80
    times = [article.published for article in news.articles]
    assert times == sorted(times)
    assert times[0] >= START
    assert times[-1] < START + timedelta(days=28)
    assert all(article.day == (article.published - START).days for article in news.articles)
    assert {article.day for article in news.articles} == set(range(28))


def test_ids_are_unique_and_every_source_writes(news: News) -> None:
    assert len({article.id for article in news.articles}) == len(news.articles)
    assert {article.source for article in news.articles} == {source.key for source in news.sources}
    assert len(news.sources) == 12
    assert {source.format for source in news.sources} == {"rss", "atom", "json"}


def test_all_addresses_are_under_names_reserved_for_examples(news: News) -> None:
    assert all(article.url.split("/")[2].endswith(".example") for article in news.articles)


def test_running_stories_develop_over_days(news: News) -> None:
    stories: dict[str, list[Article]] = {}
    for article in news.articles:
        if article.story:
            stories.setdefault(article.story, []).append(article)
    long = [
        versions
        for versions in stories.values()
        if (versions[-1].published - versions[0].published) > timedelta(days=2)
    ]
    assert len(long) >= 40
    for versions in stories.values():
        assert len({article.topic for article in versions}) == 1


def test_reprints_are_near_duplicates_and_nothing_else_is(news: News) -> None:
    reprints = [article for article in news.articles if article.copy_of]
    assert len(reprints) >= 100
    for reprint in reprints:
        original = news.original(reprint)
        assert original.source == "northwire" != reprint.source
        assert reprint.published > original.published
        assert similarity(reprint, original) >= 0.6
    assert any(reprint.text != news.original(reprint).text for reprint in reprints)
    own = sorted((a for a in news.articles if a.story and not a.copy_of), key=lambda article: article.story)
    pairs = [(one, other) for one, other in pairwise(own) if one.story == other.story]
    assert len(pairs) > 500
    assert max(similarity(one, other) for one, other in pairs) < 0.6


def test_some_reprints_link_to_the_agency_with_tracking_parameters(news: News) -> None:
    linked = [article for article in news.articles if article.source == "civic-gazette" and article.copy_of]
    assert linked
    for article in linked:
        assert article.url == f"{news.original(article).url}?utm_source=civic-gazette&utm_medium=feed"


def test_an_address_leads_to_its_article_whatever_the_query(news: News) -> None:
    for article in news.articles:
        expected = news.original(article) if article.source == "civic-gazette" else article
        assert news.article_at(article.url) is expected
        assert news.article_at(article.url.split("?", maxsplit=1)[0]) is expected
    assert news.article_at("https://northwire.example/nothing") is None


def test_noise_has_every_kind_and_no_topic(news: News) -> None:
    noise = [article for article in news.articles if article.noise]
    assert {article.noise for article in noise} == {"advertisement", "listing", "horoscope"}
    assert all(not article.topic and not article.story for article in noise)
    assert 0.04 <= len(noise) / len(news.articles) <= 0.12


def test_styles_can_be_told_apart_by_form(news: News) -> None:
    def mean(style: str, measure: str) -> float:
        of_style = [article for article in news.articles if article.style == style]
        if measure == "words":
            return sum(article.words for article in of_style) / len(of_style)
        return sum(article.text.count("!") for article in of_style) / len(of_style)

    assert mean("analysis", "words") > 3 * mean("wire", "words")
    assert mean("tabloid", "marks") > 3
    assert mean("wire", "marks") == 0


def test_a_little_is_italian(news: News) -> None:
    italian = [article for article in news.articles if article.language == "it"]
    assert 0.04 <= len(italian) / len(news.articles) <= 0.12
    assert {article.source for article in italian} == {"molo"}


def test_a_naive_start_and_an_empty_world_are_refused() -> None:
    with pytest.raises(ValueError, match="aware"):
        News(start=datetime(2025, 3, 3))  # noqa: DTZ001 -- the mistake itself
    with pytest.raises(ValueError, match="one day"):
        News(start=START, days=0)
