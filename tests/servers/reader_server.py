"""A reader server with the Google Reader API on the loopback, in a thread: a few dictionaries that a test looks into.

It obeys what it is asked, one request at a time, until a test makes it behave badly.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

STATE, LABEL = "user/7/state/com.google/", "user/7/label/"
READ, STARRED = f"{STATE}read", f"{STATE}starred"
PASSWORD = "a walk by the harbour"
ITEM = "tag:google.com,2005:reader/item/"


@dataclass
class Entry:
    """An item."""

    feed: str
    title: str
    html: str
    published: datetime
    arrived: datetime
    tags: set[str] = field(default_factory=set)


@dataclass
class Bad:
    """An answer that breaks the rules, to the requests whose path contains something."""

    path: str
    status: int
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    times: int = 1
    after: bool = False
    """Whether the request is obeyed before it is answered so."""


@dataclass
class ReaderServer:
    """What the server has, and what it was asked."""

    entries: dict[int, Entry] = field(default_factory=dict)
    bad: list[Bad] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    refused: set[int] = field(default_factory=set)
    """Items that cannot be edited: a request with one of them changes nothing."""
    port: int = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def add(self, number: int, title: str, html: str, arrived: datetime, *, feed: str = "feed/7", age: int = 1) -> None:
        """Let an article arrive, ``age`` hours after its publication."""
        self.entries[number] = Entry(feed, title, html, arrived - timedelta(hours=age), arrived)

    def labelled(self, name: str) -> set[int]:
        """Return the items with a label."""
        return {number for number, each in self.entries.items() if f"{LABEL}{name}" in each.tags}

    def edits(self) -> list[str]:
        """List the changes of tags that it was asked for."""
        return [each for each in self.asked if "edit-tag" in each]

    def answer(self, path: str, given: dict[str, list[str]]) -> tuple[int, str]:
        """Return status and body."""
        call = path.rpartition("/reader/api/0/")[2]
        if path.endswith("/accounts/ClientLogin"):
            right = given.get("Passwd") == [PASSWORD]
            return (200, "SID=x\nLSID=null\nAuth=anna/secret-token\n") if right else (401, "Error=BadAuthentication")
        if call == "edit-tag" and self.refused.intersection(self._asked_for(given)):
            return 400, "Bad Request"
        if call == "edit-tag" and given.get("T") == ["form-token"]:
            for each in self._asked_for(given):
                self.entries[each].tags |= {_mine(tag) for tag in given.get("a", [])}
                self.entries[each].tags -= {_mine(tag) for tag in given.get("r", [])}
            return 200, "OK"
        answers: dict[str, Callable[[], object]] = {
            "token": lambda: "form-token",
            "subscription/list": lambda: {"subscriptions": self._feeds()},
            "tag/list": lambda: {"tags": [{"id": each, "type": "tag"} for each in self._labels()]},
            "stream/items/ids": lambda: {"itemRefs": [{"id": str(each)} for each in self._listed(given)]},
            "stream/items/contents": lambda: {"items": [self._item(each) for each in self._asked_for(given)]},
        }
        found = answers[call]() if call in answers else None
        return (404, "Not Found") if found is None else (200, found if isinstance(found, str) else json.dumps(found))

    def _asked_for(self, given: dict[str, list[str]]) -> list[int]:
        numbers = [int(each.removeprefix(ITEM), 16) for each in given.get("i", [])]
        return [each for each in numbers if each in self.entries]

    def _feeds(self) -> list[dict[str, Any]]:
        folder = {"id": f"{LABEL}News", "label": "News"}
        feeds = sorted({each.feed for each in self.entries.values()})
        return [{"id": each, "title": f"Title of {each}", "categories": [folder]} for each in feeds]

    def _labels(self) -> list[str]:
        return sorted({tag for each in self.entries.values() for tag in each.tags if tag.startswith(LABEL)})

    def _listed(self, given: dict[str, list[str]]) -> list[int]:
        stream, since = _mine(given["s"][0]), int(given.get("ot", ["0"])[0])
        without = {_mine(tag) for tag in given.get("xt", [])}
        found = [
            number
            for number, each in self.entries.items()
            if (stream.endswith("/reading-list") or stream in each.tags)
            and each.arrived.timestamp() >= since
            and not without & each.tags
        ]
        return sorted(found, reverse=True)

    def _item(self, number: int) -> dict[str, Any]:
        each = self.entries[number]
        return {
            "id": f"{ITEM}{number:016x}",
            "title": each.title,
            "published": int(each.published.timestamp()),
            "crawlTimeMsec": str(int(each.arrived.timestamp() * 1000)),
            "canonical": [{"href": f"https://news.example/{number}"}],
            "summary": {"content": each.html},
            "categories": [f"{STATE}reading-list", f"{LABEL}News", *sorted(each.tags)],
            "origin": {"streamId": each.feed, "title": f"Title of {each.feed}", "htmlUrl": "https://news.example/"},
        }


def _mine(name: str) -> str:
    return name.replace("user/-/", "user/7/")


@contextmanager
def reader_server() -> Iterator[ReaderServer]:
    """Serve until the block ends."""
    served = ReaderServer()
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(urlsplit(self.path).query)

        def do_POST(self) -> None:
            self._answer(self.rfile.read(int(self.headers["Content-Length"])).decode())

        def _answer(self, form: str) -> None:
            path = urlsplit(self.path).path
            with lock:
                served.asked.append(f"{path}?{form}")
                bad = next((each for each in served.bad if each.path in path and each.times > 0), None)
                signed = self.headers.get("Authorization") == "GoogleLogin auth=anna/secret-token"
                status, body = 401, "Unauthorized"
                if (bad is None or bad.after) and (signed or "ClientLogin" in path):
                    status, body = served.answer(path, parse_qs(form))
                if bad is not None:
                    bad.times -= 1
                    status, body = bad.status, bad.body
            self.send_response(status)
            for name, value in (bad.headers if bad else {}).items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body.encode())))
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *arguments: object) -> None:  # noqa: A002 -- the base's name
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    served.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield served
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
