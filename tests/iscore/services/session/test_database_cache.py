"""What is counted once, and counted again after every change that it depends on."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from iscore.services.news_filter import NewsFilter
from iscore.services.reading.reader import Reader, StoryList
from iscore.services.session.user_session import MAX_VALUES, DatabaseCache
from storage.engine import changes
from storage.engine.transaction import Transaction
from storage.log import decisions, marks
from storage.opening.database import open_database
from storage.people import users
from storage.records.decisions import Decision
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Kind
from storage.stories.client_items import ItemFilter, State, Stream
from storage.stream import feeds
from tests.iscore.conftest import START, Archive, Piece

FEED, OTHER = "https://news.example/feed", "https://other.example/feed"


def piece(number: int) -> Piece:
    words = ("harbour", "orchard", "turbine", "violin", "glacier", "senate")[number % 6]
    text, address = f"{words} {number} " * 20, f"https://news.example/{number}"
    return Piece(f"p{number}", f"The {words} {number}", text, address, "", "", "Ada", (), "en", None, START)


@dataclass
class Life:
    """A user who follows two feeds, and another who follows one of them."""

    archive: Archive
    now: datetime = START

    def __post_init__(self) -> None:
        archive = self.archive
        with archive.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, tags=("local",)), Subscription(OTHER)])
            self.other_id = users.add(tx, "ben", 1).id
            feeds.subscribe(tx, self.other_id, [Subscription(FEED)])
        self.news = NewsFilter(archive.home, archive.database, lambda: self.now)
        self.others = NewsFilter(archive.home, archive.database, lambda: self.now, self.other_id)
        self.poll(0, 1, 2)

    def poll(self, *numbers: int) -> None:
        self.archive.store([piece(number) for number in numbers])
        self.archive.measure()
        new = [each.seq for each in self.archive.leaders() if each.title[-1] in map(str, numbers)]
        with self.archive.database.write() as tx:
            for user in (LOCAL_USER, self.other_id):
                decisions.add(tx, [Decision(user, seq, 1.0, 0.0, True, False, 1.0, START, None, None) for seq in new])

    def follow(self, *urls: str) -> None:
        with self.archive.database.write() as tx:
            feeds.subscribe(tx, LOCAL_USER, [Subscription(url) for url in urls])

    @property
    def ids(self) -> list[str]:
        return [each.id for each in self.news.reader.page(StoryList()).stories]

    def counts(self, news: NewsFilter) -> tuple[int, int, int, int, int]:
        """Unread stories, saved ones, labels, feeds, and stories without a verdict."""
        found, inbox = news.reader.navigation(), news.inbox(limit=0, learn=False)
        return found.unread, found.saved, len(found.labels), inbox.feeds, inbox.waiting


@pytest.fixture
def life(archive: Archive) -> Life:
    return Life(archive)


def in_another_process(life: Life) -> None:
    """Another connection, as another process has it."""
    with open_database(life.archive.home.database) as other:
        NewsFilter(life.archive.home, other, lambda: START).reader.mark_read(life.ids[:1])


CHANGES: dict[str, tuple[Callable[[Life], object], tuple[int, int, int, int, int]]] = {
    "a verdict": (lambda life: life.news.give(Kind.LIKE, life.ids[:1]), (2, 0, 0, 2, 2)),
    "an undone verdict": (
        lambda life: [life.news.give(each, life.ids[:1]) for each in (Kind.LIKE, Kind.UNDO)],
        (3, 0, 0, 2, 3),  # unread again
    ),
    "read": (lambda life: life.news.reader.mark_read(life.ids[:1]), (2, 0, 0, 2, 3)),
    "all read": (lambda life: life.news.reader.mark_all_read(StoryList()), (0, 0, 0, 2, 3)),
    "saved": (lambda life: life.news.reader.save(life.ids[:2]), (3, 2, 0, 2, 3)),
    "a label": (lambda life: life.news.reader.label("new", life.ids[:1]), (3, 0, 1, 2, 3)),
    "a poll": (lambda life: life.poll(3), (4, 0, 0, 2, 4)),
    "a feed removed": (lambda life: life.follow(FEED), (3, 0, 0, 1, 3)),
    "the feed of all stories removed": (lambda life: life.follow(OTHER), (0, 0, 0, 1, 3)),
    "another process": (in_another_process, (2, 0, 0, 2, 3)),
    "time": (lambda life: setattr(life, "now", START + timedelta(days=30)), (0, 0, 0, 2, 0)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_counts_follow_every_change(life: Life, name: str) -> None:
    change, expected = CHANGES[name]
    others = life.counts(life.others)
    assert life.counts(life.news) == (3, 0, 0, 2, 3)
    change(life)
    assert life.counts(life.news) == expected
    if name not in ("a poll", "time"):
        assert life.counts(life.others) == others == (3, 0, 0, 1, 3)


def test_an_undone_mark_all_read_is_counted(life: Life) -> None:
    life.news.reader.mark_all_read(StoryList())
    assert life.counts(life.news)[0] == 0
    life.news.reader.undo_mark_all_read()
    assert life.counts(life.news)[0] == 3


def test_the_rules_of_the_folder_are_applied_when_they_change(life: Life) -> None:
    assert life.counts(life.news)[4] == 3
    life.archive.home.rules.write_text("rules:\n  - {action: never, word: harbour}\n")
    assert life.counts(life.news)[4] == 2
    life.archive.home.rules.write_text("rules:\n  - {action: never, word: nothing}\n")
    assert life.counts(life.news)[4] == 3


def test_a_value_is_read_once_until_somebody_writes(life: Life) -> None:
    cache, read = DatabaseCache(life.archive.database, LOCAL_USER), []

    def value() -> int:
        read.append(1)
        return len(read)

    assert [cache.get("a", value), cache.get("a", value), cache.get("b", value)] == [1, 1, 2]
    life.news.reader.mark_read(life.ids[:1])
    assert [cache.get("a", value), cache.get("a", value)] == [3, 3]
    for number in range(MAX_VALUES):
        cache.get(number, value)
    assert cache.get("a", value) > 3


def test_a_value_read_before_a_commit_is_not_kept(life: Life) -> None:
    cache, ids = DatabaseCache(life.archive.database, LOCAL_USER), life.ids

    def unread() -> int:
        found = life.news.reader.navigation().unread
        life.news.reader.mark_read(ids[found - 1 :])  # somebody else, at this moment
        return found

    assert [cache.get("unread", unread) for _ in range(3)] == [3, 2, 1]


def test_an_error_is_raised_each_time(life: Life) -> None:
    cache = DatabaseCache(life.archive.database, LOCAL_USER)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            cache.get("a", lambda: 1 // 0)
    assert cache.get("a", lambda: datetime.now(UTC))


def test_marks_leave_what_does_not_depend_on_them(life: Life) -> None:
    cache, read = DatabaseCache(life.archive.database, LOCAL_USER), []

    def value() -> int:
        read.append(1)
        return len(read)

    def both() -> tuple[int, int]:
        return cache.get("marks", value), cache.get("others", value, marks=False)

    assert both() == (1, 2)
    life.news.reader.mark_read(life.ids[:1])
    assert both() == (3, 2)
    life.others.reader.mark_read(life.ids[:1])  # of somebody else
    assert both() == (4, 2)
    life.news.give(Kind.LIKE, life.ids[:1])
    assert both() == (5, 6)


def test_what_one_user_changes_empties_no_cache_of_another(life: Life) -> None:
    news = life.news
    news.subscriptions.follow()
    apps, number = news.client_apps, news.client_apps.numbers((), ItemFilter(), after=None, limit=1)

    def others() -> tuple[int, int]:
        with life.archive.database.read() as tx:
            return changes.numbers(tx, life.other_id).others

    before = others()
    apps.edit((), number, [Stream(State.READ), Stream(State.STARRED)])
    apps.mark_all_read((), ItemFilter().stream)
    news.client_folders.create("new")
    news.subscriptions.follow()
    assert others() == before
    life.archive.home.feeds.write_text(f"feeds:\n  - url: {OTHER}\n")
    news.subscriptions.follow()
    assert others() == before  # a feed that the server knows
    with life.archive.database.read() as tx:
        assert [mine.url for mine, _ in feeds.followed(tx, LOCAL_USER)] == [OTHER]
    life.archive.home.feeds.write_text(f"feeds:\n  - url: {OTHER}\n  - url: https://new.example/feed\n")
    news.subscriptions.follow()
    assert others() > before


def test_unread_counts_are_adjusted_by_marks_and_are_those_of_the_database(
    life: Life, monkeypatch: pytest.MonkeyPatch
) -> None:
    life.poll(3, 4, 5)
    counted = []
    count = marks.unread_counts

    def counting(
        tx: Transaction, user_id: int, since: datetime, stories: Sequence[int] | None = None
    ) -> dict[int, int]:
        counted.extend([user_id] if stories is None else [])
        return count(tx, user_id, since, stories)

    monkeypatch.setattr(marks, "unread_counts", counting)
    reader, ids, draw = life.news.reader, life.ids, random.Random(7)
    steps: list[tuple[Callable[[], object], bool]] = [
        (lambda: reader.mark_read(draw.sample(ids, 2)), False),
        (lambda: reader.mark_unread(draw.sample(ids, 2)), False),
        (lambda: reader.save(draw.sample(ids, 1)), False),
        (lambda: reader.mark_read([]), False),
        (lambda: reader.label("new", draw.sample(ids, 1)), False),
        (lambda: life.others.reader.mark_read(draw.sample(ids, 3)), False),
        (lambda: in_another_process(life), True),
        (lambda: life.news.give(Kind.UNDO, draw.sample(ids, 1)), True),
        (lambda: reader.mark_all_read(StoryList()), True),
        (lambda: _fail(reader, ids[:1]), False),
    ]
    reader.navigation()
    for _ in range(50):
        step, counts_again = draw.choice(steps)
        counted.clear()
        step()
        shown = reader.navigation()
        links = [*shown.feeds, *(link for folder in shown.folders for link in folder.feeds)]
        found = {link.number: link.unread for link in links if link.unread}
        assert LOCAL_USER not in counted or counts_again
        with life.archive.database.read() as tx:
            assert found == count(tx, LOCAL_USER, life.news.context.inbox_start())


def _fail(reader: Reader, ids: list[str]) -> None:
    """Mark stories in a transaction that is rolled back."""

    def fail(tx: Transaction, user_id: int, stories: list[int], at: datetime) -> None:
        marks.read(tx, user_id, stories, at)
        raise ZeroDivisionError

    with suppress(ZeroDivisionError):
        reader._write(ids, fail)
