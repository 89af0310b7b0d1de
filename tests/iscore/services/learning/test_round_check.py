"""Every round can be made again, whatever verdicts and settings came since; and tampering is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import islice
from pathlib import Path

import pytest

from extractors.stream import lsa
from iscore.services.learning.reading_events import KEPT, Done
from iscore.services.news_filter import NewsFilter
from iscore.services.session.decision_settings import DecisionSettings
from iscore.services.views.history import RoundsView
from storage.log import decision_rounds, decisions, feedback, reading_events
from storage.records.decisions import DecisionRound
from storage.records.feeds import Subscription
from storage.records.reading_events import Act
from storage.records.users import LOCAL_USER, Kind
from storage.stream import articles, bases, feeds
from tests.iscore.conftest import START, Archive, Piece

ALL = 1000
FEED = "https://news.example/feed"


class Life:
    """Somebody's days with the filter: polls without a network, and everything that one can tell it."""

    def __init__(self, archive: Archive, pieces: Sequence[Piece]) -> None:
        self.now = START + timedelta(hours=6)
        self.archive, self.database = archive, archive.database
        self.news = NewsFilter(archive.home, archive.database, lambda: self.now)
        self._pieces = iter(pieces)

    def poll(self, count: int = 25, *, hours: float = 24) -> None:
        """Do what a poll does that finds so many articles."""
        self.now += timedelta(hours=hours)
        self.archive.store(list(islice(self._pieces, count)), at=self.now)
        self.news.polling.decide()

    def answer(self) -> list[str]:
        """Give a verdict on everything in the inbox; return the ids."""
        items = self.news.inbox(limit=None).items
        for item in items:
            liked = "orrery" in item.url or "longview" in item.url
            self.news.give(Kind.LIKE if liked else Kind.DISLIKE, [item.id])
        return [item.id for item in items]

    def check(self, newest: int = ALL) -> RoundsView:
        return self.news.round_check.run(newest)

    def rounds(self) -> list[DecisionRound]:
        with self.database.read() as tx:
            return decision_rounds.newest(tx, LOCAL_USER, ALL)

    def without_protection(self, statement: str) -> None:
        """Change facts, as somebody may who removes the triggers."""
        with self.database.write() as tx:
            for table in ("decisions", "late_deliveries", "rounds"):
                for action in ("update", "delete"):
                    tx.connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {table}_no_{action}")
            assert tx.connection.exec_driver_sql(statement).rowcount > 0


