"""A session carried out with a real news filter."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from iscore.cli.review.controller import Desk
from iscore.cli.review.queues import DigestQueue, InboxQueue, Queue, TeachingQueue
from iscore.core.errors import DigestError
from iscore.services.news_filter import NewsFilter
from iscore.services.postponed import LONGEST, forget_oldest, put_off
from storage.records import Kind
from tests.iscore.cli.review.polled_home import NOON, make_home


@pytest.fixture(scope="module")
def polled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after its first poll, made once."""
    return make_home(tmp_path_factory.mktemp("desk") / "home")


@pytest.fixture
def home(polled: Path, tmp_path: Path) -> Path:
    """A copy of that home."""
    return Path(shutil.copytree(polled, tmp_path / "home"))


@pytest.fixture
def news(home: Path) -> Iterator[NewsFilter]:
    """The filter behind it."""
    with NewsFilter.open(home, clock=lambda: NOON) as opened:
        yield opened


def begun(news: NewsFilter, queue: Queue | None = None) -> Desk:
    """Begin a session; what is opened is told as its notice."""
    desk = Desk(news, queue or InboxQueue(news), lambda url: f"opened {url}")
    assert desk.begin()
    return desk


def press(desk: Desk, *keys: str) -> str:
    """Press keys and return the notice."""
    for key in keys:
        assert desk.press(key)
    return desk.session.notice


def test_the_next_article_comes_when_the_verdict_is_on_disk(news: NewsFilter, home: Path) -> None:
    desk = begun(news)
    first, second = desk.session.ids[:2]
    press(desk, "l")
    assert desk.story is not None
    assert desk.story.item.id == second
    with NewsFilter.open(home, clock=lambda: NOON) as other:
        assert other.show(first).verdict is Kind.LIKE
    press(desk, "b", "d", "u")
    assert news.show(first).verdict is Kind.LIKE
    press(desk, "u")
    assert news.show(first).verdict is None
    assert not desk.press("q")


def test_the_order_stays_until_it_is_refreshed(news: NewsFilter) -> None:
    desk = begun(news)
    order = desk.session.ids
    press(desk, "l", "d", "l", "n")
    assert desk.session.ids == order
    assert news.status().to_learn == 3
    assert press(desk, "r").startswith("Learned what you said. ")
    assert news.status().to_learn == 0
    assert desk.session.ids == news.review_queue.inbox().ids
    assert not set(order[:3]) & set(desk.session.ids)
    assert desk.session.ids[-1] == order[3]
    assert desk.session.tally() == {Kind.LIKE: 2, Kind.DISLIKE: 1}
    press(desk, "u")
    assert desk.session.here == order[2]
    assert news.show(order[2]).verdict is None


def test_what_was_judged_elsewhere_meanwhile_is_passed_by(news: NewsFilter) -> None:
    desk = begun(news)
    news.give(Kind.SKIP, [desk.session.ids[1]])
    press(desk, "l")
    assert desk.session.here == desk.session.ids[2]
    assert desk.session.tally() == {Kind.LIKE: 1}
    press(desk, "b")
    assert (desk.session.here, desk.session.verdict) == (desk.session.ids[1], Kind.SKIP)


def test_a_failure_is_told_and_nothing_moves(news: NewsFilter, home: Path) -> None:
    desk = begun(news)
    first = desk.session.here
    (home / "put-off.txt").mkdir()
    assert "Is a directory" in press(desk, "n")
    assert (desk.session.here, desk.session.put_off) == (first, frozenset())
    assert press(desk, "l") == ""
    assert desk.session.here != first


def test_a_source_is_muted_and_heard_again(news: NewsFilter) -> None:
    desk = begun(news)
    assert desk.story is not None
    first, source = desk.story.item.id, desk.story.item.source
    carried = {each.item.id for each in news.reading.listed(desk.session.ids) if each.item.source == source}
    waiting = len(desk.session.ids)
    assert 1 <= len(carried) < waiting
    notice = press(desk, "m", "s")
    assert notice == f"never: source “{source}”. {len(carried):,} fewer to go through; u takes it back."
    assert desk.session.total == waiting - len(carried)
    assert desk.session.here not in carried
    assert not carried & set(news.review_queue.inbox().ids)
    assert [rule.words for rule in news.rules.list()] == [f"never: source “{source}”"]
    assert desk.summary().muted == (source,)
    assert press(desk, "u") == f"No longer muted: {source}."
    assert (desk.session.here, desk.session.hidden, news.rules.list()) == (first, frozenset(), [])
    assert set(news.review_queue.inbox().ids) == set(desk.session.ids)


