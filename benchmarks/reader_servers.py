"""How answers of iScore's Google Reader API differ in shape from those of a real FreshRSS, and why.

    python -m benchmarks.reader_servers [--feeds 6]

Needs ``ISCORE_FRESHRSS`` (a checkout of FreshRSS), ``ISCORE_DATA`` and PHP. Both servers follow the same real feeds on
the loopback, and get the same requests. The shape of an answer is its status, its media type, and for JSON the names
and types of all fields; of a short text, the text. Lists count as one element with all fields that any element has.
Each difference must have an explanation here, or the script fails; values are not compared.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from benchmarks.results import write
from benchmarks.scorer import FeedHost, real_feeds
from iscore.services.news_filter import NewsFilter
from iscore.web.security.credentials import CredentialStore
from storage.people import users
from storage.records.users import LOCAL_USER
from tests.iscore.web.in_process import Site, site
from tests.servers.freshrss import API, PASSWORD, READ, STARRED, USER, FreshRSS, missing

CALL = "/reader/api/0/"
ALL, LABEL = "user/-/state/com.google/reading-list", "user/-/label/"
LONG_ID = "tag:google.com,2005:reader/item/"

Pairs = list[tuple[str, object]]
Said = tuple[int, str, str]
"""Status, media type, and body."""
Ask = Callable[[str, Pairs, Pairs | None, str], Said]
"""Asks a server: path, query, form or None, token."""

EXPLAINED: dict[str, str] = {
    r"reader/atom: .*": "FreshRSS has no reader/atom, which some versions of newsboat ask for",
    r"preference/list: .*": "FreshRSS has no preferences; apps that ask for them get an empty list",
    r"unknown call: .*": "404 says that there is no such call; FreshRSS calls every request bad that it does not know",
    r"stream/items/ids, no stream: .*": "without a stream iScore lists everything, as reading-list does",
    r"stream/items/ids, unknown label: itemRefs.*": "FreshRSS lists everything for a label that does not exist",
    r"edit-tag, wrong token: .*": "the header has signed in already: some apps send another text in T",
    r"sign in, no name: (status|media type)": "a sign-in without a name is a failed one, which apps know by 401",
    r"tag/list: tags\[\]\.unread_count": "an addition of Inoreader's; unread-count has the numbers",
    r".*: items\[\]\.alternate\[\]\.type": "part of Google's format, which FreshRSS leaves out",
    r".*: items\[\]\.updated": "part of Google's format, which FreshRSS leaves out; Liferea takes the date from it",
    r".*: direction": "part of Google's format, which FreshRSS leaves out",
    r"subscription/export: media type": "OPML's own media type; apps look at the content",
    r".*: media type": "FreshRSS leaves PHP's default, text/html, though these answers are JSON or plain text",
    r".*: text": "the words of an error or of an answer; apps go by the status",
}
"""Why something is different, by an expression for ``request: what``; the first that fits."""


@dataclass
class Asked:
    """A server, and the shapes of its answers."""

    ask: Ask
    name: str
    password: str
    shapes: dict[str, dict[str, str]] = field(default_factory=dict)
    token: str = ""
    form_token: str = ""

    def get(self, what: str, path: str, *query: tuple[str, object]) -> str:
        """Send a GET, and keep the shape of its answer under a name."""
        return self._keep(what, self.ask(path, list(query), None, self.token))

    def post(self, what: str, path: str, *form: tuple[str, object]) -> str:
        """Send a form."""
        return self._keep(what, self.ask(path, [], list(form), self.token))

    def _keep(self, what: str, said: Said) -> str:
        status, media_type, body = said
        self.shapes[what] = {"status": str(status), "media type": media_type.partition(";")[0], **shape(body)}
        return body


def shape(body: str) -> dict[str, str]:
    """Return the fields of an answer with their types; of a short text the text."""
    try:
        found = json.loads(body)
    except ValueError:
        plain = " ".join(body.split())
        return {"text": plain if re.fullmatch(r"[A-Za-z !=]{0,40}", plain) else "a text"}
    return dict(_fields("", found))


def _fields(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from _fields(f"{path}.{name}" if path else name, each)
    elif isinstance(value, list):
        yield f"{path}[]", "list"
        for each in value:
            yield from _fields(f"{path}[]", each)
    else:
        kinds: dict[type, str] = {str: "text", int: "number", float: "number", bool: "boolean", type(None): "null"}
        yield path, kinds[type(value)]


def ask_all(server: Asked) -> None:
    """Send every request."""
    sign_in(server)
    feed, numbers = ask_for_lists(server)
    edit(server, numbers)
    ask_for_items(server, feed, numbers)
    change_feeds(server, feed)


def sign_in(server: Asked) -> None:
    """Sign in, rightly and wrongly."""
    login = "/accounts/ClientLogin"
    right = [("Email", server.name), ("Passwd", server.password)]
    said = server.post("sign in", login, *right)
    server.get("sign in by GET", login, *right)
    server.post("sign in, wrong password", login, ("Email", server.name), ("Passwd", "wrong"))
    server.post("sign in, unknown name", login, ("Email", "nobody"), ("Passwd", "wrong"))
    server.post("sign in, no name", login)
    server.get("not signed in", f"{CALL}user-info")
    server.token = "x/y"
    server.get("wrong token", f"{CALL}user-info")
    server.token = dict(line.split("=", 1) for line in said.splitlines())["Auth"]
    server.form_token = server.get("token", f"{CALL}token").strip()


def ask_for_lists(server: Asked) -> tuple[str, list[str]]:
    """Ask for feeds and ids; return a feed, and the ids of three items."""
    server.get("user-info", f"{CALL}user-info", ("output", "json"))
    listed = json.loads(server.get("subscription/list", f"{CALL}subscription/list", ("output", "json")))
    feed = listed["subscriptions"][0]["id"]
    server.get("unread-count", f"{CALL}unread-count", ("output", "json"))
    ids = "stream/items/ids"
    found = json.loads(server.get(ids, f"{CALL}{ids}", ("s", ALL), ("n", 3)))["itemRefs"]
    server.get(f"{ids}, unread", f"{CALL}{ids}", ("s", ALL), ("n", 1000), ("xt", READ))
    server.get(f"{ids}, starred, none", f"{CALL}{ids}", ("s", STARRED), ("n", 10))
    server.get(f"{ids}, a feed", f"{CALL}{ids}", ("s", feed), ("n", 2), ("r", "o"))
    server.get(f"{ids}, since now", f"{CALL}{ids}", ("s", ALL), ("ot", 4_000_000_000))
    server.get(f"{ids}, unknown label", f"{CALL}{ids}", ("s", f"{LABEL}nothing"), ("n", 1000))
    server.get(f"{ids}, no stream", f"{CALL}{ids}")
    return feed, [each["id"] for each in found]


def edit(server: Asked, numbers: list[str]) -> None:
    """Set and remove tags."""
    edit = f"{CALL}edit-tag"
    first, second = (("i", each) for each in numbers[:2])
    token = ("T", server.form_token)
    server.post("edit-tag, star", edit, first, ("a", STARRED), token)
    server.post("edit-tag, new label", edit, first, second, ("a", f"{LABEL}harbour"), token)
    server.post("edit-tag, remove a label", edit, second, ("r", f"{LABEL}harbour"), token)
    server.post("edit-tag, read", edit, second, ("a", READ), token)
    server.post("edit-tag, unknown item", edit, ("i", "7"), ("a", READ), token)
    server.post("edit-tag, no token", edit, second, ("a", READ))
    server.post("edit-tag, wrong token", edit, second, ("a", READ), ("T", "wrong"))
    server.get("tag/list", f"{CALL}tag/list", ("output", "json"))
    ids = "stream/items/ids"
    server.get(f"{ids}, a label", f"{CALL}{ids}", ("s", f"{LABEL}harbour"), ("n", 10))


def ask_for_items(server: Asked, feed: str, numbers: list[str]) -> None:
    """Ask for items with contents, in all ways."""
    contents, items = f"{CALL}stream/contents", f"{CALL}stream/items/contents"
    server.get("stream/contents", f"{contents}/{ALL}", ("n", 3))
    server.get("stream/contents, a feed", f"{contents}/{feed}", ("n", 3))
    server.get("stream/contents, ?s=", contents, ("s", ALL), ("n", 3))
    number, first = int(numbers[0]), ("i", numbers[0])
    server.post("items/contents, long id", items, ("i", f"{LONG_ID}{number:016x}"))
    server.post("items/contents, decimal", items, first)
    server.post("items/contents, hexadecimal", items, ("i", f"{number:016x}"))
    server.post("items/contents, unknown item", items, ("i", "7"))
    server.get("reader/atom", f"/reader/atom/{ALL}", ("n", 2))
    server.get("preference/list", f"{CALL}preference/list", ("output", "json"))
    server.get("unknown call", f"{CALL}nothing")


def change_feeds(server: Asked, feed: str) -> None:
    """Change a feed, and labels."""
    change, token = f"{CALL}subscription/edit", ("T", server.form_token)
    server.post("subscription/edit, folder", change, ("s", feed), ("ac", "edit"), ("a", f"{LABEL}Quay"), token)
    server.post("subscription/edit, title", change, ("s", feed), ("ac", "edit"), ("t", "The Quay"), token)
    server.post("subscription/edit, unknown feed", change, ("s", "feed/999"), ("ac", "unsubscribe"), token)
    server.post("rename-tag", f"{CALL}rename-tag", ("s", f"{LABEL}harbour"), ("dest", f"{LABEL}port"), token)
    server.post("rename-tag, unknown", f"{CALL}rename-tag", ("s", f"{LABEL}none"), ("dest", f"{LABEL}port"), token)
    server.post("disable-tag", f"{CALL}disable-tag", ("s", f"{LABEL}port"), token)
    server.post("disable-tag, unknown", f"{CALL}disable-tag", ("s", f"{LABEL}none"), token)
    server.post("mark-all-as-read", f"{CALL}mark-all-as-read", ("s", feed), token)
    server.post("subscription/edit, unsubscribe", change, ("s", feed), ("ac", "unsubscribe"), token)
    server.get("subscription/export", f"{CALL}subscription/export")


def of_freshrss(server: FreshRSS, path: str, query: Pairs, form: Pairs | None, token: str) -> Said:
    """Ask FreshRSS."""
    url = f"{server.address}{API}{path}{f'?{urlencode(query)}' if query else ''}"
    headers = {"Authorization": f"GoogleLogin auth={token}"} if token else {}
    request = urllib.request.Request(url, urlencode(form).encode() if form is not None else None, headers)
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, str(answer.headers.get("Content-Type", "")), answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, str(error.headers.get("Content-Type", "")), error.read().decode()


def of_iscore(here: Site, path: str, query: Pairs, form: Pairs | None, token: str) -> Said:
    """Ask iScore."""
    headers = {"Authorization": f"GoogleLogin auth={token}"} if token else {}
    client = here.client()
    address = f"{API}{path}{f'?{urlencode(query)}' if query else ''}"
    answer = client.get(address, **headers) if form is None else client.post(address, urlencode(form), **headers)
    return answer.status, answer.headers.get("content-type", ""), answer.body


def differences(theirs: dict[str, dict[str, str]], ours: dict[str, dict[str, str]]) -> list[tuple[str, ...]]:
    """List requests, what differs, what both servers have, and why; equal differences are one."""
    found: dict[tuple[str, str, str, str], list[str]] = {}
    for call, shape_there in theirs.items():
        for name in dict.fromkeys([*shape_there, *ours[call]]):
            both = shape_there.get(name, "–"), ours[call].get(name, "–")
            if both[0] != both[1]:
                found.setdefault((name, *both, explanation(call, name)), []).append(call)
    return [("; ".join(calls), *each) for each, calls in found.items()]


def explanation(call: str, name: str) -> str:
    """Return why something is different; empty if nobody knows."""
    return next((why for each, why in EXPLAINED.items() if re.fullmatch(each, f"{call}: {name}")), "")


def main() -> None:
    """Ask both, and write ``benchmarks/results/reader_servers``."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--feeds", type=int, default=6)
    options = parser.parse_args()
    if reason := missing():
        sys.exit(f"left out: {reason}")
    now = datetime.now(UTC)
    feeds = real_feeds(options.feeds, 2, random.Random(1), start=now - timedelta(days=2))
    host = FeedHost(feeds)
    host.now = now
    with tempfile.TemporaryDirectory() as name, host.serving():
        folder = Path(name)
        with FreshRSS(folder / "freshrss") as server:
            server.follow(host.addresses, folder)
            server.refresh()
            theirs = Asked(partial(of_freshrss, server), USER, PASSWORD)
            ask_all(theirs)
        listed = "".join(f"  - url: {each}\n    tags: [News]\n" for each in host.addresses)
        (folder / "feeds.yaml").write_text(f"feeds:\n{listed}")
        with NewsFilter.create(folder / "home", folder / "feeds.yaml", clock=lambda: now) as news:
            (folder / "home" / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0.0\n")
            news.poll()
            with news.database.write() as tx:
                users.rename(tx, LOCAL_USER, USER)
        CredentialStore(folder / "home").mark_set_up()
        with site(folder / "home", now) as here:
            password = here.context.accounts.make_app_password(LOCAL_USER, "app")
            ours = Asked(partial(of_iscore, here), USER, password)
            ask_all(ours)
    rows = differences(theirs.shapes, ours.shapes)
    same = sum(theirs.shapes[call] == ours.shapes[call] for call in theirs.shapes)
    notes = (__doc__ or "").partition("[--feeds 6]")[2].strip()
    notes += f"\n\nRequests: {len(theirs.shapes)}. Answers of the same shape: {same}."
    columns = ("requests", "what", "FreshRSS", "iScore", "why")
    write("reader_servers", "The Google Reader API of iScore beside that of FreshRSS", columns, rows, notes)
    if unexplained := [row for row in rows if not row[-1]]:
        sys.exit("unexplained:\n" + "\n".join(map(str, unexplained)))


if __name__ == "__main__":
    main()
