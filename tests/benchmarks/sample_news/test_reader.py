from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from benchmarks.sample_news import Article, News, Reader
from benchmarks.sample_news.reader import FAVOURITE_AUTHORS, LONG, RAIL_FROM_DAY


@pytest.fixture(scope="module")
def liked(news: News) -> set[str]:
    """Ids of what the reader of seed 0 finds interesting."""
    reader = Reader(0)
    return {article.id for article in news.articles if reader.verdict(article)}


def f05(liked: set[str], chosen: set[str]) -> float:
    """F0.5 of delivering ``chosen``."""
    hits = len(liked & chosen)
    return 1.25 * hits / (1.25 * hits + 0.25 * len(liked - chosen) + len(chosen - liked)) if hits else 0.0


@pytest.fixture
def plain(news: News) -> Article:
    """A football report that the taste has nothing for."""
    return next(a for a in news.articles if a.topic == "football" and a.style == "wire" and not a.story)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.long)])
def test_about_a_sixth_of_the_articles_is_interesting(seed: int, news: News) -> None:
    world = News(seed=seed, start=news.start)
    reader = Reader(seed)
    assert 0.15 <= sum(map(reader.verdict, world.articles)) / len(world.articles) <= 0.20


def test_the_taste_is_neither_a_topic_nor_a_source_nor_an_author(news: News, liked: set[str]) -> None:
    of_topic: dict[str, set[str]] = {}
    for article in news.articles:
        of_topic.setdefault(article.topic, set()).add(article.id)
    by_topics = [
        f05(liked, set().union(*chosen)) for size in (1, 2, 3, 4) for chosen in combinations(of_topic.values(), size)
    ]
    by_source = [f05(liked, {a.id for a in news.articles if a.source == source.key}) for source in news.sources]
    by_author = f05(liked, {a.id for a in news.articles if a.author in FAVOURITE_AUTHORS})
    assert max(*by_topics, *by_source, by_author) < 0.55


def test_whims_are_the_only_thing_between_taste_and_verdict(news: News, liked: set[str]) -> None:
    reader = Reader(0)
    against = [article for article in news.articles if reader.verdict(article) != reader.likes(article)]
    assert 0.03 <= len(against) / len(news.articles) <= 0.07
    assert not [article for article in against if article.noise]
    assert f05(liked, {article.id for article in news.articles if reader.likes(article)}) > 0.8


def test_verdicts_depend_on_the_seed_only_through_whims(news: News) -> None:
    one, again, other = Reader(1), Reader(1), Reader(2)
    verdicts = [one.verdict(article) for article in news.articles]
    assert verdicts == [again.verdict(article) for article in news.articles]
    assert verdicts != [other.verdict(article) for article in news.articles]
    assert [one.likes(a) for a in news.articles] == [other.likes(a) for a in news.articles]


def test_a_reprint_is_judged_as_its_original(news: News) -> None:
    reader = Reader(0)
    reprints = [article for article in news.articles if article.copy_of]
    assert any(reader.verdict(article) for article in reprints)
    for article in reprints:
        assert reader.verdict(article) == reader.verdict(news.original(article))


def test_noise_and_tabloids_are_never_liked(news: News) -> None:
    reader = Reader(0)
    assert not any(reader.verdict(article) for article in news.articles if article.noise)
    assert not any(reader.likes(article) for article in news.articles if article.style == "tabloid")


def test_favourite_authors_are_liked_for_the_first_report_only(plain: Article) -> None:
    reader = Reader(0)
    first = replace(plain, author="Verity Quill", story="s", stage=0)
    assert reader.likes(first)
    assert not reader.likes(replace(first, stage=1))
    assert not reader.likes(replace(first, author="Ricky Blaze"))
    assert not reader.likes(replace(first, style="tabloid"))


def test_analyses_must_be_long_and_on_the_right_fields(plain: Article) -> None:
    reader = Reader(0)
    long = replace(plain, style="analysis", topic="climate", paragraphs=("word " * LONG,))
    assert reader.likes(long)
    assert not reader.likes(replace(long, paragraphs=("word " * (LONG - 1),)))
    assert not reader.likes(replace(long, topic="markets"))


def test_stories_on_energy_and_space_are_liked_while_fresh(plain: Article) -> None:
    reader = Reader(0)
    for topic in ("energy", "space"):
        early = replace(plain, topic=topic, story="s", stage=1)
        assert reader.likes(early)
        assert not reader.likes(replace(early, stage=2))
        assert not reader.likes(replace(early, story=""))
        assert not reader.likes(replace(early, language="it"))


def test_the_interest_in_railways_begins_in_the_third_week(plain: Article) -> None:
    reader = Reader(0)
    rail = replace(plain, topic="rail", story="s", stage=3, day=RAIL_FROM_DAY)
    assert reader.likes(rail)
    assert not reader.likes(replace(rail, day=RAIL_FROM_DAY - 1))
    assert not reader.likes(replace(rail, story=""))
    assert reader.likes(replace(rail, story="", style="trade"))


def test_the_description_names_what_the_taste_uses() -> None:
    text = Reader(0).describe()
    for expected in (*FAVOURITE_AUTHORS, str(LONG), f"day {RAIL_FROM_DAY + 1}", "energy", "space", "climate", "5%"):
        assert expected in text
