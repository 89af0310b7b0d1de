"""Sample news as labelled streams: a week of it, with two readers."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from benchmarks.sample_news import News, Reader
from iscore.evaluation.replay.feature_cache import FeatureCache
from iscore.evaluation.replay.feature_cache_build import cached_features
from iscore.evaluation.replay.stream import write_stream
from iscore.evaluation.replay.stream_format import LabelledArticle

START = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture(scope="session")
def week() -> list[LabelledArticle]:
    """A week of sample news in order of arrival; "simulated" has a verdict on each, "wire" on every third."""
    news = News(seed=3, start=START, days=7)
    reader = Reader(seed=2)
    articles = []
    for number, article in enumerate(sorted(news.articles, key=lambda article: article.published)):
        labels = {"simulated": reader.verdict(article)}
        if number % 3 == 0:
            labels["wire ∧ short"] = article.style == "wire" and article.words < 150
        articles.append(
            LabelledArticle(
                id=article.id,
                arrived=article.published + timedelta(minutes=20),
                title=article.title,
                text=article.text,
                labels=labels,
                published=article.published if article.dated else None,
                source=article.source,
                url=article.url,
                site=(urlsplit(article.url).hostname or "").removeprefix("www."),
                author=article.author,
                categories=article.categories,
                language=article.language,
            )
        )
    return articles


@pytest.fixture(scope="session")
def days(week: list[LabelledArticle]) -> list[LabelledArticle]:
    """The first four days of the week: enough for all that a model does before and after it is trained."""
    return [article for article in week if article.arrived < START + timedelta(days=4)]


@pytest.fixture(scope="session")
def days_file(days: list[LabelledArticle], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a file."""
    return written(tmp_path_factory.mktemp("streams") / "days.jsonl.gz", days)


@pytest.fixture(scope="session")
def week_file(week: list[LabelledArticle], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The week as a file."""
    return written(tmp_path_factory.mktemp("streams") / "week.jsonl.gz", week)


@pytest.fixture(scope="session")
def cached_days(days_file: Path, tmp_path_factory: pytest.TempPathFactory) -> FeatureCache:
    """The feature cache of the first days."""
    return cached_features(days_file, tmp_path_factory.mktemp("measured"))


@pytest.fixture(scope="session")
def cached_week(week_file: Path, tmp_path_factory: pytest.TempPathFactory) -> FeatureCache:
    """The feature cache of the week."""
    return cached_features(week_file, tmp_path_factory.mktemp("measured"))


def written(path: Path, articles: list[LabelledArticle]) -> Path:
    """Write a stream; return its path."""
    write_stream(path, articles)
    return path
