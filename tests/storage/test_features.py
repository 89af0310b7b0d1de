from dataclasses import replace
from datetime import timedelta

from storage import articles, features
from storage.database import Database
from storage.records import Arrived, Features
from tests.storage.conftest import NOON, Newsroom


def test_features_survive_with_the_metadata_of_their_article(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two", published=None))
    first = Features(1, 1, -(2**63), ("a", "b"), b"\0" * 16, b"\1")
    second = Features(2, 1, 2**63 - 1, ("b",), b"\2" * 8, b"")
    with database.write() as tx:
        features.add(tx, [first, second])
        one, two = articles.get(tx, [1, 2])
        assert features.arrived(tx, [2, 99, 1]) == [
            Arrived(
                seq=article.seq,
                id=article.id,
                story=1,
                url=article.url,
                source="Example",
                site=article.site,
                author=article.author,
                categories=article.categories,
                language=article.language,
                published=article.published,
                arrived=article.arrived,
                names=own.names,
                values=own.values,
                terms=own.terms,
            )
            for article, own in ((two, second), (one, first))
        ]
        assert [row[:3] for row in features.recent_simhashes(tx, NOON)] == [(1, 1, -(2**63)), (2, 1, 2**63 - 1)]


def test_assessing_puts_articles_into_their_story(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two"))
    newsroom.assess({2: 1})
    with database.read() as tx:
        assert [each.story for each in articles.get(tx, [1, 2])] == [1, 1]


def test_names_are_stored_once_for_all_articles(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    newsroom.articles(2, at=NOON + timedelta(hours=1))
    with database.read() as tx:
        assert tx.connection.exec_driver_sql("SELECT names FROM feature_sets").scalars().all() == ['["length","age"]']


def test_the_source_is_frozen_at_arrival(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1)
    newsroom.poll(title="Renamed")
    with database.read() as tx:
        assert features.arrived(tx, [1])[0].source == "Example"
        assert articles.get(tx, [1])[0].source == "Renamed"


def test_recent_is_what_arrived_since(newsroom: Newsroom, database: Database) -> None:
    later = NOON + timedelta(hours=1)
    newsroom.articles(1, at=later)
    newsroom.articles(1, at=NOON - timedelta(microseconds=1))
    newsroom.articles(1, at=NOON)
    newsroom.poll(newsroom.entry("not assessed"))
    with database.read() as tx:
        assert features.recent_simhashes(tx, NOON) == [(1, 1, -1, "Example", later), (3, 3, -3, "Example", NOON)]


def test_many_are_given_in_the_order_asked_for(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two"))
    newsroom.assess()
    wanted = [2, *range(3, 40_000), 1]
    with database.read() as tx:
        found = features.arrived(tx, wanted)
        assert [each.seq for each in found] == [2, 1]
        assert features.arrived(tx, []) == []
        assert found[1] == replace(features.arrived(tx, [1])[0])