def test_a_word_a_phrase_and_nobody_are_muted(news: NewsFilter) -> None:
    desk = begun(news)
    press(desk, "m", "w", *"zyzzyva", "enter")
    press(desk, "m", "w", *"of the", "enter")
    assert [(rule.field, rule.text) for rule in news.rules.list()] == [("word", "zyzzyva"), ("phrase", "of the")]
    nameless = next(each.item.id for each in news.reading.listed(desk.session.ids) if not each.item.author)
    desk.session = desk.session.at_article(nameless)
    assert press(desk, "m", "a") == "This article names no author."
    assert len(news.rules.list()) == 2


def test_only_the_web_is_opened(news: NewsFilter) -> None:
    desk = begun(news)
    assert desk.story is not None
    url = desk.story.item.url
    assert press(desk, "o") == f"opened {url}"
    assert press(desk, "a", "1") == f"opened {url}"
    assert press(desk, "9").startswith("There are only ")
    with news._database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET url = 'file:///etc/passwd'")
    assert press(desk, "o") == "This article has no address on the web."


def test_the_last_digest_is_gone_through_by_number(news: NewsFilter) -> None:
    with pytest.raises(DigestError, match="no digest yet"):
        Desk(news, DigestQueue(news), str).begin()
    news.digest()
    numbered = news.numbered([1, 2, 3])
    news.give(Kind.LIKE, numbered[:1])
    desk = begun(news, DigestQueue(news))
    assert desk.session.ids[:3] == tuple(numbered)
    assert (desk.session.number, desk.session.here, desk.session.notice) == (
        2,
        numbered[1],
        "The digest of 2025-03-04.",
    )
    press(desk, "d", "b", "b")
    assert (desk.session.here, desk.session.verdict) == (numbered[0], Kind.LIKE)
    assert begun(news, DigestQueue(news)).session.number == 3


def test_teaching_asks_a_few_learns_and_asks_others(news: NewsFilter) -> None:
    desk = begun(news, TeachingQueue(news, 12))
    assert (len(desk.session.ids), desk.session.total) == (5, 12)
    press(desk, "l", "n", "d", "l", "d")
    assert (len(desk.session.ids), desk.session.number) == (10, 6)
    assert news.status().to_learn == 0
    assert len(set(desk.session.ids)) == 10
    press(desk, *"ldldldld")
    assert (desk.session.here, desk.session.total, len(desk.session.ids)) == (None, 12, 12)


def test_teaching_ends_when_nothing_is_left(news: NewsFilter) -> None:
    all_ = news.review_queue.inbox(everything=True).ids
    news.give(Kind.SKIP, all_[2:])
    desk = begun(news, TeachingQueue(news, 12))
    press(desk, "n", "l")
    assert (desk.session.here, desk.session.total) == (None, 2)
    press(desk, "n")
    assert desk.session.here is not None


def test_articles_stand_in_the_order_of_the_inbox(news: NewsFilter) -> None:
    news.give(Kind.LIKE, news.review_queue.inbox().ids[:2])
    news.rules.add("boost", "source", "Northwire")
    for everything in (False, True):
        listed = tuple(item.id for item in news.inbox(everything=everything, limit=None).items)
        assert news.review_queue.inbox(everything=everything).ids == listed


def test_what_was_put_off_comes_last_in_its_order(news: NewsFilter, home: Path) -> None:
    ids = news.review_queue.inbox().ids
    for each in (ids[4], ids[0], "unknown1", ids[4], ids[2]):
        news.review_queue.put_off(each)
    queue = news.review_queue.inbox()
    assert queue.ids[-3:] == (ids[0], ids[4], ids[2])
    assert (queue.put_off, sorted(queue.ids)) == (3, sorted(ids))
    held_back = news.review_queue.inbox(everything=True)
    assert held_back.ids[-3:] == queue.ids[-3:]
    assert len(held_back.ids) > len(queue.ids)
    (home / "put-off.txt").write_bytes(b"\xff\x00\n" + ids[1].encode())
    assert news.review_queue.inbox().ids[-1] == ids[1]


def test_the_file_of_what_was_put_off_stays_short(tmp_path: Path) -> None:
    file = tmp_path / "put-off.txt"
    forget_oldest(file)
    file.write_text("".join(f"{number}\n" for number in range(LONGEST + 1)))
    forget_oldest(file)
    assert put_off(file) == [str(number) for number in range(LONGEST + 1 - LONGEST // 2, LONGEST + 1)]
