import re
from dataclasses import replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from storage import schema
from storage.opening.database import Database
from storage.records.articles import Article, StorySource
from storage.records.feeds import Stored
from storage.records.users import LOCAL_USER
from storage.stream import articles, features
from storage.stream.addresses import site
from tests.storage.conftest import FEED, NOON, Newsroom


def test_an_article_survives_whole(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"))
    with database.read() as tx:
        (found,) = articles.get(tx, [1])
    assert re.fullmatch("[a-z2-7]{8}", found.id)
    assert found == Article(
        seq=1,
        id=found.id,
        feed_id=1,
        source="Example",
        url="https://www.example.org/one",
        site="example.org",
        title="Title of one",
        author="Ada",
        categories=("news", "wörld"),
        text="One paragraph.\n\nAnother.",
        language="en",
        published=NOON - timedelta(hours=1),
        arrived=NOON,
        links=2,
        pictures=1,
        story=None,
    )


def test_numbers_follow_the_order_of_arrival(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("c"), newsroom.entry("a"))
    newsroom.poll(newsroom.entry("b"), newsroom.entry("a"), at=NOON - timedelta(days=1))
    with database.read() as tx:
        assert [(each.seq, each.title[-1]) for each in articles.get(tx, [3, 1, 99, 2])] == [
            (3, "b"),
            (1, "c"),
            (2, "a"),
        ]
        assert (articles.count(tx, LOCAL_USER), articles.last_seq(tx)) == (3, 3)
        assert articles.has_any(tx, LOCAL_USER)


def test_an_empty_stream_has_no_last_article(database: Database) -> None:
    with database.read() as tx:
        assert (articles.count(tx, LOCAL_USER), articles.last_seq(tx)) == (0, 0)
        assert not articles.has_any(tx, LOCAL_USER)


def test_a_changed_entry_is_changed_in_place(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two"))
    newsroom.assess({2: 1})
    with database.read() as tx:
        old = articles.get(tx, [2])[0]
        frozen = features.ingested(tx, LOCAL_USER, [2])
    other = {"title": "New", "text": "New text.", "author": "Bob", "url": "http://new.org/2", "published": None}
    assert newsroom.poll(newsroom.entry("two", **other), at=NOON + timedelta(hours=1)) == Stored(0, 1)
    with database.read() as tx:
        changed = articles.get(tx, [2])[0]
        assert features.ingested(tx, LOCAL_USER, [2]) == frozen
    assert changed == replace(old, title="New", text="New text.", author="Bob", url="http://new.org/2", site="new.org")


def test_one_key_given_twice_counts_once(newsroom: Newsroom, database: Database) -> None:
    assert newsroom.poll(newsroom.entry("one", title="first"), newsroom.entry("one", title="second")) == Stored(1, 0)
    with database.read() as tx:
        assert articles.get(tx, [1])[0].title == "first"


def test_a_long_document_is_stored_whole(newsroom: Newsroom, database: Database) -> None:
    entries = [newsroom.entry(str(number)) for number in range(2500)]
    assert newsroom.poll(*entries) == Stored(2500, 0)
    assert newsroom.poll(*entries) == Stored(0, 0)
    with database.read() as tx:
        assert len({each.id for each in articles.get(tx, range(1, 2501))}) == 2500


def test_ids_are_the_same_in_every_installation(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"))
    with database.read() as tx:
        assert articles.get(tx, [1])[0].id == "v3ir6uwh"


def test_ids_that_collide_grow_longer(newsroom: Newsroom, database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(articles, "ID_LENGTH", 1)  # 32 ids: the 60 articles must find others
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(30)))
    newsroom.poll(*(newsroom.entry(str(number)) for number in range(60)))
    with database.read() as tx:
        ids = [each.id for each in articles.get(tx, range(1, 61))]
    assert len(set(ids)) == 60
    assert {1, 2} <= {len(each) for each in ids}


def test_an_address_used_again_by_another_feed_gives_other_ids(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"))
    newsroom.follow(FEED, "https://b.org/")
    with database.write() as tx:
        articles.store(tx, 2, FEED, [newsroom.entry("one")], NOON)
        first, second = articles.get(tx, [1, 2])
    assert first.id != second.id
    assert len(second.id) == 9


def test_articles_are_found_by_id_and_by_its_beginning(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    with database.write() as tx:
        for seq, name in ((1, "abcdefgh"), (2, "abcdexyz"), (3, "abcdefghi")):
            tx.connection.execute(sa.update(schema.articles).where(schema.articles.c.seq == seq).values(id=name))
        assert articles.find(tx, LOCAL_USER, "abcdefgh") == [1]
        assert articles.find(tx, LOCAL_USER, " ABCDEX ") == [2]
        assert articles.find(tx, LOCAL_USER, "abcd") == [1, 2, 3]
        assert articles.find(tx, LOCAL_USER, "abcdefghi") == [3]
        assert articles.find(tx, LOCAL_USER, "abc") == []
        assert articles.find(tx, LOCAL_USER, "abcf") == []
        assert articles.find(tx, LOCAL_USER, "%%%%") == []
        assert articles.find(tx, LOCAL_USER, "") == []


def test_what_is_not_assessed_is_listed_in_order(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    newsroom.poll(*(newsroom.entry(f"new {number}") for number in range(4)))
    with database.read() as tx:
        assert [each.seq for each in articles.without_features(tx, 2)] == [3, 4]
        assert [each.seq for each in articles.without_features(tx, 9, after_seq=4)] == [5, 6]
    newsroom.assess()
    with database.read() as tx:
        assert articles.without_features(tx, 9) == []


def test_a_story_names_the_sources_of_its_members(newsroom: Newsroom, database: Database) -> None:
    newsroom.follow(FEED, "https://b.org/")
    newsroom.poll(newsroom.entry("one"), newsroom.entry("two"))
    with database.write() as tx:
        articles.store(tx, 2, "https://b.org/", [newsroom.entry("three"), newsroom.entry("four")], NOON)
    newsroom.assess({3: 1, 4: 1})
    with database.read() as tx:
        shown = articles.story_sources(tx, LOCAL_USER, [1, 2])
        assert {story: [each.source for each in tellings] for story, tellings in shown.items()} == {
            1: ["Example", "b.org"],
            2: ["Example"],
        }
        (first,) = articles.get(tx, [1])
        assert shown[1][0] == StorySource("Example", first.title, first.url)


def test_lengths_of_texts_are_in_characters(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one", text="wörld"), newsroom.entry("two", text=""))
    with database.read() as tx:
        assert articles.text_lengths(tx, [2, 1, 99]) == {1: 5, 2: 0}


def test_an_article_without_its_text_is_still_there(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one"))
    with database.write() as tx:
        tx.connection.execute(sa.delete(schema.texts))
        assert articles.get(tx, [1])[0].text == ""


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.org:8080/x", "example.org"),
        ("http://user:pass@host.org?q", "host.org"),
        ("http://[::1]:80/", "[::1]"),
        ("http://host", "host"),
        ("mailto:someone", ""),
        ("", ""),
    ],
)
def test_the_site_is_the_host(url: str, host: str) -> None:
    assert site(url) == host
