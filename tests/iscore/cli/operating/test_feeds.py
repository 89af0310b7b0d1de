"""``iscore feeds`` with a real server: find the feed of a page, check feeds, and count what each brings."""

from __future__ import annotations

import contextlib
import random
import socket
import threading
from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple, Self

import pytest

from tests.iscore.cli.person import START, Person
from tests.servers.feed_server import rss


class Answer(NamedTuple):
    """The answer of a path."""

    body: bytes = b""
    code: int = 200
    location: str = ""
    kind: str = "application/rss+xml"


class Site:
    """A server in a thread: path → answer, else 404."""

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.asked: list[str] = []
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append(self.path)
                answer = site.answers.get(self.path, Answer(code=404))
                self.send_response(answer.code)
                self.send_header("Content-Type", answer.kind)
                self.send_header("Content-Length", str(len(answer.body)))
                if answer.location:
                    self.send_header("Location", answer.location)
                self.end_headers()
                self.wfile.write(answer.body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- http.server's name
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server.server_port}{path}"

    def close(self) -> None:
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()


class SilentServer:
    """A server that never answers a request for https; nor one for http, if it has no ``feed``."""

    def __init__(self, feed: bytes) -> None:
        self._feed, self._ends = feed, threading.Event()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        self._socket.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=self._answer, args=self._socket.accept()[:1], daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            if self._feed and connection.recv(3) == b"GET":
                head = f"HTTP/1.0 200 OK\r\nContent-Length: {len(self._feed)}\r\n\r\n"
                connection.recv(4000)
                connection.sendall(head.encode() + self._feed)
            else:
                self._ends.wait(60)


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


def listed(entries: list[str], title: str = "T") -> bytes:
    items = "".join(f"<item><title>{text}</title><guid>{text}</guid></item>" for text in entries)
    return f'<rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'.encode()


def test_a_page_s_feed_is_followed_and_of_several_one_is_chosen(person: Person, site: Site) -> None:
    link = '<link rel="alternate" type="application/rss+xml" href="{}" title="{}">'
    site.answers = {
        "/one": Answer(link.format("/one.xml", "One").encode(), kind="text/html"),
        "/one.xml": Answer(rss(1)),
        "/two": Answer(
            (link.format("/a?x=1&amp;y", "A") + link.format("/b", "B $(reboot)")).encode(), kind="text/html"
        ),
    }
    done = person.types("feeds", "add", site.url("/one"))
    assert (done.code, done.out) == (0, f"Following Loopback news ({site.url('/one.xml')}): 1 article\n")

    several = person.types("feeds", "add", site.url("/two"))
    assert several.code == 1
    assert several.out.splitlines() == [
        f"  iscore feeds add '{site.url('/a?x=1&y')}'   # A",
        f"  iscore feeds add {site.url('/b')}   # 'B $(reboot)'",
    ]
    assert "has 2 feeds. Choose:" in several.messages
    known = len(site.asked)
    assert person.types("feeds", "add", site.url("/one.xml"), "--json").document()["already_there"] == 1
    assert len(site.asked) == known  # followed feeds are not requested
    assert person.types("feeds", "add", site.url("/one"), "--json").document()["known"] == [site.url("/one.xml")]

    mixed = person.types("feeds", "add", "--json", site.url("/two"), site.url("/nothing"), "https://mine.example/feed")
    view = mixed.document()
    assert (mixed.code, view["added"], view["already_there"]) == (1, [], 1)
    assert [feed["title"] for feed in view["choices"][0]["feeds"]] == ["A", "B $(reboot)"]
    assert "404" in view["refused"][0]["reason"]


def test_addresses_are_understood_as_people_write_them(person: Person, site: Site) -> None:
    host = site.url("/").partition("://")[2]
    site.answers = {path: Answer(listed(["A", "B"], f"Paper {path[1:]}")) for path in ("/1", "/2", "/3", "/4")}
    typed = [f"{host}1", f"feed://{host}2", f"feed:{site.url('/3')}", f"FEED:{host}4"]
    done = person.types("feeds", "add", *typed)
    assert done.code == 0, done.messages
    # The server has no https, so the address is http.
    assert done.out.splitlines() == [f"Following Paper {n} ({site.url(f'/{n}')}): 2 articles" for n in range(1, 5)]
    feeds = person.types(
        "feeds", "add", "--json", f"feed:{site.url('/1')}", "example.org/x", "--no-discovery"
    ).document()
    assert feeds["already_there"] == 1
    assert feeds["feeds"] == [{"url": "https://example.org/x", "title": "", "articles": None}]
    assert person.types("feeds", "remove", "example.org/x").code == 0


