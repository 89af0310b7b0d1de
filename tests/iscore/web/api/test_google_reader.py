"""The Google Reader API, by what the apps do that people use with it: signing in and reading."""

from __future__ import annotations

import base64
import gc
import json
import re
import shutil
from datetime import timedelta
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree as ET

import pytest

from iscore.core.passwords import hash_password
from iscore.services.apps.personal_feeds import PersonalList
from iscore.web.api.google_reader_names import ITEM, item_id, item_number, long_id
from iscore.web.api.requests import Call
from iscore.web.threads import VERDICTS
from storage.log import feedback, marks
from storage.people import documents
from storage.records.users import LOCAL_USER, AppOption
from storage.stories import client_items
from storage.stories.client_items import Unread
from storage.stream import feeds
from tests.iscore.web.api.conftest import (
    BEN,
    BENS,
    BEST,
    EXPLORED,
    FEED,
    HIDDEN,
    NOW,
    OLD,
    READ,
    READING_LIST,
    ClientApp,
    categories,
    choose,
    miniflux_of,
)
from tests.iscore.web.api.test_fever import app_of as fever_app_of
from tests.iscore.web.in_process import Site, site

PLAYER = (
    '<p><audio controls preload="none" src="https://a.example/a.mp3">'
    '<a href="https://a.example/a.mp3">https://a.example/a.mp3</a></audio></p>'
)

# Signing in.


def test_netnewswire_splits_each_line_of_the_sign_in_at_its_only_equals_sign(running: Site, anna: ClientApp) -> None:
    form = {"Email": "anna", "Passwd": anna.password}
    answer = running.client().post("/accounts/ClientLogin", form)
    assert answer.status == 200
    lines = answer.body.splitlines()
    assert [len(line.split("=")) for line in lines] == [2, 2, 2]
    assert all(line.split("=")[1] for line in lines)
    assert running.client().get(f"/accounts/ClientLogin?Email=Anna&Passwd={anna.password}").body == answer.body


def test_readyou_reads_the_sign_in_as_json(running: Site, anna: ClientApp) -> None:
    form = {"Email": "Anna", "Passwd": anna.password, "output": "json", "client": "Read You", "service": "reader"}
    answer = running.client().post("/api/greader.php/accounts/ClientLogin", form)
    assert json.loads(answer.body)["Auth"] == anna.token


@pytest.mark.parametrize("name", ["Anna ", " anna", "Anna\t", "\u00a0Anna\u2009", "ANNA \r\n", "Ａnna\u3000"])
def test_a_name_may_have_blanks_around_it_as_phones_add_them(running: Site, anna: ClientApp, name: str) -> None:
    form = {"Email": name, "Passwd": anna.password}
    assert f"Auth={anna.token}\n" in running.client().post("/accounts/ClientLogin", form).body
    login = base64.b64encode(f"{name}:{anna.password}".encode()).decode()
    assert running.client().get("/v1/me", Authorization=f"Basic {login}").status == 200
    running.context.accounts.set_password(LOCAL_USER, hash_password("a walk by the harbour"))
    assert running.signed_in(name, "a walk by the harbour").get("/").status == 200


def test_apps_that_say_freshrss_and_those_whose_address_ends_with_a_slash_are_understood(anna: ClientApp) -> None:
    for base in ("", "/api/greader.php", "/"):
        anna.base = base
        assert anna.json("user-info")["userName"] == "Anna"
    assert anna.client.get("/api/greader.php").body == "OK"


def test_apps_find_a_server_below_a_path_of_its_host(made_folder: Path, tmp_path: Path) -> None:
    home = shutil.copytree(made_folder, tmp_path / "home")
    with site(home, NOW, address="https://example.org/iscore") as running:
        password = running.context.accounts.make_app_password(LOCAL_USER, "Phone")
        client = running.client(host="example.org")
        for base in ("/iscore/api/greader.php", "/iscore"):
            app = ClientApp(client, password, base).sign_in()
            assert app.unread() == [EXPLORED, BEST]


def test_a_revoked_password_ends_what_its_app_may_do_and_nothing_else(running: Site, anna: ClientApp) -> None:
    other = ClientApp(running.client(), running.context.accounts.make_app_password(LOCAL_USER, "Tablet")).sign_in()
    assert running.context.accounts.revoke_app_password(LOCAL_USER, "Phone")
    answer = anna.get("/reader/api/0/user-info")
    assert (answer.status, answer.headers["google-bad-token"]) == (401, "true")
    assert other.json("user-info")["userName"] == "Anna"


def test_an_app_s_password_and_its_token_are_useless_on_pages(running: Site, anna: ClientApp) -> None:
    page = running.client().get("/login")
    form = {"token": page.hidden("token"), "name": "Anna", "password": anna.password, "next": ""}
    assert running.client().post("/login", form).status == 403
    assert anna.get("/account").status == 303  # to sign in


