"""The Fever API, by what the apps do that people use with it."""

from __future__ import annotations

import hashlib
import json
import time
from base64 import b64encode
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from iscore.web.api.fever import FAVICON, group_id
from iscore.web.security.multipart import parse_multipart
from storage.log import feedback
from storage.records.users import LOCAL_USER, AppOption, Kind
from tests.iscore.web.api.conftest import BEN, BENS, BEST, EXPLORED, FEED, HIDDEN, NOW, OLD, choose, give_icon
from tests.iscore.web.in_process import AppClient, Site


@dataclass
class FeverApp:
    """An app that knows the key."""

    client: AppClient
    key: str
    path: str = "/fever/"

    def ask(self, what: str = "", **form: object) -> Any:
        body = {name: str(value) for name, value in form.items()} | {"api_key": self.key}
        answer = self.client.post(f"{self.path}?api&{what}".rstrip("&"), body)
        assert answer.status == 200
        return json.loads(answer.body)

    def numbers(self, what: str) -> list[int]:
        return [int(each) for each in self.ask(what)[what].split(",") if each]


def app_of(running: Site, user_id: int = LOCAL_USER, name: str = "Anna", app: str = "Phone") -> FeverApp:
    password = running.context.accounts.make_app_password(user_id, app)
    return FeverApp(running.client(), hashlib.md5(f"{name}:{password}".encode(), usedforsecurity=False).hexdigest())


@pytest.fixture
def anna(running: Site) -> FeverApp:
    return app_of(running)


def test_a_wrong_key_gets_nothing_and_a_right_one_the_time(running: Site, anna: FeverApp) -> None:
    assert anna.ask() == {"api_version": 3, "auth": 1, "last_refreshed_on_time": str(int(NOW.timestamp()))}
    for path in ("/fever", "/fever/index.php", "/api/fever.php", "/api/fever.php/", "//fever/"):
        anna.path = path
        assert anna.ask()["auth"] == 1
        for what in ("feeds", f"mark=item&as=unread&id={BEST}"):  # Readrops leaves out what says which API it is
            assert json.loads(anna.client.post(f"{path}?{what}", {"api_key": anna.key}).body)["auth"] == 1
    anna.key = anna.key.upper()  # some write hexadecimal so
    assert anna.ask()["auth"] == 1
    running.context.accounts.revoke_app_password(LOCAL_USER, "Phone")
    assert anna.ask("items&feeds") == {"api_version": 3, "auth": 0}
    for anna.key in ("", "0" * 32):
        assert anna.ask("items") == {"api_version": 3, "auth": 0}


DISPOSED = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'


def parts(*pairs: tuple[str, object], edge: str = "X") -> str:
    """Write a form of several parts."""
    return "".join(f"--{edge}\r\n{DISPOSED.format(*pair)}" for pair in pairs) + f"--{edge}--\r\n"


def test_forms_of_several_parts_say_the_same(running: Site, anna: FeverApp) -> None:
    def ask(kind: str, body: str, query: str = "") -> tuple[int, Any]:
        answer = anna.client.send("POST", f"/fever/?api{query}", body, Content_Type=f"multipart/form-data; {kind}")
        return answer.status, json.loads(answer.body) if answer.status == 200 else None

    key = ("api_key", anna.key)
    plain = parts(key)
    for kind, body in (
        ("boundary=X", plain),
        ('charset=utf-8; boundary="X"', plain),
        ("boundary=X", plain.replace('"api_key"', "api_key")),
        ("boundary=----WebKit'()+_,-./:=?7", parts(key, edge="----WebKit'()+_,-./:=?7")),
        ("boundary=X", plain.replace("\r\n\r\n", "\r\nContent-Type: text/plain; charset=UTF-8\r\n\r\n")),
        ("boundary=X", parts(("api_key", anna.key.upper()), ('file"; filename="a.txt', "a\r\n--\r\nX"))),
    ):
        assert ask(kind, body)[1]["auth"] == 1, body
    assert ask("boundary=X", plain, "&items&feeds")[1] == anna.ask("items&feeds")
    saved = ask("boundary=X", parts(key, ("mark", "item"), ("as", "saved"), ("id", BEST)))[1]
    assert saved["saved_item_ids"] == str(BEST)
    assert ask("boundary=X", parts(("api_key", "0" * 32)))[1] == {"api_version": 3, "auth": 0}
    cut, nameless = plain.removesuffix("--\r\n"), plain.replace("name=", "x=")
    for bad in ("--X", "api_key=1", cut, nameless, parts(("a", "\0")), DISPOSED.format(*key)):
        assert ask("boundary=X", bad)[0] == 400, bad
    assert ask("", plain)[0] == 400


def test_a_form_of_several_parts_has_a_limit_and_takes_no_time() -> None:
    kind, two = "multipart/form-data; boundary=X", parts(("a", 1), ("b", 2)).encode()
    assert parse_multipart(kind, two, most=2).fields == [("a", "1"), ("b", "2")]
    bodies = [two * 50_000, b"--X\n" * 250_000, b"\r\n\r" * 300_000, b"\r\n--X" + b" " * 1_000_000]
    bodies += [b"--X\r\nContent-Disposition: form-data; " + b"a=b;" * 250_000 + b'name="a"\r\n\r\n7\r\n--X--']
    began = time.process_time()
    for body in (two, *bodies):
        with pytest.raises(ValueError, match="form"):
            parse_multipart(kind, body.replace(b"--X--", b"--X", body.count(b"--X--") - 1), most=1)
    assert time.process_time() - began < 2.0


