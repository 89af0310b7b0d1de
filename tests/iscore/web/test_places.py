"""Nobody takes the places of others: silent and slow senders, large and hostile bodies, users who ask for too much."""

from __future__ import annotations

import asyncio
import select
import shutil
import socket
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from starlette.requests import Request

from iscore.core.passwords import hash_password
from iscore.services.people.accounts import Accounts, LoginAttempts
from iscore.services.reading.contents import Contents
from iscore.services.reading.pictures import AT_ONCE, Picture
from iscore.web.api import requests as api_requests
from iscore.web.context import AppContext
from iscore.web.pages.pictures import PictureRoutes
from iscore.web.security import bodies
from iscore.web.security.bodies import LARGEST_UPLOAD, MOST_OF_ONE, SMALL, Bodies, RequestRefusedError
from iscore.web.security.passwords import ACCOUNT_ATTEMPTS, LoginLimits
from iscore.web.security.signed_addresses import SignedPictures
from iscore.web.server import SHUTDOWN_TIMEOUT
from iscore.web.threads import acting_user
from iscore.web.user_pool import MOST_REQUESTS
from storage.opening.database import open_database
from storage.people.sessions import MOST_ATTEMPTS
from storage.records.users import LOCAL_USER, LoginAttempt
from storage.stream import articles
from tests.iscore.web.client import Client
from tests.iscore.web.conftest import NOW, PASSWORD, READING, Served, served
from tests.iscore.web.in_process import Site, site
from tests.servers import postgresql
from tests.servers.postgresql import PostgresqlServer

PROMPT = 6.0
"""Seconds. A silent sender is given ten."""
APIS = ("/reader/api/0/edit-tag", "/accounts/ClientLogin", "/fever/?api", "/v1/entries", "/v1/import")


@pytest.fixture
def running(empty_home: Path, tmp_path: Path) -> Iterator[Served]:
    shutil.copytree(empty_home, tmp_path / "served")
    with served(tmp_path / "served", program=READING) as server:
        yield server


def signed_in(server: Served, name: str = "") -> Client:
    client = server.client()
    form = {"token": client.get("/login").hidden("token"), "name": name, "password": PASSWORD, "next": ""}
    assert client.post("/login", form).status == 303
    return client


def begin(client: Client, path: str, *fields: str, body: bytes = b"") -> socket.socket:
    """Send the headers of a request, and the beginning of its body."""
    cookies = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
    lines = [f"POST {path} HTTP/1.1", f"Host: {client.host}:{client.port}", f"Cookie: {cookies}", *fields]
    sent = socket.create_connection((client.host, client.port))
    sent.sendall("\r\n".join([*lines, "", ""]).encode() + body)
    return sent


def upload(client: Client) -> tuple[int, float]:
    """Upload a list of feeds; return the status, and the seconds it took."""
    begun, token = time.monotonic(), client.get("/feeds").hidden("token")
    feeds = "".join(f'<outline xmlUrl="https://{number}.example/feed"/>' for number in range(1000))
    answer = client.upload("/feeds/import", {"token": token}, f"<opml><body>{feeds}</body></opml>")
    return answer.status, time.monotonic() - begun


MULTIPART = "Content-Type: multipart/form-data; boundary=edge"


@pytest.mark.parametrize("length", ["Content-Length: 1000000", "Transfer-Encoding: chunked"])
def test_forty_silent_strangers_delay_no_upload_and_no_end(running: Served, length: str) -> None:
    client = signed_in(running)
    with ExitStack() as silent:
        for number in range(40):
            path, more = (("/feeds/import", ""), (APIS[number % len(APIS)], "Expect: 100-continue"))[number % 2]
            fields = filter(None, (MULTIPART, length, more))
            silent.enter_context(begin(running.client(), path, *fields))
        status, seconds = upload(client)
        assert status == 200
        assert seconds < PROMPT
        begun = time.monotonic()
        assert running.end() == (0, "")
        assert time.monotonic() - begun < SHUTDOWN_TIMEOUT + PROMPT


