"""A person's digests: made once, kept as they were told, each article in one of them only."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from iscore.core.errors import DigestError
from iscore.presentation.digest.layout import headline, why_empty
from iscore.services.digests.digest_selection import MAX_RECOMMENDED
from iscore.services.digests.digests import pack, unpack
from iscore.services.news_filter import NewsFilter
from iscore.services.views.digests import DigestView
from storage.log import decisions
from storage.people import deliveries
from storage.records.decisions import CurrentScore, Decision
from storage.records.feeds import Subscription
from storage.records.users import LOCAL_USER, Kind
from storage.stream import feeds
from tests.iscore.conftest import Archive, Piece

MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)


class Morning:
    """A home in which forty stories are recommended, two drawn and the rest held back; all arrived on Monday."""

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.now = MONDAY
        archive.home.config.write_text('time_zone = "UTC"\n')
        self.news = NewsFilter(archive.home, archive.database, lambda: self.now)

    def decide(self, first: int = 0) -> None:
        self.news.models.rebuild()  # nothing is left to learn, so that scores stay as they are decided here
        with self.archive.database.write() as tx:
            decisions.add(
                tx,
                [
                    Decision(LOCAL_USER, article.seq, 40.0 - n, 0.5, n < 40, n in (41, 43), 0.2, MONDAY)
                    for n, article in enumerate(self.archive.leaders())
                    if n >= first
                ],
            )

    def rethink(self) -> None:
        """Let the newest model think the opposite of everything."""
        seqs = [article.seq for article in self.archive.leaders()]
        with self.archive.database.write() as tx:
            decisions.rescore(tx, LOCAL_USER, [CurrentScore(seq, -9.0, 0.5, False) for seq in seqs])


@pytest.fixture(scope="module")
def monday(pieces: list[Piece], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a ``Morning``, closed; made once, since measuring and deciding takes longer than most tests."""
    archive = Archive(tmp_path_factory.mktemp("monday") / "home")
    archive.store(pieces[:60], at=MONDAY)
    archive.measure()
    Morning(archive).decide()
    archive.database.close()
    return archive.home.config.parent


