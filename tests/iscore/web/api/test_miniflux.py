"""Miniflux's API: who may ask, categories and feeds.

With ``test_miniflux_entries`` it restates what Miniflux's own tests ask of a server
(``internal/api/api_integration_test.go``, in August 2026). These of them do not apply:

- users and API keys (17 tests of ``/v1/users``, one of ``/v1/api-keys``): accounts and passwords of apps are made on
  pages, and no password of an app may make others.
- the address of a feed is changed, or to one that is followed already: a feed is its address, so that is refused.
- settings that iScore has not: ``ignore_http_cache``, ``scraper_rules``, ``hide_globally`` of feeds and categories.
- an entry's title or content is changed, an entry is imported, the progress of an enclosure is stored: articles are
  facts here, as they arrived.
- the history is emptied: what was read stays, since verdicts refer to it.
- saving is refused, and the status of integrations is false, as long as no other service is set up: iScore saves.
- build date, commit and compiler in ``version`` are not empty: what would they be of?
- a category is removed with its feeds: here its feeds stay.
- wrong addresses of the server: the client's own business.
"""

from __future__ import annotations

import base64
import json
from datetime import timedelta

import pytest

from storage.records.users import LOCAL_USER
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
    MinifluxApp,
    give_icon,
    miniflux_of,
)
from tests.iscore.web.in_process import Site
from tests.servers.attacker import attacker

GROUP = 2
"""The category of Anna's feed."""


@pytest.fixture
def anna(running: Site) -> MinifluxApp:
    return miniflux_of(running)


# Signing in.


def test_a_password_in_a_header_or_with_the_user_s_name_signs_in(running: Site, anna: MinifluxApp) -> None:
    me = anna.json("me")
    assert (me["id"], me["username"], me["is_admin"]) == (LOCAL_USER, "Anna", True)
    assert {*anna.json("version")} == {"version", "commit", "build_date", "go_version", "compiler", "arch", "os"}
    assert anna.json("integrations/status") == {"has_integrations": True}
    basic = base64.b64encode(f"anna:{anna.password}".encode()).decode()
    assert anna.client.get("/v1/me", Authorization=f"Basic {basic}").status == 200
    assert anna.client.get("//v1/me", X_Auth_Token=anna.password).status == 200
    assert running.client().get("/healthcheck").body == "OK"


def test_without_a_password_there_is_nothing(running: Site) -> None:
    for headers in ({}, {"X_Auth_Token": "x"}, {"Authorization": "Basic x"}, {"Authorization": "x"}):
        answer = running.client().get("/v1/me", **headers)
        found = (answer.status, json.loads(answer.body))
        assert found == (401, {"error_message": "access unauthorized"}), headers
        assert answer.headers["www-authenticate"].startswith("Basic "), headers


def test_other_sites_use_no_password_that_a_browser_knows(anna: MinifluxApp) -> None:
    basic = {"Authorization": "Basic " + base64.b64encode(f"Anna:{anna.password}".encode()).decode()}
    token = {"X-Auth-Token": anna.password}
    site, host = {"Sec-Fetch-Site": "cross-site"}, "http://127.0.0.1:8473"
    body, form, evil = '{"title": "Sea"}', {"Content-Type": "text/plain"}, {"Origin": "http://evil.example"}
    json_ = {"Content-Type": "application/json"}
    for headers, status in (
        (basic | site, 401), (basic | evil, 401), (basic | {"Origin": "null"}, 401), (token | form, 415),
        (basic | form, 415), (token | evil, 415), (token | evil | json_, 201), (basic | {"Origin": host} | json_, 400),
    ):  # fmt: skip
        assert anna.client._ask("POST", "/v1/categories", headers, body).status == status, headers
    for browser in ({"Sec-Fetch-Site": "none"}, {"User-Agent": "Mozilla/5.0 (X11)"}):
        answer = anna.client._ask("GET", "/v1/me", browser, None)
        assert (answer.status, answer.headers.get("www-authenticate")) == (401, None)


def test_a_revoked_password_is_none_and_guessing_has_to_wait(running: Site, anna: MinifluxApp) -> None:
    guess = base64.b64encode(b"Anna:guess").decode()
    right = base64.b64encode(f"Anna:{anna.password}".encode()).decode()
    for _ in range(5):
        assert anna.client.get("/v1/me", Authorization=f"Basic {guess}").status == 401
    assert anna.client.get("/v1/me", Authorization=f"Basic {right}").status == 401  # too soon
    running.clock.now += timedelta(minutes=10)
    assert anna.client.get("/v1/me", Authorization=f"Basic {right}").status == 200
    assert anna.client.get("/account", X_Auth_Token=anna.password).status == 303  # to sign in
    running.context.accounts.revoke_app_password(LOCAL_USER, "Miniflux")
    assert anna.ask("GET", "me").status == 401
    assert anna.client.get("/v1/me", Authorization=f"Basic {right}").status == 401