def test_wrong_passwords_wait_and_keep_nobody_from_the_pages(running: Site, anna: ClientApp) -> None:
    wrong = {"Email": "Anna", "Passwd": "guess"}
    answers = [anna.client.post("/accounts/ClientLogin", wrong).status for _ in range(6)]
    assert answers == [401] * 5 + [429]
    assert anna.client.get("/login").status == 200
    assert anna.json("user-info")  # who has signed in stays so
    running.clock.now += timedelta(minutes=10)
    assert anna.sign_in().token


def test_failed_sign_ins_of_apps_survive_a_restart_and_are_no_failed_logins(made_folder: Path, tmp_path: Path) -> None:
    home = shutil.copytree(made_folder, tmp_path / "home")
    guess = {"Email": "Anna", "Passwd": "guess"}
    with site(home, NOW) as running:
        password = running.context.accounts.make_app_password(LOCAL_USER, "Phone")
        assert [running.client().post("/accounts/ClientLogin", guess).status for _ in range(5)] == [401] * 5
    with site(home, NOW) as restarted:
        assert restarted.client().post("/accounts/ClientLogin", guess).status == 429
        assert restarted.context.logins.wait("127.0.0.1", "anna", NOW) == 0
        assert ClientApp(restarted.client(peer="192.0.2.7"), password).sign_in().token


def test_without_a_valid_token_nothing_is_shown(anna: ClientApp) -> None:
    for token in ("", "x", "1", "1/", "99/abc", "²/abc"):
        anna.token = token
        assert anna.get("/reader/api/0/tag/list").status == 401, token
        assert anna.post("edit-tag", ("i", item_id(BEST)), ("a", READ), ("T", "x")).status == 401, token


def test_the_header_or_t_is_enough(running: Site, anna: ClientApp) -> None:
    token = anna.get("/reader/api/0/token").body
    for given in ("", "x", token, f"{token}\n"):  # FeedMe, Reeder, and those who pass on the line
        assert anna.post("edit-tag", ("i", item_id(BEST)), ("a", READ), ("T", given)).body == "OK"
    anna.token = ""
    assert anna.post("edit-tag", ("i", item_id(BEST)), ("r", READ), ("T", token)).body == "OK"
    assert anna.get("/reader/api/0/tag/list", ("T", token)).status == 401  # addresses are logged


# Lists of ids.


def _as_on_day_one(running: Site) -> None:
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        tx.connection.exec_driver_sql("DELETE FROM effective_verdicts WHERE kind = 'dislike'")


def test_while_the_filter_learns_only_what_a_rule_hides_is_read(running: Site, anna: ClientApp) -> None:
    _as_on_day_one(running)
    assert anna.unread() == [HIDDEN, EXPLORED, BEST]
    assert anna.json("unread-count")["max"] == 3
    assert fever_app_of(running, app="Watch").numbers("unread_item_ids") == [HIDDEN, EXPLORED, BEST]
    assert miniflux_of(running).numbers("status=unread&order=id") == [BEST, EXPLORED, HIDDEN]
    assert "user/-/label/iScore/hidden" in categories(anna, HIDDEN)
    news = running.context.users.entry(LOCAL_USER).news
    found = news.personal_feeds.listed(PersonalList.RECOMMENDED).items
    assert [each.state.seq for each in found] == [EXPLORED, BEST]
    with news.database.write() as tx:
        documents.put(tx, LOCAL_USER, "rules.yaml", "rules:\n  - action: never\n    word: timetable\n", NOW)
    assert anna.unread() == [EXPLORED, BEST]
    choose(running, AppOption.HIDDEN_UNREAD)
    assert anna.unread() == [HIDDEN, EXPLORED, BEST]


def test_recommended_and_explored_stories_are_unread_and_everything_is_listed(anna: ClientApp) -> None:
    assert anna.numbers(READING_LIST) == [HIDDEN, EXPLORED, BEST, OLD]
    assert anna.unread() == [EXPLORED, BEST]
    assert anna.numbers(READING_LIST, ("it", "user/-/state/com.google/unread")) == [EXPLORED, BEST]
    assert anna.numbers(READ) == [HIDDEN, OLD]  # ReadYou
    assert anna.numbers("user/-/label/iScore/hidden") == [HIDDEN]
    assert anna.numbers("user/-/label/iScore/best") == [BEST, OLD]
    assert anna.numbers("user/1000/label/Arts & more", ("it", "user/-/label/iScore/best")) == [BEST, OLD]
    assert anna.numbers(f"feed/{FEED}") == anna.numbers("feed/2") == [HIDDEN, EXPLORED, BEST, OLD]
    assert anna.numbers("feed/https://other.example/") == anna.numbers("user/-/label/nothing") == []


