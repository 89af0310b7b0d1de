"""Signing in with a provider of OpenID Connect, which runs in a process of its own."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import pytest

from iscore.web.security.openid import OpenIdSettings, is_installed
from iscore.web.security.sessions import from_cookie, token
from storage.opening.database import open_database
from storage.people import users
from storage.records.users import LOCAL_USER, Identity, Role
from tests.iscore.web.client import Answer
from tests.iscore.web.conftest import NOW, PASSWORD
from tests.iscore.web.in_process import AppClient, Site, site
from tests.servers.openid_provider import CLIENT, SECRET, Provider, running_provider

pytestmark = pytest.mark.skipif(not is_installed(), reason="the extra openid is not installed")
INVALID = "is not valid, so nobody was signed in"
OUT_OF_DATE = "is out of date, or was begun in another browser"


@pytest.fixture(scope="module")
def running() -> Iterator[Provider]:
    """A provider."""
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(running: Provider) -> Provider:
    """A provider that does everything right, by the clock of the tests."""
    running.behave(now=NOW.timestamp())
    return running


@pytest.fixture
def settings(provider: Provider) -> OpenIdSettings:
    return OpenIdSettings(provider.issuer, CLIENT, SECRET, "Example")


@pytest.fixture
def home(empty_home: Path, tmp_path: Path) -> Path:
    """A data folder with a user who has a password."""
    shutil.copytree(empty_home, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def served(home: Path, settings: OpenIdSettings) -> Callable[..., AbstractContextManager[Site]]:
    """Serves the data folder with the provider."""
    return partial(site, home, NOW, openid=settings)


def link(home: Path, provider: Provider, subject: str = "anna-1") -> None:
    """Let the first user sign in with an account of the provider."""
    with open_database(home / "iscore.db") as database, database.write() as tx:
        users.put_identity(tx, Identity(LOCAL_USER, provider.issuer, subject, NOW))


def to_provider(client: AppClient, query: str = "") -> str:
    answer = client.get(f"/openid/start{query}")
    assert answer.status == 303, answer.body
    return answer.place


def back(client: AppClient, callback: str) -> Answer:
    parts = urlsplit(callback)
    assert (parts.netloc, parts.path) == ("127.0.0.1:8473", "/openid/callback")
    return client.get(f"{parts.path}?{parts.query}")


def sign_in(client: AppClient, provider: Provider, query: str = "") -> Answer:
    """Do what a browser does from the button on."""
    return back(client, provider.sign_in(to_provider(client, query)))


def message(answer: Answer) -> str:
    found = re.search(r'role="alert">(.*?)</p>', answer.body, re.DOTALL)
    return " ".join(found[1].split()) if found else ""


def test_who_is_linked_signs_in_and_out(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    link(home, provider)
    with served() as running:
        client = running.client()
        page = client.get("/login?next=%2Ffeeds")
        assert "Sign in with Example" in page.body
        assert 'href="/openid/start?next=/feeds"' in page.body
        before = dict(client.cookies)
        answer = sign_in(client, provider, "?next=/feeds")
        assert (answer.status, answer.place) == (303, "/feeds")
        assert client.cookies != before
        assert client.get("/feeds").status == 200
        form = {"token": client.get("/account").hidden("token")}
        assert client.post("/logout", form).status == 303
        assert client.get("/feeds").place.startswith("/login")
        assert running.signed_in("", PASSWORD).get("/feeds").status == 200  # passwords go on


def test_the_request_binds_the_answer_to_this_browser(
    served: Callable[..., AbstractContextManager[Site]], provider: Provider
) -> None:
    with served() as running:
        client = running.client()
        asked = [parse_qs(urlsplit(to_provider(client)).query) for _ in range(2)]
        for query in asked:
            assert query["redirect_uri"] == ["http://127.0.0.1:8473/openid/callback"]
            assert query["code_challenge_method"] == ["S256"]
            assert len(query["code_challenge"][0]) == 43
        for name in ("state", "nonce", "code_challenge"):
            assert asked[0][name] != asked[1][name]
        assert provider.issuer in to_provider(client)


TOO_LONG = "x" * 256
WRONG: tuple[dict[str, Any], ...] = (
    {"claims": {"nonce": "another"}},
    {"claims": {"nonce": None}},
    {"claims": {"aud": "another"}},
    {"claims": {"aud": [CLIENT, "another"]}},
    {"claims": {"azp": "another"}},
    {"claims": {"iss": "https://another.example"}},
    {"claims": {"exp": (NOW - timedelta(minutes=2)).timestamp()}},
    {"claims": {"exp": None}},
    {"claims": {"iat": (NOW + timedelta(hours=1)).timestamp()}},
    {"claims": {"sub": ""}},
    {"claims": {"sub": TOO_LONG}},
    {"claims": {"sub": 7}},
    {"key": "strange"},
    {"key": "two"},
    {"unsigned": True},
    {"symmetric": True},
    {"iss": "https://another.example"},
)
"""What a provider answers that proves nothing."""


def test_what_proves_nothing_signs_nobody_in(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    with served(complaints=len(WRONG)) as running:
        for number, wrong in enumerate(WRONG, start=1):
            subject = wrong.get("claims", {}).get("sub")
            link(home, provider, subject if subject == TOO_LONG else "anna-1")
            provider.behave(now=NOW.timestamp(), **wrong)
            client = running.client()
            answer = sign_in(client, provider)
            assert (answer.status, INVALID in message(answer)) == (403, True), (wrong, answer.status, running.logged)
            assert client.get("/feeds").place.startswith("/login"), wrong
            assert len(running.logged) == number, wrong
            assert running.logged[-1].startswith("signing in with Example: "), wrong
        provider.behave(now=NOW.timestamp())
        assert sign_in(running.client(), provider).status == 303  # so nothing else was in the way


def test_each_answer_counts_once_and_in_its_own_browser_only(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    link(home, provider)
    with served() as running:
        mine, other = running.client(), running.client()
        other.get("/login")
        callback = provider.sign_in(to_provider(mine))
        answer = back(other, callback)
        assert (answer.status, OUT_OF_DATE in message(answer)) == (403, True)
        assert back(mine, callback).status == 303
        assert back(mine, callback).status == 403  # signed in: nothing to do
        callback = provider.sign_in(to_provider(other))
        assert back(other, callback.replace("state=", "state=x")).status == 403
        running.clock.now += timedelta(minutes=11)
        assert OUT_OF_DATE in message(back(other, callback))
        assert other.get("/openid/callback").status == 403
    with served(complaints=1) as running:
        provider.behave(now=NOW.timestamp(), error="access_denied")
        client = running.client()
        callback = provider.sign_in(to_provider(client))
        answer = back(client, callback)
        assert (answer.status, message(answer)) == (403, "Example did not sign you in.")
        form = {"token": answer.hidden("token"), "password": PASSWORD, "next": ""}
        assert OUT_OF_DATE in message(back(client, callback))  # also after a failure
        assert client.post("/login", form).status == 303  # the page that says so can be used
        assert running.logged == ["signing in with Example: it answers 'access_denied'"]


def test_nobody_becomes_a_user_without_an_invitation(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    with served() as running:
        answer = sign_in(running.client(), provider)
        assert (answer.status, "Nobody here signs in with this account of Example" in message(answer)) == (403, True)
        key = running.context.accounts.invite(LOCAL_USER, "", Role.READER)
        guest = running.client()
        assert "Join with Example" in guest.get(f"/join?key={key}").body
        assert guest.get("/openid/start?invitation=wrong").status == 403
        first = to_provider(guest, f"?invitation={key}")
        assert key not in first
        assert back(guest, provider.sign_in(first)).place == "/start"
        assert [user.name for user in running.context.accounts.users()][1:] == ["Anna"]
        assert guest.get("/account").status == 200
        provider.behave(now=NOW.timestamp(), claims={"sub": "anna-2"})
        assert guest.get(f"/openid/start?invitation={key}").status == 303  # signed in: back to the news
        other = running.client()
        assert other.get(f"/openid/start?invitation={key}").status == 403  # used
        provider.behave(now=NOW.timestamp())
        assert sign_in(running.client(), provider).status == 303


def test_where_the_setting_allows_anybody_becomes_a_reader_with_a_name_of_their_own(
    home: Path, provider: Provider, settings: OpenIdSettings
) -> None:
    with site(home, NOW, openid=replace(settings, adds_readers=True)) as running:
        for number, names in enumerate(({}, {}, {"preferred_username": "<b>", "name": "Bert  Smith"})):
            provider.behave(now=NOW.timestamp(), claims={"sub": f"reader-{number}", **names})
            client = running.client()
            assert sign_in(client, provider).status == 303
            assert sign_in(running.client(), provider).status == 303
        provider.behave(now=NOW.timestamp(), claims={"sub": "nameless", "preferred_username": None})
        sign_in(running.client(), provider)
        users = running.context.accounts.users()
        assert [user.name for user in users[1:4]] == ["Anna", "Anna 2", "Bert Smith"]
        assert re.fullmatch("reader [0-9a-f]{8}", users[4].name)
        assert {user.role for user in users[1:]} == {Role.READER}
        assert not any(user.has_password for user in users[1:])


def test_users_link_their_account_and_no_other_site_does(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    with served() as running:
        client = running.signed_in("", PASSWORD)
        page = client.get("/account")
        start = re.search(r'href="(/openid/start\?link=[^"]+)"', page.body)
        assert start is not None
        assert client.get("/openid/start?link=guessed").status == 403
        assert running.client().get(start[1]).status == 403
        callback = provider.sign_in(client.get(start[1]).place)
        answer = back(client, callback)
        assert (answer.status, answer.place) == (303, "/account#openid-heading")
        assert sign_in(running.client(), provider).status == 303
        page = client.get("/account")
        assert "You sign in with your account there since" in page.body
        form = {"token": page.hidden("token"), "action": "unlink"}
        assert client.post("/account", form).status == 303
        assert sign_in(running.client(), provider).status == 403
        guest = running.client()
        sign_in(guest, provider, f"?invitation={running.context.accounts.invite(LOCAL_USER)}")
        form = {"token": guest.get("/account").hidden("token"), "action": "unlink"}
        assert "set a password first" in guest.post("/account", form).body
        assert sign_in(running.client(), provider).status == 303


def test_an_account_belongs_to_one_user(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    with served() as running:
        key = running.context.accounts.invite(LOCAL_USER)
        sign_in(running.client(), provider, f"?invitation={key}")
        client = running.signed_in("local", PASSWORD)
        start = "/openid/start?" + urlencode({"link": client.get("/account").hidden("token")})
        answer = back(client, provider.sign_in(client.get(start).place))
        assert (answer.status, "another user signs in with this account" in answer.body) == (403, True)


def test_passwords_can_be_switched_off(home: Path, provider: Provider, settings: OpenIdSettings) -> None:
    link(home, provider)
    with site(home, NOW, openid=settings, passwords=False) as running:
        client = running.client()
        page = client.get("/login")
        assert 'type="password"' not in page.body
        first = to_provider(client)
        secret = running.context.credentials.read().secret
        session = from_cookie(client.cookies["iscore-8473"], secret, NOW)
        assert session is not None
        form = {"token": token(session, secret), "password": PASSWORD, "next": ""}
        assert message(client.post("/login", form)) == "Nobody signs in with a password here."
        key = running.context.accounts.invite(LOCAL_USER)
        assert 'type="password"' not in client.get(f"/join?key={key}").body
        form = {"token": token(session, secret), "key": key, "name": "Bert", "password": PASSWORD}
        assert client.post("/join", form).status == 403
        assert back(client, provider.sign_in(first)).status == 303
        assert 'type="password"' not in client.get("/account").body


def test_new_keys_of_the_provider_are_found_and_both_ways_to_prove_the_client_work(
    served: Callable[..., AbstractContextManager[Site]], home: Path, provider: Provider
) -> None:
    link(home, provider)
    with served() as running:
        assert sign_in(running.client(), provider).status == 303
        provider.behave(now=NOW.timestamp(), key="two", shown=["two"], method="client_secret_post")
        running.clock.now += timedelta(minutes=2)
        provider.behave(now=running.clock.now.timestamp(), key="two", shown=["two"])
        assert sign_in(running.client(), provider).status == 303
    provider.behave(now=NOW.timestamp(), method="client_secret_post")
    with served() as running:
        assert sign_in(running.client(), provider).status == 303


@pytest.mark.parametrize("wrong", [{"status": 500}, {"issuer": "https://another.example"}])
def test_a_provider_that_is_none_is_named_in_one_line(
    served: Callable[..., AbstractContextManager[Site]], provider: Provider, wrong: dict[str, Any]
) -> None:
    provider.behave(now=NOW.timestamp(), **wrong)
    with served(complaints=1) as running:
        answer = running.client().get("/openid/start")
        assert (answer.status, message(answer)) == (503, "Example does not answer as it should. Try again later.")


def test_a_provider_that_is_gone_is_named_in_one_line_and_passwords_go_on(home: Path, settings: OpenIdSettings) -> None:
    gone = replace(settings, issuer="http://127.0.0.1:9")
    with site(home, NOW, openid=gone, complaints=1) as running:
        answer = running.client().get("/openid/start")
        assert (answer.status, message(answer)) == (503, "Example does not answer as it should. Try again later.")
        assert "127.0.0.1:9" in running.logged[0]
        assert SECRET not in running.logged[0]
        assert running.signed_in("", PASSWORD).get("/").status == 200


def test_a_wrong_secret_is_a_no(home: Path, provider: Provider, settings: OpenIdSettings) -> None:
    link(home, provider)
    with site(home, NOW, openid=replace(settings, secret="wrong"), complaints=1) as running:
        answer = sign_in(running.client(), provider)
        assert (answer.status, message(answer)) == (403, "Example did not sign you in.")
        assert running.logged == ["signing in with Example: its token endpoint answers 'invalid_client'"]