# Categories.


def test_a_folder_is_a_category_and_feeds_without_one_are_in_the_first(anna: MinifluxApp) -> None:
    assert [(each["id"], each["title"]) for each in anna.json("categories")] == [(1, "All"), (GROUP, "Arts & more")]
    counted = anna.json("categories?counts=true")
    assert [(each["feed_count"], each["total_unread"]) for each in counted] == [(0, 0), (1, 2)]
    (feed,) = anna.json(f"categories/{GROUP}/feeds")
    assert (feed["id"], feed["category"]["title"]) == (2, "Arts & more")
    assert anna.json("categories/1/feeds") == []


def test_categories_are_made_renamed_and_removed_and_their_number_stays(anna: MinifluxApp) -> None:
    made = anna.json("categories", "POST", {"title": "Sea"}, status=201)
    assert (made["title"], made["user_id"]) == ("Sea", LOCAL_USER)
    for title, problem in (("sea", "This category already exists."), ("", "The title is mandatory.")):
        assert anna.error("categories", "POST", {"title": title}) == (400, problem)
    assert anna.json("feeds/2", "PUT", {"category_id": made["id"]}, status=201)["category"] == made
    assert [each["title"] for each in anna.json("categories")] == ["All", "Sea"]  # nothing is in the other any more
    renamed = anna.json(f"categories/{made['id']}", "PUT", {"title": "Ocean"}, status=201)
    assert (renamed["id"], renamed["title"]) == (made["id"], "Ocean")
    assert anna.json("feeds/2")["category"]["title"] == "Ocean"
    assert anna.ask("DELETE", f"categories/{made['id']}").status == 204
    assert anna.json("feeds/2")["category"]["title"] == "All"
    assert [each["title"] for each in anna.json("categories")] == ["All"]


def test_what_does_not_exist_is_not_found(anna: MinifluxApp) -> None:
    for method, path in (
        *(("GET", f"{kind}/99{rest}") for kind in ("feeds", "categories") for rest in ("/entries", "/entries/2")),
        *(
            ("PUT", f"{kind}/99{rest}")
            for kind in ("feeds", "categories")
            for rest in ("/refresh", "/mark-all-as-read")
        ),
        *(("GET", path) for path in ("feeds/99", "feeds/99/icon", "icons/99", "entries/99", "enclosures/99000")),
        *(("GET", path) for path in ("categories/99/feeds", "entries/99/fetch-content", "nothing", "users/1")),
        *(("DELETE", path) for path in ("feeds/99", "categories/99")),
        *(("PUT", path) for path in ("entries/99/bookmark", "entries/99/star")),
        ("POST", "entries/99/save"),
    ):
        assert anna.error(path, method) == (404, "resource not found"), path
    for path in ("feeds/x", "categories/x/feeds", "entries/0", "feeds/2/entries/x", "enclosures/-1"):
        assert anna.ask("GET", path).status in (400, 404), path
    assert (
        anna.error("feeds/99", "PUT", {"title": "x"})[0] == anna.error("categories/99", "PUT", {"title": "x"})[0] == 404
    )


def test_a_new_user_has_nothing_and_every_list_is_one(running: Site) -> None:
    app = miniflux_of(running, running.context.accounts.add_reader("Cleo").id)
    assert app.json("entries/ids") == {"total": 0, "entry_ids": []}
    assert app.json("entries") == {"total": 0, "entries": []}
    assert app.json("feeds") == []
    assert app.json("feeds/counters") == {"reads": {}, "unreads": {}}
    (category,) = app.json("categories")
    assert category == {"id": 1, "title": "All", "user_id": category["user_id"], "hide_globally": False}


def test_a_new_category_is_empty_and_keeps_its_title_where_none_is_given(anna: MinifluxApp) -> None:
    made = anna.json("categories", "POST", {"title": "Sea", "hide_globally": True}, status=201)
    assert made["id"] not in (0, 1, GROUP)
    assert anna.json("categories")[-1] == made
    counted = anna.json("categories?counts=true")[-1]
    assert counted == made | {"feed_count": 0, "total_unread": 0}
    assert anna.json(f"categories/{made['id']}", "PUT", {"hide_globally": True}, status=201) == made
    for number in (1, made["id"]):
        assert anna.ask("PUT", f"categories/{number}/mark-all-as-read").status == 204
        assert anna.json(f"categories/{number}/entries") == {"total": 0, "entries": []}
    assert anna.numbers("status=unread&order=id") == [BEST, EXPLORED]


