"""Signing in: how long a session lasts, sign-on by a proxy, below a path, and failed attempts."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

from iscore.web.security.access import SignOn
from iscore.web.security.credentials import CredentialStore
from iscore.web.security.passwords import ACCOUNT_ATTEMPTS, LoginLimits
from storage.people import users
from storage.records.users import LOCAL_USER
from tests.iscore.web.accounts import NOW, PASSWORD, folder, fresh, ready
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site

__all__ = ["folder", "fresh", "ready"]


def test_a_session_ends_after_a_month_and_with_its_account(ready: Site) -> None:
    anna = ready.signed_in("Anna", PASSWORD)
    ready.clock.now += timedelta(days=30, seconds=-1)
    assert anna.get("/account").status == 200
    ready.clock.now += timedelta(seconds=1)
    assert anna.get("/account").status == 303


def test_a_trusted_proxy_signs_in_users_it_names(folder: Path) -> None:
    CredentialStore(folder).mark_set_up()
    with site(
        folder, NOW, trusted_proxies=("10.0.0.1",), sign_on=SignOn("Remote-User"), address="https://news.example"
    ) as one:
        with one.context.users.entry(LOCAL_USER).news.database.write() as tx:
            users.rename(tx, LOCAL_USER, "Anna")
            users.set_password(tx, LOCAL_USER, "hash")
        proxied = one.client(peer="10.0.0.1", host="news.example")
        assert proxied.get("/account", Remote_User="anna").status == 200
        assert proxied.get("/account").status == 303
        assert proxied.get("/account", Remote_User="Eve").status == 403
        assert act_named(proxied, "anna", action="sign-out-everywhere").status == 303
        assert one.client(peer="10.0.0.2", host="news.example").get("/account", Remote_User="anna").status == 303
    with site(folder, NOW, trusted_proxies=("10.0.0.1",), sign_on=SignOn("Remote-User", adds_readers=True)) as other:
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
