"""The page of the server's state: for admins, without what somebody reads and without secrets."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from iscore.core.passwords import hash_password
from iscore.services.people.accounts import Accounts
from iscore.web.pages.server import QUEUES, TASKS
from storage.opening.database import Database, open_database
from storage.people import users
from storage.records.feeds import FetchRecord, Subscription
from storage.records.users import LOCAL_USER
from storage.records.work import DueWork, Queue, Task
from storage.stream import feeds
from storage.work import work
from tests.iscore.web.axe import found, needs_axe
from tests.iscore.web.conftest import NOW, PASSWORD, served
from tests.iscore.web.in_process import Site, set_language, site
from tests.servers.chromium import Chromium, needs_chromium

ADDRESS = "https://ann:quince@a.example/private/7f9ac81d77b2e94c/rss?token=marmalade"
HOUR = timedelta(hours=1)


@pytest.fixture
def home(empty_home: Path, tmp_path: Path) -> Path:
    """An admin and a reader, a broken feed with secrets in its address, and work that was set aside."""
    shutil.copytree(empty_home, tmp_path / "home")
    with open_database(tmp_path / "home" / "iscore.db") as database:
        fill(database)
    return tmp_path / "home"


def fill(database: Database) -> None:
    with database.write() as tx:
        ben = users.add(tx, "Ben", 5)
        feeds.subscribe(tx, ben.id, [Subscription(ADDRESS), Subscription("https://b.example/feed")])
        (broken, _) = (each.feed for each in feeds.overview(tx, ben.id))
        state = replace(
            broken, failures=4, error=f"cannot read {ADDRESS}", last_success=NOW - HOUR, next_due=NOW - HOUR
        )
        feeds.record(tx, [FetchRecord(state, (), NOW)])
        work.put(tx, [DueWork(Task.DIGEST, str(ben.id), Queue.DIGEST, work.now(tx), ben.id)], work.now(tx))
        for attempt in range(work.MAX_ATTEMPTS):
            at = work.now(tx) + attempt * HOUR
            (claim,) = work.claim(tx, at, HOUR, holder="a worker", most={})
            work.fail(tx, claim, at, f"no server at {ADDRESS}")
    Accounts(database, lambda: NOW).set_password(ben.id, hash_password(PASSWORD))


@pytest.fixture
def running(home: Path) -> Iterator[Site]:
    with site(home, NOW) as served:
        yield served


def test_an_admin_sees_what_fails_and_no_secret(running: Site) -> None:
    page = running.signed_in("local", PASSWORD).get("/server").body
    assert "1 piece of work set aside · work is late · 1 broken feed" in page
    assert "The digest of Ben" in page
    assert page.count("https://a.example/private/…/rss?token=…") == 3  # the feed, its error, and why work failed
    assert "4 failures in a row · last worked 1 h ago" in page
    assert "a.example</bdi>" in page
    assert "due 1 h ago" in page
    for secret in ("quince", "marmalade", "7f9ac81d77b2e94c"):
        assert secret not in page


def test_many_people_cost_no_more_statements_and_the_page_lists_the_first(
    running: Site, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iscore.web.pages.server.MOST_ROWS", 3)
    monkeypatch.setattr("iscore.web.pages.server.MOST_ROWS", 3)
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    admin = running.signed_in("local", PASSWORD)
    admin.get("/server")
    event.listen(Engine, "before_cursor_execute", note)
    try:
        assert 'Ben</bdi><span class="soft">reader · 2 feeds' in admin.get("/server").body
        few = len(statements)
        with open_database(home / "iscore.db") as database, database.write() as tx:
            for number in range(10):
                feeds.subscribe(tx, users.add(tx, f"reader {number}", 5).id, [Subscription("https://b.example/feed")])
        admin.get("/server")  # looks whether settings have changed, too, since something was written
        statements.clear()
        page = admin.get("/server").body
        assert len(statements) <= few
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert ("reader 0</bdi>" in page, "reader 1</bdi>" in page, "and 9 more" in page) == (True, False, True)


def test_set_aside_work_is_tried_again(running: Site, home: Path) -> None:
    admin = running.signed_in("local", PASSWORD)
    page = admin.get("/server")
    form = {name: page.hidden(name) for name in ("token", "task", "key")}
    assert admin.post("/server", form | {"task": "nothing"}).status == 400
    assert admin.post("/server", form).status == 303
    assert "Set aside" not in admin.get("/server").body
    with open_database(home / "iscore.db") as database, database.write() as tx:
        assert work.set_aside(tx) == []
        (claim,) = work.claim(tx, work.now(tx), HOUR, holder="a worker", most={})
        assert (claim.task, claim.attempts) == (Task.DIGEST, 1)


def test_a_reader_sees_and_changes_nothing_of_it(running: Site, home: Path) -> None:
    ben = running.signed_in("Ben", PASSWORD)
    assert ben.get("/server").status == 403
    assert 'href="/server"' not in ben.get("/account").body
    form = {"token": ben.get("/account").hidden("token"), "task": "digest", "key": str(LOCAL_USER + 1)}
    assert ben.post("/server", form).status == 403
    with open_database(home / "iscore.db") as database, database.read() as tx:
        assert len(work.set_aside(tx)) == 1


def test_it_has_words_for_all_queues_and_tasks_also_in_german(running: Site) -> None:
    assert {each.value for each in Queue} <= QUEUES.keys()
    assert TASKS.keys() == set(Task)
    admin = running.signed_in("local", PASSWORD)
    set_language(admin, "de")
    assert "1 zurückgestellte Aufgabe · Arbeit ist verspätet · 1 gestörter Feed" in admin.get("/server").body


@pytest.mark.long
@needs_chromium
@needs_axe
@pytest.mark.parametrize(("width", "dark"), [(360, True), (1280, False)])
def test_in_a_browser_by_keys_it_fits_and_is_accessible(browser: Chromium, home: Path, width: int, dark: bool) -> None:
    with served(home) as server:
        page = browser.page(width=width, dark=dark)
        page.go(server.address + "login?next=/server")
        page.fill("[name=name]", "local")
        page.fill("[name=password]", PASSWORD)
        page.press("Enter", loads=True)
        assert page.text("h1") == "Server"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert found(page) == []
        page.evaluate("document.querySelector('form[action=\"/server\"] button').focus()")
        page.press("Enter", loads=True)
        assert "set aside" not in page.text(".headline")
        assert page.complaints == []
