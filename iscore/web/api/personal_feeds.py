"""Personal feeds, and the pages of stories to which their entries link.

    /personal/SECRET/recommended.atom, maybe, saved, digest, search?q=…, feed/7; .json likewise; feeds.opml
    /story/SIGNED        GET shows what would happen, POST does it

Addresses are secret: anybody who has one reads without signing in, so they are in no log, and answers forbid referrers.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, quote
from uuid import NAMESPACE_URL, uuid5
from xml.etree import ElementTree as ET

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response

from iscore.core.errors import SearchError
from iscore.core.sanitizing import line
from iscore.core.translation import gettext
from iscore.feeds.websub.requests import PATH
from iscore.presentation import atom
from iscore.presentation.digest.feed_items import Feed, feed_of, render_atom, render_json_feed
from iscore.presentation.digest.render import rating_links
from iscore.services.apps.personal_feeds import PersonalFeed, PersonalList
from iscore.services.views.other_programs import ClientFeed, ClientItem
from iscore.web.api.requests import Call, add_article, number, players, to_json
from iscore.web.base_path import base_of
from iscore.web.context import AppContext, page
from iscore.web.pages.article import explanation
from iscore.web.request_log import Route
from iscore.web.security.signed_addresses import PersonalLinks, same, story_of, user_of_feeds
from storage.engine.errors import UnknownName
from storage.records.users import AppOption, Kind

FEEDS, STORY = "/personal/", "/story/"
"""The beginnings of paths that nobody else may know."""
CHOICES = {"like": Kind.LIKE, "dislike": Kind.DISLIKE, "undo": Kind.UNDO}
WHY_TIMEOUT = 4.0
"""Seconds that a page waits for reasons."""
TYPES = {"atom": "application/atom+xml", "json": "application/feed+json"}

_SECRET = re.compile(f"({FEEDS}|{STORY}|{PATH}).*", re.DOTALL)
JSON_FEED = "https://jsonfeed.org/version/1.1"


def is_personal(path: str) -> bool:
    """Whether a path is one of these."""
    return path.startswith((FEEDS, STORY))


def shown(path: str) -> str:
    """Return a path as a log may have it: without what is secret, whatever is before that.

    >>> shown("/personal/1-c2lnbmF0dXJl/recommended.atom"), shown("//story/1-2-c2lnbmF0dXJl"), shown("/feeds")
    ('/personal/…', '//story/…', '/feeds')
    """
    return _SECRET.sub(r"\1…", path)


class PersonalRoutes:
    """The routes. ``address``: the public URL of the server, or empty."""

    def __init__(
        self, app: AppContext, acting: Callable[[int], AbstractAsyncContextManager[object]], address: str
    ) -> None:
        self._app = app
        self._acting = acting
        self._address = address

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route(FEEDS + "{secret}/feeds.opml", self._opml),
            Route(FEEDS + "{secret}/feed/{number}.{form}", self._feed),
            Route(FEEDS + "{secret}/{name}.{form}", self._feed),
            Route(STORY + "{signed}", self._story),
            Route(STORY + "{signed}", self._rate, methods=["POST"]),
        ]

    async def _opml(self, request: Request) -> Response:
        user = await self._reader(request)
        if not user:
            return _nothing()
        async with self._acting(user):
            return await self._app.threads.page(self._opml_of, request)

    def _opml_of(self, request: Request) -> Response:
        own = f"{root_of(request, self._address)}{FEEDS}{request.path_params['secret']}/feed/"
        document = opml(self._app.news.client_apps.feeds(), lambda number: f"{own}{number}.atom")
        return Response(document, media_type="text/x-opml")

    async def _feed(self, request: Request) -> Response:
        user = await self._reader(request)
        if not user or request.path_params["form"] not in TYPES:
            return _nothing()
        async with self._acting(user):
            return await self._app.threads.page(self._feed_of, request)

    def _feed_of(self, request: Request) -> Response:
        form, name = request.path_params["form"], request.path_params.get("name", "")
        try:
            if name == "digest":
                digests = self._digests(request)
                text = render_atom(digests) if form == "atom" else render_json_feed(digests)
                return _cached(request, text.encode(), TYPES[form])
            feed = self._listed(request, name)
        except (SearchError, UnknownName) as error:
            return PlainTextResponse(f"{error}\n", 400)
        if feed is None:
            return _nothing()
        where = self._addresses(request)
        body = atom_feed(feed, where, self._app.clock()) if form == "atom" else json_feed(feed, where)
        return _cached(request, body, TYPES[form])

    def _digests(self, request: Request) -> Feed:
        """Return the last digests, with the same links as all other feeds."""
        news, where = self._app.news, self._addresses(request)
        view = news.digests.last()
        numbers = news.personal_feeds.numbers([each.id for made in view.digests for each in made.numbered])
        pages = {name: where.story(number) for name, number in numbers.items()}
        return feed_of(replace(view, feed_address=where.feed), zone=news.context.zone, pages=pages)

    def _listed(self, request: Request, name: str) -> PersonalFeed | None:
        feeds = self._app.news.personal_feeds
        if "number" in request.path_params:
            return feeds.of_feed(number(request.path_params["number"]))
        if name == "search":
            query = request.query_params.get("q", "").strip()
            return feeds.found(query) if query else None
        return feeds.listed(PersonalList(name)) if name in list(PersonalList) else None

    def _addresses(self, request: Request) -> Addresses:
        user, root = self._app.news.context.user, root_of(request, self._address)
        own = root + quote(request.url.path) + (f"?{request.url.query}" if request.url.query else "")
        page = story_pages(self._app, root, self._app.news.personal_feeds.key())
        return Addresses(own, f"iscore:{user.id}:{user.seed}", page)

    async def _story(self, request: Request) -> Response:
        """Show a story, and what an answer would do. Readers that fetch links ahead of time change nothing."""
        user, number = await self._signed(request)
        if not user:
            return _no_page(request)
        async with self._acting(user):
            return await self._story_page(request, number, request.query_params.get("choose", ""))

    async def _rate(self, request: Request) -> Response:
        """Record what was chosen: once, however often it is sent."""
        user, number = await self._signed(request)
        body = await self._app.bodies.small(request)
        chosen = CHOICES.get(dict(parse_qsl(body.decode(errors="replace"))).get("kind", ""))
        if not user or chosen is None:
            return _no_page(request)
        async with self._acting(user):
            if await self._app.threads.verdict(self._app.news.personal_feeds.rate, number, chosen):
                self._app.worker.learn()
            return await self._story_page(request, number, "", done=True)

    async def _story_page(self, request: Request, number: int, choose: str, *, done: bool = False) -> Response:
        app = self._app
        item = await app.threads.page(app.news.personal_feeds.story, number)
        if item is None:
            return _no_page(request)
        if not done:
            explained = asyncio.wrap_future(app.worker.explain_score(item.id))
            await asyncio.wait([explained], timeout=WHY_TIMEOUT)
        return await app.threads.page(self._render, request, item, choose, done=done)

    def _render(self, request: Request, item: ClientItem, choose: str, *, done: bool) -> Response:
        why = self._app.worker.why(item.id)
        return page(
            "personal_story.html",
            request,
            item=item,
            verdict=item.verdict.value if item.verdict else "",
            choose=choose if choose in CHOICES else "",
            done=done,
            why=explanation(why, self._app.clock()) if why else None,
        )

    async def _reader(self, request: Request) -> int:
        """Return the user whose secret an address has; 0 if it is not or no longer valid."""
        given = request.path_params["secret"]
        user = user_of_feeds(given)
        key = await self._key(user)
        return user if key and same(given, self._links().feeds(user, key)) else 0

    async def _signed(self, request: Request) -> tuple[int, int]:
        """Return the user and the story of a signed link; two zeros if it is not or no longer valid."""
        given = request.path_params["signed"]
        user, number = story_of(given)
        key = await self._key(user)
        return (user, number) if key and same(given, self._links().story(user, key, number)) else (0, 0)

    async def _key(self, user_id: int) -> str:
        return await self._app.threads.session(self._app.accounts.feeds_key, user_id) if user_id else ""

    def _links(self) -> PersonalLinks:
        return PersonalLinks(self._app.credentials.read().secret)


def items_of(
    app: AppContext, address: str, call: Call, numbers: Sequence[int], *, complete: bool = False
) -> list[ClientItem]:
    """Return items for a client app, with links to rate them if its user wants that and has personal feeds.

    ``address`` is the public URL of the server, or empty. ``complete`` apps get feeds with their items, also of feeds
    that are not followed any more, and have players for enclosures. Others fail for an item whose feed they do not
    know, and show no enclosures: players are added to the HTML.
    """
    found = app.news.client_apps.items(call.options, numbers)
    if not complete:
        found = [replace(each, html=each.html + players(each)) for each in found if each.followed]
    key = app.news.personal_feeds.key() if AppOption.RATING_LINKS in call.options else ""
    if not key:
        return found
    page = story_pages(app, root_of(call.request, address), key)
    return [replace(each, html=each.html + rating_links(page(each.state.seq))) for each in found]


def story_pages(app: AppContext, root: str, key: str) -> Callable[[int], str]:
    """Return what makes the addresses of the pages of a user's stories, by their numbers."""
    user, links = app.news.context.user_id, PersonalLinks(app.credentials.read().secret)
    return lambda number: f"{root}{STORY}{links.story(user, key, number)}"


