"""When stories count as published: at their arrival, and in a database from before."""

from __future__ import annotations

from datetime import timedelta

from storage.engine.base_database import Transaction
from storage.log import decisions
from storage.opening import creation
from storage.opening.database import Database
from storage.people import users
from storage.schema import REVISIONS
from storage.schema.column_types import microseconds
from tests.storage.conftest import NOON, Newsroom, decision, without_dates

DAY = timedelta(days=1)
MANY = 20_001
"""More than are filled at once."""
_ARTICLES = f"""
    INSERT INTO articles (seq, id, feed_id, key, url, site, title, author, categories, language, published, arrived,
                          links, pictures, content_hash, story, dated)
    WITH RECURSIVE numbers (n) AS (SELECT 100 UNION ALL SELECT n + 1 FROM numbers WHERE n < 99 + {MANY})
    SELECT n, 'id ' || n, 1, 'key ' || n, '', '', '', '', '[]', '', n * 10, n * 20, 0, 0, '', n, n * 10 FROM numbers
"""
_SCORES = """
    INSERT INTO current_scores (user_id, seq, score, threshold, interesting, explore, arrived, dated)
    SELECT users.id, seq, 0, 0, false, false, arrived, dated FROM articles, users
    WHERE seq >= 100 AND mod(seq + users.id, 3) > 0
"""


def stored(tx: Transaction) -> list[list[tuple[int, ...]]]:
    tables = ("SELECT seq, dated FROM articles ORDER BY seq", "SELECT * FROM current_scores ORDER BY user_id, seq")
    return [[tuple(row) for row in tx.connection.exec_driver_sql(each)] for each in tables]


def test_a_database_from_before_gets_what_arrivals_get(newsroom: Newsroom, database: Database) -> None:
    dates = {"dated": (NOON - DAY, False), "old": (NOON - 30 * DAY, True), "early": (NOON + DAY, False)}
    dates |= {"undated": (None, False), "undated archive": (None, True)}
    newsroom.poll(*(newsroom.entry(key, published=at, archive=old) for key, (at, old) in dates.items()))
    newsroom.assess()
    expected = [NOON - DAY, NOON - 30 * DAY, NOON, NOON, NOON - 7 * DAY]
    steps: list[tuple[int, int, str]] = []
    with database.write() as tx:
        users.add(tx, "Ben", 5)
        tx.connection.exec_driver_sql(_ARTICLES)
        tx.connection.exec_driver_sql(_SCORES)
        decisions.add(tx, [decision(seq, 1.0, user_id=user) for user in (1, 2) for seq in range(1, 6)])
        before = stored(tx)
        assert [row[1] for row in before[0][:5]] == list(map(microseconds, expected))
        assert [row[-1] for row in before[1][:5]] == list(map(microseconds, expected))
        without_dates(tx)
        tx.connection.exec_driver_sql("UPDATE alembic_version SET version_num = '1004'")
        creation.migrate(tx, lambda *step: steps.append(step))
        assert stored(tx) == before
    assert [done for done, _, _ in steps] == [0, 20_000, 20_006, 33_345]
    assert database.revision() == REVISIONS[-1]