@pytest.fixture(scope="module")
def read_monday(monday: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same after Monday's digest."""
    made = Morning(Archive.copied(monday, tmp_path_factory.mktemp("read") / "home"))
    made.news.digest()
    made.news.close()
    return made.archive.home.config.parent


@pytest.fixture
def morning(monday: Path, tmp_path: Path) -> Iterator[Morning]:
    """The copy, to be changed at will."""
    made = Morning(Archive.copied(monday, tmp_path / "home"))
    yield made
    made.news.close()


@pytest.fixture
def after_digest(read_monday: Path, tmp_path: Path) -> Iterator[Morning]:
    """The same after Monday's digest."""
    made = Morning(Archive.copied(read_monday, tmp_path / "home"))
    yield made
    made.news.close()


def ids(view: DigestView) -> list[str]:
    return [each.id for each in view.numbered]


def test_digest_selects_and_numbers_stories(morning: Morning) -> None:
    view = morning.news.digest()
    assert view.date == MONDAY.date()
    stories = len(morning.archive.leaders())
    assert (view.made, view.considered, view.arrived) == (MONDAY, stories, stories)
    assert [each.number for each in view.numbered] == list(range(1, MAX_RECOMMENDED + 3))
    assert [each.score for each in view.recommended[:3]] == [40.0, 39.0, 38.0]
    assert [each.explore for each in view.explore] == [True, True]
    assert all(each.reading_minutes >= 1 and each.reasons for each in view.numbered)
    assert all(each.sources[0].source == each.source for each in view.numbered)
    assert len(view.below) == 10
    assert view.below[0].score > view.below[-1].score
    assert not {item.id for item in view.below} & set(ids(view))
    assert view.hidden == len(morning.archive.leaders()) - 42


def test_the_same_day_gives_the_very_same_again(morning: Morning, pieces: list[Piece]) -> None:
    first = morning.news.digest()
    assert morning.news.digest() == first
    morning.rethink()
    morning.archive.store(pieces[60:80], at=MONDAY + timedelta(hours=1))
    morning.archive.measure()
    morning.now = MONDAY + timedelta(hours=3)
    assert morning.news.digest() == first
    morning.now = MONDAY + 5 * DAY
    assert morning.news.digest(MONDAY.date()) == first


def test_shown_again_it_leaves_out_what_was_rated_and_says_so(after_digest: Morning) -> None:
    first = after_digest.news.digest()
    assert first.rated == 0
    rated = [first.recommended[0].id, first.explore[1].id]
    after_digest.news.give(Kind.DISLIKE, rated[:1])
    after_digest.news.give(Kind.SKIP, rated[1:])
    after_digest.news.give(Kind.LIKE, [first.below[0].id])
    again = after_digest.news.digest()
    assert ids(again) == [each for each in ids(first) if each not in rated]
    assert (again.rated, again.below) == (2, first.below[1:])
    assert headline(again) == headline(first).replace("30 stories for you, 2 to", "29 stories for you, 1 to") + (
        " · 2 stories you rated are left out"
    )
    # Numbers are those of the after_digest, and a feed of digests keeps what it had.
    assert {each.id: each.number for each in again.numbered}.items() <= {
        each.id: each.number for each in first.numbered
    }.items()
    assert after_digest.news.digests.last().digests == (first,)
    after_digest.news.give(Kind.UNDO, rated)
    assert ids(after_digest.news.digest()) == ids(first)
    after_digest.news.give(Kind.SKIP, ids(first))
    nothing = after_digest.news.digest()
    assert (nothing.numbered, headline(nothing)) == ((), "You rated all 32 stories")
    assert why_empty(nothing, UTC).startswith("Nothing is left of this digest.")


def test_what_did_not_fit_waits_and_nothing_comes_twice(after_digest: Morning) -> None:
    monday = after_digest.news.digest()
    after_digest.now += DAY
    tuesday = after_digest.news.digest()
    assert [each.score for each in tuesday.numbered] == [40.0 - n for n in range(MAX_RECOMMENDED, 40)]
    assert not set(ids(monday)) & set(ids(tuesday))
    # What was below Monday's line has been shown there; nothing has arrived since.
    assert tuesday.below == ()
    assert tuesday.hidden == monday.hidden


def test_an_empty_digest_is_not_kept_and_may_find_something_later(archive: Archive, pieces: list[Piece]) -> None:
    morning = Morning(archive)
    archive.store(pieces[:20], at=MONDAY)
    archive.measure()
    nothing = morning.news.digest()
    assert (nothing.numbered, nothing.considered) == ((), 0)
    morning.decide()
    found = morning.news.digest()
    assert len(found.numbered) == len(archive.leaders())
    assert found.date == nothing.date
    morning.news.close()


def test_an_empty_digest_shows_what_nearly_passed(morning: Morning) -> None:
    morning.rethink()
    view = morning.news.digest()
    drawn = [each.id for each in view.explore]
    assert ids(view) == drawn
    morning.news.give(Kind.SKIP, drawn)
    morning.now += DAY
    assert morning.news.digest().numbered == ()


def test_what_has_a_verdict_is_not_delivered(morning: Morning) -> None:
    best = morning.archive.leaders()[0]
    morning.archive.say(Kind.SKIP, best.seq)
    assert best.id not in ids(morning.news.digest())


def test_an_earlier_day_is_made_of_what_arrived_on_it(morning: Morning) -> None:
    morning.now += DAY
    assert morning.news.digest(date(2026, 3, 1)).numbered == ()
    assert len(morning.news.digest(MONDAY.date()).numbered) == MAX_RECOMMENDED + 2


def test_day_is_that_of_the_user(morning: Morning) -> None:
    morning.archive.home.config.write_text('time_zone = "Pacific/Auckland"\n')
    far = NewsFilter(morning.archive.home, morning.archive.database, lambda: MONDAY)
    assert far.digest().date == date(2026, 3, 3)


def test_a_day_to_come_has_no_digest(morning: Morning) -> None:
    with pytest.raises(DigestError, match="2026-03-03 is in the future"):
        morning.news.digest(date(2026, 3, 3))


def test_numbers_mean_the_last_digest_or_that_of_a_day(morning: Morning) -> None:
    with pytest.raises(DigestError, match="no digest yet"):
        morning.news.digests.numbered([1])
    monday = morning.news.digest()
    morning.now += DAY
    tuesday = morning.news.digest()
    assert morning.news.digests.numbered([2, 1]) == [ids(tuesday)[1], ids(tuesday)[0]]
    # Reading an older one again does not make its numbers the last ones.
    morning.news.digest(MONDAY.date())
    assert morning.news.digests.numbered([1]) == [ids(tuesday)[0]]
    assert morning.news.digests.numbered([3, 1], MONDAY.date()) == [ids(monday)[2], ids(monday)[0]]
    with pytest.raises(DigestError, match="of 2026-03-03 has numbers 1 to 10, not 11"):
        morning.news.digests.numbered([1, 11])
    with pytest.raises(DigestError, match="no digest of 2026-03-01 was made; `iscore digest`"):
        morning.news.digests.numbered([1], date(2026, 3, 1))


def test_the_last_editions_are_listed_newest_first(morning: Morning) -> None:
    assert morning.news.digests.last(9).digests == ()
    monday = morning.news.digest()
    morning.now += DAY
    tuesday = morning.news.digest()
    morning.now += DAY
    assert morning.news.digest().numbered == ()
    listed = morning.news.digests.last(9)
    assert listed.digests == (tuesday, monday)
    assert morning.news.digests.last(1).digests == (tuesday,)
    assert morning.news.digests.last(9, until=MONDAY.date()).digests == (monday,)
    assert listed.identity == morning.news.digests.last(9).identity


def test_the_address_of_the_page_to_answer_on_is_that_of_now(morning: Morning) -> None:
    assert morning.news.digest().serve_address == ""
    morning.archive.home.config.write_text('time_zone = "UTC"\nserve_address = "http://127.0.0.1:8473/"\n')
    again = NewsFilter(morning.archive.home, morning.archive.database, lambda: morning.now)
    assert again.digest().serve_address == "http://127.0.0.1:8473"


@pytest.mark.parametrize("damage", ["DELETE FROM digests", "UPDATE digests SET content = '{\"date\":'"])
def test_a_digest_that_cannot_be_read_is_not_made_again(after_digest: Morning, damage: str) -> None:
    first = after_digest.news.digest()
    with after_digest.archive.database.write() as tx:
        tx.connection.exec_driver_sql(damage)
    with pytest.raises(DigestError, match="cannot be read"):
        after_digest.news.digest()
    assert after_digest.news.digests.last(9).digests == ()
    assert len(after_digest.news.digests.numbered(range(1, len(first.numbered) + 1))) == len(first.numbered)


def test_what_a_rare_feed_nearly_passed_is_heard(archive: Archive, pieces: list[Piece]) -> None:
    """Two feeds for three weeks: one brings ten articles every other day, the other two in all."""
    with archive.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(f"https://{name}.example/feed") for name in ("busy", "seldom")])
    archive.home.feeds.write_text("feeds:\n  - https://busy.example/feed\n  - https://seldom.example/feed\n")
    for number in range(8):
        archive.store(pieces[10 * number : 10 * number + 10], at=MONDAY - (21 - 3 * number) * DAY)
    archive.store(pieces[90:91], at=MONDAY - 21 * DAY, feed=1)
    archive.store(pieces[91:92], at=MONDAY, feed=1)
    archive.measure()
    morning = Morning(archive)
    morning.news.models.rebuild()
    newest = archive.leaders()[-1]
    assert newest.source == "https://seldom.example/feed"
    with archive.database.write() as tx:
        rows = [
            Decision(LOCAL_USER, each.seq, -0.4 if each == newest else -0.1, 0.5, False, False, 1.0, MONDAY)
            for each in archive.leaders()
        ]
        decisions.add(tx, rows)
    view = morning.news.digest()
    assert [each.id for each in view.rare] == [newest.id]
    assert (view.recommended, view.stories, view.explore) == ((), (), ())
    assert view.below
    assert newest.id not in [item.id for item in view.below]