@pytest.fixture(scope="module")
def lived_home(empty_home: Path, pieces: list[Piece], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of somebody after the week of ``live``, closed."""
    made = Archive.copied(empty_home, tmp_path_factory.mktemp("lived") / "home")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lsa, "FIRST", 60)  # bases become due at 60, 120 and 240 articles
        live(Life(made, pieces))
    made.database.close()
    return made.home.path


@contextmanager
def life_in(home: Path, copy: Path, pieces: Sequence[Piece] = ()) -> Iterator[Life]:
    archive = Archive.copied(home, copy)
    yield Life(archive, pieces)
    archive.database.close()


@pytest.fixture
def life(lived_home: Path, tmp_path: Path, pieces: list[Piece]) -> Iterator[Life]:
    """After that week, with more articles to come."""
    with life_in(lived_home, tmp_path / "home", pieces[350:]) as made:
        made.now += timedelta(days=8)
        yield made


def live(life: Life) -> None:
    """Live a week with everything that a decision depends on, and everything that changes it afterwards."""
    life.poll(40)  # a diverse selection
    first = life.answer()
    life.news.interests.add(["orrery telescope sky"], "sky")
    life.news.rules.add("boost", "word", "winter", boost=0.5)
    for _ in range(3):
        life.poll(40, hours=12)
        life.answer()
    life.news.give(Kind.UNDO, [first[0]])
    life.news.give(Kind.LIKE, [first[1]])
    life.news.interests.weaken("sky")
    life.poll(60)  # a busy day: another look finds more of it later
    life.news.rules.add("never", "word", "harbour")
    with life.database.write() as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED, tags=("morning",))])
    life.answer()
    life.poll(40, hours=6)
    life.poll(20, hours=6)
    life.answer()
    life.news.rules.remove(1)
    life.news.interests.remove("sky")
    life.news.give(Kind.SKIP, [first[2]])
    life.poll(20)
    life.news.models.rebuild()


def test_every_round_of_a_week_can_be_made_again(life: Life) -> None:
    known = life.rounds()
    assert [each.number for each in known] == list(range(1, 9))
    assert len({each.basis for each in known}) == 4
    assert len({each.rule_change for each in known}) > 2
    with life.database.read() as tx:
        everything = range(1, articles.last_seq(tx) + 1)
        made = decisions.get(tx, LOCAL_USER, everything)
        late = decisions.late(tx, LOCAL_USER, everything)
        assert bases.newest_number(tx) == 3
    assert {each.round for each in made.values()} == {each.number for each in known}
    assert {each.round for each in late.values()} <= {each.number for each in known}
    assert late
    assert any(each.vote is not None for each in made.values())
    assert {each.tags for each in made.values()} == {(), ("morning",)}
    found = life.check()
    assert found.different == ""
    assert (found.equal, found.rounds, found.not_reproducible, found.decided_before) == (8, 8, {}, 0)


@pytest.mark.long
def test_later_settings_and_verdicts_change_no_earlier_round(life: Life) -> None:
    life.news.context.__dict__["settings"] = life.news.context.settings.model_copy(
        update={"classifier": "kernel-naive-bayes", "inbox_days": 3}
    )
    life.news.models = life.news.models.under(DecisionSettings.of(life.news.context.settings, life.news.context.user))
    assert life.check().equal == 8
    for row in range(1, 21):  # everything of the first day is reversed
        with life.database.read() as tx:
            (story,) = (each.story for each in feedback.effective_at(tx, LOCAL_USER, row, after_row=row - 1))
        life.archive.say(Kind.LIKE if row % 2 else Kind.UNDO, story)
    found = life.check(3)
    assert (found.equal, found.different) == (3, "")


def test_what_cannot_be_compared_is_counted_with_its_reason(life: Life) -> None:
    life.without_protection("UPDATE rounds SET fingerprint = 'another' WHERE number = 2")
    life.without_protection('UPDATE rounds SET settings = \'{"classifier": "unknown"}\' WHERE number = 3')
    life.without_protection("UPDATE rounds SET settings = '{\"unknown\": 1}' WHERE number = 4")
    life.without_protection("UPDATE decisions SET round = NULL WHERE round = 1")
    life.without_protection("DELETE FROM rounds WHERE number = 1")
    found = life.check()
    assert (found.equal, found.different) == (4, "")
    assert sorted(found.not_reproducible.values()) == [1, 2]
    assert found.decided_before == 40


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE decisions SET score = score + 1e-15 WHERE seq = 60", "score is recorded as"),
        pytest.param(
            "UPDATE decisions SET explore = 1 WHERE seq = 60", "explore is recorded as True", marks=pytest.mark.long
        ),
        pytest.param(
            "UPDATE decisions SET vote = 0.5 WHERE seq = 60", "vote is recorded as 0.5", marks=pytest.mark.long
        ),
        ("DELETE FROM decisions WHERE seq = 60", "its decision is missing"),
        ("UPDATE late_deliveries SET margin = margin + 1e-15", "margin is recorded as"),
        pytest.param("DELETE FROM late_deliveries", "its decision is missing", marks=pytest.mark.long),
        ("DELETE FROM rounds WHERE number = 3", "round 3 is missing"),
    ],
)
def test_what_was_tampered_with_is_found(lived_home: Path, tmp_path: Path, statement: str, words: str) -> None:
    with life_in(lived_home, tmp_path / "home") as life:
        life.without_protection(statement)
        found = life.check()
    assert words in found.different
    assert found.equal < found.rounds


@pytest.mark.long
def test_a_new_beta_learns_nothing_anew_and_is_recorded(life: Life) -> None:
    before = [each.id for each in life.news.inbox(limit=None).items]
    life.archive.home.config.write_text("beta = 2\n")
    life.news = NewsFilter(life.archive.home, life.archive.database, lambda: life.now)
    assert not life.news.models.load().changed
    assert [each.id for each in life.news.inbox(limit=None).items] == before
    life.poll()
    assert '"beta":2.0' in life.rounds()[-1].settings
    assert '"beta":0.5' in life.rounds()[-2].settings
    found = life.check()
    assert (found.equal, found.different) == (9, "")
    life.without_protection("UPDATE rounds SET settings = replace(settings, '2.0', '0.25') WHERE number = 9")
    assert life.check().different


@pytest.mark.long
def test_rounds_know_what_had_been_read_by_then(life: Life) -> None:
    life.news.reading_events.switch(on=True)
    life.news = NewsFilter(life.archive.home, life.archive.database, lambda: life.now)
    life.poll()
    items = life.news.inbox(everything=True, limit=None).items[:12]
    for number, item in enumerate(items):
        seconds = 300.0 if number % 2 else 2.0
        life.news.reading_events.record("a visit of a page", [Done(Act.READ, item.id, seconds)])
    life.poll()
    known = life.rounds()
    assert [each.event for each in known[-3:]] == [0, 0, 12]
    assert [each.event for each in known[:8]] == [0] * 8
    life.news.reading_events.record("another visit", [Done(Act.READ, item.id, 900.0) for item in items])
    found = life.check()
    assert (found.equal, found.different) == (10, "")
    # Without them the last round would have decided otherwise.
    life.without_protection("UPDATE rounds SET event = 0 WHERE number = 10")
    assert "round 10" in life.check().different
    life.without_protection("UPDATE rounds SET event = 12 WHERE number = 10")

    life.now += KEPT + timedelta(days=1)
    life.news.reading_events.sum_old()
    with life.database.read() as tx:
        assert reading_events.summed_to(tx, LOCAL_USER) == reading_events.last_row(tx, LOCAL_USER) == 24
    life.poll()
    found = life.check()
    # Of the two rounds that had asked for events, one had none to know, and one knew some of those that are summed.
    assert (found.equal, found.different) == (9, "")
    assert sum(found.not_reproducible.values()) == 2
    life.news.reading_events.switch(on=False)
    life.news = NewsFilter(life.archive.home, life.archive.database, lambda: life.now)
    life.poll()
    assert '"learns_from_reading":false' in life.rounds()[-1].settings
    assert life.check(2).equal == 2