def root_of(request: Request, address: str) -> str:
    """Return where all addresses begin: at the public URL of the server, else at the one that was asked."""
    return address.rstrip("/") or f"{request.url.scheme}://{request.headers['host']}{base_of(request)}"


def _cached(request: Request, body: bytes, media_type: str) -> Response:
    """Answer with a document, or that it is still the one that the reader has."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def _nothing() -> Response:
    return PlainTextResponse("Not Found\n", 404)


def _no_page(request: Request) -> Response:
    return page(
        "notice.html",
        request,
        status=404,
        status_code=404,
        heading=gettext("Not found"),
        sentence=gettext("This link is not valid any more."),
    )


@dataclass(frozen=True, slots=True)
class Addresses:
    """What a document links to."""

    feed: str
    """The address of the feed itself."""
    identity: str
    """Of the user: ids of entries are made from it, and never change."""
    story: Callable[[int], str]
    """The page of a story, where it can be rated."""


def atom_feed(feed: PersonalFeed, where: Addresses, now: datetime) -> bytes:
    """Write a feed as Atom."""
    root = atom.new_feed()
    atom.add(root, "id", _urn(where, feed.title))
    atom.add(root, "title", _title(feed))
    atom.add(root, "updated", atom.timestamp(max((each.arrived for each in feed.items), default=now)))
    atom.add(root, "generator", "iScore")
    atom.add(root, "link", rel="self", type=atom.MEDIA_TYPE, href=where.feed)
    for each in feed.items:
        entry = atom.add(root, "entry")
        atom.add(entry, "id", _urn(where, each.state.seq))
        add_article(entry, each)
        atom.add(entry, "link", rel="related", type="text/html", href=where.story(each.state.seq))
        atom.add_author(entry, _author(each))
        atom.add(entry, "content", _content(each, where), type="html")
    return atom.render(root).encode()


def json_feed(feed: PersonalFeed, where: Addresses) -> bytes:
    """Write a feed as JSON Feed."""
    items: list[dict[str, Any]] = [
        {
            "id": _urn(where, each.state.seq),
            "title": each.title,
            "content_html": _content(each, where),
            "date_published": atom.timestamp(each.published),
            "date_modified": atom.timestamp(each.arrived),
            "authors": [{"name": _author(each)}],
            "attachments": [
                {"url": file.url, "mime_type": file.type or "application/octet-stream"}
                | ({"size_in_bytes": file.length} if file.length else {})
                for file in each.enclosures
            ],
        }
        | ({"url": each.url} if each.url else {})
        for each in feed.items
    ]
    return to_json({"version": JSON_FEED, "title": _title(feed), "feed_url": where.feed, "items": items})


def opml(feeds: Iterable[ClientFeed], address: Callable[[int], str]) -> bytes:
    """Write the addresses of all followed feeds, each without what is hidden, as other readers import them."""
    root = ET.Element("opml", {"version": "2.0"})
    atom.add(atom.add(root, "head"), "title", "iScore")
    body = atom.add(root, "body")
    folders: dict[str, ET.Element] = {}
    for each in feeds:
        parent = body
        if each.folders:
            name = each.folders[0]
            if name not in folders:
                folders[name] = ET.SubElement(body, "outline", {"text": name, "title": name})
            parent = folders[name]
        named = {"type": "rss", "text": each.name, "title": each.name}
        ET.SubElement(parent, "outline", named | {"xmlUrl": address(each.number)})
    return atom.render(root).encode()


def _content(item: ClientItem, where: Addresses) -> str:
    return item.html + rating_links(where.story(item.state.seq))


def _title(feed: PersonalFeed) -> str:
    return f"iScore: {line(feed.title)}"


def _author(item: ClientItem) -> str:
    return f"{item.author} ({item.source})" if item.author else item.source


def _urn(where: Addresses, what: object) -> str:
    return uuid5(NAMESPACE_URL, f"{where.identity}:{quote(str(what))}").urn
