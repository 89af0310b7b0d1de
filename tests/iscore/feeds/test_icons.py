"""Icons of feeds are found on their sites, whatever is there, and nothing is asked that may not be."""

from __future__ import annotations

import asyncio
import io
import struct
import zlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from PIL import Image

from iscore.feeds import icons
from iscore.feeds.icons import find_icons
from iscore.feeds.poll_settings import PollSettings
from storage.opening.database import Database
from storage.records.feeds import IconSource
from tests.servers.feed_server import Behaviour, FeedServer, document, html, raw, redirect, silence, status

SETTINGS = PollSettings(host_spacing=0.0, allow_private_networks=True, user_agent="iscore/1.2 (news filter)")
NOW = datetime(2026, 3, 2, 8, tzinfo=UTC)
ONE, OTHER, NO_FEEDS = "127.0.0.1", "127.0.0.2", "127.0.0.3"


def picture(colour: str = "teal", format_: str = "PNG", size: tuple[int, int] = (32, 32)) -> bytes:
    out = io.BytesIO()
    Image.new("RGB", size, colour).save(out, format_)
    return out.getvalue()


def colour(icon: bytes) -> tuple[int, ...]:
    """The colour in the middle of an icon, which has to be a PNG of 32 × 32."""
    with Image.open(io.BytesIO(icon), formats=["PNG"]) as opened:
        assert opened.size == (32, 32)
        found = opened.convert("RGB").getpixel((16, 16))
    assert isinstance(found, tuple)
    return found


TEAL, RED, BLUE = (0, 128, 128), (255, 0, 0), (0, 0, 255)


def png_of(width: int, height: int) -> bytes:
    """A PNG that states a size; its pixels follow for as long as they are black."""
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(bytes(50_000_000))),
    )
    body = (struct.pack(">I", len(d)) + kind + d + struct.pack(">I", zlib.crc32(kind + d)) for kind, d in chunks)
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


def ico_of(entries: int) -> bytes:
    """An ICO file whose entries are all the same picture."""
    data, at = picture("red", size=(16, 16)), 6 + 16 * entries
    entry = struct.pack("<BBBBHHII", 16, 16, 0, 0, 1, 32, len(data), at)
    return struct.pack("<HHH", 0, 1, entries) + entry * entries + data


def image(body: bytes, **headers: str) -> Behaviour:
    return document(body, **{"Content_Type": "image/png"} | headers)


@asynccontextmanager
async def sites() -> AsyncIterator[FeedServer]:
    """Two sites, of which the other is well-behaved, and a host without feeds."""
    async with FeedServer((ONE, OTHER, NO_FEEDS)) as server:
        server.routes["/other"] = html("<link rel=icon href=/good.png>")
        server.routes["/good.png"] = image(picture("blue"))
        yield server


def source(server: FeedServer, number: int, host: str, site: str = "/", **more: str) -> IconSource:
    values = {"url": server.url(f"/feed-{number}", host), "site_url": server.url(site, host), "icon": ""}
    return IconSource(number, **values | more)


