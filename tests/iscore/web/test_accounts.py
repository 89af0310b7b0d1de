"""Accounts: set-up, invitations, roles, sessions, passwords of apps, sign-on by a proxy."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from iscore.cli import main
from iscore.core.passwords import hash_password
from iscore.services.accounts import digest
from iscore.services.news_filter import NewsFilter
from iscore.web.security.access import SignOn
from iscore.web.security.credentials import NAME, CredentialStore
from iscore.web.security.passwords import ACCOUNT_ATTEMPTS, LoginLimits
from storage import app_passwords, users
from storage.records import LOCAL_USER, Role
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
PASSWORD = "a walk by the harbour"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder that nobody has set up."""
    archive = Archive(tmp_path / "home")
    archive.database.close()
    return archive.home.path


@pytest.fixture
def fresh(folder: Path) -> Iterator[Site]:
    with site(folder, NOW) as running:
        yield running


@pytest.fixture
def ready(fresh: Site) -> Site:
    """A site with an admin, Anna."""
    set_up(fresh.client(), fresh)
    return fresh


def set_up(client: AppClient, running: Site, path: str = "", **fields: str) -> Answer:
    path = path or running.context.setup.path
    page = client.get(path)
    if page.status != 200:
        return page
    form = {"token": page.hidden("token"), "key": page.hidden("key"), "name": "Anna", "password": PASSWORD}
    return client.post("/setup", form | fields)


def act(client: AppClient, path: str, **fields: str) -> Answer:
    return client.post(path, {"token": client.get(path).hidden("token")} | fields)


def invited(admin: AppClient, name: str = "Ben", role: str = "reader") -> str:
    """Return the path of an invitation's link."""
    page = act(admin, "/people", action="invite", name=name, role=role)
    found = re.search(r"http://127\.0\.0\.1:8473(/join\?key=[\w-]+)<", page.body)
    assert found, page.body
    return found[1]


def join(client: AppClient, path: str, **fields: str) -> Answer:
    page = client.get(path)
    if page.status != 200:
        return page
    form = {"token": page.hidden("token"), "key": page.hidden("key"), "name": page.hidden("name")}
    return client.post("/join", form | {"password": "an orchard in May"} | fields)


def test_without_the_link_nobody_sets_up_not_even_here(fresh: Site) -> None:
    client = fresh.client()
    for path in ("/", "/setup", "/setup?key=", "/setup?key=guess", "/login", "/account", "/people"):
        answer = client.get(path)
        assert (answer.status, "iscore serve" in answer.body) == (403, True), path
    token = fresh.client().get(fresh.context.setup.path)
    assert token.status == 200
    client.get(fresh.context.setup.path)
    form = {"token": client.get(fresh.context.setup.path).hidden("token"), "name": "Eve", "password": PASSWORD}
    assert client.post("/setup", form | {"key": "guess"}).status == 403
    assert not fresh.context.accounts.first().has_password


def test_the_link_works_once_and_for_half_an_hour(fresh: Site) -> None:
    client, other, path = fresh.client(), fresh.client(), fresh.context.setup.path
    assert set_up(client, fresh, password="short").status == 400
    page = other.get(path)
    fresh.clock.now += timedelta(minutes=29)
    assert set_up(client, fresh).place == "/start"
    assert client.get("/account").status == 200
    late = {"token": page.hidden("token"), "key": page.hidden("key"), "name": "Eve", "password": PASSWORD}
    assert other.post("/setup", late).place == "/"
    assert other.get("/").place.startswith("/login")
    (anna,) = fresh.context.accounts.users()
    assert (anna.name, anna.role, anna.has_password) == ("Anna", Role.ADMIN, True)
    assert fresh.signed_in("anna", PASSWORD).get("/").status == 200


def test_the_link_expires(fresh: Site) -> None:
    fresh.clock.now += timedelta(minutes=30)
    assert set_up(fresh.client(), fresh).status == 403


