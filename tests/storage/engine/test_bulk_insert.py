"""Conditions on many numbers, on both databases."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from storage.engine.bulk_insert import CHUNK, among, among_few, chunks, near
from storage.opening.database import Database
from storage.schema import articles
from tests.storage.conftest import Newsroom


@pytest.mark.parametrize("numbers", [[], [3], [5, 2, 2, 40_000_000_000], range(1, 3 * CHUNK)])
def test_among_finds_just_these_numbers(newsroom: Newsroom, database: Database, numbers: list[int]) -> None:
    newsroom.articles(6)
    with database.read() as tx:
        found = tx.connection.execute(select(articles.c.seq).where(among(articles.c.seq, numbers))).scalars().all()
        others = tx.connection.execute(select(articles.c.seq).where(~among(articles.c.seq, numbers))).scalars().all()
    assert set(found) == set(numbers) & set(range(1, 7))
    assert set(others) == set(range(1, 7)) - set(numbers)


def test_among_looks_each_number_up(database: Database) -> None:
    query = select(articles.c.title).where(among(articles.c.seq, [1, 2]), articles.c.story > 0)
    with database.read() as tx:
        if tx.connection.dialect.name != "sqlite":
            pytest.skip("a server reads so small a table whole")
        text = str(query.compile(tx.connection))
        steps = [row[-1] for row in tx.connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {text}", ("[1, 2]", 0))]
    assert "SEARCH articles USING INTEGER PRIMARY KEY (rowid=?)" in steps


def test_among_few_finds_what_a_query_selects(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(6)
    some = select(articles.c.seq).where(articles.c.seq > 4).alias().select()
    with database.read() as tx:
        found = tx.connection.execute(select(articles.c.seq).where(among_few(articles.c.seq, some))).scalars().all()
        others = tx.connection.execute(select(articles.c.seq).where(~among_few(articles.c.seq, some))).scalars().all()
    assert (sorted(found), sorted(others)) == ([5, 6], [1, 2, 3, 4])


def test_near_finds_neighbours_where_most_are_wanted(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(6)

    def found(*numbers: int) -> list[int]:
        with database.read() as tx:
            query = select(articles.c.seq).where(near(articles.c.seq, numbers)).order_by(articles.c.seq)
            return list(tx.connection.execute(query).scalars())

    assert found(2, 4, 5) == [2, 3, 4, 5]
    assert found(6, 1) == [1, 6]


def test_chunks_have_all_numbers_once() -> None:
    pieces = list(chunks(range(2 * CHUNK + 1)))
    assert [len(piece) for piece in pieces] == [CHUNK, CHUNK, 1]
    assert [number for piece in pieces for number in piece] == list(range(2 * CHUNK + 1))
