"""Icons of feeds in pages: on one sheet of the user's own, from this server; a letter where there is none."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from iscore.cli import main
from iscore.services.news_filter import NewsFilter
from iscore.services.reading.icons import ON_A_SHEET, FoundIcons
from iscore.web.pages.icons import style
from storage.stream import icons
from tests.iscore.web.conftest import NOW, Served, served
from tests.iscore.web.publisher import Publisher, article, publishing
from tests.iscore.web.test_pictures import load
from tests.servers.chromium import Chromium, needs_chromium

FEEDS = ("/all", "/", "/feeds", "/feed/1")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Publisher, Path]]:
    """A publisher with an icon, and a data folder that follows its feed and a private one."""
    with publishing() as (publisher, at):
        other = at.replace("127.0.0.1", "localhost")
        plain = b"<rss version='2.0'><channel><title>Plain</title></channel></rss>"
        publisher.pages["/plain?token=7"] = ("application/rss+xml", plain)
        folder = tmp_path_factory.mktemp("icons") / "home"
        (folder.parent / "feeds.yaml").write_text(f"feeds:\n  - url: {at}/feed\n  - url: {other}/plain?token=7\n")
        assert main(["--home", str(folder), "init", "--feeds", str(folder.parent / "feeds.yaml")]) == 0
        (folder / "config.toml").write_text("allow_private_networks = true\nhost_spacing = 0\n")
        assert main(["--home", str(folder), "poll"]) == 0
        with NewsFilter.open(folder) as news:
            assert news.icons.are_due()
            assert news.icons.find() == FoundIcons(2, 1)
            assert not news.icons.are_due()
        yield publisher, folder


@pytest.fixture(scope="module")
def server(site: tuple[Publisher, Path]) -> Iterator[Served]:
    with served(site[1]) as running:
        yield running


@pytest.mark.parametrize("path", [*FEEDS, "article"])
def test_feeds_are_named_with_their_icons(server: Served, path: str) -> None:
    body = server.client().get(f"/article/{article(server, 'One')}" if path == "article" else path).body
    assert re.search(r'<link rel="stylesheet" href="/icons/[0-9a-f]{24}\.css">', body)
    assert '<i class="icon i1 c1" data-letter="P"></i>' in body


def test_the_sheet_is_named_by_its_content_and_the_user_s_own(server: Served) -> None:
    client = server.client()
    (name,) = re.findall(r'href="(/icons/[0-9a-f]{24})\.css"', client.get("/all").body)
    status, headers, rules = load(client, f"{name}.css")
    assert (status, headers["content-type"]) == (200, "text/css; charset=utf-8")
    assert rules.decode() == style(name.rpartition("/")[2], [1])
    status, headers, data = load(client, f"{name}-0.png")
    assert (status, headers["content-type"]) == (200, "image/png")
    assert headers["cache-control"].startswith("private, max-age=")
    assert headers["cross-origin-resource-policy"] == "same-origin"
    with Image.open(io.BytesIO(data)) as sheet:
        assert (sheet.size, sheet.convert("RGB").getpixel((16, 16))) == ((32, 32), (0, 128, 128))
    for wrong in (f"{name}-1.png", f"{name[:-1]}z.css", f"{name[:-1]}z-0.png", f"{name}-x.png"):
        assert load(client, wrong)[0] == 404


def test_a_sheet_has_256_icons(site: tuple[Publisher, Path]) -> None:
    with NewsFilter.open(site[1]) as news:
        urls = [f"https://f{number}.example/feed" for number in range(ON_A_SHEET)]
        news.subscriptions.add(urls, discover=False)
        with news.database.write() as tx:
            picture = icons.pictures(tx, 1)[1]
            icons.record(tx, {number: picture for number in news.subscriptions.known() if number > 2}, NOW)
        with Image.open(io.BytesIO(news.icons.sheet(0))) as first, Image.open(io.BytesIO(news.icons.sheet(1))) as last:
            assert (first.size, last.size) == ((32, 32 * 256), (32, 32))
        assert news.icons.sheet(2) == b""
        rules = style(news.icons.name(), list(news.icons.keys()))
        assert len(rules) < 70 * 257
        assert rules.count(".png)") == 2
        news.subscriptions.remove(urls)


def test_without_pictures_no_site_is_asked(site: tuple[Publisher, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ISCORE_PICTURES", "false")
    asked = len(site[0].asked)
    with NewsFilter.open(site[1], clock=lambda: NOW.replace(year=2060)) as news:
        assert not news.icons.are_due()
        assert news.icons.find() == FoundIcons(0, 0)
    assert len(site[0].asked) == asked


@pytest.mark.long
@needs_chromium
def test_a_browser_shows_icons_and_letters_and_asks_only_us(browser: Chromium, server: Served) -> None:
    page = browser.page()
    page.go(f"{server.address}feeds")
    shown = page.evaluate(
        "['.i1', '.i2'].map(e => document.querySelector('main ' + e)).map(e => ["
        "getComputedStyle(e).backgroundImage != 'none', getComputedStyle(e, '::before').content, e.offsetWidth])"
    )
    assert shown == [[True, "none", 16], [False, '"P" / ""', 16]]
    assert {url for url in page.asked if not url.startswith(server.address)} == set()
    assert [url for url in page.asked if "/icons/" in url and url.endswith("-0.png")] != []
    assert page.complaints == []
