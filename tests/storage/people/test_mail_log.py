"""What became of the mail of each digest; and of two senders only one goes on."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from storage.opening.database import Database
from storage.people import mail_log, users
from storage.records.deliveries import Mailing, MailState
from storage.records.users import LOCAL_USER
from tests.storage.conftest import NOON

MONDAY = Mailing(LOCAL_USER, "2026-03-02", "<a@example.org>", "you@example.org", MailState.WAITING, 0, NOON, None, "")


def test_a_mailing_comes_back_as_it_was_written(database: Database) -> None:
    later = replace(MONDAY, state=MailState.WAITING, attempts=1, next_attempt=NOON + timedelta(minutes=5), error="busy")
    with database.write() as tx:
        assert mail_log.get(tx, LOCAL_USER, "2026-03-02") is None
        assert mail_log.put(tx, None, MONDAY)
        assert mail_log.get(tx, LOCAL_USER, "2026-03-02") == MONDAY
        assert mail_log.put(tx, MONDAY, later)
        assert mail_log.get(tx, LOCAL_USER, "2026-03-02") == later


def test_who_comes_second_changes_nothing(database: Database) -> None:
    sending = replace(MONDAY, state=MailState.SENDING, attempts=1)
    with database.write() as tx:
        assert mail_log.put(tx, None, MONDAY)
        assert not mail_log.put(tx, None, replace(MONDAY, recipient="other@example.org"))
        assert mail_log.put(tx, MONDAY, sending)
        assert not mail_log.put(tx, MONDAY, sending)
        assert not mail_log.put(tx, replace(sending, next_attempt=NOON), replace(sending, state=MailState.SENT))
        assert mail_log.get(tx, LOCAL_USER, "2026-03-02") == sending


def test_the_newest_come_first_and_people_have_their_own(database: Database) -> None:
    with database.write() as tx:
        other = users.add(tx, "other", 0).id
        for day in (4, 2, 3):
            assert mail_log.put(tx, None, replace(MONDAY, digest=f"2026-03-0{day}"))
        assert mail_log.put(tx, None, replace(MONDAY, user_id=other, digest="2026-03-09"))
        assert [each.digest for each in mail_log.newest(tx, LOCAL_USER, 2)] == ["2026-03-04", "2026-03-03"]
        earlier = mail_log.newest(tx, LOCAL_USER, 2, "2026-03-03")
        assert [each.digest for each in earlier] == ["2026-03-03", "2026-03-02"]
        assert mail_log.get(tx, other, "2026-03-02") is None


def test_states_are_words_in_the_file(database: Database) -> None:
    with database.write() as tx:
        assert mail_log.put(tx, None, replace(MONDAY, state=MailState.SENT_BY_HAND))
    with database.read() as tx:
        assert tx.connection.exec_driver_sql("SELECT state FROM mailings").scalars().all() == ["sent by hand"]
