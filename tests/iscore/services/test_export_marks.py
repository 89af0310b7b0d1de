"""Exports of marks and reading events: what is taken from another folder, and where it goes."""

import io
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from iscore.core.data_folder import DataFolder
from iscore.core.errors import UnknownArticleError
from iscore.jobs.maintenance.import_export import import_lines
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.reader import ListName, StoryList
from storage.exchange import export
from storage.log import marks, reading_events
from storage.opening.database import open_database
from storage.records.reading_events import Act, ReadingEvent
from storage.records.stories import Mark
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.conftest import START, Archive, Piece
from tests.iscore.services.exports import LATER, all_articles, exported, imported, lines


@pytest.fixture
def marked(filled: Archive) -> Archive:
    """A saved story with labels, one that was read and one kept unread; events of today, and summed ones."""
    stories = [article.seq for article in filled.leaders()][:4]
    with filled.database.write() as tx:
        marks.save(tx, LOCAL_USER, stories[:1], START)
        marks.add_label(tx, LOCAL_USER, "Küche", stories[:1])
        marks.add_label(tx, LOCAL_USER, "R&D", stories[:1])
        marks.read(tx, LOCAL_USER, stories[1:2], START)
        marks.keep_unread(tx, LOCAL_USER, stories[2:3])
        for number, (story, act, seconds) in enumerate(
            [(2, Act.OPENED, 0.0), (2, Act.READ, 40.0), (2, Act.READ, 55.0), (3, Act.OPENED, 0.0), (3, Act.LEFT, 0.0)]
        ):
            at = START - timedelta(days=300 if story == 2 else 0)
            event = ReadingEvent(f"e{number}", LOCAL_USER, stories[story], act, at, f"visit {number % 2}", seconds)
            reading_events.append(tx, [event])
        assert reading_events.sum_before(tx, LOCAL_USER, START - timedelta(days=180)) == 1
    return filled


def _read(home: DataFolder) -> tuple[Any, Any]:
    """Return marks and readings by the keys of articles."""
    with open_database(home.database) as database, database.read() as tx:
        names = {each.seq: each.title for each in all_articles(tx)}
        readings = reading_events.of_stories(tx, LOCAL_USER, list(names))
        found = {names[each.story]: replace(each, story=0, row=0) for each in readings}
        return {names[seq]: mark for seq, mark in export.marked(tx, LOCAL_USER).items()}, found


def test_marks_and_reading_events_are_imported(marked: Archive, pieces: list[Piece], tmp_path: Path) -> None:
    content = exported(marked.home)
    given, read = _read(marked.home)
    assert (len(given), len(read)) == (3, 2)
    assert [row["labels"] for row in lines(content, "mark") if row["saved_at"]] == [["Küche", "R&D"]]
    assert len(lines(content, "article")) == 1  # of the story that is saved
    other = Archive(tmp_path / "other")
    other.store(pieces)
    other.measure()
    view = imported(other.home, content)
    assert (view.marks, view.marks_left_out, view.reading_events) == (3, 0, 0)
    assert _read(other.home) == (given, {})
    asked = import_lines(other.home, io.BytesIO(content), "export.jsonl", reading_events=True)
    assert asked.reading_events == 4
    assert _read(other.home) == (given, read)
    again = import_lines(other.home, io.BytesIO(content), "export.jsonl", reading_events=True)
    assert again.reading_events == 0
    assert _read(other.home) == (given, read)
    other.database.close()


def test_what_was_saved_and_no_feed_has_brought_is_imported_and_is_nothing_new(marked: Archive, tmp_path: Path) -> None:
    content, new = exported(marked.home), DataFolder(tmp_path / "new")
    (saved,) = [row for row in lines(content, "mark") if row["saved_at"]]
    for expected in (1, 0):
        view = imported(new, content)
        assert (view.marks, view.marks_left_out) == (expected, 3 - expected)
    with NewsFilter.open(new.path, clock=lambda: START + timedelta(hours=1)) as news:
        news.polling.decide()
        (story,) = news.reader.page(StoryList(ListName.SAVED)).stories
        assert (story.title, story.mark.labels) == (saved["title"], ("Küche", "R&D"))
        assert story.mark.saved_at == START
        assert story.source == "news.example"
        assert news.show(story.id).text
        found = [
            news.search.parse(f'"{saved["title"]}"'),
            news.search.parse("is:saved"),
            news.search.parse("label:küche"),
        ]
        for query in found:
            page = news.reader.page(StoryList(ListName.ALL, query.only, query.words))
            assert [each.id for each in page.stories] == [story.id]
        assert news.reader.page(StoryList()).stories == ()
        assert news.reader.navigation().unread == 0
        inbox = news.inbox(everything=True, limit=None)
        assert [item.id for item in inbox.items if item.interesting or item.explore] == []
        assert (inbox.waiting - inbox.archive, news.status().recommended) == (0, 0)
        news.give(Kind.LIKE, [story.id])
        assert news.models.rebuild(check=True).equal is True
        news.people.add("Anna")
        anna = news.for_user(2)
        assert anna.reader.page(StoryList(ListName.SAVED)).stories == ()
        with pytest.raises(UnknownArticleError):
            anna.show(story.id)


def test_what_was_rated_and_saved_is_stored_once(marked: Archive, tmp_path: Path) -> None:
    saved = marked.leaders()[0].seq
    marked.say(Kind.LIKE, saved, marked.leaders()[5].seq)
    content, new = exported(marked.home), DataFolder(tmp_path / "new")
    (title,) = [row["title"] for row in lines(content, "mark") if row["saved_at"]]
    for expected in ((2, 1), (0, 0)):
        view = imported(new, content)
        assert (view.verdicts, view.marks) == expected
        assert view.articles == expected[0] // 2  # apart from the one that is saved
    with NewsFilter.open(new.path, clock=lambda: START + timedelta(hours=1)) as news:
        with news.database.read() as tx:
            assert [each.title for each in all_articles(tx)].count(title) == 1
        (story,) = news.reader.page(StoryList(ListName.SAVED)).stories
        assert news.show(story.id).verdict == Kind.LIKE
        assert (news.status().likes, news.status().f05) == (2, None)
        assert news.models.rebuild(check=True).equal is True


def test_marks_that_are_here_stay(marked: Archive) -> None:
    content = exported(marked.home)
    first, second, third = [article.seq for article in marked.leaders()][:3]
    with marked.database.write() as tx:
        marks.save(tx, LOCAL_USER, [second], LATER)
        marks.read(tx, LOCAL_USER, [third], LATER)
        marks.remove_label(tx, LOCAL_USER, "Küche", [first])
        marks.add_label(tx, LOCAL_USER, "KÜCHE", [second])
    imported(marked.home, content)
    with marked.database.read() as tx:
        now = marks.get(tx, LOCAL_USER, [first, second, third])
    assert now[first] == Mark(saved_at=START, labels=("KÜCHE", "R&D"))
    assert now[second] == Mark(read_at=START, saved_at=LATER, labels=("KÜCHE",))
    assert now[third] == Mark(read_at=LATER)
