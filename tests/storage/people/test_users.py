"""Users: one name for one person, and always an admin."""

from __future__ import annotations

import pytest

from storage.engine.errors import LastAdmin, RefusedUserName, TakenUserName, UnknownUser
from storage.people import users
from storage.records.users import LOCAL_USER, Role
from tests.storage.conftest import NOON, Newsroom


def test_the_first_is_the_admin_and_the_others_read(newsroom: Newsroom) -> None:
    with newsroom.database.write() as tx:
        anna = users.add(tx, " Jürgen  Smith ", 3, time_zone="Europe/Rome", at=NOON)
        assert (anna.id, anna.name, anna.role, anna.time_zone) == (2, "Jürgen Smith", Role.READER, "Europe/Rome")
        assert (anna.created, anna.has_password) == (NOON, False)
        assert users.first(tx) == users.get(tx, LOCAL_USER)
        assert [each.role for each in users.list_users(tx)] == [Role.ADMIN, Role.READER]
        assert users.find(tx, "JÜRGEN smith") == anna
        assert users.find(tx, "jurgen") is None


def test_names_that_differ_in_case_are_the_same(newsroom: Newsroom) -> None:
    with newsroom.database.write() as tx:
        anna = users.add(tx, "Anna", 0)
        with pytest.raises(TakenUserName, match="'Anna'"):
            users.add(tx, "ANNA", 0)
        users.rename(tx, anna.id, "anna")
        with pytest.raises(TakenUserName):
            users.rename(tx, LOCAL_USER, "Anna")
        assert users.get(tx, anna.id).name == "anna"


def test_what_is_no_name_is_refused(newsroom: Newsroom) -> None:
    with newsroom.database.write() as tx:
        for name in ("", " ", "-x", "a\u202eb", "a/b", "a:b", "<b>", "x" * 61, "a\x00", "@"):
            with pytest.raises(RefusedUserName):
                users.add(tx, name, 0)


def test_names_that_look_like_another_are_refused(newsroom: Newsroom) -> None:
    with newsroom.database.write(durable=True) as tx:
        users.add(tx, "Anna Lo", 1)
        for alike in ("Аnnа Lо", "Anna L0", "Ａnna Lo", "Anna Io", "АNNА LО"):
            with pytest.raises((TakenUserName, RefusedUserName)):
                users.add(tx, alike, 1)
        for refused in ("B\u3164en", "B\u200den", "Beн", "Ωmega"):
            with pytest.raises(RefusedUserName):
                users.add(tx, refused, 1)
        found = users.add(tx, "Ѕаrаh".translate({0x405: "S", 0x430: "a"}), 1)
        users.rename(tx, found.id, "sarah")
        users.add(tx, "аса", 1)
        with pytest.raises(TakenUserName):
            users.add(tx, "aca", 1)


def test_a_password_and_a_role_change_and_an_admin_is_left(newsroom: Newsroom) -> None:
    with newsroom.database.write() as tx:
        anna = users.add(tx, "Anna", 0).id
        users.set_password(tx, anna, "hash")
        assert (users.password_hash(tx, anna), users.get(tx, anna).has_password) == ("hash", True)
        with pytest.raises(LastAdmin):
            users.set_role(tx, LOCAL_USER, Role.READER)
        users.set_role(tx, anna, Role.ADMIN)
        users.set_role(tx, LOCAL_USER, Role.READER)
        assert [each.role for each in users.list_users(tx)] == [Role.READER, Role.ADMIN]
        for change in (lambda: users.set_role(tx, 9, Role.ADMIN), lambda: users.password_hash(tx, 9)):
            with pytest.raises(UnknownUser):
                change()


def test_it_is_known_who_follows_their_news_as_feeds(newsroom: Newsroom) -> None:
    with newsroom.database.write() as tx:
        anna, ben = users.add(tx, "anna", 0).id, users.add(tx, "ben", 0).id
        users.set_feeds_key(tx, anna, "secret")
        users.set_feeds_key(tx, ben, "secret")
        assert users.with_feeds_key(tx, {LOCAL_USER, anna}) == {anna}
        assert users.with_feeds_key(tx, ()) == set()
