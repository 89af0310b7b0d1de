"""What holds of every request, over real sockets: names, sizes, times, methods, headers, where forms come from."""

from __future__ import annotations

import socket
import sqlite3
import threading
import time
from contextlib import closing, suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.web.config import is_public, known_hosts
from iscore.web.pages.login import local
from iscore.web.security.headers_and_hosts import HEADERS, host_of
from iscore.web.security.sessions_and_csrf import MAX_FIELDS
from iscore.web.server import MOST_CONNECTIONS
from tests.iscore.web.client import Client
from tests.iscore.web.conftest import Served

PAGES = ("/", "/hidden", "/verdicts", "/login", "/article/none", "/no-such-page", "/static/none", "/verdict")


@pytest.mark.parametrize("path", PAGES)
def test_every_answer_is_strict(reader_client: Client, path: str) -> None:
    answer = reader_client.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert answer.headers["cache-control"] == "no-store"
    assert "server" not in answer.headers
    assert not [name for name in answer.headers if name.startswith("access-control-")]  # no other site may read it
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert {"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} <= set(policy.split("; "))
    for inline in ("<style", " style=", "<script>", " onclick", "javascript:"):
        assert inline not in answer.body.replace("&lt;", "")


def test_what_pages_load_may_be_kept(reader_client: Client) -> None:
    page = reader_client.get("/").body
    for start, ending, kind in (
        ("iscore", "css", "text/css"),
        ("iscore", "js", "text/javascript"),
        ("icon", "svg", "image"),
    ):
        found = (part for part in page.split('"') if part.startswith(f"/static/{start}-"))
        address = next(part for part in found if part.endswith(f".{ending}"))
        answer = reader_client.get(address)
        assert answer.status == 200
        assert answer.headers["content-type"].startswith(kind)
        assert "immutable" in answer.headers["cache-control"]
        assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize("name", ["..%2f..%2fweb.css", "keys.js", "%2e%2e/keys.js"])
def test_nothing_else_is_served(reader_client: Client, name: str) -> None:
    assert reader_client.get(f"/static/{name}").status == 404


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "localhost.:{port}", "", "[::1", "a b"],
)
def test_another_name_is_not_answered(read_only_server: Served, reader_client: Client, host: str) -> None:
    answer = reader_client.get("/", Host=host.format(port=reader_client.port))
    assert answer.status == 421
    assert "article" not in answer.body
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("host", ["localhost:{port}", "LocalHost:{port}", "127.0.0.1", "[::1]:{port}"])
def test_its_own_names_are_answered(reader_client: Client, host: str) -> None:
    assert reader_client.get("/verdicts", Host=host.format(port=reader_client.port)).status == 200


def test_hosts_that_are_allowed() -> None:
    here, everywhere, proxied = (
        known_hosts("127.0.0.1", ""),
        known_hosts("0.0.0.0", ""),
        known_hosts("::1", "https://n.example"),
    )
    assert [name for name in ("localhost", "127.0.0.1", "[::1]", "192.168.1.5", "n.example") if here(name)] == [
        "localhost",
        "127.0.0.1",
        "[::1]",
    ]
    assert everywhere("192.168.1.5")
    assert everywhere("[fd00::1]")
    assert not everywhere("rebound.example")
    assert not everywhere("192.168.1.5.example")
    assert proxied("n.example")
    assert not proxied("192.168.1.5")


def test_who_else_may_come_in() -> None:
    assert not is_public("127.0.0.1", "")
    assert not is_public("localhost", "http://127.0.0.1:8473")
    assert is_public("0.0.0.0", "")
    assert is_public("127.0.0.1", "https://news.example")


@given(st.text(max_size=30))
def test_a_host_is_plain_or_nothing(authority: str) -> None:
    found = host_of(authority)
    assert found == found.lower()
    assert not set(found) - set("abcdefghijklmnopqrstuvwxyz0123456789._-[]:")


