"""What pages show of articles beside their texts: stored with them, filled in later, and deleted with them."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import update

from storage.opening.database import Database
from storage.records.articles import NO_CONTENT, Content, Enclosure
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER
from storage.schema import contents as contents_rows
from storage.stories import pruning
from storage.stream import contents, feeds
from tests.storage.conftest import FEED, NOON, Newsroom

WHOLE = Content(
    "<p>Größe <b>x</b></p>" * 50,
    (Enclosure("https://c.example/ä.mp3", "audio/mpeg", 5_000_000_000), Enclosure("https://c.example/b", "", None)),
    "https://c.example/p.jpg",
)
OTHER = Content("<p>Other</p>")


def stored(database: Database, seq: int = 1) -> Content:
    with database.read() as tx:
        return contents.get(tx, seq)


def test_a_content_survives_whole(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one", content=WHOLE), newsroom.entry("two"))
    assert stored(database) == WHOLE
    assert stored(database, 2) == stored(database, 99) == NO_CONTENT
    with database.read() as tx:
        assert contents.thumbnails(tx, [1, 2, 99]) == {1: WHOLE.thumbnail}


def test_a_changed_entry_brings_its_new_content(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one", content=WHOLE))
    newsroom.poll(newsroom.entry("one", title="New", content=OTHER))
    assert stored(database) == OTHER
    newsroom.poll(newsroom.entry("one", title="Newer"))
    assert stored(database) == NO_CONTENT


def test_an_unchanged_entry_fills_in_only_what_is_missing(newsroom: Newsroom, database: Database) -> None:
    """Articles of a database that is older than contents."""
    newsroom.poll(newsroom.entry("one"))
    newsroom.poll(newsroom.entry("one", content=WHOLE))
    assert stored(database) == WHOLE
    newsroom.poll(newsroom.entry("one", content=OTHER))
    assert stored(database) == WHOLE


@pytest.mark.parametrize("known", [NO_CONTENT, OTHER])
def test_the_text_of_a_page_keeps_the_html_of_that_page(newsroom: Newsroom, database: Database, known: Content) -> None:
    """A feed with full text brings its teasers again, changed and unchanged."""
    with database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, fulltext=True)])
    teaser = newsroom.entry("one", text="A teaser.", content=WHOLE)
    newsroom.poll(replace(teaser, text="The text of the page, " * 9, content=known))
    newsroom.poll(teaser)
    newsroom.poll(newsroom.entry("one", title="New", text="A teaser.", content=WHOLE))
    expected = Content("", WHOLE.enclosures, WHOLE.thumbnail) if known == NO_CONTENT else known
    assert stored(database) == expected


def test_a_pruned_article_has_no_content_and_gets_none_again(newsroom: Newsroom, database: Database) -> None:
    newsroom.poll(newsroom.entry("one", content=WHOLE))
    newsroom.assess({1: 1})
    before = NOON + timedelta(days=1)
    with database.read() as tx:
        assert pruning.count(tx, before).bytes > 50
    with database.write() as tx:
        assert pruning.remove(tx, before) == 1
    assert stored(database) == NO_CONTENT
    newsroom.poll(newsroom.entry("one", content=WHOLE))
    newsroom.poll(newsroom.entry("one", title="New", content=WHOLE))
    assert stored(database) == NO_CONTENT


@pytest.mark.parametrize("damaged", [b"x", b"x\x9c", b""])
def test_damaged_html_is_none(newsroom: Newsroom, database: Database, damaged: bytes) -> None:
    newsroom.poll(newsroom.entry("one", content=WHOLE))
    with database.write() as tx:
        tx.connection.execute(update(contents_rows).values(html=damaged))
    assert stored(database) == Content("", WHOLE.enclosures, WHOLE.thumbnail)
