"""Reading: lists in pages, marks, mark all as read with undo, and the language of searches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from iscore.core.errors import LabelError, SearchError, UndoError, UnknownArticleError
from iscore.services.reading.reader import ListName, Reader, StoryList
from iscore.services.reading.search import parse_query
from storage.engine.errors import UnknownName
from storage.log import decisions
from storage.records.decisions import Decision
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Kind
from storage.stories import story_query
from storage.stories.article_filter import ArticleFilter
from storage.stories.search import Word
from storage.stream import feeds
from tests.iscore.conftest import START, Archive, Piece

FEED = "https://news.example/feed"
NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)


def piece(number: int) -> Piece:
    words = ("harbour", "orchard", "turbine", "violin", "glacier", "senate")[number % 6]
    text = f"{words} {number} " * 80 + f"and a mooring{number} at its end"
    address = f"https://news.example/{number}"
    return Piece(f"p{number}", f"The {words} {number}", text, address, "", "", "Ada", (), "en", None, START)


@pytest.fixture
def reader(archive: Archive) -> Reader:
    """Six stories with scores -0.3, -0.2 … 0.2; the threshold is 0."""
    archive.store([piece(number) for number in range(6)])
    archive.measure()
    with archive.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, tags=("local",))])
        for article in archive.leaders():
            score = article.seq / 10 - 0.4
            decision = Decision(LOCAL_USER, article.seq, score, 0.0, score >= 0, False, 1.0, START, None, None)
            decisions.add(tx, [decision])
    return archive.news.reader


def ids(reader: Reader, wanted: StoryList, after: str = "", limit: int = 30) -> list[str]:
    return [each.id for each in reader.page(wanted, after, limit).stories]


def test_a_search_shows_the_hit(reader: Reader) -> None:
    (found,) = reader.page(StoryList(words=(Word("mooring3", prefix=False),))).stories
    assert found.text.endswith("and a mooring3 at its end")
    assert len(found.text) < 200


@pytest.mark.parametrize(
    "wanted",
    [
        StoryList(),
        StoryList(best_first=True),
        StoryList(ListName.MAYBE),
        StoryList(ListName.SAVED),
        StoryList(words=(Word("the", prefix=False),)),
        StoryList(only=ArticleFilter(tag="local", feed=1)),
    ],
)
def test_pages_are_the_list(reader: Reader, wanted: StoryList) -> None:
    reader.save(ids(reader, StoryList()))
    whole = reader.page(wanted)
    assert len(whole.stories) >= 3
    assert whole.after == ""
    read, after = [], ""
    while True:
        page = reader.page(wanted, after, 2)
        read += page.stories
        if not (after := page.after):
            break
    assert read == list(whole.stories)
    assert ids(reader, wanted, "nonsense") == ids(reader, wanted)


@pytest.mark.parametrize(
    "only",
    [
        ArticleFilter(feed=1),
        ArticleFilter(saved=True),
        ArticleFilter(feed=1, saved=True),
        ArticleFilter(tag="local", author="ada"),
    ],
)
def test_a_restricted_list_is_read_in_pieces(
    reader: Reader, monkeypatch: pytest.MonkeyPatch, only: ArticleFilter
) -> None:
    best = ids(reader, StoryList(best_first=True))
    some = [best[0], best[3], best[5]]
    reader.save(some)
    expected = some if only.saved else best
    monkeypatch.setattr(story_query, "PIECE", 1)
    monkeypatch.setattr(story_query, "GROWTH", 2)
    wanted = StoryList(best_first=True, only=only)
    assert ids(reader, wanted) == expected
    assert ids(reader, wanted, limit=2) == expected[:2]
    assert ids(reader, wanted, reader.page(wanted, limit=2).after) == expected[2:]


def test_a_feed_has_no_stories_of_others(reader: Reader) -> None:
    assert ids(reader, StoryList(best_first=True, only=ArticleFilter(feed=2))) == []


def test_recommended_and_doubtful_stories_are_apart(reader: Reader) -> None:
    everything = ids(reader, StoryList())
    assert ids(reader, StoryList(ListName.FOR_YOU)) == everything[:3]
    assert ids(reader, StoryList(ListName.MAYBE)) == ids(reader, StoryList(ListName.HIDDEN)) == everything[3:]


def test_marks_are_shown_and_counted(archive: Archive, reader: Reader) -> None:
    first, second, third, *_ = ids(reader, StoryList())
    reader.mark_read([first])
    reader.save([second])
    assert reader.label("To  cite", [second]) == "To cite"
    assert reader.label("to cite", [third]) == "To cite"
    archive.news.give(Kind.LIKE, [third])
    marked = reader.page(StoryList()).stories
    assert [bool(each.mark.read_at) for each in marked[:4]] == [True, False, True, False]
    assert marked[1].mark.saved_at
    assert marked[1].mark.labels == ("To cite",)
    navigation = reader.navigation()
    assert (navigation.unread, navigation.saved, navigation.labels) == (4, 1, (("To cite", 2),))
    assert [(each.name, each.unread) for each in navigation.folders] == [("local", 4)]
    assert ids(reader, StoryList(only=ArticleFilter(label="TO CITE"))) == [second, third]
    reader.label("to cite", [third], remove=True)
    reader.mark_unread([first])
    reader.unsave([second])
    assert reader.navigation().unread == 5
    assert ids(reader, StoryList(ListName.SAVED)) == []
    assert reader.mark(first).kept_unread
    with pytest.raises(LabelError):
        reader.label("x" * 61, [first])
    with pytest.raises(UnknownArticleError):
        reader.save([first, "none"])


def test_an_undo_makes_unread_what_its_verdict_marked_as_read(archive: Archive, reader: Reader) -> None:
    rated, read_before, *_ = ids(reader, StoryList())
    news, unread = archive.news, reader.navigation().unread
    archive.news.context.clock = lambda: START - timedelta(hours=1)
    reader.mark_read([read_before])
    archive.news.context.clock = lambda: START
    news.give(Kind.SKIP, [rated, read_before])
    archive.news.context.clock = lambda: START + timedelta(minutes=1)
    news.give(Kind.LIKE, [rated])
    assert reader.navigation().unread == unread - 2
    news.give(Kind.UNDO, [rated, read_before])
    assert reader.navigation().unread == unread - 1
    assert (reader.mark(rated).read_at, reader.mark(read_before).read_at) == (None, START - timedelta(hours=1))


def test_all_is_marked_as_read_and_undone(reader: Reader) -> None:
    everything = ids(reader, StoryList())
    newest = reader.page(StoryList()).newest
    unread = StoryList(only=ArticleFilter(unread=True))
    reader.mark_unread([everything[0]])
    assert reader.mark_all_read(StoryList(), above=everything[2])[0] == 1
    assert ids(reader, unread) == [everything[0], *everything[2:]]
    reader.undo_mark_all_read()
    assert reader.mark_all_read(StoryList(ListName.FOR_YOU, best_first=True), below=everything[1])[0] == 1
    assert ids(reader, unread) == [*everything[:2], *everything[3:]]
    reader.undo_mark_all_read()
    assert reader.mark_all_read(StoryList(), older_than=timedelta(days=1))[0] == 0
    assert reader.mark_all_read(StoryList(), up_to=newest - 4)[0] == 2
    reader.undo_mark_all_read()
    count, at = reader.mark_all_read(StoryList())
    assert (count, ids(reader, unread)) == (5, [everything[0]])
    assert reader.undo_mark_all_read(at) == 5
    with pytest.raises(UndoError):
        reader.undo_mark_all_read(at)
    assert ids(reader, unread) == everything


def test_a_search_has_words_and_operators() -> None:
    text = 'tide "sea level" feed:"New York Times" AUTHOR:ada label:work is:saved is:unread before:2026-03-01 after:7d'
    found = parse_query(text, NOW, UTC)
    assert [word.text for word in found.words] == ["tide", "sea level"]
    assert found.only == ArticleFilter(
        source="New York Times",
        author="ada",
        label="work",
        saved=True,
        unread=True,
        before=datetime(2026, 3, 1, tzinfo=UTC),
        since=NOW - timedelta(days=7),
    )
    assert [word.text for word in parse_query("C++: https://a.example refeed:x", NOW, UTC).words] == [
        "C++:",
        "https://a.example",
        "refeed:x",
    ]


@pytest.mark.parametrize("text", ["is:read", "before:soon", "feed:", 'label:""'])
def test_a_wrong_operator_is_an_error(text: str) -> None:
    with pytest.raises(SearchError):
        parse_query(text, NOW, UTC)


def test_operators_restrict_a_search(archive: Archive, reader: Reader) -> None:
    first, *_ = ids(reader, StoryList())
    reader.save([first])
    assert [each.id for each in archive.news.search.find("the is:saved").items] == [first]
    with pytest.raises(UnknownName):
        archive.news.search.find("the label:none")
