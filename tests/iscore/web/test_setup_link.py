"""The first account: its link, and only me."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from storage.records.users import LOCAL_USER, Role
from tests.iscore.web.accounts import NOW, PASSWORD, act, folder, fresh, ready, set_up
from tests.iscore.web.in_process import Site, site

__all__ = ["folder", "fresh", "ready"]


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
    assert not fresh.context.accounts.get(LOCAL_USER).has_password


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
    assert " formnovalidate>Only me" in client.get(fresh.context.setup.path).body  # the name may be left out
    assert set_up(client, fresh, alone="1", name="", password="").place == "/start"
    assert [each.name for each in fresh.context.accounts.users()] == ["Me"]
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