def test_hidden_stories_are_unread_where_that_was_chosen_and_when_they_rise(running: Site, anna: ClientApp) -> None:
    choose(running, AppOption.HIDDEN_UNREAD)
    assert anna.unread() == [HIDDEN, EXPLORED, BEST]
    choose(running)
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE current_scores SET interesting = true, score = 2 WHERE seq = 4")
    assert anna.unread() == [HIDDEN, EXPLORED, BEST]


def test_netnewswire_reads_ids_as_positive_decimals_and_follows_the_continuation(anna: ClientApp) -> None:
    pages, continuation = [], ""
    while True:
        given = (("s", READING_LIST), ("n", 3), ("ot", "1700000000.25"), ("c", continuation))
        page = anna.json("stream/items/ids", *given)
        pages.append([int(each["id"]) for each in page["itemRefs"]])
        continuation = page.get("continuation", "")
        assert isinstance(continuation, str)  # RSS Guard
        if not continuation:
            break
    assert pages == [[item_id(HIDDEN), item_id(EXPLORED), item_id(BEST)], [item_id(OLD)]]
    assert all(0 < each < 2**53 for page in pages for each in page)


def test_rss_guard_asks_for_two_hundred_thousand_ids(anna: ClientApp) -> None:
    found = anna.json("stream/items/ids", ("s", READING_LIST), ("n", 200000), ("ot", 0))
    assert len(found["itemRefs"]) == 4
    assert "continuation" not in found


def test_the_oldest_first_and_only_some_time(anna: ClientApp) -> None:
    at = int((NOW - timedelta(days=1.7)).timestamp())
    assert anna.numbers(READING_LIST, ("r", "o")) == [OLD, BEST, EXPLORED, HIDDEN]
    assert anna.numbers(READING_LIST, ("ot", at)) == [HIDDEN, EXPLORED]
    assert anna.numbers(READING_LIST, ("nt", at), ("r", "n")) == [BEST, OLD]
    first = anna.json("stream/items/ids", ("s", READING_LIST), ("r", "o"), ("n", 3))
    assert anna.numbers(READING_LIST, ("c", first["continuation"]), ("r", "o")) == [HIDDEN]
    assert anna.get("/reader/api/0/stream/items/ids", ("c", item_id(EXPLORED))).status == 400


def test_an_id_is_understood_however_an_app_writes_it() -> None:
    for number in (1, 7, 16, 255, 12_345_678):
        value = item_id(number)
        ways = (long_id(number), f"{value:x}", f"{value:X}", f"{value:016x}", str(value), f"{ITEM}{value:x}")
        assert {item_number(each) for each in ways} == {number}
    assert {item_number(each) for each in ("", "7", "-7", "x", "0", f"{2**63}", "9" * 400, "f" * 16)} == {0}


# Contents.


def test_an_item_has_all_that_apps_read(anna: ClientApp) -> None:
    (item,) = anna.json("stream/items/contents", ("i", f"{item_id(BEST):x}"))["items"]  # NetNewsWire
    assert item["id"] == long_id(BEST)
    assert item["title"] == "Harbour & <quay>"
    assert item["alternate"] == [{"href": "https://a.example/Harbour", "type": "text/html"}]
    assert item["origin"] == {"streamId": "feed/2", "htmlUrl": "", "title": "The <Quay>"}
    assert (item["author"], item["published"]) == ("Ada", int((NOW - timedelta(days=3)).timestamp()))
    arrived = int((NOW - timedelta(days=2)).timestamp())
    assert (item["crawlTimeMsec"], item["timestampUsec"]) == (f"{arrived}000", f"{arrived}000000")
    content = item["summary"]["content"]
    assert "<b>text</b>" in content
    assert 'src="https://a.example/quay.png"' in content
    assert "script" not in content
    assert content.endswith(PLAYER)
    assert item["enclosure"] == [{"href": "https://a.example/a.mp3", "type": "audio/mpeg", "length": 12}]
    assert item["categories"] == [READING_LIST, "user/-/label/Arts & more", "user/-/label/iScore/best"]
    assert READ in categories(anna, HIDDEN)
    assert "user/-/label/iScore/hidden" in categories(anna, HIDDEN)


def test_rss_guard_posts_two_hundred_ids_without_t(anna: ClientApp) -> None:
    ids = [("i", long_id(number)) for number in (EXPLORED, *range(1000, 1200), BEST)]
    found = anna.post("stream/items/contents?output=json&n=200000", *ids)
    assert [each["id"] for each in json.loads(found.body)["items"]] == [long_id(EXPLORED), long_id(BEST)]


def test_a_thousand_ids_fit_into_a_request_and_no_page_takes_so_much(running: Site, anna: ClientApp) -> None:
    ids = [("i", f"{ITEM}{item_id(number):016x}") for number in range(1, 1000)]
    assert anna.post("edit-tag", *ids, ("a", READ)).body == "OK"
    assert anna.post("edit-tag", ("i", "x" * 1_100_000)).status == 413
    assert running.client().post("/login", "x" * 20_000).status == 413


