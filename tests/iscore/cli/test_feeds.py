"""Subscriptions at the command line: brought along, found, watched, weighed. A real server, a real home."""

from __future__ import annotations

import contextlib
import io
import json
import random
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from iscore.cli import main
from tests.servers.feed_server import rss

START = datetime(2026, 3, 2, 9, tzinfo=UTC)
FEEDS = "# what I read\nfeeds:\n  - url: https://mine.example/feed  # the first\n    tags: [kept]\n\n# the end\n"
OPML = """<?xml version="1.0"?>
<opml version="1.1"><head/><body>
<outline text="Science"><outline text="Space">
  <outline type="rss" text="Stars" xmlUrl="https://stars.example/feed"/>
</outline></outline>
<outline type="rss" text="Mine, under another name" xmlUrl="https://MINE.example/feed"/>
<outline type="rss" text="Query" xmlUrl="query:unread"/>
<outline type="rss" text="Plain" xmlUrl="https://plain.example/feed?a=1&b=2"/>
</body></opml>"""


class Answer(NamedTuple):
    """What a path answers."""

    body: bytes = b""
    code: int = 200
    location: str = ""
    kind: str = "application/rss+xml"


class Site:
    """A server in a thread of its own: path → answer; what is not there is 404."""

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


@pytest.fixture
def site() -> Iterator[Site]:
    made = Site()
    yield made
    made.close()


class Done(NamedTuple):
    code: int
    out: str
    messages: str

    def document(self) -> Any:
        return json.loads(self.out)


class Person:
    """Someone at the command line of one home."""

    def __init__(self, home: Path, feeds: str) -> None:
        self.home, self.now = home, START
        file = home.parent / f"{home.name}.yaml"
        file.write_text(feeds, encoding="utf-8")
        assert self.types("init", "--feeds", str(file)).code == 0

    def types(self, *arguments: str, stdin: bytes = b"") -> Done:
        """Run a command in this process."""
        out, messages = io.StringIO(), io.StringIO()
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ISCORE_NOW", self.now.isoformat())
            patch.setenv("ISCORE_ALLOW_PRIVATE_NETWORKS", "1")
            patch.setenv("ISCORE_HOST_SPACING", "0")
            patch.setenv("COLUMNS", "100")
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(messages):
                code = main(["--home", str(self.home), *arguments])
        return Done(code, out.getvalue(), messages.getvalue())

    def feeds(self) -> str:
        return (self.home / "feeds.yaml").read_text(encoding="utf-8")


@pytest.fixture
def person(tmp_path: Path) -> Person:
    return Person(tmp_path / "home", FEEDS)


def listed(entries: list[str], title: str = "T") -> bytes:
    items = "".join(f"<item><title>{text}</title><guid>{text}</guid></item>" for text in entries)
    return f'<rss version="2.0"><channel><title>{title}</title>{items}</channel></rss>'.encode()


# From another reader, and to another


def test_an_opml_is_taken_over_and_a_second_time_changes_nothing(person: Person, tmp_path: Path) -> None:
    file = tmp_path / "other.opml"
    file.write_text(OPML, encoding="utf-8")
    done = person.types("feeds", "import", str(file))
    assert (done.code, done.out) == (0, "2 feeds added, 1 already there, 1 refused.\n")
    assert "iscore: Query: the address is not a web address: only http and https" in done.messages
    after = person.feeds()
    assert after == FEEDS.replace(
        "[kept]\n",
        "[kept]\n"
        "  - url: https://stars.example/feed\n    title: Stars\n    tags: [Science, Space]\n"
        "  - url: https://plain.example/feed?a=1&b=2\n    title: Plain\n",
    )
    again = person.types("feeds", "import", "-", "--json", stdin=OPML.encode()).document()
    assert (again["added"], again["already_there"], len(again["refused"])) == ([], 3, 1)
    assert person.feeds() == after
    assert [feed["title"] for feed in person.types("feeds", "list", "--json").document()] == ["", "Stars", "Plain"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<rss/>", "is not OPML but <rss>"),
        ('<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]><opml/>', "has a document type"),
        ("<opml>\n<body>", "line 2 is not well-formed XML"),
        (None, "No such file or directory"),
    ],
)
def test_a_file_that_cannot_be_taken_over_is_one_line_and_changes_nothing(
    person: Person, tmp_path: Path, text: str | None, said: str
) -> None:
    file = tmp_path / "bad.opml"
    if text is not None:
        file.write_text(text, encoding="utf-8")
    done = person.types("feeds", "import", str(file))
    assert (done.code, done.out, len(done.messages.splitlines())) == (1, "", 1)
    assert str(file) in done.messages
    assert said in done.messages
    assert person.feeds() == FEEDS


