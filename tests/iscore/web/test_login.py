"""The password: nobody comes in without, and a session ends when it should."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from iscore.core.errors import ServeError
from iscore.services.people.accounts import SESSION_LIFETIME as LIFETIME
from iscore.web.security.credentials import NAME, Credentials, CredentialStore
from iscore.web.security.headers_and_hosts import HEADERS
from iscore.web.security.passwords import FREE_ATTEMPTS, MAX_ADDRESSES, MAX_DELAY, FailedLogins, LoginLimits
from iscore.web.security.sessions import from_cookie, new_session, to_cookie, token, token_matches
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.conftest import HASTY, PASSWORD, PROXY, Served, served, set_password

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)


@pytest.fixture(scope="module")
def shared(made_empty_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a password for tests that neither guess, since guesses from one place add up, nor change it."""
    with served(shutil.copytree(made_empty_home, tmp_path_factory.mktemp("shared") / "home")) as running:
        yield running


def sign_in(client: Client, password: str = PASSWORD, there: str = "", **headers: str) -> Answer:
    page = client.get("/login", **headers)
    return client.post("/login", {"token": page.hidden("token"), "password": password, "next": there}, **headers)


def test_nothing_is_seen_without_the_password(shared: Served) -> None:
    for path in ("/", "/hidden", "/verdicts", "/article/abcd", "/no-such-page"):
        answer = shared.client().get(path)
        assert answer.status == 303, path
        assert answer.place.startswith("/login?next=%2F"), path


def test_the_way_to_the_login_keeps_the_page_that_was_asked_for(shared: Served) -> None:
    path = "/label/K%C3%BCche%20x?sort=score"
    (wanted,) = parse_qs(urlsplit(shared.client().get(path).place).query)["next"]
    assert sign_in(shared.client(), there=wanted).place == path


def test_no_verdict_is_taken_without_the_password(shared: Served) -> None:
    client = shared.client()
    token_ = client.get("/login").hidden("token")
    form = {"token": token_, "kind": "like", "article": "abcd", "nonce": "n" * 20}
    assert client.post("/verdict", form).status == 403
    assert client.post("/logout", {"token": token_}).status == 403


def test_who_knows_it_comes_in_under_another_session_and_where_they_wanted(shared: Served) -> None:
    client = shared.client()
    client.get("/login")
    (before,) = client.cookies.values()
    answer = sign_in(client, there="/hidden")
    assert (answer.status, answer.place) == (303, "/hidden")
    (after,) = client.cookies.values()
    secret = CredentialStore(shared.home).read().secret
    sessions = [from_cookie(cookie, secret, NOW) for cookie in (before, after)]
    assert [session.signed_in for session in sessions if session] == [False, True]
    assert len({session.id for session in sessions if session}) == 2
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict", "Path=/"} <= set(cookie.split("; "))
    assert "Nothing is hidden" in client.get("/hidden").body
    client.cookies = dict.fromkeys(client.cookies, before)
    assert client.get("/").status == 303
    client.cookies = dict.fromkeys(client.cookies, after.replace(".", "A.", 1))
    assert client.get("/").status == 303


def test_signing_out_ends_this_session_and_everywhere_ends_all(shared: Served) -> None:
    one, other, third = shared.client(), shared.client(), shared.client()
    assert sign_in(one).status == sign_in(other).status == sign_in(third).status == 303
    stolen = dict(one.cookies)
    page = one.get("/")
    assert page.status == 200
    assert one.post("/logout", {"token": page.hidden("token")}).place == "/login"
    assert one.get("/").status == 303
    one.cookies = stolen
    assert one.get("/").status == 303
    page = other.get("/account")
    assert page.body.count("this browser") == 1
    form = {"token": page.hidden("token"), "action": "sign-out-everywhere"}
    assert other.post("/account", form).place == "/login"
    assert other.get("/").status == third.get("/").status == 303


def test_a_new_password_ends_every_session_at_once(hasty: Served) -> None:
    client = hasty.client()
    sign_in(client)
    assert client.get("/").status == 200
    set_password(hasty.home, "another password")
    assert client.get("/").status == 303
    assert sign_in(client).status == 403
    set_password(hasty.home, PASSWORD)
    assert sign_in(client).status == 303


def test_a_login_needs_a_form_of_ours(shared: Served) -> None:
    assert shared.client().post("/login", {"password": PASSWORD, "token": ""}).status == 403