def test_newsboat_reads_the_contents_of_an_escaped_stream(anna: ClientApp) -> None:
    found = anna.json("stream/contents/feed%2F2", ("n", 3))
    assert [each["id"] for each in found["items"]] == [long_id(HIDDEN), long_id(EXPLORED), long_id(BEST)]
    again = anna.json("stream/contents/feed/2", ("n", 3), ("c", found["continuation"]))
    assert [each["id"] for each in again["items"]] == [long_id(OLD)]
    assert anna.json("stream/contents/user/-/label/Arts%20%26%20more", ("s", "feed/9"))["items"]
    assert len(anna.json("stream/contents", ("s", "feed/2"))["items"]) == 4
    assert len(anna.json("stream/contents")["items"]) == 4  # EasyRSS


def test_an_older_newsboat_reads_atom_with_states_as_categories(anna: ClientApp) -> None:
    root = ET.fromstring(anna.get("/reader/atom/feed%2F2", ("n", 20)).body)
    name = "{http://www.w3.org/2005/Atom}"
    assert root.findtext(f"{name}title") == "The <Quay>"
    states = {
        entry.findtext(f"{name}id"): {each.get("label") for each in entry.findall(f"{name}category")}
        for entry in root.findall(f"{name}entry")
    }
    assert "read" in states[long_id(HIDDEN)]
    assert "fresh" in states[long_id(BEST)]
    assert "fresh" not in states[long_id(OLD)]


# Others.


def test_what_is_another_s_can_neither_be_seen_nor_changed(running: Site, anna: ClientApp) -> None:
    ben = ClientApp(running.client(), running.context.accounts.make_app_password(BEN, "Phone"))
    form = {"Email": "Ben", "Passwd": ben.password}
    ben.token = re.findall("Auth=(.*)", ben.client.post("/accounts/ClientLogin", form).body)[0]
    assert ben.client.post("/accounts/ClientLogin", form | {"Passwd": anna.password}).status == 401
    ben.token, own = anna.token.replace("1/", "2/", 1), ben.token
    assert ben.get("/reader/api/0/user-info").status == 401
    ben.token = own
    assert ben.numbers(READING_LIST) == [BENS]
    for stream in ("feed/2", f"feed/{FEED}", "user/1/label/Arts & more", "user/1/state/com.google/starred"):
        assert {*ben.numbers(stream)} <= {BENS}
        for path in ("api/0/stream/contents", "atom"):
            assert "Harbour" not in ben.get(f"/reader/{path}/{quote(stream, safe='')}").body
    ids = [("i", item_id(number)) for number in (BEST, OLD, HIDDEN)]
    assert ben.json("stream/items/contents", *ids)["items"] == []
    for name in ("a", "r"):
        for state in ("state/com.google/read", "state/com.google/starred", "label/like", "label/mine"):
            ben.edit(*ids, (name, state))
    ben.post("subscription/edit", ("ac", "unsubscribe"), ("s", "feed/2"))
    ben.post("mark-all-as-read", ("s", "feed/2"))
    with running.context.users.entry(LOCAL_USER).news.database.read() as tx:
        assert feedback.last_row(tx, LOCAL_USER) == feedback.last_row(tx, BEN) == 0
        assert marks.get(tx, LOCAL_USER, [BEST, OLD, HIDDEN]) == marks.get(tx, BEN, [BEST, OLD, HIDDEN]) == {}
        assert feeds.count_followed(tx, LOCAL_USER) == 1
        assert client_items.unread_counts(tx, LOCAL_USER, Unread(NOW - timedelta(days=7)))


def test_what_cannot_be_understood_breaks_nothing(anna: ClientApp) -> None:
    odd = f"stream/items/ids?s=feed/2&n=x&c=%00&ot={'9' * 30}"
    for path in ("stream/items/ids?s=nonsense", "stream/contents/nonsense", odd):
        assert anna.get(f"/reader/api/0/{path}").status in (200, 400), path
    assert anna.get("/reader/api/0/nothing").status == 404
    assert anna.get("/reader/api/0/edit-tag").status == 405


def test_answered_requests_are_freed_with_their_bodies_before_garbage_is_looked_for(anna: ClientApp) -> None:
    anna.json("user-info")
    gc.collect()
    gc.disable()
    try:
        for _ in range(VERDICTS + 3):
            anna.edit(("i", item_id(BEST)), ("a", "state/com.google/read"))
        # A thread may be about to forget the last one that it has answered.
        assert len([each for each in gc.get_objects() if isinstance(each, Call)]) <= VERDICTS
    finally:
        gc.enable()
