"""The controller with a real news filter."""

from __future__ import annotations

from pathlib import Path

import pytest

from iscore.cli.review.controller import Controller
from iscore.cli.review.queues import DigestQueue, InboxQueue, Queue, TeachingQueue
from iscore.core.errors import DigestError
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.inbox import MOST_POSTPONED, read_postponed, truncate_postponed
from storage.records.users import Kind
from tests.iscore.cli.review.polled_home import NOON


def started(news: NewsFilter, queue: Queue | None = None) -> Controller:
    """Begin a session; its browser returns the address as the notice."""
    controller = Controller(news, queue or InboxQueue(news), lambda url: f"opened {url}")
    assert controller.begin()
    return controller


def press(controller: Controller, *keys: str) -> str:
    """Press keys and return the notice."""
    for key in keys:
        assert controller.press(key)
    return controller.session.notice


def test_next_article_appears_when_verdict_is_on_disk(news: NewsFilter, home: Path) -> None:
    controller = started(news)
    first, second = controller.session.ids[:2]
    press(controller, "l")
    assert controller.story is not None
    assert controller.story.id == second
    with NewsFilter.open(home, clock=lambda: NOON) as other:
        assert other.show(first).verdict is Kind.LIKE
    press(controller, "b", "d", "u")
    assert news.show(first).verdict is Kind.LIKE
    press(controller, "u")
    assert news.show(first).verdict is None
    assert not controller.press("q")


def test_order_is_stable_until_refresh(news: NewsFilter) -> None:
    controller = started(news)
    order = controller.session.ids
    press(controller, "l", "d", "l", "n")
    assert controller.session.ids == order
    assert news.status().to_learn == 3
    assert press(controller, "r").startswith("Learned from your verdicts. ")
    assert news.status().to_learn == 0
    assert controller.session.ids == news.review_queue.inbox().ids
    assert not set(order[:3]) & set(controller.session.ids)
    assert controller.session.ids[-1] == order[3]
    assert controller.session.counts() == {Kind.LIKE: 2, Kind.DISLIKE: 1}
    press(controller, "u")
    assert controller.session.here == order[2]
    assert news.show(order[2]).verdict is None


def test_article_decided_elsewhere_is_skipped(news: NewsFilter) -> None:
    controller = started(news)
    news.give(Kind.SKIP, [controller.session.ids[1]])
    press(controller, "l")
    assert controller.session.here == controller.session.ids[2]
    assert controller.session.counts() == {Kind.LIKE: 1}
    press(controller, "b")
    assert (controller.session.here, controller.session.verdict) == (controller.session.ids[1], Kind.SKIP)


def test_failed_effect_shows_error_and_keeps_session(news: NewsFilter, home: Path) -> None:
    controller = started(news)
    first = controller.session.here
    (home / "put-off.txt").mkdir()
    assert "Is a directory" in press(controller, "n")
    assert (controller.session.here, controller.session.postponed) == (first, frozenset())
    assert press(controller, "l") == ""
    assert controller.session.here != first


def test_mute_and_unmute_source(news: NewsFilter) -> None:
    controller = started(news)
    assert controller.story is not None
    first, source = controller.story.id, controller.story.source
    # Which feed leads a story is chance; a story that another feed also has is still shown.
    stories = news.current_inbox.stories(controller.session.ids)
    from_source = {each.id for each in stories if each.source_names == (source,)}
    waiting = len(controller.session.ids)
    assert 1 <= len(from_source) < waiting
    notice = press(controller, "m", "s")
    assert notice == f"never: source “{source}”. {len(from_source):,} fewer to review; u undoes it."
    assert controller.session.total == waiting - len(from_source)
    assert controller.session.here not in from_source
    assert not from_source & set(news.review_queue.inbox().ids)
    assert [rule.words for rule in news.rules.list()] == [f"never: source “{source}”"]
    assert controller.summary().muted == (source,)
    assert press(controller, "u") == f"Unmuted {source}."
    assert (controller.session.here, controller.session.hidden, news.rules.list()) == (first, frozenset(), [])
    assert set(news.review_queue.inbox().ids) == set(controller.session.ids)