def test_a_duplicate_in_the_list_is_a_warning_and_the_poll_goes_on(tmp_path: Path, site: Site) -> None:
    site.answers = {"/a": Answer(listed(["A"], "A")), "/b": Answer(listed(["B"], "B"))}
    urls = (site.url("/a"), site.url("/b"), site.url("/a"), f"feed:{site.url('/b')}")
    person = Person(tmp_path / "home", "feeds:\n" + "".join(f"- {url}\n" for url in urls))
    polled = person.types("poll", "--json")
    assert (polled.code, polled.document()["feeds"], polled.document()["new_articles"]) == (0, 2, 2)
    list_ = person.home / "feeds.yaml"
    assert polled.document()["warnings"] == [
        f"{list_}, line 4: duplicate of line 2, ignored",
        f"{list_}, line 5: duplicate of line 3, ignored",
    ]
    assert "line 4: duplicate of line 2" in polled.messages
    assert len(person.types("feeds", "list", "--json").document()) == 2
    assert person.types("feeds", "add", "--no-discovery", site.url("/a"), "https://new.example/").code == 0
    assert person.types("feeds", "remove", site.url("/a")).out == f"Unfollowed {site.url('/a')}\n"
    assert person.feeds().count("/a\n") == 0


def test_where_nothing_answers_nothing_is_followed_unless_asked_for(person: Person, site: Site) -> None:
    before = person.feeds()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/feed"
    for address, reason in ((nobody, "connection refused"), ("http://one.invalid/feed", "no such host")):
        done = person.types("feeds", "add", address)
        assert (done.code, done.out, person.feeds()) == (1, "", before)
        assert f"{address}: {reason}; `iscore feeds add --no-discovery" in done.messages
    view = person.types("feeds", "add", "--json", nobody, site.url("/nothing")).document()
    assert ([each["url"] for each in view["unseen"]], len(view["refused"])) == ([nobody], 2)
    site.asked.clear()
    assert person.types("feeds", "add", "--no-discovery", site.url("/anything")).code == 0
    assert site.asked == []
    before = person.feeds()
    assert person.types("feeds", "add", site.url("/x"), "javascript:alert(1)").code == 1
    assert (person.feeds(), site.asked) == (before, [])


