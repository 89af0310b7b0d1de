"""Every page of the server, with hostile texts in every field (rows 24 to 27, 38, 44).

A new page has to join the walk.
"""

from __future__ import annotations

import inspect
import re
from collections import Counter
from pathlib import Path
from urllib.parse import quote, urlsplit
from zlib import crc32

import pytest
from lxml import html

from iscore.web import app
from iscore.web.assets import assets
from tests.hostile.active_content import active_html, text_of
from tests.hostile.hostile_folder import ALL, NOW, PASSWORD, HostileFolder, add_people
from tests.hostile.hostile_texts import HOSTILE_TEXTS, storable
from tests.hostile.test_sink_documents import missing
from tests.iscore.web.client import Answer, Client
from tests.iscore.web.conftest import Served, served

pytestmark = pytest.mark.long

PLACES = (
    *(
        "/",
        "/maybe",
        "/hidden",
        "/all",
        "/saved",
        "/search",
        "/all?view=cards",
        "/lists",
        "/digest",
        "/verdicts",
        "/headlines",
        "/check",
    ),
    *("/rules", "/rules/1", "/account", "/people", "/people/2/remove"),
)
LATER = (
    *("/feeds", "/feeds/1", "/feeds/export", "/settings", "/settings/export", "/settings/delete"),
    *("/start", "/start/interests", "/start/first"),
)
"""Some read feeds.yaml, after which folders have other names, so no link to them is followed before."""
STRANGERS = ("/login", "/login?next=//evil.example", "/login?next=/%5Cevil.example")
WAYS = 2
"""Addresses of one page, with one set of values, that are walked."""
LISTS = re.compile(r"/(?:feed|folder|label|rules)/")
SHARE = 8
"""One in this many feeds, folders, labels and rules is opened: their pages are alike, and the menu has all names."""
OURS = re.compile(r'<template id="(?:more|arrived)">[^\0]*?</template>')
"""What scripts draw of a page, which has no foreign text."""
LOCAL = re.compile(r"/(?![/\\])")
ROUTES = [*re.findall(r'Route\("([^"]+)", [\w.]+\)', inspect.getsource(app)), *app.LISTS]
"""Of all pages."""
PATTERNS = {route: re.compile(re.sub(r"\{\w+(:text)?\}", "[^/]+", route)) for route in ROUTES}


class Walk:
    """A browser that follows links, and what it finds. ``texts`` are those of articles, by ID."""

    def __init__(self, client: Client, texts: dict[str, str]) -> None:
        self.client = client
        self.texts = texts
        self.walked: set[str] = set()
        self.found: dict[str, list[str]] = {}
        self.pictures: list[str] = []
        self._ways: Counter[tuple[str, ...]] = Counter()

    def go(self, *places: str) -> None:
        """Read these pages, and those that they link to."""
        waiting = list(places)
        while waiting:
            place = waiting.pop(0)
            if place not in self.walked:
                self.walked.add(place)
                links = self.read(place, self.client.get(place))
                waiting += [link for link in links if not link.startswith(LATER) and self._is_new(link)]

    def read(self, place: str, answer: Answer, *texts: str, status: int = 200) -> list[str]:
        """Check a page, which has to show ``texts``; return its links to this server."""
        if answer.headers.get("content-disposition", "").startswith("attachment"):
            return []  # a file: ``test_sinks`` has the commands that write the same
        if answer.status in (301, 303):
            assert LOCAL.match(answer.place)
            return []
        assert answer.status == status, place
        body = OURS.sub("", answer.body)
        wrong = active_html(body, script=assets().script, forms=True, pictures=True)
        shown = [*texts, *(text for each, text in self.texts.items() if place.startswith(f"/article/{each}"))]
        if wrong := wrong + missing(shown, text_of(body)):
            self.found[place] = wrong[:3]
        page = html.document_fromstring(body.encode())
        self.pictures += page.xpath("//img/@src")
        return [link.partition("#")[0] for link in page.xpath("//a/@href") if LOCAL.match(link)]

    def _is_new(self, place: str) -> bool:
        """Whether it is not just another list of its kind, another order of it, or its next page."""
        parts = urlsplit(place)
        names = [each.partition("=")[0] for each in parts.query.split("&")]
        if parts.query == "" and LISTS.match(place):
            return crc32(place.encode()) % SHARE == 0
        if parts.query == "" or names == ["q"]:
            return True
        way = (*(route for route, pattern in PATTERNS.items() if pattern.fullmatch(parts.path)), *names)
        self._ways[way] += 1
        return self._ways[way] <= WAYS


def test_every_page_shows_every_text_and_runs_none(hostile: HostileFolder, tmp_path: Path) -> None:
    """Rows 24 to 27, 38 and 44: a walk through all pages of the real server."""
    home, texts = hostile.copy(tmp_path), hostile.texts()
    home.do("digest")
    invitation = add_people(home)
    with served(home.path, ISCORE_NOW=NOW.isoformat()) as server:
        stranger = Walk(server.client(), {})
        stranger.go(*STRANGERS, invitation.removeprefix("http://127.0.0.1:8473"))
        form = {"token": stranger.client.get(invitation[21:]).hidden("token"), "key": invitation.partition("key=")[2]}
        answer = stranger.client.post("/join", form | {"name": ALL[:4000], "password": PASSWORD})
        stranger.read("/join", answer, status=400)
        walk = Walk(signed_in(server), texts)
        walk.go(*PLACES, *(f"/article/{each}" for each in texts))
        walk.go(*(f"/search?q={quote(text[:200])}" for text in map(storable, list(HOSTILE_TEXTS.values())[::SHARE])))
        walk.go(*LATER)
        for src in walk.pictures[:3]:  # what they name does not exist
            walk.walked.add(src)
            assert walk.client.get(src).status == 404
    assert stranger.found | walk.found == {}
    assert len(walk.pictures) > len(texts) / 3
    assert len(ROUTES) > 20
    unseen = {
        route for route, pattern in PATTERNS.items() if not any(map(pattern.fullmatch, paths(stranger) | paths(walk)))
    }
    without_text = {"/static/{name}", "/setup", "/icons/{name}.css", "/icons/{name}-{number:int}.png"}
    assert unseen == without_text, "which show no foreign text"


def paths(walk: Walk) -> set[str]:
    """Return the paths of what was walked."""
    return {urlsplit(each).path for each in walk.walked}


def signed_in(server: Served) -> Client:
    """Return a browser in which the first user has signed in."""
    client = server.client()
    form = {"token": client.get("/login").hidden("token"), "name": "local", "password": PASSWORD}
    assert client.post("/login", form, User_Agent="<script>alert(1)</script>").status == 303
    return client
