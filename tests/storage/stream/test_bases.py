"""Bases of the stream's vectors: stored once, never replaced."""

from __future__ import annotations

from storage.engine.base_database import Transaction
from storage.opening.database import Database
from storage.records.articles import StoredBasis
from storage.stream import articles, bases, features
from tests.storage.conftest import Newsroom


def test_the_newest_is_in_force(tx: Transaction) -> None:
    assert (bases.newest(tx), bases.newest_number(tx), bases.load_all(tx)) == (None, 0, [])
    stored = [StoredBasis(number, 500 * number, 501 * number, b"\0%d" % number) for number in (2, 1, 4)]
    for each in stored:
        bases.add(tx, each)
    assert (bases.newest(tx), bases.newest_number(tx)) == (stored[2], 4)
    assert [bases.get(tx, number) for number in (1, 2, 3)] == [stored[1], stored[0], None]
    assert bases.load_all(tx) == [stored[1], stored[0], stored[2]]


def test_a_stored_one_stays(tx: Transaction) -> None:
    bases.add(tx, StoredBasis(1, 500, 500, b"first"))
    bases.add(tx, StoredBasis(1, 600, 600, b"second"))
    assert bases.load_all(tx) == [StoredBasis(1, 500, 500, b"first")]


def test_articles_of_the_stream_are_learned_from(newsroom: Newsroom, database: Database) -> None:
    """Those that have been ingested, and no imported items."""
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(4)))
    newsroom.assess({2: 0, 4: 3})
    newsroom.poll(newsroom.entry("new"))
    with database.read() as tx:
        assert articles.ingested_count(tx) == 3
        assert features.term_vectors(tx, 0, 10) == [(1, b"terms"), (3, b"terms"), (4, b"terms")]
        assert features.term_vectors(tx, 1, 1) == [(3, b"terms")]
