"""What goes into a day's digest: each article once over all digests, chosen once, numbered through."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from iscore.digest.selection import MAX_RECOMMENDED, article_ids, select_edition
from iscore.errors import DigestError
from storage import decisions
from storage.records import LOCAL_USER, Decision, Kind

WINDOW = timedelta(days=7)
MONDAY = datetime(2026, 3, 2, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest's day is the person's own; here theirs is UTC."""
    import time

    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def stocked(archive, pieces):
    """Forty recommended, two explored and the rest held back; all arrived on Monday."""
    archive.store(pieces[:60], at=MONDAY)
    archive.measure()
    with archive.database.write() as tx:
        decisions.add(
            tx,
            [
                Decision(LOCAL_USER, article.seq, 40.0 - number, 0.5, number < 40, number in (41, 43), 0.2, MONDAY)
                for number, article in enumerate(archive.leaders())
            ],
        )
    return archive


def selected(archive, on: date | None = None, *, now: datetime = MONDAY):
    return select_edition(archive.database, LOCAL_USER, on, now=now, window=WINDOW)


def test_the_best_recommended_come_first_then_what_is_explored(stocked) -> None:
    edition = selected(stocked)
    assert edition.on == MONDAY.date()
    assert len(edition.rows) == MAX_RECOMMENDED + 2
    scores = [row.standing.score for row in edition.rows[:MAX_RECOMMENDED]]
    assert scores == [40.0 - number for number in range(MAX_RECOMMENDED)]
    assert all(row.standing.interesting for row in edition.rows[:MAX_RECOMMENDED])
    assert [row.explore for row in edition.rows[MAX_RECOMMENDED:]] == [True, True]
    assert edition.considered == len(stocked.leaders())
    assert len(edition.lengths) == len(edition.rows)
    assert all(length > 0 for length in edition.lengths)


def test_the_same_day_gives_the_same_again(stocked, pieces) -> None:
    first = selected(stocked)
    stocked.say(Kind.LIKE, first.seqs[0])
    stocked.store(pieces[60:80], at=MONDAY + timedelta(hours=1))
    stocked.measure()
    assert selected(stocked, now=MONDAY + timedelta(hours=3)).seqs == first.seqs
    assert selected(stocked, MONDAY.date(), now=MONDAY + timedelta(days=3)).seqs == first.seqs


def test_what_did_not_fit_waits_and_nothing_comes_twice(stocked) -> None:
    monday = selected(stocked)
    tuesday = selected(stocked, now=MONDAY + timedelta(days=1))
    assert [row.standing.score for row in tuesday.rows] == [40.0 - number for number in range(MAX_RECOMMENDED, 40)]
    assert not set(monday.seqs) & set(tuesday.seqs)
    wednesday = selected(stocked, now=MONDAY + timedelta(days=2))
    assert wednesday.rows == ()


def test_what_has_a_verdict_is_not_delivered_any_more(stocked) -> None:
    best = stocked.leaders()[0].seq
    stocked.say(Kind.SKIP, best)
    assert best not in selected(stocked).seqs


def test_an_earlier_day_is_made_of_what_arrived_on_it(stocked) -> None:
    tuesday = MONDAY + timedelta(days=1)
    assert selected(stocked, date(2026, 3, 1), now=tuesday).rows == ()
    assert len(selected(stocked, MONDAY.date(), now=tuesday).rows) == MAX_RECOMMENDED + 2


def test_a_day_to_come_has_no_digest(stocked) -> None:
    with pytest.raises(DigestError, match="2026-03-03 is still to come"):
        selected(stocked, date(2026, 3, 3))
    with stocked.database.read() as tx, pytest.raises(DigestError, match="no digest yet"):
        article_ids(tx, LOCAL_USER, [1])


def test_numbers_mean_the_last_digest(stocked) -> None:
    selected(stocked)
    tuesday = selected(stocked, now=MONDAY + timedelta(days=1))
    with stocked.database.read() as tx:
        assert article_ids(tx, LOCAL_USER, [2, 1]) == [tuesday.rows[1].article.id, tuesday.rows[0].article.id]
        with pytest.raises(DigestError, match="has numbers 1 to 10, not 11"):
            article_ids(tx, LOCAL_USER, [1, 11])