def test_a_user_with_very_many_uploads_is_refused_and_others_are_answered(running: Served) -> None:
    client = signed_in(running)
    with ExitStack() as silent:
        sent = [
            silent.enter_context(begin(client, "/feeds/import", MULTIPART, "Content-Length: 1000000"))
            for _ in range(MOST_OF_ONE + 5)
        ]
        answered: list[socket.socket] = []
        until = time.monotonic() + PROMPT
        while len(answered) < 5 and time.monotonic() < until:
            answered, _, _ = select.select(sent, [], [], 1)
        assert [each.recv(12) for each in answered] == [b"HTTP/1.1 429"] * 5
        assert running.client().get("/login").status == 200


def test_bodies_in_tiny_chunks_are_cut_off_and_others_are_read(running: Served) -> None:
    client = signed_in(running)
    with begin(client, "/feeds/import", MULTIPART, "Transfer-Encoding: chunked") as tiny:
        chunks = b"1\r\na\r\n" * 4_000_000  # of which four MB would be kept, and all read
        with pytest.raises(OSError, match=r"Broken pipe|reset by peer"):
            tiny.sendall(chunks)
    text = b"a line\r\n" * 1000
    with begin(client, "/feeds/import", MULTIPART, "Transfer-Encoding: chunked", body=b"1f40\r\n" + text) as usual:
        usual.sendall(b"\r\n0\r\n\r\n")
        usual.settimeout(PROMPT)
        assert usual.recv(12) == b"HTTP/1.1 403"


def test_clients_that_hang_up_leave_no_line_in_the_log(running: Served) -> None:
    client = signed_in(running)
    for path in ("/feeds/import", "/rules", "/login", *APIS):
        for length in (100, 100_000):
            begin(client, path, MULTIPART, f"Content-Length: {length}", body=b"--edge\r\n").close()
    begin(client, "/feeds").close()
    assert client.get("/feeds").status == 200  # the fixture looks at what was logged


