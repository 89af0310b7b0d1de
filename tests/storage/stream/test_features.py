"""Features of articles, frozen at arrival; bases of the stream's vectors, stored once and never replaced."""

from __future__ import annotations

from datetime import timedelta

from storage.engine.base_database import Transaction
from storage.log import decisions
from storage.opening.database import Database
from storage.people import users
from storage.records.articles import Features, IngestedArticle, StoredBasis
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.stream import articles, features, feeds
from tests.storage.conftest import FEED, NOON, Newsroom


def test_features_survive_with_the_metadata_of_their_article(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two", published=None))
    first = Features(1, 1, -(2**63), ("a", "b"), b"\0" * 16, b"\1", b"\3" * 4)
    second = Features(2, 1, 2**63 - 1, ("b",), b"\2" * 8, b"", b"")
    with database.write() as tx:
        features.add(tx, [first, second])
        one, two = articles.get(tx, [1, 2])
        assert features.ingested(tx, LOCAL_USER, [2, 99, 1]) == [
            IngestedArticle(
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
                pairs=own.pairs,
                tags=(),
            )
            for article, own in ((two, second), (one, first))
        ]
        simhashes = tx.connection.exec_driver_sql("SELECT simhash FROM features ORDER BY seq").scalars().all()
    assert simhashes == [-(2**63), 2**63 - 1]


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
        assert features.ingested(tx, LOCAL_USER, [1])[0].source == "Example"
        assert articles.get(tx, [1])[0].source == "Renamed"


def test_many_are_given_in_the_order_asked_for(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two"))
    newsroom.assess()
    wanted = [2, *range(3, 40_000), 1]
    with database.read() as tx:
        found = features.ingested(tx, LOCAL_USER, wanted)
        assert [each.seq for each in found] == [2, 1]
        assert features.ingested(tx, LOCAL_USER, []) == []
        assert found[1] == features.ingested(tx, LOCAL_USER, [1])[0]


def test_tags_are_those_of_the_user_now(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1)
    newsroom.judge((1, 1.0, False))

    def tags(user_id: int) -> list[tuple[str, ...]]:
        with database.read() as tx:
            waiting = decisions.unscored(tx, user_id, 9)
            found = {each.tags for each in (*features.ingested(tx, user_id, [1]), *waiting)}
        return list(found)

    with database.write() as tx:
        other, stranger = users.add(tx, "other", 0).id, users.add(tx, "stranger", 0).id
        feeds.subscribe(tx, other, [Subscription("https://b.org/"), Subscription(FEED, tags=("x", "ä"))])
    assert tags(LOCAL_USER) == [()]
    assert tags(other) == [("x", "ä")]
    assert tags(stranger) == [()]
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, tags=("mine",), enabled=False)])
        feeds.subscribe(tx, other, [Subscription("https://b.org/", tags=("x",))])
    assert tags(LOCAL_USER) == [("mine",)]
    assert tags(other) == [()]


def test_the_newest_is_in_force(tx: Transaction) -> None:
    assert (features.newest_basis(tx), features.newest_basis_number(tx), features.load_bases(tx)) == (None, 0, [])
    stored = [StoredBasis(number, 500 * number, 501 * number, b"\0%d" % number) for number in (2, 1, 4)]
    for each in stored:
        features.add_basis(tx, each)
    assert (features.newest_basis(tx), features.newest_basis_number(tx)) == (stored[2], 4)
    assert [features.basis(tx, number) for number in (1, 2, 3)] == [stored[1], stored[0], None]
    assert features.load_bases(tx) == [stored[1], stored[0], stored[2]]


def test_a_stored_one_stays(tx: Transaction) -> None:
    features.add_basis(tx, StoredBasis(1, 500, 500, b"first"))
    features.add_basis(tx, StoredBasis(1, 600, 600, b"second"))
    assert features.load_bases(tx) == [StoredBasis(1, 500, 500, b"first")]


def test_articles_of_the_stream_are_learned_from(newsroom: Newsroom, database: Database) -> None:
    """Those that have been ingested, and no imported items."""
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(4)))
    newsroom.assess({2: 0, 4: 3})
    newsroom.poll(newsroom.entry("new"))
    with database.read() as tx:
        assert articles.ingested_count(tx) == 3
        assert features.term_vectors(tx, 0, 10) == [(1, b"terms"), (3, b"terms"), (4, b"terms")]
        assert features.term_vectors(tx, 1, 1) == [(3, b"terms")]
