"""Marks: read, unread, saved, labels."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.engine.errors import UnknownName
from storage.log import marks
from storage.opening.database import Database
from storage.people import users
from storage.records.feeds import Subscription
from storage.records.stories import Mark
from storage.records.users import LOCAL_USER
from storage.stories import pruning, story_query
from storage.stories.article_filter import ArticleFilter
from storage.stories.story_query import Order, StoryQuery
from storage.stream import feeds
from tests.storage.conftest import FEED, NOON, Newsroom

LATER = NOON + timedelta(hours=1)
WEEK = NOON - timedelta(days=7)


def test_a_story_is_read_until_it_is_kept_unread(six: Database) -> None:
    with six.write() as tx:
        assert marks.stories(tx, LOCAL_USER, [5, 6, 99]) == {5: 2, 6: 6}
        marks.read(tx, LOCAL_USER, [2], NOON)
        marks.read(tx, LOCAL_USER, [2], LATER)
        assert marks.get(tx, LOCAL_USER, [1, 2]) == {2: Mark(NOON)}
        assert marks.unread_counts(tx, LOCAL_USER, WEEK) == {1: 4}
        marks.keep_unread(tx, LOCAL_USER, [2])
        assert marks.get(tx, LOCAL_USER, [2]) == {2: Mark(kept_unread=True)}
        assert marks.unread_counts(tx, LOCAL_USER, WEEK) == {1: 5}
        assert marks.unread_counts(tx, LOCAL_USER, LATER) == {}


def test_reading_all_is_undone_exactly(six: Database) -> None:
    with six.write() as tx:
        marks.read(tx, LOCAL_USER, [1], NOON)
        marks.keep_unread(tx, LOCAL_USER, [3])
        before = marks.get(tx, LOCAL_USER, [1, 3])
        assert marks.read_all(tx, LOCAL_USER, [1, 2, 3, 4, 6], LATER) == 3
        marks.keep_unread(tx, LOCAL_USER, [6])  # meanwhile: not undone with the others
        assert marks.last_read_all(tx, LOCAL_USER) == LATER
        assert marks.undo_read_all(tx, LOCAL_USER, LATER) == 2
        assert marks.last_read_all(tx, LOCAL_USER) is None
        assert marks.get(tx, LOCAL_USER, [1, 3]) == before
        assert marks.unread_counts(tx, LOCAL_USER, WEEK) == {1: 4}


def test_unread_counts_begin_with_the_first_of_the_stories_that_arrived_together(newsroom: Newsroom) -> None:
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"{number}") for number in range(1, 4)))
    newsroom.assess()
    for seq in (3, 2, 1):
        newsroom.judge((seq, 0.1, False))
    with newsroom.database.read() as tx:
        assert marks.first_since(tx, LOCAL_USER, WEEK) == 1
        assert marks.unread_counts(tx, LOCAL_USER, WEEK) == {1: 3}


def test_labels_are_counted(six: Database) -> None:
    with six.write() as tx:
        marks.add_label(tx, LOCAL_USER, "Wind", [2, 3])
        marks.add_label(tx, LOCAL_USER, "Sea", [2])
        marks.add_label(tx, LOCAL_USER, "Sea", [2])
        assert marks.get(tx, LOCAL_USER, [2])[2].labels == ("Sea", "Wind")
        marks.remove_label(tx, LOCAL_USER, "Wind", [2])
        assert marks.label_counts(tx, LOCAL_USER) == {"Sea": 1, "Wind": 1}
        assert story_query.seqs(tx, StoryQuery(LOCAL_USER, only=ArticleFilter(label="sea"))) == [2]
        with pytest.raises(UnknownName, match="no label is called 'Se'; did you mean 'Sea'"):
            story_query.seqs(tx, StoryQuery(LOCAL_USER, only=ArticleFilter(label="Se")))


def test_texts_of_saved_stories_are_not_pruned(six: Database) -> None:
    with six.write() as tx:
        marks.save(tx, LOCAL_USER, [2], NOON)
        assert pruning.count(tx, LATER).texts == 4  # all but the two articles of the second story
        marks.unsave(tx, LOCAL_USER, [2])
        assert pruning.count(tx, LATER).texts == 6


def test_nobody_sees_the_marks_of_another(six: Database) -> None:
    with six.write() as tx:
        other = users.add(tx, "other", 5).id
        feeds.subscribe(tx, other, [Subscription("https://other.example/feed")])
        marks.read(tx, LOCAL_USER, [2], NOON)
        marks.save(tx, LOCAL_USER, [2], NOON)
        marks.add_label(tx, LOCAL_USER, "Sea", [2])
        assert marks.stories(tx, other, [1, 2]) == {}
        assert marks.get(tx, other, [2]) == {}
        assert marks.unread_counts(tx, other, WEEK) == {}
        assert story_query.seqs(tx, StoryQuery(other, order=Order.NEWEST)) == []
        assert story_query.seqs(tx, StoryQuery(other, order=Order.SAVED)) == []