def test_behind_a_proxy_with_https_cookies_are_secure_and_its_origin_is_ours(shared: Served) -> None:
    client = shared.client()
    page = client.get("/login", Host=PROXY)
    assert "Secure" in page.headers["set-cookie"].split("; ")
    form = {"token": page.hidden("token"), "password": PASSWORD, "next": ""}
    assert client.post("/login", form, Host=PROXY, Origin=f"http://{PROXY}").status == 403
    assert client.post("/login", form, Host=PROXY, Origin=f"https://{PROXY}").status == 303
    assert client.get("/", Host=PROXY).status == 200
    assert "Secure" not in shared.client().get("/login").headers["set-cookie"].split("; ")


def test_a_locked_database_is_reported(made_home: Path, tmp_path: Path) -> None:
    shutil.copytree(made_home, tmp_path / "locked")
    with served(tmp_path / "locked", program=HASTY, complaints=["Another process is writing"]) as running:
        client = running.client()
        page = client.get("/")
        with closing(sqlite3.connect(running.home / "iscore.db", isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            answer = client.vote(page, page.ids[0], "like")
            other.execute("ROLLBACK")
    assert answer.status == 503
    assert "Another process is writing" in answer.body
    assert answer.headers["retry-after"] == "20"


def test_guessing_is_slowed_down(hasty: Served) -> None:
    """The clock of this server does not move."""
    client = hasty.client()
    answers = [sign_in(client, f"guess {number}") for number in range(FREE_ATTEMPTS)]
    assert [answer.status for answer in answers] == [403] * FREE_ATTEMPTS
    assert "Wrong password." in answers[0].body
    right = sign_in(client)
    assert right.status == 429
    assert int(right.headers["retry-after"]) > 0
    assert client.get("/").status == 303


def test_behind_a_trusted_proxy_strangers_lock_out_only_themselves(empty_home: Path, tmp_path: Path) -> None:
    shutil.copytree(empty_home, tmp_path / "proxied")
    with served(tmp_path / "proxied", "--trusted-proxy", "127.0.0.0/8") as running:
        client = running.client()
        for number in range(FREE_ATTEMPTS + 4):
            answer = sign_in(client, f"guess {number}", X_Forwarded_For="192.0.2.7, 198.51.100.9")
        assert answer.status == 429
        assert sign_in(client, X_Forwarded_For="192.0.2.7, 198.51.100.9, 127.0.0.3").status == 429
        assert sign_in(client, X_Forwarded_For="192.0.2.7").status == 303


def test_without_a_trusted_proxy_the_owner_still_gets_in_directly(hasty: Served) -> None:
    """Names of clients are not believed then, since clients can send them."""
    client = hasty.client()
    for number in range(FREE_ATTEMPTS + 4):
        answer = sign_in(client, f"guess {number}", X_Forwarded_For=f"192.0.2.{number}")
    assert answer.status == 429
    assert "--trusted-proxy" in answer.body
    assert sign_in(client).status == 303


@pytest.mark.parametrize(
    "header", [{"X_Forwarded_For": "192.0.2.7"}, {"Forwarded": "for=192.0.2.7"}, {"Via": "1.1 proxy"}]
)
def test_without_a_password_nothing_is_shown_through_a_proxy(reader_client: Client, header: dict[str, str]) -> None:
    for path in ("/", "/hidden", "/verdicts"):
        answer = reader_client.get(path, **header)
        assert (answer.status, answer.ids) == (403, [])
        assert "<code>iscore serve --set-password</code>" in answer.body
    assert reader_client.get("/").status == 200


def test_without_a_password_nothing_is_shown_over_http_1_0(reader_client: Client) -> None:
    """Some proxies add no header, but only speak the old protocol."""
    with closing(socket.create_connection((reader_client.host, reader_client.port), timeout=30)) as connection:
        connection.sendall(b"GET / HTTP/1.0\r\nHost: localhost\r\n\r\n")
        assert connection.recv(65536).startswith(b"HTTP/1.1 403 ")


def test_without_its_password_a_public_server_shows_nothing(empty_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "public"
    shutil.copytree(empty_home, home)
    with served(home, "--host", "0.0.0.0") as running:
        assert running.client().get("/login").status == 200
        (home / NAME).unlink()
        assert running.client().get("/").status == 303
        running.change("UPDATE users SET password = ''")
        assert running.client().get("/").status == 403


def test_what_goes_wrong_is_a_page_without_a_traceback(hasty: Served) -> None:
    (hasty.home / NAME).chmod(0o644)
    try:
        answer = hasty.client().get("/login")
    finally:
        (hasty.home / NAME).chmod(0o600)
    assert answer.status == 500
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "other users can read" in answer.body
    assert "Traceback" not in answer.body


def test_waits_grow_and_end() -> None:
    guesses = FailedLogins()
    waits = []
    for number in range(FREE_ATTEMPTS + 10):
        waits.append(guesses.wait("192.0.2.1", NOW))
        guesses.note("192.0.2.1", NOW, right=False)
        assert guesses.wait("192.0.2.2", NOW) == 0, number
    assert waits[: FREE_ATTEMPTS + 1] == [0] * FREE_ATTEMPTS + [2]
    assert waits[FREE_ATTEMPTS:] == sorted(waits[FREE_ATTEMPTS:])
    assert guesses.wait("192.0.2.1", NOW) == MAX_DELAY
    assert guesses.wait("192.0.2.1", NOW + timedelta(seconds=MAX_DELAY)) == 0
    assert guesses.wait("192.0.2.1", NOW - timedelta(minutes=1)) > MAX_DELAY  # asked before the last failure was known
    assert guesses.wait("192.0.2.1", NOW - timedelta(days=365)) == 0  # the clock was ahead
    guesses.note("192.0.2.1", NOW, right=True)
    assert guesses.wait("192.0.2.1", NOW) == 0


def test_a_network_is_one_guesser_and_memory_has_an_end() -> None:
    guesses = LoginLimits()
    for number in range(FREE_ATTEMPTS):
        guesses.note(f"2001:db8::{number}", "", NOW, right=False)
    assert guesses.wait("2001:db8::ffff", "ben", NOW) > 0
    assert guesses.wait("2001:db8:0:1::1", "ben", NOW) == 0
    for number in range(MAX_ADDRESSES):
        guesses.note(f"10.0.{number // 250}.{number % 250}", "", NOW, right=False)
    assert guesses.wait("2001:db8::1", "ben", NOW) == 0
    guesses.note("no address", "", NOW, right=False)


def test_a_cookie_is_believed_as_long_as_it_is_ours() -> None:
    session = new_session(NOW, signed_in=True)
    cookie = to_cookie(session, "secret")
    assert from_cookie(cookie, "secret", NOW + LIFETIME - timedelta(seconds=1)) == session
    assert from_cookie(cookie, "secret", NOW + LIFETIME) is None
    assert from_cookie(cookie, "another", NOW) is None
    for place in range(len(cookie)):
        changed = cookie[:place] + ("a" if cookie[place] != "a" else "b") + cookie[place + 1 :]
        assert from_cookie(changed, "secret", NOW) is None or changed[:-1] == cookie[:-1]
    for odd in ("", ".", "a.b", "ü", cookie + cookie):
        assert from_cookie(odd, "secret", NOW) is None


def test_a_token_belongs_to_one_session() -> None:
    one, other = new_session(NOW, signed_in=False), new_session(NOW, signed_in=False)
    assert token_matches(token(one, "secret"), one, "secret")
    assert not token_matches(token(one, "secret"), other, "secret")
    assert not token_matches(token(one, "secret"), one, "another")
    assert not token_matches("", one, "secret")


def test_the_file_is_its_owner_s_alone(tmp_path: Path) -> None:
    credentials = CredentialStore(tmp_path)
    first = credentials.read()
    assert credentials.read() == first
    assert stat.S_IMODE((tmp_path / NAME).stat().st_mode) == 0o600
    assert not first.set_up
    credentials.mark_set_up()
    assert credentials.read() == Credentials(first.secret, set_up=True)
    assert [path.name for path in tmp_path.iterdir()] == [NAME]
    (tmp_path / NAME).chmod(0o640)
    with pytest.raises(ServeError, match="other users can read"):
        credentials.read()


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"secret": "short", "set_up": true}', "\x00"])
def test_a_damaged_file_is_said_so(tmp_path: Path, content: str) -> None:
    (tmp_path / NAME).write_text(content)
    (tmp_path / NAME).chmod(0o600)
    with pytest.raises(ServeError, match="damaged"):
        CredentialStore(tmp_path).read()


def test_a_folder_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(ServeError, match="cannot be written"):
        CredentialStore(tmp_path / "missing").read()
