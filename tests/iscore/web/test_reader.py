"""The reader's pages over real HTTP: lists in pages, marks with and without scripts, mark all as read, digests."""

from __future__ import annotations

import html
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from iscore.services.digests.digests import pack
from iscore.services.news_filter import NewsFilter
from iscore.services.views.digests import DigestView
from iscore.services.views.view_builders import story_view
from storage.people import deliveries
from storage.records.deliveries import Delivery
from storage.records.users import LOCAL_USER
from storage.stories import inbox
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.conftest import XSS, Served

OPENED = {"Sec_Fetch_Dest": "document", "Sec_Fetch_Site": "same-origin"}
MARKS = "SELECT read_at IS NOT NULL, saved_at IS NOT NULL FROM marks JOIN articles USING (story) WHERE id = ?"


def ids(page: Answer) -> list[str]:
    return re.findall(r'<article id="a-([a-z0-9]+)"', page.body)


def mark(client: Client, page: Answer, do: str, **changed: str) -> Answer:
    """Press a button of a list; ``changed`` are fields of its form."""
    names = ("token", "nonce", "list", "newest")
    form = {name: html.unescape(page.hidden(name)) for name in names} | {"do": do}
    fields = {name: form.pop(name, value) for name, value in changed.items() if name.startswith("X_")}
    return client.post("/mark", form | {k: v for k, v in changed.items() if k not in fields}, **fields)


def test_pages_of_a_list_join_without_gap(reader_client: Client) -> None:
    for path in ("/all?view=compact", "/all?order=best", "/hidden"):
        page, read = reader_client.get(path), []
        while True:
            assert page.status == 200
            assert len(page.body.encode()) < 60_000
            read += ids(page)
            following = re.search(r'href="([^"]*)" data-more', page.body)
            if following is None:
                break
            page = reader_client.get(html.unescape(following[1]))
        assert len(read) == len(set(read)) > 25
    assert ids(reader_client.get("/all?after=nonsense")) == ids(reader_client.get("/all"))


def test_hostile_texts_are_escaped_everywhere(reader_client: Client, read_only_server: Served) -> None:
    for path in ("/all", "/feed/1", "/maybe", "/search?q=hacked", "/search?q=%22%3E%3Cscript%3E"):
        body = reader_client.get(path).body
        assert "<script>" not in body
        assert not re.search(r"<(img|svg(?! class)|iframe|math)", body)
    found = reader_client.get("/search?q=hacked")
    assert len(ids(found)) >= 3
    assert html.escape(XSS[0]).replace("&#x27;", "&#39;") in found.body
    assert 'href="javascript' not in found.body


@pytest.mark.parametrize(
    "path", ["/feed/99", "/folder/none", "/label/none", "/feed/x", "/digest/2026-13-01", "/digest/1"]
)
def test_a_list_that_the_user_does_not_have_is_not_found(reader_client: Client, path: str) -> None:
    assert reader_client.get(path).status == 404


def test_stories_are_marked_with_and_without_scripts(server: Served, client: Client) -> None:
    page = client.get("/all?order=best")
    story, other = ids(page)[:2]
    answer = mark(client, page, f"save:{story}")
    assert (answer.status, answer.place) == (303, f"/all?order=best#a-{story}")
    assert server.rows(MARKS, story) == [(0, 1)]
    assert ids(client.get("/saved")) == [story]
    part = mark(client, page, f"read:{story}", X_Part="story")
    assert (part.status, ids(part)) == (200, [story])
    assert "<html" not in part.body
    assert "is-read" in part.body
    liked = mark(client, page, f"like:{other}", X_Part="story")
    assert f'value="undo:{other}"' in liked.body
    assert server.rows()[-1][1] == "like"
    assert server.rows(MARKS, other) == [(1, 0)]  # who has rated it has read it
    heard = mark(client, page, f"dislike:{other}")
    assert re.fullmatch(rf"/all\?order=best&verdict=\w+#a-{other}", heard.place)
    said = client.get(heard.place.partition("#")[0]).body
    assert "Disliked:</span>" in said
    assert f'value="undo:{other}">Undo' in said
    mark(client, page, f"unread:{story}")
    mark(client, page, f"unsave:{story}")
    assert server.rows(MARKS, story) == [(0, 0)]

    name = "R&D / <b>"
    client.post("/mark", {"token": page.hidden("token"), "do": f"label:{story}", "label": name})
    labelled = client.get("/label/R%26D%20%2F%20%3Cb%3E")
    assert (ids(labelled), html.escape(name) in labelled.body) == ([story], True)
    assert mark(client, labelled, f"unsave:{story}").place == f"/label/R%26D%20%2F%20%3Cb%3E#a-{story}"
    for do in ("label:" + story, "no:" + story, "all:none", "undo-all:x", "like:none"):
        assert mark(client, page, do, nonce="").status in (400, 404)
    assert mark(client, page, f"save:{story}", token="wrong").status == 403
    assert mark(client, page, f"save:{story}", list="//evil.example").place == f"/article/{story}?marked="
    assert mark(client, page, "all:all", list="https://evil.example/all").status == 400


