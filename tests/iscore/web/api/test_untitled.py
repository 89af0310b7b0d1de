"""Articles without a title, on all pages and in all APIs: their first sentences stand in, escaped as titles are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import escape, unescape
from xml.etree import ElementTree as ET

import pytest

from iscore.core.passwords import hash_password
from storage.records.users import LOCAL_USER, Kind
from tests.iscore.web.api.conftest import BEST, EXPLORED, HIDDEN, OLD, READING_LIST, app_of, miniflux_of
from tests.iscore.web.api.test_fever import app_of as fever_app
from tests.iscore.web.api.test_personal_feeds import ATOM, PASSWORD, reader_of
from tests.iscore.web.in_process import Site

WHOLE = "Low water at the pier."
HOSTILE = '<script>alert(1)</script> & "quotes" {{ 7 * 7 }}.'
LONG = "The harbour council met on Tuesday and voted for a longer breakwater than last year's, at last."
HEBREW = "שלום לכולם, המעבורת לא תפליג היום."
TEXTS = {OLD: f"{HEBREW} עוד בלוח.", BEST: f"{HOSTILE} And more.", EXPLORED: WHOLE, HIDDEN: LONG}
TITLES = {
    OLD: HEBREW,
    BEST: HOSTILE,
    EXPLORED: WHOLE,
    HIDDEN: "The harbour council met on Tuesday and voted for a longer breakwater than last…",
}
STORED = ("UPDATE articles SET title = '' WHERE seq = ?", "UPDATE texts SET text = ? WHERE seq = ?")


@pytest.fixture
def untitled(running: Site) -> Site:
    with running.context.users.entry(LOCAL_USER).news.database.write() as tx:
        for number, text in TEXTS.items():
            tx.connection.exec_driver_sql(STORED[0], (number,))
            tx.connection.exec_driver_sql(STORED[1], (text, number))
        tx.connection.exec_driver_sql("DELETE FROM contents")
        tx.connection.exec_driver_sql("UPDATE articles SET language = CASE seq WHEN 3 THEN 'fa' ELSE '' END")
    running.context.accounts.set_password(LOCAL_USER, hash_password(PASSWORD))
    return running


def _atom(document: str) -> list[str]:
    return [each.findtext(f"{ATOM}title") or "" for each in ET.fromstring(document).findall(f"{ATOM}entry")]


LISTED: dict[str, Callable[[Site], list[str]]] = {
    "Google Reader": lambda site: [each["title"] for each in app_of(site).json("stream/contents")["items"]],
    "Google Reader as Atom": lambda site: _atom(app_of(site).get(f"/reader/atom/{READING_LIST}").body),
    "Fever": lambda site: [each["title"] for each in fever_app(site).ask("items")["items"]],
    "Miniflux": lambda site: [each["title"] for each in miniflux_of(site).json("entries")["entries"]],
    "personal feed": lambda site: [
        *(each["title"] for each in json.loads(reader_of(site).get("recommended.json").body)["items"]),
        *(TITLES[OLD], TITLES[HIDDEN]),  # neither is recommended
    ],
    "personal Atom feed": lambda site: [*reader_of(site).titles("recommended"), TITLES[OLD], TITLES[HIDDEN]],
}


@pytest.mark.parametrize("place", LISTED)
def test_apps_and_feeds_have_titles(untitled: Site, place: str) -> None:
    assert sorted(LISTED[place](untitled)) == sorted(TITLES.values())


def test_apps_have_the_whole_texts_and_learn_how_they_are_written(untitled: Site) -> None:
    items = app_of(untitled).json("stream/contents")["items"]
    found = {each["title"]: each["summary"] for each in items}
    assert found[TITLES[EXPLORED]] == {"direction": "rtl", "content": f"<p>{WHOLE}</p>"}  # by its language
    assert [found[TITLES[each]]["direction"] for each in (OLD, BEST, HIDDEN)] == ["rtl", "ltr", "ltr"]
    assert found[TITLES[BEST]]["content"] == f"<p>{escape(TEXTS[BEST])}</p>"


PAGES = {"/": (BEST, EXPLORED), "/hidden": (HIDDEN,), "/all": tuple(TITLES), "/search?q=winter": (EXPLORED,)}


@pytest.mark.parametrize("path", PAGES)
def test_lists_have_titles_and_repeat_no_whole_text(untitled: Site, path: str) -> None:
    page = untitled.signed_in("Anna", PASSWORD).get(path).body
    links = [unescape(each) for each in re.findall(r"<h3 [^>]*><a [^>]*>([^<]*)</a>", page)]
    assert sorted(links) == sorted(TITLES[each] for each in PAGES[path])
    assert page.count(WHOLE) == (EXPLORED in PAGES[path])
    assert "<script>alert" not in page


def _page(site: Site, number: int) -> str:
    with site.context.users.entry(LOCAL_USER).news.database.read() as tx:
        (name,) = tx.connection.exec_driver_sql("SELECT id FROM articles WHERE seq = ?", (number,)).scalars()
    return site.signed_in("Anna", PASSWORD).get(f"/article/{name}").body


@pytest.mark.parametrize(("number", "paragraphs"), [(EXPLORED, 0), (BEST, 1), (HIDDEN, 1), (OLD, 1)])
def test_the_page_of_an_article_has_what_its_title_leaves_out(untitled: Site, number: int, paragraphs: int) -> None:
    page = _page(untitled, number)
    assert [unescape(each) for each in re.findall(r"<h1[^>]*>([^<]*)</h1>", page)] == [TITLES[number]]
    assert re.search(r'<div class="text"(?s:.*?)</div>', page)[0].count("<p") == paragraphs  # type: ignore[index]
    assert "(no text)" not in page


def test_verdicts_and_the_way_to_the_next_story_name_it(untitled: Site) -> None:
    client = untitled.signed_in("Anna", PASSWORD)
    page = client.get("/")
    best, explored = page.ids
    named = re.compile(r"<bdi>([^<]*)</bdi>")
    assert WHOLE in named.findall(client.get(f"/article/{best}").body)
    voted = client.vote(page, best, at="verdicts")
    assert HOSTILE in map(unescape, named.findall(client.get(voted.place.partition("#")[0]).body))
    assert [unescape(each) for each in re.findall(r'<a id="t-[^>]*>([^<]*)</a>', client.get("/verdicts").body)] == [
        HOSTILE
    ]
    (again,) = untitled.context.users.entry(LOCAL_USER).news.give(Kind.LIKE, [explored])
    assert again.title == WHOLE


def test_what_has_neither_is_called_so(untitled: Site) -> None:
    with untitled.context.users.entry(LOCAL_USER).news.database.write() as tx:
        tx.connection.exec_driver_sql("UPDATE texts SET text = ''")
    assert {title for place in LISTED for title in LISTED[place](untitled)} - set(TITLES.values()) == {"(untitled)"}
    page = _page(untitled, BEST)
    assert ("(untitled)</h1>" in page, "(no text)" in page) == (True, True)