@pytest.mark.parametrize(
    ("address", "leads"),
    [
        ("/article/abc?verdict=0f", "/article/abc?verdict=0f"),
        ("/hidden", "/hidden"),
        ("/folder/K%C3%BCnste?sort=score&at=1.5~2", "/folder/K%C3%BCnste?sort=score&at=1.5~2"),
        ("/verdicts", "/verdicts"),
        ("//evil", "/"),
        ("/%2e./x", "/"),
        ("/\\evil", "/"),
        ("https://evil.example", "/"),
        ("/article/../../x", "/"),
        ("javascript:alert(1)", "/"),
        ("/verdicts\r\nSet-Cookie: a=b", "/"),
        ("/verdicts\n", "/"),
        ("", "/"),
    ],
)
def test_signing_in_leads_to_a_page_of_ours(address: str, leads: str) -> None:
    assert local(address) == leads


FOREIGN = [
    {"Origin": "https://evil.example"},
    {"Origin": "http://localhost:1"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "https://127.0.0.1:{port}"},
    {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site"},
    {"Sec-Fetch-Site": "none"},
    {"Origin": "http://127.0.0.1:{port}", "Sec-Fetch-Site": "cross-site"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_a_form_of_another_site_is_refused_even_with_cookie_and_token(
    read_only_server: Served, reader_client: Client, headers: dict[str, str]
) -> None:
    page = reader_client.get("/verdicts")
    before = read_only_server.rows()
    sent = {name: value.format(port=reader_client.port) for name, value in headers.items()}
    form = {"token": page.hidden("token"), "nonce": "n" * 20, "article": page.hidden("article"), "kind": "undo"}
    assert reader_client.post("/verdict", form, **sent).status == 403
    assert read_only_server.rows() == before


def test_a_token_of_another_browser_is_refused(read_only_server: Served, reader_client: Client) -> None:
    page, before = read_only_server.client().get("/verdicts"), read_only_server.rows()
    reader_client.get("/verdicts")
    assert reader_client.vote(page, page.hidden("article"), "undo", at="verdicts").status == 403
    reader_client.cookies.clear()
    assert reader_client.vote(page, page.hidden("article"), "undo", at="verdicts").status == 403
    assert read_only_server.rows() == before


@pytest.mark.parametrize("kind", ["text/plain", "multipart/form-data; boundary=x", "application/json", ""])
def test_only_forms_are_read(read_only_server: Served, reader_client: Client, kind: str) -> None:
    page, before = reader_client.get("/verdicts"), read_only_server.rows()
    form = f"token={page.hidden('token')}&nonce={'n' * 20}&article={page.hidden('article')}&kind=undo"
    assert reader_client.post("/verdict", form, Content_Type=kind).status == 403
    assert reader_client.post("/verdict", form + "&kind=like").status == 403
    assert reader_client.post("/verdict", form + "".join(f"&a{n}=1" for n in range(MAX_FIELDS))).status == 403
    assert reader_client.post("/verdict", form + "&x=%ff").status in (303, 403)
    assert len(read_only_server.rows()) - len(before) in (0, 1)


def test_looking_changes_nothing(read_only_server: Served, reader_client: Client) -> None:
    """Mail scanners follow every link, twice, and some ask for heads only."""
    story = reader_client.get("/verdicts").hidden("article")
    everything = "SELECT (SELECT count(*) FROM feedback), (SELECT count(*) FROM deliveries)"
    before = read_only_server.rows(everything)
    for path in ("/", "/hidden", "/verdicts", f"/article/{story}", f"/verdict?kind=like&article={story}", "/logout"):
        for method in ("GET", "HEAD", "GET", "OPTIONS", "PUT", "DELETE", "PATCH"):
            answer = reader_client.get(path, method=method)
            assert answer.status < 500, (method, path)
            assert method in ("GET", "HEAD") or answer.status in (403, 405)
    assert reader_client.get(f"/verdict?kind=like&article={story}").status == 405
    assert read_only_server.rows(everything) == before


def test_a_large_body_is_refused(read_only_server: Served, reader_client: Client) -> None:
    before = read_only_server.rows()
    assert reader_client.post("/verdict", "x" * 20_000).status == 413
    assert read_only_server.rows() == before


def _raw(reader_client: Client, *pieces: bytes, seconds: float = 15.0) -> bytes:
    """Send bytes as they are, and return all that comes until the other side ends."""
    with closing(socket.create_connection((reader_client.host, reader_client.port), timeout=seconds)) as connection:
        received = b""
        try:
            for piece in pieces:
                connection.sendall(piece)
            while chunk := connection.recv(65536):
                received += chunk
        except ConnectionError:
            pass
        return received


def test_endless_headers_are_cut_off(reader_client: Client) -> None:
    answer = _raw(
        reader_client,
        b"GET / HTTP/1.1\r\nHost: localhost\r\n",
        *[b"X-%d: " % n + b"y" * 1000 + b"\r\n" for n in range(40)],
    )
    assert answer.startswith(b"HTTP/1.1 400 ") or not answer


@pytest.mark.parametrize(
    "request_",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 5,
        b"GET / HTTP/1.1\r\nHost: a\x00b\r\n\r\n",
        b"\r\n\r\n\r\n:\r\n\r\n",
    ],
)
def test_what_is_no_http_is_refused(reader_client: Client, request_: bytes) -> None:
    assert _raw(reader_client, request_).startswith(b"HTTP/1.1 400 ")


def test_two_host_headers_are_refused(reader_client: Client) -> None:
    for second in (b"Host: evil.example", b"Host: localhost"):
        answer = _raw(
            reader_client, b"GET / HTTP/1.1\r\nHost: localhost\r\n" + second + b"\r\nConnection: close\r\n\r\n"
        )
        assert answer.split()[1] in (b"400", b"421")


def test_slow_requests_are_cut_off_and_do_not_delay_others(hasty: Served) -> None:
    """Three slow clients at once: without data, in the headers, and in the body."""
    client = hasty.client()
    starts = (
        b"",
        b"GET / HTTP/1.1\r\nHost: localhost\r\nX: ",
        b"POST /verdict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nkind=",
    )
    waiting = [socket.create_connection((client.host, client.port), timeout=600) for _ in starts]
    for connection, start in zip(waiting, starts, strict=True):
        connection.sendall(start)
    assert client.get("/login").status in (200, 303)
    ends = []
    for connection in waiting:
        with closing(connection):
            try:
                ends.append(connection.recv(65536)[:12])
            except ConnectionError:
                ends.append(b"")
    assert ends == [b"", b"", b"HTTP/1.1 408"]


def test_half_open_connections_keep_nobody_out(read_only_server: Served, reader_client: Client) -> None:
    """The address that has most of them loses its oldest, so there is always room for one that asks."""
    place = (reader_client.host, reader_client.port)
    crowd = [socket.create_connection(place, timeout=30) for _ in range(MOST_CONNECTIONS + 50)]
    try:
        for each in crowd:
            with suppress(ConnectionError):
                each.sendall(b"GET / HTTP/1.1\r\nHost: ")
        assert reader_client.get("/verdicts").status == 200
        with suppress(ConnectionError):
            assert crowd[0].recv(1) == b""
    finally:
        for each in crowd:
            each.close()


def test_a_locked_database_is_a_clear_answer(read_only_server: Served, reader_client: Client) -> None:
    """Reading goes on; a verdict waits, and is taken when the other writer has ended."""
    page = reader_client.get("/verdicts")
    before = len(read_only_server.rows())
    with closing(
        sqlite3.connect(read_only_server.home / "iscore.db", isolation_level=None, check_same_thread=False)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        assert reader_client.get("/verdicts").status == 200
        ender = threading.Timer(0.5, lambda: other.execute("ROLLBACK"))
        ender.start()
        started = time.monotonic()
        assert reader_client.vote(page, page.hidden("article"), "skip", at="said").status == 303
        assert time.monotonic() - started > 0.3
        ender.join()
    assert len(read_only_server.rows()) == before + 1