# Feeds.


def test_a_feed_is_renamed_paused_and_left(running: Site, anna: MinifluxApp) -> None:
    (feed,) = anna.json("feeds")
    assert (feed["id"], feed["title"], feed["feed_url"], feed["icon"]) == (2, "The <Quay>", FEED, None)
    assert (feed["disabled"], feed["crawler"], feed["parsing_error_count"]) == (False, False, 0)
    changed = anna.json("feeds/2", "PUT", {"title": "Quay", "disabled": True, "crawler": True}, status=201)
    assert (changed["title"], changed["disabled"], changed["crawler"]) == ("Quay", True, True)
    assert changed["category"]["id"] == GROUP
    for body, problem in (
        ({"category_id": 99}, "This category does not exist or does not belong to this user."),
        ({"title": " "}, "The feed title cannot be empty."),
        ({"title": 7}, "title is no text"),
    ):
        assert anna.error("feeds/2", "PUT", body) == (400, problem)
    assert anna.error("feeds/2", "PUT", {"feed_url": "https://other.example/"})[0] == 400
    assert anna.json("feeds/counters") == {"reads": {"2": 2}, "unreads": {"2": 2}}
    assert anna.ask("DELETE", "feeds/2").status == 204
    assert anna.json("feeds") == []
    assert anna.json("feeds/counters") == {"reads": {}, "unreads": {}}
    entry = anna.json(f"entries/{BEST}")  # what it has brought stays
    assert (entry["feed"]["id"], entry["feed"]["disabled"], entry["status"]) == (2, True, "read")


def test_a_feed_is_found_followed_once_and_read_again(running: Site, anna: MinifluxApp) -> None:
    links = '<link rel="alternate" type="application/rss+xml" href="/a.xml" title="News">'
    feed = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"
    pages = {"/": f"<!doctype html><html><head>{links}</head></html>", "/a.xml": feed, "/no": "<!doctype html><p>no"}
    with attacker(pages) as port:
        address = f"http://127.0.0.1:{port}"
        (found,) = anna.json("discover", "POST", {"url": f"{address}/"})
        assert found == {"url": f"{address}/a.xml", "title": "News", "type": "rss"}
        assert anna.ask("POST", "discover", {"url": f"{address}/no"}).status == 404
        wanted = {"feed_url": found["url"], "category_id": GROUP}
        new = anna.json("feeds", "POST", wanted, status=201)["feed_id"]
        assert anna.error("feeds", "POST", wanted) == (400, "This feed already exists.")
        assert anna.error("feeds", "POST", {"feed_url": f"{address}/no"})[0] == 500
    assert anna.json(f"feeds/{new}")["category"]["id"] == GROUP
    for body, problem in (
        (
            {"feed_url": "https://other.example/", "category_id": 99},
            "This category does not exist or does not belong to this user.",
        ),
        ({"feed_url": ""}, "The URL and the category are mandatory."),
        ({"feed_url": "ftp://other.example/"}, "Invalid feed URL."),
    ):
        assert anna.error("feeds", "POST", body) == (400, problem)
    assert anna.error("discover", "POST", {"url": "ftp://x"}) == (400, "Invalid site URL.")


def test_a_feed_may_begin_paused_and_without_a_category(anna: MinifluxApp) -> None:
    feed = "<rss version='2.0'><channel><title>News</title><item><title>One</title></item></channel></rss>"
    with attacker({"/a.xml": feed}) as port:
        address = f"http://127.0.0.1:{port}/a.xml"
        new = anna.json("feeds", "POST", {"feed_url": address, "disabled": True, "crawler": True}, status=201)
        found = anna.json("discover", "POST", {"url": address})
    assert [each["url"] for each in found] == [address]
    made = anna.json(f"feeds/{new['feed_id']}")
    assert (made["feed_url"], made["title"], made["disabled"], made["crawler"]) == (address, "News", True, True)
    assert made["category"]["title"] == "All"
    for path, body in (("feeds", {"feed_url": "no address"}), ("discover", {"url": "no address"}), ("discover", {})):
        assert anna.error(path, "POST", body)[0] == 400, path


def test_an_icon_is_shown_to_those_who_follow_its_feed(running: Site, anna: MinifluxApp) -> None:
    give_icon(running, LOCAL_USER, b"picture")
    icon = anna.json("feeds/2")["icon"]
    found = anna.json("feeds/2/icon")
    assert found == anna.json(f"icons/{icon['icon_id']}")
    assert (found["id"], icon["feed_id"], found["mime_type"]) == (icon["icon_id"], 2, "image/png")
    assert found["data"] == f"image/png;base64,{base64.b64encode(b'picture').decode()}"
    ben = miniflux_of(running, BEN)
    for path in (f"icons/{icon['icon_id']}", "feeds/2/icon"):
        assert ben.error(path) == (404, "resource not found")