@pytest.mark.parametrize(
    ("routes", "expected", "own"),
    [
        ({"/": html("<link rel='shortcut icon' href=/a.png>"), "/a.png": image(picture())}, TEAL, ""),
        ({"/": html("<link rel=icon href=/a.ico>"), "/a.ico": image(picture(format_="ICO"))}, TEAL, ""),
        (
            {"/": html("<link rel=icon href=/a>"), "/a": document(picture(format_="WEBP"))},
            TEAL,
            "",
        ),
        # The best that the page names, else the site's, else the feed's own.
        (
            {
                "/": html(
                    "<base href=/b/><link rel=apple-touch-icon href=x><link rel=icon href=no.svg>"
                    "<link rel=icon href=gone><link rel=icon sizes='16x16 32x32' href=c>"
                ),
                "/b/x": image(picture("red")),
                "/b/c": image(picture()),
            },
            TEAL,
            "",
        ),
        ({"/": html("<link rel=icon href=/gone>"), "/favicon.ico": image(picture("red", "GIF"))}, RED, "/own.jpg"),
        ({"/own.jpg": image(picture("blue", "JPEG", (90, 60)))}, BLUE, "/own.jpg"),
        (
            {"/": redirect("/there"), "/there": html("<link rel=icon href=/a.png>"), "/a.png": image(picture())},
            TEAL,
            "",
        ),
    ],
)
async def test_the_first_picture_is_the_icon(
    database: Database, routes: dict[str, Behaviour], expected: tuple[int, ...], own: str
) -> None:
    async with sites() as server:
        server.routes |= routes
        wanted = source(server, 7, ONE, icon=server.url(own, ONE) if own else "")
        found = await find_icons([wanted], database, SETTINGS, lambda: NOW)
        assert abs(sum(colour(found[7])) - sum(expected)) < 9
        assert not {"cookie", "referer"} & {name for request in server.requests for name in request.headers}


LINK = html("<link rel=icon href=/a>")
FORBIDS = document(b"User-agent: *\nDisallow: /\n", Content_Type="text/plain")


