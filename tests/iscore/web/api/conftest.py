"""Two people with a feed each, and a client app of the first."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from sqlalchemy import insert

from iscore.filtering.delivery.tuning import MIN_VERDICTS
from iscore.web.api.google_reader_names import item_id
from iscore.web.security.credentials import CredentialStore
from storage import schema
from storage.engine.base_database import Transaction
from storage.log import decisions, feedback
from storage.people import documents, users
from storage.records.articles import Content, Enclosure, Features, NewArticle
from storage.records.decisions import Decision
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER, AppOption, Kind
from storage.stream import articles, features, feeds, icons
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer
from tests.iscore.web.in_process import AppClient, Site, site

NOW = datetime(2026, 3, 4, 18, tzinfo=UTC)
BEN = LOCAL_USER + 1
FEED, BENS_FEED = "https://anna.example/feed", "https://ben.example/feed"
BEST, EXPLORED, HIDDEN, OLD, BENS = 2, 3, 4, 1, 5
"""The numbers of the stories, in order of arrival; the last is Ben's."""
READING_LIST, STARRED = "user/-/state/com.google/reading-list", "user/-/state/com.google/starred"
READ = "user/-/state/com.google/read"
STORIES = {
    OLD: ("Old orchard", 30.0, 1.0, False),
    BEST: ("Harbour & <quay>", 2.0, 1.0, False),
    EXPLORED: ("Winter fair", 1.5, -5.0, True),
    HIDDEN: ("Bus timetable", 1.0, -5.0, False),
    BENS: ("Quince marmalade", 0.5, 1.0, False),
}
"""Title, age in days, score, and whether it was explored."""


@dataclass
class ClientApp:
    """A client app: it sends forms, and the token in a header."""

    client: AppClient
    password: str
    base: str = ""
    """What its user has entered after the address."""
    token: str = ""

    def get(self, path: str, *pairs: tuple[str, object], **headers: str) -> Answer:
        query = f"?{urlencode(pairs)}" if pairs else ""
        return self.client.get(f"{self.base}{path}{query}", **self._signed(headers))

    def json(self, path: str, *pairs: tuple[str, object]) -> Any:
        answer = self.get(f"/reader/api/0/{path}", *pairs)
        assert answer.status == 200, answer.body
        return json.loads(answer.body)

    def post(self, path: str, *pairs: tuple[str, object], **headers: str) -> Answer:
        return self.client.post(f"{self.base}/reader/api/0/{path}", urlencode(pairs), **self._signed(headers))

    def edit(self, *pairs: tuple[str, object]) -> None:
        """Send an ``edit-tag``, whose names are those of states."""
        written = [(name, value if name == "i" else f"user/-/{value}") for name, value in pairs]
        answer = self.post("edit-tag", *written)
        assert (answer.status, answer.body) == (200, "OK")

    def numbers(self, stream: str, *pairs: tuple[str, object]) -> list[int]:
        """Return the numbers of the items of a stream."""
        found = self.json("stream/items/ids", ("s", stream), ("n", 1000), *pairs)["itemRefs"]
        return [int(each["id"]) - item_id(0) for each in found]

    def unread(self) -> list[int]:
        return self.numbers("user/-/state/com.google/reading-list", ("xt", "user/-/state/com.google/read"))

    def sign_in(self) -> ClientApp:
        form = {"Email": "Anna", "Passwd": self.password}
        answer = self.client.post(f"{self.base}/accounts/ClientLogin", form)
        self.token = dict(line.split("=") for line in answer.body.splitlines())["Auth"]
        return self

    def _signed(self, headers: dict[str, str]) -> dict[str, str]:
        return {"Authorization": f"GoogleLogin auth={self.token}"} | headers


@dataclass
class MinifluxApp:
    """A client app that speaks Miniflux's API."""

    client: AppClient
    password: str

    def ask(self, method: str, path: str, body: object = None) -> Answer:
        text = body if isinstance(body, str) or body is None else json.dumps(body)
        return self.client._ask(method, f"/v1/{path}", {"X-Auth-Token": self.password}, text)

    def json(self, path: str, method: str = "GET", body: object = None, status: int = 200) -> Any:
        answer = self.ask(method, path, body)
        assert answer.status == status, answer.body
        return json.loads(answer.body)

    def error(self, path: str, method: str = "GET", body: object = None) -> tuple[int, str]:
        """Return the status and the text of an error."""
        answer = self.ask(method, path, body)
        return answer.status, json.loads(answer.body)["error_message"]

    def numbers(self, query: str) -> list[int]:
        """Return the ids of the entries of a list."""
        found = self.json(f"entries?{query}")
        return [each["id"] for each in found["entries"]]


def entry(title: str) -> NewArticle:
    """An article, with a picture and a sound."""
    html = '<p>One <b>text</b>.</p><p><img src="https://a.example/quay.png"></p><script>alert(1)</script>'
    return NewArticle(
        key=title, url=f"https://a.example/{title.split(maxsplit=1)[0]}", title=title, author="Ada", categories=(),
        text=f"{title} text", language="en", published=NOW - timedelta(days=3), links=0, pictures=0,
        content_hash=hashlib.sha256(title.encode()).digest()[:16],
        content=Content(html, (Enclosure("https://a.example/a.mp3", "audio/mpeg", 12),)),
    )  # fmt: skip


