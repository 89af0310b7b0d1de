"""Accounts: invitations, roles, passwords of users and of apps."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from iscore.services.people.accounts import digest
from storage.people import app_passwords
from storage.records.users import LOCAL_USER, Role
from tests.iscore.web.accounts import PASSWORD, act, folder, fresh, invited, join, ready
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site

__all__ = ["folder", "fresh", "ready"]


def test_the_first_invitation_moves_the_files_into_the_database_and_says_so(ready: Site, folder: Path) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    (folder / "feeds.yaml").write_text("feeds:\n  - https://harbour.example/feed\n")
    assert "feeds.yaml.moved-" in act(anna, "/people", action="invite", name="Ben", role="reader").body
    assert "feeds.yaml.moved-" not in act(anna, "/people", action="invite", name="Cleo", role="reader").body
    assert act(anna, "/people", action="invite", name="Eve", role="removed").status == 400
    assert not (folder / "feeds.yaml").exists()
    with NewsFilter.open(folder) as news:
        assert [each.url for each in news.subscriptions.feeds()] == ["https://harbour.example/feed"]


def test_an_invitation_works_once_for_a_week_and_from_an_admin_only(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    path = invited(anna)
    ben = ready.client()
    assert 'value="Ben"' in ben.get(path).body
    assert join(ben, path, name="ANNA").status == 400  # taken; the invitation is still good
    assert join(ben, path, name="Benjamin").place == "/start"
    assert ben.get("/account").status == 200
    assert join(ready.client(), path).status == 403
    assert [(each.name, each.role) for each in ready.context.accounts.users()][1] == ("Benjamin", Role.READER)
    for method in (ben.get, lambda path: act_as(ben, path, action="role", user="1", role="reader")):
        assert "Only admins" in method("/people").body
    assert ben.get("/people/1/remove").status == act_as(ben, "/people/1/remove", name="Anna").status == 403
    late = invited(anna, name="Carla")
    withdrawn = invited(anna, name="Dora")
    key = digest(withdrawn.partition("=")[2])
    assert act(anna, "/people", action="withdraw", invitation=key).status == 303
    assert join(ready.client(), withdrawn).status == 403
    ready.clock.now += timedelta(days=7, seconds=1)
    assert join(ready.client(), late).status == 403


def test_an_admin_removes_a_user_after_writing_their_name(ready: Site) -> None:
    anna, ben = ready.signed_in("Anna", PASSWORD), ready.client()
    assert join(ben, invited(anna)).place == "/start"
    assert ben.get("/account").status == 200
    page = anna.get("/people/2/remove")
    assert "Remove <bdi>Ben</bdi>?" in page.body
    assert act_as(anna, "/people/2/remove", name="Anna").status == 400
    assert act_as(anna, "/people/7/remove", name="Ben").status == 404
    assert act_as(anna, "/people/2/remove", name="ben").place == "/people"
    assert ben.get("/account").place.startswith("/login")
    assert [each.name for each in ready.context.accounts.users()] == ["Anna"]
    assert act_as(anna, "/people/1/remove", name="Anna").status == 400  # the last admin


def act_as(client: AppClient, path: str, **fields: str) -> Answer:
    """Send a form with the token of another page."""
    return client.post(path, {"token": client.get("/account").hidden("token")} | fields)


def test_a_command_invites_too(ready: Site, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(folder), "users", "invite", "Ben", "--admin"]) == 0
    printed = capsys.readouterr()
    assert "feeds.yaml.moved-" in printed.err
    path = printed.out.strip().removeprefix("http://127.0.0.1:8473")
    ready.clock.now = datetime.now(UTC)  # the command's
    assert join(ready.client(), path).place == "/start"
    assert [each.role for each in ready.context.accounts.users()] == [Role.ADMIN, Role.ADMIN]


def test_there_is_always_an_admin(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    assert "only admin" in act(anna, "/people", action="role", user="1", role="reader").body
    assert act(anna, "/people", action="role", user="7", role="reader").status == 404
    for wrong in ({"user": "x"}, {"role": "owner"}, {"action": "none"}):
        assert act(anna, "/people", **{"action": "role", "user": "1", "role": "admin"} | wrong).status in (400, 403)
    join(ready.client(), invited(anna))
    assert act(anna, "/people", action="role", user="2", role="admin").status == 303
    assert act(anna, "/people", action="role", user="1", role="reader").status == 303
    assert anna.get("/people").status == 403


def test_a_new_password_needs_the_old_one_and_ends_the_other_sessions(ready: Site) -> None:
    here, there = ready.signed_in("Anna", PASSWORD), ready.signed_in("Anna", PASSWORD)
    wrong = act(here, "/account", action="password", current="a guess", password="another password")
    assert wrong.status == 403
    assert act(here, "/account", action="password", current=PASSWORD, password="short").status == 400
    assert act(here, "/account", action="password", current=PASSWORD, password="another password").status == 303
    assert (here.get("/account").status, there.get("/account").status) == (200, 303)


@pytest.mark.parametrize("programs", [True, False])
@pytest.mark.parametrize("action", ["password", "sign-out-everywhere"])
def test_apps_and_readers_of_feeds_are_shut_out_only_if_wanted(ready: Site, action: str, programs: bool) -> None:
    anna, accounts = ready.signed_in("Anna", PASSWORD), ready.context.accounts
    act(anna, "/account", action="make-app-password", app="phone", current=PASSWORD)
    act(anna, "/account", action="renew-feeds")
    key = accounts.feeds_key(LOCAL_USER)
    form = {"current": PASSWORD, "password": "another password"} | ({"programs": "1"} if programs else {})
    assert act(anna, "/account", action=action, **form).status == 303
    found = bool(accounts.app_passwords(LOCAL_USER)), accounts.feeds_key(LOCAL_USER) == key
    assert found == (not programs, not programs)
    assert accounts.feeds_key(LOCAL_USER)


def test_an_app_password_is_made_only_by_who_knows_the_user_s(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    for wrong in ({}, {"current": "a guess"}):
        assert act(anna, "/account", action="make-app-password", app="phone", **wrong).status == 403
    assert not ready.context.accounts.app_passwords(LOCAL_USER)


def test_whether_hidden_stories_are_unread_is_asked_with_the_password(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    for app, chosen in (("phone", {"hidden-unread": "1", "nonsense": "1"}), ("tablet", {})):
        page = act(anna, "/account", action="make-app-password", app=app, current=PASSWORD, **chosen)
        assert "Until you have given 5 likes and 5 dislikes, all news is unread in the app." in page.body
    apps = {each.name: each.options for each in ready.context.accounts.app_passwords(LOCAL_USER)}
    assert apps == {"phone": ("hidden-unread",), "tablet": ()}


def test_what_marks_of_an_app_mean_is_chosen_for_each(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    act(anna, "/account", action="make-app-password", app="phone", current=PASSWORD)
    act(anna, "/account", action="make-app-password", app="tablet", current=PASSWORD)
    chosen = {"star-only-saves": "1", "hidden-unread": "1", "nonsense": "1"}
    assert act(anna, "/account", action="app-options", app="phone", **chosen).status == 303
    apps = {each.name: set(each.options) for each in ready.context.accounts.app_passwords(LOCAL_USER)}
    assert apps == {"phone": {"star-only-saves", "hidden-unread"}, "tablet": set()}
    checked = re.findall(
        r'<input id="([a-z-]+)-(\d)" name="[a-z-]+" type="checkbox" value="1" checked>', anna.get("/account").body
    )
    assert checked == [("star-only-saves", "1"), ("hidden-unread", "1")]
    assert act(anna, "/account", action="app-options", app="phone").status == 303
    assert not any(each.options for each in ready.context.accounts.app_passwords(LOCAL_USER))
    assert act(anna, "/account", action="app-options", app="laptop").status == 404


def test_each_app_has_a_password_that_is_shown_once(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    page = act(anna, "/account", action="make-app-password", app="  my  reader ", current=PASSWORD)
    found = re.search(r"my reader</bdi>, shown only now: <kbd>([\w-]{32})</kbd>", page.body)
    assert found, page.body
    assert found[1] not in anna.get("/account").body
    database = ready.context.users.entry(LOCAL_USER).news.database
    with database.read() as tx:
        (stored,) = app_passwords.list_passwords(tx, LOCAL_USER)
    assert (stored.name, stored.key) == ("my reader", digest(found[1]))
    for bad in ("", "x" * 61, "a\x00b"):
        assert act(anna, "/account", action="make-app-password", app=bad, current=PASSWORD).status == 400
    assert act(anna, "/account", action="revoke-app-password", app="another").status == 404
    assert act(anna, "/account", action="revoke-app-password", app="my reader").status == 303
    assert "my reader" not in anna.get("/account").body


def test_a_time_zone_is_each_user_s_own(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    for bad in ("Europe/Nowhere", "../../etc/passwd"):
        assert act(anna, "/settings", time_zone=bad).status == 400
    assert act(anna, "/settings", time_zone="Asia/Tokyo").status == 303
    assert 'value="Asia/Tokyo"' in anna.get("/settings").body
    assert str(ready.context.users.entry(LOCAL_USER).news.context.zone) == "Asia/Tokyo"
