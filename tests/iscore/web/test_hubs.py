"""Hubs reach their callback addresses, and nothing else, without sign-in."""

from __future__ import annotations

import hashlib
import hmac
import shutil
from pathlib import Path
from urllib.parse import urlencode

import pytest

from storage.opening.database import ARRIVALS, open_database
from storage.records.feeds import Hub, Subscription
from storage.records.users import LOCAL_USER
from storage.stream import feeds, hubs
from tests.iscore.web.conftest import NOW, PASSWORD
from tests.iscore.web.in_process import AppClient, site

FEED = "https://news.example/feed"
HOOK = "/websub/key"
PUBLIC = "https://hooks.example/iscore"


@pytest.fixture
def home(empty_home: Path, tmp_path: Path) -> Path:
    """A data folder with a feed that has been subscribed at its hub."""
    shutil.copytree(empty_home, tmp_path / "home")
    (tmp_path / "home" / "feeds.yaml").write_text(f"feeds:\n  - {FEED}\n", encoding="utf-8")
    with open_database(tmp_path / "home" / "iscore.db") as database, database.write(ARRIVALS) as tx:
        feeds.subscribe(tx, LOCAL_USER, [Subscription(FEED)])
        number = feeds.followed(tx, LOCAL_USER)[0][1].id
        hubs.name(tx, number, Hub("https://hub.example/", FEED, FEED), NOW, key="key", secret="secret")
        hubs.claim(tx, NOW, "https://hooks.example/iscore/websub/", 1)
    return tmp_path / "home"


def verify(client: AppClient, path: str = HOOK) -> tuple[int, str]:
    query = {"mode": "subscribe", "topic": FEED, "challenge": "<b>a</b>", "lease_seconds": "864000"}
    answer = client.get(f"{path}?{urlencode({f'hub.{name}': value for name, value in query.items()})}")
    assert "set-cookie" not in answer.headers
    assert answer.headers["content-type"].startswith("text/plain")
    return answer.status, answer.body


def push(client: AppClient, body: str, *, secret: str = "secret") -> int:
    signature = hmac.new(secret.encode(), body.encode(), hashlib.sha256).hexdigest()
    return client.post(HOOK, body, content_type="text/xml", x_hub_signature=f"sha256={signature}").status


def test_a_hub_needs_no_sign_in_and_gets_no_page(home: Path) -> None:
    with site(home, NOW, hub_address=PUBLIC) as running:
        hub = running.client(host="hooks.example")
        assert verify(hub) == (200, "<b>a</b>")
        assert verify(hub, "/iscore" + HOOK)[0] == 200  # below the path of its own address
        assert verify(hub, "/websub/other")[0] == 404
        assert hub.post("/websub/other", "<rss/>").status == 410
        assert push(hub, "<rss/>") == 202
        assert hub.get(HOOK, method="PUT").status == 405
        assert hub.get("/").place == "/login?next=%2F"
        assert running.client(host="other.example").get(HOOK).status == 421
        with open_database(home / "iscore.db") as database, database.read() as tx:
            assert [each.body for each in hubs.documents(tx, 1)] == [b"<rss/>"]


def test_the_page_of_a_feed_says_what_its_hub_does(home: Path) -> None:
    with site(home, NOW, hub_address=PUBLIC) as running:
        browser = running.signed_in("", PASSWORD)
        assert "hub.example has been asked to push its new articles." in browser.get("/feeds/1").body
        verify(running.client(host="hooks.example"))
        assert "hub.example pushes its new articles." in browser.get("/feeds/1").body
        with open_database(home / "iscore.db") as database, database.write(ARRIVALS) as tx:
            hubs.deny(tx, "key", FEED, "the hub refuses: <i>no</i>", NOW)
        assert "does not push it: the hub refuses: &lt;i&gt;no&lt;/i&gt;." in browser.get("/feeds/1").body


def test_without_a_password_hubs_reach_their_addresses_and_nobody_a_page(home: Path) -> None:
    with open_database(home / "iscore.db") as database, database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE users SET password = ''")
    with site(home, NOW, hub_address=PUBLIC) as running:
        assert verify(running.client(host="hooks.example"))[0] == 200
        assert running.client(host="hooks.example").get("/").status == 403
        assert running.client().get("/").status == 403