def _decide(tx: Transaction, user_id: int, url: str, numbers: list[int]) -> None:
    feeds.subscribe(tx, user_id, [Subscription(url, title="The <Quay>", tags=("Arts & more",))])
    (feed,) = (each.feed for each in feeds.overview(tx, user_id))
    for number in numbers:
        title, days, score, explored = STORIES[number]
        feeds.record(tx, [FetchRecord(feed, (entry(title),), NOW - timedelta(days=days))])
        (new,) = articles.without_features(tx, 10)
        assert new.seq == number
        features.add(tx, [Features(new.seq, new.seq, 5, ("length",), b"v" * 8, b"terms", b"pair")])
        taken = Decision(user_id, new.seq, score, 0.0, score > 0, explored, 1.0, NOW, None, None)
        decisions.add(tx, [taken])


LIKED, DISLIKED = range(101, 101 + MIN_VERDICTS), range(201, 201 + MIN_VERDICTS)
"""Numbers of stories that no list has."""


def _train(tx: Transaction) -> None:
    """Give Anna as many verdicts as the filter wants before it hides anything.

    They refer to a row of a third user's log before all others, so that hers and Ben's are as if they were new.
    """
    row = {"row": 0, "id": "first", "user_id": users.add(tx, "Dora", 6).id, "seq": OLD, "story": OLD, "at": NOW}
    tx.connection.execute(insert(schema.feedback).values(row | {"kind": Kind.SKIP.value, "tags": ()}))
    verdicts = dict.fromkeys(LIKED, Kind.LIKE) | dict.fromkeys(DISLIKED, Kind.DISLIKE)
    rows = [{"user_id": LOCAL_USER, "story": each, "row": 0, "kind": kind} for each, kind in verdicts.items()]
    tx.connection.execute(insert(schema.effective_verdicts), rows)


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    archive = Archive(tmp_path_factory.mktemp("apps") / "home")
    listed = "feeds:\n  - url: {}\n    title: The <Quay>\n    tags: [Arts & more]\n"
    archive.home.feeds.write_text(listed.format(FEED))
    archive.home.config.write_text("allow_private_networks = true\nhost_spacing = 0.0\n")
    with archive.database.write() as tx:
        users.rename(tx, LOCAL_USER, "Anna")
        users.add(tx, "Ben", 5)
        _decide(tx, LOCAL_USER, FEED, [OLD, BEST, EXPLORED, HIDDEN])
        _decide(tx, BEN, BENS_FEED, [BENS])
        _train(tx)
        documents.put(tx, BEN, "feeds.yaml", listed.format(BENS_FEED), NOW)
    archive.news.people.move_documents()
    archive.database.close()
    CredentialStore(archive.home.path).mark_set_up()
    return archive.home.path


@pytest.fixture
def running(made_folder: Path, tmp_path: Path) -> Iterator[Site]:
    with site(Path(shutil.copytree(made_folder, tmp_path / "home")), NOW) as served:
        yield served


@pytest.fixture
def anna(running: Site) -> ClientApp:
    """Anna's app, which has signed in."""
    return app_of(running)


def app_of(running: Site) -> ClientApp:
    password = running.context.accounts.make_app_password(LOCAL_USER, "Phone")
    return ClientApp(running.client(), password).sign_in()


def miniflux_of(running: Site, user_id: int = LOCAL_USER) -> MinifluxApp:
    """Return an app that speaks Miniflux's API."""
    return MinifluxApp(running.client(), running.context.accounts.make_app_password(user_id, "Miniflux"))


def published_at(running: Site, at: str, statement: str, value: str) -> None:
    """Let Anna's feed be that of a publisher on the loopback, and change one thing more."""
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        for table, number in (("feeds", "id"), ("subscriptions", "feed_id")):
            tx.connection.exec_driver_sql(f"UPDATE {table} SET url = ? WHERE {number} = 2", (f"{at}/feed",))
        tx.connection.exec_driver_sql(statement, (value,))


def give_icon(running: Site, user_id: int, picture: bytes) -> None:
    """Let the only feed of a user have an icon."""
    with running.context.users.entry(user_id).news.database.write() as tx:
        icons.record(tx, {feed.id: picture for _, feed in feeds.followed(tx, user_id)}, NOW)


def choose(running: Site, *options: AppOption, app: str = "Phone") -> None:
    """Choose what marks of Anna's app mean."""
    assert running.context.accounts.set_app_options(LOCAL_USER, app, options)


def verdict(running: Site, number: int) -> Kind | None:
    with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
        return feedback.verdict(tx, LOCAL_USER, number)


def rows_of_the_log(running: Site) -> int:
    with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
        return feedback.last_row(tx, LOCAL_USER)


def categories(app: ClientApp, number: int) -> list[str]:
    (item,) = app.json("stream/items/contents", ("i", item_id(number)))["items"]
    found: list[str] = item["categories"]
    return found