@pytest.mark.parametrize("speaks", [True, False], ids=["http only", "silent"])
def test_a_server_that_is_silent_is_waited_for_in_seconds(
    speaks: bool, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some servers without https wait for the end of a line that never comes."""
    monkeypatch.setattr("iscore.services.subscriptions.feed_discovery.CONNECT_SECONDS", 0.3)
    monkeypatch.setattr("iscore.services.subscriptions.feed_discovery.ANSWER_SECONDS", 20.0 if speaks else 0.3)
    before = person.feeds()
    with SilentServer(listed(["A"], "Paper") if speaks else b"") as server:
        done = person.types("feeds", "add", f"127.0.0.1:{server.port}/feed")
    if speaks:
        assert done.out == f"Following Paper (http://127.0.0.1:{server.port}/feed): 1 article\n"
    else:
        assert (done.code, done.out, person.feeds()) == (1, "", before)
        assert "no response within 0.3 seconds" in done.messages


def test_feeds_that_are_called_the_same_are_told_apart(tmp_path: Path, site: Site) -> None:
    site.answers = {f"/{name}": Answer(listed([name], "Paper" if name != "c" else "Other")) for name in "abc"}
    dead = ("https://x.example/1?n=1", "https://me:secret@www.x.example/1?n=2", "https://y.example/")
    urls = [*(site.url(f"/{name}") for name in "abc"), *dead]
    person = Person(tmp_path / "home", "feeds:\n" + "".join(f"- {url}\n" for url in urls))
    for name in "abc":
        person.types("feeds", "remove", site.url(f"/{name}"))
        person.types("feeds", "add", site.url(f"/{name}"))  # gives it its title, and fetches no other
    names = sorted(view["name"] for view in person.types("feeds", "list", "--json").document())
    papers = [f"Paper ({site.url(f'/{name}')})" for name in "ab"]
    assert names == ["Other", *papers, "x.example/1?n=1", "x.example/1?n=2", "y.example"]
    assert all(name in person.types("feeds", "list").out for name in names)


# Check


def test_feeds_that_move_or_die_are_told_by_poll_status_and_check(tmp_path: Path, site: Site) -> None:
    paths = ("/well", "/moving", "/dying", "/going")
    site.answers = {path: Answer(listed([f"{path} told number {n}" for n in range(3)], path[1:])) for path in paths}
    person = Person(tmp_path / "home", "feeds:\n" + "".join(f"- {site.url(path)}\n" for path in paths))
    assert person.types("poll").code == 0
    counts = person.types("feeds", "check")
    assert counts.out == "4 feeds: 4 well\n"

    site.answers["/new"] = site.answers["/moving"]
    site.answers["/moving"] = Answer(code=301, location="/new")
    site.answers["/dying"] = Answer(code=503)
    site.answers["/going"] = Answer(code=410)
    moved_in = []
    for days in (1, 2, 3, 4, 15):
        person.now = START + timedelta(days=days)
        polled = person.types("poll", "--json")
        moved_in += polled.document()["moved"]
        told = "iscore: moving: has moved to"
        assert (told in polled.messages) == bool(polled.document()["moved"])
    assert [(feed["title"], feed["error"]) for feed in moved_in] == [("moving", f"has moved to {site.url('/new')}")]

    views = {view["title"]: view for view in person.types("feeds", "check", "--json").document()}
    assert {title: view["state"] for title, view in views.items()} == {
        "well": "well", "moving": "moved", "dying": "dead", "going": "gone",
    }  # fmt: skip
    assert views["moving"]["moved_to"] == site.url("/new")
    assert views["well"]["per_week"] == 0.0
    assert views["dying"]["failures"] == 5
    assert views["well"]["last_success"] == person.now.isoformat()
    assert views["dying"]["last_success"] == START.isoformat()

    assert f"iscore feeds remove {site.url('/dying')}" in polled.messages
    told = person.types("feeds", "check").out
    assert "4 feeds: " in told
    assert f"`iscore feeds remove {site.url('/going')}`" in " ".join(told.split())
    assert len(told.splitlines()) == 4  # three feeds, and how many of each state
    assert f"\n{site.url('/going')}" in f"\n{person.types('feeds', 'check', '--details').out}"
    assert "well  " not in told
    assert "well  " in person.types("feeds", "check", "--all").out
    status = person.types("status", "--json").document()
    assert [problem["title"] for problem in status["problems"]] == ["going", "dying"]
    assert all("iscore feeds remove" in problem["advice"] for problem in status["problems"])
    assert [problem["title"] for problem in status["moved"]] == ["moving"]
    assert "Moved feeds" in person.types("status").out

    (person.home / "feeds.yaml").write_text(person.feeds().replace("/moving", "/new"), encoding="utf-8")
    view = person.types("feeds", "list", "--json").document()[1]
    assert (view["state"], view["articles"]) == ("well", 3)


# Statistics


def test_a_feed_that_one_does_not_like_gets_a_hint_when_enough_is_known(tmp_path: Path, site: Site) -> None:
    draw = random.Random(5)
    letters = "abcdefghijklmnopqrstuvwxyz"
    words = ["".join(draw.choices(letters, k=7)) for _ in range(600)]
    for name in ("good", "poor"):
        site.answers[f"/{name}"] = Answer(
            listed([f"{name} {' '.join(draw.sample(words, 9))}" for _ in range(30)], name)
        )
    person = Person(tmp_path / "home", f"feeds:\n- {site.url('/poor')}\n- {site.url('/good')}\n- https://x.example/\n")
    person.types("poll")
    inbox = person.types("inbox", "--all", "--limit", "100", "--json").document()
    ids = {name: [item["id"] for item in inbox if item["source"] == name] for name in ("good", "poor")}
    assert [len(each) for each in ids.values()] == [30, 30]
    person.types("like", *ids["good"][:20])
    person.types("dislike", *ids["good"][20:28], *ids["poor"][:5])
    rows = person.types("stats", "--feeds", "--json").document()
    assert [row["hint"] for row in rows] == ["", "", ""]
    person.types("dislike", *ids["poor"][5:20])
    person.types("skip", ids["poor"][20])
    poor, good, nothing = person.types("stats", "--feeds", "--json").document()
    keys = ("articles", "likes", "dislikes", "skips", "share")
    assert [poor[key] for key in keys] == [30, 0, 20, 1, 0.0]
    assert [good[key] for key in keys] == [30, 20, 8, 0, 20 / 28]
    assert [nothing[key] for key in keys] == [0, 0, 0, 0, None]
    status = person.types("status", "--json").document()
    assert good["recommended"] + poor["recommended"] == status["recommended"]
    assert (poor["hint"], good["hint"]) == ("you like 0 of 20 here, and 71 % elsewhere", "")
    table = person.types("stats", "--feeds").out
    assert table.index("good") < table.index("poor") < table.index("x.example")
    assert table.index("Rarely liked") < table.index("– poor: you like 0 of 20 here, and 71 % elsewhere; ")
    assert "– good" not in table