def test_an_export_is_what_another_home_imports(person: Person, tmp_path: Path) -> None:
    person.types("feeds", "import", "-", stdin=OPML.encode())
    file = tmp_path / "out.opml"
    assert person.types("feeds", "export", str(file)).out == f"Wrote 3 feeds to {file}.\n"
    assert person.types("feeds", "export").out == file.read_text(encoding="utf-8")
    other = Person(tmp_path / "other", "feeds: []\n")
    other.types("feeds", "import", str(file))
    keys = ("url", "tags", "enabled")
    here, there = (each.types("feeds", "list", "--json").document() for each in (person, other))
    assert [[feed[key] for key in keys] for feed in there] == [[feed[key] for key in keys] for feed in here]


def test_passwords_leave_the_house_only_if_asked_for(tmp_path: Path) -> None:
    person = Person(tmp_path / "home", "feeds: ['https://me:secret@mine.example/feed']\n")
    done = person.types("feeds", "export")
    assert "secret" not in done.out + done.messages
    assert "1 address exported without user name and password" in done.messages
    assert "https://me:secret@mine.example/feed" in person.types("feeds", "export", "--with-passwords").out
    assert person.types("feeds", "remove", "https://mine.example/feed").code == 0


# Found from a page


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
    assert len(site.asked) == known  # what is followed is not asked for

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
    # Nobody speaks https there, so it is http.
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


def test_what_cannot_be_looked_at_now_is_followed_as_it_is(person: Person, site: Site) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        nobody = f"http://127.0.0.1:{free.getsockname()[1]}/feed"
    done = person.types("feeds", "add", nobody)
    assert (done.code, done.out) == (0, f"Following {nobody}\n")
    assert "(connection refused); added anyway" in done.messages
    assert person.types("feeds", "add", "--no-discovery", site.url("/anything")).code == 0
    assert site.asked == []
    before = person.feeds()
    assert person.types("feeds", "add", site.url("/x"), "javascript:alert(1)").code == 1
    assert (person.feeds(), site.asked) == (before, [])


# Watched


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


# Weighed


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
    rows = person.types("feeds", "stats", "--json").document()
    assert [row["hint"] for row in rows] == ["", "", ""]
    person.types("dislike", *ids["poor"][5:20])
    person.types("skip", ids["poor"][20])
    poor, good, nothing = person.types("feeds", "stats", "--json").document()
    keys = ("articles", "likes", "dislikes", "skips", "share")
    assert [poor[key] for key in keys] == [30, 0, 20, 1, 0.0]
    assert [good[key] for key in keys] == [30, 20, 8, 0, 20 / 28]
    assert [nothing[key] for key in keys] == [0, 0, 0, 0, None]
    status = person.types("status", "--json").document()
    assert good["recommended"] + poor["recommended"] == status["recommended"]
    assert (poor["hint"], good["hint"]) == ("you like 0 of 20 here, and 71 % elsewhere", "")
    table = person.types("feeds", "stats").out
    assert table.index("good") < table.index("poor") < table.index("https://x.example/")
    assert table.index("Rarely liked") < table.index("– poor: you like 0 of 20 here, and 71 % elsewhere; ")
    assert "– good" not in table