def test_mute_word_phrase_and_missing_author(news: NewsFilter) -> None:
    controller = started(news)
    press(controller, "m", "w", *"zyzzyva", "enter")
    press(controller, "m", "w", *"of the", "enter")
    assert [(rule.field, rule.text) for rule in news.rules.list()] == [("word", "zyzzyva"), ("phrase", "of the")]
    nameless = next(each.id for each in news.current_inbox.stories(controller.session.ids) if not each.author)
    controller.session = controller.session.at_article(nameless)
    assert press(controller, "m", "a") == "This article has no author."
    assert len(news.rules.list()) == 2


def test_only_web_addresses_are_opened(news: NewsFilter) -> None:
    controller = started(news)
    assert controller.story is not None
    url = controller.story.url
    assert press(controller, "o") == f"opened {url}"
    assert press(controller, "a", "1") == f"opened {url}"
    assert press(controller, "9").startswith("There are only ")
    with news.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE articles SET url = 'file:///etc/passwd'")
    assert press(controller, "o") == "This article has no web address."


def test_digest_queue_follows_its_numbers(news: NewsFilter) -> None:
    with pytest.raises(DigestError, match="no digest yet"):
        Controller(news, DigestQueue(news), str).begin()
    news.digest()
    numbered = news.digests.numbered([1, 2, 3])
    news.give(Kind.LIKE, numbered[:1])
    controller = started(news, DigestQueue(news))
    assert controller.session.ids[:3] == tuple(numbered)
    assert (controller.session.number, controller.session.here, controller.session.notice) == (
        2,
        numbered[1],
        "Digest of 2025-03-04.",
    )
    press(controller, "d", "b", "b")
    assert (controller.session.here, controller.session.verdict) == (numbered[0], Kind.LIKE)
    assert started(news, DigestQueue(news)).session.number == 3


def test_teaching_queue_learns_between_batches(news: NewsFilter) -> None:
    controller = started(news, TeachingQueue(news, 12))
    assert (len(controller.session.ids), controller.session.total) == (5, 12)
    press(controller, "l", "n", "d", "l", "d")
    assert (len(controller.session.ids), controller.session.number) == (10, 6)
    assert news.status().to_learn == 0
    assert len(set(controller.session.ids)) == 10
    press(controller, *"ldldldld")
    assert (controller.session.here, controller.session.total, len(controller.session.ids)) == (None, 12, 12)


def test_teaching_ends_without_articles(news: NewsFilter) -> None:
    all_ = news.review_queue.inbox(everything=True).ids
    news.give(Kind.SKIP, all_[2:])
    controller = started(news, TeachingQueue(news, 12))
    press(controller, "n", "l")
    assert (controller.session.here, controller.session.total) == (None, 2)
    press(controller, "n")
    assert controller.session.here is not None


def test_queue_has_the_order_of_the_inbox(news: NewsFilter) -> None:
    news.give(Kind.LIKE, news.review_queue.inbox().ids[:2])
    news.rules.add("boost", "source", "Northwire")
    for everything in (False, True):
        listed = tuple(item.id for item in news.inbox(everything=everything, limit=None).items)
        assert news.review_queue.inbox(everything=everything).ids == listed


def test_postponed_articles_come_last_in_order(news: NewsFilter, home: Path) -> None:
    ids = news.review_queue.inbox().ids
    for each in (ids[4], ids[0], "unknown1", ids[4], ids[2]):
        news.review_queue.postpone(each)
    queue = news.review_queue.inbox()
    assert queue.ids[-3:] == (ids[0], ids[4], ids[2])
    assert (queue.postponed, sorted(queue.ids)) == (3, sorted(ids))
    everything = news.review_queue.inbox(everything=True)
    assert everything.ids[-3:] == queue.ids[-3:]
    assert len(everything.ids) > len(queue.ids)
    (home / "put-off.txt").write_bytes(b"\xff\x00\n" + ids[1].encode())
    assert news.review_queue.inbox().ids[-1] == ids[1]


def test_postponed_file_stays_short(tmp_path: Path) -> None:
    file = tmp_path / "put-off.txt"
    truncate_postponed(file)
    file.write_text("".join(f"{number}\n" for number in range(MOST_POSTPONED + 1)))
    truncate_postponed(file)
    assert read_postponed(file) == [
        str(number) for number in range(MOST_POSTPONED + 1 - MOST_POSTPONED // 2, MOST_POSTPONED + 1)
    ]