@pytest.mark.parametrize(
    "routes",
    [
        {"/": LINK, "/a": image(picture() + bytes(5_000_000))},
        {"/": LINK, "/a": image(picture() + bytes(50_000_000), Content_Encoding="")},
        {"/": LINK, "/a": document(picture() + bytes(50_000_000), pack=True)},
        {"/": LINK, "/a": image(b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>")},
        {"/": LINK, "/a": raw(b"HTTP/1.1 200 OK\r\n\r\n" + picture()[:60], b"x", pause=0.01, forever=True)},
        {"/": LINK, "/a": html("<html>")},
        {"/": LINK, "/a": image(picture(size=(1, 1)))},
        {"/": LINK, "/a": image(png_of(20_000, 20_000))},
        {"/": LINK, "/a": image(picture("teal", "JPEG", (400, 400))[:900])},
        {"/": LINK, "/a": redirect(f"http://{OTHER}:PORTS/good.png")},
        {"/": html(f"<link rel=icon href=http://{OTHER}:PORTS/good.png>")},
        {"/": LINK, "/a": redirect(f"http://{NO_FEEDS}:PORTS/good.png")},
        {"/": LINK, "/a": image(picture()), "/robots.txt": FORBIDS},
        {"/": LINK, "/a": image(picture()), "/robots.txt": document(b"User-agent: *\nCrawl-delay: 60\n")},
        {"/": LINK, "/a": image(picture()), "/robots.txt": status(500)},
        {"/": silence},
        {"/": raw(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n", b"<link rel=icon href=" * 999, forever=True)},
        {"/": html("<!-- " + "<link rel=icon " * 9000)},
    ],
    ids=[
        "5 MB", "50 MB", "a bomb", "SVG", "endless", "HTML", "1×1", "20,000×20,000", "cut off",
        "redirect inside", "link inside", "redirect elsewhere inside", "forbidden", "long pauses", "robots.txt fails",
        "silence", "endless page", "open tags",
    ],
)  # fmt: skip
async def test_what_is_no_icon_costs_its_feed_the_icon_and_no_other(
    database: Database, monkeypatch: pytest.MonkeyPatch, routes: dict[str, Behaviour]
) -> None:
    monkeypatch.setattr(icons, "DOCUMENT_SECONDS", 1.0)
    async with sites() as server, asyncio.timeout(30):
        server.routes |= {path: _at(server.port, behaviour) for path, behaviour in routes.items()}
        wanted = [source(server, 1, ONE), source(server, 2, OTHER, "/other")]
        if "/robots.txt" in routes:  # is that of both
            wanted.pop()
        found = await find_icons(wanted, database, SETTINGS, lambda: NOW)
        assert found[1] == b""
        assert "/robots.txt" in routes or colour(found[2]) == BLUE
        asked = [(request.host.partition(":")[0], request.path) for request in server.requests]
        assert NO_FEEDS not in {host for host, _ in asked}
        assert asked.count((OTHER, "/good.png")) == len(wanted) - 1, "one feed was asked for another's"
        assert "/robots.txt" not in routes or set(asked) == {(ONE, "/robots.txt")}


def _at(port: int, behaviour: Behaviour) -> Behaviour:
    """Return a behaviour that knows the server's port, which has five digits."""

    async def behave(request: object, writer: asyncio.StreamWriter) -> None:
        write = writer.write
        writer.write = lambda data: write(data.replace(b"PORTS", b"%d" % port))  # type: ignore[method-assign]
        await behaviour(request, writer)  # type: ignore[arg-type]

    return behave


async def test_a_file_of_many_pictures_and_an_endless_page_with_an_icon_are_read_as_far_as_needed(
    database: Database,
) -> None:
    async with sites() as server:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<link rel=icon href=/a>"
        server.routes |= {"/": raw(head, b"<p>" * 9000, forever=True), "/a": image(ico_of(300))}
        found = await find_icons([source(server, 1, ONE)], database, SETTINGS, lambda: NOW)
        assert colour(found[1]) == RED


async def test_a_page_and_a_picture_are_asked_for_once(database: Database) -> None:
    async with sites() as server:
        server.routes |= {"/": LINK, "/more": LINK, "/a": image(picture())}
        wanted = [source(server, 1, ONE), source(server, 2, ONE), source(server, 3, ONE, "/more")]
        found = await find_icons(wanted, database, SETTINGS, lambda: NOW)
        assert {number: colour(icon) for number, icon in found.items()} == {1: TEAL, 2: TEAL, 3: TEAL}
        assert sorted(request.path for request in server.requests) == ["/", "/a", "/more", "/robots.txt"]


@pytest.mark.parametrize(
    "address", ["http://anna:secret@{}/feed", "http://{}/feed?token=7", "http://{}/0f3ac81d77b2e94c/x"]
)
async def test_of_a_private_feed_nothing_is_asked(database: Database, address: str) -> None:
    async with sites() as server:
        server.routes |= {"/": LINK, "/a": image(picture())}
        wanted = source(server, 1, ONE, url=address.format(f"{ONE}:{server.port}"))
        assert await find_icons([wanted], database, SETTINGS, lambda: NOW) == {1: b""}
        assert server.connections == 0


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        ({"allow_private_networks": False}, b""),
        ({"allow_private_networks": False, "private_hosts": f"{OTHER}:{{}}"}, b""),
        ({"allow_private_networks": False, "private_hosts": f"{ONE}:{{}}"}, TEAL),
    ],
)
async def test_a_private_network_is_open_to_feeds_that_are_allowed_there(
    database: Database, allowed: dict[str, object], expected: object
) -> None:
    async with sites() as server:
        server.routes |= {"/": LINK, "/a": image(picture())}
        if "private_hosts" in allowed:
            allowed = allowed | {"private_hosts": frozenset({str(allowed["private_hosts"]).format(server.port)})}
        settings = PollSettings(host_spacing=0.0, **allowed)  # type: ignore[arg-type]
        found = await find_icons([source(server, 1, ONE)], database, settings, lambda: NOW)
        assert (colour(found[1]) if found[1] else b"") == expected


async def test_what_is_not_begun_in_time_is_left_to_the_next_time(
    database: Database, monkeypatch: pytest.MonkeyPatch, processor_seconds: Callable[[], float]
) -> None:
    monkeypatch.setattr(icons, "BEGIN_SECONDS", 0.5)
    monkeypatch.setattr(icons, "FEED_SECONDS", 1.0)
    async with sites() as server:
        server.routes["/"] = silence
        wanted = [source(server, 1, ONE), source(server, 2, ONE), source(server, 3, OTHER, "/other")]
        found = await find_icons(wanted, database, SETTINGS, lambda: NOW)
        assert (found[1], found.keys()) == (b"", {1, 3})
    assert processor_seconds() < 20