def test_all_is_marked_as_read_with_an_undo(server: Served, client: Client) -> None:
    page = client.get("/all?unread=1")
    stories, unread = ids(page), len(server.rows("SELECT 1 FROM marks WHERE read_at"))
    above = client.get(mark(client, page, f"above:{stories[3]}").place)
    assert "Marked 3 stories as read." in above.body
    assert ids(above)[:2] == stories[3:5]
    (undo,) = re.findall(r'value="(undo-all:[0-9]+)"', above.body)
    undone = client.get(mark(client, above, undo).place)
    assert "3 stories are unread again." in undone.body
    assert ids(undone) == stories
    assert mark(client, undone, undo).status == 404
    everything = client.get(mark(client, page, "all:all").place)
    assert ids(everything) == []
    mark(client, everything, re.findall(r"undo-all:[0-9]+", everything.body)[0])
    assert len(server.rows("SELECT 1 FROM marks WHERE read_at")) == unread


def test_opening_marks_as_read_and_fetching_ahead_does_not(server: Served, client: Client) -> None:
    first, second = ids(client.get("/all"))[:2]
    for headers in ({}, {**OPENED, "Sec_Purpose": "prefetch"}, {**OPENED, "Sec_Fetch_Dest": "empty"}):
        assert "data-unread" in client.get(f"/article/{first}", **headers).body
        assert server.rows(MARKS, first) in ([], [(0, 0)])
    page = client.get(f"/article/{first}", **OPENED)
    assert "data-unread" not in page.body
    assert server.rows(MARKS, first) == [(1, 0)]
    back = mark(client, page, f"unread:{first}").place
    assert "data-unread" not in client.get(back, **OPENED).body  # kept unread: no script marks it either
    assert server.rows(MARKS, first) == [(0, 0)]
    assert f'href="/all#a-{first}" data-back' in page.body
    assert f'href="/article/{second}" data-next' in page.body


def test_digests_are_shown_and_none_is_made(server: Served, client: Client) -> None:
    assert "There is no digest yet." in client.get("/digest").body
    story = ids(client.get("/all"))[0]
    (seq,) = server.rows("SELECT seq FROM articles WHERE id = ?", story)[0]
    at = datetime(2026, 3, 3, 1, tzinfo=UTC)
    with NewsFilter.open(server.home) as news:
        status = news.status(details=False)
        with news.database.write() as tx:
            (row,) = inbox.rows(tx, LOCAL_USER, [seq])
            shown = (replace(story_view(row), number=1),)
            deliveries.add(tx, [Delivery(LOCAL_USER, seq, "2026-03-03", 1, at)])
            view = DigestView(at.date(), shown, (), considered=1, status=status, made=at)
            deliveries.store_content(tx, LOCAL_USER, "2026-03-03", pack(view), at)
    assert ids(client.get("/digest")) == ids(client.get("/digest/2026-03-03")) == [story]
    assert client.get("/digest/2026-03-04").status == 404
    assert server.rows("SELECT digest FROM digests") == [("2026-03-03",)]