def test_only_me_works_only_here(fresh: Site, folder: Path) -> None:
    client = fresh.client()
    assert "Only me on this computer" in client.get(fresh.context.setup.path).body
    assert set_up(client, fresh, alone="1", password="").place == "/start"
    assert client.get("/").status == 200
    for headers in ({"X_Forwarded_For": "192.0.2.7"}, {"Forwarded": "for=192.0.2.7"}, {"Via": "1.1 proxy"}):
        answer = client.get("/", **headers)
        assert (answer.status, "No password is set" in answer.body) == (403, True)
    with site(folder, NOW, host="0.0.0.0") as public:
        assert "No password is set" in public.client().get("/").body
        assert public.client(host="192.168.1.5").get("/").status == 403
    # An invitation would let somebody else in.
    assert "set a password for yourself first" in act(client, "/people", action="invite", name="", role="reader").body
    assert act(client, "/account", action="password", password=PASSWORD).place == "/account"
    assert client.get("/account").status == 200
    assert fresh.client().get("/").status == 303


def test_only_me_is_not_offered_to_others(folder: Path) -> None:
    with site(folder, NOW, host="0.0.0.0") as public:
        client, path = public.client(host="192.168.1.5"), public.context.setup.path
        assert "Only me" not in client.get(path).body
        assert set_up(client, public, path, alone="1").status == 403
        assert set_up(client, public, path).place == "/start"


def test_the_password_of_an_earlier_version_is_the_first_account_s(folder: Path) -> None:
    store = CredentialStore(folder)
    store.read()
    old = {"secret": "s" * 43, "password": hash_password(PASSWORD)}
    (folder / NAME).write_text(json.dumps(old))
    with site(folder, NOW) as running:
        store.adopt_password(running.context.accounts)
        client = running.client()
        page = client.get("/login")
        assert 'name="name"' not in page.body  # one account: the password says who it is
        form = {"token": page.hidden("token"), "password": PASSWORD}
        assert client.post("/login", form).status == 303
        assert "password" not in json.loads((folder / NAME).read_text())
    (folder / NAME).write_text(json.dumps(old | {"password": ""}))
    assert store.read().set_up  # and without one they stay alone


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