def test_rules_decide_and_are_named(morning: Morning) -> None:
    best, *_, last = morning.archive.leaders()
    title = max(last.title.split(), key=len)
    never = morning.news.rules.add("never", "phrase", best.title)
    always = morning.news.rules.add("always", "phrase", last.title)
    view = morning.news.digest()
    rule_outcomes = {each.id: each.rule_outcome for each in view.numbered}
    assert best.id not in rule_outcomes
    assert best.id not in [item.id for item in view.below]
    assert title in rule_outcomes[last.id]
    assert (never.number, always.number) == (1, 2)


def test_two_who_ask_at_once_get_the_same(morning: Morning, tmp_path: Path) -> None:
    """Threads with a database each, as two processes have."""
    asked = threading.Barrier(4)
    found: list[DigestView] = []

    def ask() -> None:
        with NewsFilter.open(morning.archive.home.config.parent, clock=lambda: MONDAY) as news:
            asked.wait()
            found.append(news.digest())

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert [each for each in found if each != found[0]] == []
    with morning.archive.database.read() as tx:
        delivered = deliveries.digest(tx, LOCAL_USER, MONDAY.date().isoformat())
    assert [each.number for each in delivered] == [each.number for each in found[0].numbered]


def test_a_digest_is_kept_to_the_letter(morning: Morning) -> None:
    view = replace(morning.news.digest(), serve_address="http://here")
    assert unpack(pack(view)) == replace(view, serve_address="")
    older = re.sub(r'"hidden"(?=: ?[0-9])', '"held_back_by_another_name"', pack(view))  # not that of a story
    assert unpack(older) == replace(view, serve_address="", hidden=0)
    assert unpack("") is None
