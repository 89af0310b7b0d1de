"""Reasons by what the user read: of an article that is like it, and only if it counts."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from extractors.text.terms import TermBatch
from iscore.services.learning.explanations import cosines, done_words
from iscore.services.learning.reading_events import Done
from iscore.services.news_filter import NewsFilter
from storage.records.reading_events import Act, StoryReading
from storage.records.users import Kind
from storage.stream import articles
from tests.iscore.conftest import START, Archive, Piece
from tests.iscore.filtering.made_up import terms

NOTHING = StoryReading(1, False, 0.0, saved=False, original=False, left=False, passed=False, row=1, at=START)


def test_cosines_are_those_of_the_words() -> None:
    others = TermBatch.of([terms("storm floods harbour pier"), terms("chess rook"), terms("storm"), terms("")])
    assert cosines(terms("storm"), others).tolist() == pytest.approx([0.5, 0.0, 1.0, 0.0])


def test_what_was_done_is_said_in_words() -> None:
    read = replace(NOTHING, opened=True, seconds=240.0)
    assert done_words(read, liked=True) == "you read 4 minutes of an article like it"
    assert done_words(replace(read, saved=True), liked=True) == "you saved an article like it"
    assert done_words(replace(read, seconds=3.0), liked=False) == "you read an article like it for 3 seconds"
    assert done_words(replace(NOTHING, opened=True), liked=True) == "you opened an article like it"
    assert done_words(replace(NOTHING, left=True), liked=False) == "you left an article like it unread"


def test_why_names_an_article_like_it_that_was_read(archive: Archive, pieces: list[Piece]) -> None:
    archive.store(pieces[:40], at=START)
    news = NewsFilter(archive.home, archive.database, lambda: START + timedelta(hours=2))
    news.reading_events.switch(on=True)
    news.polling.decide()
    with news.database.read() as tx:
        found = [each.id for each in articles.get(tx, range(1, 41))]
    news.give(Kind.LIKE, found[:1])
    before = [reason for each in found[1:12:3] for reason in news.why(each).reasons]
    assert not any(reason.startswith("you read") for reason in before)
    news.reading_events.record("a visit of a page", [Done(Act.READ, each, 240.0) for each in found[1:12]])
    after = (reason for each in found[12:] for reason in news.why(each).reasons)
    assert any(reason.startswith("you read 4 minutes of an article like it: ") for reason in after)
    view = news.reading_events.view()
    assert (view.on, view.stories, view.opened, view.minutes) == (True, 11, 11, 44.0)
    assert 2.0 < view.as_likes <= 5.5