def test_large_bodies_of_strangers_are_not_even_read(ready_site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    parse = api_requests.parameters_of

    def noted(request: Request, body: bytes) -> api_requests.Parameters:
        read.append(len(body))
        return parse(request, body)

    monkeypatch.setattr(api_requests, "parameters_of", noted)
    monkeypatch.setattr("iscore.web.api.google_reader.parameters_of", noted)
    for path in APIS:
        for headers in ({}, {"X_Auth_Token": "1/x"}, {"Authorization": "GoogleLogin auth=1/x"}):
            answer = ready_site.client().post(path, "a=b&" * 250_000, **headers)
            assert answer.status in (401, 413)
    assert max(read, default=0) <= SMALL


HOSTILE = {
    "parts": (MULTIPART, '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n' * 18_000 + "--edge--\r\n"),
    "nested": (MULTIPART, "--edge\r\nContent-Type: multipart/mixed; boundary=edge\r\n\r\n" * 16_000),
    "a long header": (MULTIPART, "--edge\r\nA: " + "b" * 990_000 + "\r\n\r\n\r\n--edge--\r\n"),
    "many headers": (MULTIPART, "--edge\r\n" + "A: b\r\n" * 150_000 + "\r\n\r\n--edge--\r\n"),
    "ampersands": ("Content-Type: application/x-www-form-urlencoded", "&" * 990_000),
    "brackets": ("Content-Type: application/json", "[" * 20_000),
    "objects": ("Content-Type: application/json", '{"a":' * 20_000),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_bodies_of_users_are_refused_at_once(ready_site: Site, name: str) -> None:
    content_type, body = HOSTILE[name]
    headers = {"Content_Type": content_type.partition(": ")[2]}
    password = ready_site.context.accounts.make_app_password(LOCAL_USER, "Phone")
    app, page = ready_site.client(), ready_site.signed_in("", PASSWORD)
    begun = time.process_time()
    for path in ("/v1/categories", "/v1/import", "/v1/feeds"):
        assert app.send("POST", path, body, X_Auth_Token=password, **headers).status in (400, 415), path
    for path in ("/feeds/import", "/settings/imports"):
        assert page.send("POST", path, body, **headers).status in (400, 403, 413), path
    assert time.process_time() - begun < 5


@pytest.fixture
def ready_site(empty_home: Path) -> Iterator[Site]:
    with site(empty_home, NOW) as made:
        yield made
        assert made.logged == []


@pytest.mark.parametrize("kind", ["page", "verdict", "file", "fetch", "picture"])
def test_a_user_who_waits_delays_nobody_else(ready_site: Site, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    app, shared = ready_site.context, ThreadPoolExecutor(AT_ONCE)
    routes = PictureRoutes(app)

    async def picture(_: object) -> int:
        request = Request({"type": "http", "path_params": dict.fromkeys(("signature", "article_id", "name"), "x")})
        request.state.visit = Mock(secret="secret")
        return int((await routes.picture(request)).body)

    monkeypatch.setattr(SignedPictures, "matches", lambda *_: True)
    monkeypatch.setattr(Contents, "picture", lambda *_: acting_user.get())
    monkeypatch.setattr(app.pictures, "get", lambda user: shared.submit(lambda: Picture(b"%d" % wait_for(user), "")))
    silent = threading.Event()

    def wait_for(user: int | None) -> int:
        return silent.wait(30) and 0 if user == LOCAL_USER else user or 0

    run = picture if kind == "picture" else getattr(app.threads, kind)
    asyncio.run(wait_in_vain(app, lambda: run(lambda: wait_for(acting_user.get())), silent))


async def wait_in_vain(app: AppContext, run: Callable[[], Awaitable[int]], silent: threading.Event) -> None:
    ben = app.accounts.add_reader("Ben").id

    async def ask(user: int) -> int:
        async with app.users.acting(user):
            return await run()

    waiting = [asyncio.create_task(ask(LOCAL_USER)) for _ in range(MOST_REQUESTS)]
    try:
        await asyncio.sleep(0.1)
        app.users.forget(LOCAL_USER)  # as after a change of settings
        async with asyncio.timeout(PROMPT):
            with pytest.raises(RequestRefusedError) as refused:
                await ask(LOCAL_USER)
            assert refused.value.status == 429
            assert await ask(ben) == ben
            assert await app.threads.session(lambda: "known") == "known"
    finally:
        silent.set()
        await asyncio.gather(*waiting)
        app.users.close(5)


SLOW_PREVIEWS = f"""
import pathlib, time
from iscore.core.errors import RuleError
from iscore.services.rules.rules import Rules
def try_out(self, action, field, text, **_):
    while not pathlib.Path(text).exists():
        time.sleep(0.02)
    raise RuleError("slow")
Rules.try_out = try_out
{READING}
"""


def test_slow_previews_of_one_user_delay_no_page_of_another(empty_home: Path, tmp_path: Path) -> None:
    with open_database(empty_home / "iscore.db") as database:
        people = Accounts(database, lambda: NOW)
        people.set_password(people.add_reader("Ben").id, hash_password(PASSWORD))
    end = tmp_path / "end"
    with (
        ThreadPoolExecutor(20) as senders,
        ThreadPoolExecutor(3) as readers,
        served(empty_home, program=SLOW_PREVIEWS) as running,
    ):
        anna, ben = (signed_in(running, name) for name in ("local", "Ben"))
        form = {"token": anna.get("/rules").hidden("token"), "action": "preview", "does": "never", "field": "regex"}
        begun = [senders.submit(anna.post, "/rules", form | {"text": str(end)}) for _ in range(20)]
        others = [readers.submit(ben.get, path) for path in ("/feeds", "/rules", "/all")]
        try:
            assert not wait(others, PROMPT).not_done
            assert not any(each.done() for each in begun)
        finally:
            end.touch()
        assert {each.result().status for each in begun} == {400}
        assert {each.result().status for each in others} == {200}


def request_of(*pieces: bytes, then: str = "silent", pause: float = 0.0) -> Request:
    async def receive() -> dict[str, Any]:
        if left:
            await asyncio.sleep(pause)
            return {"type": "http.request", "body": left.pop(0), "more_body": bool(left) or then != "end"}
        if then == "gone":
            return {"type": "http.disconnect"}
        await asyncio.Event().wait()
        raise AssertionError

    left = list(pieces)
    return Request({"type": "http", "method": "POST", "headers": []}, receive)


def test_places_of_bodies(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bodies, "IDLE_SECONDS", 0.3)
    asyncio.run(take_places())


async def take_places() -> None:
    ours = Bodies()

    async def status(request: Request, hub: str = "") -> int:
        try:
            await (ours.pushed(request, hub, 9) if hub else ours.large(request, 1, LARGEST_UPLOAD))
        except RequestRefusedError as refused:
            return refused.status
        return 200

    silent = [asyncio.create_task(status(request_of(), "hub.example")) for _ in range(30)]
    await asyncio.sleep(0.01)
    assert await status(request_of(b"text", then="end"), "other.example") == 200
    assert [each.result() for each in silent if each.done()] == [429] * (30 - MOST_OF_ONE)
    assert await status(request_of(b"text", then="end")) == 200
    assert await status(request_of(*[b"x"] * 1000, pause=0.05)) == 408  # never silent, and too slow
    assert await status(request_of(b"x", then="gone")) == 408
    assert await status(request_of(b"x" * 10, then="end"), "third.example") == 413
    assert set(await asyncio.gather(*silent)) == {408, 429}


def test_made_up_names_push_out_no_account(empty_home: Path) -> None:
    with open_database(empty_home / "iscore.db") as database:
        attempts = LoginAttempts(database, lambda: NOW)
        limits = LoginLimits("secret")
        for number in range(ACCOUNT_ATTEMPTS):
            limits.note(f"192.0.2.{number}", "anna", NOW, right=False)
        for number in range(5000):
            limits.note(f"10.0.{number // 250}.{number % 250}", f"made up {number}", NOW, right=False)
        assert limits.wait("198.51.100.1", "anna", NOW) > 0
        attempts.save([LoginAttempt("account", "abc", 30, NOW - timedelta(hours=1))])
        attempts.save([LoginAttempt("address", f"{number}", 1, NOW) for number in range(MOST_ATTEMPTS + 50)])
        kinds = Counter(each.kind for each in attempts.list())
        assert kinds["account"] == 1
        assert kinds["address"] <= MOST_ATTEMPTS


def test_a_mark_on_an_article_without_a_story_says_so(made_home: Path, tmp_path: Path) -> None:
    shutil.copytree(made_home, tmp_path / "home")
    with site(tmp_path / "home", NOW) as running:
        running.context.credentials.mark_set_up()
        database = running.context.users.entry(LOCAL_USER).news.database
        with database.write() as tx:  # as it is from its arrival to the next round
            number = tx.connection.exec_driver_sql("SELECT max(seq) FROM articles WHERE id NOT LIKE 'h%'").scalar_one()
            tx.connection.exec_driver_sql(f"UPDATE articles SET story = NULL WHERE seq = {number}")
            (name,) = articles.ids(tx, [number])
        client = running.client()
        page = client.get("/all")
        form = {"token": page.hidden("token"), "nonce": "n" * 20, "list": "/all"}
        assert client.get(f"/article/{name}").status == 200
        for do, expected in (("save", 400), ("read", 400), ("unread", 400), ("unsave", 400), ("like", 303)):
            assert client.post("/mark", form | {"do": f"{do}:{name}"}).status == expected, do
        assert name in client.get("/verdicts").body


def test_while_the_database_server_restarts_all_answer_503(empty_home: Path, own_server: PostgresqlServer) -> None:
    address = own_server.address(own_server.create())
    with open_database(address, create=True) as database:
        Accounts(database, lambda: NOW).set_password(LOCAL_USER, hash_password(PASSWORD))
        password = Accounts(database, lambda: NOW).make_app_password(LOCAL_USER, "Phone")
    with (empty_home / "config.toml").open("a") as file:
        file.write(f'database = "{address}"\n')
    (empty_home / "iscore.db").unlink()
    with served(empty_home, program=READING, complaints=("The database", "answers again", "not answer")) as running:
        client = signed_in(running)
        token = client.get("/feeds").hidden("token")

        def statuses() -> list[int]:
            asked = [client.get(path) for path in ("/", "/feeds", "/all", "/login", "/settings")]
            asked.append(client.post("/feeds", {"token": token, "address": "not an address"}))
            asked += [client.get(path, X_Auth_Token=password) for path in ("/v1/me", "/v1/feeds")]
            asked.append(client.get("/reader/api/0/tag/list", Authorization="GoogleLogin auth=1/x"))
            asked += [client.post("/fever/?api", "api_key=x"), client.post("/websub/key", "<rss/>")]
            assert all("retry-after" in each.headers for each in asked if each.status == 503)
            return [each.status for each in [*asked, client.get("/readyz")]]

        assert 503 not in statuses()
        own_server.crash()
        assert set(statuses()) == {503}
        own_server.start()
        assert 503 not in statuses()


@pytest.fixture
def own_server() -> Iterator[PostgresqlServer]:
    """A server of PostgreSQL that may be stopped."""
    if reason := postgresql.missing():
        pytest.skip(reason)
    with postgresql.running() as server:
        yield server
