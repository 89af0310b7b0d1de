"""An archive whose articles are scored and decided about."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from iscore.services.learning.current_scores import rescore
from iscore.services.learning.scoring import score_new
from storage.log import decisions
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles

NOW = datetime(2026, 3, 2, 6, tzinfo=UTC)
DAY = timedelta(days=1)
WINDOW = timedelta(days=7)


def scored(archive, *, now: datetime = NOW, apply_rules=None):
    news = archive.news
    load = news.models.load
    names = news.extractors.article_feature_names
    more = {} if apply_rules is None else {"apply_rules": apply_rules}
    return score_new(archive.database, news.context.user, load(), names, now=now, load=load, **more)


def scored_again(archive, *, since: datetime = NOW - WINDOW):
    news = archive.news
    return rescore(archive.database, news.context.user, news.models.load().model, since=since)


def assert_scores_are_those_of_the_model(archive, *, since: datetime = NOW - WINDOW) -> None:
    expected = {score.seq: score for score in scored_again(archive, since=since)}
    with archive.database.read() as tx:
        assert {score.seq: score for score, _ in decisions.scores(tx, LOCAL_USER, list(expected))} == expected


def first_decisions(archive):
    with archive.database.read() as tx:
        return decisions.get(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))


def late_decisions(archive):
    with archive.database.read() as tx:
        return decisions.late(tx, LOCAL_USER, range(1, articles.last_seq(tx) + 1))


def arrive(archive, pieces, at: datetime = NOW) -> None:
    archive.store(pieces, at=at)
    archive.measure()


def is_liked(article) -> bool:
    return "orrery" in article.url or "longview" in article.url


def give_verdicts(archive, count: int) -> None:
    """Like two sources and nothing else, among the first articles."""
    archive.tell(
        [(Kind.LIKE if is_liked(article) else Kind.DISLIKE, article.seq) for article in archive.leaders()[:count]]
    )