def test_a_session_ends_after_a_month_and_with_its_account(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    ready.clock.now += timedelta(days=30, seconds=-1)
    assert anna.get("/account").status == 200
    ready.clock.now += timedelta(seconds=1)
    assert anna.get("/account").status == 303


def test_what_marks_of_an_app_mean_is_chosen_for_each(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    act(anna, "/account", action="make-app-password", app="phone")
    act(anna, "/account", action="make-app-password", app="tablet")
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
    page = act(anna, "/account", action="make-app-password", app="  my  reader ")
    found = re.search(r"my reader</bdi>, shown only now: <kbd>([\w-]{32})</kbd>", page.body)
    assert found, page.body
    assert found[1] not in anna.get("/account").body
    database = ready.context.users.entry(LOCAL_USER).news.database
    with database.read() as tx:
        (stored,) = app_passwords.list_passwords(tx, LOCAL_USER)
    assert (stored.name, stored.key) == ("my reader", digest(found[1]))
    for bad in ("", "x" * 61, "a\x00b"):
        assert act(anna, "/account", action="make-app-password", app=bad).status == 400
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


def test_a_trusted_proxy_signs_in_users_it_names(folder: Path) -> None:
    CredentialStore(folder).mark_set_up()
    with site(folder, NOW, trusted=("10.0.0.1",), sign_on=SignOn("Remote-User"), address="https://news.example") as one:
        with one.context.users.entry(LOCAL_USER).news.database.write() as tx:
            users.rename(tx, LOCAL_USER, "Anna")
            users.set_password(tx, LOCAL_USER, "hash")
        proxied = one.client(peer="10.0.0.1", host="news.example")
        assert proxied.get("/account", Remote_User="anna").status == 200
        assert proxied.get("/account").status == 303
        assert proxied.get("/account", Remote_User="Eve").status == 403
        assert act_named(proxied, "anna", action="sign-out-everywhere").status == 303
        assert one.client(peer="10.0.0.2", host="news.example").get("/account", Remote_User="anna").status == 303
    with site(folder, NOW, trusted=("10.0.0.1",), sign_on=SignOn("Remote-User", adds_readers=True)) as other:
        client = other.client(peer="10.0.0.1")
        assert "Reader" in client.get("/account", Remote_User="Ben").body
        assert client.get("/account", Remote_User="<b>").status == 403
        assert [each.name for each in other.context.accounts.users()] == ["Anna", "Ben"]


def act_named(client: AppClient, name: str, **fields: str) -> Answer:
    page = client.get("/account", Remote_User=name)
    return client.post("/account", {"token": page.hidden("token")} | fields, Remote_User=name)


def test_an_app_below_a_path_stays_there(folder: Path) -> None:
    with site(folder, NOW, address="https://example.org/iscore/") as running:
        client = running.client(host="example.org")
        page = client.get(f"/iscore{running.context.setup.path}")
        form = {"token": page.hidden("token"), "key": page.hidden("key"), "name": "Anna", "password": PASSWORD}
        done = client.post("/iscore/setup", form)
        assert (done.status, done.place) == (303, "/iscore/start")
        assert {"Path=/iscore/", "Secure"} <= set(done.headers["set-cookie"].split("; "))
        assert client.get("/iscore").place == "/iscore/"
        for path in ("/", "/hidden", "/verdicts", "/account", "/people", "/people/1/remove"):
            body = client.get(f"/iscore{path}").body
            links = re.findall(r'(?:href|action|src)="(/[^"]*)"', body)
            assert len(links) > 5
            assert [link for link in links if not link.startswith("/iscore/")] == []
        style = re.search(r'href="/iscore(/static/[^"]+)"', body)
        assert style
        assert client.get(f"/iscore{style[1]}").status == 200
        other = running.client(host="example.org")
        there = other.get("/iscore/hidden")
        assert there.place == "/iscore/login?next=%2Fhidden"
        page = other.get(there.place)
        form = {"token": page.hidden("token"), "password": PASSWORD, "next": page.hidden("next")}
        assert other.post("/iscore/login", form).place == "/iscore/hidden"


def test_a_restart_forgets_no_failed_login_and_no_usual_place(ready: Site, folder: Path) -> None:
    def guess(client: AppClient, name: str) -> int:
        form = {"token": client.get("/login").hidden("token"), "name": name, "password": "a guess", "next": ""}
        return client.post("/login", form).status

    assert ready.signed_in("Anna", PASSWORD)
    for number in range(ACCOUNT_ATTEMPTS):
        assert guess(ready.client(peer=f"192.0.2.{number // 4}"), "Anna") == 403
    rows = ready.context.users.entry(LOCAL_USER).news.database
    with site(folder, NOW) as restarted:
        assert guess(restarted.client(peer="192.0.2.99"), "Anna") == 429
        assert guess(restarted.client(peer="192.0.2.99"), "Ben") == 403
        assert restarted.signed_in("Anna", PASSWORD)  # where she has signed in before
        assert guess(restarted.client(peer="192.0.2.99"), "Anna") == 403
    with rows.read() as tx:
        stored = tx.connection.exec_driver_sql("SELECT * FROM login_attempts").all()
    assert 5 < len(stored) < 20
    assert "192.0.2" not in repr(stored)


def test_guessing_at_one_account_from_many_addresses_is_slowed_down() -> None:
    limits = LoginLimits()
    limits.note("198.51.100.7", "anna", NOW, right=True)
    for number in range(ACCOUNT_ATTEMPTS):
        assert limits.wait(f"192.0.2.{number}", "anna", NOW) == 0
        limits.note(f"192.0.2.{number}", "anna", NOW, right=False)
    assert limits.wait("192.0.2.99", "anna", NOW) > 0
    assert limits.wait("192.0.2.99", "ben", NOW) == 0
    assert limits.wait("198.51.100.7", "anna", NOW) == 0  # where she has signed in before
