"""Transactions of both kinds of databases: what they keep, what they see, and who waits."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from storage.engine import changes
from storage.engine.base_database import Transaction
from storage.engine.errors import DatabaseBusy, DatabaseFailed, UnknownUser
from storage.log import decisions
from storage.opening.database import ARRIVALS, Database
from storage.opening.sqlite_database import SqliteDatabase
from storage.people import documents, users
from storage.records.users import LOCAL_USER
from storage.stream import articles, hosts
from tests.storage.conftest import NOON, Newsroom, decision

OpenAgain = Callable[..., Database]
OTHER = 2


def test_an_exception_undoes_the_transaction(database: Database) -> None:
    def add_and_fail() -> None:
        with database.write() as tx:
            users.add(tx, "second", 0)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        add_and_fail()
    with database.read() as tx, pytest.raises(UnknownUser):
        users.get(tx, 2)


def test_a_reader_sees_one_moment(database: Database) -> None:
    with database.read() as reader:
        users.get(reader, LOCAL_USER)
        with database.write() as writer:
            users.add(writer, "second", 0)
        with pytest.raises(UnknownUser):
            users.get(reader, 2)
    with database.read() as reader:
        assert users.get(reader, 2).name == "second"


def test_a_reference_to_nothing_is_refused(database: Database) -> None:
    def orphan() -> None:
        with database.write() as tx:
            tx.connection.exec_driver_sql("INSERT INTO texts (seq, text) VALUES (5, 'orphan')")

    with pytest.raises(DatabaseFailed, match=r"(?i)foreign key"):
        orphan()


def test_the_version_changes_with_every_commit(database: Database, open_again: OpenAgain) -> None:
    def commit(here: Database, number: int) -> None:
        with here.write() as tx:
            users.add(tx, f"user {number}", number)

    seen = [database.version()]
    with open_again() as other:
        for number, here in enumerate((database, other, database, database, other)):
            commit(here, number)
            seen.append(database.version())
            with here.read() as tx:
                users.get(tx, LOCAL_USER)
            assert database.version() == seen[-1]
    assert None not in seen
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize("of", [LOCAL_USER, ARRIVALS, None])
def test_a_second_writer_of_the_same_waits(database: Database, open_again: OpenAgain, of: int | None) -> None:
    with open_again(busy_timeout=0.05) as other:
        with database.write(of), pytest.raises(DatabaseBusy, match="try again"), other.write(of):
            pytest.fail("two writers at once")
        with other.write(of):
            pass


@pytest.mark.parametrize(("first", "second"), [(LOCAL_USER, OTHER), (LOCAL_USER, ARRIVALS), (ARRIVALS, OTHER)])
def test_writers_of_different_rows_wait_only_in_a_file(
    database: Database, open_again: OpenAgain, first: int, second: int
) -> None:
    with open_again(busy_timeout=0.05) as other, database.write(first):
        if isinstance(database, SqliteDatabase):
            with pytest.raises(DatabaseBusy), other.write(second):
                pytest.fail("two writers at once")
        else:
            with other.write(second):
                pass


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_users_do_not_wait_for_each_others_commits(database: Database, open_again: OpenAgain) -> None:
    """Each is counted: a row that everybody updates would be locked until the first one is on the disk."""
    with database.write() as tx:
        other_id = users.add(tx, "other", 0).id
    with open_again(busy_timeout=0.05) as other, database.write(LOCAL_USER) as first:
        documents.put(first, LOCAL_USER, "note", "mine", NOON)
        changes.count(first, LOCAL_USER)
        with other.write(other_id) as second:
            documents.put(second, other_id, "note", "theirs", NOON)
        with other.write(ARRIVALS) as third:
            hosts.save_robots_file(third, "https://example.org", b"", NOON)


@pytest.mark.parametrize(("first", "second"), [(None, LOCAL_USER), (None, ARRIVALS), (LOCAL_USER, None)])
def test_a_writer_of_anything_writes_alone(
    database: Database, open_again: OpenAgain, first: int | None, second: int | None
) -> None:
    with (
        open_again(busy_timeout=0.05) as other,
        database.write(first),
        pytest.raises(DatabaseBusy),
        other.write(second),
    ):
        pytest.fail("two writers at once")


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_what_arrives_while_decisions_are_stored_is_decided_about_later(
    newsroom: Newsroom, database: Database, open_again: OpenAgain, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may come between any two statements."""
    newsroom.articles(1)
    last_seq = articles.last_seq

    def arrive(tx: Transaction) -> int:
        with monkeypatch.context() as meanwhile, open_again() as other:
            meanwhile.setattr(articles, "last_seq", last_seq)
            Newsroom(other).articles(2, at=NOON + timedelta(hours=1))
        return last_seq(tx)

    with database.write(LOCAL_USER) as tx:
        monkeypatch.setattr(articles, "last_seq", arrive)
        decisions.add(tx, [decision(1, 1.0)])
        monkeypatch.undo()
    with database.read() as tx:
        assert [each.seq for each in decisions.unscored(tx, LOCAL_USER, 10)] == [2, 3]
