"""From a page's address to its feed: a real server, real parser processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from time import process_time
from urllib.parse import urljoin

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iscore.feeds.discovery import COMMON_PATHS, Candidate, Discovery, DiscoveryResult
from iscore.feeds.http.fetch import Fetcher
from iscore.feeds.parsing.jobs import FeedLink, LinksJob
from iscore.feeds.parsing.pages import MAX_FEEDS, feed_links, not_a_feed
from iscore.feeds.parsing.parser_pool import ParserPool
from iscore.feeds.poll_settings import PollSettings
from tests.servers.feed_server import FeedServer, document, html, redirect, rss, status

SETTINGS = PollSettings(allow_private_networks=True, host_spacing=0.0, fetch_timeout=5.0)
NOW = datetime(2026, 3, 2, tzinfo=UTC)


@pytest.fixture
def discovery(entered: Callable[[Fetcher], Fetcher], pool: ParserPool) -> Discovery:
    return Discovery(entered(Fetcher(SETTINGS)), pool, lambda: NOW)


def page(head: str, body: str = "<p>Welcome</p>") -> str:
    return f"<!doctype html><html><head><title>Site</title>{head}</head><body>{body}</body></html>"


def declared(href: str, title: str = "", kind: str = "application/rss+xml") -> str:
    return f'<link rel="alternate" type="{kind}" href="{href}" title="{title}">'


async def test_a_feed_is_itself_whatever_it_is_called(server: FeedServer, discovery: Discovery) -> None:
    server.routes["/blog"] = html(rss(2))
    assert await discovery.discover(server.url("/blog")) == DiscoveryResult(
        (Candidate(server.url("/blog"), "Loopback news", 2),)
    )
    assert len(server.requests) == 1


async def test_the_one_feed_that_a_page_declares_is_looked_at_and_taken(
    server: FeedServer, discovery: Discovery
) -> None:
    server.routes["/blog/"] = html(page(declared("news.xml", "All")))
    server.routes["/blog"] = redirect("/blog/", 301)
    server.routes["/blog/news.xml"] = document(rss(1, title="The blog"))
    found = await discovery.discover(server.url("/blog"))
    assert found == DiscoveryResult((Candidate(server.url("/blog/news.xml"), "The blog", 1),))
    assert [request.path for request in server.requests] == ["/blog", "/blog/", "/blog/news.xml"]


async def test_of_several_feeds_none_is_fetched_and_the_user_chooses(server: FeedServer, discovery: Discovery) -> None:
    links = declared("/a", "Posts") + declared("/b", "Comments \x1b[31m") + declared("/a", "Again")
    server.routes["/"] = html(page(links))
    found = await discovery.discover(server.url("/"))
    assert found.feeds == (Candidate(server.url("/a"), "Posts"), Candidate(server.url("/b"), "Comments [31m"))
    assert len(server.requests) == 1


async def test_where_nothing_is_declared_links_are_tried_and_then_what_is_usual(
    server: FeedServer, discovery: Discovery
) -> None:
    body = '<a href="/about">About</a><a href="/en/rss.xml">Feed</a><a href="https://elsewhere.example/feed">x</a>'
    server.routes["/start"] = html(page("", body))
    server.routes["/en/rss.xml"] = html(page(""))
    server.routes["/feed.xml"] = document(rss(1))
    found = await discovery.discover(server.url("/start"))
    assert [feed.url for feed in found.feeds] == [server.url("/feed.xml")]
    assert [request.path for request in server.requests] == [
        *("/start", "/en/rss.xml"),
        *COMMON_PATHS[: COMMON_PATHS.index("/feed.xml") + 1],
    ]


async def test_a_page_without_any_feed_costs_no_more_than_the_usual_addresses(
    server: FeedServer, discovery: Discovery
) -> None:
    server.routes["/"] = html(page("", "".join(f'<a href="/{n}/feed">x</a>' for n in range(50))))
    found = await discovery.discover(server.url("/"))
    assert (found.feeds, found.looked) == ((), True)
    assert "no feed of it was found" in found.problem
    assert len(server.requests) == 1 + 4 + len(COMMON_PATHS)


async def test_a_server_that_refuses_is_not_asked_further(server: FeedServer, discovery: Discovery) -> None:
    server.routes |= {"/": html(page("")), "/feed": status(429)}
    found = await discovery.discover(server.url("/"))
    assert "429" in found.problem
    assert [request.path for request in server.requests] == ["/", "/feed"]


@pytest.mark.parametrize(
    ("code", "looked"), [(404, True), (410, True), (401, False), (403, False), (429, False), (503, False)]
)
async def test_a_missing_page_differs_from_a_server_with_a_problem(
    code: int, looked: bool, server: FeedServer, discovery: Discovery
) -> None:
    server.routes["/feed"] = status(code)
    found = await discovery.discover(server.url("/feed"))
    assert (found.feeds, found.looked, str(code) in found.problem) == ((), looked, True)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("markup", "problem", "looked"),
    [
        (
            "<!doctype html><title>Just a moment...</title>",
            "a check that only browsers pass (Cloudflare, status 200)",
            False,
        ),
        ("<!doctype html><title>Log in</title><form>", "this is a login page, not a feed: “Log in”", True),
        ("<!doctype html><title>Blog</title>", "this is a web page, not a feed: “Blog”; no feed of it was found", True),
        ("%PDF-1.7", "the document is not a feed", True),
    ],
)
async def test_the_reason_says_what_is_at_the_address(
    markup: str, problem: str, looked: bool, server: FeedServer, discovery: Discovery
) -> None:
    server.routes["/"] = html(markup)
    found = await discovery.discover(server.url("/"))
    assert problem in found.problem
    assert (found.feeds, found.looked) == ((), looked)


async def test_nothing_leads_into_a_private_network(server: FeedServer, pool: ParserPool) -> None:
    async with Fetcher(replace(SETTINGS, allow_private_networks=False)) as fetcher:
        found = await Discovery(fetcher, pool, lambda: NOW).discover(server.url("/"))
    assert (found.feeds, found.looked) == ((), True)
    assert "private network" in found.problem
    assert server.connections == 0


async def test_a_hostile_page_costs_a_process_and_a_while_and_no_more(server: FeedServer, discovery: Discovery) -> None:
    server.routes["/"] = html("<!doctype html>" + "<![" * 400_000)
    server.routes["/feed"] = document(rss(1))
    found = await discovery.discover(server.url("/"))
    assert found.feeds or found.problem


# What a page says


def links(markup: str, url: str = "https://site.example/news/") -> list[FeedLink]:
    return feed_links(LinksJob(markup.encode(), "text/html; charset=utf-8", url))


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (declared("feed.xml", "T &amp; U"), [("https://site.example/news/feed.xml", "T & U")]),
        (declared("//cdn.example/f", kind="Application/Atom+XML; charset=utf-8"), [("https://cdn.example/f", "")]),
        (declared("/f.json", kind="application/feed+json"), [("https://site.example/f.json", "")]),
        ('<LINK REL="feed home" HREF=/f>', [("https://site.example/f", "")]),
        ('<base href="https://other.example/x/">' + declared("f"), [("https://other.example/x/f", "")]),
        (declared("https://me:secret@site.example/f#top"), [("https://site.example/f", "")]),
        (declared("/wp-json/oembed/1.0", kind="application/json"), []),
        (declared("javascript:alert(1)"), []),
        (declared(""), []),
        (declared("http://[::1"), []),
        ('<link rel="alternate" hreflang="de" href="/de/">', []),
        ('<link rel="alternate stylesheet" type="text/xml" href="/x">', []),
        ("<!-- " + declared("/f") + " -->", []),
        (declared("/f") + "<![a;", [("https://site.example/f", "")]),
        (declared("/f") + "<![;", [("https://site.example/f", "")]),
    ],
)
def test_declared_feeds_are_read_as_a_browser_would(markup: str, expected: list[tuple[str, str]]) -> None:
    assert [(link.url, link.title) for link in links(markup)] == expected


def test_a_page_full_of_feeds_is_cut() -> None:
    assert len(links("".join(declared(f"/{n}") for n in range(1000)))) == MAX_FEEDS


@given(st.text(alphabet="<>/!-[]=\"' \nalinkbsehrftyp&;", max_size=80))
def test_any_page_has_links_or_none(junk: str) -> None:
    assert all(link.url.startswith("https://") for link in links(junk))


# What is no feed


def titled(title: str, body: str = "", head: str = "") -> str:
    return f"<!DOCTYPE html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


LOGIN = '<form action="/in"><input name=user><INPUT name=p TYPE="password"></form>'


@pytest.mark.parametrize(
    ("document", "url", "expected"),
    [
        (titled("The &amp; site"), "/", "web page, not a feed: “The & site”; no feed of it was found"),
        (
            titled("Site", "", declared("/a.xml")),
            "/",
            "“Site”; follow the feed that it declares: https://x.example/a.xml",
        ),
        (titled("S", "", declared("n.xml") + declared("c.xml")), "/b/", "declares: https://x.example/b/n.xml"),
        (titled("S", f"<a href='/feed'>f</a><!--{declared('/a')}-->"), "/", "no feed of it was found"),
        (titled("", "<svg><title> </title></svg>"), "/", "“x.example”; no feed"),
        (titled("A\u202e\x07\n B" * 60), "/", "not a feed: “A B"),
        ('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "x">' + titled("Größe"), "/", "web page, not a feed: “Größe”"),
        (titled("Blog", LOGIN, declared("/a.xml")), "/", "web page, not a feed: “Blog”; follow"),
        (titled("Members' area – Log in", LOGIN), "/", "login page, not a feed: “Members' area – Log in”"),
        (titled("Anmelden bei Foo", LOGIN), "/", "login page"),
        (titled("Sign in", "<form><input name=user></form>"), "/", "login page"),
        (titled("Foo", "<div id=root></div>"), "/wp-login.php?to=feed", "login page"),
        (titled("Foo", "<h1>Войти</h1>" + LOGIN), "/", "login page"),
        (titled("Signing a treaty", "<form></form>"), "/", "web page"),
        (titled("How to build a login", "<h1>Text</h1>"), "/blogging", "web page"),
        (
            titled("Before you continue to Foo"),
            "/",
            "consent page, not a feed: “Before you continue to Foo”; the site wants",
        ),
        (titled("Foo", "<h1>Cookie settings</h1>"), "/", "consent page"),
        (titled("Foo"), "https://consent.foo.example/m?continue=x", "consent page"),
        (titled("Foo"), "/cookiewall?return=/feed", "consent page"),
        (titled("Bevor Sie zu Foo weitergehen"), "/", "consent page"),
        (titled("Foo", "<h1>Cookie consent banners are dead</h1>" + "<a href=/1>x</a>" * 50), "/", "web page"),
        ("plain text with <b>html</b>", "/", "the document is not a feed"),
        ("%PDF-1.7", "/", "the document is not a feed"),
    ],
)
def test_what_is_no_feed_is_called_what_it_is(document: str, url: str, expected: str) -> None:
    said = not_a_feed(document.encode(), "text/html; charset=utf-8", urljoin("https://x.example/", url))
    assert expected in said
    assert said.isprintable()
    assert len(said) < 300


@pytest.mark.parametrize(
    "part",
    ["<![", "<title ", "<title>", "<h1>", "<input ", "<a ", "<!--", "</", "<link a='>", "<base a=\"><link b='>", "&#"],
)
def test_a_hostile_page_is_described_at_once(part: str) -> None:
    started = process_time()
    assert "web page" in not_a_feed(b"<html>" + part.encode() * 50_000, "text/html", "https://x.example/")
    assert process_time() - started < 0.5
