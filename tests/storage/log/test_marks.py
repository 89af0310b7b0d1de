"""Marks: read, unread, saved, labels; and lists that are read in pages."""

from __future__ import annotations

from datetime import timedelta

import pytest

from storage.engine.errors import UnknownName
from storage.log import decisions, marks
from storage.opening.database import Database
from storage.people import users
from storage.records.decisions import CurrentScore
from storage.records.feeds import Subscription
from storage.records.marks import Mark
from storage.records.users import LOCAL_USER
from storage.stories import inbox, pruning, story_lists
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stories.inbox import Section
from storage.stream import feeds
from tests.storage.conftest import FEED, NOON, Newsroom

LATER = NOON + timedelta(hours=1)
WEEK = NOON - timedelta(days=7)


@pytest.fixture
def six(newsroom: Newsroom) -> Database:
    """Six articles; the fifth repeats the second, so that five stories have scores."""
    newsroom.follow(FEED)
    newsroom.poll(*(newsroom.entry(f"{number}") for number in range(1, 7)))
    newsroom.assess({5: 2})
    newsroom.judge(*((seq, seq / 10 - 0.3, False) for seq in (1, 2, 3, 4, 6)))
    return newsroom.database


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
        assert story_lists.newest(tx, LOCAL_USER, ArticleFilter(label="sea")) == [(2, 5)]
        with pytest.raises(UnknownName, match="no label is called 'Se'; did you mean 'Sea'"):
            story_lists.newest(tx, LOCAL_USER, ArticleFilter(label="Se"))


def test_texts_of_saved_stories_are_not_pruned(six: Database) -> None:
    with six.write() as tx:
        marks.save(tx, LOCAL_USER, [2], NOON)
        assert pruning.count(tx, LATER).texts == 4  # all but the two articles of the second story
        marks.unsave(tx, LOCAL_USER, [2])
        assert pruning.count(tx, LATER).texts == 6


def test_pages_of_a_list_by_time_join_without_gap(six: Database) -> None:
    with six.write() as tx:
        everything = [(6, 6), (2, 5), (4, 4), (3, 3), (1, 1)]
        assert story_lists.newest(tx, LOCAL_USER, EVERYTHING) == everything
        assert story_lists.newest(tx, LOCAL_USER, ArticleFilter(feed=1), after=5, limit=2) == everything[2:4]
        assert story_lists.newest(tx, LOCAL_USER, EVERYTHING, since=LATER) == []
        marks.read(tx, LOCAL_USER, [2], NOON)
        assert story_lists.newest(tx, LOCAL_USER, ArticleFilter(unread=True, author="AD")) == [
            place for place in everything if place[0] != 2
        ]
        marks.save(tx, LOCAL_USER, [4, 2], NOON)
        first, second = story_lists.saved(tx, LOCAL_USER, EVERYTHING)
        assert (first[0], second[0]) == (2, 4)
        assert story_lists.saved(tx, LOCAL_USER, EVERYTHING, after=first[1]) == [second]
        assert story_lists.newest(tx, LOCAL_USER, ArticleFilter(saved=True)) == [(2, 5), (4, 4)]


def test_pages_of_a_list_by_score_join_without_gap(six: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with six.write() as tx:
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(4, 0.0, 0.0, True)])  # as good as the third
        found = inbox.best(tx, LOCAL_USER, WEEK, section=Section.ALL)
        assert [seq for seq, _ in found] == [6, 4, 3, 2, 1]
        for number, (_, place) in enumerate(found):
            assert inbox.best(tx, LOCAL_USER, WEEK, section=Section.ALL, after=place) == found[number + 1 :]
        marks.save(tx, LOCAL_USER, [1, 3, 6], NOON)
        only, fitting = ArticleFilter(saved=True), [each for each in found if each[0] in (1, 3, 6)]
        monkeypatch.setattr(inbox, "PIECE", 2)
        for limit in (1, 2, None):
            assert inbox.best(tx, LOCAL_USER, WEEK, section=Section.ALL, only=only, limit=limit) == fitting[:limit]
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(1, -1.5, 0.0, False)])
        assert [seq for seq, _ in inbox.best(tx, LOCAL_USER, WEEK, section=Section.MAYBE)] == [2]


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
        assert story_lists.newest(tx, other, EVERYTHING) == story_lists.saved(tx, other, EVERYTHING) == []
