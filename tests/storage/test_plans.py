"""No list of one reader's reads all articles: on a server with many readers they are many times the reader's own."""

from __future__ import annotations

from datetime import datetime, timedelta

from benchmarks.query_plans import observed
from storage.engine.base_database import Transaction
from storage.opening.database import Database
from storage.people import users
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.schema.column_types import microseconds
from storage.stories import client_items, search, story_query
from storage.stories.article_filter import ArticleFilter
from storage.stories.client_items import EVERYTHING, ItemFilter, Order, Page, State, Stream, Unread
from storage.stories.story_query import Section, StoryQuery
from storage.stream import feed_names, feeds
from tests.storage.conftest import FEED, NOON

ARTICLES, OWN = 30_000, 10
"""Articles, one of ten of them the reader's: looked up one by one, these cost more than all."""
WEEK = timedelta(days=7)
UNREAD = Unread(NOON - WEEK)


def fill(tx: Transaction, start: datetime) -> None:
    """Store articles, one of each minute, and scores of the reader's own, of which every tenth is recommended."""
    tx.connection.exec_driver_sql(
        f"""
        INSERT INTO articles (seq, id, feed_id, key, url, site, title, author, categories, language, arrived, links,
                              pictures, content_hash, story, dated)
        SELECT n, 'id ' || n, CASE mod(n, {OWN}) WHEN 0 THEN 1 ELSE 2 END, n, 'https://a.example/' || n, 'a.example',
               'Title ' || n, '', '[]', 'en', {microseconds(start)} + n * 60000000::bigint, 0, 0, '', n,
               {microseconds(start)} + n * 60000000::bigint
        FROM generate_series(1, {ARTICLES}) AS n
        """
    )
    tx.connection.exec_driver_sql(
        f"""
        INSERT INTO current_scores (user_id, seq, score, threshold, interesting, explore, arrived, dated)
        SELECT {LOCAL_USER}, seq, 0, 0, mod(seq / {OWN}, 10) = 0, false, arrived, dated FROM articles WHERE feed_id = 1
        """
    )
    tx.connection.exec_driver_sql(
        "INSERT INTO search SELECT seq, ('the feed/' || feed_id || ' n' || mod(seq / 10, 4))::tsvector FROM articles"
    )
    tx.connection.exec_driver_sql("ANALYZE")


def test_lists_of_a_reader_read_their_own_rows_first(postgresql_database: Database) -> None:
    with postgresql_database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, tags=("sea",))])
        users.add(tx, "Ben", 5)
        feeds.subscribe(tx, LOCAL_USER + 1, [Subscription("https://other.example/feed")])
        fill(tx, NOON - timedelta(minutes=ARTICLES))
    unread, read = Stream(State.UNREAD), Stream(State.READ)
    with postgresql_database.read() as tx, observed() as plans:

        def during(what: str) -> None:
            plans.during = what

        during("everything")
        assert len(client_items.numbers(tx, LOCAL_USER, UNREAD, ItemFilter())) == ARTICLES // OWN
        during("unread")
        without_read = client_items.numbers(tx, LOCAL_USER, UNREAD, ItemFilter(EVERYTHING, without=(read,)))
        assert without_read == client_items.numbers(tx, LOCAL_USER, UNREAD, ItemFilter(unread))
        assert len(without_read) == 101  # of 10,080 minutes every hundredth
        during("a page of unread")
        page = Page(Order.PUBLISHED, descending=True, offset=0, limit=5)
        assert client_items.page(tx, LOCAL_USER, UNREAD, ItemFilter(unread), page) == (without_read[:5], 101)
        during("listed")
        assert client_items.numbers(tx, LOCAL_USER, UNREAD, ItemFilter(Stream(State.LISTED))) == without_read
        during("by publication")
        for wanted in (ItemFilter(), ItemFilter(unread), ItemFilter(Stream(feed=1)), ItemFilter(Stream(label="sea"))):
            assert len(client_items.places(tx, LOCAL_USER, UNREAD, wanted, limit=50)) == 50
        assert client_items.places(tx, LOCAL_USER, UNREAD, ItemFilter(Stream(State.STARRED)), limit=50) == []
        for only in (ArticleFilter(), ArticleFilter(unread=True), ArticleFilter(feed=1), ArticleFilter(tag="sea")):
            since = UNREAD.since if only.unread else None
            newest = StoryQuery(LOCAL_USER, since, only=only, order=story_query.Order.NEWEST, limit=50)
            assert len(story_query.page(tx, newest).seqs) == 50
        during("what is marked at once")
        for only in (ArticleFilter(), ArticleFilter(unread=True), ArticleFilter(feed=1)):
            recent = StoryQuery(LOCAL_USER, UNREAD.since, only=only, order=story_query.Order.NEWEST)
            assert len(story_query.seqs(tx, recent)) == WEEK // timedelta(minutes=OWN) + 1
        during("unread counts")
        assert client_items.unread_counts(tx, LOCAL_USER, UNREAD)[1][0] == len(without_read)
        during("unread stories")
        assert len(client_items.unread_stories(tx, LOCAL_USER, UNREAD, ItemFilter())) == len(without_read)
        during("names of feeds")
        assert list(feed_names.all_names(tx, LOCAL_USER)) == [1]
        during("a search")
        words = search.parse("the n1")
        assert len(search.find(tx, LOCAL_USER, words, ArticleFilter(), limit=10)) == 10
        assert search.count(tx, LOCAL_USER, words, ArticleFilter()) == ARTICLES // OWN // 4
        assert search.find(tx, LOCAL_USER, search.parse("the nobody"), ArticleFilter(), limit=10) == []
        during("a folder")
        only = ArticleFilter(tag="sea")
        assert len(story_query.seqs(tx, StoryQuery(LOCAL_USER, UNREAD.since, Section.LISTED, only, limit=5))) == 5
        assert len(story_query.seqs(tx, StoryQuery(LOCAL_USER, UNREAD.since, Section.LISTED, only))) == 101
        assert story_query.count(tx, StoryQuery(LOCAL_USER, UNREAD.since, Section.LISTED, only)) == 101
        during("the inbox")
        assert len(story_query.ids(tx, StoryQuery(LOCAL_USER, UNREAD.since, Section.LISTED))) == 101
    found = plans.scans({"articles", "articles_feed", "search"})
    assert [(each.during, each.how, each.statement) for each in found] == []
