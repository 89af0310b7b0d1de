"""Requests that make no sense: each is refused or has an answer, none fails, and none changes anything by mistake."""

from __future__ import annotations

import base64
import shutil
from contextlib import suppress
from pathlib import Path

from starlette.types import Receive, Scope, Send

from iscore.web.api.google_reader_names import item_id
from iscore.web.api.miniflux import MOST_CHANGED
from iscore.web.threads import MOST_AT_ONCE
from storage.records.users import LOCAL_USER
from tests.iscore.web.api.conftest import BEST, EXPLORED, NOW, READING_LIST, ClientApp, app_of, miniflux_of
from tests.iscore.web.api.test_personal_feeds import reader_of
from tests.iscore.web.in_process import AppClient, Site, site

LONG = "9" * 5000
"""More digits than Python reads as a number."""
NO_ADDRESS = "http://[bad"


def test_lists_of_items(anna: ClientApp) -> None:
    def status(*asked: tuple[str, object], path: str = "/reader/api/0/stream/items/ids") -> int:
        return anna.get(path, *asked).status

    every = ("s", READING_LIST)
    assert [status(every, ("n", each)) for each in (LONG, "-5", "x")] == [200] * 3
    assert [status(every, ("c", each)) for each in ("zzz", LONG, "0", "")] == [400, 400, 200, 200]
    assert [status(("s", f"feed/{each}")) for each in (NO_ADDRESS, LONG)] == [200, 200]
    assert status(path=f"/reader/api/0/stream/contents/feed/{NO_ADDRESS}") == 200
    assert status(path="/reader/atom/user/-/label/a%00b") == 400
    assert status(("s", "user/-/label/a\0b")) == 400
    many = [("i", item_id(number)) for number in range(1, 1002)]
    assert [anna.post("stream/items/contents", *each).status for each in (many, many[1:])] == [400, 200]


def test_marks_and_labels(anna: ClientApp) -> None:
    for label in ("a\0b", "a\x01b", "\ufffe", "x" * 5000):
        assert anna.post("edit-tag", ("i", item_id(BEST)), ("a", f"user/-/label/{label}")).status == 400
        assert anna.post("edit-tag", ("a", f"user/-/label/{label}")).status == 400  # no folder of this name, either
    assert not [each for each in anna.json("tag/list")["tags"] if each["id"].endswith("b")]
    for made, status in (("Sea", 200), ("sea", 200), ("like", 200), ("iScore/best", 200), ("", 400)):
        assert anna.post("edit-tag", ("a", f"user/-/label/{made}")).status == status
    assert anna.post("edit-tag", *(("a", f"user/-/label/{number}") for number in range(10_000))).body == "OK"
    folders = [each["id"] for each in anna.json("tag/list")["tags"] if each.get("type") == "folder"]
    assert len(folders) == len({"Arts & more", "Sea"}) + MOST_AT_ONCE
    unread = anna.unread()
    for bad in ("abc", "-5", "1e9", LONG):
        assert anna.post("mark-all-as-read", ("s", READING_LIST), ("ts", bad)).status == 400
    assert anna.unread() == unread != []
    assert anna.post("mark-all-as-read", ("s", READING_LIST), ("ts", "0")).body == "OK"  # as FreshRSS means it
    assert anna.unread() == []


def test_feeds_and_names(running: Site, anna: ClientApp) -> None:
    for action in ("subscribe", "edit", "unsubscribe"):
        assert anna.post("subscription/edit", ("ac", action), ("s", f"feed/{NO_ADDRESS}")).status == 400
    answer = anna.json("subscription/quickadd", ("quickadd", NO_ADDRESS))
    assert answer["numResults"] == 0
    form = {"Email": "A\0", "Passwd": anna.password}
    assert running.client().post("/accounts/ClientLogin", form).status == 400
    login = base64.b64encode(f"A\0nna:{anna.password}".encode()).decode()
    assert running.client().get("/v1/me", Authorization=f"Basic {login}").status == 401


def test_miniflux(running: Site) -> None:
    app = miniflux_of(running)
    for path in ("feeds", "discover"):
        body = {"feed_url": NO_ADDRESS, "url": NO_ADDRESS}
        assert app.error(path, "POST", body)[0] == 400
    for body in ("", "{}", "<opml><bod"):
        assert app.error("import", "POST", body)[0] == 400
    for path in ("entries", "entries/ids"):
        assert app.error(f"{path}?limit=-5") == (400, "offset and limit should be positive")
    assert len(app.json(f"entries/ids?limit={LONG}")["entry_ids"]) == 4
    first = [EXPLORED, *range(100, 100 + MOST_CHANGED)]  # more than are marked at once
    assert app.ask("PUT", "entries", {"entry_ids": [*first, BEST], "status": "read"}).status == 204
    assert app.numbers("status=unread") == []
    assert app.error("entries", "PUT", {"entry_ids": first[1:], "status": "read"})[0] == 404


def test_secret_addresses(running: Site) -> None:
    client, reader = running.client(), reader_of(running)
    assert client.get(f"/personal/x/feed/{LONG}.atom").status == 404
    assert reader.get(f"feed/{LONG}.atom").status == 404
    assert reader.get("feed/2.atom").status == 200
    assert client.get(f"/{reader.address}recommended.atom").status == 200
    assert client.get(f"/api/greader.php{reader.address}recommended.atom").status == 404


def test_what_nobody_expected_is_answered_in_the_form_of_the_api_and_logged_without_secrets(
    made_folder: Path, tmp_path: Path
) -> None:
    with site(Path(shutil.copytree(made_folder, tmp_path / "home")), NOW, complaints=4) as running:

        async def forgiving(scope: Scope, receive: Receive, send: Send) -> None:
            with suppress(TypeError):  # raised again after the answer, for the server
                await running.app(scope, receive, send)

        anna, reader = app_of(running), reader_of(running)
        miniflux = miniflux_of(running)
        miniflux.client = anna.client = reader.client = AppClient(forgiving, run=running.loop.run)
        with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
            tx.connection.exec_driver_sql("UPDATE subscriptions SET tags = '7'")
        assert miniflux.error("feeds") == (500, "internal server error")
        plain = anna.get("/reader/api/0/subscription/list")
        assert (plain.status, plain.body) == (500, "Internal Server Error\n")
        for before in ("", "/"):
            assert reader.client.get(f"{before}{reader.address}recommended.atom").status == 500
        assert [each.partition(": unexpected TypeError")[0] for each in running.logged] == [
            "GET /v1/feeds",
            "GET /reader/api/0/subscription/list",
            "GET /personal/…",
            "GET //personal/…",
        ]
