"""What readers of a large server ask for: pages, and the APIs of apps."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from urllib.parse import urlencode

from benchmarks.large_database import PASSWORD
from benchmarks.large_server_meter import Meter
from benchmarks.results import Cell
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site

API = "/reader/api/0/"
ALL, READ = "user/-/state/com.google/reading-list", "user/-/state/com.google/read"
PAGES = {
    "For you": "/",
    "Maybe": "/maybe",
    "Hidden": "/hidden",
    "All": "/all",
    "All, best first": "/all?order=best",
    "All, after 5,000": "/all?after=5000",
    "a feed": "FEED",
    "a folder": "/folder/folder%201",
    "Saved": "/saved",
    "Search, a word of no article": "/search?q=river",
    "Search, a word of all articles": "/search?q=author",
    "all lists": "/lists",
    "settings": "/settings",
}
LISTS: dict[str, list[tuple[str, object]]] = {
    "ids, everything": [("s", ALL)],
    "ids, unread": [("s", ALL), ("xt", READ)],
    "ids, a folder": [("s", "user/-/label/folder 1")],
    "ids, starred": [("s", "user/-/state/com.google/starred")],
}


class Reader:
    """A reader with a browser and an app."""

    def __init__(self, here: Site, number: int) -> None:
        self.number = number
        self.browser: AppClient = here.signed_in(f"reader {number}", PASSWORD)
        self.app: AppClient = here.client()
        name, self.password = f"reader {number}", here.context.accounts.make_app_password(number, "benchmark")
        self.form = {"Email": name, "Passwd": self.password, "output": "json"}
        token = json.loads(self.app.post("/accounts/ClientLogin", self.form).body)["Auth"]
        self.signed = {"Authorization": f"GoogleLogin auth={token}"}
        self.fever = {"api_key": hashlib.md5(f"{name}:{self.password}".encode(), usedforsecurity=False).hexdigest()}
        found = json.loads(self.api("stream/items/ids", ("s", ALL), ("n", 1000)).body)["itemRefs"]
        self.ids = [each["id"] for each in found]
        self.feed = 2 + 2 * (number * 13 % 40)

    def api(self, path: str, *pairs: tuple[str, object]) -> Answer:
        """Ask the Google Reader API."""
        return self.app.get(f"{API}{path}?{urlencode(pairs)}", **self.signed)

    def page(self, path: str) -> Answer:
        """Open a page."""
        return self.browser.get(path.replace("FEED", f"/feed/{self.feed}"))

    def article(self, turn: int) -> Answer:
        """Open an article."""
        stories = re.findall(r'<article id="a-([a-z0-9]+)"', self.page("/all").body)
        return self.page(f"/article/{stories[turn % len(stories)]}?verdict=")

    def edit(self, turn: int) -> Answer:
        """Mark 200 items as read, or as unread."""
        ids = [("i", each) for each in self.ids[:200]]
        return self.app.post(f"{API}edit-tag", urlencode([*ids, ("a" if turn % 2 else "r", READ)]), **self.signed)

    def contents(self, turn: int) -> Answer:
        """Ask for 200 items."""
        ids = [("i", each) for each in self.ids[turn % 5 * 200 :][:200]]
        return self.app.post(f"{API}stream/items/contents", urlencode(ids), **self.signed)

    def miniflux(self, path: str) -> Answer:
        """Ask the Miniflux API."""
        return self.app.get(f"/v1/{path}", X_Auth_Token=self.password)

    def fevers(self, what: str) -> Answer:
        """Ask the Fever API."""
        return self.app.post(f"/fever/?api&{what}", self.fever)


def requests() -> dict[str, Callable[[Reader, int], Answer]]:
    """Return what readers ask for."""
    found: dict[str, Callable[[Reader, int], Answer]] = {
        f"page: {name}": partial(lambda path, reader, _: reader.page(path), path) for name, path in PAGES.items()
    }
    found["page: an article"] = lambda reader, turn: reader.article(turn)
    for name, pairs in LISTS.items():
        found[f"Google Reader: {name}"] = partial(
            lambda pairs, reader, _: reader.api("stream/items/ids", *pairs, ("n", 10_000)), pairs
        )
    plain = {"feeds": "subscription/list", "folders and labels": "tag/list", "unread counts": "unread-count"}
    for name, path in plain.items():
        found[f"Google Reader: {name}"] = partial(lambda path, reader, _: reader.api(path), path)
    found["Google Reader: sign in"] = lambda reader, _: reader.app.post("/accounts/ClientLogin", reader.form)
    found["Google Reader: contents of 200"] = lambda reader, turn: reader.contents(turn)
    found["Google Reader: mark 200"] = lambda reader, turn: reader.edit(turn)
    for path in ("entries?status=unread&limit=100", "feeds", "feeds/counters", "categories?counts=true", "me"):
        found[f"Miniflux: {path}"] = partial(lambda path, reader, _: reader.miniflux(path), path)
    for what in ("items", "feeds", "groups", "unread_item_ids", "saved_item_ids"):
        found[f"Fever: {what}"] = partial(lambda what, reader, _: reader.fevers(what), what)
    return found


def ask_all(meter: Callable[[], Meter], readers: Sequence[Reader], repeats: int) -> list[tuple[Cell, ...]]:
    """Let readers ask in turn; return what each request cost."""
    rows = []
    for name, ask in requests().items():
        spent = meter()
        for turn in range(-len(readers), repeats):  # the first of each is not counted
            do = partial(ask, readers[turn % len(readers)], max(turn, 0))
            answer = spent(do) if turn >= 0 else do()
            if answer.status not in (200, 204):
                raise RuntimeError(f"{name} was answered with {answer.status}: {answer.body[-500:]}")
        rows.append(spent.row(name))
    return rows
