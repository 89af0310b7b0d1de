"""Lists that are read in pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from storage.log import decisions, marks
from storage.opening.database import Database
from storage.records.decisions import CurrentScore
from storage.records.users import LOCAL_USER
from storage.stories import story_query
from storage.stories.article_filter import EVERYTHING, ArticleFilter
from storage.stories.places import Place
from storage.stories.story_query import Order, Section, StoryQuery
from storage.stream import articles
from tests.storage.conftest import FEED, NOON, Newsroom

LATER = NOON + timedelta(hours=1)
WEEK = NOON - timedelta(days=7)


def at(seq: int) -> Place:
    return Place(NOON - timedelta(hours=1), seq)


def newest(only: ArticleFilter = EVERYTHING, **more: Any) -> StoryQuery:
    return StoryQuery(LOCAL_USER, only=only, **{"order": Order.NEWEST} | more)


def test_pages_of_a_list_by_time_join_without_gap(six: Database) -> None:
    with six.write() as tx:
        everything = [6, 4, 3, 2, 1]  # the fifth is the second story's
        assert story_query.page(tx, newest()) == (everything, "", 6, [])
        assert story_query.page(tx, newest(limit=2)) == ([6, 4], f"6-{at(4)}", 6, [])
        assert story_query.page(tx, newest(ArticleFilter(feed=1), after=f"6-{at(4)}", limit=2)).seqs == [3, 2]
        assert story_query.page(tx, newest(after=f"5-{at(2)}", limit=2)) == ([1], "", 5, [])
        assert story_query.seqs(tx, newest(up_to=3)) == [3, 2, 1]
        assert story_query.seqs(tx, newest(since=LATER)) == []
        for after in ("", "5th", "9" * 18, "5", "6-5", f"{at(4)}\n"):  # of no such list
            assert story_query.seqs(tx, newest(after=after)) == everything
        marks.read(tx, LOCAL_USER, [2], NOON)
        assert story_query.seqs(tx, newest(ArticleFilter(unread=True, author="AD"))) == [6, 4, 3, 1]
        marks.save(tx, LOCAL_USER, [4, 2], NOON)
        saved = newest(order=Order.SAVED, limit=1)
        first = story_query.page(tx, saved)
        assert first.seqs == [2]
        assert story_query.page(tx, replace(saved, after=first.after)).seqs == [4]
        assert story_query.seqs(tx, replace(saved, after="9" * 18)) == [2]
        assert story_query.page(tx, newest(ArticleFilter(saved=True), limit=1)) == ([4], f"6-{at(4)}", 6, [])
        assert story_query.seqs(tx, newest(ArticleFilter(saved=True))) == [4, 2]


def test_a_story_keeps_its_place_when_other_articles_join_it(newsroom: Newsroom) -> None:
    newsroom.follow(FEED, "https://b.org/")
    hours = [NOON - timedelta(hours=ago) for ago in (3, 2, 1)]
    old, new = (newsroom.entry(f"{n}", published=at) for n, at in enumerate(hours[:2]))
    newsroom.poll(old, new, at=WEEK)
    with newsroom.database.write() as tx:
        articles.store(tx, 2, "https://b.org/", [newsroom.entry("again", published=hours[2])], NOON)
    newsroom.assess({3: 1})
    newsroom.judge((1, 1.0, False), (2, 1.0, False))
    with newsroom.database.write() as tx:
        b, later = ArticleFilter(source="b.org"), WEEK + timedelta(hours=1)
        assert story_query.seqs(tx, newest()) == [2, 1]
        assert story_query.seqs(tx, newest(b)) == story_query.seqs(tx, newest(ArticleFilter(feed=2))) == [1]
        assert story_query.page(tx, newest(ArticleFilter(feed=2), limit=1)).newest == 2
        for shown_before in (b, ArticleFilter(feed=2)):
            assert story_query.seqs(tx, newest(shown_before, up_to=2)) == []
        for only in (EVERYTHING, b, ArticleFilter(unread=True)):
            assert story_query.seqs(tx, newest(only, since=later)) == [1]
        places = [story_query.place_of(tx, newest(only), 1) for only in (EVERYTHING, ArticleFilter(feed=2))]
        assert places == [str(Place(WEEK, 1)), str(Place(hours[2], 3))]


def test_pages_of_a_list_by_score_join_without_gap(six: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    with six.write() as tx:
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(4, 0.0, 0.0, True)])  # as good as the third
        everything = StoryQuery(LOCAL_USER, WEEK)
        found = story_query.seqs(tx, everything)
        assert found == [6, 4, 3, 2, 1]
        for size in range(1, 6):
            part = story_query.page(tx, replace(everything, limit=size))
            assert part.seqs == found[:size]
            if size < len(found):
                assert story_query.seqs(tx, replace(everything, after=part.after)) == found[size:]
        for after in ("", "1_nan_1_1", "2_0.5_1_1", "1_0.5_1", "1_0.5_1_1\n", "1_1.2.3_1_1", "5"):  # of no such list
            assert story_query.seqs(tx, replace(everything, after=after)) == found
        marks.save(tx, LOCAL_USER, [1, 3, 6], NOON)
        fitting = replace(everything, only=ArticleFilter(saved=True))
        monkeypatch.setattr(story_query, "PIECE", 2)
        for limit in (1, 2, None):
            assert story_query.seqs(tx, replace(fitting, limit=limit)) == [6, 3, 1][:limit]
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(1, -1.5, 0.0, False)])
        assert story_query.seqs(tx, replace(everything, section=Section.MAYBE)) == [2]


@pytest.mark.parametrize("score", [0.1 + 0.2, -1e-17, 3.0])
def test_the_place_of_a_score_is_exact(six: Database, score: float) -> None:
    with six.write() as tx:
        decisions.rescore(tx, LOCAL_USER, [CurrentScore(seq, score, 0.0, True) for seq in (1, 2, 3, 4, 6)])
        found, after, *_ = story_query.page(tx, StoryQuery(LOCAL_USER, WEEK, limit=2))
        assert found + story_query.seqs(tx, StoryQuery(LOCAL_USER, WEEK, after=after)) == [6, 4, 3, 2, 1]
