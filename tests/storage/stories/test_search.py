"""Search finds what is stored, and nothing that is not."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.engine.base_database import Transaction
from storage.engine.errors import UnknownName
from storage.log import feedback, rule_outcomes, saved_items
from storage.log.saved_items import SavedItem
from storage.opening import creation
from storage.opening.database import Database
from storage.records.articles import Features
from storage.records.feeds import Subscription
from storage.records.stories import Mark
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.schema import REVISIONS
from storage.stories import pruning, search
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stream import articles, feeds, search_index
from tests.storage.conftest import FEED, NOON, Newsroom, without_dates
from tests.storage.stream.test_folding import SPELLINGS

OTHER = "https://lwn.example/feed"
DAY = timedelta(days=1)


@pytest.fixture
def archive(newsroom: Newsroom) -> Database:
    """Three articles of one feed and one of another; the second and the fourth are one story."""
    with newsroom.database.write() as tx:
        wishes = [Subscription(FEED, tags=("Science",)), Subscription(OTHER, title="Weekly kernel news")]
        feeds.subscribe(tx, LOCAL_USER, wishes)
    newsroom.poll(
        newsroom.entry("one", title="Grid operators warn", text="A cold winter in Zürich.", author="Ines Halloran"),
        newsroom.entry("two", title="Winter festival", text="Grid of lights", published=NOON - 3 * DAY),
        newsroom.entry("three", title="東京都知事選の結果", text="", language="ja", published=None),
    )
    with newsroom.database.write() as tx:
        articles.store(tx, 2, OTHER, [newsroom.entry("four", title="A festival of light", language="en-GB")], NOON)
    newsroom.assess({4: 2})
    return newsroom.database


def found(database: Database, query: str, only: ArticleFilter = EVERYTHING, limit: int | None = None) -> list[int]:
    """Search for words as they are typed."""
    with database.read() as tx:
        return search.find(tx, LOCAL_USER, search.parse(query), only, limit=limit)


WORDS = {
    "winter": [1, 2],  # in the text of one, the title of the other; newest first
    "WINTER grid": [1, 2],
    "zurich": [1],
    "halloran": [1],
    '"cold winter"': [1],
    '"winter cold"': [],
    "oper": [],
    "oper*": [1],
    "op*": [],  # three letters at least
    "kernel": [4],  # the user's own name of the feed
    "kernel festival": [4],
    "lwn.example": [4],
    "example.org winter": [1, 2],
    "festival": [4],  # one story, its newest match
    "知事": [3],
    "事知": [],
    "grid OR festival": [],  # no language but this one
    'feed:12 ) " NEAR(': [],
    "grid --- !": [1, 2],
}


def test_words_are_found(archive: Database) -> None:
    assert {query: found(archive, query) for query in WORDS} == WORDS


def test_words_are_found_in_every_spelling(archive: Database, newsroom: Newsroom) -> None:
    newsroom.poll(*(newsroom.entry(str(n), title=text) for n, (text, _, _) in enumerate(SPELLINGS)))
    seqs = sorted(found(archive, "example.org"))[-len(SPELLINGS) :]  # the name of the feed finds all
    for seq, (text, words, missed) in zip(seqs, SPELLINGS, strict=True):
        assert [word for word in words.split() if seq not in found(archive, word)] == [], text
        assert [word for word in missed.split() if seq in found(archive, word)] == [], text
    assert found(archive, "“cold winter”") == [1]


def test_of_feeds_that_are_not_followed_what_was_scored_or_rated_is_found(
    archive: Database, newsroom: Newsroom
) -> None:
    newsroom.judge((1, 1.0, False))
    with archive.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription("https://else.example/feed")])
        feedback.append(tx, [Verdict("a verdict", LOCAL_USER, 3, Kind.LIKE, NOON)])
    assert found(archive, "grid") == [1]
    assert found(archive, "知事") == [3]
    assert found(archive, "winter festival") == []


def test_saved_items_of_no_source_are_found(archive: Database, newsroom: Newsroom) -> None:
    entry = newsroom.entry("saved", title="Canoes in the fjord")
    kept = Features(0, 0, 0, (), b"", b"", b"")
    with archive.write() as tx:
        saved = [SavedItem("", entry, NOON, kept, Mark(saved_at=NOON))]
        (seq,) = saved_items.add(tx, LOCAL_USER, saved, 0.0, 1.0).values()
    assert found(archive, "fjord") == [seq]


FILTERS = [
    (ArticleFilter(source="weekly KERNEL news"), [4]),
    (ArticleFilter(source="kernel"), [4]),
    (ArticleFilter(source="lwn.example"), [4]),
    (ArticleFilter(tag="science"), [3, 1, 2]),
    (ArticleFilter(tag="science", source="kernel"), []),
    (ArticleFilter(since=NOON - DAY), [4, 3, 1]),
    (ArticleFilter(before=NOON - DAY), [2]),
    (ArticleFilter(language="en"), [4, 1, 2]),
    (ArticleFilter(language="JA"), [3]),
]


def test_a_filter_restricts_what_is_found(archive: Database) -> None:
    with archive.read() as tx:
        listed = articles.get(tx, [1, 2, 3, 4])
    words = '"{}"'.format
    for only, expected in FILTERS:
        assert found(archive, "grid*", only) == [seq for seq in expected if seq in (1, 2)], only
        assert {each.seq for each in listed if found(archive, words(each.title), only)} == {*expected}, only


@pytest.mark.parametrize(
    ("only", "message"),
    [
        (ArticleFilter(source="Weekly kernal news"), "did you mean 'Weekly kernel news'"),
        (ArticleFilter(tag="sience"), "did you mean 'Science'"),
        (ArticleFilter(tag="opera"), "iscore edit feeds"),
    ],
)
def test_an_unknown_name_is_an_error_with_the_nearest(archive: Database, only: ArticleFilter, message: str) -> None:
    with pytest.raises(UnknownName, match=message):
        found(archive, "grid", only)


def test_changed_articles_are_found_by_what_they_say_now(archive: Database, newsroom: Newsroom) -> None:
    newsroom.poll(newsroom.entry("one", title="Grid operators relax", text="A mild spring."))
    assert found(archive, "winter") == [2]
    assert found(archive, "spring") == found(archive, "relax") == [1]


def test_pruned_texts_leave_and_titles_stay(archive: Database) -> None:
    with archive.write() as tx:
        while pruning.remove(tx, NOON + DAY):
            pass
    assert found(archive, "zurich") == []
    assert found(archive, "lights") == []
    assert found(archive, "grid") == found(archive, "halloran") == [1]


def test_nothing_of_a_transaction_that_fails_is_found(archive: Database, newsroom: Newsroom) -> None:
    def fail() -> None:
        with archive.write() as tx:
            articles.store(tx, 2, OTHER, [newsroom.entry("five", title="Quicksilver")], NOON)
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert found(archive, "quicksilver") == []


def test_it_counts_as_it_finds_and_stops_at_the_limit(archive: Database) -> None:
    assert found(archive, "winter", limit=1) == [1]
    with archive.read() as tx:
        assert search.count(tx, LOCAL_USER, search.parse("winter"), EVERYTHING) == 2
        assert search.count(tx, LOCAL_USER, search.parse("festival"), EVERYTHING) == 1  # one story, two matches
        assert search.count(tx, LOCAL_USER, search.parse("quicksilver"), EVERYTHING) == 0


def test_the_index_holds_exactly_what_is_stored(archive: Database, newsroom: Newsroom) -> None:
    """After changes of every kind it is as if it had been filled anew."""
    newsroom.poll(newsroom.entry("one", title="Grid operators relax", text="A mild spring in 東京."))
    with archive.write() as tx:
        pruning.remove(tx, NOON + DAY)
        kept = terms(tx)
        search_index.fill(tx)
        assert terms(tx) == kept


def test_the_index_of_an_older_schema_is_made_anew_and_rules_are_applied_anew(archive: Database) -> None:
    steps: list[tuple[int, int, str]] = []
    with archive.write() as tx:
        kept = terms(tx)
        tx.connection.exec_driver_sql(search_index.index_of(tx).clear)
        tx.connection.exec_driver_sql("UPDATE users SET ruled_by = 'before'")
        tx.connection.exec_driver_sql("DROP TABLE mail_confirmations")
        tx.connection.exec_driver_sql("DROP TABLE meanings")
        without_dates(tx)
        tx.connection.exec_driver_sql("UPDATE alembic_version SET version_num = '1000'")
        creation.migrate(tx, lambda *step: steps.append(step))
        assert terms(tx) == kept
        assert rule_outcomes.last_application(tx, LOCAL_USER) == ""
    assert steps == [(0, 4, "preparing the search"), (0, 4, "preparing lists by publication")]
    assert archive.revision() == REVISIONS[-1]


def terms(tx: Transaction) -> list[tuple[object, ...]]:
    """List every place of every word, as the database itself reads the index."""
    run = tx.connection.exec_driver_sql
    if tx.connection.dialect.name != "sqlite":
        return sorted(map(tuple, run("SELECT seq, words::text FROM search")))
    run("CREATE VIRTUAL TABLE IF NOT EXISTS temp.words USING fts5vocab('main', 'search', 'instance')")
    return sorted(map(tuple, run("SELECT * FROM temp.words")))