def test_feeds_and_folders_have_numbers(anna: FeverApp) -> None:
    found = anna.ask("groups&feeds&favicons&links")
    group = group_id("Arts & more")
    assert found["groups"] == [{"id": group, "title": "Arts & more"}]
    assert found["feeds_groups"] == [{"group_id": group, "feed_ids": "2"}]
    (feed,) = found["feeds"]
    assert (feed["id"], feed["title"], feed["url"], feed["is_spark"]) == (2, "The <Quay>", FEED, 0)
    assert found["favicons"] == [{"id": feed["favicon_id"], "data": FAVICON}]
    assert found["links"] == []


def test_feeds_without_a_folder_are_in_a_group_of_their_own(anna: FeverApp, running: Site) -> None:
    running.context.users.entry(LOCAL_USER).news.subscriptions.rename_folder("Arts & more")
    found = anna.ask("groups")
    assert found["groups"] == [{"id": 1, "title": "Without a folder"}]
    assert found["feeds_groups"] == [{"group_id": 1, "feed_ids": "2"}]
    assert anna.ask(mark="group", id=1, **{"as": "read"})["unread_item_ids"] == ""
    assert anna.ask(unread_recently_read=1)["unread_item_ids"] == f"{EXPLORED},{BEST}"


def test_items_end_with_players_of_their_sound(anna: FeverApp) -> None:
    assert '<audio controls preload="none" src="https://a.example/a.mp3">' in anna.ask("items")["items"][0]["html"]


def test_each_feed_has_its_own_icon(running: Site, anna: FeverApp) -> None:
    give_icon(running, LOCAL_USER, b"picture")
    give_icon(running, BEN, b"Ben's")
    found = anna.ask("feeds&favicons")
    assert [feed["favicon_id"] for feed in found["feeds"]] == [2]
    data = b64encode(b"picture").decode()
    assert found["favicons"] == [{"id": 2, "data": f"image/png;base64,{data}"}]


def test_items_come_from_either_end_and_by_their_numbers(anna: FeverApp) -> None:
    found = anna.ask("items")
    assert [each["id"] for each in found["items"]] == [OLD, BEST, EXPLORED, HIDDEN]
    assert found["total_items"] == 4
    assert [each["id"] for each in anna.ask(f"items&since_id={BEST}")["items"]] == [EXPLORED, HIDDEN]
    assert [each["id"] for each in anna.ask(f"items&max_id={EXPLORED}")["items"]] == [BEST, OLD]
    assert [each["id"] for each in anna.ask(f"items&with_ids={HIDDEN},999,{BENS}, {BEST},x")["items"]] == [HIDDEN, BEST]
    item = anna.ask(f"items&with_ids={BEST}")["items"][0]
    assert (item["feed_id"], item["title"], item["author"]) == (2, "Harbour & <quay>", "Ada")
    assert (item["is_read"], item["is_saved"]) == (0, 0)
    assert item["created_on_time"] == int((NOW - timedelta(days=3)).timestamp())
    assert "<b>text</b>" in item["html"]


def test_items_are_read_unread_saved_and_liked(running: Site, anna: FeverApp) -> None:
    assert anna.numbers("unread_item_ids") == [EXPLORED, BEST]
    marked = anna.ask(mark="item", id=BEST, **{"as": "read"})
    assert marked["unread_item_ids"] == str(EXPLORED)
    assert anna.ask(mark="item", id=HIDDEN, **{"as": "unread"})["unread_item_ids"] == f"{HIDDEN},{EXPLORED}"
    assert anna.ask(mark="item", id=BEST, **{"as": "saved"})["saved_item_ids"] == str(BEST)
    with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
        assert feedback.verdict(tx, LOCAL_USER, BEST) is Kind.LIKE
    assert anna.ask(mark="item", id=BEST, **{"as": "unsaved"})["saved_item_ids"] == ""
    choose(running, AppOption.HIDDEN_UNREAD)
    assert anna.numbers("unread_item_ids") == [HIDDEN, EXPLORED]


def test_feeds_folders_and_everything_are_read_up_to_a_time_and_unread_again(anna: FeverApp) -> None:
    seen = int((NOW - timedelta(days=2)).timestamp())
    for kind, number in (("feed", 2), ("group", group_id("Arts & more")), ("group", 0)):
        assert anna.ask(mark=kind, id=number, before=seen, **{"as": "read"})["unread_item_ids"] == str(EXPLORED)
        assert anna.ask(unread_recently_read=1)["unread_item_ids"] == f"{EXPLORED},{BEST}"
    assert anna.ask(unread_recently_read=1)["unread_item_ids"] == f"{EXPLORED},{BEST}"  # nothing to undo
    for kind, number, before in (("feed", 9, seen), ("group", 9, ""), ("nothing", 0, ""), ("group", 0, "-5")):
        anna.ask(mark=kind, id=number, before=before, **{"as": "read"})
    assert anna.numbers("unread_item_ids") == [EXPLORED, BEST]


def test_what_is_another_s_can_neither_be_seen_nor_changed(running: Site, anna: FeverApp) -> None:
    ben = app_of(running, BEN, "Ben")
    assert [each["id"] for each in ben.ask("items")["items"]] == [BENS]
    assert ben.ask(f"items&with_ids={BEST},{OLD}")["items"] == []
    for state in ("read", "unread", "saved", "unsaved"):
        ben.ask(mark="item", id=BEST, **{"as": state})
    ben.ask(mark="feed", id=2, **{"as": "read"})
    assert "Quay" not in json.dumps([each for each in ben.ask("feeds&groups")["feeds"] if each["id"] == 2])
    assert anna.numbers("unread_item_ids") == [EXPLORED, BEST]
    assert anna.numbers("saved_item_ids") == ben.numbers("saved_item_ids") == []
