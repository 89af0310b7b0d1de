"""Digests and their mail: what was in each, what became of its mail; and of two senders only one goes on."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from storage.engine.errors import DatabaseFailed
from storage.log import decisions, feedback
from storage.opening.database import Database
from storage.people import deliveries, users
from storage.records.decisions import Decision
from storage.records.deliveries import Delivery, Mailing, MailState
from storage.records.users import LOCAL_USER, Kind, Verdict
from storage.stories import inbox
from tests.storage.conftest import NOON, Newsroom


def delivery(seq: int, date: str, number: int, user_id: int = LOCAL_USER) -> Delivery:
    return Delivery(user_id, seq, date, number, NOON)


def test_an_edition_comes_back_by_number(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    monday, tuesday = delivery(3, "2026-03-02", 1), delivery(1, "2026-03-03", 1)
    second = delivery(2, "2026-03-02", 2)
    with database.write() as tx:
        assert deliveries.newest_digest(tx, LOCAL_USER) is None
        deliveries.add(tx, [tuesday, second, monday])
        assert deliveries.digest(tx, LOCAL_USER, "2026-03-02") == [monday, second]
        assert deliveries.digest(tx, LOCAL_USER, "2026-03-04") == []
        assert deliveries.newest_digest(tx, LOCAL_USER) == "2026-03-03"


def test_an_article_is_delivered_once_over_all_editions(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with database.write() as tx:
        deliveries.add(tx, [delivery(1, "2026-03-02", 1)])
        deliveries.add(tx, [delivery(1, "2026-03-03", 1), delivery(2, "2026-03-03", 2)])
        assert deliveries.digest(tx, LOCAL_USER, "2026-03-03") == [delivery(2, "2026-03-03", 2)]
        assert deliveries.delivered(tx, LOCAL_USER, [*range(2, 5000), 1]) == {1, 2}


def test_a_number_means_one_article(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(2)
    with pytest.raises(DatabaseFailed, match=r"(?i)unique"), database.write() as tx:
        deliveries.add(tx, [delivery(1, "2026-03-02", 1), delivery(2, "2026-03-02", 1)])


def test_people_have_their_own_editions(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(1)
    with database.write() as tx:
        other = users.add(tx, "other", 0).id
        deliveries.add(tx, [delivery(1, "2026-03-02", 1), delivery(1, "2026-03-05", 1, other)])
        assert deliveries.newest_digest(tx, LOCAL_USER) == "2026-03-02"
        assert deliveries.digest(tx, LOCAL_USER, "2026-03-05") == []
        assert deliveries.digest(tx, other, "2026-03-05") == [delivery(1, "2026-03-05", 1, other)]
        assert deliveries.delivered(tx, users.add(tx, "third", 0).id, [1]) == set()


def test_candidates_wait_unseen_and_undelivered_best_first(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(6)
    with database.write() as tx:
        decisions.add(
            tx,
            [
                Decision(LOCAL_USER, seq, score, 1.0, score >= 1.0, seq == 3, 1.0, NOON)
                for seq, score in ((1, 3.0), (2, 5.0), (3, 0.5), (4, 5.0), (5, 9.0), (6, 8.0))
            ],
        )
        deliveries.add(tx, [delivery(5, "2026-03-02", 1)])
        feedback.append(tx, [Verdict("v", LOCAL_USER, 6, Kind.SKIP, NOON)])
        found = inbox.candidates(tx, LOCAL_USER, NOON - timedelta(days=1), NOON + timedelta(days=1))
        assert [(each.seq, each.score, each.interesting, each.explore) for each in found] == [
            (4, 5.0, True, False),
            (2, 5.0, True, False),
            (1, 3.0, True, False),
            (3, 0.5, False, True),
        ]
        assert {(each.arrived, each.feed_id, each.action) for each in found} == {(NOON, 1, "")}
        assert inbox.candidates(tx, LOCAL_USER, NOON - timedelta(days=1), NOON) == []
        assert inbox.candidates(tx, users.add(tx, "other", 0).id, NOON, NOON + timedelta(days=1)) == []


def test_digest_contents_are_stored_once(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(3)
    with database.write() as tx:
        assert deliveries.content(tx, LOCAL_USER, "2026-03-02") is None
        deliveries.store_content(tx, LOCAL_USER, "2026-03-02", "told", NOON)
        deliveries.store_content(tx, LOCAL_USER, "2026-03-02", "told otherwise", NOON)
        other = users.add(tx, "other", 0).id
        assert deliveries.content(tx, LOCAL_USER, "2026-03-02") == "told"
        assert deliveries.content(tx, other, "2026-03-02") is None


def test_the_last_editions_are_known_by_date_and_by_when_they_were_made(newsroom: Newsroom, database: Database) -> None:
    newsroom.articles(4)
    with database.write() as tx:
        assert deliveries.last_made(tx, LOCAL_USER, "2026-03-09") is None
        deliveries.add(tx, [delivery(seq, f"2026-03-0{seq}", 1) for seq in (1, 2, 3)] + [delivery(4, "2026-03-03", 2)])
        assert deliveries.digests_until(tx, LOCAL_USER, "2026-03-09", 2) == ["2026-03-03", "2026-03-02"]
        assert deliveries.digests_until(tx, LOCAL_USER, "2026-03-02", 9) == ["2026-03-02", "2026-03-01"]
        assert deliveries.last_made(tx, LOCAL_USER, "2026-03-03") == NOON
        assert deliveries.last_made(tx, LOCAL_USER, "2026-03-01") is None


MONDAY = Mailing(LOCAL_USER, "2026-03-02", "<a@example.org>", "you@example.org", MailState.WAITING, 0, NOON, None, "")


def test_a_mailing_comes_back_as_it_was_written(database: Database) -> None:
    later = replace(MONDAY, state=MailState.WAITING, attempts=1, next_attempt=NOON + timedelta(minutes=5), error="busy")
    with database.write() as tx:
        assert deliveries.mailing(tx, LOCAL_USER, "2026-03-02") is None
        assert deliveries.put_mailing(tx, None, MONDAY)
        assert deliveries.mailing(tx, LOCAL_USER, "2026-03-02") == MONDAY
        assert deliveries.put_mailing(tx, MONDAY, later)
        assert deliveries.mailing(tx, LOCAL_USER, "2026-03-02") == later


def test_who_comes_second_changes_nothing(database: Database) -> None:
    sending = replace(MONDAY, state=MailState.SENDING, attempts=1)
    with database.write() as tx:
        assert deliveries.put_mailing(tx, None, MONDAY)
        assert not deliveries.put_mailing(tx, None, replace(MONDAY, recipient="other@example.org"))
        assert deliveries.put_mailing(tx, MONDAY, sending)
        assert not deliveries.put_mailing(tx, MONDAY, sending)
        assert not deliveries.put_mailing(
            tx, replace(sending, next_attempt=NOON), replace(sending, state=MailState.SENT)
        )
        assert deliveries.mailing(tx, LOCAL_USER, "2026-03-02") == sending


def test_the_newest_come_first_and_people_have_their_own(database: Database) -> None:
    with database.write() as tx:
        other = users.add(tx, "other", 0).id
        for day in (4, 2, 3):
            assert deliveries.put_mailing(tx, None, replace(MONDAY, digest=f"2026-03-0{day}"))
        assert deliveries.put_mailing(tx, None, replace(MONDAY, user_id=other, digest="2026-03-09"))
        assert [each.digest for each in deliveries.newest_mailings(tx, LOCAL_USER, 2)] == ["2026-03-04", "2026-03-03"]
        earlier = deliveries.newest_mailings(tx, LOCAL_USER, 2, "2026-03-03")
        assert [each.digest for each in earlier] == ["2026-03-03", "2026-03-02"]
        assert deliveries.mailing(tx, other, "2026-03-02") is None


def test_states_are_words_in_the_file(database: Database) -> None:
    with database.write() as tx:
        assert deliveries.put_mailing(tx, None, replace(MONDAY, state=MailState.SENT_BY_HAND))
    with database.read() as tx:
        assert tx.connection.exec_driver_sql("SELECT state FROM mailings").scalars().all() == ["sent by hand"]