def test_refreshing_makes_feeds_due_that_were_not_asked_just_now(running: Site, anna: MinifluxApp) -> None:
    database = running.context.users.entry(LOCAL_USER).news.database

    def wait_until(hours: float, asked: float, failures: int = 0) -> None:
        due, last = NOW + timedelta(hours=hours), NOW - timedelta(minutes=asked)
        micro = [int(each.timestamp() * 1_000_000) for each in (due, last)]
        with database.write() as tx:
            query = "UPDATE feeds SET next_due = ?, last_attempt = ?, failures = ?"
            tx.connection.exec_driver_sql(query, (*micro, failures))

    def is_due() -> bool:
        with database.read() as tx:
            return feeds.any_due(tx, NOW)

    for path in ("feeds/refresh", "feeds/2/refresh", f"categories/{GROUP}/refresh"):
        for asked, failures in ((5, 0), (60, 1)):
            wait_until(2, asked, failures)
            assert anna.ask("PUT", path).status == 204
            assert not is_due(), (asked, failures)
        wait_until(2, 60)
        anna.ask("PUT", path)
        assert is_due()


def test_opml_goes_out_and_in(anna: MinifluxApp) -> None:
    opml = anna.ask("GET", "export").body
    assert opml.startswith("<?xml")
    assert FEED in opml
    listed = '<outline title="Waves" text="Waves" xmlUrl="https://other.example/feed" htmlUrl="https://other.example"/>'
    other = f'<opml version="2.0"><body><outline text="Sea">{listed}</outline></body></opml>'
    for _ in range(2):
        assert anna.json("import", "POST", other, status=201) == {"message": "Feeds imported successfully"}
    assert [each["category"]["title"] for each in anna.json("feeds")] == ["Arts & more", "Sea"]
    assert anna.ask("POST", "import", "<x").status == 400


def test_what_iscore_does_not_have_is_refused_in_the_api_s_own_words(anna: MinifluxApp) -> None:
    refusals = ((404, "resource not found"), (405, "method not allowed"))
    for method, paths in (
        ("GET", ("users", "users/1", "users/anna", "api-keys")),
        ("POST", ("users", "api-keys", "feeds/2/entries/import")),
        ("PUT", ("users/1", "flush-history", f"entries/{BEST}", f"enclosures/{BEST}000")),
        ("DELETE", ("users/1", "api-keys/1", "flush-history")),
    ):
        for path in paths:
            assert anna.error(path, method, {}) in refusals, (method, path)
            assert anna.numbers("status=unread&order=id") == [BEST, EXPLORED], (method, path)


# Others.


def test_what_is_another_s_can_neither_be_seen_nor_changed(running: Site, anna: MinifluxApp) -> None:
    ben = miniflux_of(running, BEN)
    made = anna.json("categories", "POST", {"title": "Sea"}, status=201)["id"]
    anna.json("feeds/2", "PUT", {"title": "Lighthouse"}, status=201)
    assert [each["id"] for each in ben.json("entries")["entries"]] == [BENS]
    assert ben.json("entries/ids") == {"total": 1, "entry_ids": [BENS]}
    for path in ("feeds/2", "feeds/2/entries", f"categories/{made}/feeds", f"entries/{BEST}", f"enclosures/{BEST}000"):
        assert ben.error(path) == (404, "resource not found"), path
    assert ben.error("entries?feed_id=2") == (400, "invalid feed ID")
    assert ben.error(f"entries?category_id={made}") == (400, "invalid category ID")
    for path in (f"entries/{BEST}/bookmark", f"entries/{BEST}/star", "feeds/2/mark-all-as-read", "feeds/2/refresh"):
        assert ben.ask("PUT", path).status == 404, path
    assert ben.ask("POST", f"entries/{BEST}/save").status == 404
    assert ben.ask("DELETE", "feeds/2").status == ben.ask("DELETE", f"categories/{made}").status == 404
    for change in ({"status": "read"}, {"status": "unread"}, {"starred": True}):
        assert ben.ask("PUT", "entries", {"entry_ids": [BEST, OLD, HIDDEN]} | change).status == 404
    assert ben.error(f"users/{LOCAL_USER}/mark-all-as-read", "PUT") == (403, "access forbidden")
    assert "Lighthouse" not in json.dumps([ben.json("feeds"), ben.json("entries"), ben.json("feeds/counters")])
    assert anna.numbers("status=unread&direction=desc&order=id") == [EXPLORED, BEST]
    assert anna.numbers("starred=true") == []
    assert len(anna.json("feeds")) == 1
