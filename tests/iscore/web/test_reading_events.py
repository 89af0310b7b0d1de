"""What people do while they read: recorded where they said yes, and only what is theirs."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from iscore.services.learning import reading_events
from iscore.services.learning.reading_events import LONGEST_VISIT
from iscore.web.pages.reading_events import parsed
from iscore.web.security.credentials import CredentialStore
from storage.log.reading_events import last_row
from storage.records.users import LOCAL_USER
from tests.iscore.conftest import Archive
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.conftest import NOW, Served
from tests.iscore.web.in_process import AppClient, Site, site
from tests.iscore.web.test_reader import OPENED, ids, mark
from tests.servers.chromium import Chromium, Page, needs_chromium

EVENTS = (
    "SELECT act, articles.id, seconds FROM reading_events JOIN articles ON articles.seq = reading_events.story "
    "ORDER BY row"
)
VISIT = "v" * 20


def switch(client: Client, *, on: bool) -> Answer:
    form = {"token": client.get("/account").hidden("token"), "action": "reading"}
    return client.post("/account", form | ({"learn": "1"} if on else {}))


def report(client: Client, *lines: str, visit: str = VISIT, token: str = "") -> Answer:
    token = token or client.get("/account").hidden("token")
    return client.post("/reading", {"token": token, "visit": visit, "done": "\n".join(lines)})


@pytest.fixture
def learning(client: Client) -> Client:
    """A browser of somebody who has switched it on."""
    assert switch(client, on=True).place == "/account"
    return client


def events(server: Served) -> Sequence[Any]:
    return server.rows(EVENTS)


def test_nothing_is_recorded_before_the_switch_is_on_or_after_it_is_off(server: Served, client: Client) -> None:
    page = client.get("/all")
    story = ids(page)[0]
    assert "reading-" not in page.body
    assert 'type="checkbox" value="1">' in client.get("/account").body
    assert report(client, f"read {story} 60").status == 204
    client.get(f"/article/{story}", **OPENED)
    mark(client, page, f"save:{story}")
    assert events(server) == []
    switch(client, on=True)
    assert "reading-" in client.get("/all").body
    assert 'value="1" checked>' in client.get("/account").body
    report(client, f"read {story} 60")
    assert len(events(server)) == 1
    switch(client, on=False)
    report(client, f"read {story} 90")
    assert len(events(server)) == 1


def test_what_is_done_is_recorded_once(server: Served, learning: Client) -> None:
    page = learning.get("/all")
    first, second, third, fourth = ids(page)[:4]
    for _ in range(2):
        assert learning.get(f"/article/{first}", **OPENED).status == 200
        assert report(learning, f"read {first} 60", f"original {second}", f"passed {third}").status == 204
    assert report(learning, f"read {first} 999999").status == 204
    mark(learning, page, f"save:{fourth}")
    mark(learning, page, f"unsave:{fourth}")
    assert [tuple(row) for row in events(server)] == [
        ("opened", first, 0.0),
        ("read", first, 60.0),
        ("original", second, 0.0),
        ("passed", third, 0.0),
        ("read", first, LONGEST_VISIT),
        ("saved", fourth, 0.0),
        ("unsaved", fourth, 0.0),
    ]


def test_what_was_on_screen_and_left_unread_is_recorded_and_undone(server: Served, learning: Client) -> None:
    page = learning.get("/all")
    opened, left, unseen = ids(page)[:3]
    learning.get(f"/article/{opened}", **OPENED)
    answer = mark(learning, page, "all:all", **{"on-screen": f"{opened} {left} forged"})
    assert [tuple(row) for row in events(server)] == [("opened", opened, 0.0), ("left", left, 0.0)]
    assert unseen
    at = answer.place.rpartition("-")[2]
    mark(learning, page, f"undo-all:{at}")
    assert tuple(events(server)[-1]) == ("not left", left, 0.0)


def test_what_is_no_report_is_refused() -> None:
    assert parsed("read abc 5\npassed abc\noriginal abc") is not None
    for text in ("read", "read abc", "read abc ", "read abc -5", "read abc 1e9", "read abc 5 5", "read abc 1234567"):
        assert parsed(text) is None
    for text in ("", "\n", "like abc", "saved abc", "left abc", "passed", "passed abc 5", "passed  abc", "passed a b"):
        assert parsed(text) is None
    assert parsed("passed abc\n" * 101) is None


def test_forged_reports_are_refused_whole(server: Served, learning: Client) -> None:
    story = ids(learning.get("/all"))[0]
    assert report(learning, f"passed {story}", "like abc").status == 400
    assert report(learning, f"passed {story}", "passed zzzzzzzz").status == 404
    assert report(learning, f"passed {story}", visit="short").status == 400
    assert report(learning, f"passed {story}", token="forged").status == 403
    assert events(server) == []


def test_there_is_an_end_to_what_a_client_can_send(
    made_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading_events, "AN_HOUR", 200)  # of thousands
    folder = shutil.copytree(made_home, tmp_path / "home")
    CredentialStore(folder).mark_set_up()
    with site(folder, NOW) as running:
        client = running.client()
        switch(client, on=True)
        story, token = ids(client.get("/all"))[0], client.get("/account").hidden("token")
        lines = [f"read {story} {n}" for n in range(1, 101)]
        answers = [report(client, *lines, visit=f"{VISIT}{n}", token=token).status for n in range(3)]
        with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
            assert last_row(tx, LOCAL_USER) == 200
    assert answers == [204, 204, 429]


@pytest.mark.long
@needs_chromium
def test_a_browser_reports_what_is_done(browser: Chromium, server: Served) -> None:
    client = server.client()
    switch(client, on=True)
    page: Page = browser.page()
    page.go(f"{server.address}all")
    stories = list(page.evaluate("[...document.querySelectorAll('[data-stop]')].map(e => e.id.slice(2))"))
    page.press("j")
    page.wait_for(f"document.activeElement.id === 'a-{stories[0]}'")
    page.evaluate("new Promise(done => setTimeout(done, 1200))")
    page.press("j")
    page.go(f"{server.address}article/{stories[1]}")
    page.evaluate("new Promise(done => setTimeout(done, 2300))")
    page.go(f"{server.address}all")
    for _ in range(100):  # a beacon may arrive after the next page
        found = [tuple(row) for row in events(server)]
        if {act for act, _, _ in found} >= {"passed", "read"}:
            break
        page.evaluate("new Promise(done => setTimeout(done, 100))")
    assert ("passed", stories[0], 0.0) in found
    read = [seconds for act, story, seconds in found if (act, story) == ("read", stories[1])]
    assert len(read) == 1
    assert 1.0 <= read[0] <= 20.0


def asked(running: Site) -> tuple[bool, AppClient, dict[str, str]]:
    """Open the set-up page: whether yes is preselected, the browser, and the form."""
    client = running.client()
    page = client.get(running.context.setup.path)
    form = {"token": page.hidden("token"), "key": page.hidden("key"), "name": "Anna", "password": "by the harbour"}
    return 'name="learn" type="checkbox" value="1" checked' in page.body, client, form


@pytest.mark.parametrize("answer", [True, False])
def test_set_up_asks_with_nothing_preselected(tmp_path: Path, answer: bool) -> None:
    Archive(tmp_path / "home").database.close()
    with site(tmp_path / "home", NOW) as running:
        preselected, client, form = asked(running)
        assert not preselected
        assert client.post("/setup", form | ({"learn": "1"} if answer else {})).status == 303
        assert running.context.accounts.get(LOCAL_USER).learns_from_reading is answer


def test_a_guest_is_asked_too(tmp_path: Path) -> None:
    Archive(tmp_path / "home").database.close()
    with site(tmp_path / "home", NOW) as running:
        _, client, form = asked(running)
        client.post("/setup", form)
        accounts = running.context.accounts
        guest, key = running.client(), accounts.invite(LOCAL_USER, "Ben")
        page = guest.get(f"/join?key={key}")
        assert 'type="checkbox" value="1">' in page.body
        fields = {"token": page.hidden("token"), "key": key, "name": "Ben", "password": "by the river", "learn": "1"}
        assert guest.post("/join", fields).status == 303
        assert [each.learns_from_reading for each in accounts.users()] == [False, True]
